import { GitError } from '../model/git.ts'
import type { BranchPush, PushRefusal, PushResult, RemoteAccess } from '../model/git-writer.ts'
import { gitErrorOf } from './node-git-error.ts'
import { askRemote } from './node-git-remote.ts'
import { decode, type GitOutput, type WriterGit } from './node-git-run.ts'

/** A branch that moves, or goes. */
type AnyPush = Omit<BranchPush, 'commit'> & { readonly commit: string | undefined }

/**
 * Moves a branch of a remote, from where it is expected and from nowhere else. What the repository knows of the
 * remote's branches stays: whoever works there with a lease of his own has not seen this commit.
 */
export async function pushBranch(git: WriterGit, access: RemoteAccess, push: AnyPush): Promise<PushResult> {
  const { branch, commit, expected, mode } = push
  const ref = `refs/heads/${branch}`
  const args = [
    'push',
    '--porcelain',
    '--no-verify',
    '--no-follow-tags',
    ...(mode === 'lease' ? [`--force-with-lease=${ref}:${expected ?? ''}`] : []),
    '--',
  ]
  const before = await remoteRefs(git)
  try {
    const pushed = await askRemote(access, async ({ name, remote, signal }) => {
      const output = await git([...args, name, `${commit ?? ''}:${ref}`], { remote, signal, accepts: [1] })
      const error =
        output.status === 0 || refusalIn(output) !== undefined ? undefined : gitErrorOf(output.errors, remote)
      if (error !== undefined) throw error
      return output
    })
    if (pushed.status === 0) return { status: 'pushed' }
    return { status: refusalIn(pushed) ?? 'refused', message: gitErrorOf(pushed.errors, { ...access }).message }
  } catch (error) {
    if (error instanceof GitError && error.reason === 'not-permitted')
      return { status: 'not-permitted', message: error.message }
    throw error
  } finally {
    await restore(git, before, commit)
  }
}

const OUTDATED = /\((?:fetch first|non-fast-forward|stale info|needs force|remote ref updated since checkout)\)/
/** The server's own word for two pushes at once. */
const RACE =
  /cannot lock ref|failed to (?:lock|update ref)|reference already exists|unable to (?:create|resolve)|incorrect old value|is at [0-9a-f]+ but expected|ref updated/i
const PROTECTED =
  /protected branch|GH006|GH013|repository rule|not allowed to (?:force[- ])?push|pre-receive hook declined|hook declined/i

/** Why the server, or git before it, refused a ref; undefined where nothing was said about one. */
function refusalIn({ out, errors }: GitOutput): PushRefusal | undefined {
  const [line] = /^!\t.*$/m.exec(decode(out)) ?? []
  if (line === undefined) return undefined
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
async function restore(git: WriterGit, before: ReadonlyMap<string, string>, pushed: string | undefined): Promise<void> {
  const lines: string[] = []
  const after = await remoteRefs(git)
  for (const [name, id] of after) {
    const old = before.get(name)
    if (id !== pushed || old === id) continue
    lines.push(old === undefined ? `delete ${name} ${id}` : `update ${name} ${old} ${id}`)
  }
  if (pushed === undefined) for (const [name, id] of before) if (!after.has(name)) lines.push(`create ${name} ${id}`)
  if (lines.length > 0) await git(['update-ref', '--stdin'], { input: `${lines.join('\n')}\n` })
}
