import type { CredentialHelpers } from '../model/credentials.ts'
import { Secret } from '../model/secret.ts'

/** Helpers may ask a person, or a remote service. */
const TIMEOUT = 60_000
const MAX_OUTPUT = 1_048_576

/**
 * {@link CredentialHelpers} through the programs on PATH (docker/docker-credential-helpers, README: `get` reads the
 * server's name from standard input and writes JSON). What a failing helper printed is not repeated: it may be a
 * secret.
 * @param timeout milliseconds
 */
export async function askCredentialHelper(
  helper: string,
  server: string,
  timeout: number = TIMEOUT,
): ReturnType<CredentialHelpers['get']> {
  if (!/^[A-Za-z0-9._-]+$/.test(helper)) throw new Error(`${JSON.stringify(helper)} is not the name of a helper`)
  if (/\p{Cc}/u.test(server)) throw new Error('a server with control characters in its name has no credentials')
  const program = `docker-credential-${helper}`
  const { status, output } = await run(program, server, timeout)
  if (status !== 0) {
    if (output.trim() === 'credentials not found in native keychain') return undefined
    throw new Error(`${program} ended with status ${String(status)}`)
  }
  const answer = parseAnswer(output)
  if (answer === undefined) throw new Error(`${program} did not answer with credentials in JSON`)
  return answer
}

interface Ended {
  /** The exit status, or the signal. */
  readonly status: number | string
  readonly output: string
}

async function run(program: string, input: string, timeout: number): Promise<Ended> {
  // most runs ask no helper
  const { spawn } = await import('node:child_process')
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['get'], { stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true })
    const chunks: Buffer[] = []
    let length = 0
    const fail = (message: string, cause?: unknown): void => {
      clearTimeout(timer)
      // a grandchild may hold the pipes open
      child.stdout.destroy()
      child.kill('SIGKILL')
      reject(new Error(message, { cause }))
    }
    const timer = setTimeout(() => {
      fail(`${program} did not answer within ${String(timeout / 1000)} s`)
    }, timeout)
    child.on('error', (error: NodeJS.ErrnoException) => {
      const missing = error.code === 'ENOENT' ? 'is not installed' : 'cannot be run'
      fail(`${program} ${missing}`, error)
    })
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > MAX_OUTPUT) fail(`${program} wrote more than ${String(MAX_OUTPUT)} bytes`)
      else chunks.push(chunk)
    })
    // a helper that ends before it has read its input says so by its status
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.on('close', (status, signal) => {
      clearTimeout(timer)
      resolve({ status: status ?? signal ?? 'unknown', output: Buffer.concat(chunks).toString('utf8') })
    })
  })
}

function parseAnswer(output: string): Awaited<ReturnType<CredentialHelpers['get']>> {
  let answer: unknown
  try {
    answer = JSON.parse(output)
  } catch (error) {
    // its message repeats the text
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  if (typeof answer !== 'object' || answer === null || !('Username' in answer) || !('Secret' in answer))
    return undefined
  const { Username: username, Secret: secret } = answer
  return typeof username === 'string' && typeof secret === 'string'
    ? { username, secret: new Secret(secret) }
    : undefined
}
