import { closeSync, lstatSync, openSync, readFileSync, readlinkSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { hostname } from 'node:os'
import { basename, dirname } from 'node:path'
import type { Process, ProcessIdentity, ProcessSign, ProcessState } from '../model/ports.ts'

/** Facts about processes, from /proc on Linux and from signals elsewhere; `proc` is where the former is mounted. */
export function createNodeProcess(proc = '/proc'): Process {
  return {
    id: process.pid,
    identity: () => identify(proc),
    isRunning: (id) => stateOfNumber(id, { proc }) === 'running',
    stateOf: async (holder, sign) => {
      const own = identify(proc)
      if (seesNumbersOf(own, holder)) return stateOfNumber(holder.process, { proc, started: holder.started })
      // A socket is the same for all containers of a machine, whatever they call their processes.
      return own.boot !== undefined && own.boot === holder.boot ? probe(sign, proc) : 'unknown'
    },
    giveSign: async (path) => (identify(proc).boot === undefined ? undefined : listen(path, proc)),
  }
}

function identify(proc: string): ProcessIdentity {
  const started = readStat(process.pid, proc)?.started
  const boot = orNothing(() => readFileSync(`${proc}/sys/kernel/random/boot_id`, 'latin1').trim())
  const namespace = orNothing(() => /\d+/.exec(readlinkSync(`${proc}/self/ns/pid`))?.[0])
  return {
    process: process.pid,
    host: hostname(),
    ...(started === undefined ? {} : { started }),
    ...(boot === undefined || namespace === undefined ? {} : { boot, namespace }),
  }
}

/**
 * True if a number means the same process to both. Only Linux has namespaces of them: elsewhere the machine is enough.
 */
function seesNumbersOf(own: ProcessIdentity, other: ProcessIdentity): boolean {
  if (own.boot !== other.boot || own.namespace !== other.namespace) return false
  return own.boot !== undefined || (process.platform !== 'linux' && own.host === other.host)
}

function stateOfNumber(
  id: number,
  { proc, started }: { readonly proc: string; readonly started?: string | undefined },
): 'running' | 'ended' {
  if (!Number.isSafeInteger(id) || id <= 0 || !takesSignals(id)) return 'ended'
  const stat = readStat(id, proc)
  // hidden from this user: it runs, and nothing says that it is another one
  if (stat === undefined) return 'running'
  return stat.isDead || (started !== undefined && started !== stat.started) ? 'ended' : 'running'
}

function takesSignals(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch (error) {
    // EPERM: it runs, as somebody else.
    return codeOf(error) === 'EPERM'
  }
}

/** State and start of a process (proc(5), fields 3 and 22). Its name, in parentheses before them, may hold anything. */
function readStat(
  id: number,
  proc: string,
): { readonly isDead: boolean; readonly started: string | undefined } | undefined {
  const text = orNothing(() => readFileSync(`${proc}/${String(id)}/stat`, 'latin1'))
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  // a zombie has ended, and waits for its parent only
  return { isDead: ['Z', 'X', 'x'].includes(fields[0] ?? ''), started: fields[19] }
}

/** Undefined when the system refuses. */
function orNothing<Result>(ask: () => Result): Result | undefined {
  try {
    return ask()
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}

/** Undefined where the file system keeps no sockets. */
async function listen(path: string, proc: string): Promise<ProcessSign | undefined> {
  const short = openShort(path, proc)
  if (short === undefined) return undefined
  const server = createServer((connection) => connection.destroy())
  server.unref()
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(short.path, () => resolve(true))
  })
  if (!isListening) {
    short.close()
    return undefined
  }
  return {
    end: async () => {
      // removes the socket, by the path that it was given
      await new Promise<void>((resolve) => server.close(() => resolve()))
      short.close()
    },
  }
}

/** The kernel refuses connections to a socket whose process has ended, however it ended. */
async function probe(path: string, proc: string): Promise<ProcessState> {
  const short = openShort(path, proc)
  if (short === undefined) return 'unknown'
  // anything but a socket refuses connections, too
  if (orNothing(() => lstatSync(short.path).isSocket()) !== true) {
    short.close()
    return 'unknown'
  }
  const connection = connect(short.path)
  const code = await new Promise<string | undefined>((resolve) => {
    connection.once('connect', () => resolve(''))
    connection.once('error', (error) => resolve(codeOf(error)))
  })
  connection.destroy()
  short.close()
  // EAGAIN: it has not yet taken those who asked before
  if (code === '' || code === 'EAGAIN') return 'running'
  return code === 'ECONNREFUSED' ? 'ended' : 'unknown'
}

/** A path that is short enough for a socket's address (108 bytes, unix(7)); it leads through the open folder. */
function openShort(path: string, proc: string): { readonly path: string; readonly close: () => void } | undefined {
  const folder = orNothing(() => openSync(dirname(path), 'r'))
  if (folder === undefined) return undefined
  return { path: `${proc}/self/fd/${String(folder)}/${basename(path)}`, close: () => closeSync(folder) }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
