import type { KubeObject } from './kube-client.ts'

/** A provider of infrastructure that tests play: named as the kinds of the real one start. */
export type InfrastructureProvider = 'Docker' | 'OpenStack'

/** The contract between Cluster API and its providers that one obeys, or both. */
export type ProviderContract = 'v1beta1' | 'v1beta2'

/** The group of all its kinds. */
export const infrastructureGroup = 'infrastructure.cluster.x-k8s.io'

/**
 * The definitions of a provider's Cluster, Machine and their templates: the fields of the contract are typed,
 * everything else is taken as it is. The labels say which of its own versions obeys which contract; the two are alike
 * but for their names.
 */
export function infrastructureCrds(
  provider: InfrastructureProvider,
  contracts: readonly ProviderContract[],
): readonly KubeObject[] {
  const cluster = { type: 'object', properties: { controlPlaneEndpoint: endpoint }, ...open }
  const machine = { type: 'object', properties: { providerID: text, failureDomain: text }, ...open }
  return [
    definition(`${provider}Cluster`, contracts, { spec: cluster, status: clusterStatus }),
    definition(`${provider}Machine`, contracts, { spec: machine, status: machineStatus }),
    definition(`${provider}ClusterTemplate`, contracts, { spec: template(cluster) }),
    definition(`${provider}MachineTemplate`, contracts, { spec: template(machine), status: templateStatus }),
  ]
}

const open = { 'x-kubernetes-preserve-unknown-fields': true }
const text = { type: 'string' }
const flag = { type: 'boolean' }
const endpoint = {
  type: 'object',
  properties: { host: text, port: { type: 'integer', format: 'int32' } },
}
const conditions = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: { type: 'object', required: ['type', 'status'], properties: { type: text, status: text }, ...open },
}
/** What both contracts ask for: the older one for `ready`. */
const provisioning = {
  ready: flag,
  initialization: { type: 'object', properties: { provisioned: flag } },
  conditions,
}
const clusterStatus = { type: 'object', properties: { ...provisioning, failureDomains: open }, ...open }
const machineStatus = {
  type: 'object',
  properties: {
    ...provisioning,
    addresses: { type: 'array', items: { type: 'object', properties: { type: text, address: text } } },
  },
  ...open,
}
const templateStatus = { type: 'object', ...open }

function template(spec: object): object {
  const metadata = {
    type: 'object',
    properties: Object.fromEntries(
      ['labels', 'annotations'].map((name) => [name, { type: 'object', additionalProperties: text }]),
    ),
  }
  return {
    type: 'object',
    required: ['template'],
    properties: { template: { type: 'object', required: ['spec'], properties: { metadata, spec } } },
  }
}

function definition(
  kind: string,
  contracts: readonly ProviderContract[],
  schema: { readonly spec: object; readonly status?: object },
): KubeObject {
  const singular = kind.toLowerCase()
  const storage = contracts.at(-1)
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${singular}s.${infrastructureGroup}`,
      labels: Object.fromEntries(contracts.map((contract) => [`cluster.x-k8s.io/${contract}`, contract])),
    },
    spec: {
      group: infrastructureGroup,
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular, categories: ['cluster-api'] },
      scope: 'Namespaced',
      versions: contracts.map((name) => ({
        name,
        served: true,
        storage: name === storage,
        ...(schema.status !== undefined && { subresources: { status: {} } }),
        schema: { openAPIV3Schema: { type: 'object', properties: schema } },
      })),
    },
  }
}
