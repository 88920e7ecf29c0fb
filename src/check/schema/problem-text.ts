import { fieldText } from './field-text.ts'
import type { SchemaProblem } from './validate-value.ts'

/** The problem of a value or a field, for messages. */
export function problemText({ kind, path, says }: SchemaProblem): string {
  const field = fieldText(path)
  switch (kind) {
    case 'unknown-field':
      return `the kind has no field ${field}`
    case 'missing':
      return `${field} is missing`
    case 'duplicate':
      return says === ''
        ? `${field} is equal to an item before it`
        : `${field} has the same ${says} as an item before it`
    case 'not-allowed':
    case 'wrong-type':
      return `${field} has to be ${says}`
  }
}
