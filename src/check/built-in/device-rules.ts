import type { RuleTable } from './rule-parts.ts'

/** Devices that pods claim, in each version of their group. */
export const deviceRules: RuleTable = ['v1', 'v1beta1', 'v1beta2'].flatMap((version): RuleTable => {
  const group = `api.resource.${version}`
  return [
    ...['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceClaimTemplateSpec'].map(
      (name) => [`${group}.${name}`, { optional: ['spec'] }] as const,
    ),
    [`${group}.DeviceSelector`, { required: ['cel'] }],
    [`${group}.ResourcePool`, { optional: ['generation'] }],
    [`${group}.DeviceCapacity`, { optional: ['value'] }],
  ]
})
