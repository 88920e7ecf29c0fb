import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { registryBinary } from '../registry.ts'
import { startTokenServer, type TokenServer } from './token-server.ts'
import { makeWebCertificates, type WebCertificates } from './web-certificates.ts'

/** How a registry of a test behaves. */
export interface TestRegistryOptions {
  /** `basic`: user and password; `token`: a token service beside it. Without, everybody may do everything. */
  readonly auth?: 'basic' | 'token'
  /** `https` under an authority of its own; plain http without. */
  readonly tls?: boolean
  /** With `token`: whether those without credentials may pull; they may unless this is false. */
  readonly anonymousPull?: boolean
  /** With `token`: seconds that a token holds; 300 without. */
  readonly expiresIn?: number
}

/** A registry server that runs. */
export interface TestRegistry {
  /** `127.0.0.1:<port>` */
  readonly host: string
  /** The authority of its certificate, in PEM; with `tls`. */
  readonly ca?: string
  /** Its data, with a trailing `docker/registry/v2` inside. */
  readonly folder: string
  /** The token service; with `auth: 'token'`. */
  readonly tokens?: TokenServer
  readonly close: () => Promise<void>
}

/** Who may do everything on a registry with `auth`. */
export const registryUser = { username: 'mason', password: 'correct horse' } as const
/** What the token service gives access tokens for, as Docker's `identitytoken`. */
export const registryIdentityToken = 'identity token of a test'

// bcrypt of the password, as htpasswd -B writes it
const passwordHash = '$2y$05$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2'

/**
 * True if a registry server can be had. Tests skip themselves without one, saying so once; in CI they must not.
 * @throws Error in CI when there is none
 */
export function hasRegistry(): boolean {
  if (registryBinary() !== undefined) return true
  const message = 'no docker-registry: tests on a real registry'
  if (process.env['CI'] !== undefined) throw new Error(`${message} cannot run`)
  console.warn(`SKIPPED, ${message}`)
  return false
}

/** Starts a registry server on a free port of this machine, its data in a temp folder. Close it when done. */
export async function startRegistry(options: TestRegistryOptions = {}): Promise<TestRegistry> {
  const binary = registryBinary()
  if (binary === undefined) throw new Error('no docker-registry')
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'stackmason-registry-')))
  const tls = options.tls === true ? makeWebCertificates() : undefined
  const tokens = options.auth === 'token' ? await startTokens(options, tls) : undefined
  await Promise.all([
    writeFile(join(folder, 'config.json'), JSON.stringify(configOf(folder, { ...options, tokens }))),
    writeFile(join(folder, 'htpasswd'), `${registryUser.username}:${passwordHash}\n`),
    writeFile(join(folder, 'cert.pem'), tls?.server.cert ?? ''),
    writeFile(join(folder, 'key.pem'), tls?.server.key ?? ''),
    writeFile(join(folder, 'tokens.pem'), tokens?.certificate ?? ''),
  ])
  const server = spawn(binary, ['serve', join(folder, 'config.json')], { stdio: ['ignore', 'ignore', 'pipe'] })
  const kill = (): void => {
    server.kill('SIGKILL')
  }
  process.once('exit', kill)
  const host = await listening(server)
  return {
    host,
    folder: join(folder, 'data'),
    ...(tls !== undefined && { ca: tls.ca }),
    ...(tokens !== undefined && { tokens }),
    close: async () => {
      process.off('exit', kill)
      await new Promise((resolve) => {
        server.once('exit', resolve)
        kill()
      })
      await tokens?.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function startTokens(options: TestRegistryOptions, tls: WebCertificates | undefined): Promise<TokenServer> {
  return startTokenServer({
    ...(tls !== undefined && { tls }),
    user: registryUser,
    identityToken: registryIdentityToken,
    anonymousPull: options.anonymousPull ?? true,
    expiresIn: options.expiresIn ?? 300,
  })
}

/** The server's configuration; JSON is YAML. */
function configOf(
  folder: string,
  options: TestRegistryOptions & { readonly tokens: TokenServer | undefined },
): unknown {
  const { auth, tls, tokens } = options
  return {
    version: '0.1',
    log: { level: 'info', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(folder, 'data') }, delete: { enabled: true } },
    http: {
      addr: '127.0.0.1:0',
      secret: 'of a test',
      ...(tls === true && { tls: { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') } }),
    },
    ...(auth === 'basic' && { auth: { htpasswd: { realm: 'test', path: join(folder, 'htpasswd') } } }),
    ...(tokens !== undefined && {
      auth: {
        token: {
          realm: tokens.realm,
          service: 'registry of a test',
          issuer: tokens.issuer,
          rootcertbundle: join(folder, 'tokens.pem'),
        },
      },
    }),
  }
}

/** Waits for the line in which the server names its address. */
function listening(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let log = ''
    server.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      log += log.length < 100_000 ? chunk : ''
      const address = /listening on (127\.0\.0\.1:\d+)/.exec(log)?.[1]
      if (address !== undefined) resolve(address)
    })
    server.once('error', reject)
    server.once('exit', (status) => {
      reject(new Error(`docker-registry ended with status ${String(status)}: ${log}`))
    })
  })
}
