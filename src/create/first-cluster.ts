import { formatBlock, formatFlow, indented, isFilled } from '../edit/format-value.ts'
import type { ClusterApiVersion, ClassReference } from '../model/class-reference.ts'
import type { ObjectName } from '../model/object-name.ts'
import type { Value } from '../model/value.ts'
import type { ClusterNetwork } from './copy-cluster.ts'

/** A variable that clusters of a class must set. */
export interface RequiredVariable {
  readonly name: string
  readonly type: string
  readonly description: string
  readonly constraints: readonly string[]
}

/** The inputs of a first cluster. */
export interface FirstCluster {
  readonly name: ObjectName
  readonly apiVersion: ClusterApiVersion
  readonly class: ClassReference
  /** With `v`. */
  readonly kubernetesVersion: string
  /** Absent: the class has none. */
  readonly machineDeployment?: string | undefined
  readonly variables: readonly RequiredVariable[]
  /** Values of variables, in the order in which they are written. */
  readonly given: ReadonlyMap<string, Value>
  readonly network: ClusterNetwork
}

/** The text of cluster.yaml. A required variable without a value has none: what reads the file says so. */
export function firstCluster(cluster: FirstCluster): string {
  const { name, apiVersion, class: reference, machineDeployment, network } = cluster
  const ranges = (['pods', 'services'] as const).flatMap((kind) =>
    network[kind] === undefined ? [] : [`    ${kind}:`, '      cidrBlocks:', `        - ${network[kind]}`],
  )
  const lines = [
    `apiVersion: cluster.x-k8s.io/${apiVersion}`,
    'kind: Cluster',
    'metadata:',
    `  name: ${name.name}`,
    `  namespace: ${name.namespace}`,
    'spec:',
    ...(ranges.length === 0 ? [] : ['  clusterNetwork:', ...ranges]),
    ...(network.endpoint === undefined
      ? []
      : [
          '  controlPlaneEndpoint:',
          `    host: ${formatFlow(network.endpoint.host, 'yaml')}`,
          `    port: ${String(network.endpoint.port)}`,
        ]),
    '  topology:',
    ...(apiVersion === 'v1beta2'
      ? ['    classRef:', `      name: ${reference.name}`, `      namespace: ${reference.namespace}`]
      : [`    class: ${reference.name}`, `    classNamespace: ${reference.namespace}`]),
    `    version: ${cluster.kubernetesVersion}`,
    '    controlPlane:',
    '      replicas: 1',
    ...(machineDeployment === undefined
      ? []
      : [
          '    workers:',
          '      machineDeployments:',
          `        - class: ${formatFlow(machineDeployment, 'yaml')}`,
          '          name: md-0',
          '          replicas: 1',
        ]),
    ...variableLines(cluster),
  ]
  return `${lines.join('\n')}\n`
}

function variableLines({ variables, given, class: reference }: FirstCluster): readonly string[] {
  const open = variables.filter(({ name }) => !given.has(name))
  if (open.length === 0 && given.size === 0) return []
  const set = [...given].flatMap(([name, value]) => [
    `      - name: ${formatFlow(name, 'yaml')}`,
    ...(isFilled(value)
      ? ['        value:', ...indented(formatBlock(value), 10)]
      : [`        value: ${formatFlow(value, 'yaml')}`]),
  ])
  const missing = open.flatMap(({ name, type, description, constraints }) => [
    ...description.split('\n').flatMap((line) => (line.trim() === '' ? [] : [`      # ${line.trim()}`])),
    `      - name: ${formatFlow(name, 'yaml')}`,
    `        value: # required: ${[type, ...constraints].join(', ').replaceAll(/\s+/g, ' ')}`,
  ])
  return [`    # all of them: stackmason variables ${reference.name}`, '    variables:', ...set, ...missing]
}
