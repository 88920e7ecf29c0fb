import { isCapiCluster } from '../model/class-reference.ts'
import { type ObjectName, objectPath } from '../model/object-name.ts'
import type { ChangePart, ObjectChange, TreeChange, TreeObject, UnreadFile } from '../model/tree-change.ts'
import { clusterFolder, clusterObjectFile, KUSTOMIZATION_FILE, OLD_INVENTORY, OWNER_FILE } from '../model/tree-path.ts'
import type { VariableRenames } from '../model/variable-renames.ts'
import { findHolders, partOf } from './change-parts.ts'
import { classifyChange, type PlainChange } from './classify-change.ts'
import { createGeneralize, type Generalize } from './cluster-variables.ts'
import { describeClusters } from './describe-clusters.ts'
import { findBeside, findFacts } from './find-facts.ts'
import { foldChanges, type IndexedChange } from './fold-changes.ts'
import { createSchemaFinder } from './list-schemas.ts'
import { hideSecrets } from './hide-secrets.ts'
import { changedListFields } from './own-pairings.ts'
import { createObjectFates, type ObjectFates } from './object-fates.ts'
import { findFollowingPins } from './following-pins.ts'
import { createCompare, type ObjectPair, pairObjects } from './pair-objects.ts'
import {
  clusterFilesOf,
  type FileIds,
  isObjectFile,
  type ReadingPlan,
  type StackPair,
  type NamespacedRelease,
} from './plan-reading.ts'
import { createObjectReader } from './tree-object.ts'

/** One of the two trees. */
export interface TreeContent {
  /** All of them. */
  readonly files: FileIds
  /** Of the files that the plan names, by path. */
  readonly texts: ReadonlyMap<string, string>
  /** Files that are in the folders of the tree and in none of its lists: nobody applies them. */
  readonly unlisted: ReadonlySet<string>
  /** Lists that name what is not in the tree, and those names. */
  readonly elsewhere: ReadonlyMap<string, readonly string[]>
  /** The unit that applies what lies in a folder; equal names are one unit. */
  readonly unitOf: (folder: string) => string
}

/** Two trees, and the plan by which they were read. */
export interface TreeComparison {
  readonly plan: ReadingPlan
  readonly before: TreeContent
  readonly after: TreeContent
  /** Variables of classes that the fleet knows to be renamed; absent: none. */
  readonly renames?: VariableRenames
  /** Definitions of kinds that differ, by path, where they do not differ themselves. */
  readonly definitions?: ReadonlyMap<string, string>
}

/** Compares two trees. */
export function compareTrees({ plan, before, after, renames, definitions = new Map() }: TreeComparison): TreeChange {
  const read = createObjectReader()
  const differs = (path: string): boolean => before.files.get(path) !== after.files.get(path)
  const unread = new Map<string, UnreadFile>()
  const followers = findFollowingPins(before, after)
  const objectsOf = (content: TreeContent): readonly TreeObject[] =>
    [...content.texts].flatMap(([path, text]) => {
      if (followers.has(path)) return []
      const found = read(path, text)
      if (typeof found !== 'string') return found
      if (differs(path)) unread.set(path, { path, change: changeOf(path, { before, after }), reason: found })
      return []
    })
  const found = { before: objectsOf(before), after: objectsOf(after) }
  // what was in a file that cannot be read, or will be, is not known to go or to come
  const isRead = ({ path }: TreeObject): boolean => !unread.has(path)
  const objects = { before: found.before.filter(isRead), after: found.after.filter(isRead) }
  for (const file of unknownFiles({ before, after })) unread.set(file.path, file)
  const known = [...definitions].flatMap(([path, text]) => {
    const one = read(path, text)
    return typeof one === 'string' ? [] : one
  })
  const findSchema = createSchemaFinder(
    [...objects.after, ...objects.before, ...known].flatMap(({ kind, object }) =>
      kind === 'CustomResourceDefinition' ? [object] : [],
    ),
  )
  const compare = createCompare(findSchema)
  const isKept = (path: string): boolean => !differs(path)
  const pairs = pairObjects(objects, { stacks: plan.stacks, isKept, findSchema }, compare)
  const fates = createObjectFates(objects)
  const changes = pairs
    .flatMap((pair) => changeOfPair(pair, { before, after, isKept, fates }))
    .toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1))
  const clusters = { before: clusterFilesOf(before.files), after: clusterFilesOf(after.files) }
  const names = new Set([...clusters.before.keys(), ...clusters.after.keys()])
  const pairOf = createPairFinder(plan)
  const beside = findBeside(changes, { plan, files: after.files })
  const indexed = changes.map((change, index): IndexedChange => ({
    change,
    index,
    ...placeOf(change, { names, pairOf, beside }),
  }))
  const generalizeOf = createGeneralizer(objects)
  const described = describeClusters({ plan, objects, indexed, clusters, generalizeOf, fates })
  const isWhole = new Set([...described.added, ...described.removed].map(({ cluster }) => objectPath(cluster)))
  const isOfWhole = ({ cluster }: IndexedChange): boolean => cluster !== undefined && isWhole.has(objectPath(cluster))
  const leaving = new Set(described.removed.map(({ cluster }) => objectPath(cluster)))
  // what comes in the place of a Cluster is no part of what goes with it
  const comesInPlace = ({ cluster, change }: IndexedChange): boolean =>
    cluster !== undefined && change.change === 'added' && leaving.has(objectPath(cluster))
  const inGroups = indexed.filter((one) => !isOfWhole(one) || concernsOthers(one.change) || comesInPlace(one))
  const changed = new Set(
    inGroups.flatMap((one) => (one.cluster === undefined || isOfWhole(one) ? [] : [objectPath(one.cluster)])),
  )
  const staying = [...clusters.after.keys()].filter((key) => clusters.before.has(key) && !isWhole.has(key)).length
  return {
    facts: {
      clusters: { ...described, changed: changed.size, unchanged: staying - changed.size },
      ...findFacts(inGroups, { plan, files: after.files, objects: objects.after, renames: renames ?? new Map() }),
      unread: [...unread.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    },
    changes,
    groups: foldChanges(inGroups, {
      generalizeOf,
      // nobody asks where nothing changes
      holders:
        inGroups.length === 0
          ? new Map<string, ReadonlySet<string>>()
          : findHolders(after.files, new Set([...names].filter((name) => !isWhole.has(name)))),
    }),
  }
}

