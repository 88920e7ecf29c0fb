import type { FluxHandoff } from '../../model/handoff-config.ts'
import type { Unit, UnitHealthCheck } from '../../model/handoff.ts'
import { type Dict, dict, type Value } from '../../model/value.ts'
import { bootstrapHealth, type HealthExpr, imageHealth, ownKindsHealth } from '../gates/health-exprs.ts'
import { QUOTE_VARIABLE } from './protect-holes.ts'

/** What is decided about a unit beside its plan. */
export interface UnitPlace {
  /** In the source. */
  readonly path: string
  readonly isSubstituted: boolean
}

/** What becomes of a unit's objects when its Kustomization goes. */
function deletionPolicyOf({ mayDelete }: Unit): 'Orphan' | 'Delete' {
  return mayDelete === 'everything' ? 'Delete' : 'Orphan'
}

/** What the template of a unit's Kustomization sees. Every name is there; what does not apply is null, false or an empty list. */
export function kustomizationData(unit: Unit, config: FluxHandoff, { path, isSubstituted }: UnitPlace): Dict {
  const { source, decryption } = config
  const checks = unit.healthChecks ?? []
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
    ['deletionPolicy', deletionPolicyOf(unit)],
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
    // Flux ignores single checks beside `wait`
    ['wait', unit.gate !== 'none' && checks.length === 0],
    ['healthChecks', checks.map(checkDict)],
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

/** Only of kinds that the unit waits for: who reads a Kustomization should see what that is. */
function healthOf({ gate, manifests, healthChecks = [] }: Unit): readonly HealthExpr[] {
  const held = new Set(gate === 'none' ? [] : manifests.map(typeOf))
  const known = [...(gate === 'bootstrap' ? bootstrapHealth() : []), ...imageHealth(), ...ownKindsHealth()]
  const exprs = new Map<string, HealthExpr>()
  for (const { apiVersion, kind, current } of healthChecks) {
    exprs.set(typeOf({ apiVersion, kind }), { apiVersion, kind, current })
  }
  return [...known.filter((expr) => held.has(typeOf(expr)) && !exprs.has(typeOf(expr))), ...exprs.values()]
}

function checkDict({ apiVersion, kind, name, namespace }: UnitHealthCheck): Dict {
  return dict([
    ['apiVersion', apiVersion],
    ['kind', kind],
    ['name', name],
    ...(namespace === undefined ? [] : [['namespace', namespace] as const]),
  ])
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
