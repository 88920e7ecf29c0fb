import { compileRegexp, RegexpError, type GoRegexp, type Look, type RegexpMatch } from '../../../codec/text/regexp.ts'
import { typedList, type Value } from '../../../model/value.ts'
import { quoteGo } from '../../engine/format.ts'
import { FunctionError, type CallContext, type FunctionDef } from '../../engine/function.ts'
import { refuseToken } from '../../engine/token-refused.ts'
import { intArgument, textArgument } from '../arguments.ts'
import { nilList } from '../go/typed-nil.ts'
import { inGo, ofValue, ours, say, withoutQuotes } from '../../engine/error-text.ts'

/** Charts use the same few expressions over and over. */
const maxCached = 256
const cache = new Map<string, GoRegexp>()

/** Compiles, or takes the expression from the cache. @throws RegexpError */
function compile(pattern: string): GoRegexp {
  const known = cache.get(pattern)
  if (known !== undefined) return known
  const compiled = compileRegexp(pattern)
  if (cache.size >= maxCached) cache.delete(cache.keys().next().value ?? '')
  cache.set(pattern, compiled)
  return compiled
}

/** How Go reports an expression that does not compile: as MustCompile's panic or as Compile's error. */
type Failure = 'panic' | 'error'

function compileFor(args: readonly Value[], failure: Failure): GoRegexp {
  const pattern = textArgument(args, 0)
  try {
    return compile(pattern)
  } catch (error) {
    if (!(error instanceof RegexpError)) throw error
    const quoted = ofValue(pattern, quotePattern(pattern))
    const problem = inGo(error.message, say`${ours(error.unquoted)}: ${quoted}`)
    const text = failure === 'panic' ? say`regexp: Compile(${quoted}): ${withoutQuotes(error)}` : problem
    throw new FunctionError(text, { cause: error })
  }
}

