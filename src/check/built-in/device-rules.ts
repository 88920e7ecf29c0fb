import { itemsAt } from '../../model/field.ts'
import { isGiven, none, problem, type RuleTable, whole } from './rule-parts.ts'

/** A request says what it wants, or several that will do; `exact` is the field that says it. */
const request = (exact: string): ReturnType<typeof whole> =>
  whole((found) => {
    const hasAlternatives = itemsAt(found, 'firstAvailable').length > 0
    if (isGiven(found, exact)) return hasAlternatives ? problem(`left out beside ${exact}`, 'firstAvailable') : none
    return hasAlternatives ? none : problem(`a map with ${exact} or firstAvailable`)
  })

/** Devices that pods claim, in each version of their group. */
export const deviceRules: RuleTable = ['v1', 'v1beta1', 'v1beta2'].flatMap((version): RuleTable => {
  const group = `api.resource.${version}`
  return [
    ...['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceClaimTemplateSpec'].map(
      (name) => [`${group}.${name}`, { optional: ['spec'] }] as const,
    ),
    [`${group}.DeviceRequest`, { whole: [request(version === 'v1beta1' ? 'deviceClassName' : 'exactly')] }],
    [`${group}.DeviceSelector`, { required: ['cel'] }],
    [`${group}.ResourcePool`, { optional: ['generation'] }],
    [`${group}.DeviceCapacity`, { optional: ['value'] }],
  ]
})
