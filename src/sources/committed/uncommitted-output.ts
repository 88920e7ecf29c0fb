import { joinPath } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { GitError } from '../../model/git.ts'
import type { Ports } from '../../model/ports.ts'
import { CLUSTERS, HANDOFF, STACKS } from '../../model/tree-path.ts'

/** The facts of a run about its output. */
export interface WrittenOutput {
  /** Paths of files, relative to the output folder, that the run itself added: nobody can have committed them. */
  readonly added: ReadonlySet<string>
  /** True if a step waits for a commit that holds all of it. */
  readonly isWaiting: boolean
  /** The folders that it is about, relative to the output folder; undefined for all. */
  readonly folders: readonly string[] | undefined
}

const TREE: ReadonlySet<string> = new Set([STACKS, CLUSTERS, HANDOFF])

/** All of the folder that git was asked about. */
const ALL = './'

/**
 * Finds files of the output that lie on disk and that no commit holds: git ignores them, or, where a step waits for
 * them, nobody has added them. A GitOps tool does not see them, and no step follows on them.
 */
export async function findUncommittedOutput(
  output: string,
  { added, isWaiting, folders }: WrittenOutput,
  { git }: Pick<Ports, 'git'>,
): Promise<{ readonly findings: readonly Diagnostic[] }> {
  try {
    const ignored = (await git.findUntracked(output, 'ignored', folders)).filter(isOfTree)
    const left = isWaiting ? (await git.findUntracked(output, 'new', folders)).filter(isOfTree) : []
    return {
      findings: [
        ...ignoredOutput(output, ignored),
        ...newOutput(
          output,
          left.filter((path) => !added.has(path)),
        ),
      ],
    }
  } catch (error) {
    // whatever needs git has said so
    if (error instanceof GitError) return { findings: [] }
    throw error
  }
}

/** True if a path is that of a file that is rendered, or of a folder of such files. */
function isOfTree(path: string): boolean {
  if (path === ALL) return true
  const [top = '', ...others] = path.split('/')
  return TREE.has(top) && others.every((name) => !name.startsWith('.')) && /(?:\/|\.yaml)$/.test(path)
}

function ignoredOutput(output: string, paths: readonly string[]): readonly Diagnostic[] {
  const [first] = paths.includes(ALL) ? [ALL] : paths
  if (first === undefined) return []
  const path = joinPath(output, first)
  const what = first === ALL ? 'all of the output folder' : listed(output, paths)
  return [
    {
      code: 'OUTPUT_UNCOMMITTED',
      severity: 'warning',
      message: `git ignores ${what}: no commit holds that, so nothing shows what a GitOps tool has applied, and no step follows on another`,
      file: path,
      hint: `\`git check-ignore -v ${shellWord(path)}\` names the line that does it. Take it out, and commit the output folder.`,
    },
  ]
}

function newOutput(output: string, paths: readonly string[]): readonly Diagnostic[] {
  const [first] = paths
  if (first === undefined) return []
  return [
    {
      code: 'OUTPUT_UNCOMMITTED',
      severity: 'warning',
      message: `the last commit lacks ${listed(output, paths)}, which nobody has added to git: the step that holds that counts as not applied`,
      file: joinPath(output, first),
      hint: `\`git add -A -- ${shellWord(output)}\`, and commit.`,
    },
  ]
}

function listed(output: string, [first = '', ...others]: readonly string[]): string {
  return joinPath(output, first) + (others.length === 0 ? '' : ` and ${String(others.length)} more`)
}
