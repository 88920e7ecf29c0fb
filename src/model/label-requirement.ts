import type { Value } from './value.ts'

/** A requirement of a label selector, an entry of `matchExpressions`, without the label that it is about. */
export interface LabelRequirement {
  readonly operator: string
  readonly values: readonly Value[]
}

/**
 * True if a label of this value, undefined where there is none, meets a requirement; undefined for an operator that
 * Kubernetes does not have.
 */
export function meetsRequirement(
  value: Value | undefined,
  { operator, values }: LabelRequirement,
): boolean | undefined {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      return undefined
  }
}
