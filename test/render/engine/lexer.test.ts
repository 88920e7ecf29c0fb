import { describe, expect, it } from 'vitest'
import { Lexer } from '../../../src/render/engine/lexer.ts'
import { formatToken, type Token } from '../../../src/render/engine/token.ts'
import { lexerRows } from './lexer-table.ts'

function tokens(text: string, functions: readonly string[] = []): readonly Token[] {
  const lexer = new Lexer(text, { isFunction: (name) => functions.includes(name) })
  const result: Token[] = []
  for (;;) {
    const token = lexer.next()
    result.push(token)
    if (token.kind === 'eof' || token.kind === 'error') return result
  }
}

function show({ kind, text, line }: Token): string {
  return `${kind}${line > 1 ? `@${line}` : ''}${text === '' ? '' : ` ${text}`}`
}

describe('Lexer', () => {
  it.each(lexerRows)('cuts $input', ({ input, want }) => {
    expect(tokens(input).map(show)).toEqual(want)
  })

  it('starts every token where its text is', () => {
    const astray = lexerRows.filter(({ input }) =>
      tokens(input).some(({ kind, text, start }) => kind !== 'error' && !input.startsWith(text, start)),
    )
    expect(astray).toEqual([])
  })

  it('gives only eof after an error', () => {
    const lexer = new Lexer('a{{"', { isFunction: () => false })
    expect(Array.from({ length: 5 }, () => lexer.next().kind)).toEqual(['text', 'leftDelim', 'error', 'eof', 'eof'])
  })

  it('takes break and continue for identifiers when they are functions', () => {
    expect(tokens('{{break}}{{continue}}', ['break']).map(({ kind }) => kind)).toEqual([
      'leftDelim',
      'identifier',
      'rightDelim',
      'leftDelim',
      'continue',
      'rightDelim',
      'eof',
    ])
  })

  it('names a byte that is not UTF-8 as Go does', () => {
    expect(tokens('{{\udcff}}').map(show)).toEqual([
      'leftDelim {{',
      "error unrecognized character in action: U+FFFD '\ufffd'",
    ])
  })

  it('keeps a token of a deferred value in text and strings', () => {
    expect(tokens('a\udbff\ue000{{"\udbff\ue001"}}').map(show)).toEqual([
      'text a\udbff\ue000',
      'leftDelim {{',
      'string "\udbff\ue001"',
      'rightDelim }}',
      'eof',
    ])
  })
})

describe('formatToken', () => {
  it.each<{ readonly token: Omit<Token, 'start' | 'line'>; readonly want: string }>([
    { token: { kind: 'eof', text: '' }, want: 'EOF' },
    { token: { kind: 'error', text: 'unclosed action' }, want: 'unclosed action' },
    { token: { kind: 'end', text: 'end' }, want: '<end>' },
    { token: { kind: 'dot', text: '.' }, want: '<.>' },
    { token: { kind: 'rightDelim', text: '}}' }, want: '"}}"' },
    { token: { kind: 'identifier', text: 'abcdefghij' }, want: '"abcdefghij"' },
    { token: { kind: 'identifier', text: 'abcdefghijk' }, want: '"abcdefghij"...' },
    { token: { kind: 'string', text: '"日本語日"' }, want: '"\\"日本語日\\""...' },
  ])('shows $token.kind $token.text', ({ token, want }) => {
    expect(formatToken({ ...token, start: 0, line: 1 })).toBe(want)
  })
})
