import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GenerateError } from '../../src/generate/generate-error.ts'
import {
  fillTemplate,
  formatReference,
  formatTemplate,
  parseTemplate,
  referencesOf,
  type TemplatePiece,
} from '../../src/generate/value-template.ts'

const rows: readonly { readonly template: string; readonly pieces: readonly TemplatePiece[] }[] = [
  { template: '', pieces: [] },
  { template: 'plain {text}', pieces: [{ text: 'plain {text}' }] },
  { template: '${NAME}', pieces: [{ name: 'NAME' }] },
  {
    template: '${kube-system_s_tls-key.cert}\n',
    pieces: [{ name: 'kube-system_s_tls-key', part: 'cert' }, { text: '\n' }],
  },
  { template: 'a$$b', pieces: [{ text: 'a$b' }] },
  { template: '$${NAME}', pieces: [{ text: '${NAME}' }] },
  { template: '$$${NAME}$$', pieces: [{ text: '$' }, { name: 'NAME' }, { text: '$' }] },
  { template: '$$$${a.b}', pieces: [{ text: '$${a.b}' }] },
  { template: '${a}${a.b}', pieces: [{ name: 'a' }, { name: 'a', part: 'b' }] },
  { template: '😀${_a-1}é', pieces: [{ text: '😀' }, { name: '_a-1' }, { text: 'é' }] },
]

describe('templates of generated values', () => {
  test.each(rows)('$template is read and written', ({ template, pieces }) => {
    expect(parseTemplate(template)).toEqual(pieces)
    expect(formatTemplate(pieces)).toBe(template)
  })

  test.each([
    ['$', 1],
    ['a $ b', 3],
    ['$NAME', 1],
    ['$$$', 3],
    ['${}', 1],
    ['${NAME', 1],
    ['${1a}', 1],
    ['${a.}', 1],
    ['${a.b.c}', 1],
    ['${a b}', 1],
    ['${a:-default}', 1],
    ['hunter2 ${NAME} $x', 17],
  ])('%j is refused at its character, and not repeated', (template, at) => {
    expect(() => parseTemplate(template)).toThrow(
      new GenerateError(`character ${String(at)} is a $ that is neither $$ nor the start of a reference`),
    )
  })

  const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,12}$/)
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[${}a.]{0,8}$/))
  const piece: fc.Arbitrary<TemplatePiece> = fc.oneof(
    text.map((of) => ({ text: of })),
    name.map((of) => ({ name: of })),
    fc.tuple(name, fc.constantFrom('value', 'cert', 'key', 'hash')).map(([of, part]) => ({ name: of, part })),
  )

  test('what is written is read again, whatever text stands between references', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const read = parseTemplate(formatTemplate(pieces))
        expect(read.filter((one) => !('text' in one))).toEqual(pieces.filter((one) => !('text' in one)))
        const plain = (all: readonly TemplatePiece[]): string =>
          all.map((one) => ('text' in one ? one.text : `\0${formatReference(one)}\0`)).join('')
        expect(plain(read)).toBe(plain(pieces))
      }),
      { seed: 1 },
    )
  })

  test('what is filled in stays what it is', () => {
    const resolve = ({ name: of, part }: { readonly name: string; readonly part?: string }): string | undefined =>
      new Map([
        ['A', '$$ ${B} $&'],
        ['g.value', '$'],
      ]).get(part === undefined ? of : `${of}.${part}`)
    expect(fillTemplate('${A}-$$-${g.value}${g.value}', resolve)).toBe('$$ ${B} $&-$-$$')
    expect(() => fillTemplate('${A}${g.key}', resolve)).toThrow('there is nothing for ${g.key}')
  })

  test('references come in their order, as often as they stand', () => {
    expect(referencesOf('${b}$${c}${a.key}${b}')).toEqual([{ name: 'b' }, { name: 'a', part: 'key' }, { name: 'b' }])
  })

  test('a long text of escapes is one piece', () => {
    expect(parseTemplate('${a'.replaceAll('$', '$$$$').repeat(200_000))).toHaveLength(1)
  })
})
