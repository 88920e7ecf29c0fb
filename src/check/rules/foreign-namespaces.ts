import { placeIn } from '../../model/manifest.ts'
import { shownName, shownObject } from '../../model/shown-name.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'

/** Objects beside a Cluster that lie in the namespace of others. */
export const foreignNamespaces: Rule = unitRule(
  {
    code: 'NAMESPACE_FOREIGN',
    severity: 'warning',
    explanation: [
      "Whoever owns the folder of a cluster writes objects beside its Cluster, and the GitOps tool applies them with its own rights. In another namespace they reach what others own: the values that Flux fills into the addons of their clusters, their machines, their roles. With Argo CD the project of the cluster's namespace permits each namespace that they name.",
      'Where teams own the folders of their clusters, let this be an error (`spec.check.rules`), and let the platform acknowledge the objects that are meant. What comes with a class is not looked at.',
    ],
  },
  foreignIn,
)

function foreignIn({ isKept, folders }: CheckedUnit): readonly RuleFinding[] {
  if (isKept) return []
  return folders.flatMap(({ place, manifests }) =>
    place.kind !== 'cluster'
      ? []
      : manifests
          .filter(({ namespace }) => namespace !== undefined && namespace !== place.namespace)
          .map((manifest) => ({
            message: `${shownObject({ ...manifest, namespace: manifest.namespace })} lies beside a Cluster of namespace ${shownName(place.namespace)}, and is in another one`,
            ...placeIn(manifest, 'metadata', 'namespace'),
          })),
  )
}
