import type { Octokit } from 'octokit'
import { decodeUtf8 } from '../../codec/utf8.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { GitHubSourceConfig } from '../../model/fleet.ts'
import type { Secret } from '../../model/secret.ts'
import type { Transport } from '../transport/transport.ts'

/** What is read of a repository; answers are as GitHub sent them, unchecked. Everything throws StackmasonError FETCH_*. */
export interface GitHubApi {
  /** Undefined when there is no such repository, or it may not be read. */
  readonly repository: () => Promise<unknown>
  /** All pages; undefined as for `repository`. Drafts are among them for who may write. */
  readonly releases: () => Promise<readonly unknown[] | undefined>
  /** Undefined when there is none, or the repository may not be read. */
  readonly releaseByTag: (tag: string) => Promise<unknown>
  /** All pages. */
  readonly assets: (release: number) => Promise<readonly unknown[] | undefined>
}

/** How requests travel. */
export interface GitHubConnection {
  readonly transport: Transport
  readonly authorization: () => Promise<Secret | undefined>
}

/** The most that GitHub gives; the fewer requests, the later the rate limit. */
const PER_PAGE = 100
/** GitHub lists 10,000 releases at most. */
const MAX_PAGES = 100
/** A hundred releases with long notes and many assets. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024

const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/**
 * Reads a repository through octokit, which knows routes and pages. What it would do by itself is switched off: retries, waiting for rate limits and
 * certificates belong to `transport`, and it never sees a token.
 */
export function createGitHubApi(config: GitHubSourceConfig, connection: GitHubConnection): GitHubApi {
  const { owner, repository: repo } = config
  const shown = `${owner}/${repo}`
  return {
    repository: () =>
      readOne(config, connection, {
        purpose: `the repository ${shown}`,
        ask: (client) => client.request('GET /repos/{owner}/{repo}', { owner, repo }),
      }),
    releases: () =>
      readPages(config, connection, {
        purpose: `the releases of ${shown}`,
        ask: (client) =>
          client.paginate.iterator('GET /repos/{owner}/{repo}/releases', { owner, repo, per_page: PER_PAGE }),
      }),
    releaseByTag: (tag) =>
      readOne(config, connection, {
        purpose: `the release ${tag} of ${shown}`,
        ask: (client) => client.request('GET /repos/{owner}/{repo}/releases/tags/{tag}', { owner, repo, tag }),
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
      }),
  }
}

interface Question<Answer> {
  /** What for, in messages. */
  readonly purpose: string
  readonly ask: (client: Octokit) => Answer
}

interface Answered {
  readonly data: unknown
}

/** What must come back. */
interface Expectation {
  readonly purpose: string
  readonly shape: 'list' | 'object'
}

async function readOne(
  config: GitHubSourceConfig,
  connection: GitHubConnection,
  { purpose, ask }: Question<Promise<Answered>>,
): Promise<unknown> {
  const client = await createClient(config, connection, { purpose, shape: 'object' })
  return unlessNotFound(async () => (await ask(client)).data)
}

async function readPages(
  config: GitHubSourceConfig,
  connection: GitHubConnection,
  { purpose, ask }: Question<AsyncIterable<Answered>>,
): Promise<readonly unknown[] | undefined> {
  const client = await createClient(config, connection, { purpose, shape: 'list' })
  return unlessNotFound(async () => {
    const items: unknown[] = []
    let pages = 0
    for await (const { data } of ask(client)) {
      if (++pages > MAX_PAGES) throw invalidAnswer(config, purpose, `there are more than ${MAX_PAGES} pages`)
      if (Array.isArray(data)) items.push(...data)
    }
    return items
  })
}

/** The error for an answer that GitHub does not give. */
export function invalidAnswer(config: GitHubSourceConfig, purpose: string, what: string): StackmasonError {
  return new StackmasonError({
    code: 'FETCH_INVALID',
    severity: 'error',
    message: `${config.apiUrl} does not answer as GitHub does when asked for ${purpose}: ${what}`,
    at: config.at,
    hint: 'Check apiUrl of the source; for GitHub Enterprise it is https://<host>/api/v3.',
  })
}

async function createClient(
  config: GitHubSourceConfig,
  connection: GitHubConnection,
  expected: Expectation,
): Promise<Octokit> {
  const { Octokit } = await import('octokit')
  return new Octokit({
    baseUrl: config.apiUrl,
    retry: { enabled: false },
    throttle: { enabled: false },
    log: silent,
    request: { log: silent, fetch: (url: string) => exchange(url, config, { ...connection, ...expected }) },
  })
}

/** What octokit wants of `fetch`, as far as it looks. */
interface FetchAnswer {
  readonly status: number
  readonly url: string
  readonly headers: ReadonlyMap<string, string>
  readonly text: () => Promise<string>
}

/** Only GET is ever asked. Addresses of further pages come from the server: credentials go to the API's own origin alone. */
async function exchange(
  url: string,
  config: GitHubSourceConfig,
  { transport, authorization, purpose, shape }: GitHubConnection & Expectation,
): Promise<FetchAnswer> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw invalidAnswer(config, purpose, 'the next page has no address')
  }
  const isOwn = new URL(url).origin === new URL(config.apiUrl).origin
  const credentials = isOwn ? await authorization() : undefined
  const { status, headers, body } = await transport.send({
    method: 'GET',
    url,
    purpose,
    headers: githubHeaders('application/vnd.github+json'),
    ...(credentials !== undefined && { authorization: credentials }),
    maxBytes: MAX_PAGE_BYTES,
    accept: [404],
  })
  const text = decodeUtf8(body)
  if (status !== 404 && shapeOf(text) !== shape) {
    throw invalidAnswer(config, purpose, shape === 'list' ? 'the answer is no list' : 'the answer is no JSON object')
  }
  const link = headers.get('link')
  return {
    status,
    url,
    // whatever it says it is: only JSON is of use, and octokit stumbles over odd types
    headers: new Map([['content-type', 'application/json'], ...(link === undefined ? [] : [['link', link] as const])]),
    text: () => Promise.resolve(text),
  }
}

/** Octokit takes what is no JSON for text, and fails on lists that are none. */
function shapeOf(text: string): 'list' | 'object' | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value)) return 'list'
    return typeof value === 'object' && value !== null ? 'object' : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** What GitHub wants to be sent with every request. */
export function githubHeaders(accept: string): ReadonlyMap<string, string> {
  return new Map([
    ['accept', accept],
    ['x-github-api-version', '2022-11-28'],
  ])
}

/** Octokit wraps what `fetch` throws, and throws for 404. */
async function unlessNotFound<Result>(run: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (error.cause instanceof StackmasonError) throw error.cause
    if ('status' in error && error.status === 404) return undefined
    throw error
  }
}

function ignore(): void {
  // octokit's log: what matters is thrown
}
