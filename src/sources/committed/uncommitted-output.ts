import { joinPath } from '../../codec/path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import { GitError } from '../../model/git.ts'
import type { Ports } from '../../model/ports.ts'
import { findHalfCommitted, wayToCommit } from './half-committed.ts'
import { addingInputs, findNewInputs } from './new-inputs.ts'
import { ALL, isRendered } from './rendered-path.ts'

/** The facts of a run about its output. */
export interface WrittenOutput {
  readonly repository: FleetRepository
  /** Paths of files, relative to the output folder, that the run itself added: nobody can have committed them. */
  readonly added: ReadonlySet<string>
  /** True if a step waits for a commit that holds all of it. */
  readonly isWaiting: boolean
  /** The folders that it is about, relative to the output folder; undefined for all. */
  readonly folders: readonly string[] | undefined
  /** True if the last commit is to be right by itself. */
  readonly isCheck: boolean
}

/**
 * Finds files of the output that lie on disk and that no commit holds: git ignores them, or nobody has added them,
 * though a step waits for them or the commit that is checked lists them. A GitOps tool does not see them, and no step
 * follows on them. Nothing is found where `publish` commits the tree in another branch, folder or repository.
 */
export async function findUncommittedOutput(
  { repository, added, isWaiting, folders, isCheck }: WrittenOutput,
  ports: Pick<Ports, 'git' | 'files'>,
): Promise<{ readonly findings: readonly Diagnostic[] }> {
  const { git } = ports
  const output = joinPath(repository.fleet.root, repository.fleet.output)
  try {
    if (isPublishedElsewhere(repository) && (await git.listCommitted(output)).size === 0) return { findings: [] }
    const ignored = (await git.findUntracked(output, 'ignored', folders)).filter(isRendered)
    const found = isCheck
      ? await findHalfCommitted({ repository, folders, severity: 'error' }, ports)
      : { findings: [] }
    const isTold = found.findings.some(({ file }) => ignored.some((path) => joinPath(output, path) === file))
    const asksForNew = isWaiting && found.findings.length === 0
    const all = asksForNew ? (await git.findUntracked(output, 'new', folders)).filter(isRendered) : []
    const left = all.filter((path) => !added.has(path))
    const inputs = left.length === 0 ? [] : await findNewInputs(repository, ports)
    return {
      findings: [
        ...(isTold ? [] : ignoredOutput(output, ignored)),
        ...found.findings,
        ...newOutput(output, left, addingInputs(repository, inputs, output)),
      ],
    }
  } catch (error) {
    // whatever needs git has said so
    if (error instanceof GitError) return { findings: [] }
    throw error
  }
}

/** True if `publish` commits the tree in another place; what lies here is a look at it. */
function isPublishedElsewhere({ fleet: { publish } }: FleetRepository): boolean {
  const { repository, path, branch, base } = publish
  return repository !== undefined || path !== undefined || (branch !== undefined && branch !== base)
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
      message:
        `git ignores ${what}: no commit holds that, so nothing shows what a GitOps tool has applied, and no step ` +
        `${first === ALL ? '' : 'of a cluster that it belongs to '}follows on another`,
      file: path,
      hint: wayToCommit(path),
    },
  ]
}

function newOutput(output: string, paths: readonly string[], add: string): readonly Diagnostic[] {
  const [first] = paths
  if (first === undefined) return []
  return [
    {
      code: 'OUTPUT_UNCOMMITTED',
      severity: 'warning',
      message: `the last commit lacks ${listed(output, paths)}, which nobody has added to git: the step that holds that counts as not applied`,
      file: joinPath(output, first),
      hint: `${add}, and commit.`,
    },
  ]
}

function listed(output: string, [first = '', ...others]: readonly string[]): string {
  return joinPath(output, first) + (others.length === 0 ? '' : ` and ${String(others.length)} more`)
}