/** Go's regexp.quote: backquotes where a raw string literal can hold the text. */
function quotePattern(pattern: string): string {
  return /[`\x00-\x08\x0a-\x1f\x7f\ufeff\ud800-\udfff]/.test(pattern) ? quoteGo(pattern) : `\`${pattern}\``
}

/** A character that a search looks at is as much work as this many that are read. */
const lookSize = 8

function lookOf(context: CallContext): Look {
  return (amount) => context.look(amount * lookSize)
}

function match(args: readonly Value[], context: CallContext): Value {
  try {
    return compile(textArgument(args, 0)).test(textArgument(args, 1), lookOf(context))
  } catch (error) {
    if (error instanceof RegexpError) return false
    throw error
  }
}

function textOfMatch(text: string, found: RegexpMatch | undefined): string {
  return found === undefined ? '' : text.slice(found[0], found[1])
}

/** Go's Expand: `$1`, `${1}`, `$name`, `${name}`, `$$`; a group that is not there is empty. */
function expand(
  template: string,
  found: { readonly match: RegexpMatch; readonly text: string; readonly regexp: GoRegexp },
): string {
  return template.replace(
    /\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu,
    (all, braced: string | undefined, bare: string | undefined) => {
      if (all === '$$') return '$'
      const name = braced ?? bare ?? ''
      const group = groupNumber(name, found.regexp)
      const start = group === undefined ? undefined : found.match[group * 2]
      const end = group === undefined ? undefined : found.match[group * 2 + 1]
      return start === undefined || end === undefined || start < 0 ? '' : found.text.slice(start, end)
    },
  )
}

function groupNumber(name: string, regexp: GoRegexp): number | undefined {
  if (!/^[0-9]+$/.test(name)) return regexp.groupNames.get(name)
  const isPlain = name === '0' || (!name.startsWith('0') && name.length < 9)
  return isPlain ? Number(name) : undefined
}

function replaceAll(args: readonly Value[], context: CallContext, failure: Failure): Value {
  const regexp = compileFor(args, failure)
  const text = textArgument(args, 1)
  const template = textArgument(args, 2)
  return regexp.replaceAll(
    text,
    (found) => {
      const replacement = expand(template, { match: found, text, regexp })
      context.charge(replacement.length + 1)
      return replacement
    },
    lookOf(context),
  )
}

function replaceAllLiteral(args: readonly Value[], context: CallContext, failure: Failure): Value {
  refuseToken(textArgument(args, 0) + textArgument(args, 1), 'cannot search in a value that is only known later')
  const replacement = textArgument(args, 2)
  return compileFor(args, failure).replaceAll(
    textArgument(args, 1),
    () => {
      context.charge(replacement.length + 1)
      return replacement
    },
    lookOf(context),
  )
}

function findAll(args: readonly Value[], context: CallContext, failure: Failure): Value {
  const text = textArgument(args, 1)
  const found = compileFor(args, failure).findAll(text, intArgument(args, 2), lookOf(context))
  context.charge(found.length)
  if (found.length === 0) return nilList('string')
  return typedList(
    'string',
    found.map((each) => textOfMatch(text, each)),
  )
}

/** Go's Split: at most `n` parts (all when negative, none when 0); an empty match at the end does not split. */
function split(args: readonly Value[], context: CallContext, failure: Failure): Value {
  const regexp = compileFor(args, failure)
  const text = textArgument(args, 1)
  const limit = intArgument(args, 2)
  if (limit === 0) return nilList('string')
  if (regexp.source !== '' && text === '') return typedList('string', [''])
  const parts: Value[] = []
  let start = 0
  let end = 0
  for (const found of regexp.findAll(text, limit, lookOf(context))) {
    if (limit > 0 && parts.length === limit - 1) break
    end = found[0] ?? 0
    if (found[1] !== 0) parts.push(text.slice(start, end))
    start = found[1] ?? 0
  }
  if (end !== text.length) parts.push(text.slice(start))
  context.charge(parts.length)
  return typedList('string', parts)
}

type Call = (args: readonly Value[], context: CallContext, failure: Failure) => Value

/** The function and its `must` form, which differ in the error text. */
function pair(definition: Omit<FunctionDef, 'call'>, call: Call): readonly FunctionDef[] {
  const mustName = `must${definition.name.charAt(0).toUpperCase()}${definition.name.slice(1)}`
  return [
    { ...definition, call: (args, context) => call(args, context, 'panic') },
    { ...definition, name: mustName, call: (args, context) => call(args, context, 'error') },
  ]
}

/** sprig's regular expression functions (regex.go). */
export const regexpFunctions: readonly FunctionDef[] = [
  { name: 'regexMatch', params: ['string', 'string'], tokens: 'refuse', call: match },
  {
    name: 'mustRegexMatch',
    params: ['string', 'string'],
    tokens: 'refuse',
    call: (args, context) => compileFor(args, 'error').test(textArgument(args, 1), lookOf(context)),
  },
  ...pair({ name: 'regexFind', params: ['string', 'string'], tokens: 'refuse' }, (args, context, failure) => {
    const text = textArgument(args, 1)
    return textOfMatch(text, compileFor(args, failure).find(text, lookOf(context)))
  }),
  ...pair({ name: 'regexFindAll', params: ['string', 'string', 'int'], tokens: 'refuse' }, findAll),
  ...pair({ name: 'regexReplaceAll', params: ['string', 'string', 'string'], tokens: 'refuse' }, replaceAll),
  ...pair(
    { name: 'regexReplaceAllLiteral', params: ['string', 'string', 'string'], tokens: 'handle' },
    replaceAllLiteral,
  ),
  ...pair({ name: 'regexSplit', params: ['string', 'string', 'int'], tokens: 'refuse' }, split),
  {
    name: 'regexQuoteMeta',
    params: ['string'],
    tokens: 'refuse',
    call: (args) => textArgument(args, 0).replace(/[\\.+*?()|[\]{}^$]/g, '\\$&'),
  },
]
