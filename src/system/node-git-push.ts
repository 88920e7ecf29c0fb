import { GitError } from '../model/git.ts'
import type { BranchPush, PushRefusal, PushResult, RemoteAccess } from '../model/git-writer.ts'
import { gitErrorOf } from './node-git-error.ts'
import type { RepositoryFacts } from './node-git-facts.ts'
import { askRemote } from './node-git-remote.ts'
import { decode, type GitOutput, type WriterGit } from './node-git-run.ts'

/**
 * Moves branches of a remote, each from where it is expected and from nowhere else, and whatever becomes of the others.
 * What the repository knows of the remote's branches stays, at every moment: whoever works there with a lease of his
 * own has not seen these commits.
 */
export async function pushBranches(
  git: WriterGit,
  access: RemoteAccess,
  { pushes, config }: { readonly pushes: readonly BranchPush[]; readonly config: RepositoryFacts['config'] },
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
  const unnoted = unnotedRemote(access, config)
  try {
    const pushed = await askRemote(access, async ({ name, remote, signal }) => {
      const to = name === access.remote ? unnoted : { name, config: [] }
      const output = await git([...args, to.name, ...refspecs], {
        remote,
        signal,
        accepts: [1],
        config: to.config,
      })
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
  if (errors.includes(`exists; cannot create '${refOf(push)}'`)) return 'refused'
  if (RACE.test(line)) return 'outdated'
  return PROTECTED.test(line) || PROTECTED.test(errors) ? 'protected' : 'refused'
}

/** The name of a remote that only a run of git knows, by its configuration. */
const UNNOTED = 'stackmason-push'
/** What git is told of a remote and a push needs; not what it fetches, by which it would note where branches are. */
const OF_PUSHES = /^(?:url|pushurl|proxy|proxyauthmethod|vcs|serveroption)$/

interface UnnotedRemote {
  readonly name: string
  readonly config: readonly (readonly [string, string])[]
}

/**
 * The remote under a name by which git notes nothing of a push. It keeps what the user has configured, so that his own
 * rules for URLs hold; a URL with credentials in it stays out of the words that git is started with.
 */
function unnotedRemote({ remote, url }: RemoteAccess, all: RepositoryFacts['config']): UnnotedRemote {
  const asIs = { name: remote, config: [] }
  if (remote === url) return asIs
  const prefix = `remote.${remote}.`
  const config = all.flatMap(([key, value = '']): UnnotedRemote['config'] => {
    const name = key.startsWith(prefix) ? key.slice(prefix.length) : ''
    return OF_PUSHES.test(name) ? [[`remote.${UNNOTED}.${name}`, value]] : []
  })
  return config.length === 0 ? asIs : { name: UNNOTED, config }
}
