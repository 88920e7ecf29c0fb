import type { PublishTree } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { CLUSTERS, HANDOFF, STACKS } from '../../model/tree-path.ts'
import { hashOf, openFolder, openNamedRevision, type OpenTree } from '../compare/open-tree.ts'
import type { SourceChange } from './source-change.ts'

/** Two trees that are compared. */
export interface TreePair {
  readonly before: OpenTree
  readonly after: OpenTree
}

/** A commit as it was rendered into its work tree. */
export interface RenderedSource {
  readonly tree: PublishTree
  /** Its findings tell of the files that people look at. */
  readonly change: SourceChange
  /** The tree of the commit and the one on disk; opened once. */
  readonly trees: () => Promise<TreePair>
}

/** Joins what rendering gave with the trees that it is about. */
export function renderedSource(tree: PublishTree, change: SourceChange, ports: Ports): RenderedSource {
  let opened: Promise<TreePair> | undefined
  const open = async (): Promise<TreePair> => {
    const { output } = change.result
    const before = await openNamedRevision(output, 'HEAD', ports)
    return { before, after: await openFolder(output, { label: 'rendered', hash: hashOf(before.files), ports }) }
  }
  return { tree, change, trees: () => (opened ??= open()) }
}

/** The same trees where only some files differ, and of them what lies beside those of a group. */
export function narrowTrees(
  { before, after }: TreePair,
  { group, part }: { readonly group: string; readonly part: ReadonlySet<string> },
): TreePair {
  const [was, is] = [before, after].map((tree) => inScope(tree, group))
  const old = new Map(was)
  const now = new Map([
    ...(was ?? []).filter(([path]) => !part.has(path)),
    ...(is ?? []).filter(([path]) => part.has(path)),
  ])
  return {
    before: { ...before, files: old },
    after: {
      label: after.label,
      files: now,
      read: async (paths) => {
        const [own, rest] = [new Set<string>(), new Set<string>()]
        for (const path of paths) if (now.has(path)) (part.has(path) ? own : rest).add(path)
        return new Map([...(await before.read(rest)), ...(await after.read(own))])
      },
    },
  }
}

type TreeEntry = readonly [path: string, id: string]

/** Entries by each folder that a group may be about: with many groups each looks at its own alone. */
const scopes = new WeakMap<OpenTree, ReadonlyMap<string, readonly TreeEntry[]>>()

/** Entries of what a group is about: a cluster, a namespace, or all. */
function inScope(tree: OpenTree, group: string): readonly TreeEntry[] {
  const [kind, ...name] = group.split('/')
  if (kind !== 'cluster' && kind !== 'namespace') return [...tree.files]
  let byFolder = scopes.get(tree)
  if (byFolder === undefined) scopes.set(tree, (byFolder = entriesByFolder(tree)))
  const entries = [CLUSTERS, HANDOFF, STACKS].flatMap((top) => byFolder.get([top, ...name].join('/')) ?? [])
  const parent = parentOf(name)
  const id = parent === undefined ? undefined : tree.files.get(parent)
  return parent === undefined || id === undefined ? entries : [...entries, [parent, id]]
}

/** Entries by `<top>/<namespace>`, and by `<top>/<namespace>/<name>`. */
function entriesByFolder({ files }: OpenTree): ReadonlyMap<string, readonly TreeEntry[]> {
  const found = new Map<string, TreeEntry[]>()
  for (const entry of files) {
    const [top = '', namespace, name, below] = entry[0].split('/')
    const folders = [
      ...(name === undefined ? [] : [`${top}/${namespace ?? ''}`]),
      ...(name === undefined || below === undefined ? [] : [`${top}/${namespace ?? ''}/${name}`]),
    ]
    for (const folder of folders) {
      const entries = found.get(folder)
      if (entries === undefined) found.set(folder, [entry])
      else entries.push(entry)
    }
  }
  return found
}

/** The object that applies the folder of a cluster lies beside that folder. */
function parentOf([namespace = '', cluster]: readonly string[]): string | undefined {
  return cluster && `${HANDOFF}/${namespace}/application-${namespace}.${cluster}.handoff.yaml`
}
