import { joinPath } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { GitError } from '../../model/git.ts'
import type { Ports } from '../../model/ports.ts'
import { CLUSTERS } from '../../model/tree-path.ts'
import { type ExpandOptions, expandFleet } from '../expand/expand-fleet.ts'
import { keepFindings } from '../fleet/keep-findings.ts'
import type { OpenFleet } from '../fleet/open-fleet.ts'
import type { CommittedOutput, RenderedPaths } from '../deliver/judge-output.ts'

/** A change of the tree that is to be judged. */
export interface TreeEdit {
  readonly fleet: Pick<OpenFleet, 'file' | 'repository'>
  readonly committed: CommittedOutput
  readonly rendered: RenderedPaths
  /** Paths that differ from what is rendered: others tell of them. */
  readonly differing: ReadonlySet<string>
  /** The revision that the change follows on. */
  readonly base: string
  readonly options: Pick<ExpandOptions, 'selection' | 'network' | 'reuse' | 'threads'>
}

/** Files that one run tells of. */
const MOST = 10

/**
 * Finds files that the change edits by hand where the tree is believed: between two steps a run takes the class and the
 * Cluster as they are committed, and a check takes them from the tree that it checks. So what a change touches has to
 * be what a run from its base makes of it, with the next step or without.
 */
export async function findEditedOutput(edit: TreeEdit, ports: Ports): Promise<readonly Diagnostic[]> {
  const { committed, rendered, base, differing } = edit
  // a list follows from what there is
  const touched = (await touchedPaths(committed, base, ports)).filter(
    (path) => (rendered.hashOf(path) ?? '') !== '' && !differing.has(path),
  )
  const left = new Set(touched)
  for (const step of ['next', 'same'] as const) {
    if (left.size === 0) break
    const made = await expandFrom(edit, step, { paths: left, ports })
    for (const path of touched) if (made.get(path) === rendered.hashOf(path)) left.delete(path)
  }
  const paths = [...left].toSorted(compareBytes)
  const more = paths.length > MOST ? ` (one of ${String(paths.length)} files)` : ''
  return paths.slice(0, MOST).map((path) => ({
    code: 'OUTPUT_EDITED',
    severity: 'error',
    message: `the change edits this file${more}, and no render from ${base} makes it so: what stays as it is committed is believed`,
    file: joinPath(committed.output, path),
    hint: `Let it be as the base has it, or as \`stackmason render --base ${shellWord(base)}\` writes it.`,
  }))
}

/** Files that the last commit has in another way than the base, and than the commit at which it left the base. */
async function touchedPaths(
  { output, root, files: head }: CommittedOutput,
  base: string,
  { git, gitWriter }: Pick<Ports, 'git' | 'gitWriter'>,
): Promise<readonly string[]> {
  if (head === undefined || root === undefined) return []
  const before = await git.listCommitted(output, base)
  const changed = [...head].filter(([path, id]) => before.get(path) !== id)
  if (changed.length === 0) return []
  const fork = await gitWriter.mergeBase(root, base, 'HEAD').catch((error: unknown) => {
    // without one everything counts
    if (error instanceof GitError) return undefined
    throw error
  })
  const atFork = fork === undefined ? new Map<string, string>() : await git.listCommitted(output, fork)
  return changed.filter(([path, id]) => atFork.get(path) !== id).map(([path]) => path)
}

/** The hashes of these files as a run from the base writes them, which takes the step that is due, or none. */
async function expandFrom(
  { fleet, base, options }: TreeEdit,
  step: 'next' | 'same',
  { paths, ports }: { readonly paths: ReadonlySet<string>; readonly ports: Ports },
): Promise<ReadonlyMap<string, string>> {
  const made = new Map<string, string>()
  const awaited =
    step === 'same' ? (): Promise<readonly string[]> => Promise.resolve(['it is not asked for']) : undefined
  try {
    await expandFleet(
      { repository: fleet.repository, findings: keepFindings() },
      { ...options, selection: narrowed(paths, options.selection), revision: { from: 'commit', base, awaited } },
      {
        ports,
        takeFiles: (folders) => {
          for (const { path: folder, files } of folders)
            for (const [name, { sha256 }] of files) {
              const path = joinPath(folder, name)
              if (paths.has(path)) made.set(path, sha256)
            }
          return Promise.resolve()
        },
      },
    )
  } catch (error) {
    // what is wrong from the base on is told by the run itself
    if (!(error instanceof StackmasonError)) throw error
  }
  return made
}

/** Clusters that a run looks at one by one. */
const FEW = 50

/** The clusters that files are of, where they are few and of nothing else. */
function narrowed(paths: ReadonlySet<string>, all: ExpandOptions['selection']): ExpandOptions['selection'] {
  const clusters = new Set<string>()
  for (const path of paths) {
    const [top, namespace = '', name = ''] = path.split('/')
    if (top !== CLUSTERS || name === '') return all
    clusters.add(`${namespace}/${name}`)
  }
  return clusters.size > FEW ? all : { clusters: [...clusters], stacks: [] }
}
