import { compareNatural } from '../codec/text/text-order.ts'
import { annotations } from '../model/step-marks.ts'
import { textField } from '../kube/json-field.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import type { LiveKind, LiveLook, LiveObjects } from './live-objects.ts'
import { type DefinitionStatus, definitionsOf, migratedCluster } from './migrations.ts'
import {
  clusterReadiness,
  imageReadiness,
  ownReadiness,
  type Readiness,
  ready,
  unitReadiness,
  waiting,
} from './readiness.ts'
import type { WantedCluster, WantedFleet, WantedObject, WantedStack, WantedUnit } from './wanted.ts'

/** One object of a cluster or release, and how it is. */
export interface PartStatus extends Readiness {
  readonly role: 'cluster' | 'unit' | 'values' | 'image' | 'gate' | 'migration'
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** How a cluster is. */
export interface ClusterStatus {
  readonly namespace: string
  readonly name: string
  /** As the tree asks for them; undefined once the tree has no Cluster any more. */
  readonly className: string | undefined
  readonly version: string | undefined
  /** As the Cluster that runs has them; undefined where there is none. */
  readonly live: { readonly className: string; readonly version: string; readonly step: string | undefined } | undefined
  /** The step that the tree holds; undefined between steps. */
  readonly step: string | undefined
  readonly isReady: boolean
  readonly parts: readonly PartStatus[]
  /** The state of its StorageMigrations, those of the tree and others. */
  readonly definitions: readonly DefinitionStatus[]
}

/** How StorageMigrations of the management cluster are, which no cluster of the fleet waits for. */
export interface ManagementStatus {
  readonly parts: readonly PartStatus[]
  readonly definitions: readonly DefinitionStatus[]
}

/** How a release is in a namespace. */
export interface StackStatus {
  readonly namespace: string
  readonly tag: string
  readonly isReady: boolean
  readonly parts: readonly PartStatus[]
  /** Clusters that run at its class, `namespace/name`. */
  readonly usedBy: readonly string[]
  /** Those of them that the tree does not have: its class must not be deleted. */
  readonly unknownUsers: readonly string[]
}

/** How a fleet is. */
export interface FleetStatus {
  readonly clusters: readonly ClusterStatus[]
  readonly stacks: readonly StackStatus[]
  readonly management: ManagementStatus
  /** Kinds that the server has and that we may not list. */
  readonly forbidden: readonly string[]
  /** False where the server knows no Clusters of Cluster API: it may be the wrong one. */
  readonly hasClusterApi: boolean
}

const CLUSTER: LiveKind = { group: 'cluster.x-k8s.io', kind: 'Cluster' }
const VALUES: LiveKind = { group: 'stackmason.dev', kind: 'RuntimeValues' }
const MIGRATION: LiveKind = { group: 'stackmason.dev', kind: 'StorageMigration' }

/** The kinds that are read for a fleet. */
export function kindsOf(wanted: WantedFleet): readonly LiveKind[] {
  const needed = neededKinds(wanted)
  return needed.includes(MIGRATION) ? needed : [...needed, MIGRATION]
}

/** Those without which something of the tree is unknown. */
function neededKinds({ clusters, stacks }: WantedFleet): readonly LiveKind[] {
  const wanted = [
    ...clusters.flatMap(({ units }) => units),
    ...stacks.flatMap(({ units, images }) => [...units, ...images]),
  ]
  const kinds = [
    CLUSTER,
    ...(clusters.some(({ hasValues }) => hasValues) ? [VALUES] : []),
    ...(clusters.some(({ migrations }) => migrations.length > 0) ? [MIGRATION] : []),
    ...wanted.map(kindOf),
  ]
  return [...new Map(kinds.map((kind) => [`${kind.group}/${kind.kind}`, kind])).values()]
}

/** Compares what the tree asks for with what runs. */
export function fleetStatus(wanted: WantedFleet, live: LiveObjects): FleetStatus {
  return {
    clusters: wanted.clusters.map((cluster) => clusterStatus(cluster, live)),
    stacks: wanted.stacks.map((stack) => stackStatus(stack, wanted, live)),
    management: wanted.isWhole ? managementStatus(live) : { parts: [], definitions: [] },
    hasClusterApi: live.look(CLUSTER, { namespace: '', name: '' }).answer !== 'unknown-kind',
    forbidden: neededKinds(wanted).flatMap((kind) => (live.isForbidden(kind) ? kind.kind : [])),
  }
}

function clusterStatus(cluster: WantedCluster, live: LiveObjects): ClusterStatus {
  const { namespace, name, className, version, step } = cluster
  const found = live.look(CLUSTER, cluster)
  const running = found.answer === 'found' ? found.object : undefined
  const own: PartStatus = {
    role: 'cluster',
    kind: 'Cluster',
    namespace,
    name,
    ...(className === undefined ? leaving(running) : judge(found, (object) => appliedOr(cluster, object))),
  }
  const units = cluster.units.map((unit) => unitStatus(unit, live))
  const values: readonly PartStatus[] = cluster.hasValues
    ? [{ role: 'values', kind: VALUES.kind, namespace, name, ...judge(live.look(VALUES, cluster), ownReadiness) }]
    : []
  const migrations = migrationsOf(cluster, live)
  const parts = [own, ...units, ...values, ...migrations.parts]
  return {
    namespace,
    name,
    className,
    version,
    live: running && { className: classOf(running).name, version: versionOf(running), step: liveStep(running) },
    step,
    isReady: parts.every(({ state }) => state === 'ready'),
    parts,
    definitions: migrations.definitions,
  }
}

/** The StorageMigrations of a cluster: those of the tree, and what others have made. */
function migrationsOf({ namespace, name, migrations }: WantedCluster, live: LiveObjects): ManagementStatus {
  const running = live
    .all(MIGRATION)
    .filter((migration) => migration.namespace === namespace && migratedCluster(migration) === name)
  const names = [...new Set([...migrations, ...running.map((migration) => migration.name)])].toSorted(compareNatural)
  return {
    parts: names.map((migration): PartStatus => ({
      role: 'migration',
      kind: MIGRATION.kind,
      namespace,
      name: migration,
      ...judge(live.look(MIGRATION, { namespace, name: migration }), ownReadiness),
    })),
    definitions: running.flatMap(definitionsOf),
  }
}

function managementStatus(live: LiveObjects): ManagementStatus {
  const running = live.all(MIGRATION).filter((migration) => migratedCluster(migration) === undefined)
  const parts = running.map((migration): PartStatus => {
    const { namespace, name } = migration
    return { role: 'migration', kind: MIGRATION.kind, namespace, name, ...ownReadiness(migration) }
  })
  return { parts, definitions: running.flatMap(definitionsOf) }
}

/** A Cluster that a decommission has taken out of the tree. */
function leaving(running: KubeObject | undefined): Readiness {
  if (running === undefined) return ready
  return running.isBeingDeleted
    ? waiting('the commit does not have it any more, and it is being deleted')
    : waiting('the commit does not have it any more, and it is not deleted yet')
}

/** A Cluster that is not what the commit says waits for the GitOps tool first of all. */
function appliedOr({ className = '', version = '' }: WantedCluster, running: KubeObject): Readiness {
  const { name } = classOf(running)
  if (name !== className) return waiting(`the commit has class ${className}, the cluster has ${name || 'none'}`)
  const runs = versionOf(running)
  if (version !== '' && runs !== version)
    return waiting(`the commit has Kubernetes ${version}, the cluster has ${runs}`)
  return clusterReadiness(running)
}

function unitStatus(unit: WantedUnit, live: LiveObjects): PartStatus {
  const { kind, namespace, name } = unit
  const judged = judge(live.look(kindOf(unit), unit), (object) => {
    const runs = object.labels.get('stackmason.dev/release') ?? ''
    return unit.release !== '' && runs !== unit.release
      ? waiting(`the commit has it for ${unit.release}, the cluster for ${runs || 'no release'}`)
      : asWanted(unit, unitReadiness(object))
  })
  const made = kind === 'ApplicationSet' && judged.state === 'ready' ? madeBy(unit, live) : judged
  return { role: 'unit', kind, namespace, name, ...made }
}

/** A unit that the commit suspends is as it should be. */
function asWanted({ isSuspended }: WantedUnit, readiness: Readiness): Readiness {
  return isSuspended && readiness.state === 'suspended' ? ready : readiness
}

/** How the Application of an ApplicationSet is, which has its name. */
function madeBy(unit: WantedUnit, live: LiveObjects): Readiness {
  const found = live.look({ group: kindOf(unit).group, kind: 'Application' }, unit)
  if (found.answer === 'found') return unitReadiness(found.object)
  return waiting('it has made no Application yet: no cluster Secret has all values')
}

function stackStatus(stack: WantedStack, wanted: WantedFleet, live: LiveObjects): StackStatus {
  const { namespace, tag, className } = stack
  const users = live.all(CLUSTER).filter((cluster) => {
    const reference = classOf(cluster)
    return reference.name === className && (reference.namespace || cluster.namespace) === namespace
  })
  const known = new Set(wanted.clusters.map((cluster) => `${cluster.namespace}/${cluster.name}`))
  const usedBy = users.map((cluster) => `${cluster.namespace}/${cluster.name}`).toSorted()
  const images = stack.images.map((image): PartStatus => {
    const isGate = image.kind === 'NodeImageGate'
    return {
      role: isGate ? 'gate' : 'image',
      kind: image.kind,
      namespace: image.namespace,
      name: image.name,
      ...judge(live.look(kindOf(image), image), isGate ? ownReadiness : imageReadiness),
    }
  })
  const parts = [...stack.units.map((unit) => unitStatus(unit, live)), ...images]
  return {
    namespace,
    tag,
    isReady: parts.every(({ state }) => state === 'ready'),
    parts,
    usedBy,
    unknownUsers: usedBy.filter((user) => !known.has(user)),
  }
}

function judge(found: LiveLook, of: (object: KubeObject) => Readiness): Readiness {
  switch (found.answer) {
    case 'found':
      return of(found.object)
    case 'absent':
      return { state: 'missing', reason: 'the commit that has it has not been applied' }
    case 'unknown-kind':
      return { state: 'hidden', reason: 'the API server does not know this kind' }
    case 'forbidden':
      return { state: 'hidden', reason: 'we may not list this kind' }
  }
}

function kindOf({ apiVersion, kind }: Pick<WantedObject, 'apiVersion' | 'kind'>): LiveKind {
  const slash = apiVersion.indexOf('/')
  return { group: slash === -1 ? '' : apiVersion.slice(0, slash), kind }
}

function classOf({ content }: KubeObject): { readonly name: string; readonly namespace: string } {
  const at = (...path: readonly string[]): string => textField(content, 'spec', 'topology', ...path) ?? ''
  return {
    name: at('class') || at('classRef', 'name'),
    namespace: at('classNamespace') || at('classRef', 'namespace'),
  }
}

function versionOf({ content }: KubeObject): string {
  return textField(content, 'spec', 'topology', 'version') ?? ''
}

/** The step that the running Cluster is at, by its annotations. */
function liveStep(running: KubeObject): string | undefined {
  const mark = (name: string): string | undefined => running.annotations.get(name)
  return describeStep({
    className: classOf(running).name,
    addons: mark(annotations.addons),
    target: mark(annotations.target),
    decommission: mark(annotations.decommission),
  })
}

/** The marks by which the step in a cluster's life is told. */
export interface StepMarks {
  readonly className: string | undefined
  /** Class name of the release that its addons are of; undefined or the Cluster's own: no other. */
  readonly addons: string | undefined
  /** Where an upgrade leads. */
  readonly target: string | undefined
  /** How far a decommission has come. */
  readonly decommission: string | undefined
}

/** The step of a cluster's life as one clause; undefined between steps. */
export function describeStep({ className, addons, target, decommission }: StepMarks): string | undefined {
  if (decommission !== undefined) return `decommission: ${decommission}`
  if (addons !== undefined && addons !== className) return `addons of ${addons}, before its class`
  return target === undefined || target === className ? undefined : `on the way to ${target}`
}
