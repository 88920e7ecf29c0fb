import type { SchemaProblem } from '../../codec/json-schema/json-schema.ts'
import type { Code } from '../../model/error-codes.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { dictAt, fieldAt, type PathStep } from '../../model/field.ts'
import { dnsLabel, dnsSubdomain } from '../../model/kubernetes-names.ts'
import { nearestDotted, nearestName } from '../../model/nearest-name.ts'
import type { Span } from '../../model/source.ts'
import type { Value } from '../../model/value.ts'
import type { ConfigDocument } from './config-document.ts'
import { kindOfSchema } from './document-kind.ts'
import { fieldHome } from './field-home.ts'
import { fieldHint } from './field-hints.ts'
import type { SchemaName } from './schema-texts.ts'

interface Description {
  readonly code: Code
  readonly message: string
  readonly at: Span
  readonly hint?: string | undefined
}

/** Says what a document has wrong, in words and at the place that a person has to change. */
export function describeProblem(problem: SchemaProblem, document: ConfigDocument, schema: SchemaName): Diagnostic {
  const { hint, ...rest } = describe(problem, document)
  const { keyword, path, property } = problem
  const place = keyword === 'additionalProperties' || keyword === 'propertyNames' ? [...path, property ?? ''] : path
  const home = keyword === 'additionalProperties' ? fieldHome(schema, path, property ?? '') : undefined
  const said = fieldHint(schema, place, keyword) ?? headHint(problem, schema) ?? home ?? hint
  return { severity: 'error', ...rest, hint: said }
}

/** The hint for fields that the head of a document lacks; they are the same in all documents of its kind. */
function headHint({ keyword, path, property }: SchemaProblem, schema: SchemaName): string | undefined {
  const wanted = kindOfSchema(schema)
  if (wanted === undefined || keyword !== 'required' || path.length > 0) return undefined
  if (property === 'kind') return `Add \`kind: ${wanted.kind}\`.`
  return property === 'apiVersion' ? `Add \`apiVersion: ${wanted.apiVersions[0]}\`.` : undefined
}

/** A path as people write it: `spec.sources[0].name`; `the document` for the root. */
export function formatPath(path: readonly PathStep[]): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else if (/^[\w-]+$/.test(step)) text += `${text === '' ? '' : '.'}${step}`
    else text += `[${quote(step)}]`
  }
  return text === '' ? 'the document' : text
}

/** Text of a file inside a message: one line, not endless. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}

function describe(problem: SchemaProblem, document: ConfigDocument): Description {
  const { path, keyword } = problem
  const at = document.spanOf(path)
  const field = formatPath(path)
  switch (keyword) {
    case 'additionalProperties':
      return unknownField(problem, document)
    case 'propertyNames':
      return unknownName(problem, document)
    case 'required': {
      const message = `${formatPath([...path, problem.property ?? ''])} is missing`
      const hint = `Add \`${problem.property ?? ''}\`${path.length === 0 ? '' : ` to ${field}`}.`
      return { code: 'CONFIG_MISSING_FIELD', message, at: startOf(path, document), hint }
    }
    case 'type':
      return wrongType(problem, document)
    case 'enum':
    case 'const':
      return notAllowed(problem, document)
    case 'pattern': {
      if (problem.example !== undefined)
        return { code: 'CONFIG_INVALID_VALUE', message: `${field} must look like ${quote(problem.example)}`, at }
      const pattern = /'(.*)'$/.exec(problem.message)?.[1]
      return {
        code: 'CONFIG_INVALID_VALUE',
        message: `${field} has the wrong form`,
        at,
        hint: pattern === undefined ? undefined : `Allowed is what matches ${pattern}${inWords.get(pattern) ?? ''}.`,
      }
    }
    case 'oneOf':
    case 'not':
      return wrongChoice(problem, document)
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      if (!problem.message.endsWith(' 1')) break
      return {
        code: 'CONFIG_INVALID_VALUE',
        message: `${field} must not be empty`,
        at,
        hint: 'Write something there, or remove the field where it is optional.',
      }
    case 'minimum':
    case 'maximum':
    case 'maxLength':
      return { code: 'CONFIG_INVALID_VALUE', message: `${field} ${boundOf(problem)}`, at, hint: 'Correct the value.' }
    default:
  }
  return { code: 'CONFIG_INVALID_VALUE', message: `${field} is not valid: ${problem.message}`, at }
}

/** Patterns of Kubernetes' own, for people who read no regular expressions. */
const inWords: ReadonlyMap<string, string> = new Map(
  [
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', dnsLabel] as const,
    [String.raw`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`, dnsSubdomain] as const,
  ].map(([pattern, { says }]) => [pattern, `: ${says}`]),
)

function boundOf({ keyword, message }: SchemaProblem): string {
  const bound = /want (\S+)$/.exec(message)?.[1] ?? ''
  if (keyword === 'maxLength') return `has more than ${bound} characters`
  return `must be ${keyword === 'minimum' ? 'at least' : 'at most'} ${bound}`
}

function unknownField(problem: SchemaProblem, document: ConfigDocument): Description {
  const name = problem.property ?? ''
  const known = openFields(problem, document)
  const nearest = meantField(problem, document)
  const listed =
    known.length === 0
      ? 'No other field is possible here: remove it.'
      : `Possible here: ${[...known].sort().join(', ')}.`
  return {
    code: 'CONFIG_UNKNOWN_FIELD',
    message: `unknown field ${quote(name)} in ${formatPath(problem.path)}`,
    at: document.spanOf([...problem.path, name], 'key'),
    hint: nearest === undefined ? listed : `Did you mean "${nearest}"? ${listed}`,
  }
}

