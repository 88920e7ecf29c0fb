import { fstatSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'
import type { TextOutput } from './cli/cli-io.ts'
import { run } from './cli/run.ts'
import type { Ports } from './model/ports.ts'
import { createNodePorts } from './system/node-ports.ts'
import { createNodeThreads, type ThreadProgram } from './system/node-threads.ts'

/** The parts of the program; a host that starts it differently than a shell does takes these. */
export const program: {
  readonly run: typeof run
  readonly createNodePorts: typeof createNodePorts
} = { run, createNodePorts }

/** The places of the package's parts in a host that has no folder for them. */
export interface ProgramHost {
  readonly version: string
  readonly packageFiles: Ports['packageFiles']
  readonly threadProgram: ThreadProgram
  /** sha256 of the program, hex: what its runs come to is kept for it alone. Absent: nothing is kept. */
  readonly digest: string
}

/** Runs the program on the words, streams and folder of this process, and sets its exit status. */
export function startProgram(host: Partial<ProgramHost> = {}): void {
  const workingFolder = findWorkingFolder()
  if (workingFolder === undefined) {
    textOutput(2).write('error FILE_UNREADABLE the working folder is gone\n  → Change to a folder that is there.\n')
    process.exitCode = 2
    return
  }
  let isLost = false
  let hasCrashed = false
  // an error that an event brings reaches no `catch`
  const crash = new Promise<never>((_resolve, reject) => {
    process.on('uncaughtException', (error) => {
      hasCrashed = true
      reject(error)
    })
  })
  const stderr = textOutput(2, () => {
    isLost = true
  })
  void run(process.argv.slice(2), {
    stdout: textOutput(1),
    stderr,
    readStdin,
    environment: process.env,
    workingFolder,
    version: host.version ?? readVersion(),
    program: host.digest === undefined ? undefined : `${host.digest} ${process.version} ${process.arch}`,
    ports: {
      ...createNodePorts(),
      ...(host.packageFiles !== undefined && { packageFiles: host.packageFiles }),
      ...(host.threadProgram !== undefined && { threads: createNodeThreads(host.threadProgram) }),
    },
    crash,
  }).then((status) => {
    // oxlint-disable-next-line unicorn/no-process-exit -- what the error broke off may wait for ever, or go on writing
    if (hasCrashed) process.exit(2)
    process.exitCode = isLost ? 2 : status
  })
}

function findWorkingFolder(): string | undefined {
  try {
    return slashed(process.cwd())
  } catch {
    return undefined
  }
}

/**
 * Standard output or error; Node's streams, which take milliseconds to be made, only where the system's own call does
 * not do.
 */
function textOutput(descriptor: 1 | 2, whenLost?: () => void): TextOutput {
  // a terminal is a character device, but so is /dev/null
  const isTerminal = fstatSync(descriptor).isCharacterDevice() && isatty(descriptor)
  let stream = isTerminal ? openStream(descriptor) : undefined
  let isClosed = false
  return {
    write(text) {
      if (isClosed) return
      if (stream !== undefined) {
        stream.write(text)
        return
      }
      let rest: Uint8Array = Buffer.from(text)
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest))
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined
        if (code === 'EPIPE') {
          isClosed = true
        } else if (code === 'EAGAIN') {
          stream = openStream(descriptor)
          stream.write(rest)
        } else if (whenLost !== undefined) {
          // nobody can be told, and the work goes on
          isClosed = true
          whenLost()
        } else throw error
      }
    },
    isTerminal,
    // a terminal without a size says 0
    columns: stream?.columns || 80,
  }
}

function openStream(descriptor: 1 | 2): NodeJS.WriteStream {
  const stream = descriptor === 1 ? process.stdout : process.stderr
  return stream.on('error', endWhenNobodyReads)
}

/** `stackmason template … | head` is no failure. */
function endWhenNobodyReads(error: Error): void {
  if (!('code' in error) || error.code !== 'EPIPE') throw error
  process.exitCode = 0
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return new Uint8Array(Buffer.concat(chunks))
}

function readVersion(): string {
  try {
    const folder = dirname(dirname(fileURLToPath(import.meta.url)))
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const isNamed = typeof manifest === 'object' && manifest !== null && 'version' in manifest
    return isNamed && typeof manifest.version === 'string' ? manifest.version : 'unknown'
  } catch {
    // what is wrong here is wrong for all files, and the run says it
    return 'unknown'
  }
}

function slashed(path: string): string {
  return process.platform === 'win32' ? path.replaceAll('\\', '/') : path
}
