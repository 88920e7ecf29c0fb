import { startOfLine } from '../../codec/text/start-of-line.ts'
import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { Crypto } from '../../model/ports.ts'
import type { Source, Span } from '../../model/source.ts'
import { rootTokens, type TokenOrigin, type TokenTable } from '../../model/token.ts'
import { Dict, type Value } from '../../model/value.ts'
import { sampleText } from '../chart/sample-tokens.ts'
import { type Chunk, chunkText, createEngine, type Engine, type ParsedTemplate } from '../engine/engine.ts'
import { defaultLimits } from '../engine/limits.ts'
import { locateInPieces, type LocateText } from '../explain/template-places.ts'
import { runtimeFunctions } from '../functions/registry.ts'
import { nameTokens } from '../engine/token-search.ts'
import { textToken } from '../functions/token-integer.ts'
import { locateTokens } from './locate-tokens.ts'
import { createRuntimeData, isMapField, isSwitchField } from './runtime-fields.ts'

/**
 * The treatment of fields that only the running cluster knows: `bind` = tokens stand for them, to be filled in through
 * a GitOps tool; `refuse` = reading one is an error.
 */
export type RuntimeFields = 'bind' | 'refuse'

/** The options for rendering a runtime template. */
export interface RuntimeValuesOptions {
  /** The Cluster, class defaults in. */
  readonly cluster: Dict
  readonly supplied: Cluster['runtimeValues']
  readonly runtimeFields: RuntimeFields
  /** Gets the tokens of the values, and the assumptions made about them. */
  readonly tokens: TokenTable
  readonly crypto: Crypto
  readonly onFinding: (finding: Diagnostic) => void
  /** Gets what the template read; absent: nobody asks. */
  readonly onReads?: ((reads: RuntimeReads) => void) | undefined
}

/** The fields that only the running cluster knows, as templates read them. */
export interface RuntimeReads {
  /** Paths that the fleet supplies, and that were read. */
  readonly supplied: readonly string[]
  /** Paths that were asked for, and that nobody supplies. */
  readonly asked: readonly string[]
}

/**
 * Renders an addon's `overwrite.yaml` (or `cluster-addon-values.yaml`) to values as CSO does: Go's text/template with
 * slim-sprig; when the top key `values` holds a string, that string is the values file, else the whole document is; an
 * empty file gives no values.
 * @throws StackmasonError RUNTIME_VALUE_UNKNOWN for every runtime-only field that may not be read, or decides what is
 * rendered; CHART_VALUES_INVALID; TEMPLATE_*, also for a function that reads the clock, the environment or random
 * numbers
 */
export function renderRuntimeValues(template: Source, options: RuntimeValuesOptions): Dict {
  const { tokens } = options
  const refused: Diagnostic[] = []
  const originOf = (path: string): TokenOrigin => ({
    at: locate(template, path) ?? { source: template, start: 0, end: 0 },
  })
  const { data, fieldOfToken, reads, listed, isSuppliedRead } = createRuntimeData(options.cluster, options.supplied, {
    tokens,
    originOf,
  })
  const engine = createEngine({
    functions: runtimeFunctions,
    lateBound: false,
    limits: defaultLimits,
    crypto: options.crypto,
    tokens,
    generate: 'token',
    onFinding: (finding) => (finding.severity === 'error' ? refused.push(finding) : options.onFinding(finding)),
    fieldOfToken,
  })
  let chunks: readonly Chunk[]
  try {
    chunks = engine.execute(engine.createSet([parseOnce(template, engine)]), template.name, data)
  } catch (error) {
    // a failure that comes from a field we do not know is better told as that
    if (options.runtimeFields === 'refuse' && reads.size > 0 && error instanceof StackmasonError)
      throw unknownFields(template, reads)
    throw error
  }
  if (refused.length > 0) throw new StackmasonError(refused)
  options.onReads?.({
    supplied: [...options.supplied.keys()].filter(isSuppliedRead),
    asked: [...reads].filter((path) => ![...reads].some((other) => other.startsWith(`${path}.`))),
  })
  if (options.runtimeFields === 'refuse' && reads.size > 0) throw unknownFields(template, reads)
  const values = parseValues(chunks, { template, tokens })
  const problems = misused(template, { values, tokens, listed })
  if (problems.length > 0) throw new StackmasonError(problems)
  return values
}

/** An overwrite.yaml is rendered for each cluster; parsed templates are immutable. */
const parsed = new WeakMap<Source, ParsedTemplate>()

function parseOnce(template: Source, engine: Engine): ParsedTemplate {
  const known = parsed.get(template) ?? engine.parse(template)
  parsed.set(template, known)
  return known
}

