import { FileError, type FileParts, type Files } from '../../src/model/ports.ts'

/** Thrown by every operation at and after a simulated kill. No code may mistake it for a failed operation. */
export class Killed extends Error {
  constructor() {
    super('killed')
    this.name = 'Killed'
  }
}

/** What happens at the operation with the number `at` (from 1). */
export interface Fault {
  readonly at: number
  /**
   * The process dies before the operation, after it, or (where it writes bytes) with half of them written; or the
   * operation fails, once or from then on for every operation that changes something.
   */
  readonly how: 'killed-before' | 'killed-after' | 'killed-half-way' | 'fails-once' | 'fails-on'
}

/** Files that count operations and misbehave at one of them. */
export interface FaultyFiles {
  readonly files: Files
  /** Operations begun so far. */
  readonly count: () => number
}

const READING: ReadonlySet<string> = new Set(['read', 'entries', 'stat', 'realPath'])

/** Wraps `real` so that the fault happens. */
export function createFaultyFiles(real: Files, fault: Fault | undefined): FaultyFiles {
  let count = 0
  let isDead = false
  async function run<Result>(
    operation: { readonly name: string; readonly path: string; readonly half?: () => Promise<unknown> },
    action: () => Promise<Result>,
  ): Promise<Result> {
    if (isDead) throw new Killed()
    count++
    if (fault === undefined || count < fault.at) return action()
    const isFirst = count === fault.at
    if (fault.how === 'fails-once' || fault.how === 'fails-on') {
      if (!isFirst && (fault.how === 'fails-once' || READING.has(operation.name))) return action()
      throw new FileError('no-space', operation.path)
    }
    isDead = true
    if (fault.how === 'killed-after') await action()
    if (fault.how === 'killed-half-way') await operation.half?.()
    throw new Killed()
  }
  return {
    count: () => count,
    files: {
      read: (path) => run({ name: 'read', path }, () => real.read(path)),
      readKnown: (path, known) => run({ name: 'read', path }, () => real.readKnown(path, known)),
      entries: (path) => run({ name: 'entries', path }, () => real.entries(path)),
      stat: (path) => run({ name: 'stat', path }, () => real.stat(path)),
      realPath: (path) => run({ name: 'realPath', path }, () => real.realPath(path)),
      signatures: real.signatures,
      write: (path, bytes) =>
        run({ name: 'write', path, half: () => real.write(path, half(whole(bytes))) }, () => real.write(path, bytes)),
      keep: (path, name) => run({ name: 'keep', path: name }, () => real.keep(path, name)),
      copyRights: (from, to) => run({ name: 'copyRights', path: to }, () => real.copyRights(from, to)),
      touch: (path) => run({ name: 'touch', path }, () => real.touch(path)),
      rename: (from, to) => run({ name: 'rename', path: to }, () => real.rename(from, to)),
      remove: (path) => run({ name: 'remove', path }, () => real.remove(path)),
      removeEmptyDirectory: (path) =>
        run({ name: 'removeEmptyDirectory', path }, () => real.removeEmptyDirectory(path)),
      makeDirectory: (path) => run({ name: 'makeDirectory', path }, () => real.makeDirectory(path)),
      readOwn: (path) => run({ name: 'read', path }, () => real.readOwn(path)),
      replaceOwn: (path, content) => run({ name: 'replaceOwn', path }, () => real.replaceOwn(path, content)),
      createExclusive: (path, bytes) => run({ name: 'createExclusive', path }, () => real.createExclusive(path, bytes)),
    },
  }
}

function whole(content: FileParts): Uint8Array {
  return content instanceof Uint8Array ? content : Buffer.concat([...content])
}

function half(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, Math.floor(bytes.length / 2))
}
