import { admissionRules } from './admission-rules.ts'
import { configRules } from './config-rules.ts'
import { containerRules } from './container-rules.ts'
import { definitionRules } from './definition-rules.ts'
import { deviceRules } from './device-rules.ts'
import { flowRules } from './flow-rules.ts'
import { networkRules } from './network-rules.ts'
import { podRules } from './pod-rules.ts'
import { rbacRules } from './rbac-rules.ts'
import type { BuiltInRules } from './rule-parts.ts'
import { scalingRules } from './scaling-rules.ts'
import { storageRules } from './storage-rules.ts'
import { volumeRules } from './volume-rules.ts'
import { workloadRules } from './workload-rules.ts'

/** The rules of API servers for built-in kinds, by definition. */
export const builtInRules: ReadonlyMap<string, BuiltInRules> = new Map([
  ...podRules,
  ...containerRules,
  ...volumeRules,
  ...workloadRules,
  ...networkRules,
  ...configRules,
  ...rbacRules,
  ...scalingRules,
  ...storageRules,
  ...admissionRules,
  ...definitionRules,
  ...flowRules,
  ...deviceRules,
])
