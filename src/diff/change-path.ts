import type { ChangeStep } from '../model/tree-change.ts'

/** True if a path leads to a field (written with dots, without items of lists) or below it. */
export function startsWith(path: readonly ChangeStep[], field: string): boolean {
  return field.split('.').every((step, index) => path[index] === step)
}
