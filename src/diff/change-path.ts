import type { ChangeStep } from '../model/tree-change.ts'

/** True if a path leads to a field (written with dots, without items of lists) or below it. */
export function startsWith(path: readonly ChangeStep[], field: string): boolean {
  return field.split('.').every((step, index) => path[index] === step)
}

/** True if one path leads to the other, or both to the same. */
export function isRelated(one: readonly ChangeStep[], other: readonly ChangeStep[]): boolean {
  const keyOf = (step: ChangeStep | undefined): string => JSON.stringify(step)
  return one.slice(0, other.length).every((step, index) => keyOf(step) === keyOf(other[index]))
}
