import { createHash } from 'node:crypto'
import { githubExample } from './github-description.ts'
import { startWebServer, type WebAnswer, type WebRequest, type WebServer } from './web-server.ts'

/** A file of a release. */
export interface GitHubFile {
  readonly name: string
  readonly content: string | Uint8Array
  /** null: GitHub has no digest for files of before June 2025; another one than the content's is a lie. */
  readonly digest?: string | null
  /** `open`: still being uploaded. */
  readonly state?: 'uploaded' | 'open'
}

/** A release of the repository. */
export interface GitHubReleaseFixture {
  readonly tag: string
  /** What people see; the tag without. */
  readonly title?: string
  readonly kind?: 'published' | 'draft' | 'prerelease'
  readonly published?: string
  readonly files?: readonly GitHubFile[]
}

/** A repository, and how the server that has it behaves. */
export interface GitHubServerOptions {
  readonly owner?: string
  readonly repository?: string
  readonly releases: readonly GitHubReleaseFixture[]
  /** The one token that counts; any other is refused. */
  readonly token?: string
  /** True if who sends no token is told that there is no such repository. */
  readonly isPrivate?: boolean
  /** `/api/v3` for GitHub Enterprise. */
  readonly basePath?: string
  /** A release comes with so many of its assets at most. */
  readonly embedded?: number
  /** So many requests are answered until the limit is reached, which ends at `reset` (seconds since 1970). */
  readonly rateLimit?: { readonly requests: number; readonly reset: number }
  readonly tls?: boolean
}

/** A stand-in for GitHub: the API and the site on one server, the files on another. */
export interface GitHubServer {
  readonly apiUrl: string
  readonly api: WebServer
  /** Where downloads are redirected to. */
  readonly files: WebServer
  readonly close: () => Promise<void>
}

const MAX_PER_PAGE = 100
const REPOSITORY_ID = 1296269

interface Served {
  readonly options: GitHubServerOptions
  readonly owner: string
  readonly repository: string
  readonly url: () => string
  readonly filesUrl: string
  /** Requests that counted against the rate limit. */
  used: number
}

/**
 * Starts a server that answers as GitHub's REST API does for releases (the shapes are those of the examples in its
 * OpenAPI description; a test checks the answers against its schemas): pages of 30 or up to 100 with Link headers, rate
 * limits, 401, 404, downloads by redirect.
 */
export async function startGitHubServer(options: GitHubServerOptions): Promise<GitHubServer> {
  const contents = new Map<string, string | Uint8Array>()
  const files = await startWebServer(
    (request) => {
      const content = contents.get(request.path.replace(/\?.*$/s, ''))
      return content === undefined
        ? undefined
        : { headers: { 'content-type': 'application/octet-stream' }, body: content }
    },
    { tls: options.tls === true },
  )
  for (const [index, release] of options.releases.entries()) {
    for (const [position, file] of (release.files ?? []).entries()) {
      contents.set(`/content/${assetId(index, position)}`, file.content)
    }
  }
  let url = ''
  const served: Served = {
    options,
    owner: options.owner ?? 'acme',
    repository: options.repository ?? 'stacks',
    url: () => url,
    // another host, as GitHub has it
    filesUrl: files.otherUrl,
    used: 0,
  }
  const api = await startWebServer((request) => answerRequest(request, served), { tls: options.tls === true })
  url = api.url
  return {
    apiUrl: `${api.url}${options.basePath ?? ''}`,
    api,
    files,
    close: async () => {
      await api.close()
      await files.close()
    },
  }
}

