import { joinPath } from '../../codec/path.ts'
import type { ArgoHandoff } from '../../model/handoff-config.ts'
import type { Unit } from '../../model/handoff.ts'
import { type Dict, dict, type Value } from '../../model/value.ts'
import type { Demand, Demands } from '../handoff-template.ts'
import { checkPatches } from '../refuse-patch.ts'
import { applicationName, destinationName, parentName, projectName } from './argo-names.ts'
import { CASCADE } from './committed-units.ts'

/** An Application to be written: what its template sees, and what its object must say. */
export interface PlannedApplication {
  readonly data: Dict
  readonly demands: Demands
}

/** Where a unit stands among the others. */
export interface UnitOrder {
  /** Its sync wave in the Application that holds it. */
  readonly wave: number
  /** True if other units wait for its health. */
  readonly isAwaited: boolean
}

const MANAGEMENT_SERVER = 'https://kubernetes.default.svc'

/** Plans the Application of a unit. */
export function unitApplication(unit: Unit, config: ArgoHandoff, order: UnitOrder): PlannedApplication {
  const cluster = unit.target === 'workload' && unit.cluster !== undefined ? destinationName(unit.cluster) : null
  const syncOptions = [
    'ServerSideApply=true',
    'ApplyOutOfSyncOnly=true',
    'RespectIgnoreDifferences=true',
    // an object whose kind is not there fails alone: without this its dry run would hold back all others, the CNI among
    // them
    'SkipDryRunOnMissingResource=true',
  ]
  if (unit.target === 'management') syncOptions.push('CreateNamespace=true')
  return planApplication(config, {
    name: applicationName(unit),
    project: projectName(unit),
    labels: unitLabels(unit, order),
    path: unit.path,
    wave: order.wave,
    destination: cluster === null ? { namespace: unit.namespace } : { cluster },
    isAutomated: !unit.isSuspended,
    // beside a Cluster lie its Secrets and health checks: only a decommission lets them go with their files
    prunes: unit.kind !== 'cluster' || unit.mayDelete !== undefined,
    finalizer: unit.mayDelete === 'everything' ? CASCADE : null,
    syncOptions,
  })
}

/**
 * Plans the Application that holds the Applications of a namespace, or of one cluster in it. Nothing waits for it; it
 * takes those Applications along when it goes, which leave what they have applied.
 */
export function parentApplication(
  config: ArgoHandoff,
  { namespace, cluster, path, wave }: ParentFolder,
): PlannedApplication {
  return planApplication(config, {
    name: parentName(namespace, cluster),
    project: config.project,
    labels: dict([
      ['stackmason.dev/awaited', 'false'],
      ...(cluster === undefined ? [] : [['stackmason.dev/cluster-name', cluster] as const]),
      ['stackmason.dev/namespace', namespace],
      ['stackmason.dev/unit', 'handoff'],
    ]),
    path,
    wave,
    destination: { namespace: config.namespace },
    isAutomated: true,
    prunes: true,
    finalizer: CASCADE,
    syncOptions: [
      'ServerSideApply=true',
      'ApplyOutOfSyncOnly=true',
      'RespectIgnoreDifferences=true',
      // an Application whose place an ApplicationSet takes is gone before: one that were still going would be taken
      // over, and then go for good
      'PrunePropagationPolicy=background',
    ],
  })
}

/** Which Applications a parent holds. */
export interface ParentFolder {
  readonly namespace: string
  readonly cluster?: string
  /** The folder with them, relative to the output folder. */
  readonly path: string
  readonly wave: number
}

interface ApplicationPlan {
  readonly name: string
  readonly project: string
  readonly labels: Dict
  readonly path: string
  readonly wave: number
  readonly destination: { readonly cluster: string } | { readonly namespace: string }
  readonly isAutomated: boolean
  readonly prunes: boolean
  /** Deletes with the Application what it has applied. */
  readonly finalizer: string | null
  readonly syncOptions: readonly string[]
}

function planApplication(config: ArgoHandoff, plan: ApplicationPlan): PlannedApplication {
  const path = joinPath(config.path, plan.path)
  const cluster = 'cluster' in plan.destination ? plan.destination.cluster : null
  const namespace = 'namespace' in plan.destination ? plan.destination.namespace : null
  return {
    data: dict([
      ['name', plan.name],
      ['namespace', config.namespace],
      ['labels', plan.labels],
      ['finalizer', plan.finalizer],
      ['wave', String(plan.wave)],
      ['project', plan.project],
      ['repoURL', config.repoURL],
      ['targetRevision', config.targetRevision],
      ['path', path],
      ['cluster', cluster],
      ['destinationNamespace', namespace],
      ['automated', plan.isAutomated],
      ['prune', plan.prunes],
      ['syncOptions', [...plan.syncOptions]],
    ]),
    demands: [
      [['apiVersion'], 'argoproj.io/v1alpha1'],
      [['kind'], 'Application'],
      [['metadata', 'name'], plan.name],
      [['metadata', 'namespace'], config.namespace],
      plan.finalizer === null
        ? [['metadata', 'finalizers'], undefined]
        : [['metadata', 'finalizers', 0], plan.finalizer],
      [['spec', 'project'], plan.project],
      [['spec', 'sources'], undefined],
      [['spec', 'source', 'path'], path],
      ...kustomizeDemands(['spec', 'source', 'kustomize'], []),
      [['spec', 'destination', 'name'], cluster ?? undefined],
      [['spec', 'destination', 'server'], cluster === null ? MANAGEMENT_SERVER : undefined],
      ...automationDemands(plan),
    ],
  }
}

/** Kustomize may not rename objects, or take away what keeps Argo CD from deleting them. */
export function kustomizeDemands(at: readonly string[], patches: readonly Value[]): Demands {
  return [
    ...['namePrefix', 'nameSuffix', 'namespace', 'components', 'commonAnnotations'].map((field): Demand => [
      [...at, field],
      undefined,
    ]),
    [[...at, 'patches'], checkPatches(patches, 'argocd.argoproj.io/')],
  ]
}

function automationDemands({ isAutomated, prunes }: ApplicationPlan): Demands {
  if (!isAutomated) return [[['spec', 'syncPolicy', 'automated'], undefined]]
  return [
    [['spec', 'syncPolicy', 'automated', 'prune'], prunes],
    [['spec', 'syncPolicy', 'automated', 'allowEmpty'], false],
  ]
}

/** Labels hold 63 characters; a longer release is left out. */
const MAX_LABEL = 63

function unitLabels(unit: Unit, { isAwaited }: UnitOrder): Dict {
  const labels = dict([
    ['stackmason.dev/awaited', String(isAwaited)],
    ['stackmason.dev/namespace', unit.namespace],
    ['stackmason.dev/unit', unit.kind],
  ])
  if (unit.cluster !== undefined) labels.set('stackmason.dev/cluster-name', unit.cluster.name)
  if (unit.release.length <= MAX_LABEL) labels.set('stackmason.dev/release', unit.release)
  return labels
}
