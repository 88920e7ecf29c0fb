import { Script } from 'node:vm'
import { describe, expect, test, vi } from 'vitest'
import { DeadlineError } from '../../src/model/ports.ts'
import { nodeDeadline } from '../../src/system/node-deadline.ts'

function endless(): never {
  for (;;);
}

describe('a deadline', () => {
  test('gives what the work gives, and throws what it throws', () => {
    expect(nodeDeadline.within(10_000, () => 'done')).toBe('done')
    expect(nodeDeadline.within(10_000, () => undefined)).toBe(undefined)
    const own = new Error('own')
    const fail = (): never => {
      throw own
    }
    expect(() => nodeDeadline.within(10_000, fail)).toThrow(own)
  })

  test('stops work without end, past its own catch and finally', () => {
    const seen: string[] = []
    const stubborn = (): void => {
      try {
        endless()
      } catch {
        seen.push('catch')
      } finally {
        seen.push('finally')
      }
    }
    expect(() => nodeDeadline.within(50, stubborn)).toThrow(DeadlineError)
    expect(seen).toEqual([])
    expect(nodeDeadline.within(10_000, () => 'next')).toBe('next')
  })

  test('stops an expression of JavaScript that backtracks', () => {
    expect(() => nodeDeadline.within(50, () => /^(a+)+$/.test(`${'a'.repeat(60)}b`))).toThrow(DeadlineError)
  })

  test('holds inside another one', () => {
    const inner = (): string => {
      try {
        return nodeDeadline.within(50, endless)
      } catch (error) {
        return error instanceof DeadlineError ? 'inner' : 'other'
      }
    }
    expect(nodeDeadline.within(10_000, inner)).toBe('inner')
    expect(() => nodeDeadline.within(50, () => nodeDeadline.within(10_000, endless))).toThrow(DeadlineError)
  })

  test('of several together starts no watch of its own', () => {
    const nested = (): string => nodeDeadline.within(10_000, () => 'done')
    const watches = (work: () => unknown): number => {
      const started = vi.spyOn(Script.prototype, 'runInThisContext')
      work()
      const count = started.mock.calls.length
      started.mockRestore()
      return count
    }
    expect(watches(() => [nested(), nested(), nested()])).toBe(3)
    expect(watches(() => nodeDeadline.together(10_000, () => [nested(), nested(), nested()]))).toBe(1)
    // a shorter one would come too late
    expect(watches(() => nodeDeadline.together(20_000, () => [nested(), nested()]))).toBe(3)
  })

  test('of several together holds for each: what takes longer as a whole is done again', () => {
    let rounds = 0
    const work = (): readonly string[] => {
      rounds++
      return [0, 1].map(() => {
        try {
          return nodeDeadline.within(200, endless)
        } catch (error) {
          if (!(error instanceof DeadlineError)) throw error
          return 'stopped'
        }
      })
    }
    expect(nodeDeadline.together(200, work)).toEqual(['stopped', 'stopped'])
    expect(rounds).toBe(2)
    expect(() => nodeDeadline.within(50, endless)).toThrow(DeadlineError)
  })
})
