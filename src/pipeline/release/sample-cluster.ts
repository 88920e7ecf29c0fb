import { parsePositionedYaml } from '../../codec/yaml/positioned-yaml.ts'
import { firstCluster } from '../../create/first-cluster.ts'
import { describeClass } from '../../inventory/describe-class.ts'
import { fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import { formatClassName } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'
import { definedVariables } from '../../model/topology-variables.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'

/** Namespace of the sample, and of the class that it names. */
export const SAMPLE_NAMESPACE = 'default'

/** The Cluster that a release is tried with. */
export interface SampleCluster {
  readonly cluster: Cluster
  /** True if its class demands variables: their values are made up. */
  readonly isMadeUp: boolean
}

/**
 * A Cluster of the class of a release, at its version of Kubernetes: with a network and all variables that the class
 * demands, and nothing that it leaves to people. It is of v1beta2, so what an addon reads of v1beta1 is not there.
 */
export function sampleCluster(
  { name, kubernetesVersion }: Pick<Release, 'name' | 'kubernetesVersion'>,
  clusterClass: Dict = new Dict(),
): SampleCluster {
  const variables = definedVariables(clusterClass)
  const described = describeClass(clusterClass, { variables, definesMore: false })
  const required = described.variables.filter(({ isRequired }) => isRequired)
  const given = new Map(
    variables
      .filter((variable) => required.some((one) => one.name === variable.name))
      .map((variable) => [variable.name, sampleValue(variable.schema)]),
  )
  const className = formatClassName(name)
  const text = firstCluster({
    name: { namespace: SAMPLE_NAMESPACE, name: 'sample' },
    apiVersion: 'v1beta2',
    class: { name: className, namespace: SAMPLE_NAMESPACE },
    kubernetesVersion,
    machineDeployment: described.machineDeployments[0],
    variables: required,
    given,
    network: { pods: '10.244.0.0/16', services: '10.96.0.0/12' },
  })
  const source = { name: 'cluster.yaml', text }
  const [document] = parsePositionedYaml(source).documents
  const object = document?.value
  if (document === undefined || !(object instanceof Dict)) throw new Error('the sample is no Cluster')
  const at = document.spanOf(['spec', 'topology'])
  const cluster: Cluster = {
    name: 'sample',
    namespace: SAMPLE_NAMESPACE,
    folder: '',
    object,
    apiVersion: textAt(object, 'apiVersion'),
    className,
    classAt: at,
    classNamespace: SAMPLE_NAMESPACE,
    version: kubernetesVersion,
    versionAt: at,
    source,
    document: { ...document, value: object },
    beside: [],
    addons: [],
    values: new Map(),
    patches: [],
    existingSecrets: [],
    runtimeValues: new Map(),
  }
  return { cluster, isMadeUp: required.length > 0 }
}

/** Any value of the type of a schema; which ones it takes besides is not looked at. */
function sampleValue(schema: Dict): Value {
  const known = fieldAt(schema, 'default') ?? fieldAt(schema, 'example') ?? itemsAt(schema, 'enum')[0]
  if (known !== undefined) return known
  const least = fieldAt(schema, 'minimum')
  const properties = fieldAt(schema, 'properties')
  const required = itemsAt(schema, 'required')
  const object = new Dict()
  switch (textAt(schema, 'type')) {
    case 'integer':
    case 'number':
      return least ?? new GoInt(1n)
    case 'boolean':
      return false
    case 'array':
      return []
    case 'object':
      if (properties instanceof Dict)
        for (const [key, property] of properties)
          if (required.includes(key) && property instanceof Dict) object.set(key, sampleValue(property))
      return object
    default:
      return 'sample'
  }
}
