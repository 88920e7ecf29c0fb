import fc from 'fast-check'
import { StackmasonError } from '../src/model/diagnostic.ts'
import { createTokenTable } from '../src/model/token.ts'
import { encodeUtf8 } from '../src/codec/bytes/utf8.ts'
import { mergeValues } from '../src/render/chart/merge-values.ts'
import { parseGoYaml } from '../src/codec/go-yaml/go-yaml-parse.ts'
import { Dict } from '../src/model/value.ts'
import { renderChart } from '../src/render/chart/render-chart.ts'
import { chartFunctions } from '../src/render/functions/registry.ts'
import { buildChart } from '../src/sources/chart/build-chart.ts'
import { createNodePorts } from '../src/system/node-ports.ts'

/** What a run of the fuzzer saw. */
export interface FuzzResult {
  readonly cases: number
  readonly rendered: number
  readonly refused: number
  /** Longest case, milliseconds. */
  readonly longest: number
  /** What must never happen: another error than ours, a case over the limit, a changed prototype. */
  readonly faults: readonly { readonly template: string; readonly values: string; readonly fault: string }[]
}

const ports = createNodePorts()
const limit = 2000

const key = fc.constantFrom('a', 'b', 'list', 'map', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'y')
const literal = fc.oneof(
  fc.constantFrom(
    '""',
    '"x"',
    '"a b"',
    '`raw`',
    "'c'",
    '0',
    '1',
    '-3',
    '1.5',
    '1e9',
    'true',
    'nil',
    '"%v %d %s"',
    '"[a-z]+("',
    '"(a+)+$"',
    '"{{ . }}"',
    '"1.2.3"',
    '">=1 <2"',
    '"2006-01-02"',
  ),
  fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)),
)
const field = fc.array(key, { minLength: 0, maxLength: 3 }).map((keys) => ['.Values', ...keys].join('.'))
const functionName = fc.constantFrom(
  ...chartFunctions.keys(),
  'include',
  'tpl',
  'required',
  'fail',
  'lookup',
  'and',
  'or',
  'not',
  'eq',
  'lt',
  'printf',
)
const expression = fc.letrec<{ readonly term: string; readonly call: string; readonly pipe: string }>((tie) => ({
  term: fc.oneof(
    { depthSize: 'small' },
    literal,
    field,
    fc.constantFrom('.', '$', '$x', '.Chart.Name', '.Files', '.Capabilities', '.Release'),
    tie('call').map((call) => `(${call})`),
  ),
  call: fc
    .tuple(functionName, fc.array(tie('term'), { maxLength: 4 }))
    .map(([name, args]) => [name, ...args].join(' ')),
  pipe: fc.array(fc.oneof(tie('call'), tie('term')), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' | ')),
}))
const action = expression.pipe
const block = fc.letrec<{ readonly text: string }>((tie) => ({
  text: fc
    .array(
      fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('text', '\n', '  ', 'a: ', '- ', '---\n', '{{', '}}', '{{/*', '*/}}', '{{-', '-}}'),
        action.map((pipe) => `{{ ${pipe} }}`),
        action.map((pipe) => `{{- $x := ${pipe} -}}`),
        fc
          .tuple(fc.constantFrom('if', 'with', 'range', 'range $k, $v :='), action, tie('text'))
          .map(([keyword, pipe, text]) => `{{ ${keyword} ${pipe} }}${text}{{ else }}e{{ end }}`),
        tie('text').map((text) => `{{ define "t" }}${text}{{ end }}{{ template "t" . }}`),
      ),
      { maxLength: 5 },
    )
    .map((parts) => parts.join('')),
}))
const values = fc.oneof(
  fc
    .jsonValue({ maxDepth: 4 })
    .map((value) => JSON.stringify({ a: value, list: [value, 1, 'x'], map: { y: value, __proto__: { p: 1 } } })),
  fc.constantFrom(
    '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "a": 1e300, "b": null}',
  ),
)

/** Renders random templates with random values for so long, or so many. Equal seeds give equal cases. */
export function fuzzRender(options: {
  readonly seed: number
  readonly seconds?: number
  readonly cases?: number
}): FuzzResult {
  const { seconds = Number.POSITIVE_INFINITY, cases = Number.POSITIVE_INFINITY } = options
  const started = performance.now()
  const prototype = Object.getOwnPropertyNames(Object.prototype).join()
  const faults: { template: string; values: string; fault: string }[] = []
  const count = { cases: 0, rendered: 0, refused: 0, longest: 0 }
  const isEnded = (): boolean => count.cases >= cases || performance.now() - started > seconds * 1000
  for (let batch = 0; !isEnded(); batch++) {
    for (const [template, text] of fc.sample(fc.tuple(block.text, values), {
      seed: options.seed + batch,
      numRuns: 100,
    })) {
      const before = performance.now()
      const fault = tryCase(template, text, count)
      const took = performance.now() - before
      count.cases++
      count.longest = Math.max(count.longest, took)
      if (fault !== undefined) faults.push({ template, values: text, fault })
      if (took > limit) faults.push({ template, values: text, fault: `took ${took.toFixed(0)} ms` })
      if (Object.getOwnPropertyNames(Object.prototype).join() !== prototype)
        faults.push({ template, values: text, fault: 'Object.prototype was changed' })
      if (isEnded()) break
    }
  }
  return { ...count, faults }
}

function tryCase(template: string, text: string, count: { rendered: number; refused: number }): string | undefined {
  try {
    const chart = buildChart(
      [
        { path: 'Chart.yaml', bytes: encodeUtf8('apiVersion: v2\nname: fuzz\nversion: 1.0.0\n') },
        { path: 'values.yaml', bytes: encodeUtf8(text) },
        { path: 'templates/fuzz.yaml', bytes: encodeUtf8(template) },
      ],
      'fuzz',
      ports,
    )
    const user = parseGoYaml(text)
    renderChart(chart, {
      release: { name: 'fuzz', namespace: 'default', isUpgrade: false, revision: 1 },
      values: mergeValues(new Dict(), user instanceof Dict ? user : new Dict()),
      helmVersion: 4,
      includeCrds: true,
      hooks: 'all',
      skipTests: false,
      skipSchemaValidation: false,
      generate: 'token',
      crypto: ports.crypto,
      tokens: createTokenTable(),
      onFinding: () => undefined,
      elapsed: () => performance.now(),
    })
    count.rendered++
    return undefined
  } catch (error) {
    if (!(error instanceof StackmasonError))
      return error instanceof Error ? (error.stack ?? error.message) : String(error)
    count.refused++
    return error.diagnostics[0]?.code === 'INTERNAL' ? error.message : undefined
  }
}
