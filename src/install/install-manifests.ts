import { formatManifestYaml } from '../codec/yaml/manifest-yaml.ts'
import { Dict } from '../model/value.ts'
import { deploymentManifest, ports } from './deployment-manifest.ts'
import type { InstallOptions } from '../model/install-options.ts'
import { flowSchema } from './flow-schema.ts'
import { type Json, jsonValue } from './json-value.ts'
import { type Installation, roleManifests } from './role-manifests.ts'
import { features, readsSecrets } from './roles.ts'

/** Name of its objects, and of the lease: `src/controller` takes the same. */
const NAME = 'stackmason-controller'

/** Where it is installed if nothing else is said. */
const NAMESPACE = 'stackmason-system'

/** A file of an installation. */
export interface InstallFile {
  readonly name: string
  readonly text: string
}

/**
 * The objects that install the controller, in the order in which they are applied: definitions, then what it runs
 * with, then the controller.
 * @param definitions files of CRDs
 */
export function installFiles(options: InstallOptions, definitions: readonly InstallFile[]): readonly InstallFile[] {
  const { namespace, kinds, shard } = options
  const name = shard === '' ? NAME : `${NAME}-${shard}`
  const selector = { 'app.kubernetes.io/name': NAME, 'app.kubernetes.io/instance': name }
  const installation: Installation = {
    name,
    // no name of a namespace or a shard has a dot
    outside: namespace === NAMESPACE ? name : `${namespace}.${name}`,
    labels: { ...selector, 'app.kubernetes.io/part-of': 'stackmason' },
    features: features.filter(
      (feature) => (kinds.length === 0 || kinds.includes(feature.kind)) && (options.secrets || !readsSecrets(feature)),
    ),
    options,
  }
  const { labels } = installation
  const metadata = { name, namespace, labels }
  return [
    ...definitions,
    file('namespace.yaml', [namespaceManifest(namespace)]),
    file('rbac.yaml', [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata }, ...roleManifests(installation)]),
    ...(options.leasesFirst ? [file('flow-schema.yaml', [flowSchema(installation)])] : []),
    file('controller.yaml', [
      deploymentManifest(installation, selector),
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata,
        spec: { maxUnavailable: 1, selector: { matchLabels: selector } },
      },
      networkPolicy(metadata, selector),
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: `${name}-metrics`, namespace, labels },
        spec: {
          ports: [{ name: 'metrics', port: ports.metrics, protocol: 'TCP', targetPort: 'metrics' }],
          selector,
        },
      },
    ]),
  ]
}

/** Pods of it may do no more than the controller needs. */
function namespaceManifest(name: string): Json {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  }
}

/**
 * Others reach metrics alone; probes come from the node, and are not asked. It reaches whatever API servers there are.
 */
function networkPolicy(metadata: Json, selector: Readonly<Record<string, string>>): Json {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata,
    spec: {
      podSelector: { matchLabels: selector },
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ port: 'metrics', protocol: 'TCP' }] }],
    },
  }
}

function file(name: string, objects: readonly Json[]): InstallFile {
  const texts = objects.map((object) => {
    const value = jsonValue(object)
    if (!(value instanceof Dict)) throw new Error('an object is no map')
    return formatManifestYaml(value)
  })
  return { name, text: texts.join('---\n') }
}
