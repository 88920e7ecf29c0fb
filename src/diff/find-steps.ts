import { isCapiCluster, readClassReference } from '../model/class-reference.ts'
import { textAt } from '../model/field.ts'
import { type ObjectName, objectPath } from '../model/object-name.ts'
import { annotations } from '../model/step-marks.ts'
import type { StepChange } from '../model/tree-change.ts'
import type { Value } from '../model/value.ts'
import type { IndexedChange } from './fold-changes.ts'

/** What a Cluster says of its own step; texts are empty where it says nothing. */
interface Marks {
  readonly className: string
  readonly addons: string
  readonly target: string
  readonly decommission: string
}

/** Upgrades and decommissions that begin, continue or are given up on clusters that stay, by the marks of their Clusters. */
export function findSteps(indexed: readonly IndexedChange[]): readonly StepChange[] {
  const found = new Map<string, { readonly step: Omit<StepChange, 'clusters'>; readonly clusters: ObjectName[] }>()
  for (const { change, cluster } of indexed) {
    const { before, after } = change
    if (cluster === undefined || before === undefined || after === undefined || !isCapiCluster(after)) continue
    for (const step of stepsBetween(marksOf(before.object), marksOf(after.object))) {
      const key = JSON.stringify([step.what, step.change, step.from, step.to, step.addons])
      const same = found.get(key) ?? { step, clusters: [] }
      found.set(key, same)
      same.clusters.push(cluster)
    }
  }
  return [...found.values()]
    .map(({ step, clusters }) => ({ ...step, clusters: clusters.toSorted(byPath) }))
    .toSorted((a, b) => b.clusters.length - a.clusters.length)
}

function byPath(one: ObjectName, other: ObjectName): number {
  return objectPath(one) < objectPath(other) ? -1 : 1
}

function marksOf(cluster: Value): Marks {
  const className = readClassReference(cluster).name
  const mark = (name: string): string => textAt(cluster, 'metadata', 'annotations', name)
  return {
    className,
    addons: mark(annotations.addons) || className,
    target: mark(annotations.target),
    decommission: mark(annotations.decommission),
  }
}

function stepsBetween(before: Marks, after: Marks): readonly Omit<StepChange, 'clusters'>[] {
  return [upgradeBetween(before, after), decommissionBetween(before, after)].filter((step) => step !== undefined)
}

function decommissionBetween(before: Marks, after: Marks): Omit<StepChange, 'clusters'> | undefined {
  if ((before.decommission === '') === (after.decommission === '')) return undefined
  return { what: 'decommission', change: after.decommission === '' ? 'given-up' : 'begins' }
}

function upgradeBetween(before: Marks, after: Marks): Omit<StepChange, 'clusters'> | undefined {
  if (after.target === '') {
    // without a mark and of the class that it led to, it is done: the move of the class says so
    if (before.target === '' || before.target === after.className) return undefined
    return { what: 'upgrade', change: 'given-up', from: after.className, to: before.target }
  }
  const step = { what: 'upgrade', from: before.className, to: after.target, addons: after.addons } as const
  if (before.target === '') return { ...step, change: 'begins' }
  if (before.target !== after.target) return { ...step, change: 'other-target' }
  const isOn = before.addons !== after.addons || before.className !== after.className
  return isOn ? { ...step, from: after.className, change: 'continues' } : undefined
}
