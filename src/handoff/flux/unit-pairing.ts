import { formatGoJson } from '../../codec/json/go-json.ts'
import type { Unit } from '../../model/handoff.ts'
import { dict } from '../../model/value.ts'
import type { Pairing } from '../pairing.ts'
import { shortHash } from '../short-hash.ts'
import { hasPlaceholders } from './protect-placeholders.ts'

/** How the pairings of Flux are told. */
export const fluxPairings = { prefix: 'stackmason-pairing-', field: 'paired' } as const

/**
 * Raise it when folders that are rendered from now on need something of their Kustomization that older ones do not
 * give.
 */
const EDITION = '1'

/**
 * The pairing of a unit in a workload cluster. Its name changes with what must be there before the content: conditions
 * and the units before it. It is required where an older Kustomization would do harm: one without variables would apply
 * placeholders as text, one without conditions would not wait.
 */
export function unitPairing(unit: Unit): Pairing | undefined {
  if (unit.target !== 'workload') return undefined
  const { dependsOn, healthChecks = [] } = unit
  const isOrdered = dependsOn.length > 0 || healthChecks.length > 0
  const order = dict([
    ['dependsOn', dependsOn.map((entry) => dict(Object.entries(entry)))],
    ['healthChecks', healthChecks.map((check) => dict(Object.entries(check)))],
  ])
  return {
    name: `${fluxPairings.prefix}${EDITION}${isOrdered ? `-${shortHash(formatGoJson(order))}` : ''}`,
    field: fluxPairings.field,
    isRequired: isOrdered || unit.manifests.some(hasPlaceholders),
  }
}
