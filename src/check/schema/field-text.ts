import type { PathStep } from '../../model/field.ts'
import { shownKey } from '../../model/shown-name.ts'

/** A path into an object, as messages show it: `spec.containers[0].image`, `data["tls.crt"]`. */
export function fieldText(path: readonly PathStep[]): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${String(step)}]`
      if (/^[A-Za-z_][A-Za-z0-9_-]{0,62}$/.test(step)) return index === 0 ? step : `.${step}`
      const key = shownKey(step)
      return `[${key.startsWith('"') ? key : `a key ${key}`}]`
    })
    .join('')
}
