import type { FluxHandoff } from '../../model/handoff-config.ts'
import type { Unit } from '../../model/handoff.ts'
import { type Dict, dict, type Value } from '../../model/value.ts'
import { bootstrapHealth, type HealthExpr, imageHealth, ownKindsHealth } from '../gates/health-exprs.ts'
import { QUOTE_VARIABLE } from './protect-holes.ts'

/** What is decided about a unit beside its plan. */
export interface UnitPlace {
  /** In the source. */
  readonly path: string
  readonly isSubstituted: boolean
}

/** What the template of a unit's Kustomization sees. Every name is there; what does not apply is null, false or an empty list. */
export function kustomizationData(unit: Unit, config: FluxHandoff, { path, isSubstituted }: UnitPlace): Dict {
  const { source, decryption } = config
  const isRemote = unit.target === 'workload'
  return dict([
    ['name', unit.name],
    ['namespace', unit.namespace],
    ['kind', unit.kind],
    ['release', unit.release],
    ['cluster', unit.cluster?.name ?? null],
    ['shard', config.shard ?? null],
    ['interval', config.interval],
    ['retryInterval', config.retryInterval],
    ['timeout', config.timeout],
    ['path', path],
    [
      'source',
      dict([
        ['kind', source.kind],
        ['name', source.name],
        ['namespace', source.namespace ?? null],
      ]),
    ],
    ['suspend', unit.isSuspended],
    [
      'dependsOn',
      unit.dependsOn.map((entry) =>
        dict([
          ['name', entry.unit],
          ['namespace', entry.namespace ?? null],
        ]),
      ),
    ],
    ['wait', unit.gate !== 'none'],
    ['healthCheckExprs', healthOf(unit).map(exprDict)],
    ['kubeConfigSecret', isRemote ? `${unit.cluster?.name ?? ''}-kubeconfig` : null],
    // beside a kubeconfig it would be impersonated in the workload cluster, where nobody has made it
    ['serviceAccountName', isRemote ? null : (config.serviceAccountName ?? null)],
    [
      'decryption',
      decryption === undefined
        ? null
        : dict([
            ['provider', decryption.provider],
            ['secretName', decryption.secretName ?? null],
          ]),
    ],
    ['substituteFrom', isSubstituted ? (unit.runtimeValues ?? null) : null],
    ['substitute', dict(isSubstituted ? [[QUOTE_VARIABLE, '"']] : [])],
  ])
}

/** Only of kinds that the unit holds: who reads a Kustomization should see what it waits for. */
function healthOf({ gate, manifests }: Unit): readonly HealthExpr[] {
  if (gate === 'none') return []
  const held = new Set(manifests.map(({ apiVersion, kind }) => typeOf({ apiVersion, kind })))
  return [...(gate === 'bootstrap' ? bootstrapHealth() : []), ...imageHealth(), ...ownKindsHealth()].filter((expr) =>
    held.has(typeOf(expr)),
  )
}

/** Flux compares group and kind. */
function typeOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${kind}.${apiVersion.split('/')[0] ?? ''}`
}

function exprDict({ apiVersion, kind, current, inProgress, failed }: HealthExpr): Dict {
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['apiVersion', apiVersion],
    ['kind', kind],
    ['current', current],
    ['inProgress', inProgress],
    ['failed', failed],
  ]
  return dict(fields.flatMap(([key, value]): readonly [string, Value][] => (value === undefined ? [] : [[key, value]])))
}
