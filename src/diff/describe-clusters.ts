import { type ObjectName, objectPath, parseObjectPath } from '../model/object-name.ts'
import { annotations, marker } from '../model/step-marks.ts'
import { isCapiCluster } from '../model/class-reference.ts'
import { textAt } from '../model/field.ts'
import type { AddedCluster, FieldChange, FoldedObject, RemovedCluster, TreeObject } from '../model/tree-change.ts'
import { clusterObjectFile, clusterTree, KUSTOMIZATION_FILE } from '../model/tree-path.ts'
import { partKey, partOf } from './change-parts.ts'
import { type Generalize, generalizeField, generalizeValue, isHashOf } from './cluster-variables.ts'
import { compareValues } from './compare-values.ts'
import type { IndexedChange } from './fold-changes.ts'
import { generalizePair } from './generalize-pair.ts'
import { hideSecrets } from './hide-secrets.ts'
import type { ObjectFates } from './object-fates.ts'
import type { LikePair, ReadingPlan } from './plan-reading.ts'

type ClusterFiles = ReadonlyMap<string, ReadonlyMap<string, string>>

interface Described {
  readonly plan: ReadingPlan
  readonly objects: { readonly before: readonly TreeObject[]; readonly after: readonly TreeObject[] }
  readonly indexed: readonly IndexedChange[]
  readonly clusters: { readonly before: ClusterFiles; readonly after: ClusterFiles }
  readonly generalizeOf: (cluster: ObjectName) => Generalize
  readonly fates: ObjectFates
}

/** The clusters that one of two trees lacks. */
export function describeClusters(described: Described): {
  readonly added: readonly AddedCluster[]
  readonly removed: readonly RemovedCluster[]
} {
  const { before, after } = described.clusters
  const removed = [...before.keys()].filter((key) => hasCluster(before, key) && !hasCluster(after, key)).sort()
  const added = [...after.keys()].filter((key) => !before.has(key) && hasCluster(after, key)).sort()
  const likes = new Map(described.plan.likes.map((pair) => [objectPath(pair.cluster), pair]))
  const indexes = { before: byCluster(described.objects.before), after: byCluster(described.objects.after) }
  const members = new Map(described.indexed.map(({ change, index }) => [change.after?.path ?? '', index]))
  return {
    added: added.map((key): AddedCluster => {
      const pair = likes.get(key)
      const isRenamed = pair?.isRename === true && removed.includes(objectPath(pair.like))
      return {
        cluster: parseObjectPath(key),
        objects: countObjects(after.get(key)),
        like: pair && { cluster: pair.like, except: exceptOf(pair, { ...described, indexes, members }) },
        renamedFrom: isRenamed ? pair.like : undefined,
      }
    }),
    removed: removed.map((key): RemovedCluster => {
      const cluster = parseObjectPath(key)
      const mark = `cluster/configmap-${marker.nameOf(cluster.name)}.yaml`
      const old = indexes.before.get(key)?.find((object) => isCapiCluster(object) && object.folder.kind === 'cluster')
      const isMarked =
        old !== undefined && textAt(old.object, 'metadata', 'annotations', annotations.decommission) !== ''
      return {
        cluster,
        objects: countObjects(before.get(key), after.get(key)),
        isDecommissioned: isMarked || after.get(key)?.has(mark) === true,
        isKept: old !== undefined && described.fates.of(old) === 'kept',
      }
    }),
  }
}

function hasCluster(clusters: ClusterFiles, key: string): boolean {
  return clusters.get(key)?.has(`cluster/${clusterObjectFile(parseObjectPath(key).name)}`) === true
}

/** The objects of a cluster, but for those that stay. */
function countObjects(
  files: ReadonlyMap<string, string> | undefined,
  staying: ReadonlyMap<string, string> = new Map(),
): number {
  if (files === undefined) return 0
  const isCounted = (path: string): boolean =>
    path.endsWith('.yaml') && !path.endsWith(`/${KUSTOMIZATION_FILE}`) && !staying.has(path)
  return [...files.keys()].filter(isCounted).length
}

type Index = ReadonlyMap<string, readonly TreeObject[]>

function byCluster(objects: readonly TreeObject[]): Index {
  const found = new Map<string, TreeObject[]>()
  for (const object of objects) {
    const { folder, path } = object
    if ((folder.kind !== 'cluster' && folder.kind !== 'addons') || path.endsWith(`/${KUSTOMIZATION_FILE}`)) continue
    const key = objectPath(folder)
    const own = found.get(key)
    if (own === undefined) found.set(key, [object])
    else own.push(object)
  }
  return found
}

