import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatBlock, mergeBody, readMark, textOutside } from '../../../src/report/pull-request/body-block.ts'

const mark = { group: 'fleet', fingerprint: '0123' }
const old = formatBlock('old text', mark)
const block = formatBlock('new text', { group: 'fleet', fingerprint: '4567' })
const [begin = '', publish = '', , , , notice = '', end = ''] = old.split('\n')

test('the marks', () => {
  expect(old).toBe(`<!-- stackmason:begin -->
<!-- stackmason:publish v1alpha1 {"group":"fleet","fingerprint":"0123"} -->

old text

<!-- stackmason: this block is written anew; write above or below it -->
<!-- stackmason:end -->`)
})

describe('the block in a body:', () => {
  test.each([
    ['an empty body', '', block],
    ['nothing but spaces', ' \r\n', block],
    ['our block alone', old, block],
    ['text around it', `mine\n${old}\nmine, too`, `mine\n${block}\nmine, too`],
    [
      'a body that a browser sent',
      `mine\r\n\r\n${old.replaceAll('\n', '\r\n')}\r\nend\r\n`,
      `mine\r\n\r\n${block}\r\nend\r\n`,
    ],
    ['spaces behind marks', `a\n${old.replaceAll(' -->', ' -->  ')}\nb`, `a\n${block}\nb`],
    ['no block: ours comes first', 'mine\n', `${block}\n\nmine\n`],
    // a mark that somebody has deleted
    ['the first mark is gone', `a\n${old.replace(`${begin}\n`, '')}\nb`, `a\n${block}\nb`],
    ['the second mark is gone', `a\n${old.replace(`${publish}\n`, '')}\nb`, `a\n${block}\nb`],
    ['the last mark is gone', `a\n${old.replace(`\n${end}`, '')}\nb`, `a\n${block}\nb`],
    ['the notice is gone', `a\n${old.replace(`${notice}\n`, '')}\nb`, `a\n${block}\nb`],
    ['one at each end is gone', `a\n${publish}\nold\n${notice}\nb`, `a\n${block}\nb`],
    ['both at the end are gone: nobody knows what is whose', `a\n${begin}\n${publish}\nb`, `${block}\n\na\nb`],
    ['both at the start are gone', `a\n${notice}\n${end}\nb`, `${block}\n\na\nb`],
    // more than one
    ['a block that was pasted twice', `a\n${old}\nb\n${old}\nc`, `a\n${block}\nb\nc`],
    ['a block in a block', `a\n${begin}\nb\n${old}\nc\n${end}\nd`, `a\nb\n${block}\nc\nd`],
    ['marks in the wrong order', `a\n${end}\nb\n${begin}\nc`, `${block}\n\na\nb\nc`],
    // cited ones
    ['in a quote', `> ${old.replaceAll('\n', '\n> ')}`, `${block}\n\n> ${old.replaceAll('\n', '\n> ')}`],
    ['in a list', `- ${begin}\n- ${end}`, `${block}\n\n- ${begin}\n- ${end}`],
    ['in a line', `see ${begin} and \`${end}\``, `${block}\n\nsee ${begin} and \`${end}\``],
    ['in code', `\`\`\`\n${old}\n\`\`\`\n`, `${block}\n\n\`\`\`\n${old}\n\`\`\`\n`],
    ['in code, and a real one', `~~~html\n${old}\n~~~\n${old}\n`, `~~~html\n${old}\n~~~\n${block}\n`],
    ['below code that nobody has closed', `\`\`\`\ncode\n${old}\nb`, `\`\`\`\ncode\n${block}\nb`],
    ['below code that is closed', `\`\`\`\`\n\`\`\`\n\`\`\`\`\n${old}`, `\`\`\`\`\n\`\`\`\n\`\`\`\`\n${block}`],
  ])('%s', (_, body, merged) => {
    expect(mergeBody(body, block)).toBe(merged)
    expect(mergeBody(merged, block)).toBe(merged)
    expect(readMark(merged)).toEqual({ group: 'fleet', fingerprint: '4567' })
  })
})

test.each([
  ['nothing', 'text', undefined],
  ['a cited one', `> ${publish}`, undefined],
  ['one that is no JSON', '<!-- stackmason:publish v1alpha1 {x} -->', undefined],
  ['one without a group', '<!-- stackmason:publish v1alpha1 {"fingerprint":"1"} -->', undefined],
  ['one that is alone', publish, mark],
  ['another form', publish.replace('v1alpha1', 'v2'), undefined],
])('reads %s', (_, body, read) => {
  expect(readMark(body)).toEqual(read)
})

test('a group cannot end its mark', () => {
  const group = 'cluster/a-->/b'
  const body = formatBlock('', { group, fingerprint: '0' })
  expect(body.match(/-->/g)).toHaveLength(4)
  expect(readMark(body)?.group).toBe(group)
})

const line = fc.oneof(
  fc.constantFrom(begin, publish, notice, end, '', '```', '````md', '~~~', `> ${begin}`, ` ${end}`, 'mine', '- a'),
  fc.string(),
)
const body = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('\n', '\r\n'))
  .map(([lines, end]) => lines.join(end))

test('whatever a body holds, our block is in it once, and what people wrote stays', () => {
  fc.assert(
    fc.property(body, body, (before, after) => {
      const merged = mergeBody(`${before}\n${old}\n${after}`, block)
      expect(mergeBody(merged, block)).toBe(merged)
      expect(merged.split(block)).toHaveLength(2)
      expect(readMark(merged)?.fingerprint).toBe('4567')
      const rest = (text: string): string => text.replaceAll(/\s/g, '')
      expect(rest(textOutside(merged))).toBe(rest(merged.replace(block, () => '')))
    }),
    { numRuns: 300, seed: 20 },
  )
})

test('text around our block stays byte for byte', () => {
  const text = fc.array(fc.string().filter((one) => !/stackmason|```|~~~/.test(one))).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(mergeBody(`${before}\n${old}\n${after}`, block)).toBe(`${before}\n${block}\n${after}`)
    }),
    { seed: 21 },
  )
})
