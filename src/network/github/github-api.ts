import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { GitHubSourceConfig } from '../../model/fleet.ts'
import type { Clock } from '../../model/ports.ts'
import type { Secret } from '../../model/secret.ts'
import { shownUrl } from '../transport/shown-url.ts'
import { LIST_DEADLINE, type Transport } from '../transport/transport.ts'
import {
  GitHubShapeError,
  parseGitHubAsset,
  parseGitHubRelease,
  type GitHubAsset,
  type GitHubRelease,
} from './github-release.ts'
import { createOctokit, type GitHubClient, type OctokitAnswer } from './octokit-client.ts'

/**
 * The API calls for reading a repository. Everything throws StackmasonError FETCH_*, and FETCH_INVALID for what GitHub
 * would not answer.
 */
export interface GitHubApi {
  /** False when there is no such repository, or it may not be read. */
  readonly isReadable: () => Promise<boolean>
  /** All pages; undefined when the repository is not readable. Drafts are among them for who may write. */
  readonly releases: () => Promise<readonly GitHubRelease[] | undefined>
  /** Undefined when there is none, or the repository may not be read. */
  readonly releaseByTag: (tag: string) => Promise<GitHubRelease | undefined>
  /** All pages. */
  readonly assets: (release: number) => Promise<readonly GitHubAsset[] | undefined>
}

/** How requests travel. */
export interface GitHubConnection {
  readonly transport: Transport
  readonly clock: Pick<Clock, 'monotonic'>
  readonly authorization: () => Promise<Secret | undefined>
}

/** The most that GitHub gives; the fewer requests, the later the rate limit. */
const PER_PAGE = 100
/** GitHub lists 10,000 releases at most. */
const MAX_PAGES = 100
const MAX_ITEMS = 10_000
/** A hundred releases with long notes and many assets. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024

/** Reads a repository through octokit, which knows routes and pages. */
export function createGitHubApi(config: GitHubSourceConfig, connection: GitHubConnection): GitHubApi {
  const { owner, repository: repo } = config
  const shown = `${owner}/${repo}`
  return {
    isReadable: async () => {
      const found = await readOne(config, connection, {
        purpose: `the repository ${shown}`,
        ask: (client) => client.request('GET /repos/{owner}/{repo}', { owner, repo }),
        read: () => true,
      })
      return found === true
    },
    releases: () =>
      readPages(config, connection, {
        purpose: `the releases of ${shown}`,
        ask: (client) =>
          client.paginate.iterator('GET /repos/{owner}/{repo}/releases', { owner, repo, per_page: PER_PAGE }),
        read: parseGitHubRelease,
      }),
    releaseByTag: (tag) =>
      readOne(config, connection, {
        purpose: `the release ${tag} of ${shown}`,
        ask: (client) => client.request('GET /repos/{owner}/{repo}/releases/tags/{tag}', { owner, repo, tag }),
        read: parseGitHubRelease,
      }),
    assets: (id) =>
      readPages(config, connection, {
        purpose: `the assets of the release with id ${id} of ${shown}`,
        ask: (client) =>
          client.paginate.iterator('GET /repos/{owner}/{repo}/releases/{release_id}/assets', {
            owner,
            repo,
            release_id: id,
            per_page: PER_PAGE,
          }),
        read: parseGitHubAsset,
      }),
  }
}

interface Question<Answer, Item> {
  /** The purpose of the request, in messages. */
  readonly purpose: string
  readonly ask: (client: GitHubClient) => Answer
  /** @throws GitHubShapeError */
  readonly read: (value: unknown) => Item
}

interface Answered {
  readonly data: unknown
}

/** The requirements for an answer. */
interface Expectation {
  readonly purpose: string
  readonly shape: 'list' | 'object'
  /** The moment on the monotonic clock after which all of a list is over. */
  readonly end?: number
}

async function readOne<Item>(
  config: GitHubSourceConfig,
  connection: GitHubConnection,
  { purpose, ask, read }: Question<Promise<Answered>, Item>,
): Promise<Item | undefined> {
  const client = await createClient(config, connection, { purpose, shape: 'object' })
  return translateErrors(config, purpose, async () => read((await ask(client)).data))
}

