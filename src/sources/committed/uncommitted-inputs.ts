import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { joinPath, relativePath } from '../../codec/path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster, FleetRepository } from '../../model/fleet.ts'
import { GitError } from '../../model/git.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { pathOf } from '../../model/source.ts'
import { clusterTree } from '../../model/tree-path.ts'
import { addingInputs, findNewInputs } from './new-inputs.ts'

/** A fleet whose tree may be committed without its inputs. */
export interface ReadFleet {
  readonly repository: FleetRepository
  readonly severity: 'error' | 'warning'
  /** Paths of all rendered files, relative to the output folder, where the disk has what the inputs render to. */
  readonly tree?: ReadonlySet<string>
}

/** Paths that a finding names. */
const MOST = 3

/**
 * Finds inputs that nobody has added to git, though the last commit has the tree that is rendered from them: here all
 * is right, and every other checkout renders something else. It tells nothing while the tree is not committed, for then
 * people are still at work.
 */
export async function findUncommittedInputs(
  { repository, severity, tree }: ReadFleet,
  ports: Pick<Ports, 'git' | 'files'>,
): Promise<{ readonly findings: readonly Diagnostic[] }> {
  const { root } = repository.fleet
  const output = joinPath(root, repository.fleet.output)
  try {
    const committed = await ports.git.listCommitted(root, undefined, INPUTS)
    const isLeft = (file: string): boolean => !committed.has(relativePath(root, file))
    const clusters = repository.clusters.filter(({ source }) => isLeft(pathOf(source)))
    const others = tree === undefined ? [] : readFiles(repository).filter(isLeft)
    if (clusters.length + others.length === 0) return { findings: [] }
    const trees = [...(await ports.git.listCommitted(output)).keys()]
    const isThere = (cluster: Cluster): boolean => trees.some((path) => path.startsWith(`${clusterTree(cluster)}/`))
    const certain = clusters.filter(isThere).map(({ source }) => pathOf(source))
    const isSame = tree !== undefined && certain.length === 0 && (await isAsCommitted(output, tree, ports))
    const wanted = new Set((isSame ? others : certain).map((file) => relativePath(root, file)))
    const left = wanted.size === 0 ? [] : await findNewInputs(repository, ports)
    if (!left.some((path) => wanted.has(path))) return { findings: [] }
    const found = isSame ? { severity: 'warning' as const, is: 'may be' } : { severity, is: 'is' }
    return { findings: [describe(repository, left, found)] }
  } catch (error) {
    // whatever needs git says what is wrong
    if (error instanceof GitError) return { findings: [] }
    throw error
  }
}

/** Folders with inputs that are read file by file. */
const INPUTS: readonly string[] = ['clusters', 'stacks']

/** The files in these folders that shape the tree; absolute. */
function readFiles({ fleet: { root }, clusters, clusterStacks }: FleetRepository): readonly string[] {
  const all = [
    ...clusterStacks.map(({ at }) => at.source),
    ...clusters.flatMap(({ source, values, patches, addons }) => [
      source,
      ...[...values.values()].flat().map((file) => file.source),
      ...[...patches, ...addons].map(({ at }) => at.source),
    ]),
  ]
  const folders = INPUTS.map((folder) => `${joinPath(root, folder)}/`)
  return [...new Set(all.map(pathOf))].filter((file) => folders.some((folder) => file.startsWith(folder)))
}

/** True if the last commit has these files as they lie on the disk; line endings are passed over. */
async function isAsCommitted(
  output: string,
  tree: ReadonlySet<string>,
  { git, files }: Pick<Ports, 'git' | 'files'>,
): Promise<boolean> {
  const committed = await git.readCommitted(output, (path) => tree.has(path))
  if (committed.size < tree.size) return false
  try {
    for (const [path, bytes] of committed)
      if (textOf(await files.read(joinPath(output, path))) !== textOf(bytes)) return false
    return true
  } catch (error) {
    if (error instanceof FileError) return false
    throw error
  }
}

function textOf(bytes: Uint8Array): string {
  return decodeUtf8(bytes).replaceAll('\r\n', '\n')
}

function describe(
  repository: FleetRepository,
  left: readonly string[],
  { severity, is }: { readonly severity: Diagnostic['severity']; readonly is: string },
): Diagnostic {
  const { root } = repository.fleet
  const more = left.length - MOST
  const shown = `${left.slice(0, MOST).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`
  return {
    code: 'OUTPUT_UNCOMMITTED',
    severity,
    message: `the last commit has the tree that is rendered from ${shown}, and lacks that, which nobody has added to git: in other checkouts, as that of CI, the tree ${is} stale`,
    file: joinPath(root, left[0] ?? ''),
    hint:
      `${addingInputs(repository, left)}, and commit: with \`--amend\` where nobody has the last commit yet. ` +
      'Do not run `render` in another checkout until then: it removes from the tree what these files make.',
  }
}
