import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { type Thread, ThreadError, type ThreadMessage, type Threads } from '../model/ports.ts'

/** The program of a thread: a file, or its text where there is none. */
export type ThreadProgram = { readonly file: URL } | { readonly text: string }

/** The CPU limit of a container, as Linux says it: microseconds of each period, or `max`. */
const QUOTA_FILE = '/sys/fs/cgroup/cpu.max'

/**
 * Megabytes of the heap for new objects: a quarter of what V8 takes, for each thread has one. Less takes more time than
 * it saves memory.
 */
const NEW_OBJECTS = 12

/** Threads that run a program of our own; by default the one that a bundle has beside it, and none without a bundle. */
export function createNodeThreads(
  program: ThreadProgram = { file: new URL('bundle/thread.cjs', import.meta.url) },
): Threads {
  return {
    parallelism: () => Math.min(availableParallelism(), quota() ?? Infinity),
    start: () => {
      if ('text' in program) return startThread(program.text, { eval: true })
      const path = fileURLToPath(program.file)
      return existsSync(path) ? startThread(path, {}) : undefined
    },
  }
}

/** How many processors the container gives; Node counts those of the machine. Undefined where it does not say. */
function quota(): number | undefined {
  try {
    const [used, period] = readFileSync(QUOTA_FILE, 'utf8').split(' ').map(Number)
    const count = (used ?? NaN) / (period ?? NaN)
    return Number.isFinite(count) ? Math.max(1, Math.floor(count)) : undefined
  } catch {
    // another system, or an older one
    return undefined
  }
}

interface Question {
  readonly resolve: (answer: ThreadMessage) => void
  readonly reject: (error: ThreadError) => void
}

function startThread(program: string, form: Pick<WorkerOptions, 'eval'>): Thread {
  const worker = new Worker(program, {
    ...form,
    // what is meant for the process says nothing to a thread, and a thread says nothing to people
    argv: [],
    execArgv: [],
    env: {},
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxYoungGenerationSizeMb: NEW_OBJECTS },
  })
  const questions: Question[] = []
  let failure: ThreadError | undefined
  const fail = (error: ThreadError): void => {
    failure ??= error
    for (const { reject } of questions.splice(0)) reject(failure)
  }
  worker.on('message', (answer: ThreadMessage) => questions.shift()?.resolve(answer))
  worker.on('messageerror', (error) => {
    fail(new ThreadError({ cause: error }))
  })
  worker.on('error', (error) => {
    fail(new ThreadError({ cause: error }))
  })
  worker.on('exit', () => {
    fail(new ThreadError())
  })
  return {
    ask: ({ text, parts }) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) {
          reject(failure)
          return
        }
        questions.push({ resolve, reject })
        worker.postMessage(
          { text, parts },
          parts.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer),
        )
      }),
    end: () => {
      fail(new ThreadError())
      void worker.terminate()
    },
  }
}
