import { openAccess } from '../kube/kubeconfig/open-access.ts'
import type { KubeAccess, KubeAccessOptions } from '../model/kube-access.ts'
import type { Ports } from '../model/ports.ts'

/** Opens the way to the API server that the controller works for. @throws KubeAccessError */
export async function openManagementCluster(
  options: KubeAccessOptions,
  ports: Pick<Ports, 'files' | 'kube'>,
): Promise<KubeAccess> {
  return openAccess(options, ports)
}
