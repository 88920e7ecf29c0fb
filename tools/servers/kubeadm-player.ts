import type { PlayedMachine } from './infrastructure-player.ts'
import { refusals, type KubeClient, type KubeObject } from './kube-client.ts'

/** An API server that stands for those of clusters. */
export type WorkloadServer = Pick<KubeClient, 'apply' | 'applyStatus'> & { readonly ca: string; readonly caKey: string }

interface ClusterName {
  readonly namespace: string
  readonly name: string
}

/**
 * Gives a cluster the authority of an API server before its control plane makes one, as people bring their own: the
 * kubeconfig that the real KubeadmControlPlane then writes leads into that server.
 */
export async function giveAuthority(
  management: Pick<KubeClient, 'apply'>,
  cluster: ClusterName,
  { ca, caKey }: Pick<WorkloadServer, 'ca' | 'caKey'>,
): Promise<void> {
  await applyAll(management, [clusterSecret(cluster, 'ca', { 'tls.crt': ca, 'tls.key': caKey })])
}

/**
 * Writes the kubeconfig of a cluster before its control plane does. Cluster API is then connected within seconds; one
 * that the real KubeadmControlPlane writes comes after the first try to connect, and the next is half a minute later.
 */
export async function giveKubeconfig(
  management: Pick<KubeClient, 'apply'>,
  cluster: ClusterName,
  { kubeconfigText }: { readonly kubeconfigText: string },
): Promise<void> {
  await applyAll(management, [clusterSecret(cluster, 'kubeconfig', { value: kubeconfigText })])
}

/**
 * What kubeadm and a kubelet leave in the API server of a cluster when a machine boots: its Node, and then, of the first,
 * the settings of the cluster. By these KubeadmControlPlane tells that a control plane is initialized.
 */
export async function bootMachine(workload: WorkloadServer, machine: PlayedMachine): Promise<void> {
  const node: KubeObject = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: machine.name,
      ...(machine.isControlPlane && { labels: { 'node-role.kubernetes.io/control-plane': '' } }),
    },
  }
  const settings = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kubeadm-config', namespace: 'kube-system' },
    data: { ClusterConfiguration: 'apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n' },
  }
  await applyAll(workload, [
    { ...node, spec: { providerID: machine.providerID } },
    ...(machine.isControlPlane ? [settings] : []),
  ])
  await workload.applyStatus({
    ...node,
    status: { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' }] },
  })
}

/** The form in which Cluster API takes Secrets that people bring. */
function clusterSecret({ namespace, name }: ClusterName, purpose: string, stringData: object): KubeObject {
  const labels = { 'cluster.x-k8s.io/cluster-name': name }
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `${name}-${purpose}`, namespace, labels },
    type: 'cluster.x-k8s.io/secret',
    stringData,
  }
}

async function applyAll(kube: Pick<KubeClient, 'apply'>, objects: readonly KubeObject[]): Promise<void> {
  const refused = refusals(await kube.apply(objects))
  if (refused.length > 0) throw new Error(refused.join('\n'))
}
