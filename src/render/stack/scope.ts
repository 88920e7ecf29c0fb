import { fieldAt, textAt } from '../../model/field.ts'
import type { KindScope } from '../../model/fleet.ts'
import { nearestName } from '../../model/nearest-name.ts'
import type { Dict } from '../../model/value.ts'

/** The scope of a kind, as in a CRD. */
export type Scope = 'Namespaced' | 'Cluster'

/** Answers for one kind; undefined when the scope is not known. */
export type ScopeLookup = (group: string, kind: string) => Scope | undefined

const NAMESPACED: Readonly<Record<string, string>> = {
  '': 'Binding ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount',
  apps: 'ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet',
  'authorization.k8s.io': 'LocalSubjectAccessReview',
  autoscaling: 'HorizontalPodAutoscaler',
  batch: 'CronJob Job',
  'coordination.k8s.io': 'Lease LeaseCandidate',
  'discovery.k8s.io': 'EndpointSlice',
  'events.k8s.io': 'Event',
  extensions: 'DaemonSet Deployment Ingress NetworkPolicy ReplicaSet',
  'networking.k8s.io': 'Ingress NetworkPolicy',
  policy: 'PodDisruptionBudget',
  'rbac.authorization.k8s.io': 'Role RoleBinding',
  'resource.k8s.io': 'ResourceClaim ResourceClaimTemplate',
  'storage.k8s.io': 'CSIStorageCapacity',
  // Cluster API and what cluster classes are made of
  'cluster.x-k8s.io':
    'Cluster ClusterClass Machine MachineDeployment MachineDrainRule MachineHealthCheck MachinePool MachineSet',
  'addons.cluster.x-k8s.io': 'ClusterResourceSet ClusterResourceSetBinding HelmReleaseProxy',
  'bootstrap.cluster.x-k8s.io': 'KubeadmConfig KubeadmConfigTemplate',
  'controlplane.cluster.x-k8s.io': 'KubeadmControlPlane KubeadmControlPlaneTemplate',
  'ipam.cluster.x-k8s.io': 'IPAddress IPAddressClaim',
  'stackmason.dev': 'NodeImageGate RuntimeValues StorageMigration',
  'clusterstack.x-k8s.io': 'ClusterAddon ClusterStack ClusterStackRelease',
  'openstack.k-orc.cloud':
    'Flavor FloatingIP Image Network Port Project Router RouterInterface SecurityGroup Server ServerGroup Subnet Volume VolumeType',
  // widely used add-on APIs whose CRDs are often installed by someone else
  'cert-manager.io': 'Certificate CertificateRequest Issuer',
  'acme.cert-manager.io': 'Challenge Order',
  'gateway.networking.k8s.io': 'BackendTLSPolicy GRPCRoute Gateway HTTPRoute ReferenceGrant TCPRoute TLSRoute UDPRoute',
  'monitoring.coreos.com':
    'Alertmanager AlertmanagerConfig PodMonitor Probe Prometheus PrometheusAgent PrometheusRule ScrapeConfig ServiceMonitor ThanosRuler',
  'snapshot.storage.k8s.io': 'VolumeSnapshot',
  'cilium.io': 'CiliumEndpoint CiliumEnvoyConfig CiliumLocalRedirectPolicy CiliumNetworkPolicy CiliumNodeConfig',
  'helm.toolkit.fluxcd.io': 'HelmRelease',
  'kustomize.toolkit.fluxcd.io': 'Kustomization',
  'source.toolkit.fluxcd.io': 'Bucket ExternalArtifact GitRepository HelmChart HelmRepository OCIRepository',
  'argoproj.io': 'AppProject Application ApplicationSet',
}