function parseValues(
  chunks: readonly Chunk[],
  { template, tokens }: { readonly template: Source; readonly tokens: TokenTable },
): Dict {
  const parse = (yaml: string, locate: LocateText): Dict => {
    try {
      const value = parseGoYaml(yaml)
      if (value === null) return new Dict()
      if (value instanceof Dict) return markQuotedNumbers(value, parseGoYaml(sampleText(yaml, tokens)), tokens)
    } catch (error) {
      if (!(error instanceof YamlError)) throw error
      const { text: words, unquoted = words } = error.problem
      throw invalidValues(template, `it is no YAML: ${nameTokens(unquoted, tokens)}`, locate(error.offset))
    }
    throw invalidValues(template, 'the rendered text is not a map')
  }
  const text = chunkText(chunks)
  const locate = locateInPieces(chunks)
  const whole = parse(text, locate)
  const inner = whole.get('values')
  if (typeof inner !== 'string') return whole
  return parse(inner, (offset) => {
    const at = offsetOfLine(text, inner, offset)
    return at === undefined ? undefined : locate(at)
  })
}

/** Where the line of a text that is part of another one begins there; undefined if several lines look like it. */
function offsetOfLine(whole: string, part: string, offset: number): number | undefined {
  const start = startOfLine(part, offset)
  const end = part.indexOf('\n', offset)
  const line = part.slice(start, end === -1 ? part.length : end).trim()
  const at = whole.indexOf(line)
  return line === '' || at === -1 || whole.includes(line, at + 1) ? undefined : at
}

/**
 * Numbers that are only known later are text to a YAML reader: those that would be text with any value are marked as
 * such.
 */
function markQuotedNumbers(values: Dict, sample: Value, tokens: TokenTable): Dict {
  if (tokens.specs.length === 0) return values
  const mark = (value: Value, shown: Value | undefined): Value => {
    if (value instanceof Dict) {
      for (const [key, child] of value) value.set(key, mark(child, shown instanceof Dict ? shown.get(key) : undefined))
      return value
    }
    if (Array.isArray(value)) {
      for (const [index, child] of value.entries())
        value[index] = mark(child, Array.isArray(shown) ? shown[index] : undefined)
      return value
    }
    return typeof value === 'string' && typeof shown === 'string' ? textToken(value, { tokens }) : value
  }
  mark(values, sample)
  return values
}

function invalidValues(template: Source, reason: string, at?: Span): StackmasonError {
  return new StackmasonError({
    code: 'CHART_VALUES_INVALID',
    severity: 'error',
    message: `the template does not render to values: ${reason}`,
    ...(at === undefined ? { file: template.name } : { at }),
    hint: 'Correct the text that the template prints there; a field that the Cluster does not have prints `<no value>`.',
  })
}

/** One error per field; a path that was only passed through on the way to a longer one is left out. */
function unknownFields(template: Source, reads: ReadonlySet<string>): StackmasonError {
  const paths = [...reads].filter((path) => ![...reads].some((other) => other.startsWith(`${path}.`)))
  return new StackmasonError(
    paths.map((path) => ({
      ...problemOf(template, path, 'is known only in the running cluster'),
      hint: `Fix it in cluster.yaml where Cluster API allows that, add to addons.yaml: spec.runtimeValues: {"${path}": …}, or name the GitOps tool that is to fill it in: spec.handoff of stackmason.yaml.`,
    })),
  )
}

function problemOf(template: Source, path: string, what: string): Diagnostic {
  const at = locate(template, path)
  return {
    code: 'RUNTIME_VALUE_UNKNOWN',
    severity: 'error',
    message: `.${path} ${what}`,
    ...(at === undefined ? { file: template.name } : { at }),
  }
}

/** Uses of runtime-only fields that no value filled in later can make right. */
function misused(
  template: Source,
  use: { readonly values: Dict; readonly tokens: TokenTable; readonly listed: ReadonlySet<string> },
): readonly Diagnostic[] {
  const { values, tokens } = use
  const texts = locateTokens(values).flatMap(({ text }) => rootTokens(text, tokens).map((token) => tokens.get(token)))
  const printed = texts.flatMap((spec) => (spec?.kind === 'runtime' && isMapField(spec.path) ? [spec.path] : []))
  const found = new Set([...use.listed, ...printed])
  const wholes = [...found].filter((path) => ![...found].some((other) => path.startsWith(`${other}.`)))
  return [
    ...wholes.map((path) => ({
      ...problemOf(template, path, 'is used as a whole, and holds what only the running cluster knows'),
      hint: 'Name the single fields that are needed.',
    })),
    ...decidingFields(tokens),
  ]
}

/** Errors for fields that were asked whether they are set though that is what they tell: see {@link isSwitchField}. */
export function decidingFields(tokens: Pick<TokenTable, 'assumptions'>): readonly Diagnostic[] {
  const deciding = tokens.assumptions.filter(({ path }) => isSwitchField(path) || isMapField(path))
  return deciding.map(({ path, origin }): Diagnostic => ({
    code: 'RUNTIME_VALUE_UNKNOWN',
    severity: 'error',
    message: `.${path}, which only the running cluster knows, decides what is rendered`,
    ...origin,
    hint: `Supply it in addons.yaml: spec.runtimeValues: {"${path}": …}, or take the condition out of the template: what gets applied must be known when it is committed.`,
  }))
}

function locate(template: Source, path: string): Span | undefined {
  const last = path.slice(path.lastIndexOf('.') + 1)
  for (const needle of [`.${path}`, `.${last}`, last]) {
    const start = template.text.indexOf(needle)
    if (start !== -1) return { source: template, start, end: start + needle.length }
  }
  return undefined
}