/**
 * True for an object of a cluster that comes or goes which is more than a part of it: it was there before, under
 * another cluster, or lets somebody do more in the management cluster.
 */
function concernsOthers({ before, after, risks }: ObjectChange): boolean {
  if (after?.destination !== 'management') return false
  return before !== undefined || risks.includes('widens-rights')
}

interface BothTrees {
  readonly before: TreeContent
  readonly after: TreeContent
}

function changeOf(path: string, { before, after }: BothTrees): UnreadFile['change'] {
  if (!before.files.has(path)) return 'added'
  return after.files.has(path) ? 'changed' : 'removed'
}

/** Files that differ and are none of a rendered tree. */
function unknownFiles({ before, after }: BothTrees): readonly UnreadFile[] {
  const unlisted = [...after.unlisted].flatMap((path) =>
    before.unlisted.has(path) || before.files.has(path)
      ? []
      : [{ path, change: 'added' as const, reason: 'the kustomization.yaml beside it does not list it' }],
  )
  const differing: string[] = []
  for (const [path, id] of before.files) if (after.files.get(path) !== id) differing.push(path)
  for (const path of after.files.keys()) if (!before.files.has(path)) differing.push(path)
  const strangers = differing.flatMap((path): readonly UnreadFile[] => {
    if (isObjectFile(path)) return []
    if (isOwnFile(path, { before, after })) return []
    // a work tree does not tell of those that are not checked out
    if (path.endsWith('/') && !after.files.has(path)) return []
    const reason = path.endsWith('/') ? 'it is a submodule' : 'it is no file of a rendered tree'
    return [{ path, change: changeOf(path, { before, after }), reason }]
  })
  const lists = [...after.elsewhere].flatMap(([path, names]) => {
    const known = new Set(before.elsewhere.get(path))
    const [first, ...more] = names.filter((name) => !known.has(name))
    if (first === undefined) return []
    const what = more.length === 0 ? `${first}, which is` : `${first} and ${String(more.length)} more, which are`
    return [{ path, change: changeOf(path, { before, after }), reason: `it lists ${what} not in the tree` }]
  })
  const left = differing.filter((path) => path.endsWith(`/${KUSTOMIZATION_FILE}`) && !after.files.has(path))
  const folders = left.length === 0 ? undefined : new Set(Array.from(after.files.keys(), folderIn))
  const lost = left
    .filter((path) => folders?.has(folderIn(path)) === true)
    .map((path) => ({ path, change: 'removed' as const, reason: 'without it nothing beside it is built' }))
  return [...unlisted, ...strangers, ...lists, ...lost]
}

/**
 * Files that stackmason writes and that hold no object, where it writes them; older ones that the next render takes.
 */
