import type { ChangeStep } from '../model/tree-change.ts'

/** True if a path leads to a field (written with dots, without items of lists) or below it. */
export function startsWith(path: readonly ChangeStep[], field: string): boolean {
  return field.split('.').every((step, index) => path[index] === step)
}

/** True if a step is an item of a list, or a path to it. */
export function isItem(step: ChangeStep | undefined): boolean {
  return typeof step === 'object' || typeof step === 'number'
}
