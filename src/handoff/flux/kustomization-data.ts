import { formatGoYaml } from '../../codec/go-yaml/go-yaml-format.ts'
import { artifactName, artifactUnitOf } from '../../model/artifact-unit.ts'
import type { FluxHandoff, FluxSourceReference } from '../../model/handoff-config.ts'
import type { Unit, UnitHealthCheck } from '../../model/handoff.ts'
import { type Dict, dict, type Value } from '../../model/value.ts'
import { bootstrapHealth, type HealthExpr, imageHealth, ownKindsHealth } from '../gates/health-exprs.ts'
import { type Pairing, pairingPatch } from '../pairing.ts'
import { MISSING, MISSING_VARIABLE } from './guard-values.ts'
import { QUOTE_VARIABLE } from './protect-placeholders.ts'

/** The decisions about a unit besides its plan. */
export interface UnitDecisions {
  /** In the source. */
  readonly path: string
  /** Of its folder. */
  readonly pairing: Pairing | undefined
  /** There are placeholders in it. */
  readonly hasPlaceholders: boolean
}

/** The fate of a unit's objects when its Kustomization is deleted. */
function deletionPolicyOf({ mayDelete }: Unit): 'Orphan' | 'Delete' {
  return mayDelete === 'everything' ? 'Delete' : 'Orphan'
}

/**
 * The template data of a unit's Kustomization. Every name is there; what does not apply is null, false or an empty
 * list.
 */
export function kustomizationData(unit: Unit, config: FluxHandoff, decisions: UnitDecisions): Dict {
  const { path, pairing } = decisions
  const { decryption } = config
  const source = sourceOf(unit, config)
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
    ['wait', holdsWorker(unit) && checks.length === 0],
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
    ['patches', pairing === undefined ? [] : [dict([['patch', formatGoYaml(pairingPatch(pairing))]])]],
    ['substitute', variablesOf(decisions)],
    ['substituteFrom', decisions.hasPlaceholders ? (unit.runtimeValues ?? null) : null],
  ])
}

/** The source of a unit: the fleet's, or what pins its own artifact, which lies in the namespace of its folder. */
function sourceOf({ path, namespace }: Unit, { source, fromArtifacts }: FluxHandoff): FluxSourceReference {
  const own = fromArtifacts === true ? artifactUnitOf(path) : undefined
  if (own === undefined) return source
  return {
    kind: 'OCIRepository',
    name: artifactName(own),
    ...(own.namespace !== namespace && { namespace: own.namespace }),
  }
}

/**
 * True if Flux waits in the unit until its objects are current, which takes one of its workers. For a control plane
 * that takes half an hour it must not: nothing depends on a cluster's unit, and twenty such waits would hold up every
 * other unit.
 */
function holdsWorker({ gate }: Unit): boolean {
  return gate === 'objects' || gate === 'images'
}

/**
 * A unit with a pairing has variables from its first commit on, whether it has placeholders or not: placeholders come
 * with the content, variables with the Kustomization, and Flux takes every `${…}` as it is where there are none.
 */
function variablesOf({ pairing, hasPlaceholders }: UnitDecisions): Dict | null {
  if (pairing === undefined) return hasPlaceholders ? dict([[QUOTE_VARIABLE, '"']]) : null
  return dict([
    [MISSING_VARIABLE, MISSING],
    [QUOTE_VARIABLE, '"'],
  ])
}

/**
 * Only of kinds that the unit waits for, or may wait for with the next commit: an object that comes before its
 * expression would count as ready at once, for Flux takes a kind without the usual conditions for that.
 */
function healthOf({ kind, gate, manifests, healthChecks = [] }: Unit): readonly HealthExpr[] {
  const held = new Set(gate === 'none' ? [] : [...manifests.map(typeOf), ...(expected[kind] ?? [])])
  const known = [...(gate === 'bootstrap' ? bootstrapHealth() : []), ...imageHealth(), ...ownKindsHealth()]
  const exprs = new Map<string, HealthExpr>()
  for (const { apiVersion, kind, current } of healthChecks) {
    exprs.set(typeOf({ apiVersion, kind }), { apiVersion, kind, current })
  }
  return [...known.filter((expr) => held.has(typeOf(expr)) && !exprs.has(typeOf(expr))), ...exprs.values()]
}

const expected: Readonly<Partial<Record<Unit['kind'], readonly string[]>>> = {
  stack: ['Image.openstack.k-orc.cloud', 'NodeImageGate.stackmason.dev'],
  cluster: ['RuntimeValues.stackmason.dev'],
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
