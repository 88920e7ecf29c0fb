import type { Value } from '../../model/value.ts'
import { type CelInput, readCel } from './cel-program.ts'
import type { CelBudget } from './cel-work.ts'
import { secretMasks } from './secret-places.ts'

const LONGEST = 500

/**
 * The message that an expression makes of an object; undefined where there is none, or none that API servers take. What
 * the object holds of secrets is unknown in the bindings: a message that depends on it is none.
 */
export function messageFrom(
  expression: string | undefined,
  bindings: () => Readonly<Record<string, CelInput>>,
  { object, budget }: { readonly object: Value; readonly budget: CelBudget },
): string | undefined {
  if (expression === undefined) return undefined
  const known = bindings()
  const reading = readCel(expression, Object.keys(known))
  if ('problem' in reading) return undefined
  const result = reading.program.evaluate(known, budget)
  if (result.state !== 'value' || typeof result.value !== 'string') return undefined
  const line = result.value.trim()
  return line === '' || line.includes('\n') ? undefined : secretMasks(object).mask(line.slice(0, LONGEST), 'strict')
}