function isOwnFile(path: string, { after }: BothTrees): boolean {
  return path === OWNER_FILE || (path.endsWith(`/${OLD_INVENTORY}`) && !after.files.has(path))
}

function pathOf({ before, after }: ObjectChange): string {
  return after?.path ?? before?.path ?? ''
}

function changeOfPair(
  { before, after, fields, renamed }: ObjectPair,
  trees: BothTrees & { readonly isKept: (path: string) => boolean; readonly fates: ObjectFates },
): readonly ObjectChange[] {
  const isRenamed = renamed !== undefined
  const isPlainList = (after ?? before)?.path.endsWith(`/${KUSTOMIZATION_FILE}`) === true
  // kustomize reads a list, nobody applies it
  const units = before && after && !isRenamed && !isPlainList ? unitsOf(before, after, trees) : undefined
  if (before && after && fields.length === 0 && units === undefined && !isRenamed) return []
  const isWhole = before === undefined || after === undefined
  if (isPlainList && (isWhole ? !rewrites(after ?? before) : isRenamed && fields.length === 0)) return []
  const plain: PlainChange = {
    change: isRenamed ? 'renamed' : before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    before,
    after,
    fields: hideSecrets((after ?? before)?.kind ?? '', fields),
    isBeforeKept: isRenamed && before !== undefined && trees.isKept(before.path),
    isBeforeGone: renamed === 'object',
    isBeforeLeft: renamed === 'release' && before !== undefined && trees.fates.of(before) === 'kept',
    units,
  }
  return [{ ...plain, ...classifyChange(plain, trees.fates) }]
}

/** True if a list of files does more than to list them. */
function rewrites(list: TreeObject | undefined): boolean {
  if (list === undefined) return false
  return changedListFields(undefined, list.object).some((name) => !['apiVersion', 'kind', 'metadata'].includes(name))
}

function unitsOf(
  before: TreeObject,
  after: TreeObject,
  trees: BothTrees,
): { readonly before: string; readonly after: string } | undefined {
  if (before.path === after.path && before.folder.kind !== 'addons') return undefined
  const units = { before: trees.before.unitOf(folderIn(before.path)), after: trees.after.unitOf(folderIn(after.path)) }
  return units.before === units.after ? undefined : units
}

function folderIn(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

type FindPair = (change: ObjectChange['change'], stack: NamespacedRelease) => StackPair | undefined

/** Finds the pair that a release is in: what is gone is of the older one. */
function createPairFinder({ stacks }: ReadingPlan): FindPair {
  const keyOf = ({ namespace, tag }: NamespacedRelease): string => `${namespace}/${tag}`
  const byAfter = new Map(stacks.map((pair) => [keyOf(pair.after), pair]))
  const byBefore = new Map(stacks.map((pair) => [keyOf(pair.before), pair]))
  return (change, place) => (change === 'removed' ? byBefore : byAfter).get(keyOf(place))
}

function placeOf(
  change: ObjectChange,
  {
    names,
    pairOf,
    beside,
  }: { readonly names: ReadonlySet<string>; readonly pairOf: FindPair; readonly beside: ReadonlySet<StackPair> },
): { readonly part: ChangePart; readonly cluster: ObjectName | undefined } {
  const object = change.after ?? change.before
  if (object === undefined) return { part: { kind: 'cluster' }, cluster: undefined }
  const { part, cluster } = partOf(object, names)
  const pair = part.kind === 'stack' ? pairOf(change.change, part) : undefined
  if (part.kind !== 'stack' || pair === undefined) return { part, cluster }
  const isBeside = beside.has(pair) && { isBeside: true as const }
  return { part: { ...part, tag: pair.after.tag, before: pair.before.tag, ...isBeside }, cluster }
}

/** Finds the texts that are a cluster's own by its Cluster in either tree. */
function createGeneralizer(objects: {
  readonly before: readonly TreeObject[]
  readonly after: readonly TreeObject[]
}): (cluster: ObjectName) => Generalize {
  const known = new Map<string, TreeObject>()
  for (const object of [...objects.before, ...objects.after])
    if (isCapiCluster(object) && isClusterFile(object)) known.set(`${object.namespace ?? ''}/${object.name}`, object)
  const made = new Map<string, Generalize>()
  return (cluster) => {
    const key = objectPath(cluster)
    const generalize = made.get(key) ?? createGeneralize(cluster, known.get(key)?.object ?? null)
    made.set(key, generalize)
    return generalize
  }
}

function isClusterFile({ path, folder, name }: TreeObject): boolean {
  return folder.kind === 'cluster' && path === `${clusterFolder(folder)}/${clusterObjectFile(name)}`
}
