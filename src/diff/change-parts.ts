import { addonName } from '../model/addon-unit-key.ts'
import { type ObjectName, objectPath } from '../model/object-name.ts'
import type { ChangePart, TreeObject } from '../model/tree-change.ts'
import { formatTreeFolder, parseTreeFile, type TreeFolder } from '../model/tree-path.ts'
import type { FileIds } from './plan-reading.ts'

/** Finds the part of a fleet that an object belongs to, and its cluster; `clusters` are all of both trees. */
export function partOf(
  { folder }: Pick<TreeObject, 'folder'>,
  clusters: ReadonlySet<string>,
): { readonly part: ChangePart; readonly cluster: ObjectName | undefined } {
  const cluster = clusterOf(folder, clusters)
  switch (folder.kind) {
    case 'stack':
      return { part: { kind: 'stack', namespace: folder.namespace, tag: folder.tag }, cluster }
    case 'cluster':
      return { part: { kind: 'cluster' }, cluster }
    case 'addons':
      return {
        part: {
          kind: 'addon',
          addon: folder.addon === undefined ? '' : addonName(formatTreeFolder(folder)),
          owner: folder.owner,
        },
        cluster,
      }
    case 'handoff':
      return { part: { kind: 'handoff' }, cluster }
  }
}

/** The cluster whose folder it is. */
function clusterOf(folder: TreeFolder, clusters: ReadonlySet<string>): ObjectName | undefined {
  if (folder.kind === 'cluster' || folder.kind === 'addons') return { namespace: folder.namespace, name: folder.name }
  if (folder.kind !== 'handoff' || folder.of === undefined) return undefined
  const name = { namespace: folder.namespace, name: folder.of }
  return clusters.has(objectPath(name)) ? name : undefined
}

/** One text for equal parts. */
export function partKey(part: ChangePart): string {
  switch (part.kind) {
    case 'addon':
      return `addon ${part.owner} ${part.addon}`
    case 'stack':
      return `stack ${part.namespace}/${part.tag}`
    case 'cluster':
    case 'handoff':
      return part.kind
  }
}

/** The clusters of a tree that have each part, by its key. */
export function findHolders(files: FileIds, clusters: ReadonlySet<string>): ReadonlyMap<string, ReadonlySet<string>> {
  const holders = new Map<string, Set<string>>()
  let last: TreeFolder | undefined
  for (const path of files.keys()) {
    const folder = parseTreeFile(path)?.folder
    // files of one folder follow each other
    if (folder === undefined || folder === last) continue
    last = folder
    const { part, cluster } = partOf({ folder }, clusters)
    if (cluster === undefined || !clusters.has(objectPath(cluster))) continue
    const key = partKey(part)
    const having = holders.get(key)
    if (having === undefined) holders.set(key, new Set([objectPath(cluster)]))
    else having.add(objectPath(cluster))
  }
  return holders
}
