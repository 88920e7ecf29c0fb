import { goInt, type Value } from '../../../model/value.ts'
import { quoteGo } from '../../engine/format.ts'
import { FunctionError, type CallContext, type FunctionDef } from '../../engine/function.ts'
import { abbreviate, firstLetters, wrapText } from './text-layout.ts'
import { intArgument, textArgument } from '../arguments.ts'
import { parseGoInt } from '../go/go-numbers.ts'
import { spaceClass } from '../../../codec/text/go-unicode.ts'
import { caseFunctions, type CaseFunction } from '../../../generate/derived-values.ts'
import { plainText, textOf } from './text-of.ts'
import { deleteSpacesAround, mapCharacters, mapWhole, requireLength, sliceAround } from './token-derive.ts'
import { refuseTokenEdges, refuseUnknownSearch, requireAffix } from './token-text.ts'
import { toConnectedCase, toPascalCase } from './word-case.ts'
import { integer, say, type ErrorText } from '../../engine/error-text.ts'

const space = new RegExp(`[${spaceClass}]`)

/** Go's strings.TrimSpace; a loop, because a regular expression would take quadratic time on long runs of spaces. */
export function trimSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && space.test(text.charAt(start))) start++
  while (end > start && space.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

function trim(args: readonly Value[], context: CallContext): Value {
  const trimmed = trimSpace(textArgument(args, 0))
  refuseTokenEdges(trimmed, [' ', '\t', '\n', '\v', '\f', '\r'], context.tokens)
  return trimmed
}

function trimAll(args: readonly Value[], context: CallContext): Value {
  const cutset = Array.from(textArgument(args, 0))
  const text = textArgument(args, 1)
  let start = 0
  let end = text.length
  for (;;) {
    const cut = cutset.find((character) => text.startsWith(character, start))
    if (cut === undefined) break
    start += cut.length
  }
  for (;;) {
    const cut = cutset.find(
      (character) => end - character.length >= start && text.startsWith(character, end - character.length),
    )
    if (cut === undefined) break
    end -= cut.length
  }
  const trimmed = text.slice(start, end)
  refuseTokenEdges(trimmed, cutset, context.tokens)
  return trimmed
}

function trimPrefix(args: readonly Value[], context: CallContext): Value {
  const prefix = textArgument(args, 0)
  const text = textArgument(args, 1)
  return requireAffix(text, prefix, { end: 'start', tokens: context.tokens }) ? text.slice(prefix.length) : text
}

function trimSuffix(args: readonly Value[], context: CallContext): Value {
  const suffix = textArgument(args, 0)
  const text = textArgument(args, 1)
  const has = requireAffix(text, suffix, { end: 'end', tokens: context.tokens })
  return has ? text.slice(0, text.length - suffix.length) : text
}

function contains(args: readonly Value[], context: CallContext): Value {
  const part = textArgument(args, 0)
  const text = textArgument(args, 1)
  // what is found in the literal text stays found whatever a token stands for
  if (text.includes(part)) return true
  refuseUnknownSearch(part, text, context.tokens)
  return false
}

function replace(args: readonly Value[], context: CallContext): Value {
  const old = textArgument(args, 0)
  const by = textArgument(args, 1)
  const text = textArgument(args, 2)
  refuseUnknownSearch(old, text, context.tokens)
  if (old !== '') {
    const parts = text.split(old)
    context.charge(text.length + (parts.length - 1) * by.length)
    return parts.join(by)
  }
  const runes = Array.from(text)
  context.charge(text.length + (runes.length + 1) * by.length)
  return by + runes.map((rune) => rune + by).join('')
}

/** Go's strings.Repeat. @throws FunctionError as it panics, StackmasonError when the result would pass the limits */
function repeatText(text: string, count: number, context: CallContext): string {
  if (count < 0) throw new FunctionError('strings: negative Repeat count')
  context.charge(text.length * count)
  return text.repeat(count)
}

function indentText(text: string, spaces: number, context: CallContext): string {
  const pad = repeatText(' ', spaces, context)
  if (!text.includes('\n')) return pad + text
  const lines = text.split('\n')
  context.charge(text.length + lines.length * spaces)
  return pad + lines.join(`\n${pad}`)
}

/** sprig's trunc: the first `count` bytes, or the last when negative. */
function truncate(args: readonly Value[], { tokens }: CallContext): Value {
  const count = intArgument(args, 0)
  const text = textArgument(args, 1)
  if (count >= 0) return sliceAround(text, [0, count], tokens)
  const start = requireLength(text, tokens) + count
  return start > 0 ? sliceAround(text, [start, Number.POSITIVE_INFINITY], tokens) : text
}

function substring(args: readonly Value[], { tokens }: CallContext): Value {
  const start = intArgument(args, 0)
  const end = intArgument(args, 1)
  const text = textArgument(args, 2)
  const length = requireLength(text, tokens)
  if (start < 0) {
    if (end < 0) throw outOfRange(say`:${integer(end)}`)
    if (end > length) throw outOfRange(say`:${integer(end)}`, say` with length ${integer(length)}`)
    return sliceAround(text, [0, end], tokens)
  }
  const stop = end < 0 || end > length ? length : end
  if (start > stop) throw outOfRange(say`${integer(start)}:${integer(stop)}`)
  return sliceAround(text, [start, stop], tokens)
}

function outOfRange(range: ErrorText, rest: ErrorText = say``): FunctionError {
  return new FunctionError(say`runtime error: slice bounds out of range [${range}]${rest}`)
}

function isGiven(value: Value): boolean {
  return value !== null
}

/** The cost of escaping a character. */
const escapingCost = 4

/** Go's `%q`, with a short way for the most common texts. */
function quoteText(text: string, context: CallContext): string {
  if (!/^[\t\n\r -~]*$/.test(text)) return quoteGo(text)
  if (!/[\t\n\r"\\]/.test(text)) return `"${text}"`
  // several plain replacements: one with a function would keep every match of a long text in memory
  context.charge(text.length * escapingCost)
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
  return `"${escaped.replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r')}"`
}

function quote(args: readonly Value[], context: CallContext): Value {
  return args
    .filter(isGiven)
    .map((value) => quoteText(textOf(value, context), context))
    .join(' ')
}

function squote(args: readonly Value[], context: CallContext): Value {
  return args
    .filter(isGiven)
    .map((value) => `'${plainText(value, context)}'`)
    .join(' ')
}

function cat(args: readonly Value[], context: CallContext): Value {
  return args
    .filter(isGiven)
    .map((value) => plainText(value, context))
    .join(' ')
}

function atoi(args: readonly Value[]): Value {
  const { value, problem } = parseGoInt(textArgument(args, 0), 10)
  // Go's Atoi gives the nearest int beside a range error, and sprig drops the error
  return goInt(problem === 'syntax' ? 0 : value)
}

/** A function of one text that has to know all of it. */
function textFunction(name: string, call: (text: string) => Value): FunctionDef {
  return { name, params: ['string'], tokens: 'refuse', call: (args) => call(textArgument(args, 0)) }
}

/** A function that changes the case of letters. */
function caseFunction(name: CaseFunction, map: typeof mapCharacters | typeof mapWhole): FunctionDef {
  const apply = caseFunctions[name]
  return {
    name,
    params: ['string'],
    tokens: 'handle',
    call: (args, context) => map({ name, apply }, textArgument(args, 0), context),
  }
}

/** sprig's text functions (strings.go, and goutils and xstrings behind them). */
export const stringFunctions: readonly FunctionDef[] = [
  { name: 'hello', params: [], tokens: 'pass', call: () => 'Hello!' },
  caseFunction('upper', mapCharacters),
  caseFunction('lower', mapCharacters),
  caseFunction('title', mapWhole),
  caseFunction('untitle', mapWhole),
  caseFunction('swapcase', mapWhole),
  textFunction('camelcase', toPascalCase),
  textFunction('snakecase', (text) => toConnectedCase(text, '_')),
  textFunction('kebabcase', (text) => toConnectedCase(text, '-')),
  {
    name: 'nospace',
    params: ['string'],
    tokens: 'handle',
    call: (args, context) => deleteSpacesAround(textArgument(args, 0), context),
  },
  textFunction('initials', firstLetters),
  { name: 'atoi', params: ['string'], tokens: 'refuse', call: atoi },
  { name: 'trim', params: ['string'], tokens: 'handle', call: trim },
  { name: 'trimAll', params: ['string', 'string'], tokens: 'handle', call: trimAll },
  { name: 'trimall', params: ['string', 'string'], tokens: 'handle', call: trimAll },
  { name: 'trimPrefix', params: ['string', 'string'], tokens: 'handle', call: trimPrefix },
  { name: 'trimSuffix', params: ['string', 'string'], tokens: 'handle', call: trimSuffix },
  { name: 'contains', params: ['string', 'string'], tokens: 'handle', call: contains },
  {
    name: 'hasPrefix',
    params: ['string', 'string'],
    tokens: 'handle',
    call: (args, { tokens }) => requireAffix(textArgument(args, 1), textArgument(args, 0), { end: 'start', tokens }),
  },
  {
    name: 'hasSuffix',
    params: ['string', 'string'],
    tokens: 'handle',
    call: (args, { tokens }) => requireAffix(textArgument(args, 1), textArgument(args, 0), { end: 'end', tokens }),
  },
  { name: 'replace', params: ['string', 'string', 'string'], tokens: 'handle', call: replace },
  {
    name: 'repeat',
    params: ['int', 'string'],
    tokens: 'pass',
    call: (args, context) => repeatText(textArgument(args, 1), intArgument(args, 0), context),
  },
  {
    name: 'indent',
    params: ['int', 'string'],
    tokens: 'pass',
    call: (args, context) => indentText(textArgument(args, 1), intArgument(args, 0), context),
  },
  {
    name: 'nindent',
    params: ['int', 'string'],
    tokens: 'pass',
    call: (args, context) => `\n${indentText(textArgument(args, 1), intArgument(args, 0), context)}`,
  },
  { name: 'trunc', params: ['int', 'string'], tokens: 'handle', call: truncate },
  { name: 'substr', params: ['int', 'int', 'string'], tokens: 'handle', call: substring },
  {
    name: 'abbrev',
    params: ['int', 'string'],
    tokens: 'refuse',
    call: (args) => abbreviate(textArgument(args, 1), 0, intArgument(args, 0)),
  },
  {
    name: 'abbrevboth',
    params: ['int', 'int', 'string'],
    tokens: 'refuse',
    call: (args) => abbreviate(textArgument(args, 2), intArgument(args, 0), intArgument(args, 1)),
  },
  {
    name: 'wrap',
    params: ['int', 'string'],
    tokens: 'refuse',
    call: (args, { charge }) =>
      wrapText(textArgument(args, 1), { width: intArgument(args, 0), longWords: 'keep', charge }),
  },
  {
    name: 'wrapWith',
    params: ['int', 'string', 'string'],
    tokens: 'refuse',
    call: (args, { charge }) =>
      wrapText(textArgument(args, 2), {
        width: intArgument(args, 0),
        newLine: textArgument(args, 1),
        longWords: 'break',
        charge,
      }),
  },
  {
    name: 'plural',
    params: ['string', 'string', 'int'],
    tokens: 'pass',
    call: (args) => textArgument(args, intArgument(args, 2) === 1 ? 0 : 1),
  },
  { name: 'quote', params: [], variadic: 'any', tokens: 'pass', call: quote },
  { name: 'squote', params: [], variadic: 'any', tokens: 'pass', call: squote },
  { name: 'cat', params: [], variadic: 'any', tokens: 'pass', call: cat },
]
