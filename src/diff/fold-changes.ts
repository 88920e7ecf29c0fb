import { formatGoJson } from '../codec/json/go-json.ts'
import { type ObjectName, objectPath, parseObjectPath } from '../model/object-name.ts'
import type { Dict } from '../model/value.ts'
import type {
  ChangePart,
  ChangeStep,
  FieldChange,
  FoldedChange,
  FoldedObject,
  ObjectChange,
} from '../model/tree-change.ts'
import { partKey } from './change-parts.ts'
import { type Generalize, generalizeDict, generalizeField } from './cluster-variables.ts'
import { hideInObject } from './hide-secrets.ts'

/** A change and where it stands in the list of all. */
export interface IndexedChange {
  readonly change: ObjectChange
  readonly index: number
  readonly part: ChangePart
  readonly cluster: ObjectName | undefined
}

/** The facts about a fleet that folding needs. */
export interface FoldContext {
  readonly generalizeOf: (cluster: ObjectName) => Generalize
  /** Clusters of the new tree that have each part, by its key. */
  readonly holders: ReadonlyMap<string, ReadonlySet<string>>
}

/** One change, and those who have it. */
interface Bucket {
  readonly part: ChangePart
  readonly shown: Omit<FoldedObject, 'members'>
  readonly members: IndexedChange[]
  /** The contents of new objects are not all the same. */
  isMixed: boolean
}

/**
 * Folds changes: the same one of many clusters becomes one, and changes of the same clusters to the same part one
 * group. What many have as it is stays as it is; what is alone is compared without the cluster's own texts. The largest
 * groups come first.
 */
export function foldChanges(changes: readonly IndexedChange[], context: FoldContext): readonly FoldedChange[] {
  const contentOf = createContents()
  const exact = bucketsBy(changes, ({ change }) => shownOf(change, { contentOf, isGeneral: false }))
  const ownOf = keepCommon(exact, context.generalizeOf)
  const folded = new Map<string, Bucket & { readonly general: Bucket['shown'] }>()
  const signature = createSignature()
  for (const bucket of exact) {
    const [first] = bucket.members
    if (first === undefined) continue
    const own =
      first.cluster !== undefined && bucket.members.length === 1 ? ownOf(first.cluster, bucket.shown.kind) : undefined
    const general =
      first.cluster === undefined
        ? bucket.shown
        : shownOf(first.change, { contentOf, generalize: own, isGeneral: true })
    const key = `${partKey(bucket.part)}\n${signature(general)}`
    const same = folded.get(key)
    if (same === undefined) folded.set(key, { ...bucket, members: [...bucket.members], general })
    else {
      same.members.push(...bucket.members)
      const isMixed = same.isMixed || bucket.isMixed || !isSameContent(same.general, general)
      folded.set(key, { ...same, shown: same.general, isMixed })
    }
  }
  return groupsOf([...folded.values()], context)
}

/** The signs of a name, a reference, a path or an address. */
const WORD = /[A-Za-z0-9._/-]+/g

/**
 * The replacements of clusters, but for words that another cluster has at such a place, too: there a cluster's name is
 * part of something else, as `dev` is in `stackmason.dev/owner`, or `docker` in `docker.io/library`.
 */
function keepCommon(
  buckets: readonly Bucket[],
  generalizeOf: FoldContext['generalizeOf'],
): (cluster: ObjectName, kind: string) => Generalize {
  const placeOf = (kind: string, at: string, word: string): string => `${kind} ${at} ${word}`
  // words that would be replaced, by the only cluster that has them
  const owners = new Map<string, string>()
  const common = new Set<string>()
  const visit = (look: (place: string, word: string, owner: ObjectName) => void): void => {
    for (const { shown, members } of buckets) {
      const [first] = members
      if (first?.cluster === undefined) continue
      const { cluster } = first
      const generalize: Generalize = (text, at = '') => {
        for (const [word] of text.matchAll(WORD)) look(placeOf(shown.kind, at, word), word, cluster)
        return text
      }
      shownOf(first.change, { contentOf: () => shown.content, generalize, isGeneral: true })
    }
  }
  visit((place, word, owner) => {
    if (!owners.has(place) && generalizeOf(owner)(word) !== word) owners.set(place, objectPath(owner))
  })
  if (owners.size === 0) return generalizeOf
  visit((place, word, other) => {
    const owner = owners.get(place)
    if (owner === undefined || owner === objectPath(other)) return
    // clusters of one namespace, or of one name, both have it as their own
    if (generalizeOf(other)(word) === word) common.add(place)
  })
  if (common.size === 0) return generalizeOf
  return (cluster, kind) => {
    const generalize = generalizeOf(cluster)
    return (text, at = '') => {
      const isCommon = (word: string): boolean => common.has(placeOf(kind, at, word))
      const hasCommon = [...text.matchAll(WORD)].some(([word]) => isCommon(word))
      return hasCommon ? text.replaceAll(WORD, (word) => (isCommon(word) ? word : generalize(word))) : generalize(text)
    }
  }
}

function bucketsBy(
  changes: readonly IndexedChange[],
  show: (indexed: IndexedChange) => Bucket['shown'],
): readonly Bucket[] {
  const buckets = new Map<string, Bucket>()
  const signature = createSignature()
  for (const indexed of changes) {
    const shown = show(indexed)
    const key = `${partKey(indexed.part)}\n${indexed.cluster === undefined ? indexed.index : ''}\n${signature(shown)}`
    const bucket = buckets.get(key)
    if (bucket === undefined) buckets.set(key, { part: indexed.part, shown, members: [indexed], isMixed: false })
    else {
      bucket.members.push(indexed)
      bucket.isMixed ||= !isSameContent(bucket.shown, shown)
    }
  }
  return [...buckets.values()]
}

