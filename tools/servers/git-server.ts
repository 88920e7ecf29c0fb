import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { SmallShell } from './small-shell.ts'

/** Content of a file in a test repository; `link` makes a symbolic link. */
export type RepositoryFile = string | Uint8Array | { readonly link: string }

/** A bare repository that tests commit to with the real git. */
export interface TestRepository {
  /** Absolute path of the bare repository. */
  readonly path: string
  /** Replaces the content of the branch by the files, and gives the commit. */
  readonly commit: (files: Readonly<Record<string, RepositoryFile>>, branch?: string) => string
  /** Runs git in the bare repository; its output without the line end. */
  readonly git: (args: readonly string[], input?: string | Uint8Array) => string
}

/** How a {@link GitServer} behaves. */
export interface GitServerOptions {
  /** Only requests with these are let in. */
  readonly credentials?: { readonly username: string; readonly password: string }
  /** `0` speaks as servers did before 2018: they give no commit that no ref points at. */
  readonly protocol?: 0 | 2
  /** True if it takes pushes; hooks of the repositories run. */
  readonly acceptsPushes?: boolean
  /** Certificate and key in PEM: the server speaks TLS. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Called for each request; true when it has answered. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** A real git server on 127.0.0.1. */
export interface GitServer {
  /** Without a slash at the end. */
  readonly url: string
  readonly port: number
  /** Method, path and Authorization header of every request. */
  readonly requests: { readonly line: string; readonly authorization: string }[]
  readonly close: () => Promise<void>
}

const identity = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.org',
  GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.org',
  GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
}

/** Each commit would start git once more to look for work, and wait for the disk. */
const quick = { 'maintenance.auto': 'false', 'core.fsync': 'none' }

/** The environment for git in tests: nothing of the machine's configuration, fixed dates. */
export const gitTestEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  LC_ALL: 'C',
  GIT_CONFIG_COUNT: String(Object.keys(quick).length),
  ...Object.fromEntries(
    Object.entries(quick).flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${String(index)}`, key],
      [`GIT_CONFIG_VALUE_${String(index)}`, value],
    ]),
  ),
  ...identity,
}

/** Starts git for repositories and fleets; see there. */
export const gitShell: SmallShell = new SmallShell(gitTestEnvironment)

/** Makes an empty bare repository at the path. */
export function makeRepository(path: string, format: 'sha1' | 'sha256' = 'sha1'): TestRepository {
  const git = (args: readonly string[], input?: string | Uint8Array): string =>
    runGit(path, args, { ...(input !== undefined && { input }) })
  mkdirSync(path, { recursive: true })
  git(['init', '--quiet', '--bare', '--initial-branch=main', `--object-format=${format}`, '.'])
  const commit: TestRepository['commit'] = (files, branch = 'main') => {
    const work = mkdtempSync(join(tmpdir(), 'stackmason-test-work-'))
    try {
      for (const [name, content] of Object.entries(files)) {
        const file = join(work, name)
        mkdirSync(dirname(file), { recursive: true })
        if (typeof content === 'object' && 'link' in content) symlinkSync(content.link, file)
        else writeFileSync(file, content)
      }
      const inWork = (args: readonly string[]): string =>
        runGit(work, ['--git-dir', path, '--work-tree', work, ...args], { index: `${work}.index` })
      inWork(['add', '--all', '--force'])
      const tree = inWork(['write-tree'])
      const parent = git(['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`])
      const made = git(['commit-tree', tree, ...(parent === '' ? [] : ['-p', parent]), '-m', 'A change'])
      git(['update-ref', `refs/heads/${branch}`, made])
      return made
    } finally {
      rmSync(work, { recursive: true, force: true })
      rmSync(`${work}.index`, { force: true })
    }
  }
  return { path, commit, git }
}

function runGit(
  cwd: string,
  args: readonly string[],
  { index, input }: { readonly index?: string; readonly input?: string | Uint8Array },
): string {
  if (input !== undefined)
    return execFileSync('git', args, { cwd, env: gitTestEnvironment, encoding: 'utf8', input }).trimEnd()
  const command = index === undefined ? 'exec git "$@"' : 'export GIT_INDEX_FILE="$1"; shift; exec git "$@"'
  return gitShell.run(command, index === undefined ? args : [index, ...args], cwd).trimEnd()
}

/**
 * Serves the bare repositories below `root`. What git asks for by its own protocol is answered as forges do, by
 * `git upload-pack` and `git receive-pack`: a third of the processes of `git http-backend`, which answers the rest.
 */
