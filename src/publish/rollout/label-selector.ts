import type { LabelSelector } from '../../model/rollout-config.ts'

/** True if an object with these labels is selected; an empty selector selects everything. */
export function selects(
  { matchLabels, matchExpressions }: LabelSelector,
  labels: ReadonlyMap<string, string>,
): boolean {
  return (
    [...matchLabels].every(([key, value]) => labels.get(key) === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      const value = labels.get(key)
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value)
        case 'NotIn':
          return value === undefined || !values.includes(value)
        case 'Exists':
          return value !== undefined
        case 'DoesNotExist':
          return value === undefined
      }
    })
  )
}
