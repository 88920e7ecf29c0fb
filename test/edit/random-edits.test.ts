import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeUtf8, encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { parsePositionedYaml } from '../../src/codec/yaml/positioned-yaml.ts'
import { openYaml } from '../../src/edit/open-yaml.ts'
import type { YamlChange } from '../../src/edit/yaml-change.ts'
import { StackmasonError } from '../../src/model/diagnostic.ts'

const key = fc.constantFrom('a', 'b', 'c')
const text = fc.oneof(
  fc.constantFrom(
    'x',
    'yes',
    '1.30',
    '~',
    '',
    ' x',
    '# x',
    'a: b',
    '- x',
    '{',
    '*x',
    '2027-03-31',
    'x\ny',
    "it's",
    '\u2028',
  ),
  fc.string({ maxLength: 6 }),
)

const inline = fc.constantFrom(
  '',
  ' 1',
  ' "q" # why',
  ' # soon',
  ' [x, {b: 1}]',
  ' [',
  ' {}',
  ' [] # none',
  ' &x y',
  ' *x',
  ' ~',
  " 'two\n      lines'",
  ' |\n      text\n\n      # text',
  ' >+\n      text\n',
)
const note = fc.constantFrom('', '', '# note', '  # note')

/** A map or list in block style as people write them, with comments and empty lines between; not always sound. */
const { block } = fc.letrec<{ block: readonly string[] }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 2 },
    inline.map((value) => [value]),
    fc
      .tuple(fc.uniqueArray(fc.tuple(key, tie('block'), note), { selector: ([name]) => name, maxLength: 3 }), fc.nat(1))
      .map(([entries, deeper]) => [
        '',
        ...entries.flatMap(([name, [first = '', ...rest], comment]) => [
          ...(comment === '' ? [] : [comment]),
          `${name}:${first}`,
          ...rest.map((one) => (one === '' ? '' : '  '.repeat(1 + deeper) + one)),
        ]),
      ]),
    fc
      .tuple(fc.array(fc.tuple(tie('block'), note), { maxLength: 3 }), fc.nat(1))
      .map(([list, deeper]) => [
        '',
        ...list.flatMap(([[first = '', second = '', ...rest], comment]) => [
          ...(comment === '' ? [] : [comment]),
          first === '' ? `- ${second}` : `-${first}`,
          ...(first === '' ? rest : [second, ...rest]).map((one) => (one === '' ? '' : '  '.repeat(1 + deeper) + one)),
        ]),
      ]),
  ),
}))
const file = fc
  .tuple(fc.array(block, { minLength: 1, maxLength: 2 }), fc.constantFrom('\n', '\r\n'), fc.boolean(), fc.boolean())
  .map(([documents, newline, isEnded, isMarked]) => {
    const content = documents.map((lines) => lines.slice(1).join('\n')).join('\n---\n')
    return (isMarked ? '\uFEFF' : '') + (content + (isEnded ? '\n' : '')).replaceAll('\n', newline)
  })
const change: fc.Arbitrary<YamlChange> = fc.record({
  how: fc.constantFrom('replace', 'set', 'append'),
  path: fc.array(fc.oneof({ weight: 3, arbitrary: key }, { weight: 1, arbitrary: fc.nat(1) }), {
    minLength: 1,
    maxLength: 3,
  }),
  value: fc.oneof(text, fc.array(text, { maxLength: 2 })),
  document: fc.nat(1),
})

test('an edit is refused, or adds lines and replaces one value: no comment and no other line is lost', () => {
  let edits = 0
  fc.assert(
    fc.property(file, change, (before, asked) => {
      let after: string
      try {
        after = decodeUtf8(openYaml({ name: 'f', bytes: encodeUtf8(before) }, 'CONFIG_CONFLICT').edit([asked]))
      } catch (error) {
        if (error instanceof StackmasonError) return
        throw error
      }
      if (after !== before) edits++
      expect(parsePositionedYaml({ name: 'f', text: after.replace(/^\uFEFF/, '') }).problems).toEqual([])
      const lost = linesOf(before).filter((one) => !linesOf(after).includes(one))
      // a value may take two lines
      expect(lost.length).toBeLessThanOrEqual(2)
      for (const comment of ['# note', '# why', '# soon', '# none']) {
        expect(countOf(after, comment)).toBeGreaterThanOrEqual(countOf(before, comment))
      }
      expect([after.startsWith('\uFEFF'), isMixed(after)]).toEqual([before.startsWith('\uFEFF'), isMixed(before)])
      expect(after.endsWith('\n')).toBe(before.endsWith('\n'))
    }),
    { seed: 1, numRuns: 3000 },
  )
  expect(edits).toBeGreaterThan(100)
})

test('a removal is refused, or takes lines away and adds none', () => {
  let edits = 0
  const path = fc.array(fc.oneof({ weight: 3, arbitrary: key }, { weight: 1, arbitrary: fc.nat(1) }), {
    minLength: 1,
    maxLength: 3,
  })
  fc.assert(
    fc.property(file, path, fc.nat(1), (before, at, document) => {
      let after: string
      try {
        const opened = openYaml({ name: 'f', bytes: encodeUtf8(before) }, 'CONFIG_CONFLICT')
        after = decodeUtf8(opened.edit([{ how: 'remove', path: at, document }]))
      } catch (error) {
        if (error instanceof StackmasonError) return
        throw error
      }
      if (after !== before) edits++
      expect(parsePositionedYaml({ name: 'f', text: after.replace(/^\uFEFF/, '') }).problems).toEqual([])
      const added = linesOf(after).filter((one) => one !== '' && !linesOf(before).includes(one))
      // a line in flow style, or the first of an item, is written anew
      expect(added.length).toBeLessThanOrEqual(1)
      expect(after.length).toBeLessThanOrEqual(before.length)
    }),
    { seed: 1, numRuns: 3000 },
  )
  expect(edits).toBeGreaterThan(100)
})

function linesOf(content: string): readonly string[] {
  return content.split(/\r?\n/)
}

function countOf(content: string, part: string): number {
  return content.split(part).length
}

function isMixed(content: string): boolean {
  return content.includes('\r\n') && /(?<!\r)\n/.test(content)
}