/** The fields that are possible at the place of a problem, and that are not there. */
function openFields({ allowed = [], path }: SchemaProblem, document: ConfigDocument): readonly string[] {
  return allowed.filter((other) => !dictAt(document.value, ...path)?.has(other))
}

/** The field that an unknown one was most likely meant to be. */
export function meantField(problem: SchemaProblem, document: ConfigDocument): string | undefined {
  return nearestName(problem.property ?? '', openFields(problem, document))
}

function unknownName(problem: SchemaProblem, document: ConfigDocument): Description {
  const name = problem.property ?? ''
  const nearest = nearestDotted(name, problem.allowed ?? [])
  const like = problem.example === undefined ? undefined : `Write it like ${quote(problem.example)}.`
  return {
    code: 'CONFIG_UNKNOWN_FIELD',
    message: `unknown field ${quote(name)} in ${formatPath(problem.path)}`,
    at: document.spanOf([...problem.path, name], 'key'),
    hint: nearest === undefined ? like : `Did you mean ${quote(nearest)}?`,
  }
}

const typeNames: ReadonlyMap<string, string> = new Map([
  ['object', 'a map'],
  ['array', 'a list'],
  ['string', 'a string'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
])

function wrongType(problem: SchemaProblem, document: ConfigDocument): Description {
  const at = document.spanOf(problem.path)
  const expected = problem.expected ?? []
  const wanted = expected.flatMap((type) => typeNames.get(type) ?? []).join(' or ')
  const got = problem.got ?? ''
  const written = document.source.text.slice(at.start, at.end)
  const isScalar = (got === 'number' || got === 'boolean') && written.length <= 40 && !/\s/.test(written)
  const is = got === 'null' ? 'has no value' : isScalar ? `${written} is ${articled(got)}` : `is ${articled(got)}`
  const isQuotable = isScalar && expected.includes('string')
  return {
    code: 'CONFIG_WRONG_TYPE',
    message: `${formatPath(problem.path)} must be ${wanted}, but ${is}`,
    at: got === 'object' || got === 'array' ? startOf(problem.path, document) : at,
    hint: isQuotable
      ? `Put it in quotes: "${written}".`
      : got === 'null'
        ? 'Give it a value, or remove the field.'
        : (wayFromText(fieldAt(document.value, ...problem.path), expected) ?? wayToShape(got, expected)),
  }
}

/** The hint for a string where another type belongs. */
function wayFromText(value: Value | undefined, expected: readonly string[]): string | undefined {
  if (typeof value !== 'string' || expected.includes('string')) return undefined
  const isNumber = expected.some((type) => type === 'integer' || type === 'number')
  const isBoolean = expected.includes('boolean')
  const fits = (isNumber && /^-?[1-9]\d{0,14}$|^0$/.test(value)) || (isBoolean && /^(?:true|false)$/.test(value))
  if (fits) return `Remove the quotes: ${value}.`
  if (isNumber) return 'Write a number without quotes, such as 3.'
  return isBoolean ? 'Write true or false, without quotes.' : undefined
}

/** The hint for a map, a list or one value where another of these belongs. */
function wayToShape(got: string, expected: readonly string[]): string | undefined {
  const isMap = expected.includes('object')
  const isList = expected.includes('array')
  if (got === 'array') return isMap ? 'Write it as a map: `name: value`, without a dash before it.' : 'Write one value.'
  if (isMap === isList) return got === 'object' ? 'Write one value.' : undefined
  return isMap ? 'Write it as a map: `name: value`.' : 'Write it as a list: each item after a dash.'
}

function articled(type: string): string {
  return type === 'boolean' ? 'a boolean' : (typeNames.get(type) ?? `of type ${type}`)
}

function notAllowed(problem: SchemaProblem, document: ConfigDocument): Description {
  const all = problem.allowed ?? []
  // YAML reads an `off` without quotes as false
  const allowed = all.includes('off') ? all.filter((item) => item !== 'false') : all
  const value = fieldAt(document.value, ...problem.path)
  const nearest = typeof value === 'string' ? nearestName(value, allowed) : undefined
  const isText = fieldTypeIsText(allowed)
  const listed = allowed.map((item) => (isText ? `"${item}"` : item)).join(', ')
  return {
    code: 'CONFIG_INVALID_VALUE',
    message: `${formatPath(problem.path)} must be ${allowed.length > 1 ? 'one of ' : ''}${listed}`,
    at: document.spanOf(problem.path),
    hint: nearest === undefined || allowed.length < 2 ? undefined : `Did you mean "${nearest}"?`,
  }
}

function fieldTypeIsText(allowed: readonly string[]): boolean {
  return allowed.some((item) => !/^\d+$/.test(item))
}

/** Fields that exclude each other, or one of which must be there. */
function wrongChoice(problem: SchemaProblem, document: ConfigDocument): Description {
  const names = problem.allowed ?? []
  const present = names.filter((name) => dictAt(document.value, ...problem.path)?.has(name))
  const quoted = names.map((name) => `"${name}"`)
  const listed = [quoted.slice(0, -1).join(', '), ...quoted.slice(-1)].join(' and ')
  const [, second] = present
  const where = formatPath(problem.path)
  if (second !== undefined) {
    const message = `${where} may have only one of ${listed}`
    return { code: 'CONFIG_CONFLICT', message, at: document.spanOf([...problem.path, second], 'key') }
  }
  const message = `${where} must have one of ${listed}`
  return { code: 'CONFIG_MISSING_FIELD', message, at: startOf(problem.path, document) }
}

/** A place for what is about a whole map or list: its key, or the first character of an item or a document. */
function startOf(path: readonly PathStep[], document: ConfigDocument): Span {
  if (path.length === 0) return document.start
  const span = document.spanOf(path, 'key')
  return typeof path.at(-1) === 'number' ? { ...span, end: Math.min(span.start + 1, span.end) } : span
}
