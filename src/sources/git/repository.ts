import { encodeBase64 } from '../../codec/bytes/base64.ts'
import { digestOf } from '../../codec/bytes/digest.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { isInside } from '../../codec/path.ts'
import type { Credentials } from '../../model/credentials.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { GitSourceConfig } from '../../model/fleet.ts'
import { GitError, type GitFile, type GitRemote } from '../../model/git.ts'
import { Secret } from '../../model/secret.ts'
import { authorizationOf } from '../../network/credentials/authorization.ts'
import { findCredentials } from '../../network/credentials/find-credentials.ts'
import type { SourceContext } from '../source-context.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { folderLimits } from '../release/read-folder.ts'
import { chooseRef, isCommitId } from './choose-ref.ts'
import { gitProblem } from './git-problem.ts'

/** A commit that is in the cache. */
export interface CachedCommit {
  readonly commit: string
  readonly files: readonly GitFile[]
  /** The full name of the tag that has led to it. */
  readonly tag?: string
}

/** The repository of a source: asked and fetched only as far as the cache does not do. */
export interface GitRepository {
  /** The url without what could be a secret. */
  readonly url: string
  /** The commit that the source's ref stands at now. @throws StackmasonError FETCH_*, GIT_FAILED */
  readonly head: () => Promise<CachedCommit>
  /** Exactly that commit. @throws StackmasonError FETCH_*, GIT_FAILED */
  readonly at: (commit: string) => Promise<CachedCommit>
  /**
   * When it was made, RFC 3339; of a commit that {@link head} or {@link at} gave. @throws StackmasonError GIT_FAILED
   */
  readonly dateOf: (commit: string) => Promise<string>
  /** @throws StackmasonError FETCH_*, GIT_FAILED */
  readonly readBlobs: (commit: string, objects: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>
}

/** Milliseconds; a shallow fetch of a large repository over a slow line takes less. */
const TIMEOUT = 300_000
const TRIES = 3

/**
 * Opens the repository of a source; nothing is asked or read yet. @throws StackmasonError FETCH_PLAIN_HTTP,
 * FETCH_CREDENTIALS for a url that holds some
 */
export function openGitRepository(config: GitSourceConfig, context: SourceContext): GitRepository {
  checkUrl(config)
  const { git, crypto, clock, random } = context.ports
  const url = shownUrl(config.url)
  const id = digestOf(encodeUtf8(config.url), crypto).slice('sha256:'.length)
  const folder = `${context.cacheFolder()}/v1/git/${id}/repository`
  const isOffline = context.offline && !isLocalUrl(config.url)
  let remote: Promise<GitRemote> | undefined
  const attempt = async <Result>(run: (remote: GitRemote) => Promise<Result>): Promise<Result> => {
    remote ??= remoteOf(config, context)
    const found = await remote
    for (let left = TRIES; ; left--) {
      try {
        return await run(found)
      } catch (error) {
        if (!(error instanceof GitError)) throw error
        if (error.reason !== 'unreachable' || left === 1) throw gitProblem(error, config)
        const jitter = (random.bytes(1)[0] ?? 0) / 256
        await clock.sleep(2 ** (TRIES - left) * 500 * (1 + jitter))
      }
    }
  }
  const local = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    try {
      return await run()
    } catch (error) {
      throw error instanceof GitError ? gitProblem(error, config) : error
    }
  }
  const cached = async (commit: string, ref: string): Promise<CachedCommit> => {
    const isThere = await local(() => git.hasCommit(folder, commit))
    if (!isThere && isOffline) throw offline(config, `commit ${commit} of ${url} is not in the cache`, FETCH)
    const fetched = isThere ? commit : await attempt((found) => git.fetch(found, ref, folder))
    const files = await local(() => git.listFiles(folder, fetched, ''))
    // git takes sizes from the cache, where others may write: before the server is told of a file that no release has,
    // it is asked
    if (!isThere || isOffline || !files.some((file) => isTooLarge(file, config))) return { commit: fetched, files }
    await attempt((found) => git.fetch(found, commit, folder, 'damaged'))
    return { commit: fetched, files: await local(() => git.listFiles(folder, fetched, '')) }
  }
  const known = new Map<string, Promise<CachedCommit>>()
  const at = (commit: string): Promise<CachedCommit> => {
    const found = known.get(commit) ?? cached(commit, commit)
    known.set(commit, found)
    return found
  }
  const findHead = async (): Promise<CachedCommit> => {
    const { ref } = config
    if (ref !== undefined && isCommitId(ref)) return at(ref)
    if (isOffline)
      throw offline(
        config,
        `where ${ref ?? 'HEAD'} of ${url} stands is known only there`,
        'Run the command without --offline.',
      )
    const chosen = chooseRef(await attempt((found) => git.listRefs(found)), ref)
    if ('reason' in chosen) {
      const { reason, hint } = chosen
      throw problemAt(config, { code: 'GIT_FAILED', message: `${url} cannot be read: ${reason}`, hint })
    }
    // a branch may move meanwhile, and then it is another commit that came
    const found = await cached(chosen.ref.commit, chosen.ref.name)
    known.set(found.commit, Promise.resolve(found))
    const { name } = chosen.ref
    return { ...found, ...(name.startsWith('refs/tags/') && { tag: name }) }
  }
  let head: Promise<CachedCommit> | undefined
  return {
    url,
    head: () => (head ??= findHead()),
    at,
    dateOf: (commit) => local(() => git.dateOf(folder, commit)),
    readBlobs: async (commit, objects) => {
      try {
        return await git.readFiles(folder, objects)
      } catch (error) {
        // what is damaged is fetched again, once
        if (!(error instanceof GitError) || isOffline)
          throw error instanceof GitError ? gitProblem(error, config) : error
        await attempt((found) => git.fetch(found, commit, folder, 'damaged'))
        return local(() => git.readFiles(folder, objects))
      }
    },
  }
}

