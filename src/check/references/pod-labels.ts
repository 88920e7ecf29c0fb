import { dictAt, itemsAt, textAt } from '../../model/field.ts'
import { meetsRequirement } from '../../model/label-requirement.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { Dict, Value } from '../../model/value.ts'
import { podOf } from '../../model/pods.ts'

/** A selector on the labels of pods. */
export interface LabelSelector {
  readonly labels: ReadonlyMap<string, string>
  readonly expressions: readonly LabelExpression[]
}

interface LabelExpression {
  readonly key: string
  readonly operator: string
  readonly values: readonly string[]
}

/** The labels of the pods that the objects of one namespace run. */
export interface PodLabels {
  /** True if a selector matches one of them. */
  readonly match: (selector: LabelSelector) => boolean
  /** Values that pods have of a label. */
  readonly valuesOf: (key: string) => readonly string[]
}

/** The labels as a selector has them, which is a plain map (`matchLabels` of others). */
export function labelsOf(map: Dict | undefined): ReadonlyMap<string, string> {
  return new Map([...(map ?? [])].flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])))
}

/** The expressions of a selector. */
export function expressionsOf(selector: Value): readonly LabelExpression[] {
  return itemsAt(selector, 'matchExpressions').map((expression) => ({
    key: textAt(expression, 'key'),
    operator: textAt(expression, 'operator'),
    values: itemsAt(expression, 'values').filter((value) => typeof value === 'string'),
  }))
}

type Labels = ReadonlyMap<string, string>

/** Indexes the pods of objects by namespace and label, so that a selector looks at few of them. */
export function indexPods(manifests: readonly Manifest[]): (namespace: string) => PodLabels {
  const byNamespace = new Map<string, Labels[]>()
  for (const manifest of manifests) {
    const labels = podLabelsOf(manifest)
    if (labels === undefined) continue
    const { namespace = '' } = manifest
    const pods = byNamespace.get(namespace)
    if (pods === undefined) byNamespace.set(namespace, [labels])
    else pods.push(labels)
  }
  const known = new Map<string, PodLabels>()
  return (namespace) => {
    const labels = known.get(namespace) ?? indexLabels(byNamespace.get(namespace) ?? [])
    known.set(namespace, labels)
    return labels
  }
}

function indexLabels(pods: readonly Labels[]): PodLabels {
  const byLabel = new Map<string, Map<string, Labels[]>>()
  for (const labels of pods)
    for (const [key, value] of labels) {
      const values = byLabel.get(key) ?? new Map<string, Labels[]>()
      byLabel.set(key, values)
      const having = values.get(value)
      if (having === undefined) values.set(value, [labels])
      else having.push(labels)
    }
  return {
    match: ({ labels, expressions }) => {
      const candidates = [...labels].map(([key, value]) => byLabel.get(key)?.get(value) ?? [])
      const [first = pods, ...others] = candidates
      const fewest = others.reduce((best, next) => (next.length < best.length ? next : best), first)
      return fewest.some(
        (pod) =>
          [...labels].every(([key, value]) => pod.get(key) === value) &&
          expressions.every(({ key, ...requirement }) => meetsRequirement(pod.get(key), requirement) !== false),
      )
    },
    valuesOf: (key) => [...(byLabel.get(key)?.keys() ?? [])],
  }
}

/** The labels of the pods that an object runs; undefined for one that runs none. */
export function podLabelsOf(manifest: Manifest): Labels | undefined {
  const pod = podOf(manifest)
  if (pod === undefined) return undefined
  // beside `spec` of the pod
  return labelsOf(dictAt(manifest.object, ...pod.path.slice(0, -1), 'metadata', 'labels'))
}
