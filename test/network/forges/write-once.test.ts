import { expect, test } from 'vitest'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import type { Code } from '../../../src/model/error-codes.ts'
import { writeOnce } from '../../../src/network/forges/write-once.ts'

interface Case {
  readonly name: string
  /** What each try throws; the one after them succeeds. */
  readonly throws: readonly Code[]
  /** What each look finds. */
  readonly finds?: readonly (number | undefined)[]
  readonly passing?: readonly Code[]
  readonly want: string
  readonly calls: readonly string[]
}

test.each<Case>([
  { name: 'is made', throws: [], want: 'created 7', calls: ['write'] },
  {
    name: 'is found when the answer was lost',
    throws: ['FETCH_TIMEOUT'],
    finds: [3],
    want: 'found 3',
    calls: ['write', 'look'],
  },
  {
    name: 'is found when somebody was faster',
    throws: ['PUBLISH_REFUSED'],
    finds: [3],
    want: 'found 3',
    calls: ['write', 'look'],
  },
  {
    name: 'is tried again when it had no effect',
    throws: ['FETCH_REFUSED', 'FETCH_FAILED'],
    want: 'created 7',
    calls: ['write', 'look', 'write', 'look', 'write'],
  },
  {
    name: 'is found when it takes effect between two tries',
    throws: ['FETCH_TIMEOUT', 'PUBLISH_REFUSED'],
    finds: [undefined, 5],
    want: 'found 5',
    calls: ['write', 'look', 'write', 'look'],
  },
  {
    name: 'is given up after three tries',
    throws: ['FETCH_FAILED', 'FETCH_FAILED', 'FETCH_FAILED', 'FETCH_FAILED'],
    want: 'FETCH_FAILED',
    calls: ['write', 'look', 'write', 'look', 'write', 'look'],
  },
  {
    name: 'is not tried again after what will not pass',
    throws: ['FETCH_INVALID'],
    want: 'FETCH_INVALID',
    calls: ['write', 'look'],
  },
  {
    name: 'is tried again after what is said to pass here',
    throws: ['FETCH_NOT_FOUND', 'FETCH_NOT_FOUND'],
    passing: ['FETCH_NOT_FOUND'],
    want: 'created 7',
    calls: ['write', 'look', 'write', 'look', 'write'],
  },
  {
    name: 'is not tried again after what passes elsewhere',
    throws: ['FETCH_NOT_FOUND'],
    want: 'FETCH_NOT_FOUND',
    calls: ['write'],
  },
  {
    name: 'is not looked for after what had no effect',
    throws: ['PUBLISH_PERMISSION'],
    want: 'PUBLISH_PERMISSION',
    calls: ['write'],
  },
])('what must not be there twice $name', async ({ throws, finds = [], passing, want, calls }) => {
  const made: string[] = []
  const errors = [...throws]
  const looks = [...finds]
  const once = {
    ...(passing !== undefined && { passing }),
    write: (): Promise<number> => {
      made.push('write')
      const code = errors.shift()
      if (code === undefined) return Promise.resolve(7)
      return Promise.reject(new StackmasonError({ code, severity: 'error', message: code }))
    },
    look: (): Promise<number | undefined> => {
      made.push('look')
      return Promise.resolve(looks.shift())
    },
  }
  const ports = {
    clock: { monotonic: () => 0, now: () => 0, sleep: () => Promise.resolve() },
    random: { bytes: (length: number) => new Uint8Array(length) },
  }
  const done = await writeOnce(once, ports).then(
    ({ item, outcome }) => `${outcome} ${item}`,
    (error: unknown) => (error instanceof StackmasonError ? error.diagnostics[0]?.code : error),
  )
  expect(done).toBe(want)
  expect(made).toEqual(calls)
})
