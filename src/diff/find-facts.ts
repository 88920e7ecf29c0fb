import { readClassReference, readTopologyVersion, isCapiCluster } from '../model/class-reference.ts'
import { type ObjectName, objectPath, parseObjectPath } from '../model/object-name.ts'
import { formatClassName, matchReleaseTag } from '../model/release-name.ts'
import type { ChangeFacts, KubernetesChange, ObjectChange, ReleaseChange, TreeObject } from '../model/tree-change.ts'
import { stackFolder } from '../model/tree-path.ts'
import type { VariableRenames } from '../model/variable-renames.ts'
import { compareKubernetes } from './compare-kubernetes.ts'
import { findDefinitions } from './find-definitions.ts'
import { findSteps } from './find-steps.ts'
import { findAddonVersions, findImages } from './find-versions.ts'
import { findVariables } from './find-variables.ts'
import type { IndexedChange } from './fold-changes.ts'
import type { FileIds, ReadingPlan, StackPair } from './plan-reading.ts'

interface FactSources {
  readonly plan: ReadingPlan
  /** Of the new tree. */
  readonly files: FileIds
  /** Those of the new tree that were read. */
  readonly objects: readonly TreeObject[]
  readonly renames: VariableRenames
}

/** Sums up the changes of clusters that stay, and of releases. */
export function findFacts(
  indexed: readonly IndexedChange[],
  { plan, files, objects, renames }: FactSources,
): Omit<ChangeFacts, 'clusters' | 'unread'> {
  return {
    kubernetes: findKubernetes(indexed),
    steps: findSteps(indexed),
    addons: findAddonVersions(indexed),
    images: findImages(indexed),
    releases: findReleases(indexed, { plan, files }),
    variables: findVariables(indexed, { objects, renames }),
    definitions: findDefinitions(indexed),
  }
}

function findKubernetes(indexed: readonly IndexedChange[]): readonly KubernetesChange[] {
  const found = new Map<string, { readonly change: KubernetesChange; readonly clusters: ObjectName[] }>()
  for (const { change, cluster } of indexed) {
    const { before, after } = change
    if (cluster === undefined || before === undefined || after === undefined || !isCapiCluster(after)) continue
    const [old, now] = [readTopologyVersion(before.object), readTopologyVersion(after.object)]
    const step = compareKubernetes(old, now)
    if (step === undefined) continue
    const key = `${old} ${now}`
    const same = found.get(key) ?? { change: { before: old, after: now, step, clusters: [] }, clusters: [] }
    found.set(key, same)
    same.clusters.push(cluster)
  }
  return [...found.values()]
    .map(({ change, clusters }) => ({ ...change, clusters }))
    .toSorted((a, b) => b.clusters.length - a.clusters.length)
}

/** Releases that come or go; the clusters are those whose Cluster moves. */
function findReleases(
  indexed: readonly IndexedChange[],
  { plan, files }: { readonly plan: ReadingPlan; readonly files: FileIds },
): readonly ReleaseChange[] {
  const kept = stackFolders(files)
  const moves = new Map<string, string[]>()
  for (const { change, cluster } of indexed) {
    const { before, after } = change
    if (cluster === undefined || before === undefined || after === undefined || !isCapiCluster(after)) continue
    const [old, now] = [readClassReference(before.object).name, readClassReference(after.object).name]
    if (old === now || now === '') continue
    const key = `${old} ${now}`
    moves
      .set(key, moves.get(key) ?? [])
      .get(key)
      ?.push(objectPath(cluster))
  }
  const usersOf = (before: string, after: string): readonly ObjectName[] =>
    (moves.get(`${classOf(before)} ${classOf(after)}`) ?? []).map(parseObjectPath)
  const paired = plan.stacks.map(({ before, after }): ReleaseChange => {
    const { namespace, tag } = after
    // compared with that of another namespace, whose place it does not take
    if (before.namespace !== namespace) return { namespace, after: tag, isBeforeKept: false, clusters: [] }
    const isBeforeKept = kept.has(stackFolder(namespace, before.tag))
    return { namespace, before: before.tag, after: tag, isBeforeKept, clusters: usersOf(before.tag, tag) }
  })
  const known = new Set(
    paired.flatMap(({ namespace, before, after }) => [`${namespace} ${before ?? ''}`, `${namespace} ${after ?? ''}`]),
  )
  const single = new Map<string, ReleaseChange>()
  for (const { part, change } of indexed) {
    if (part.kind !== 'stack' || part.before !== undefined || change.change === 'changed') continue
    const key = `${part.namespace} ${part.tag}`
    const isThere = kept.has(stackFolder(part.namespace, part.tag))
    if (known.has(key) || (change.change === 'removed' && isThere)) continue
    const side = isThere ? { after: part.tag } : { before: part.tag }
    single.set(key, { namespace: part.namespace, ...side, isBeforeKept: false, clusters: [] })
  }
  return [...paired, ...single.values()]
}

/** The releases of pairs that are new beside the other one: that stays, and no cluster moves from it. */
export function findBeside(
  changes: readonly ObjectChange[],
  { plan, files }: { readonly plan: ReadingPlan; readonly files: FileIds },
): ReadonlySet<StackPair> {
  const kept = stackFolders(files)
  const moves = new Set(
    changes.flatMap(({ before, after }) =>
      before === undefined || after === undefined || !isCapiCluster(after)
        ? []
        : [[before, after].map(({ object }) => readClassReference(object).name).join(' ')],
    ),
  )
  return new Set(
    plan.stacks.filter(
      ({ before, after }) =>
        before.namespace === after.namespace &&
        kept.has(stackFolder(before.namespace, before.tag)) &&
        !moves.has(`${classOf(before.tag)} ${classOf(after.tag)}`),
    ),
  )
}

function stackFolders(files: FileIds): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const path of files.keys()) if (path.startsWith('stacks/')) folders.add(path.split('/').slice(0, 3).join('/'))
  return folders
}

function classOf(tag: string): string {
  const matched = matchReleaseTag(tag)
  return 'value' in matched ? formatClassName(matched.value) : tag
}
