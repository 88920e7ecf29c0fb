import { formatChangePath } from '../../model/change-path.ts'
import { isCapiCluster } from '../../model/class-reference.ts'
import type { ObjectName } from '../../model/object-name.ts'
import { formatVersion, matchClassName, matchReleaseTag } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import type { FoldedChange, FoldedObject } from '../../model/tree-change.ts'

/** Clusters that go from one class to another. */
export interface ClassMove {
  readonly before: string
  readonly after: string
  /** Of Kubernetes, where that changes, too. */
  readonly version?: { readonly before: string; readonly after: string } | undefined
  /** True if a revert does not lower that version; absent: there is none that rises. */
  readonly isFinal?: true
  readonly clusters: readonly ObjectName[]
}

/** Collects moves; those from and to the same are one. */
export class ClassMoves {
  readonly #moves = new Map<string, Omit<ClassMove, 'clusters'> & { readonly clusters: ObjectName[] }>()

  add({ clusters, ...move }: ClassMove): void {
    const key = JSON.stringify([move.before, move.after, move.version?.before, move.version?.after])
    const known = this.#moves.get(key)
    if (known === undefined) this.#moves.set(key, { ...move, clusters: [...clusters] })
    else known.clusters.push(...clusters)
  }

  all(): readonly ClassMove[] {
    return [...this.#moves.values()]
  }
}

/** Clusters that get another class. */
export function classMoves(groups: readonly FoldedChange[]): readonly ClassMove[] {
  const moves = new ClassMoves()
  for (const { clusters, objects } of groups)
    for (const object of objects) {
      const move = moveOf(object)
      if (move !== undefined) moves.add({ ...move, clusters })
    }
  return moves.all()
}

/** The move of a Cluster; undefined where its class stays. */
export function moveOf(object: FoldedObject): Omit<ClassMove, 'clusters'> | undefined {
  if (!isCapiCluster(object)) return undefined
  const changeOf = (path: RegExp): { readonly before: string; readonly after: string } | undefined => {
    const field = object.fields.find((one) => path.test(formatChangePath(one.path)))
    return typeof field?.before === 'string' && typeof field.after === 'string'
      ? { before: field.before, after: field.after }
      : undefined
  }
  const change = changeOf(/^spec\.topology\.class(?:Ref\.name)?$/)
  const version = changeOf(/^spec\.topology\.version$/)
  const isFinal = object.undo.includes('kubernetes-version')
  return change && { ...change, version, ...(isFinal && { isFinal }) }
}

/** From one release to another: `openstack-scs 1.34 v3 → v4`. */
export function moveText(before: string, after: string): string {
  const [from, to] = [releaseOf(before), releaseOf(after)]
  if (from === undefined || to === undefined) return `${before} → ${after}`
  const stack = stackOf(to)
  if (stackOf(from) !== stack) return `${releaseWords(before)} → ${releaseWords(after)}`
  const isSameMinor = minorOf(from) === minorOf(to)
  const [old, now] = [formatVersion(from.version, 'dash'), formatVersion(to.version, 'dash')]
  return isSameMinor
    ? `${stack} ${minorOf(to)} ${old} → ${now}`
    : `${stack} ${minorOf(from)} ${old} → ${minorOf(to)} ${now}`
}

/** A release or class in words: `openstack-scs 1.34 v3`. */
export function releaseWords(name: string): string {
  const release = releaseOf(name)
  return release === undefined
    ? name
    : `${stackOf(release)} ${minorOf(release)} ${formatVersion(release.version, 'dash')}`
}

function releaseOf(name: string): ReleaseName | undefined {
  const outcomes = [matchClassName(name), matchReleaseTag(name)]
  for (const outcome of outcomes) if ('value' in outcome) return outcome.value
  return undefined
}

function stackOf({ provider, stack }: ReleaseName): string {
  return `${provider}-${stack}`
}

function minorOf({ kubernetes }: ReleaseName): string {
  return `${String(kubernetes.major)}.${String(kubernetes.minor)}`
}
