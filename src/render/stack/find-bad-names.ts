import { isCapiCluster } from '../../model/class-reference.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { dictAt, itemsAt, type PathStep } from '../../model/field.ts'
import {
  annotationKey,
  dataKey,
  dnsLabel,
  labelKey,
  labelValue,
  type NameRule,
  objectNameRule,
} from '../../model/kubernetes-names.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownKey } from '../../model/shown-name.ts'
import { describeManifest } from './patch.ts'

/** Kinds whose pods carry labels of `spec.template`, and choose them by those of `spec.selector`. */
const withPods: ReadonlySet<string> = new Set(['DaemonSet', 'Deployment', 'Job', 'ReplicaSet', 'StatefulSet'])

/**
 * Names, labels and keys that no API server takes: one of them holds back all objects that are applied with it. Values
 * are not shown, for they may be anybody's.
 */
export function findBadNames(manifests: readonly Manifest[]): readonly Diagnostic[] {
  return manifests.flatMap((manifest) => {
    const { name, namespace, kind, apiVersion } = manifest
    const refuse = (what: string, { says }: NameRule, ...path: readonly PathStep[]): Diagnostic => ({
      code: 'OBJECT_NAME_INVALID',
      severity: 'error',
      message: `${describeManifest(manifest)}: no API server takes ${what}; allowed are ${says}`,
      ...placeIn(manifest, ...path),
    })
    const found: Diagnostic[] = []
    const nameRule = objectNameRule(manifest)
    if (!nameRule.allows(name)) found.push(refuse('this name', nameRule, 'metadata', 'name'))
    if (namespace !== undefined && !dnsLabel.allows(namespace))
      found.push(refuse('this namespace', dnsLabel, 'metadata', 'namespace'))
    const checkKeys = (rule: NameRule, what: string, ...path: readonly PathStep[]): void => {
      for (const key of dictAt(manifest.object, ...path)?.keys() ?? [])
        if (!rule.allows(key)) found.push(refuse(`the ${what} ${shownKey(key)}`, rule, ...path, key))
    }
    const checkLabels = (...path: readonly PathStep[]): void => {
      checkKeys(labelKey, 'label', ...path)
      for (const [key, value] of dictAt(manifest.object, ...path) ?? [])
        if (typeof value === 'string' && !labelValue.allows(value))
          found.push(refuse(`the value of label ${shownKey(key)}`, labelValue, ...path, key))
    }
    for (const [index, finalizer] of itemsAt(manifest.object, 'metadata', 'finalizers').entries())
      if (typeof finalizer === 'string' && !labelKey.allows(finalizer))
        found.push(refuse(`the finalizer ${shownKey(finalizer)}`, labelKey, 'metadata', 'finalizers', index))
    checkLabels('metadata', 'labels')
    checkKeys(annotationKey, 'annotation', 'metadata', 'annotations')
    if (withPods.has(kind) && /^(?:apps|batch)\//.test(apiVersion)) {
      checkLabels('spec', 'template', 'metadata', 'labels')
      checkLabels('spec', 'selector', 'matchLabels')
    }
    if (isCapiCluster(manifest))
      for (const path of topologyParts(manifest)) {
        checkLabels(...path, 'metadata', 'labels')
        checkKeys(annotationKey, 'annotation', ...path, 'metadata', 'annotations')
      }
    if (apiVersion === 'v1' && (kind === 'ConfigMap' || kind === 'Secret'))
      for (const field of ['data', 'binaryData', 'stringData']) checkKeys(dataKey, 'key', field)
    return found
  })
}

/** The parts of a Cluster's topology whose labels and annotations go on to machines. */
function topologyParts({ object }: Manifest): readonly (readonly PathStep[])[] {
  const topology = ['spec', 'topology'] as const
  const groups = ['machineDeployments', 'machinePools'].flatMap((list) =>
    itemsAt(object, ...topology, 'workers', list).map((_, index) => [...topology, 'workers', list, index]),
  )
  return [[...topology, 'controlPlane'], ...groups]
}
