import { readFileSync } from 'node:fs'
import type { HandoffTemplates } from '../../../src/handoff/handoff-template.ts'
import type { FluxHandoff } from '../../../src/model/handoff-config.ts'
import type { Unit } from '../../../src/model/handoff.ts'
import { manifestOf } from '../../render/stack/objects.ts'
import type { FluxContext } from '../../../tools/fleets/hand-over.ts'
import { placeholderManifest } from './placeholder-manifest.ts'

const TEMPLATE = 'flux/kustomization.yaml.hbs'
const file = new URL(`../../../templates/handoff/${TEMPLATE}`, import.meta.url)

/** The templates as they are shipped. */
export const templates: HandoffTemplates = new Map([
  [TEMPLATE, { name: `templates/handoff/${TEMPLATE}`, text: readFileSync(file, 'utf8') }],
])

/** A fleet that says no more than it must. */
export const plainConfig: FluxHandoff = {
  tool: 'flux',
  source: { kind: 'GitRepository', name: 'fleet' },
  path: 'rendered',
  interval: '1h',
  retryInterval: '2m',
  timeout: '30s',
}

/** The units of a stack with images and of a cluster, and of addons with placeholders. */
export const units: readonly Unit[] = [
  {
    kind: 'stack',
    name: 'stack-openstack-scs2-1-34-v3',
    namespace: 'platform',
    path: 'stacks/platform/openstack-scs2-1-34-v3',
    manifests: [
      manifestOf(
        '{apiVersion: cluster.x-k8s.io/v1beta2, kind: ClusterClass, metadata: {name: scs2, namespace: platform}}',
      ),
      manifestOf(
        '{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: node, namespace: platform}}',
      ),
      manifestOf(
        '{apiVersion: stackmason.dev/v1alpha1, kind: NodeImageGate, metadata: {name: scs2, namespace: platform}}',
      ),
    ],
    target: 'management',
    gate: 'images',
    dependsOn: [],
    release: 'openstack-scs2-1-34-v3',
    isSuspended: false,
  },
  {
    kind: 'cluster',
    name: 'web',
    namespace: 'team-a',
    path: 'clusters/team-a/web/cluster',
    manifests: [
      manifestOf('{apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, metadata: {name: web, namespace: team-a}}'),
      manifestOf(
        '{apiVersion: stackmason.dev/v1alpha1, kind: RuntimeValues, metadata: {name: web, namespace: team-a}}',
      ),
    ],
    cluster: { name: 'web', namespace: 'team-a' },
    target: 'management',
    gate: 'bootstrap',
    dependsOn: [{ unit: 'stack-openstack-scs2-1-34-v3', namespace: 'platform' }],
    release: 'openstack-scs2-1-34-v3',
    isSuspended: false,
  },
  {
    kind: 'addons',
    name: 'web-addons',
    namespace: 'team-a',
    path: 'clusters/team-a/web/addons',
    manifests: [
      placeholderManifest(
        '{apiVersion: v1, kind: ConfigMap, metadata: {name: cni, namespace: kube-system}, data: {host: <<HOST>>}}',
      ),
      manifestOf('{apiVersion: v1, kind: Namespace, metadata: {name: extra}}'),
    ],
    cluster: { name: 'web', namespace: 'team-a' },
    target: 'workload',
    gate: 'none',
    dependsOn: [],
    release: 'openstack-scs2-1-34-v3',
    runtimeValues: 'web',
    isSuspended: false,
  },
  {
    kind: 'condition',
    name: 'web-addons-03-csi-before',
    namespace: 'team-a',
    path: 'clusters/team-a/web/addons/03-csi-before',
    manifests: [
      manifestOf(
        '{apiVersion: v1, kind: ConfigMap, metadata: {name: stackmason-before-03-csi, namespace: kube-system}}',
      ),
    ],
    cluster: { name: 'web', namespace: 'team-a' },
    target: 'workload',
    gate: 'none',
    dependsOn: [{ unit: 'web-addons' }],
    release: 'openstack-scs2-1-34-v3',
    runtimeValues: 'web',
    healthChecks: [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: 'ccm',
        namespace: 'kube-system',
        current: 'status.replicas == status.readyReplicas',
      },
      { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', name: 'cinder', current: 'true' },
    ],
    isSuspended: true,
  },
]

/** The folders of units as rendering gives them, one for each. */
export function contextOf(given: readonly Unit[], over: Partial<FluxContext> = {}): FluxContext {
  return { folders: given.map(({ path, manifests }) => ({ path, manifests })), templates, ...over }
}