function answerRequest(request: WebRequest, served: Served): WebAnswer {
  const { options, owner, repository } = served
  const { pathname, searchParams } = new URL(request.path, 'http://github')
  const base = options.basePath ?? ''
  const site = `/${owner}/${repository}/releases/download/`
  if (pathname.startsWith(site)) return download(pathname.slice(site.length), served)
  if (!pathname.startsWith(`${base}/`)) return notFound()
  const limit = rateLimit(served)
  if (limit.answer !== undefined) return limit.answer
  const authorization = request.headers.get('authorization')
  if (authorization !== undefined && authorization !== `Bearer ${options.token ?? ''}`) {
    return withHeaders({ status: 401, body: { message: 'Bad credentials', ...documentation('401') } }, limit.headers)
  }
  const isKnown = authorization !== undefined
  const path = decodeURIComponent(pathname.slice(base.length))
  const repositoryPath = [`/repos/${owner}/${repository}`, `/repositories/${REPOSITORY_ID}`].find(
    (prefix) => path === prefix || path.startsWith(`${prefix}/`),
  )
  if (repositoryPath === undefined || (options.isPrivate === true && !isKnown)) {
    return withHeaders(notFound(), limit.headers)
  }
  const answer = answerRepository(path.slice(repositoryPath.length), {
    served,
    isKnown,
    query: searchParams,
    accept: request.headers.get('accept') ?? '',
  })
  return withHeaders(answer, limit.headers)
}

interface Question {
  readonly served: Served
  readonly isKnown: boolean
  readonly query: URLSearchParams
  readonly accept: string
}

function answerRepository(path: string, { served, isKnown, query, accept }: Question): WebAnswer {
  const { options } = served
  if (path === '') {
    // the example lacks a field that the schema demands, also in the repositories that it is a fork of
    const unforked = { source: undefined, parent: undefined, language: null, name: served.repository }
    return { body: { ...githubExample('full-repository-default-response'), ...unforked } }
  }
  if (path === '/releases') {
    const shown = options.releases.flatMap((release, index) =>
      release.kind === 'draft' && !isKnown ? [] : [releaseBody(release, index, served)],
    )
    return page(shown, { served, path, query })
  }
  const tag = /^\/releases\/tags\/(.+)$/.exec(path)?.[1]
  if (tag !== undefined) {
    const index = options.releases.findIndex((release) => release.tag === tag && release.kind !== 'draft')
    const release = options.releases[index]
    return release === undefined ? notFound() : { body: releaseBody(release, index, served) }
  }
  const asset = /^\/releases\/assets\/(\d+)$/.exec(path)?.[1]
  if (asset !== undefined) {
    const found = assetsOf(served).find(({ id }) => id === Number(asset))
    if (found === undefined) return notFound()
    return accept === 'application/octet-stream' ? redirect(found.id, served) : { body: found.body }
  }
  const [, id, list] = /^\/releases\/(\d+)(\/assets)?$/.exec(path) ?? []
  const index = Number(id) - 1
  const release = options.releases[index]
  if (release === undefined) return notFound()
  if (list === undefined) return { body: releaseBody(release, index, served) }
  return page(
    (release.files ?? []).map((file, position) => assetBody(file, { release, index, position }, served)),
    { served, path, query },
  )
}

function page(
  items: readonly object[],
  { served, path, query }: { readonly served: Served; readonly path: string; readonly query: URLSearchParams },
): WebAnswer {
  const perPage = Math.min(Number(query.get('per_page') ?? '30'), MAX_PER_PAGE)
  const number = Number(query.get('page') ?? '1')
  const last = Math.max(Math.ceil(items.length / perPage), 1)
  const address = (to: number, rel: string): string =>
    `<${served.url()}${served.options.basePath ?? ''}/repositories/${REPOSITORY_ID}${path}?per_page=${perPage}&page=${to}>; rel="${rel}"`
  const links = [
    ...(number > 1 ? [address(number - 1, 'prev'), address(1, 'first')] : []),
    ...(number < last ? [address(number + 1, 'next'), address(last, 'last')] : []),
  ]
  return {
    body: items.slice((number - 1) * perPage, number * perPage),
    ...(links.length > 0 && { headers: { link: links.join(', ') } }),
  }
}