const CLUSTER: Readonly<Record<string, string>> = {
  '': 'ComponentStatus Namespace Node PersistentVolume',
  'admissionregistration.k8s.io':
    'MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration',
  'apiextensions.k8s.io': 'CustomResourceDefinition',
  'apiregistration.k8s.io': 'APIService',
  'authentication.k8s.io': 'SelfSubjectReview TokenReview',
  'authorization.k8s.io': 'SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview',
  'certificates.k8s.io': 'CertificateSigningRequest ClusterTrustBundle',
  'flowcontrol.apiserver.k8s.io': 'FlowSchema PriorityLevelConfiguration',
  'networking.k8s.io': 'IPAddress IngressClass ServiceCIDR',
  'node.k8s.io': 'RuntimeClass',
  policy: 'PodSecurityPolicy',
  'rbac.authorization.k8s.io': 'ClusterRole ClusterRoleBinding',
  'resource.k8s.io': 'DeviceClass DeviceTaintRule ResourceSlice',
  'scheduling.k8s.io': 'PriorityClass',
  'storage.k8s.io': 'CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass',
  'storagemigration.k8s.io': 'StorageVersionMigration',
  'runtime.cluster.x-k8s.io': 'ExtensionConfig',
  'cert-manager.io': 'ClusterIssuer',
  'gateway.networking.k8s.io': 'GatewayClass',
  'snapshot.storage.k8s.io': 'VolumeSnapshotClass VolumeSnapshotContent',
  'cilium.io':
    'CiliumBGPAdvertisement CiliumBGPClusterConfig CiliumBGPNodeConfig CiliumBGPNodeConfigOverride CiliumBGPPeerConfig CiliumBGPPeeringPolicy CiliumCIDRGroup CiliumClusterwideEnvoyConfig CiliumClusterwideNetworkPolicy CiliumEgressGatewayPolicy CiliumExternalWorkload CiliumIdentity CiliumL2AnnouncementPolicy CiliumLoadBalancerIPPool CiliumNode CiliumPodIPPool',
}

const builtIn: ReadonlyMap<string, Scope> = new Map([
  ...entriesOf(NAMESPACED, 'Namespaced'),
  ...entriesOf(CLUSTER, 'Cluster'),
])

function entriesOf(table: Readonly<Record<string, string>>, scope: Scope): [string, Scope][] {
  return Object.entries(table).flatMap(([group, kinds]) =>
    kinds.split(' ').map((kind): [string, Scope] => [`${group}/${kind}`, scope]),
  )
}

/**
 * Looks a kind up in: the fleet's `spec.scopes`, the CRDs among `objects`, the table of Kubernetes' and widely used
 * kinds, and infrastructure providers' groups of Cluster API (always namespaced, by its contract).
 */
export function createScopeLookup(objects: Iterable<Dict>, scopes: readonly KindScope[]): ScopeLookup {
  const known = new Map<string, Scope>()
  for (const object of objects) {
    if (textAt(object, 'kind') !== 'CustomResourceDefinition') continue
    const scope = textAt(object, 'spec', 'scope')
    const key = `${textAt(object, 'spec', 'group')}/${textAt(object, 'spec', 'names', 'kind')}`
    if (scope === 'Namespaced' || scope === 'Cluster') known.set(key, scope)
  }
  for (const entry of scopes) known.set(`${entry.group}/${entry.kind}`, entry.namespaced ? 'Namespaced' : 'Cluster')
  return (group, kind) =>
    known.get(`${group}/${kind}`) ??
    builtIn.get(`${group}/${kind}`) ??
    (group === 'infrastructure.cluster.x-k8s.io' ? 'Namespaced' : undefined)
}

/** The kind that a misspelt one of the group most likely is, or the group that has exactly this kind. */
export function nearestKind(
  group: string,
  kind: string,
): { readonly group: string; readonly kind: string } | undefined {
  const known = [...builtIn.keys()].map((key) => ({
    group: key.slice(0, key.indexOf('/')),
    kind: key.slice(key.indexOf('/') + 1),
  }))
  const own = nearestName(
    kind,
    known.filter((entry) => entry.group === group).map((entry) => entry.kind),
  )
  return own === undefined ? known.find((entry) => entry.kind === kind) : { group, kind: own }
}

/** The group of an object's apiVersion; '' for the core group. */
export function groupOf(object: Dict): string {
  const apiVersion = fieldAt(object, 'apiVersion')
  return typeof apiVersion === 'string' && apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
}
