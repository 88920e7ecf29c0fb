import { isCapiCluster } from './class-reference.ts'
import { dictAt, itemsAt, type PathStep } from './field.ts'
import {
  annotationKey,
  dataKey,
  dnsLabel,
  labelKey,
  labelValue,
  type NameRule,
  objectNameRule,
} from './kubernetes-names.ts'
import type { Manifest } from './manifest.ts'
import { shownKey } from './shown-name.ts'

/** Kinds whose pods carry labels of `spec.template`, and choose them by those of `spec.selector`. */
const withPods: ReadonlySet<string> = new Set(['DaemonSet', 'Deployment', 'Job', 'ReplicaSet', 'StatefulSet'])

/** A name, label or key that no API server takes. */
export interface BadName {
  /** The thing that is wrong: `the value of label "team"`. Values are not shown, for they may be anybody's. */
  readonly what: string
  /** The rule in words. */
  readonly says: string
  readonly path: readonly PathStep[]
}

/** Names, labels and keys of an object that no API server takes. */
export function badNamesOf(manifest: Manifest): readonly BadName[] {
  const { name, namespace, kind, apiVersion } = manifest
  const found: BadName[] = []
  const refuse = (what: string, { says }: NameRule, ...path: readonly PathStep[]): void => {
    found.push({ what, says, path })
  }
  const nameRule = objectNameRule(manifest)
  if (!nameRule.allows(name)) refuse('this name', nameRule, 'metadata', 'name')
  if (namespace !== undefined && !dnsLabel.allows(namespace))
    refuse('this namespace', dnsLabel, 'metadata', 'namespace')
  const checkKeys = (rule: NameRule, what: string, ...path: readonly PathStep[]): void => {
    for (const key of dictAt(manifest.object, ...path)?.keys() ?? [])
      if (!rule.allows(key)) refuse(`the ${what} ${shownKey(key)}`, rule, ...path, key)
  }
  const checkLabels = (...path: readonly PathStep[]): void => {
    checkKeys(labelKey, 'label', ...path)
    for (const [key, value] of dictAt(manifest.object, ...path) ?? [])
      if (typeof value === 'string' && !labelValue.allows(value))
        refuse(`the value of label ${shownKey(key)}`, labelValue, ...path, key)
  }
  for (const [index, finalizer] of itemsAt(manifest.object, 'metadata', 'finalizers').entries())
    if (typeof finalizer === 'string' && !labelKey.allows(finalizer))
      refuse(`the finalizer ${shownKey(finalizer)}`, labelKey, 'metadata', 'finalizers', index)
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
}

/** The parts of a Cluster's topology whose labels and annotations go on to machines. */
function topologyParts({ object }: Manifest): readonly (readonly PathStep[])[] {
  const topology = ['spec', 'topology'] as const
  const groups = ['machineDeployments', 'machinePools'].flatMap((list) =>
    itemsAt(object, ...topology, 'workers', list).map((_, index) => [...topology, 'workers', list, index]),
  )
  return [[...topology, 'controlPlane'], ...groups]
}