async function remoteOf(config: GitSourceConfig, context: SourceContext): Promise<GitRemote> {
  const host = /^https?:\/\/([^/?#]+)/i.exec(config.url)?.[1]
  const request = {
    host: host ?? '',
    kind: 'git' as const,
    at: config.at,
    variables: config.credentials,
  }
  const credentials = host === undefined ? undefined : await findCredentials(request, context.ports)
  return {
    url: config.url,
    timeout: TIMEOUT,
    ...(config.caFile !== undefined && { certificateFile: config.caFile }),
    ...(credentials !== undefined && { authorization: gitAuthorization(credentials) }),
  }
}

/** Forges take a token as the password of any user; the name is the one that GitHub documents. */
function gitAuthorization(credentials: Credentials): Secret {
  if (credentials.type === 'basic') return authorizationOf(credentials)
  return new Secret(`Basic ${encodeBase64(encodeUtf8(`x-access-token:${credentials.token.reveal()}`))}`)
}

function checkUrl(config: GitSourceConfig): void {
  const { url, plainHttp } = config
  if (/^https?:\/\/[^/?#]*@/i.test(url)) {
    throw problemAt(config, {
      code: 'FETCH_CREDENTIALS',
      message: `the url of source "${config.name}" holds credentials`,
      hint: 'Take them out of the file, and name variables that hold them under credentialsFrom.',
    })
  }
  const scheme = /^(http|git):\/\//i.exec(url)?.[1]?.toLowerCase()
  if (scheme !== undefined && !plainHttp) {
    throw problemAt(config, {
      code: 'FETCH_PLAIN_HTTP',
      message: `${shownUrl(url)} uses ${scheme} without TLS`,
      hint: 'Write https, or set plainHttp: true on the source if the server offers nothing else.',
    })
  }
}

function isTooLarge({ path, size }: GitFile, { path: folder }: GitSourceConfig): boolean {
  return size > folderLimits.fileBytes && isInside(folder, path)
}

function isLocalUrl(url: string): boolean {
  return /^(?:\/|[A-Za-z]:\/|file:)/i.test(url)
}

const FETCH = 'Run `stackmason fetch` on a machine with network access.'

function offline(config: GitSourceConfig, message: string, hint: string): StackmasonError {
  return problemAt(config, {
    code: 'FETCH_OFFLINE',
    message,
    hint,
  })
}

function problemAt(config: GitSourceConfig, problem: Omit<Diagnostic, 'severity' | 'at'>): StackmasonError {
  return new StackmasonError({ severity: 'error', at: config.at, ...problem })
}
