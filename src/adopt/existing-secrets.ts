import { compareBytes } from '../codec/text/text-order.ts'
import { itemsAt, textAt } from '../model/field.ts'
import { dict, type Dict } from '../model/value.ts'
import type { AdoptedCluster } from './adoption.ts'
import type { LiveObject } from './live-object.ts'
import { clusterOfAddon } from './readiness.ts'

/** A Secret of a workload cluster; its values are never looked at. */
export interface NamedSecret {
  readonly namespace: string
  readonly name: string
}

/**
 * The Secrets of a cluster that the operator applied, as far as the files name them: in the ClusterAddon's status, or
 * as objects of the workload cluster with the operator's label.
 */
export function existingSecrets(
  { live }: AdoptedCluster,
  inputs: { readonly addons: readonly LiveObject[]; readonly secrets: readonly LiveObject[] },
): readonly NamedSecret[] {
  const found = new Map<string, NamedSecret>()
  const take = (secret: NamedSecret): void => void found.set(`${secret.namespace}/${secret.name}`, secret)
  for (const addon of inputs.addons) {
    if (addon.namespace !== live.namespace || clusterOfAddon(addon) !== live.name) continue
    for (const item of itemsAt(addon.object, 'status', 'resources')) {
      const name = textAt(item, 'name')
      const isSecret = textAt(item, 'kind') === 'Secret' && textAt(item, 'group') === '' && name !== ''
      // the operator applies every namespaced object there
      if (isSecret) take({ namespace: textAt(item, 'namespace') || 'kube-system', name })
    }
  }
  for (const secret of inputs.secrets) {
    const isOwned = textAt(secret.object, 'metadata', 'labels', 'clusterstack.x-k8s.io/instance') === 'owned'
    if (isOwned && secret.clusterKey === `${live.namespace}/${live.name}`) take(secret)
  }
  return [...found.values()]
    .map(({ namespace, name }) => ({ namespace, name }))
    .toSorted((a, b) => compareBytes(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`))
}

/** An addons.yaml that names them. */
export function addonsDocument(secrets: readonly NamedSecret[]): Dict {
  const list = secrets.map(({ namespace, name }) =>
    dict([
      ['name', name],
      ['namespace', namespace],
    ]),
  )
  return dict([
    ['apiVersion', 'stackmason.dev/v1alpha1'],
    ['kind', 'Addons'],
    ['spec', dict([['existingSecrets', list]])],
  ])
}
