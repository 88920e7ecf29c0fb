import { runInThisContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { countWork } from '../support/count-work.ts'

/** Code of the same kind as ours: what counts is where it lies. */
function planted(body: string): (count: number) => void {
  const made: unknown = runInThisContext(`(count) => { ${body} }`, { filename: '/project/src/planted.ts' })
  if (typeof made !== 'function') throw new TypeError('no function')
  return (count) => {
    Reflect.apply(made, undefined, [count])
  }
}

const rows = [
  { what: 'a loop', power: 1, body: 'for (let i = 0; i < count; i++) if (i < 0) i++' },
  {
    what: 'a loop in a loop',
    power: 2,
    body: 'for (let i = 0; i < count; i++) for (let j = 0; j < count; j++) if (j < 0) j++',
  },
  {
    what: 'a list that is spread to grow',
    power: 2,
    body: 'let all = []; for (let i = 0; i < count; i++) all = [...all, i]',
  },
  {
    what: 'a map whose keys are listed to count them',
    power: 2,
    body: 'const all = new Map(); for (let i = 0; i < count; i++) all.set(i, [...all.keys()].length)',
  },
  {
    what: 'a list that is searched',
    power: 2,
    body: 'const all = []; for (let i = 0; i < count; i++) if (!all.includes(i)) all.push(i)',
  },
  {
    what: 'a list that is taken from its beginning',
    power: 2,
    body: 'const all = Array(count).fill(0); while (all.length) all.shift()',
  },
  {
    what: 'a text that is searched from its beginning',
    power: 2,
    body: `const text = 'a'.repeat(count) + 'b'; for (let i = 0; i < count; i++) text.indexOf('b')`,
  },
  {
    what: 'a text that is searched from where one is',
    power: 1,
    body: `const text = 'ab'.repeat(count); for (let at = 0; at !== -1;) at = text.indexOf('b', at + 1)`,
  },
  {
    what: 'lines that are counted again and again',
    power: 2,
    body: `const text = 'a\\n'.repeat(count); for (let i = 0; i < count; i++) text.split('\\n')`,
  },
  {
    what: 'an expression from where one is',
    power: 1,
    body: `for (const match of 'ab'.repeat(count).matchAll(/b/g)) match`,
  },
  {
    what: 'an expression that looks as far as the end',
    power: 2,
    body: `const text = 'a'.repeat(count); for (let i = 0; i < count; i++) /b/.test(text)`,
  },
  {
    what: 'an expression at one place',
    power: 1,
    body: `const text = 'a'.repeat(count); for (let i = 0; i < count; i++) /^b/.test(text)`,
  },
] as const

describe('work is counted of', () => {
  test.each(rows)('$what', ({ body, power }) => {
    const run = planted(body)
    const count = (size: number): number =>
      countWork(() => {
        run(size)
      })
    expect(Math.round(Math.log2(count(2000) / count(1000)))).toBe(power)
  })

  test('nothing that is not ours', () => {
    expect(countWork(() => undefined)).toBeLessThan(20)
  })
})
