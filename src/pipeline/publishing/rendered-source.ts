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
  const isInScope = scopeOf(group)
  const pick = (tree: OpenTree, isFrom: (path: string) => boolean): readonly (readonly [string, string])[] =>
    [...tree.files].filter(([path]) => isInScope(path) && isFrom(path))
  const old = new Map(pick(before, () => true))
  const now = new Map([...pick(before, (path) => !part.has(path)), ...pick(after, (path) => part.has(path))])
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

/** What a group is about: a cluster, a namespace, or all. */
function scopeOf(group: string): (path: string) => boolean {
  const [kind, ...name] = group.split('/')
  if (kind !== 'cluster' && kind !== 'namespace') return () => true
  const folders = [CLUSTERS, HANDOFF, STACKS].map((top) => `${[top, ...name].join('/')}/`)
  return (path) => folders.some((folder) => path.startsWith(folder)) || isParent(path, name)
}

/** The object that applies the folder of a cluster lies beside that folder. */
function isParent(path: string, [namespace = '', cluster]: readonly string[]): boolean {
  return cluster !== undefined && path === `${HANDOFF}/${namespace}/application-${namespace}.${cluster}.handoff.yaml`
}
