import { dictAt, fieldAt, textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownKey, shownName, shownObject } from '../../model/shown-name.ts'
import type { CheckedUnit, Destination } from '../checked-unit.ts'
import { kubernetesGroups } from '../references/kubernetes-groups.ts'
import { isLate } from '../references/missing-target.ts'
import { manifestsAt, workloadsOf } from '../references/object-index.ts'
import { expressionsOf, indexPods, type LabelSelector, labelsOf, type PodLabels } from '../references/pod-labels.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'

/** Selectors of Services and disruption budgets that match no pod of the tree. */
export const unmatchedSelectors: Rule = unitRule(
  {
    code: 'SELECTOR_MATCHES_NOTHING',
    severity: 'warning',
    explanation: [
      'A Service whose selector matches no pod answers nothing, and a PodDisruptionBudget protects nothing; no API server says so. Selectors of both in workload clusters are compared with the labels of the pods that Deployments, StatefulSets, DaemonSets, Jobs and the like of the same namespace run.',
      'Not judged are Services without a selector or of type ExternalName; pods that every cluster has (DNS, kube-proxy and the control plane in kube-system); selectors with a value that is the name of a custom object in the tree, whose operator makes the pods; and values that are filled in later.',
    ],
  },
  (unit) => (unit.isKept ? [] : workloadsOf(unit).flatMap((destination) => unmatchedAt(unit, destination))),
)

function unmatchedAt(unit: CheckedUnit, destination: Destination): readonly RuleFinding[] {
  const manifests = manifestsAt(unit, destination)
  const podsIn = indexPods(manifests)
  const custom = new Set(
    manifests.filter(({ apiVersion }) => !kubernetesGroups.has(groupOf(apiVersion))).map(({ name }) => name),
  )
  return manifests.flatMap((manifest): readonly RuleFinding[] => {
    const found = selectorOf(manifest)
    if (found === undefined) return []
    const { path, selector, effect } = found
    const { namespace = '' } = manifest
    const labels = [...selector.labels]
    const isLater = labels.some(([key]) => isLate(manifest, [...path, key]))
    const isOfOperator = labels.some(([, value]) => custom.has(value))
    if (isLater || isOfOperator || isOfEveryCluster(namespace, selector)) return []
    const pods = podsIn(namespace)
    if (pods.match(withoutMade(selector))) return []
    return [
      {
        message: `${shownObject({ ...manifest, namespace: manifest.namespace })}: its selector matches no pod of the tree: ${effect}`,
        ...placeIn(manifest, ...path),
        hint: hintFor(selector, pods),
      },
    ]
  })
}

interface FoundSelector {
  readonly path: readonly string[]
  readonly selector: LabelSelector
  readonly effect: string
}

function selectorOf({ apiVersion, kind, object }: Manifest): FoundSelector | undefined {
  if (apiVersion === 'v1' && kind === 'Service') {
    const path = ['spec', 'selector']
    const labels = labelsOf(dictAt(object, ...path))
    if (labels.size === 0 || textAt(object, 'spec', 'type') === 'ExternalName') return undefined
    return { path, selector: { labels, expressions: [] }, effect: 'it answers nothing' }
  }
  if (groupOf(apiVersion) !== 'policy' || kind !== 'PodDisruptionBudget') return undefined
  const path = ['spec', 'selector', 'matchLabels']
  const labels = labelsOf(dictAt(object, ...path))
  const expressions = expressionsOf(fieldAt(object, 'spec', 'selector') ?? null)
  // an empty one matches all pods of the namespace
  if (labels.size === 0 && expressions.length === 0) return undefined
  return {
    path: labels.size === 0 ? path.slice(0, 2) : path,
    selector: { labels, expressions },
    effect: 'it protects nothing',
  }
}

/** Labels that controllers give the pods that they make, beside those of the template. */
const made: ReadonlySet<string> = new Set([
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
  'batch.kubernetes.io/job-name',
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-completion-index',
  'job-name',
  'controller-uid',
  'controller-revision-hash',
  'pod-template-generation',
  'pod-template-hash',
])

/** The part of a selector that templates can match. */
function withoutMade({ labels, expressions }: LabelSelector): LabelSelector {
  return {
    labels: new Map([...labels].filter(([key]) => !made.has(key))),
    expressions: expressions.filter(({ key }) => !made.has(key)),
  }
}

const ofKubernetes: ReadonlyMap<string, readonly string[]> = new Map([
  ['k8s-app', ['kube-dns', 'kube-proxy']],
  ['component', ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler']],
])

/** True for pods that kubeadm runs. */
function isOfEveryCluster(namespace: string, { labels }: LabelSelector): boolean {
  return (
    namespace === 'kube-system' && [...labels].some(([key, value]) => ofKubernetes.get(key)?.includes(value) === true)
  )
}

function hintFor({ labels }: LabelSelector, pods: PodLabels): string {
  for (const [key, value] of labels) {
    const values = pods.valuesOf(key)
    if (values.includes(value)) continue
    const near = nearestName(value, values)
    if (near !== undefined) return `Did you mean ${shownName(near)} for ${shownKey(key)}?`
  }
  return 'Correct the selector; if something outside of the tree makes the pods, acknowledge this finding.'
}
