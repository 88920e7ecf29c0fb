import { Environment } from '@marcbachmann/cel-js'
import type { HealthExpr } from '../../../src/handoff/gates/health-exprs.ts'
import type { Health } from './health.ts'

const environment = new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true })

/** Judges an object as Flux does (fluxcd/pkg, runtime/cel/status_evaluator.go), with a CEL engine from npm. */
export function fluxHealth(expr: HealthExpr, object: object): Health {
  const context = integersOf(object)
  const observed = fieldOf(context, 'status', 'observedGeneration')
  const generation = fieldOf(context, 'metadata', 'generation')
  if (observed !== undefined && generation !== undefined && observed !== generation) return 'inProgress'
  const order: readonly (readonly [string | undefined, Health])[] = [
    [expr.inProgress, 'inProgress'],
    [expr.failed, 'failed'],
    [expr.current, 'current'],
  ]
  try {
    for (const [text, health] of order)
      if (text !== undefined && environment.evaluate(text, context) === true) return health
  } catch {
    return 'unknown'
  }
  return 'inProgress'
}

function fieldOf(context: Readonly<Record<string, unknown>>, ...path: readonly string[]): unknown {
  let value: unknown = context
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !(name in value)) return undefined
    value = Reflect.get(value, name)
  }
  return value
}

/** Every number of Kubernetes' objects here is an integer, which CEL keeps apart from other numbers. */
function integersOf(object: object): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(object), (_, value: unknown) =>
    typeof value === 'number' ? BigInt(value) : value,
  ) as Readonly<Record<string, unknown>>
}