function releaseBody(release: GitHubReleaseFixture, index: number, served: Served): object {
  const { options, owner, repository } = served
  const url = `${served.url()}${options.basePath ?? ''}/repos/${owner}/${repository}/releases/${index + 1}`
  const files = (release.files ?? []).slice(0, options.embedded ?? Infinity)
  return {
    ...githubExample('release'),
    url,
    assets_url: `${url}/assets`,
    html_url: `${served.url()}/${owner}/${repository}/releases/tag/${release.tag}`,
    id: index + 1,
    tag_name: release.tag,
    name: release.title ?? release.tag,
    draft: release.kind === 'draft',
    prerelease: release.kind === 'prerelease',
    published_at: release.kind === 'draft' ? null : (release.published ?? '2026-05-04T10:00:00Z'),
    assets: files.map((file, position) => assetBody(file, { release, index, position }, served)),
  }
}

interface Position {
  readonly release: GitHubReleaseFixture
  readonly index: number
  readonly position: number
}

function assetBody(file: GitHubFile, { release, index, position }: Position, served: Served): object {
  const { options, owner, repository } = served
  const id = assetId(index, position)
  const digest =
    file.digest === undefined ? `sha256:${createHash('sha256').update(file.content).digest('hex')}` : file.digest
  return {
    ...githubExample('release-asset'),
    url: `${served.url()}${options.basePath ?? ''}/repos/${owner}/${repository}/releases/assets/${id}`,
    browser_download_url: `${served.url()}/${owner}/${repository}/releases/download/${release.tag}/${file.name}`,
    id,
    name: file.name,
    label: null,
    state: file.state ?? 'uploaded',
    content_type: 'application/octet-stream',
    size: Buffer.byteLength(file.content),
    digest,
  }
}

function assetsOf(served: Served): readonly { readonly id: number; readonly path: string; readonly body: object }[] {
  return served.options.releases.flatMap((release, index) =>
    (release.files ?? []).map((file, position) => ({
      id: assetId(index, position),
      path: `${release.tag}/${file.name}`,
      body: assetBody(file, { release, index, position }, served),
    })),
  )
}

function assetId(index: number, position: number): number {
  return (index + 1) * 10_000 + position
}

function download(path: string, served: Served): WebAnswer {
  const found = assetsOf(served).find((asset) => asset.path === decodeURIComponent(path))
  return found === undefined || served.options.isPrivate === true
    ? { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>Not Found</h1>' }
    : redirect(found.id, served)
}

function redirect(id: number, served: Served): WebAnswer {
  return { status: 302, headers: { location: `${served.filesUrl}/content/${id}?X-Amz-Signature=0123456789abcdef` } }
}

function rateLimit(served: Served): {
  readonly headers: Readonly<Record<string, string>>
  readonly answer?: WebAnswer
} {
  const { requests, reset } = served.options.rateLimit ?? { requests: 5000, reset: 4_102_444_800 }
  const isOver = served.used >= requests && Date.now() < reset * 1000
  if (!isOver) served.used++
  const headers = {
    'x-ratelimit-limit': String(requests),
    'x-ratelimit-remaining': String(Math.max(requests - served.used, 0)),
    'x-ratelimit-reset': String(reset),
    'x-ratelimit-used': String(served.used),
    'x-ratelimit-resource': 'core',
  }
  if (!isOver) return { headers }
  const message =
    "API rate limit exceeded for 127.0.0.1. (But here's the good news: Authenticated requests get a higher rate limit. Check out the documentation for more details.)"
  return { headers, answer: { status: 403, headers, body: { message, ...documentation('403') } } }
}

function notFound(): WebAnswer {
  return { status: 404, body: { message: 'Not Found', ...documentation('404') } }
}

function documentation(status: string): object {
  return { documentation_url: 'https://docs.github.com/rest', status }
}

function withHeaders(answer: WebAnswer, headers: Readonly<Record<string, string>>): WebAnswer {
  return { ...answer, headers: { ...headers, ...answer.headers } }
}
