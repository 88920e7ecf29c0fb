import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import type { Placeholder } from '../../../src/model/binding.ts'
import { textAt } from '../../../src/model/field.ts'
import type { ArgoHandoff } from '../../../src/model/handoff-config.ts'
import type { Unit } from '../../../src/model/handoff.ts'
import type { Manifest, RenderedFolder } from '../../../src/model/manifest.ts'
import type { Source } from '../../../src/model/source.ts'
import { Dict } from '../../../src/model/value.ts'
import type { ArgoContext } from '../../../tools/fleets/hand-over.ts'

const templateFolder = fileURLToPath(new URL('../../../templates/handoff', import.meta.url))

function sourcesBelow(folder: string, ending: string): readonly Source[] {
  return readdirSync(join(templateFolder, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .toSorted()
    .map((name) => join(templateFolder, folder, name))
    .map((path) => ({ name: relative(templateFolder, path), text: readFileSync(path, 'utf8') }))
}

/** The project's own templates, by name. */
export function ownTemplates(): Map<string, Source> {
  return new Map(sourcesBelow('.', '.hbs').map((source) => [source.name, source]))
}

export const sampleConfig: ArgoHandoff = {
  tool: 'argocd',
  namespace: 'argocd',
  project: 'handoff',
  repoURL: 'https://git.example.com/fleet.git',
  targetRevision: 'main',
  path: 'rendered',
}

/** A manifest of an object in YAML. */
export function manifestOf(yaml: string): Manifest {
  const object = parseGoYaml(yaml, { integers: 'int' })
  if (!(object instanceof Dict)) throw new Error('no object')
  const namespace = textAt(object, 'metadata', 'namespace')
  return {
    apiVersion: textAt(object, 'apiVersion'),
    kind: textAt(object, 'kind'),
    name: textAt(object, 'metadata', 'name'),
    ...(namespace !== '' && { namespace }),
    object,
    origin: { from: 'test', unit: 'test', template: 'test' },
  }
}

const stackFolder: RenderedFolder = {
  path: 'stacks/platform/openstack-demo-1-34-v2',
  manifests: [
    manifestOf(
      'apiVersion: cluster.x-k8s.io/v1beta1\nkind: ClusterClass\nmetadata: {name: openstack-demo-1-34-v2, namespace: platform}\nspec: {}',
    ),
    manifestOf(
      'apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Image\nmetadata: {name: ubuntu-v1.34.1, namespace: platform}\nspec: {}',
    ),
    manifestOf(
      'apiVersion: stackmason.dev/v1alpha1\nkind: NodeImageGate\nmetadata: {name: openstack-demo-1-34-v2, namespace: platform}\nspec: {}',
    ),
  ],
}

const clusterFolder: RenderedFolder = {
  path: 'clusters/team-a/web/cluster',
  manifests: [
    manifestOf(
      'apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: web, namespace: team-a}\nspec: {}',
    ),
    manifestOf(
      'apiVersion: stackmason.dev/v1alpha1\nkind: RuntimeValues\nmetadata: {name: web, namespace: team-a}\nspec: {}',
    ),
  ],
}

const cniFolder: RenderedFolder = {
  path: 'clusters/team-a/web/addons/01-cni',
  manifests: [
    manifestOf(
      [
        'apiVersion: apps/v1',
        'kind: DaemonSet',
        'metadata: {name: cilium.agent, namespace: kube-system}',
        'spec:',
        '  selector: {matchLabels: {app: cilium}}',
        '  template:',
        '    metadata: {labels: {app: cilium}}',
        '    spec:',
        '      containers:',
        '        - name: agent',
        '          image: example.com/cilium:1',
        '          env:',
        '            - {name: HOST, value: placeholder}',
        '          ports:',
        '            - {containerPort: placeholder}',
      ].join('\n'),
    ),
    manifestOf(
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cilium, namespace: kube-system, annotations: {"a/b~c": placeholder}}\ndata: {"config{{.yaml": placeholder}',
    ),
    manifestOf(
      'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: pools.cilium.example.com}\nspec: {group: cilium.example.com, names: {kind: Pool, plural: pools}, scope: Cluster, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}',
    ),
    manifestOf('apiVersion: cilium.example.com/v1\nkind: Pool\nmetadata: {name: default}'),
  ],
}

const csiFolder: RenderedFolder = {
  path: 'clusters/team-a/web/addons/02-csi',
  manifests: [
    manifestOf('apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: csi, namespace: kube-system}'),
    manifestOf(
      'apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: csi.example.com',
    ),
  ],
}

const batchFolder: RenderedFolder = {
  path: 'clusters/team-a/batch/cluster',
  manifests: [
    manifestOf(
      'apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: batch, namespace: team-a}\nspec: {}',
    ),
  ],
}

const batchAddons: RenderedFolder = {
  path: 'clusters/team-a/batch/addons/01-quotas',
  manifests: [manifestOf('apiVersion: v1\nkind: Namespace\nmetadata: {name: reports}')],
}

const web = { name: 'web', namespace: 'team-a' }
const batch = { name: 'batch', namespace: 'team-a' }
const release = 'openstack-demo-1-34-v2'

export const stackUnit: Unit = {
  kind: 'stack',
  name: `stack-${release}`,
  namespace: 'platform',
  path: stackFolder.path,
  manifests: stackFolder.manifests,
  target: 'management',
  gate: 'images',
  dependsOn: [],
  release,
  isSuspended: false,
}

export const clusterUnit: Unit = {
  kind: 'cluster',
  name: 'web',
  namespace: 'team-a',
  path: clusterFolder.path,
  manifests: clusterFolder.manifests,
  cluster: web,
  target: 'management',
  gate: 'bootstrap',
  dependsOn: [{ unit: stackUnit.name, namespace: 'platform' }],
  release,
  isSuspended: false,
}

/** With placeholders in two of its objects. */
export const addonsUnit: Unit = {
  kind: 'addons',
  name: 'web-addons',
  namespace: 'team-a',
  path: 'clusters/team-a/web/addons',
  manifests: cniFolder.manifests,
  cluster: web,
  target: 'workload',
  gate: 'none',
  dependsOn: [],
  release,
  runtimeValues: 'web',
  isSuspended: false,
}

/** After the addons. */
export const conditionUnit: Unit = {
  kind: 'condition',
  name: 'web-addons-02-csi',
  namespace: 'team-a',
  path: csiFolder.path,
  manifests: csiFolder.manifests,
  cluster: web,
  target: 'workload',
  gate: 'objects',
  dependsOn: [{ unit: 'web-addons' }],
  release,
  isSuspended: false,
}

/** Frozen. */
const suspendedUnit: Unit = {
  ...clusterUnit,
  name: 'batch',
  cluster: batch,
  path: batchFolder.path,
  manifests: batchFolder.manifests,
  isSuspended: true,
}

/** Without placeholders. */
export const plainAddonsUnit: Unit = {
  ...addonsUnit,
  name: 'batch-addons',
  cluster: batch,
  path: 'clusters/team-a/batch/addons',
  manifests: batchAddons.manifests,
}

export const sampleUnits: readonly Unit[] = [
  stackUnit,
  clusterUnit,
  addonsUnit,
  conditionUnit,
  suspendedUnit,
  plainAddonsUnit,
]

const placeholders: readonly Pick<Placeholder, 'object' | 'pointer' | 'text' | 'isInteger'>[] = [
  {
    object: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'cilium.agent', namespace: 'kube-system' },
    pointer: '/spec/template/spec/containers/0/env/0/value',
    text: '${CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST}',
  },
  {
    object: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'cilium.agent', namespace: 'kube-system' },
    pointer: '/spec/template/spec/containers/0/ports/0/containerPort',
    text: '${CLUSTER_SPEC_CONTROLPLANEENDPOINT_PORT}',
    isInteger: true,
  },
  {
    object: { apiVersion: 'v1', kind: 'ConfigMap', name: 'cilium', namespace: 'kube-system' },
    pointer: '/data/config{{.yaml',
    text: 'server: "https://${CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST}:${CLUSTER_SPEC_CONTROLPLANEENDPOINT_PORT}"\ntemplate: {{ .x }} ${not a hole}\n',
  },
  {
    object: { apiVersion: 'v1', kind: 'ConfigMap', name: 'cilium', namespace: 'kube-system' },
    pointer: '/metadata/annotations/a~1b~0c',
    text: '${CLUSTER_SPEC_CONTROLPLANEENDPOINT_PORT}',
  },
]

export const sampleContext: ArgoContext = {
  folders: [
    stackFolder,
    clusterFolder,
    { path: addonsUnit.path, manifests: [], includes: ['01-cni'] },
    cniFolder,
    csiFolder,
    batchFolder,
    { path: plainAddonsUnit.path, manifests: [], includes: ['01-quotas'] },
    batchAddons,
  ],
  templates: ownTemplates(),
  healthScripts: sourcesBelow('argocd/health', '.lua'),
  placeholders: placeholders.map((placeholder) => ({
    ...placeholder,
    folder: cniFolder.path,
    parts: placeholder.text
      .split(/\$\{([A-Z_]+)\}/)
      .map((part, index) => (index % 2 === 1 ? { name: part } : { text: part }))
      .filter((part) => part.text !== ''),
    written: 'placeholder',
    names: [...new Set(placeholder.text.match(/(?<=\$\{)[A-Z_]+(?=\})/g))],
  })),
}
