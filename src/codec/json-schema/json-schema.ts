import { Ajv, type ErrorObject, type Options } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Value } from '../../model/value.ts'
import { draftOf, normalizeSchema, REFERENCE_COUNTER, SchemaError, type SchemaDraft } from './json-schema-dialect.ts'
import { createQuickCheck, type PatternTime } from './json-schema-quick.ts'
import { schemaFormats } from './json-schema-formats.ts'
import { isMultipleOf } from './multiple-of.ts'
import { type SchemaProblem, toProblem } from './json-schema-problem.ts'
import { canonicalText, type Plain, toPlain } from '../json/plain-value.ts'
import { compileRegexp } from '../text/regexp.ts'

export type { SchemaProblem }

/** A schema, ready for use on any number of values. */
export interface CompiledSchema {
  /**
   * All problems of the value; none when it is valid.
   * @throws SchemaError when the schema's references recurse without end or too often
   */
  readonly validate: (value: Value) => readonly SchemaProblem[]
}

/** `auto`: as `$schema` says, else 2020-12. */
export interface SchemaOptions {
  readonly draft?: SchemaDraft | 'auto'
  /** `on-use` is for schemas of our own, whose patterns are known to be right. Default: `at-once`. */
  readonly patterns?: PatternTime
}

/**
 * References that one validation may follow: far above real use, low enough to end an exponential schema in seconds.
 */
const MAX_REFERENCES = 2_000_000
const MAX_CACHED = 200

const cache = new Map<string, CompiledSchema>()

/**
 * Compiles a JSON Schema; equal schemas are compiled once. Drafts 4, 6, 7, 2019-09 and 2020-12. As in Helm 4
 * (santhosh-tekuri/jsonschema v6): patterns are Go's, `format` is checked in drafts before 2019-09 only. Nothing is
 * fetched.
 * @throws SchemaError when the schema is not valid or refers to another document
 */
export function compileSchema(schema: Value, options: SchemaOptions = {}): CompiledSchema {
  return guarded(() => {
    const plain = toPlain(schema)
    const draft = options.draft === undefined || options.draft === 'auto' ? draftOf(plain) : options.draft
    const { patterns = 'at-once' } = options
    const key = `${draft} ${patterns} ${JSON.stringify(plain)}`
    const known = cache.get(key)
    if (known !== undefined) return known
    const compiled = compile(normalizeSchema(plain, draft), { draft, patterns })
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(key, compiled)
    return compiled
  })
}

function compile(
  schema: Plain,
  { draft, patterns }: { readonly draft: SchemaDraft; readonly patterns: PatternTime },
): CompiledSchema {
  const quick = createQuickCheck(schema, { draft, patterns })
  // what the quick check can read is a sound schema; only a value that fails is worth the full compilation
  let full = quick === undefined ? compileFully(schema, draft) : undefined
  return {
    validate(value) {
      return guarded(() => {
        const plain = toPlain(value)
        if (quick?.(plain) === 'valid') return []
        full ??= compileFully(schema, draft)
        return full(plain).map((error) => toProblem(error, value))
      })
    },
  }
}

function compileFully(schema: Plain, draft: SchemaDraft): (value: Plain) => readonly ErrorObject[] {
  const ajv = createAjv(draft, refersToMetaSchema(schema))
  const counter = { left: 0 }
  defineKeywords(ajv, counter)
  const check = ajv.compile(typeof schema === 'boolean' ? schema : Object.assign(Object.create(null), schema))
  return (value) => {
    counter.left = MAX_REFERENCES
    return check(value) ? [] : (check.errors ?? []).filter(isOwnProblem)
  }
}

function createAjv(draft: SchemaDraft, meta: boolean): Ajv {
  const checksFormats = draft.startsWith('draft')
  const options: Options = {
    strict: false,
    logger: false,
    allErrors: true,
    verbose: true,
    meta,
    validateSchema: false,
    inlineRefs: false,
    unicodeRegExp: false,
    validateFormats: checksFormats,
    formats: checksFormats ? schemaFormats : {},
    // Schemas are used a few times per run: compiling fast beats running fast.
    code: { optimize: false, regExp: Object.assign(createPattern, { code: 'createPattern' }) },
  }
  if (draft === '2020-12') return new Ajv2020(options)
  return draft === '2019-09' ? new Ajv2019(options) : new Ajv(options)
}

/** The library tells patterns apart by their text. */
function createPattern(pattern: string): { readonly test: (text: string) => boolean; readonly toString: () => string } {
  const { test } = compileRegexp(pattern)
  return { test, toString: () => pattern }
}

function refersToMetaSchema(schema: Plain): boolean {
  return /"\$ref":"https?:\/\/json-schema\.org\//.test(JSON.stringify(schema))
}

/**
 * Replaces the keywords that compare by deep equality (the library's comparison calls methods of the data, which maps
 * without prototype lack and untrusted data could plant), `multipleOf` (decimal, not binary), and adds the one that
 * counts references.
 */
function defineKeywords(ajv: Ajv, counter: { left: number }): void {
  for (const keyword of ['enum', 'const', 'uniqueItems', 'multipleOf']) ajv.removeKeyword(keyword)
  ajv.addKeyword({
    keyword: 'enum',
    schemaType: 'array',
    errors: false,
    compile(values: readonly Plain[]) {
      const texts = new Set(values.map(canonicalText))
      return (data: Plain) => texts.has(canonicalText(data))
    },
  })
  ajv.addKeyword({
    keyword: 'const',
    errors: false,
    compile(wanted: Plain) {
      const text = canonicalText(wanted)
      return (data: Plain) => canonicalText(data) === text
    },
  })
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    compile: (wanted: boolean) => (data: readonly Plain[]) =>
      !wanted || new Set(data.map(canonicalText)).size === data.length,
  })
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    errors: false,
    compile: (divisor: number) => (data: number) => isMultipleOf(data, divisor),
  })
  ajv.addKeyword({
    keyword: REFERENCE_COUNTER,
    schemaType: 'boolean',
    errors: false,
    compile: () => () => {
      if (--counter.left < 0) throw new SchemaError('the schema follows too many references for this value')
      return true
    },
  })
}

/** Runs `work`; what the library throws about the schema becomes a SchemaError. */
function guarded<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof SchemaError) throw error
    if (error instanceof RangeError)
      throw new SchemaError('the schema or the value is nested too deeply', { cause: error })
    if (!(error instanceof Error)) throw error
    throw new SchemaError(explain(error), { cause: error })
  }
}

function explain(error: Error): string {
  const missing = 'missingRef' in error && typeof error.missingRef === 'string' ? error.missingRef : undefined
  if (missing === undefined) return `the schema is not valid: ${error.message}`
  const shown = JSON.stringify(missing.replace(/\/\/[^/@]*@/, '//'))
  if (missing.startsWith('#')) return `$ref ${shown} leads nowhere`
  return `$ref ${shown} names another document; schemas are never fetched, so it has to be part of this one`
}

/**
 * Leaves out what only repeats another problem: `if` (its `then` or `else` says more), and the schema of a property's
 * name.
 */
function isOwnProblem(error: ErrorObject): boolean {
  return error.keyword !== 'if' && error.propertyName === undefined
}
