import { formatGoJson } from '../../codec/json/go-json.ts'
import { MaskTexts } from '../../codec/text/mask-texts.ts'
import { collectSecretTexts } from '../../codec/text/secret-texts.ts'
import type { Value } from '../../model/value.ts'
import { type CelInput, readCel } from './cel-program.ts'
import type { CelBudget } from './cel-work.ts'

const LONGEST = 500

/**
 * The message that an expression makes of an object, without what the object holds of secrets; undefined where there is
 * none, or none that API servers take.
 */
export function messageFrom(
  expression: string | undefined,
  bindings: Readonly<Record<string, CelInput>>,
  { object, budget }: { readonly object: Value; readonly budget: CelBudget },
): string | undefined {
  const reading = expression === undefined ? undefined : readCel(expression, Object.keys(bindings))
  if (reading === undefined || 'problem' in reading) return undefined
  const result = reading.program.evaluate(bindings, budget)
  if (result.state !== 'value' || typeof result.value !== 'string') return undefined
  const line = result.value.trim()
  if (line === '' || line.includes('\n')) return undefined
  const masks = new MaskTexts()
  collectSecretTexts(formatGoJson(object), (text) => {
    masks.add(text)
  })
  return masks.mask(line.slice(0, LONGEST), 'strict')
}
