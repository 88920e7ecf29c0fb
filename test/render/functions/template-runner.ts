import type { Diagnostic } from '../../../src/model/diagnostic.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { createTokenTable, type TokenTable } from '../../../src/model/token.ts'
import { Dict, type Value } from '../../../src/model/value.ts'
import { createEngine } from '../../../src/render/engine/engine.ts'
import type { FunctionTable } from '../../../src/render/engine/function.ts'
import { defaultLimits, type Limits } from '../../../src/render/engine/limits.ts'
import { TemplateError } from '../../../src/render/engine/template-error.ts'

/** What a template gave. */
export interface Outcome {
  readonly output?: string
  readonly error?: string
  readonly code?: string
  readonly findings: readonly Diagnostic[]
}

/** Returns a function that executes one template with the given functions. */
export function createTemplateRunner(
  functions: FunctionTable,
  tokens: TokenTable = createTokenTable(),
  limits: Limits = defaultLimits,
): (text: string, data: Value) => Outcome {
  return (text, data) => {
    const findings: Diagnostic[] = []
    const engine = createEngine({
      functions,
      lateBound: false,
      limits,
      crypto: createNodePorts().crypto,
      tokens,
      generate: 'token',
      onFinding: (finding) => findings.push(finding),
    })
    try {
      const set = engine.createSet([engine.parse({ name: 't', text })])
      const output = engine
        .execute(set, 't', data)
        .map((chunk) => chunk.text)
        .join('')
      return { output, findings }
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      return { error: goWords(error), code: error.details.code, findings }
    }
  }
}

/** What Go says, which may quote values: rows of Go's own output are compared with it. */
function goWords({ details: { code, call, goMessage } }: TemplateError): string {
  return call === undefined || code !== 'TEMPLATE_EXECUTION' ? goMessage : `error calling ${call}: ${goMessage}`
}

/** JSON as values of a chart: numbers stay float64. */
export function toValue(json: unknown): Value {
  if (json === null || typeof json === 'string' || typeof json === 'number' || typeof json === 'boolean') return json
  if (Array.isArray(json)) return json.map(toValue)
  const map = new Dict()
  for (const [key, value] of Object.entries(json ?? {})) map.set(key, toValue(value))
  return map
}
