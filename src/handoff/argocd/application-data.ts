import { joinPath } from '../../codec/path.ts'
import type { ArgoHandoff } from '../../model/handoff-config.ts'
import type { Unit } from '../../model/handoff.ts'
import { type Dict, dict, type Value } from '../../model/value.ts'
import type { Demand, Demands } from '../demand.ts'
import { refuseMarks } from '../metadata-demands.ts'
import { checkPatches } from '../refuse-patch.ts'
import { applicationName, destinationName, MANAGEMENT_SERVER, parentName, projectName } from './argo-names.ts'
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

/** Plans the Application of a unit. */
export function unitApplication(unit: Unit, config: ArgoHandoff, order: UnitOrder): PlannedApplication {
  const cluster = unit.target === 'workload' && unit.cluster !== undefined ? destinationName(unit.cluster) : null
  return planApplication(config, {
    name: applicationName(unit),
    project: projectName(unit),
    labels: unitLabels(unit, order),
    path: unit.path,
    wave: order.wave,
    destination: cluster === null ? { namespace: unit.namespace } : { cluster },
    ...unitSync(unit, config),
    finalizer: unit.mayDelete === 'everything' ? CASCADE : null,
  })
}

/** How Argo CD syncs a unit. */
export function unitSync(unit: Unit, { takesOver }: Pick<ArgoHandoff, 'takesOver'>): SyncPlan {
  const syncOptions = [
    'ServerSideApply=true',
    'ApplyOutOfSyncOnly=true',
    'RespectIgnoreDifferences=true',
    // an object whose kind is not there fails alone: without this its dry run would hold back all others, the CNI among
    // them
    'SkipDryRunOnMissingResource=true',
  ]
  if (unit.target === 'management') syncOptions.push('CreateNamespace=true')
  return {
    isAutomated: !unit.isSuspended,
    // beside a Cluster lie its Secrets and health checks: only a decommission lets them go with their files
    prunes: unit.mayDelete !== undefined || (takesOver !== true && unit.kind !== 'cluster'),
    syncOptions,
  }
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

/** How an Application is synced. */
export interface SyncPlan {
  readonly isAutomated: boolean
  readonly prunes: boolean
  /** `name=value` */
  readonly syncOptions: readonly string[]
}

interface ApplicationPlan extends SyncPlan {
  readonly name: string
  readonly project: string
  readonly labels: Dict
  readonly path: string
  readonly wave: number
  readonly destination: { readonly cluster: string } | { readonly namespace: string }
  /** Deletes with the Application what it has applied. */
  readonly finalizer: string | null
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
      // a sync of its own, which goes by none of this
      [['operation'], undefined],
      [['spec', 'project'], plan.project],
      ...sourceDemands(['spec'], []),
      [['spec', 'source', 'repoURL'], config.repoURL],
      [['spec', 'source', 'targetRevision'], config.targetRevision],
      [['spec', 'source', 'path'], path],
      [['spec', 'destination', 'name'], cluster ?? undefined],
      [['spec', 'destination', 'server'], cluster === null ? MANAGEMENT_SERVER : undefined],
      ...syncDemands(['spec', 'syncPolicy'], plan),
    ],
  }
}

/** The fields of kustomize besides patches that rename objects, or may change any part of them. */
const CHANGING = [
  'namePrefix',
  'nameSuffix',
  'namespace',
  'components',
  'commonAnnotations',
  'patchesStrategicMerge',
  'patchesJson6902',
]

/**
 * The one source is a folder that kustomize builds by its kustomization.yaml; it may not rename objects, or take
 * away what keeps Argo CD from deleting them.
 */
export function sourceDemands(spec: readonly string[], patches: readonly Value[]): Demands {
  const source = [...spec, 'source']
  const absent = [
    [...spec, 'sources'],
    [...spec, 'sourceHydrator'],
    // with `directory`, even an empty one, Argo CD takes the files below without their kustomization.yaml
    ...['chart', 'directory', 'helm', 'plugin'].map((field) => [...source, field]),
    ...CHANGING.map((field) => [...source, 'kustomize', field]),
  ]
  return [
    ...absent.map((path): Demand => [path, undefined]),
    [[...source, 'kustomize', 'patches'], checkPatches(patches, 'argocd.argoproj.io/')],
  ]
}

/** A sync goes by the plan, and makes no object anew. */
export function syncDemands(at: readonly string[], { isAutomated, prunes, syncOptions }: SyncPlan): Demands {
  const automated: Demands = isAutomated
    ? [
        [[...at, 'automated', 'prune'], prunes],
        [[...at, 'automated', 'allowEmpty'], false],
      ]
    : [[[...at, 'automated'], undefined]]
  return [
    ...automated,
    [[...at, 'syncOptions'], (found) => wrongOptions(found, syncOptions)],
    ...['annotations', 'labels'].map((field): Demand => [[...at, 'managedNamespaceMetadata', field], refuseMarks]),
  ]
}

/** Argo CD deletes what it replaces, or applies by force, where the API server refuses the change. */
const RECREATING = ['Replace=true', 'Force=true']

function wrongOptions(found: Value | undefined, planned: readonly string[]): string | undefined {
  const options = (Array.isArray(found) ? found : []).map((option) => (typeof option === 'string' ? option.trim() : ''))
  const missing = planned.find((option) => !options.includes(option))
  if (missing !== undefined) return `must hold ${missing}`
  const names = new Set(planned.map(nameOf))
  const refused = options.find(
    (option) => RECREATING.includes(option) || (names.has(nameOf(option)) && !planned.includes(option)),
  )
  return refused === undefined ? undefined : `may not hold ${refused}`
}

function nameOf(option: string): string {
  return option.split('=', 1)[0] ?? option
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
