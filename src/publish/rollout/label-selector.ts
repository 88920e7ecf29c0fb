import { meetsRequirement } from '../../model/label-requirement.ts'
import type { LabelSelector } from '../../model/rollout-config.ts'

/** True if an object with these labels is selected; an empty selector selects everything. */
export function selects(
  { matchLabels, matchExpressions }: LabelSelector,
  labels: ReadonlyMap<string, string>,
): boolean {
  return (
    [...matchLabels].every(([key, value]) => labels.get(key) === value) &&
    matchExpressions.every(({ key, ...requirement }) => meetsRequirement(labels.get(key), requirement) === true)
  )
}
