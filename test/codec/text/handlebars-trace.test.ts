import { describe, expect, it } from 'vitest'
import { createHandlebars, traceHandlebars } from '../../../src/codec/text/handlebars.ts'
import { positionAt } from '../../../src/model/source.ts'
import { dict } from '../../../src/model/value.ts'

const data = dict([
  ['name', 'web'],
  ['isOn', true],
  ['map', dict([['a', 'x: \ue000']])],
  ['list', ['one', 'two']],
])

/** Each piece as `line:column text`. */
function piecesOf(text: string): readonly string[] {
  const source = { name: 'x.hbs', text }
  const pieces = traceHandlebars(source, { data, code: 'ADDON_TEMPLATE' }) ?? []
  expect(pieces.map((piece) => piece.text).join('')).toBe(createHandlebars()(source, { data, code: 'ADDON_TEMPLATE' }))
  return pieces.map((piece) => {
    const { line, column } = positionAt(source, piece.offset)
    return `${String(line)}:${String(column)} ${piece.text}`
  })
}

describe('what a template writes', () => {
  const rows: readonly { readonly text: string; readonly want: readonly string[] }[] = [
    { text: '', want: [] },
    { text: 'a: b\n', want: ['1:1 a: b\n'] },
    { text: 'a: {{name}}\nb: c\n', want: ['1:1 a: ', '1:4 web', '1:12 \nb: c\n'] },
    { text: 'a: {{map.a}}', want: ['1:1 a: ', '1:4 x: \ue000'] },
    { text: 'a:\r\n  b: {{name}}\r\n', want: ['1:1 a:\r\n  b: ', '2:6 web', '2:14 \r\n'] },
    {
      text: 'a\n  {{#if isOn}}\n  b: {{name}}\n  {{else}}\n  c\n  {{/if}}\nd\n',
      want: ['1:1 a\n', '3:1   b: ', '3:6 web', '3:14 \n', '7:1 d\n'],
    },
    {
      text: '{{#each list}}\n- {{this}}\n{{/each}}\n',
      want: ['2:1 - ', '2:3 one', '2:11 \n', '2:1 - ', '2:3 two', '2:11 \n'],
    },
    {
      text: '{{#*inline "p"}}\nx {{name}}\n{{/inline}}\n{{> p}}\ny\n',
      want: ['2:1 x ', '2:3 web', '2:11 \n', '5:1 y\n'],
    },
    { text: '{{name}}   {{~name~}}   b', want: ['1:1 web', '1:12 web', '1:25 b'] },
  ]
  it.each(rows)('$text', ({ text, want }) => {
    expect(piecesOf(text)).toEqual(want)
  })
})