/** Finds the content of a new object; equal files share one. */
function createContents(): (change: ObjectChange) => Dict | undefined {
  const known = new WeakMap<Dict, Dict>()
  return ({ change, after }) => {
    if (change !== 'added' || after === undefined) return undefined
    const content = known.get(after.object) ?? hideInObject(after.kind, after.object)
    known.set(after.object, content)
    return content
  }
}

function isSameContent({ content: one }: Bucket['shown'], { content: other }: Bucket['shown']): boolean {
  const text = (content: Dict | undefined): string => formatGoJson(content ?? null, { escapeHtml: false })
  return one === other || text(one) === text(other)
}

interface Showing {
  readonly contentOf: (change: ObjectChange) => Dict | undefined
  readonly generalize?: Generalize | undefined
  readonly isGeneral: boolean
}

function shownOf(
  change: ObjectChange,
  { contentOf, generalize = (text) => text, isGeneral }: Showing,
): Bucket['shown'] {
  const content = contentOf(change)
  const { apiVersion = '', kind = '', namespace, name = '' } = change.after ?? change.before ?? {}
  return {
    change: change.change,
    apiVersion,
    kind,
    namespace: namespace === undefined ? undefined : generalize(namespace, 'namespace'),
    name: generalize(name, 'name'),
    was: change.isBeforeGone === true ? generalize(change.before?.name ?? '', 'name') : undefined,
    fields: isGeneral ? change.fields.map((field) => generalizeField(field, generalize)) : change.fields,
    risks: change.risks,
    undo: change.undo,
    reasons: change.reasons?.map(({ risk, text }) => ({ risk, text: generalize(text) })),
    units: change.units && { before: generalize(change.units.before), after: generalize(change.units.after) },
    ...(content !== undefined && { content: isGeneral ? generalizeDict(content, generalize) : content }),
  }
}

/** Makes one text of a change; equal pairs of files share their list of fields, which is written once. */
function createSignature(): (shown: Bucket['shown']) => string {
  const known = new WeakMap<readonly FieldChange[], string>()
  return ({ change, apiVersion, kind, namespace = '', name, was, fields, risks, undo, units, reasons = [] }) => {
    const text = known.get(fields) ?? fields.map(fieldText).join('\n')
    known.set(fields, text)
    return [
      change,
      apiVersion,
      kind,
      namespace,
      name,
      was,
      risks.join(),
      undo.join(),
      reasons.map((reason) => reason.text).join(),
      units?.before,
      units?.after,
      text,
    ].join('\n')
  }
}

function fieldText({ path, before, after, isReordered }: FieldChange): string {
  const text = (value: FieldChange['before']): string =>
    value === undefined ? '' : formatGoJson(value, { escapeHtml: false })
  return `${path.map(stepText).join('')} ${text(before)} ${text(after)} ${isReordered === true ? 'reordered' : ''}`
}

function stepText(step: ChangeStep): string {
  return JSON.stringify(typeof step === 'object' ? [step.key, step.value] : step)
}

function groupsOf(buckets: readonly Bucket[], { holders }: FoldContext): readonly FoldedChange[] {
  const groups = new Map<
    string,
    { readonly part: ChangePart; readonly clusters: readonly string[]; readonly objects: FoldedObject[] }
  >()
  for (const { part, shown, members, isMixed } of buckets) {
    const clusters = [
      ...new Set(members.flatMap(({ cluster }) => (cluster === undefined ? [] : [objectPath(cluster)]))),
    ].sort()
    const key = `${partKey(part)}\n${clusters.join()}`
    const group = groups.get(key) ?? { part, clusters, objects: [] }
    groups.set(key, group)
    group.objects.push({ ...shown, ...(isMixed && { isOneOfMany: true }), members: members.map(({ index }) => index) })
  }
  const byPart = new Map<string, readonly string[]>()
  const changed = new Map<string, Set<string>>()
  for (const { part, clusters } of groups.values()) {
    const key = partKey(part)
    if (clusters.length > (byPart.get(key)?.length ?? 0)) byPart.set(key, clusters)
    const all = changed.get(key) ?? new Set<string>()
    changed.set(key, all)
    for (const cluster of clusters) all.add(cluster)
  }
  return [...groups.values()]
    .map(({ part, clusters, objects }): FoldedChange => {
      const key = partKey(part)
      const isMain = clusters.length > 0 && byPart.get(key) === clusters
      const others = isMain ? othersOf(clusters, { having: holders.get(key), changed: changed.get(key) }) : undefined
      return { part, clusters: clusters.map(parseObjectPath), objects, others }
    })
    .toSorted((a, b) => b.clusters.length - a.clusters.length)
}

/** The clusters that have the part too, where those that change in one way are most of them. */
function othersOf(
  clusters: readonly string[],
  {
    having = new Set<string>(),
    changed = new Set<string>(),
  }: { readonly having: ReadonlySet<string> | undefined; readonly changed: ReadonlySet<string> | undefined },
): FoldedChange['others'] {
  const own = new Set(clusters)
  const rest = [...having].filter((cluster) => !own.has(cluster)).sort()
  if (clusters.length < 2 || rest.length === 0 || rest.length >= clusters.length) return undefined
  return {
    unchanged: rest.filter((cluster) => !changed.has(cluster)).map(parseObjectPath),
    different: rest.filter((cluster) => changed.has(cluster)).map(parseObjectPath),
  }
}
