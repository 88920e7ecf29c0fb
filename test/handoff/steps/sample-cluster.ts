import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import type { Cluster } from '../../../src/model/fleet.ts'
import type { Manifest, RenderedFolder } from '../../../src/model/manifest.ts'
import type { ClusterOptions } from '../../../src/model/steps.ts'
import { Dict, type Value } from '../../../src/model/value.ts'

/** What the options of a sample cluster say where a test says nothing. */
const plainOptions: ClusterOptions = { isSuspended: false, isFrozen: false }

/** A class name of the sample stack: `1-34-v3`. */
export function classOf(short: string): string {
  return `docker-scs-${short}`
}

/** The Kubernetes version that the sample release is made for: its patch is the stack version. */
export function versionOf(short: string): string {
  const [major = '', minor = '', stack = ''] = short.split('-')
  return `v${major}.${minor}.${stack.slice(1)}`
}

/** Cluster team-a/web at a release, as its folder says it. */
export function sampleCluster(
  short: string,
  options?: Partial<ClusterOptions>,
  version: string = versionOf(short),
): Cluster {
  const source = { name: 'clusters/team-a/web/cluster.yaml', text: '' }
  const at = { source, start: 0, end: 0 }
  const object = read(`apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata:
  name: web
  namespace: team-a
spec:
  topology:
    classRef:
      name: ${classOf(short)}
      namespace: platform
    version: ${version}
    variables:
      - name: from
        value: ${short}
`)
  return {
    name: 'web',
    namespace: 'team-a',
    folder: '/fleet/clusters/team-a/web',
    object,
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    className: classOf(short),
    classAt: at,
    classNamespace: 'platform',
    version,
    versionAt: at,
    source,
    document: { value: object, span: at, index: 0, words: 'bool' },
    beside: [],
    addons: [],
    values: new Map(),
    patches: [],
    runtimeValues: new Map(),
    existingSecrets: [],
    ...(options !== undefined && { options: { ...plainOptions, ...options } }),
  }
}

/** A manifest of an object in YAML. */
export function manifestOf(text: string): Manifest {
  const object = read(text)
  const metadata = object.get('metadata')
  const field = (from: Value | undefined, key: string): string => {
    const found = from instanceof Dict ? from.get(key) : undefined
    return typeof found === 'string' ? found : ''
  }
  return {
    apiVersion: field(object, 'apiVersion'),
    kind: field(object, 'kind'),
    name: field(metadata, 'name'),
    namespace: field(metadata, 'namespace'),
    object,
    origin: { from: 'test', unit: 'test', template: 'test' },
  }
}

/** What rendering gives for the cluster: its Cluster with a Secret beside it, and one addon that names its release. */
export function renderSample(cluster: Cluster, addons: string): readonly RenderedFolder[] {
  const base = `clusters/${cluster.namespace}/${cluster.name}`
  const origin = { from: 'test', unit: 'cluster', template: 'cluster.yaml' }
  const { apiVersion, name, namespace, object } = cluster
  return [
    {
      path: `${base}/cluster`,
      manifests: [
        { apiVersion, kind: 'Cluster', name, namespace, object, origin },
        manifestOf('{apiVersion: v1, kind: Secret, metadata: {name: web-cloud, namespace: team-a}}'),
      ],
    },
    {
      path: `${base}/addons/01-cni`,
      manifests: [
        manifestOf(
          `{apiVersion: v1, kind: ConfigMap, metadata: {name: cni, namespace: kube-system}, data: {release: ${addons}}}`,
        ),
      ],
    },
  ]
}

/** Files of folders as the tree holds them, by path. */
export function filesOf(folders: readonly RenderedFolder[]): ReadonlyMap<string, string> {
  return new Map(
    folders.flatMap(({ path, manifests }) =>
      manifests.map((manifest) => [
        `${path}/${manifest.kind.toLowerCase()}-${manifest.name}.yaml`,
        formatManifestYaml(manifest.object),
      ]),
    ),
  )
}

function read(text: string): Dict {
  const value = parseGoYaml(text, { integers: 'int' })
  if (!(value instanceof Dict)) throw new Error('no map')
  return value
}
