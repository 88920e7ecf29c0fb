import type { Rule } from './rule.ts'
import { invalidClassVariables } from './rules/invalid-class-variables.ts'
import { missingClassVariables } from './rules/missing-class-variables.ts'
import { unknownClassVariables } from './rules/unknown-class-variables.ts'
import { unknownWorkerClasses } from './rules/unknown-worker-classes.ts'
import { unreadValues } from './rules/unread-values.ts'

/** Every rule, in the order in which a run reports and lists them. */
export const rules: readonly Rule[] = [
  // what people write
  unknownClassVariables,
  invalidClassVariables,
  missingClassVariables,
  unknownWorkerClasses,
  unreadValues,
]