/** Differences of a new cluster from the one that it is like, names apart. */
function exceptOf(
  { cluster, like, from }: LikePair,
  {
    clusters,
    indexes,
    members,
    generalizeOf,
  }: Described & {
    readonly indexes: { readonly before: Index; readonly after: Index }
    /** The index of what changes in a file, by its path. */
    readonly members: ReadonlyMap<string, number>
  },
): readonly FoldedObject[] {
  const ids = { own: clusters.after.get(objectPath(cluster)), other: clusters[from].get(objectPath(like)) }
  const isSame = (path: string, owner: ObjectName): boolean => {
    const inCluster = path.slice(clusterTree(owner).length + 1)
    return ids.own?.get(inCluster) === ids.other?.get(inCluster)
  }
  const names = new Set([objectPath(cluster), objectPath(like)])
  const objects = {
    own: indexes.after.get(objectPath(cluster)) ?? [],
    other: indexes[from].get(objectPath(like)) ?? [],
  }
  const plainKey = (object: TreeObject): string => keyOf(object, { generalize: (text) => text, names })
  const plain = new Set(objects.own.map(plainKey))
  const common = new Set(objects.other.map(plainKey).filter((key) => plain.has(key)))
  const keyed = (some: readonly TreeObject[], owner: ObjectName): ReadonlyMap<string, TreeObject> =>
    new Map(
      some
        .filter(({ path }) => !isSame(path, owner))
        .map((object) => {
          const key = plainKey(object)
          return [common.has(key) ? key : keyOf(object, { generalize: generalizeOf(owner), names }), object]
        }),
    )
  const own = keyed(objects.own, cluster)
  const other = keyed(objects.other, like)
  return [...new Set([...own.keys(), ...other.keys()])].sort(clusterFirst).flatMap((key): readonly FoldedObject[] => {
    const [mine, its] = [own.get(key), other.get(key)]
    const generalize: Generalize = common.has(key) ? (text) => text : generalizeOf(mine === undefined ? like : cluster)
    const shown = shownOf(mine ?? its, generalize)
    if (shown === undefined) return []
    const index = members.get(mine?.path ?? '')
    const rest = { ...shown, risks: [], undo: [], members: index === undefined ? [] : [index] }
    if (mine === undefined) return [{ change: 'removed', ...rest, fields: [] }]
    if (its === undefined) return [{ change: 'added', ...rest, fields: [] }]
    const [before, after] = [new NotedTexts(generalizeOf(like)), new NotedTexts(generalizeOf(cluster))]
    // a checksum of what holds the name differs, and nothing else does
    const fields = compareValues(
      ...generalizePair(its.object, mine.object, { before: before.generalize, after: after.generalize }),
    ).filter(({ path, before, after }) => !isMark(path) && (!isHashOf(path, before) || !isHashOf(path, after)))
    if (fields.length === 0) return []
    const plain = fields.map((field) => ({
      ...generalizeField(field, after.restore),
      before: field.before === undefined ? undefined : generalizeValue(field.before, before.restore),
    }))
    return [
      {
        change: 'changed',
        ...rest,
        fields: hideSecrets(shown.kind, fields),
        plain: hideSecrets(shown.kind, plain),
      },
    ]
  })
}

/** A replacement, and the way back from the texts that it gave. */
class NotedTexts {
  readonly #plain = new Map<string, string>()
  readonly generalize: Generalize
  readonly restore: Generalize = (text) => this.#plain.get(text) ?? text

  constructor(generalize: Generalize) {
    this.generalize = (text) => {
      const shown = generalize(text)
      if (shown !== text) this.#plain.set(shown, text)
      return shown
    }
  }
}

const marks: ReadonlySet<unknown> = new Set(Object.values(annotations))

/** True for what says in which step the other cluster is: a new one has its own. */
function isMark(path: FieldChange['path']): boolean {
  return path[0] === 'metadata' && path[1] === 'annotations' && marks.has(path[2])
}

/** Orders paths: those of the Cluster come before those that follow from it. */
function clusterFirst(a: string, b: string): number {
  const isCluster = (key: string): number => (key.startsWith('cluster ') ? 0 : 1)
  return isCluster(a) - isCluster(b) || (a < b ? -1 : 1)
}

function keyOf(
  object: TreeObject,
  { generalize, names }: { readonly generalize: Generalize; readonly names: ReadonlySet<string> },
): string {
  const { apiVersion, kind, namespace = '', name } = object
  const group = apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0))
  return `${partKey(partOf(object, names).part)} ${group}/${kind} ${generalize(namespace)}/${generalize(name)}`
}

function shownOf(
  object: TreeObject | undefined,
  generalize: Generalize,
): Pick<FoldedObject, 'apiVersion' | 'kind' | 'namespace' | 'name'> | undefined {
  if (object === undefined) return undefined
  const { apiVersion, kind, namespace, name } = object
  return {
    apiVersion,
    kind,
    namespace: namespace === undefined ? undefined : generalize(namespace),
    name: generalize(name),
  }
}
