import type { PathStep } from '../../model/field.ts'
import { shownKey } from '../../model/shown-name.ts'

/** Keys and indices joined by dots; what no key of an API server looks like may be a value, and is not shown. */
export function fieldName(path: readonly PathStep[]): string {
  return path
    .map(String)
    .map((step) => (shownKey(step) === `"${step}"` ? step : `<key ${shownKey(step)}>`))
    .join('.')
}