/** Every page is read when it comes: of a release, little is kept. */
async function readPages<Item>(
  config: GitHubSourceConfig,
  connection: GitHubConnection,
  { purpose, ask, read }: Question<AsyncIterable<Answered>, Item>,
): Promise<readonly Item[] | undefined> {
  const end = connection.clock.monotonic() + LIST_DEADLINE
  const client = await createClient(config, connection, { purpose, shape: 'list', end })
  let pages = 0
  const listed = await translateErrors(config, purpose, async () => {
    const items: Item[] = []
    for await (const { data } of ask(client)) {
      if (++pages > MAX_PAGES) throw new GitHubShapeError(`there are more than ${MAX_PAGES} pages`)
      const page: readonly unknown[] = Array.isArray(data) ? data : []
      if (items.length + page.length > MAX_ITEMS) throw new GitHubShapeError(`it lists more than ${MAX_ITEMS}`)
      for (const item of page) items.push(read(item))
    }
    return items
  })
  // of the first page it may mean that there is nothing of that name
  if (listed === undefined && pages > 0) throw missingPage(config, purpose, pages + 1)
  return listed
}

function missingPage(config: GitHubSourceConfig, purpose: string, page: number): StackmasonError {
  return new StackmasonError({
    code: 'FETCH_INVALID',
    severity: 'error',
    message: `${shownUrl(config.apiUrl)} has no page ${String(page)} of ${purpose} (404), which the page before it names`,
    at: config.at,
    hint: 'Run it again: the repository may have been changed meanwhile. If it stays, a proxy before the server may not pass on addresses of further pages.',
  })
}

/** The error for an answer that GitHub does not give. */
export function invalidAnswer(config: GitHubSourceConfig, purpose: string, what: string): StackmasonError {
  return new StackmasonError({
    code: 'FETCH_INVALID',
    severity: 'error',
    message: `${shownUrl(config.apiUrl)} does not answer as GitHub does when asked for ${purpose}: ${what}`,
    at: config.at,
    hint: 'Check apiUrl of the source; for GitHub Enterprise it is https://<host>/api/v3.',
  })
}

function createClient(
  config: GitHubSourceConfig,
  connection: GitHubConnection,
  expected: Expectation,
): Promise<GitHubClient> {
  return createOctokit(config.apiUrl, (url) => exchange(url, config, { ...connection, ...expected }))
}

/**
 * Only GET is ever asked. Addresses of further pages come from the server: credentials go to the API's own origin
 * alone.
 */
async function exchange(
  url: string,
  config: GitHubSourceConfig,
  { transport, authorization, purpose, shape, end }: GitHubConnection & Expectation,
): Promise<OctokitAnswer> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new GitHubShapeError('the next page has no address')
  const isOwn = new URL(url).origin === new URL(config.apiUrl).origin
  const credentials = isOwn ? await authorization() : undefined
  const { status, headers, body } = await transport.send({
    method: 'GET',
    url,
    purpose,
    headers: githubHeaders('application/vnd.github+json'),
    authorization: credentials,
    maxBytes: MAX_PAGE_BYTES,
    accept: [404],
    end,
  })
  const value = status === 404 ? undefined : parseJson(body)
  if (status !== 404 && (Array.isArray(value) ? 'list' : typeof value) !== shape) {
    throw new GitHubShapeError(shape === 'list' ? 'the answer is not a list' : 'the answer is not an object')
  }
  const link = headers.get('link')
  return {
    status,
    url,
    headers: new Map(link === undefined ? [] : [['link', link]]),
    body: value,
    text: () => Promise.resolve('Not Found'),
  }
}

/** The value, if it is JSON. */
function parseJson(body: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(decodeUtf8(body))
    return value === null ? undefined : value
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The headers that GitHub expects in every request. */
export function githubHeaders(accept: string): ReadonlyMap<string, string> {
  return new Map([
    ['accept', accept],
    ['x-github-api-version', '2022-11-28'],
  ])
}

/** Octokit wraps what `fetch` throws, and throws for 404. */
async function translateErrors<Result>(
  config: GitHubSourceConfig,
  purpose: string,
  run: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    for (const thrown of [error, error.cause]) {
      if (thrown instanceof GitHubShapeError) throw invalidAnswer(config, purpose, thrown.message)
      if (thrown instanceof StackmasonError) throw thrown
    }
    if ('status' in error && error.status === 404) return undefined
    throw error
  }
}
