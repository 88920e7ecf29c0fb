import { compareBytes } from '../../codec/text/text-order.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Crypto } from '../../model/ports.ts'
import { pathOf, type Source } from '../../model/source.ts'
import type { TokenTable } from '../../model/token.ts'
import { Dict } from '../../model/value.ts'
import { createEngine, removeNoValue, type Chunk, type Engine, type ParsedTemplate } from '../engine/engine.ts'
import type { Generation } from '../engine/function.ts'
import { defaultLimits, type Limits } from '../engine/limits.ts'
import { chartFunctions } from '../functions/registry.ts'
import { ChartValues } from './chart-values.ts'
import type { HelmVersion } from './coalesce.ts'
import { isPartial, type ChartTemplate } from './template-data.ts'

/** The options for executing templates besides their data. */
export interface ExecutionOptions {
  readonly helmVersion: HelmVersion
  readonly generate: Generation
  readonly limits?: Limits
  readonly crypto: Crypto
  readonly tokens: TokenTable
  readonly onFinding: (finding: Diagnostic) => void
  /** Milliseconds from some fixed start, for the time limit only. */
  readonly elapsed?: () => number
  /** True if pieces of output keep what wrote them. */
  readonly trace?: boolean
  /** Is given how much of the nearest limit each template has used, from 0 to 1. */
  readonly onShare?: ((share: number) => void) | undefined
  /** Is given what says what is being executed. */
  readonly onEngine?: (engine: Pick<Engine, 'stopped'>) => void
}

/** A rendered template. */
export interface RenderedFile {
  readonly path: string
  /** Where its template lies. */
  readonly file: string
  readonly chunks: readonly Chunk[]
}

/**
 * Parses all templates, then executes all but partials, deepest path first and Z before A (Helm pkg/engine,
 * sortTemplates reversed).
 * @throws StackmasonError TEMPLATE_*
 */
export function renderTemplates(
  templates: readonly ChartTemplate[],
  options: ExecutionOptions,
): readonly RenderedFile[] {
  const { crypto, tokens, generate, onFinding, elapsed, trace, helmVersion, limits = defaultLimits } = options
  const engine = createEngine({
    functions: chartFunctions,
    lateBound: true,
    limits,
    crypto,
    tokens,
    generate,
    onFinding,
    elapsed,
    trace,
    onShare: options.onShare,
  })
  options.onEngine?.(engine)
  const ordered = templates.toSorted((a, b) => depthOf(b.path) - depthOf(a.path) || compareBytes(b.path, a.path))
  const set = engine.createSet(ordered.map((template) => parse(engine, template)))
  return ordered
    .filter(({ path }) => !isPartial(path))
    .map(({ path, source, data, basePath }) => {
      const about = new Dict()
      about.set('Name', path)
      about.set('BasePath', basePath)
      data.set('Template', new ChartValues(about, helmVersion))
      return { path, file: pathOf(source), chunks: removeNoValue(engine.execute(set, path, data)) }
    })
}

function depthOf(path: string): number {
  return path.split('/').length
}

/**
 * Parsed templates by the file they come from and the name that it has in a tree; charts are immutable, so they last as
 * long as their chart.
 */
const parsed = new WeakMap<Source, Map<string, ParsedTemplate>>()

function parse(engine: Engine, { source, path }: ChartTemplate): ParsedTemplate {
  const byPath = parsed.get(source) ?? new Map<string, ParsedTemplate>()
  parsed.set(source, byPath)
  const known = byPath.get(path)
  if (known !== undefined) return known
  const template = engine.parse({ name: path, text: source.text, path: pathOf(source) })
  byPath.set(path, template)
  return template
}