export async function startGitServer(root: string, options: GitServerOptions = {}): Promise<GitServer> {
  const requests: { readonly line: string; readonly authorization: string }[] = []
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const authorization = request.headers.authorization ?? ''
    requests.push({ line: `${request.method ?? ''} ${request.url ?? ''}`, authorization })
    if (options.intercept?.(request, response) === true) return
    const { credentials } = options
    const expected = credentials && Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
    if (expected !== undefined && authorization.replace(/^basic /i, '') !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('no\n')
      return
    }
    serve(root, options, { request, response })
  }
  const server = options.tls === undefined ? createServer(answer) : createSecureServer(options.tls, answer)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** What a request of git's own protocol asks for. */
interface ServiceCall {
  readonly service: 'upload-pack' | 'receive-pack'
  /** The bare repository. */
  readonly folder: string
  /** True if it asks what the server offers, and sends nothing. */
  readonly isOffer: boolean
}

function serve(root: string, options: GitServerOptions, exchange: Exchange): void {
  const { protocol = 2, acceptsPushes = false } = options
  const { request, response } = exchange
  const url = new URL(request.url ?? '/', 'http://server')
  const version = protocol === 2 ? String(request.headers['git-protocol'] ?? '') : ''
  const call = serviceCall(root, url)
  if (call === undefined || (call.service === 'receive-pack' && !acceptsPushes)) {
    serveByBackend(root, { url, version }, exchange)
    return
  }
  const { service, folder, isOffer } = call
  response.setHeader('content-type', `application/x-git-${service}-${isOffer ? 'advertisement' : 'result'}`)
  response.setHeader('cache-control', 'no-cache, max-age=0, must-revalidate')
  const key = [folder, version, isOffer && readFileSync(join(folder, 'config'), 'utf8')].join('\0')
  const known = offers.get(key)
  if (known !== undefined) {
    response.end(known)
    return
  }
  const words = [service, '--stateless-rpc', ...(isOffer ? ['--advertise-refs'] : []), folder]
  const child = spawn('git', words, {
    env: { ...gitTestEnvironment, GIT_PROTOCOL: version },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.on('error', () => undefined)
  if (request.headers['content-encoding'] === 'gzip') request.pipe(createGunzip()).pipe(child.stdin)
  else request.pipe(child.stdin)
  printed(child, (out) => {
    // what is said to the second version names no ref
    const isSecond = out.subarray(4, 13).toString('latin1') === 'version 2'
    if (isOffer && isSecond) offers.set(key, out)
    const line = `# service=git-${service}\n`
    const head = isOffer && !isSecond ? `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000` : ''
    response.end(Buffer.concat([Buffer.from(head), out]))
  })
}

/** What servers of the second version of the protocol offer, by repository and its configuration: nothing else decides. */
const offers = new Map<string, Buffer>()

/** Undefined for what is not asked of git's own protocol, or of no repository. */
function serviceCall(root: string, url: URL): ServiceCall | undefined {
  const [, path = '', name] = /^\/(.+)\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(url.pathname) ?? []
  const isOffer = name === 'info/refs'
  const service = (isOffer ? url.searchParams.get('service') : name)?.replace(/^git-/, '')
  const folder = join(root, decodeURIComponent(path))
  if ((service !== 'upload-pack' && service !== 'receive-pack') || !existsSync(join(folder, 'HEAD'))) return undefined
  return { service, folder, isOffer }
}

/** Takes what a program printed when it has ended. */
function printed(child: ChildProcessByStdio<Writable, Readable, null>, take: (out: Buffer) => void): void {
  const parts: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => parts.push(part))
  child.on('close', () => {
    take(Buffer.concat(parts))
  })
}

/** Answers as git's own program for web servers does. */
function serveByBackend(
  root: string,
  { url, version }: { readonly url: URL; readonly version: string },
  { request, response }: Exchange,
): void {
  const header = (name: string): string => String(request.headers[name] ?? '')
  const backend = spawn('git', ['http-backend'], {
    env: {
      ...gitTestEnvironment,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      REMOTE_ADDR: '127.0.0.1',
      CONTENT_TYPE: header('content-type'),
      CONTENT_LENGTH: header('content-length'),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      GIT_PROTOCOL: version,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  backend.stdin.on('error', () => undefined)
  request.pipe(backend.stdin)
  printed(backend, (answer) => {
    const end = answer.indexOf('\r\n\r\n')
    const lines = answer.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n')
    let status = end === -1 ? 500 : 200
    for (const line of lines) {
      const [name = '', value = ''] = line.split(/:\s*/, 2)
      if (name.toLowerCase() === 'status') status = Number(value.slice(0, 3))
      else if (name !== '') response.setHeader(name, value)
    }
    response.writeHead(status).end(answer.subarray(end + 4))
  })
}
