import { describe, expect, it } from 'vitest'
import { formatGoError } from '../../../src/render/engine/format-error.ts'
import { formatNode } from '../../../src/render/engine/format-node.ts'
import { parseTemplate } from '../../../src/render/engine/parser.ts'
import { TemplateError } from '../../../src/render/engine/template-error.ts'
import { parserRows } from './parser-table.ts'

const functions = new Set(['f', 'g', 'printf', 'and', 'or', 'not', 'len', 'eq', 'print', 'include'])
const options = { isFunction: (name: string): boolean => functions.has(name) }

function parse(text: string): Readonly<Record<string, string>> {
  const { definitions } = parseTemplate({ name: 't', text }, options)
  return Object.fromEntries(definitions.map(({ name, body }) => [name, body.nodes.map(formatNode).join('')]))
}

function failure(text: string): TemplateError {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error('it parses')
}

describe('parseTemplate', () => {
  it.each(parserRows.filter(({ want }) => want !== undefined))('parses $input', ({ input, want }) => {
    expect(parse(input)).toEqual(want)
  })

  it.each(parserRows.filter(({ wantError }) => wantError !== undefined))('refuses $input', ({ input, wantError }) => {
    expect(formatGoError(failure(input))).toBe(wantError)
  })

  it.each([
    { input: '{{1i}}', want: 'complex numbers are not supported: "1i"' },
    { input: '{{1+2i}}', want: 'complex numbers are not supported: "1+2i"' },
    { input: '{{-7.2i}}', want: 'complex numbers are not supported: "-7.2i"' },
  ])('refuses $input, which Go takes', ({ input, want }) => {
    expect(failure(input).message).toBe(want)
  })

  it('says where a definition is blank', () => {
    const text = '{{define "a"}} \n\u00a0{{/* c */}}{{end}}{{define "b"}}x{{end}}{{define "c"}}{{.}}{{end}}'
    const { definitions } = parseTemplate({ name: 't', text }, options)
    expect(definitions.map(({ name, isEmpty }) => [name, isEmpty])).toEqual([
      ['a', true],
      ['b', false],
      ['c', false],
      ['t', true],
    ])
  })

  it('points at the token that does not fit', () => {
    const text = '{{ if .a }}\n  {{ nope 1 }}\n{{ end }}'
    const [diagnostic] = failure(text).diagnostics
    expect(diagnostic).toMatchObject({ code: 'TEMPLATE_PARSE', message: 'function "nope" not defined' })
    expect(text.slice(diagnostic?.at?.start, diagnostic?.at?.end)).toBe('nope')
  })

  it.each([
    { what: 'parentheses', text: `{{${'('.repeat(5000)}1${')'.repeat(5000)}}}` },
    { what: 'blocks', text: '{{if 1}}'.repeat(5000) + '{{end}}'.repeat(5000) },
    { what: 'definitions in blocks', text: '{{block "a" .}}'.repeat(5000) },
  ])('refuses endless nesting of $what', ({ text }) => {
    expect(failure(text).diagnostics[0]?.code).toBe('TEMPLATE_LIMIT_DEPTH')
  })

  it('takes a chain of a thousand else-ifs', () => {
    const text = `{{if 0}}${'{{else if 0}}'.repeat(1000)}{{else}}x{{end}}`
    expect(parseTemplate({ name: 't', text }, options).definitions).toHaveLength(1)
  })
})
