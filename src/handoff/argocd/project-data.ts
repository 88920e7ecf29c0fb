import { compareBytes } from '../../codec/text/text-order.ts'
import type { ArgoHandoff } from '../../model/handoff-config.ts'
import { type Dict, dict } from '../../model/value.ts'
import type { NotedUnit } from '../tool-handoff.ts'
import { destinationName, projectName } from './argo-names.ts'

const MANAGEMENT_SERVER = 'https://kubernetes.default.svc'

/**
 * The template data of all AppProjects: per namespace one for its units of the management cluster, with the
 * cluster-scoped kinds that these hold and no others, and one for those of workload clusters, where addons may hold
 * any; and one for the Applications that hold Applications.
 */
export function projectsData(units: readonly NotedUnit[], config: ArgoHandoff): readonly Dict[] {
  const groups = new Map<string, [NotedUnit, ...NotedUnit[]]>()
  for (const unit of units) {
    const others = groups.get(projectName(unit))
    if (others === undefined) groups.set(projectName(unit), [unit])
    else others.push(unit)
  }
  const projects = [...groups].toSorted(([a], [b]) => compareBytes(a, b))
  return [handoffProject(config), ...projects.map(([name, ofProject]) => projectOf(name, ofProject, config))]
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

function projectOf(name: string, units: readonly [NotedUnit, ...NotedUnit[]], config: ArgoHandoff): Dict {
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
        ? managedNamespaces(units).map((managed) => destination('server', MANAGEMENT_SERVER, managed))
        : [...clusters].toSorted(compareBytes).map((cluster) => destination('name', cluster, '*')),
    ],
    [
      'clusterKinds',
      isManagement
        ? // the Namespace is for CreateNamespace=true
          [...clusterKinds(units), dict([...kindDict('', 'Namespace'), ['name', namespace]])]
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
function managedNamespaces(units: readonly NotedUnit[]): readonly string[] {
  const namespaces = units.flatMap((unit) => [unit.namespace, ...unit.namespaces])
  return [...new Set(namespaces)].toSorted(compareBytes)
}

function clusterKinds(units: readonly NotedUnit[]): readonly Dict[] {
  const kinds = new Map(units.flatMap((unit) => unit.kinds).map((one) => [`${one.group} ${one.kind}`, one]))
  return [...kinds].toSorted(([a], [b]) => compareBytes(a, b)).map(([, { group, kind }]) => kindDict(group, kind))
}

function kindDict(group: string, kind: string): Dict {
  return dict([
    ['group', group],
    ['kind', kind],
  ])
}
