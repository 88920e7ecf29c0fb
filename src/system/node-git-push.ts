import { GitError } from '../model/git.ts'
import type { BranchPush, PushRefusal, PushResult, RemoteAccess } from '../model/git-writer.ts'
import { gitErrorOf } from './node-git-error.ts'
import { askRemote } from './node-git-remote.ts'
import { decode, type GitOutput, type WriterGit } from './node-git-run.ts'

/**
 * Moves branches of a remote, each from where it is expected and from nowhere else, and whatever becomes of the others.
 * What the repository knows of the remote's branches stays: whoever works there with a lease of his own has not seen
 * these commits.
 */
export async function pushBranches(
  git: WriterGit,
  access: RemoteAccess,
  pushes: readonly BranchPush[],
): Promise<readonly PushResult[]> {
  if (pushes.length === 0) return []
  const leases = pushes.filter(({ mode }) => mode === 'lease')
  const args = [
    'push',
    '--porcelain',
    '--no-verify',
    '--no-follow-tags',
    ...leases.map((push) => `--force-with-lease=${refOf(push)}:${push.expected ?? ''}`),
    '--',
  ]
  const refspecs = pushes.map((push) => `${push.commit ?? ''}:${refOf(push)}`)
  const before = await remoteRefs(git)
  try {
    const pushed = await askRemote(access, async ({ name, remote, signal }) => {
      const output = await git([...args, name, ...refspecs], { remote, signal, accepts: [1] })
      if (output.status !== 0 && !/^!\t/m.test(decode(output.out))) throw gitErrorOf(output.errors, remote)
      return output
    })
    const { message } = gitErrorOf(pushed.errors, { ...access })
    return pushes.map((push): PushResult => {
      const refusal = pushed.status === 0 ? undefined : refusalIn(pushed, push)
      return refusal === undefined ? { status: 'pushed' } : { status: refusal, message }
    })
  } catch (error) {
    if (error instanceof GitError && error.reason === 'not-permitted')
      return pushes.map(() => ({ status: 'not-permitted', message: error.message }))
    throw error
  } finally {
    await restore(git, before, new Set(pushes.map(({ commit }) => commit)))
  }
}

function refOf({ branch }: BranchPush): string {
  return `refs/heads/${branch}`
}

const OUTDATED = /\((?:fetch first|non-fast-forward|stale info|needs force|remote ref updated since checkout)\)/
/** The server's own word for two pushes at once. */
const RACE =
  /cannot lock ref|failed to (?:lock|update ref)|reference already exists|unable to (?:create|resolve)|incorrect old value|is at [0-9a-f]+ but expected|ref updated/i
const PROTECTED =
  /protected branch|GH006|GH013|repository rule|not allowed to (?:force[- ])?push|pre-receive hook declined|hook declined/i

/** Why the server, or git before it, refused a branch; undefined where it was moved. Nothing is known of one left out. */
function refusalIn({ out, errors }: GitOutput, push: BranchPush): PushRefusal | undefined {
  const line = decode(out)
    .split('\n')
    .find((one) => one.split('\t')[1]?.endsWith(`:${refOf(push)}`) === true)
  if (line === undefined) return 'outdated'
  if (!line.startsWith('!')) return undefined
  if (OUTDATED.test(line)) return 'outdated'
  if (RACE.test(line)) return 'outdated'
  return PROTECTED.test(line) || PROTECTED.test(errors) ? 'protected' : 'refused'
}

/** Where the branches of remotes are, as far as the repository knows. */
async function remoteRefs(git: WriterGit): Promise<ReadonlyMap<string, string>> {
  const { out } = await git([
    'for-each-ref',
    '--format=%(if)%(symref)%(then)%(else)%(objectname) %(refname)%(end)',
    'refs/remotes/',
  ])
  return new Map(Array.from(decode(out).matchAll(/^(\S+) (\S+)$/gm), ([, id = '', name = '']) => [name, id]))
}

/** Undoes what git noted of the push, and nothing that somebody fetched meanwhile. */
async function restore(
  git: WriterGit,
  before: ReadonlyMap<string, string>,
  pushed: ReadonlySet<string | undefined>,
): Promise<void> {
  const lines: string[] = []
  const after = await remoteRefs(git)
  for (const [name, id] of after) {
    const old = before.get(name)
    if (!pushed.has(id) || old === id) continue
    lines.push(old === undefined ? `delete ${name} ${id}` : `update ${name} ${old} ${id}`)
  }
  if (pushed.has(undefined)) for (const [name, id] of before) if (!after.has(name)) lines.push(`create ${name} ${id}`)
  if (lines.length > 0) await git(['update-ref', '--stdin'], { input: `${lines.join('\n')}\n` })
}
