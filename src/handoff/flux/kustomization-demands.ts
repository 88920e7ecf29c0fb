import { fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { Unit } from '../../model/handoff.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { Demand, DemandCheck, Demands } from '../demand.ts'
import { checkPatches, sortedText } from '../refuse-patch.ts'

const GROUP = 'kustomize.toolkit.fluxcd.io/'

/**
 * The demands on a Kustomization, whatever the fleet's own template does: it is that unit's, for that cluster; nothing
 * is deleted with it, and nothing is recreated by force; it waits for what its unit waits for, and decrypts and fills
 * in what its unit needs. `data` is what the template saw.
 */
export function kustomizationDemands(unit: Unit, data: Dict): Demands {
  return [
    [['apiVersion'], `${GROUP}v1`],
    [['kind'], 'Kustomization'],
    [['metadata', 'name'], unit.name],
    [['metadata', 'namespace'], unit.namespace],
    ...stated(['metadata', 'labels', 'sharding.fluxcd.io/key'], data.get('shard')),
    [['spec', 'path'], textAt(data, 'path')],
    ...sourceDemands(unit, data),
    [['spec', 'prune'], true],
    [['spec', 'deletionPolicy'], textAt(data, 'deletionPolicy')],
    [['spec', 'suspend'], unit.isSuspended ? true : undefined],
    ...targetDemands(unit, data),
    // Flux deletes and makes anew whatever the API server calls invalid, a Cluster that its webhook refuses among it
    // (fluxcd/pkg, ssa/errors)
    [['spec', 'force'], refuseForce],
    ...['annotations', 'labels'].map((field): Demand => [['spec', 'commonMetadata', field], refuseFluxKeys]),
    [['spec', 'dependsOn'], (found) => lacksDependency(found, data, unit.namespace)],
    ...healthDemands(data),
    ...decryptionDemands(data),
    ...pairingDemands(data),
    ...substitutionDemands(data),
  ]
}

function stated(path: Demand[0], wanted: Value | undefined): Demands {
  return typeof wanted === 'string' ? [[path, wanted]] : []
}

/** Flux prunes whatever another source does not have. The unit's own namespace may be said. */
function sourceDemands({ namespace: own }: Unit, data: Dict): Demands {
  const at = ['spec', 'sourceRef']
  const wanted = textAt(data, 'source', 'namespace')
  return [
    [[...at, 'kind'], textAt(data, 'source', 'kind')],
    [[...at, 'name'], textAt(data, 'source', 'name')],
    [
      [...at, 'namespace'],
      (found = own) => (found === (wanted || own) ? undefined : `must be ${JSON.stringify(wanted || own)}`),
    ],
  ]
}

function targetDemands({ target }: Unit, data: Dict): Demands {
  const renaming: Demands = ['targetNamespace', 'namePrefix', 'nameSuffix'].map((field) => [['spec', field], undefined])
  return target === 'workload'
    ? [
        ...renaming,
        [['spec', 'kubeConfig', 'secretRef', 'name'], textAt(data, 'kubeConfigSecret')],
        // another way to another cluster; Flux takes one of the two
        [['spec', 'kubeConfig', 'configMapRef'], undefined],
      ]
    : [
        ...renaming,
        [['spec', 'kubeConfig'], undefined],
        // without it Flux acts with all its own rights
        ...stated(['spec', 'serviceAccountName'], data.get('serviceAccountName')),
      ]
}

/** A text is no boolean: the API server refuses the object, and with it all that is built with it. */
function refuseForce(found: Value | undefined): string | undefined {
  if (found === true) return 'deletes objects that the API server refuses to change'
  return found === undefined || found === false ? undefined : 'must be false, or may not be there'
}

/** They would take the place of what each object says of itself. */
function refuseFluxKeys(found: Value | undefined): string | undefined {
  const key = found instanceof Dict ? [...found.keys()].find((name) => name.startsWith(GROUP)) : undefined
  return key === undefined ? undefined : `may not set ${key} for all objects`
}

function lacksDependency(found: Value | undefined, data: Dict, own: string): string | undefined {
  const key = (entry: Value): string => `${textAt(entry, 'namespace') || own}/${textAt(entry, 'name')}`
  const there = new Set((Array.isArray(found) ? found : []).map(key))
  const missing = itemsAt(data, 'dependsOn').find((entry) => !there.has(key(entry)))
  return missing === undefined ? undefined : `must name ${key(missing)}`
}

function healthDemands(data: Dict): Demands {
  const waits = data.get('wait') === true
  const checks = itemsAt(data, 'healthChecks')
  const exprs = itemsAt(data, 'healthCheckExprs')
  const demands: Demand[] = []
  if (waits) demands.push([['spec', 'wait'], true])
  if (checks.length > 0) {
    // Flux ignores them beside it
    demands.push([['spec', 'wait'], (found) => (found === true ? 'would take the place of healthChecks' : undefined)])
    demands.push([['spec', 'healthChecks'], mustHold(checks)])
  }
  // also where nothing waits: a template may add `wait`
  if (exprs.length > 0)
    demands.push([['spec', 'healthCheckExprs'], (found) => mustHold(exprs)(found) ?? hasRival(found, exprs)])
  return demands
}

function mustHold(wanted: readonly Value[]): DemandCheck {
  return (found) => {
    const there = (Array.isArray(found) ? found : []).map(sortedText)
    const missing = wanted.find((item) => !there.includes(sortedText(item)))
    return missing === undefined ? undefined : `must hold ${sortedText(missing)}`
  }
}

/** Flux compares group and kind, and the last expression of a kind counts. */
function hasRival(found: Value | undefined, wanted: readonly Value[]): string | undefined {
  const kind = (item: Value): string => `${textAt(item, 'kind')}.${textAt(item, 'apiVersion').split('/')[0] ?? ''}`
  const planned = new Map(wanted.map((item) => [kind(item), sortedText(item)]))
  const rival = (Array.isArray(found) ? found : []).find(
    (item) => planned.has(kind(item)) && planned.get(kind(item)) !== sortedText(item),
  )
  return rival === undefined ? undefined : `may not judge ${textAt(rival, 'kind')} in another way`
}

/** Without it Flux applies what is encrypted as it is. */
function decryptionDemands(data: Dict): Demands {
  return [
    ...stated(['spec', 'decryption', 'provider'], fieldAt(data, 'decryption', 'provider')),
    ...stated(['spec', 'decryption', 'secretRef', 'name'], fieldAt(data, 'decryption', 'secretName')),
  ]
}

function pairingDemands(data: Dict): Demands {
  const patches = itemsAt(data, 'patches')
  return [
    [['spec', 'patches'], checkPatches(patches, GROUP)],
    // they may patch anything; the others were patches once
    ...['components', 'patchesStrategicMerge', 'patchesJson6902'].map((field): Demand => [['spec', field], undefined]),
  ]
}

function substitutionDemands(data: Dict): Demands {
  const name = data.get('substituteFrom')
  const substitute = data.get('substitute')
  // objects of such a unit are not prepared for it: Flux would take each `${…}` in them for its own
  if (!(substitute instanceof Dict)) return [[['spec', 'postBuild'], undefined]]
  const variables = [...substitute].flatMap(([key, value]) => stated(['spec', 'postBuild', 'substitute', key], value))
  if (typeof name !== 'string') return variables
  return [
    ...variables,
    [
      ['spec', 'postBuild', 'substituteFrom'],
      (found) =>
        (Array.isArray(found) ? found : []).some(
          (entry) =>
            textAt(entry, 'kind') === 'ConfigMap' &&
            textAt(entry, 'name') === name &&
            fieldAt(entry, 'optional') !== true,
        )
          ? undefined
          : `must name ConfigMap ${name}, not optional`,
    ],
  ]
}
