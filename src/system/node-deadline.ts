import { Script } from 'node:vm'
import { type Deadline, DeadlineError } from '../model/ports.ts'
import { ensureDescriptors } from './descriptors.ts'

/** The function that the script calls; a name of its own, so that nothing else can meet it. */
const WORK = Symbol.for('stackmason.deadline.work')

/** More descriptors than the watch was seen to open with any version of Node, which ends the process without them. */
const WATCH_DESCRIPTORS = 11

let script: Script | undefined

/** Milliseconds of the watch that runs for all deadlines which are not shorter. */
let covered = Infinity

/** Ends work by the watch that V8 keeps for scripts: a thread of its own, which lives as long as the work does. */
export const nodeDeadline: Deadline = {
  within: (milliseconds, work) => (milliseconds >= covered ? work() : watch(milliseconds, work)),
  together(milliseconds, work) {
    if (milliseconds >= covered) return work()
    const outer = covered
    covered = milliseconds
    try {
      return watch(milliseconds, work)
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error
    } finally {
      covered = outer
    }
    return work()
  },
}

function watch<T>(milliseconds: number, work: () => T): T {
  ensureDescriptors(WATCH_DESCRIPTORS)
  script ??= new Script(`globalThis[Symbol.for(${JSON.stringify(WORK.description)})]()`, { filename: 'deadline' })
  const outer: unknown = Reflect.get(globalThis, WORK)
  // work that was stopped never gets as far as this
  let outcome: { readonly value: T } | undefined
  Reflect.set(globalThis, WORK, () => {
    outcome = { value: work() }
  })
  try {
    script.runInThisContext({ timeout: Math.max(1, Math.ceil(milliseconds)) })
  } catch (error) {
    const isStopped = error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
    throw isStopped ? new DeadlineError(milliseconds, { cause: error }) : error
  } finally {
    Reflect.set(globalThis, WORK, outer)
  }
  if (outcome === undefined) throw new Error('work under a deadline came to no end')
  return outcome.value
}
