import { describe, expect, test } from 'vitest'
import { Recent } from '../../../src/render/stack/recent.ts'

/** What is kept of `keys` after they came in this order; `+` before a key asks for it. */
function keptOf(room: number, ...steps: readonly string[]): string {
  const recent = new Recent<string>(room)
  const keys = steps.filter((step) => !step.startsWith('+'))
  for (const step of steps) {
    const [key = '', weight] = step.replace('+', '').split(':')
    if (step.startsWith('+')) recent.get(key)
    else recent.set(key, key, Number(weight ?? 1))
  }
  return keys
    .map((key) => key.split(':')[0] ?? '')
    .filter((key) => recent.get(key) !== undefined)
    .join(' ')
}

describe('what is remembered', () => {
  test.each([
    { name: 'all that there is room for', room: 12, steps: ['a', 'b', 'c'], want: 'a b c' },
    { name: 'of what came once, the newest', room: 8, steps: ['a', 'b', 'c'], want: 'b c' },
    { name: 'what was asked for again', room: 8, steps: ['a', '+a', 'b', 'c', 'd'], want: 'a c d' },
    { name: 'of that, the newest', room: 4, steps: ['a', '+a', 'b', '+b', 'c', '+c', 'd', '+d'], want: 'b c d' },
    { name: 'one that is heavier than the room', room: 8, steps: ['a', 'b:99'], want: 'b' },
    { name: 'by weight', room: 12, steps: ['a:2', 'b:2', 'c:1'], want: 'b c' },
    { name: 'a key that comes twice', room: 8, steps: ['a', 'a', 'b'], want: 'a a b' },
  ])('$name', ({ room, steps, want }) => {
    expect(keptOf(room, ...steps)).toBe(want)
  })
})

test('nothing of a stream of things that are all different', () => {
  const recent = new Recent<number>(40)
  recent.set('shared', 0)
  let hits = 0
  for (let index = 0; index < 1000; index++) {
    if (recent.get('shared') === 0) hits++
    for (let other = 0; other < 100; other++) recent.set(`${String(index)} ${String(other)}`, other)
  }
  expect(hits).toBe(1000)
})
