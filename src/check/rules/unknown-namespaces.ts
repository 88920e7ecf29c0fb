import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownName, shownObject } from '../../model/shown-name.ts'
import { originOf, type UnitOrigin } from '../checked-unit.ts'
import { MOST_COMPARED, nearName } from '../references/missing-target.ts'
import type { Rule } from '../rule.ts'

/** Namespaces of the management cluster that only own objects name. */
export const unknownNamespaces: Rule = {
  code: 'NAMESPACE_UNKNOWN',
  severity: 'warning',
  explanation: [
    'An object that lies beside a Cluster in cluster.yaml, or comes with a class, may name a namespace of its own. Where it is misspelt, or nobody has made it, the API server refuses the object, and with it the whole unit of the Cluster.',
    'Known are the namespaces that the fleet has clusters and stacks in, those that objects of the management cluster make, and those of every cluster. Each other one is said once. In workload clusters it is NAMESPACE_MISSING.',
  ],
  begin: () => {
    const known = new Set(['default', 'kube-node-lease', 'kube-public', 'kube-system'])
    const asked = new Map<string, { readonly first: Manifest; readonly of: UnitOrigin }>()
    return {
      unit: (unit) => {
        for (const { place, destination, manifests } of unit.folders) {
          if (place.kind !== 'handoff') known.add(place.namespace)
          if (destination !== 'management') continue
          for (const manifest of manifests) {
            const { apiVersion, kind, name, namespace } = manifest
            if (apiVersion === 'v1' && kind === 'Namespace') known.add(name)
            // what we write for the GitOps tool goes to the tool's own namespace
            if (namespace === undefined || unit.isKept || place.kind === 'handoff' || asked.has(namespace)) continue
            asked.set(namespace, { first: manifest, of: originOf(unit) })
          }
        }
        return []
      },
      end: () =>
        [...asked]
          .filter(([namespace]) => !known.has(namespace))
          .map(([namespace, { first, of }], at) => {
            const near = at < MOST_COMPARED ? nearName(namespace, [...known]) : undefined
            return {
              message: `${shownObject({ ...first, namespace })} is in a namespace that nothing in the tree makes or has`,
              ...placeIn(first, 'metadata', 'namespace'),
              ...(near !== undefined && { hint: `Did you mean ${shownName(near)}?` }),
              of,
            }
          }),
    }
  },
}
