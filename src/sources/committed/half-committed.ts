import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { baseName, dirName, joinPath } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import { GitError } from '../../model/git.ts'
import type { Ports } from '../../model/ports.ts'
import { KUSTOMIZATION_FILE } from '../../model/tree-path.ts'
import { resourcesOf } from './find-broken.ts'
import { addingInputs, findNewInputs } from './new-inputs.ts'
import { parseCommitted } from './parse-committed.ts'
import { ALL, isRendered } from './rendered-path.ts'

/** The output that is looked at. */
export interface LyingOutput {
  readonly repository: FleetRepository
  /** The folders that it is about, relative to the output folder; undefined for all. */
  readonly folders?: readonly string[] | undefined
  readonly severity: 'error' | 'warning'
}

/** Paths that a finding names. */
const MOST = 3

/** The ways in which git lacks something: files that nobody has added, or that a line of .gitignore keeps out. */
type Kind = 'new' | 'ignored'

/**
 * Finds rendered files that lie on disk and that nobody has added to git, or that git ignores, though the last commit
 * lists some of them: `git commit -a` takes the lists, and leaves new files out. Here all is as it is rendered, and in
 * no other checkout. Before a commit of what was rendered last, no commit lists them.
 */
export async function findHalfCommitted(
  { repository, folders, severity }: LyingOutput,
  ports: Pick<Ports, 'git' | 'files'>,
): Promise<{ readonly findings: readonly Diagnostic[] }> {
  const { git } = ports
  const output = joinPath(repository.fleet.root, repository.fleet.output)
  try {
    const findings: Diagnostic[] = []
    for (const kind of ['new', 'ignored'] as const) {
      // of a folder that git ignores it names no files
      const untracked = (await git.findUntracked(output, kind, folders)).filter(isRendered)
      const left = untracked.filter((path) => path !== ALL).map((path) => path.replace(/\/$/, ''))
      if (!(await isAnyListed(output, left, { git }))) continue
      const hint =
        kind === 'ignored'
          ? wayToCommit(joinPath(output, left[0] ?? ''))
          : `${addingInputs(repository, await findNewInputs(repository, ports), output)}, and commit: with \`--amend\` where nobody has the last commit yet. \`git commit -a\` leaves new files out.`
      findings.push(describe(output, { left, severity, kind, hint }))
    }
    return { findings }
  } catch (error) {
    // whatever needs git says what is wrong
    if (error instanceof GitError) return { findings: [] }
    throw error
  }
}

/** True if the last commit lists some of these paths, or the outermost folder of one that it lacks. */
async function isAnyListed(output: string, left: readonly string[], { git }: Pick<Ports, 'git'>): Promise<boolean> {
  if (left.length === 0) return false
  const there = new Set([...(await git.listCommitted(output)).keys()].flatMap(withFolders))
  const missing = new Set(left.map((path) => withFolders(path).find((one) => !there.has(one)) ?? path))
  const above = new Set([...missing].map(listAbove))
  const lists = await git.readCommitted(output, (path) => above.has(path))
  const listed = new Map([...lists].map(([path, bytes]) => [path, listedIn(path, bytes)]))
  return [...missing].some((path) => listed.get(listAbove(path))?.has(baseName(path)) === true)
}

/** The folders that a file lies in, from the outermost, and its own path. */
function withFolders(path: string): readonly string[] {
  const names = path.split('/')
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

/** The list that names what lies at a path. */
function listAbove(path: string): string {
  return joinPath(dirName(path), KUSTOMIZATION_FILE)
}

/** The names that a committed list has; none where it is no list. */
function listedIn(path: string, bytes: Uint8Array): ReadonlySet<string> {
  try {
    return new Set(resourcesOf(parseCommitted(decodeUtf8(bytes), path)))
  } catch (error) {
    if (error instanceof StackmasonError) return new Set()
    throw error
  }
}

/** Files that git does not have, and the way to change that. */
interface LeftFiles {
  readonly left: readonly string[]
  readonly kind: Kind
  readonly hint: string
}

function describe(
  output: string,
  { left, severity, kind, hint }: Pick<LyingOutput, 'severity'> & LeftFiles,
): Diagnostic {
  const [first = ''] = left
  const shown = left.slice(0, MOST).map((path) => joinPath(output, path))
  const more = left.length - shown.length
  const [one, many] = kind === 'new' ? ['file', 'files'] : ['file or folder', 'files or folders']
  const what = left.length === 1 ? `a rendered ${one}` : `${String(left.length)} rendered ${many}`
  return {
    code: 'OUTPUT_UNCOMMITTED',
    severity,
    message:
      `the last commit lacks ${what}, though it lists ${left.length === 1 ? 'it' : 'some of them'}: ` +
      `${shown.join(', ')}${more > 0 ? `, and ${String(more)} more` : ''}. ` +
      `${kind === 'new' ? 'Nobody has added that to git' : 'git ignores that'}, so a GitOps tool and other checkouts do not get it`,
    file: joinPath(output, first),
    hint,
  }
}

/** The advice for an output of which git ignores the file or folder at this absolute path. */
export function wayToCommit(path: string): string {
  return `\`git check-ignore -v ${shellWord(path)}\` names the line that does it. Take it out, and commit the output folder.`
}
