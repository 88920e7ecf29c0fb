import { spawn } from 'node:child_process'
import { openSync, closeSync, readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'

/** A server program that runs. */
export interface ChildServer {
  /** All that it wrote so far, to either stream. */
  readonly log: () => string
  /** Set when it ended by itself. */
  readonly status: () => number | undefined
  readonly kill: () => Promise<void>
}

/** How {@link startChildServer} starts one. */
export interface ChildServerOptions {
  readonly args: readonly string[]
  /** Where its output goes. */
  readonly logFile: string
  readonly env?: Readonly<Record<string, string>>
  /** Of the user to run it as; who is not root cannot choose. */
  readonly user?: ServerUser
}

/** A user of this machine. */
export interface ServerUser {
  readonly uid: number
  readonly gid: number
}

// The input ends when this process does, however it dies: then the server must not stay behind.
const guard = 'exec 3<&0; "$@" </dev/null 3<&- & child=$!; { cat <&3; kill -9 $child; } >/dev/null 2>&1 & wait $child'

/** The servers are written in Go, which collects garbage at twice the heap in use: memory is cheaper here than time. */
const sparingTime = { GOGC: '400', GOMEMLIMIT: '1GiB' }

/** Starts a server that is killed with this process. */
export function startChildServer(binary: string, { args, logFile, env, user }: ChildServerOptions): ChildServer {
  const log = openSync(logFile, 'a')
  const child = spawn('sh', ['-c', guard, 'sh', binary, ...args], {
    stdio: ['pipe', log, log],
    env: { ...sparingTime, ...process.env, ...env },
    ...user,
  })
  closeSync(log)
  let status: number | undefined
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code) => {
      status = code ?? -1
      resolve()
    })
  })
  return {
    log: () => readFileSync(logFile, 'utf8'),
    status: () => status,
    kill: () => {
      child.stdin?.destroy()
      return ended
    },
  }
}

/** Returns ports of 127.0.0.1 that nobody listened on a moment ago. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer()
      return new Promise<typeof server>((resolve, reject) => {
        server.once('error', reject)
        server.listen(0, '127.0.0.1', () => {
          resolve(server)
        })
      })
    }),
  )
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
