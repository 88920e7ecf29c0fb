import { compareBytes } from '../../codec/text/text-order.ts'
import type { ArgoHandoff } from '../../model/handoff-config.ts'
import { type Dict, dict, type Value } from '../../model/value.ts'
import type { NotedUnit } from '../tool-handoff.ts'
import { destinationName, MANAGEMENT_SERVER, projectName } from './argo-names.ts'
import { type CommittedProject, committedProjects } from './committed-projects.ts'

/**
 * The template data of all AppProjects: per namespace one for its units of the management cluster, with the
 * cluster-scoped kinds that these hold and no others, and one for those of workload clusters, where addons may hold
 * any; and one for the Applications that hold Applications.
 *
 * A project for the management cluster permits what its committed one does, too, for as long as there is a unit in it:
 * Argo CD takes live objects out of its comparison that the project does not permit (controller/state.go,
 * `IsLiveResourcePermitted`), so one that leaves git would never be pruned, and its Application be Synced. Nor is one
 * commit enough: a unit may be suspended, wait for a person, or prune nothing yet.
 */
export function projectsData(
  units: readonly NotedUnit[],
  config: ArgoHandoff,
  committed: readonly Value[],
): readonly Dict[] {
  const groups = new Map<string, [NotedUnit, ...NotedUnit[]]>()
  for (const unit of units) {
    const others = groups.get(projectName(unit))
    if (others === undefined) groups.set(projectName(unit), [unit])
    else others.push(unit)
  }
  const projects = [...groups].toSorted(([a], [b]) => compareBytes(a, b))
  const before = committedProjects(committed)
  return [
    handoffProject(config),
    ...projects.map(([name, ofProject]) => projectOf(name, ofProject, { config, before: before.get(name) })),
  ]
}

function handoffProject(config: ArgoHandoff): Dict {
  return dict([
    ...commonFields(config.project, config),
    ['description', 'Applications that hold the Applications of namespaces and clusters'],
    ['destinations', [destination('server', MANAGEMENT_SERVER, config.namespace)]],
    ['clusterKinds', []],
    ['namespacedKinds', ['Application', 'ApplicationSet'].map((kind) => kindDict('argoproj.io', kind))],
  ])
}

interface ProjectContext {
  readonly config: ArgoHandoff
  /** The project as it is committed. */
  readonly before: CommittedProject | undefined
}

function projectOf(
  name: string,
  units: readonly [NotedUnit, ...NotedUnit[]],
  { config, before }: ProjectContext,
): Dict {
  const [{ namespace, target }] = units
  const clusters = new Set(units.flatMap(({ cluster }) => (cluster === undefined ? [] : [destinationName(cluster)])))
  const isManagement = target === 'management'
  return dict([
    ...commonFields(name, config),
    [
      'description',
      `Units of namespace ${namespace} in ${isManagement ? 'the management cluster' : 'workload clusters'}`,
    ],
    [
      'destinations',
      isManagement
        ? managedNamespaces(units, before).map((managed) => destination('server', MANAGEMENT_SERVER, managed))
        : [...clusters].toSorted(compareBytes).map((cluster) => destination('name', cluster, '*')),
    ],
    [
      'clusterKinds',
      isManagement
        ? // the Namespace is for CreateNamespace=true
          [...clusterKinds(units, before), dict([...kindDict('', 'Namespace'), ['name', namespace]])]
        : // Argo CD prunes only what is allowed: a list of what is there would keep the last object of a kind alive
          [kindDict('*', '*')],
    ],
    ['namespacedKinds', null],
  ])
}

function commonFields(name: string, config: ArgoHandoff): (readonly [string, string])[] {
  return [
    ['name', name],
    ['namespace', config.namespace],
    ['repoURL', config.repoURL],
  ]
}

function destination(by: 'server' | 'name', which: string, namespace: string): Dict {
  return dict([
    [by, which],
    ['namespace', namespace],
  ])
}

/** A unit's own namespace, and those of objects that lie beside its Cluster. */
function managedNamespaces(units: readonly NotedUnit[], before: CommittedProject | undefined): readonly string[] {
  const namespaces = units.flatMap((unit) => [unit.namespace, ...unit.namespaces])
  return [...new Set([...namespaces, ...(before?.namespaces ?? [])])].toSorted(compareBytes)
}

function clusterKinds(units: readonly NotedUnit[], before: CommittedProject | undefined): readonly Dict[] {
  const all = [...units.flatMap((unit) => unit.kinds), ...(before?.kinds ?? [])]
  const kinds = new Map(all.map((one) => [`${one.group} ${one.kind}`, one]))
  return [...kinds].toSorted(([a], [b]) => compareBytes(a, b)).map(([, { group, kind }]) => kindDict(group, kind))
}

function kindDict(group: string, kind: string): Dict {
  return dict([
    ['group', group],
    ['kind', kind],
  ])
}
