import { dictAt, fieldAt, textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import { type Dict, GoInt, type Value } from '../../model/value.ts'
import { manifestsAt, workloadsOf } from '../references/object-index.ts'
import { labelsOf } from '../references/pod-labels.ts'
import { isLate } from '../references/missing-target.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'

/** Budgets under which no pod may ever be evicted. */
export const blockedEvictions: Rule = unitRule(
  {
    code: 'EVICTION_BLOCKED',
    severity: 'warning',
    explanation: [
      'Cluster API drains a machine before it deletes it: a PodDisruptionBudget that allows no eviction holds up every upgrade of Kubernetes and every change of machines, until `nodeDrainTimeout` or for ever.',
      'That is one with `maxUnavailable: 0`, `minAvailable: 100%`, or `minAvailable` of as many as the Deployments and StatefulSets have replicas that it chooses. Those that a HorizontalPodAutoscaler scales are not counted, and pods of DaemonSets are not evicted at a drain.',
    ],
  },
  (unit) => {
    if (unit.isKept) return []
    return workloadsOf(unit).flatMap((destination) => {
      const manifests = manifestsAt(unit, destination)
      const budgets = manifests.filter(isBudget)
      if (budgets.length === 0) return []
      const choose = indexPods(manifests)
      return budgets.flatMap((budget) => blockedBy(budget, choose))
    })
  },
)

function isBudget({ apiVersion, kind }: Manifest): boolean {
  return kind === 'PodDisruptionBudget' && groupOf(apiVersion) === 'policy'
}

/** The workload that runs the pods of a budget. */
interface Chosen {
  /** True if nothing but DaemonSets does. */
  readonly isDaemons: boolean
  /** Of what is no DaemonSet; undefined where there is none, or something else decides. */
  readonly replicas: bigint | undefined
}

type Choose = (budget: Manifest) => Chosen

function blockedBy(budget: Manifest, choose: Choose): readonly RuleFinding[] {
  const { object } = budget
  const most = fieldAt(object, 'spec', 'maxUnavailable') ?? null
  const least = fieldAt(object, 'spec', 'minAvailable') ?? null
  const field = most === null ? 'minAvailable' : 'maxUnavailable'
  if (isLate(budget, ['spec', field])) return []
  const { isDaemons, replicas } = choose(budget)
  if (isDaemons) return []
  const why =
    most === null ? reasonOfLeast(least, replicas) : isNothing(most) ? `${field} is ${textOf(most)}` : undefined
  if (why === undefined) return []
  return [
    {
      message: `${shownObject({ ...budget, namespace: budget.namespace })} allows no eviction (${why}): nodes with its pods cannot be drained, and upgrades wait`,
      ...placeIn(budget, 'spec', field),
      hint: 'Allow one pod to be away (maxUnavailable: 1), or run one more than minAvailable.',
    },
  ]
}

function reasonOfLeast(least: Value, replicas: bigint | undefined): string | undefined {
  if (typeof least === 'string' && /^0*100%$/.test(least)) return `minAvailable is ${least}`
  if (!(least instanceof GoInt) || least.value < 1n || replicas === undefined) return undefined
  // without pods there is nothing to evict
  if (replicas === 0n || replicas > least.value) return undefined
  return `minAvailable is ${String(least.value)} of ${String(replicas)}`
}

function describe(makers: readonly PodMaker[]): Chosen {
  const counted = makers.filter(({ isDaemon }) => !isDaemon)
  let replicas: bigint | undefined = counted.length === 0 ? undefined : 0n
  for (const { replicas: own } of counted)
    replicas = replicas === undefined || own === undefined ? undefined : replicas + own
  return { isDaemons: makers.length > 0 && counted.length === 0, replicas }
}

function isNothing(value: Value): boolean {
  return value instanceof GoInt ? value.value === 0n : typeof value === 'string' && /^0+%$/.test(value)
}

function textOf(value: Value): string {
  return typeof value === 'string' ? value : '0'
}

const NOBODY: Chosen = describe([])

/** An object that makes pods, and how many. */
interface PodMaker {
  readonly labels: Dict
  readonly isDaemon: boolean
  /** Undefined where an autoscaler or something later sets it. */
  readonly replicas: bigint | undefined
}

/** Finds what makes the pods of a budget, by one of the labels that it wants. */
function indexPods(manifests: readonly Manifest[]): Choose {
  const scaled = new Set(
    manifests.flatMap(({ namespace, object }) => {
      const target = dictAt(object, 'spec', 'scaleTargetRef')
      return target === undefined
        ? []
        : [keyOf(namespace, textAt(target, 'kind') || 'Deployment', textAt(target, 'name'))]
    }),
  )
  const byLabel = new Map<string, PodMaker[]>()
  for (const manifest of manifests) {
    const { kind, namespace, name, object } = manifest
    const labels = dictAt(object, 'spec', 'template', 'metadata', 'labels')
    if (groupOf(manifest.apiVersion) !== 'apps' || labels === undefined) continue
    const given = fieldAt(object, 'spec', 'replicas') ?? new GoInt(1n)
    const isFixed = given instanceof GoInt && !scaled.has(keyOf(namespace, kind, name))
    const maker = { labels, isDaemon: kind === 'DaemonSet', replicas: isFixed ? given.value : undefined }
    for (const label of labels.keys()) {
      const key = keyOf(namespace, label, textAt(labels, label))
      const known = byLabel.get(key)
      if (known === undefined) byLabel.set(key, [maker])
      else known.push(maker)
    }
  }
  // budgets that choose by the same labels choose the same
  const chosen = new Map<string, Chosen>()
  return ({ namespace, object }) => {
    const selector = dictAt(object, 'spec', 'selector')
    const wanted = [...labelsOf(dictAt(object, 'spec', 'selector', 'matchLabels'))]
    // expressions choose fewer than the labels tell
    if (wanted.length === 0 || selector?.has('matchExpressions') === true) return NOBODY
    const key = keyOf(namespace, ...wanted.flat())
    const found = chosen.get(key) ?? describe(chooseMakers(namespace, wanted, byLabel))
    chosen.set(key, found)
    return found
  }
}

type Label = readonly [label: string, value: string]

/** Looks through those of the label that the fewest have. */
function chooseMakers(
  namespace: string | undefined,
  wanted: readonly Label[],
  byLabel: ReadonlyMap<string, readonly PodMaker[]>,
): readonly PodMaker[] {
  const having = wanted.map(([label, value]) => byLabel.get(keyOf(namespace, label, value)) ?? [])
  const fewest = having.reduce((best, next) => (next.length < best.length ? next : best))
  return fewest.filter((maker) => wanted.every(([label, value]) => maker.labels.get(label) === value))
}

function keyOf(...parts: readonly (string | undefined)[]): string {
  return JSON.stringify(parts)
}
