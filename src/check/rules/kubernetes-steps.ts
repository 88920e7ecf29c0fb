import { isCapiCluster } from '../../model/class-reference.ts'
import { objectPath } from '../../model/object-name.ts'
import { placeInTree } from '../changed-object.ts'
import { changeRule, type Rule } from '../rule.ts'

/** Kubernetes is upgraded one minor version at a time, and never goes back. */
export const kubernetesSteps: Rule = changeRule(
  {
    code: 'KUBERNETES_STEP_REFUSED',
    severity: 'error',
    explanation: [
      'Cluster API refuses a Cluster whose version of Kubernetes goes back or skips a minor version: kubeadm upgrades by one minor version at a time, and etcd is not downgraded.',
      'Where a GitOps tool applies the tree, rendering refuses this already, with the step that is due.',
    ],
  },
  ({ facts, changes }) => {
    const found = new Map(
      changes.flatMap(({ after }) =>
        after !== undefined && isCapiCluster(after)
          ? [[objectPath({ namespace: after.namespace ?? '', name: after.name }), after] as const]
          : [],
      ),
    )
    return facts.kubernetes
      .filter(({ step }) => step === 'skips' || step === 'back')
      .flatMap(({ step, before = '', after = '', clusters }) =>
        clusters.map((cluster) => ({
          message: `Kubernetes ${step === 'skips' ? 'skips a minor version' : 'goes back'}: ${before} -> ${after}`,
          about: { cluster: objectPath(cluster) },
          ...placeInTree(found.get(objectPath(cluster)), ['spec', 'topology', 'version']),
          hint:
            step === 'skips'
              ? 'Upgrade to each minor version in between, in a commit of its own.'
              : 'Restore the version: a revert does not lower it.',
        })),
      )
  },
)
