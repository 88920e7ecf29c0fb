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

/** What is wrong with a value whose place is said before. */
export function valueProblemText({ kind, says }: Pick<SchemaProblem, 'kind' | 'says'>): string {
  switch (kind) {
    case 'unknown-field':
      return 'it has no such field'
    case 'missing':
      return 'it is missing'
    case 'duplicate':
      return says === '' ? 'it is equal to an item before it' : `it has the same ${says} as an item before it`
    case 'not-allowed':
    case 'wrong-type':
      return `it has to be ${says}`
  }
}
