import { parseGoYaml, YamlError } from '../../codec/go-yaml-parse.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { Crypto } from '../../model/ports.ts'
import type { Source, Span } from '../../model/source.ts'
import { createTokenTable } from '../../model/token.ts'
import { Dict } from '../../model/value.ts'
import { chunkText, createEngine, type Engine, type ParsedTemplate } from '../engine/engine.ts'
import { defaultLimits } from '../engine/limits.ts'
import { runtimeFunctions } from '../functions/registry.ts'
import { createRuntimeData } from './runtime-fields.ts'

/** What a runtime template is rendered with. */
export interface RuntimeValuesOptions {
  /** The Cluster, class defaults in. */
  readonly cluster: Dict
  readonly supplied: Cluster['runtimeValues']
  readonly crypto: Crypto
  readonly onFinding: (finding: Diagnostic) => void
}

/**
 * Renders an addon's `overwrite.yaml` (or `cluster-addon-values.yaml`) to values as CSO does: Go's text/template with slim-sprig; when the top key
 * `values` holds a string, that string is the values file, else the whole document is; an empty file gives no values.
 * @throws StackmasonError RUNTIME_VALUE_UNKNOWN for every runtime-only field that the fleet does not supply; CHART_VALUES_INVALID;
 * TEMPLATE_*, also for a function that reads the clock, the environment or random numbers
 */
export function renderRuntimeValues(template: Source, options: RuntimeValuesOptions): Dict {
  const reads = new Set<string>()
  const refused: Diagnostic[] = []
  const data = createRuntimeData(options.cluster, options.supplied, (path) => reads.add(path))
  const engine = createEngine({
    functions: runtimeFunctions,
    lateBound: false,
    limits: defaultLimits,
    crypto: options.crypto,
    tokens: createTokenTable(),
    generate: 'token',
    onFinding: (finding) => (finding.severity === 'error' ? refused.push(finding) : options.onFinding(finding)),
  })
  let text: string
  try {
    text = chunkText(engine.execute(engine.createSet([parseOnce(template, engine)]), template.name, data))
  } catch (error) {
    // a failure that comes from a field we do not know is better told as that
    if (reads.size > 0 && error instanceof StackmasonError) throw unknownFields(template, reads)
    throw error
  }
  if (refused.length > 0) throw new StackmasonError(refused)
  if (reads.size > 0) throw unknownFields(template, reads)
  return parseValues(text, template)
}

/** An overwrite.yaml is rendered for each cluster; parsed templates are immutable. */
const parsed = new WeakMap<Source, ParsedTemplate>()

function parseOnce(template: Source, engine: Engine): ParsedTemplate {
  const known = parsed.get(template) ?? engine.parse(template)
  parsed.set(template, known)
  return known
}

function parseValues(text: string, template: Source): Dict {
  const parse = (yaml: string): Dict => {
    try {
      const value = parseGoYaml(yaml)
      if (value === null) return new Dict()
      if (value instanceof Dict) return value
    } catch (error) {
      if (!(error instanceof YamlError)) throw error
      throw invalidValues(template, error.message)
    }
    throw invalidValues(template, 'the rendered text is not a map')
  }
  const whole = parse(text)
  const inner = whole.get('values')
  return typeof inner === 'string' ? parse(inner) : whole
}

function invalidValues(template: Source, reason: string): StackmasonError {
  return new StackmasonError({
    code: 'CHART_VALUES_INVALID',
    severity: 'error',
    message: `the template does not render to values: ${reason}`,
    file: template.name,
    hint: 'Render it by hand with the Cluster in mind; missing fields print `<no value>`.',
  })
}

/** One error per field; a path that was only passed through on the way to a longer one is left out. */
function unknownFields(template: Source, reads: ReadonlySet<string>): StackmasonError {
  const paths = [...reads].filter((path) => ![...reads].some((other) => other.startsWith(`${path}.`)))
  return new StackmasonError(
    paths.map((path): Diagnostic => {
      const at = locate(template, path)
      return {
        code: 'RUNTIME_VALUE_UNKNOWN',
        severity: 'error',
        message: `.${path} is known only in the running cluster`,
        ...(at === undefined ? { file: template.name } : { at }),
        hint: `Fix it in cluster.yaml where Cluster API allows that, or add to addons.yaml: spec.runtimeValues: {"${path}": …}.`,
      }
    }),
  )
}

function locate(template: Source, path: string): Span | undefined {
  const last = path.slice(path.lastIndexOf('.') + 1)
  for (const needle of [`.${path}`, `.${last}`, last]) {
    const start = template.text.indexOf(needle)
    if (start !== -1) return { source: template, start, end: start + needle.length }
  }
  return undefined
}
