import type { FindSchema } from './list-schemas.ts'
import { encodeBase64 } from '../codec/bytes/base64.ts'
import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import { copyDict, dictAt, fieldAt, textAt } from '../model/field.ts'
import { formatClassName, formatTag, matchReleaseTag, releasePrefix } from '../model/release-name.ts'
import type { ReleaseName } from '../model/release.ts'
import type { FieldChange, TreeObject } from '../model/tree-change.ts'
import { handoffFolder, KUSTOMIZATION_FILE, stackFolder } from '../model/tree-path.ts'
import { Dict } from '../model/value.ts'
import { type Generalize, generalizeDict } from './cluster-variables.ts'
import { compareValues } from './compare-values.ts'
import type { StackPair, NamespacedRelease } from './plan-reading.ts'
import { pairSimilar, type SimilarPair } from './pair-similar.ts'
import { identityOf } from './tree-object.ts'

/** An object of one tree or both. */
export interface ObjectPair {
  readonly before?: TreeObject
  readonly after?: TreeObject
  readonly fields: readonly FieldChange[]
  /** Both are there, under two names: of two releases, or of an object that goes and one that comes in its place. */
  readonly renamed?: 'release' | 'object'
}

/** Objects of the files that were read. */
export interface ReadObjects {
  readonly before: readonly TreeObject[]
  readonly after: readonly TreeObject[]
}

/** Compares objects; equal pairs of files are compared once. */
export type CompareObjects = (before: Dict, after: Dict) => readonly FieldChange[]

/** Makes the comparison that remembers. */
export function createCompare(findSchema?: FindSchema): CompareObjects {
  const known = new WeakMap<Dict, WeakMap<Dict, readonly FieldChange[]>>()
  return (before, after) => {
    const ofBefore = known.get(before) ?? new WeakMap<Dict, readonly FieldChange[]>()
    known.set(before, ofBefore)
    const fields = ofBefore.get(after) ?? compareValues(...comparable(before, after), findSchema)
    ofBefore.set(after, fields)
    return fields
  }
}

/** Of Secrets that say the same in two ways, `data` and `stringData`, both in the one that the API server stores. */
function comparable(before: Dict, after: Dict): readonly [Dict, Dict] {
  const [old, now] = [before, after].map((object) => fieldAt(object, 'kind') === 'Secret' && object.has('stringData'))
  return old === now ? [before, after] : [withData(before), withData(after)]
}

function withData(secret: Dict): Dict {
  const texts = dictAt(secret, 'stringData')
  if (texts === undefined) return secret
  const data = copyDict(dictAt(secret, 'data') ?? new Dict())
  for (const [key, text] of texts) if (typeof text === 'string') data.set(key, encodeBase64(encodeUtf8(text)))
  const copy = copyDict(secret)
  copy.delete('stringData')
  copy.set('data', data)
  return copy
}

/** The inputs of pairing besides the objects. */
interface PairOptions {
  readonly stacks: readonly StackPair[]
  /** True if both trees have the same file at this path: it was read to be compared with another. */
  readonly isKept: (path: string) => boolean
  readonly findSchema?: FindSchema
}

/**
 * Pairs the objects of two trees: by what they are, wherever their files lie; then, of releases that take the place of
 * others, by their names without the release's.
 */
export function pairObjects(
  { before, after }: ReadObjects,
  { stacks, isKept, findSchema }: PairOptions,
  compare: CompareObjects,
): readonly ObjectPair[] {
  const pairs: ObjectPair[] = []
  const old = byIdentity(before)
  const added: TreeObject[] = []
  for (const object of after) {
    const same = old.get(identityOf(object))
    const found = takeNearest(same, object.path)
    if (found === undefined) added.push(object)
    else pairs.push({ before: found, after: object, fields: compare(found.object, object.object) })
  }
  const removed = [...old.values()].flat()
  const renamed = pairReleases({ before: removed, after: added }, stacks)
  const [goneNow, newNow] = [new Set(renamed.map(([one]) => one)), new Set(renamed.map(([, other]) => other))]
  for (const [one, other, rename] of renamed)
    pairs.push({
      before: one,
      after: other,
      fields: compareValues(
        generalizeDict(one.object, rename.before),
        generalizeDict(other.object, rename.after),
        findSchema,
      ),
      renamed: 'release',
    })
  const left = {
    before: removed.filter((object) => !goneNow.has(object) && !isKept(object.path)),
    after: added.filter((object) => !newNow.has(object) && !isKept(object.path)),
  }
  const moved = pairRenamed(left)
  const paired = new Set(moved.flat())
  for (const [one, other] of moved)
    pairs.push({ before: one, after: other, fields: fieldsOfRenamed(one, other, findSchema), renamed: 'object' })
  for (const object of left.before) if (!paired.has(object)) pairs.push({ before: object, fields: [] })
  for (const object of left.after) if (!paired.has(object)) pairs.push({ after: object, fields: [] })
  return pairs
}

/** As git does for files. */
const ALIKE = 0.6

/**
 * Objects of one addon, or beside one Cluster, that got another name; and units of GitOps tools that apply what another
 * one did. What else the tools have is of other clusters.
 */
function pairRenamed({ before, after }: ReadObjects): readonly SimilarPair[] {
  const isPaired = (object: TreeObject): boolean =>
    object.folder.kind === 'handoff'
      ? appliedBy(object) !== ''
      : object.folder.kind !== 'stack' && !object.path.endsWith(`/${KUSTOMIZATION_FILE}`)
  const same: Generalize = (text) => text
  return pairSimilar(before.filter(isPaired), after.filter(isPaired), {
    placeOf: (object) =>
      object.folder.kind === 'handoff'
        ? [identityKind(object), appliedBy(object)].join('\n')
        : [identityKind(object), partPath(object), object.namespace ?? ''].join('\n'),
    before: same,
    after: same,
    least: ALIKE,
  })
}

/** The folder that a unit of a GitOps tool applies; `''` for any other object. */
function appliedBy({ apiVersion, kind, object }: TreeObject): string {
  const group = apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0))
  switch (`${group}/${kind}`) {
    case 'kustomize.toolkit.fluxcd.io/Kustomization':
      return textAt(object, 'spec', 'path')
    case 'argoproj.io/Application':
      return textAt(object, 'spec', 'source', 'path')
    case 'argoproj.io/ApplicationSet':
      return textAt(object, 'spec', 'template', 'spec', 'source', 'path')
    default:
      return ''
  }
}

/** The folder of a cluster, and the addon in it without the number. */
function partPath({ folder, path }: TreeObject): string {
  const parent = path.slice(0, path.lastIndexOf('/'))
  return folder.kind === 'addons' ? parent.replace(/\/\d+-(?=[^/]*$)/, '/') : parent
}

/** The differences besides the name. */
function fieldsOfRenamed(
  before: TreeObject,
  after: TreeObject,
  findSchema: FindSchema | undefined,
): readonly FieldChange[] {
  return compareValues(before.object, after.object, findSchema).filter(
    ({ path }) => !(path.length === 2 && path[0] === 'metadata' && path[1] === 'name'),
  )
}

/** Two files may hold one object: then the one of the same path is its counterpart. */
function byIdentity(objects: readonly TreeObject[]): Map<string, TreeObject[]> {
  const found = new Map<string, TreeObject[]>()
  for (const object of objects) {
    const key = identityOf(object)
    const same = found.get(key)
    if (same === undefined) found.set(key, [object])
    else same.push(object)
  }
  return found
}

function takeNearest(objects: TreeObject[] | undefined, path: string): TreeObject | undefined {
  if (objects === undefined || objects.length === 0) return undefined
  const at = objects.findIndex((object) => object.path === path)
  return objects.splice(Math.max(at, 0), 1)[0]
}

/** How the texts of two releases are made the same. */
interface Rename {
  readonly before: Generalize
  readonly after: Generalize
}

type Renamed = readonly [before: TreeObject, after: TreeObject, rename: Rename]

/** Of two releases of a stack less is enough: most of their objects have a counterpart. */
const SAME_STACK = 0.3

/** The objects of releases, and those of the GitOps tool for them. */
function pairReleases({ before, after }: ReadObjects, stacks: readonly StackPair[]): readonly Renamed[] {
  const taken = new Set<TreeObject>()
  const pairs: Renamed[] = []
  const folders = { before: byFolder(before), after: byFolder(after) }
  for (const pair of stacks) {
    const rename = renameOf(pair)
    const olds = objectsOf(pair.before, folders.before)
    const nows = objectsOf(pair.after, folders.after)
    const found = pairByName(olds, nows, rename)
    const pairedBefore = new Set(found.map(([one]) => one))
    const pairedAfter = new Set(found.map(([, other]) => other))
    // images, for one, are named after what is in them
    const left = pairSimilar(
      olds.filter((object) => !pairedBefore.has(object)),
      nows.filter((object) => !pairedAfter.has(object)),
      { placeOf: identityKind, ...rename, least: SAME_STACK },
    )
    for (const [one, other] of [...found, ...left]) {
      if (taken.has(other)) continue
      taken.add(other)
      pairs.push([one, other, rename])
    }
  }
  return pairs
}

type ByFolder = ReadonlyMap<string, readonly TreeObject[]>

/** Objects by the folder of their release, and those of the GitOps tool by their namespace. */
function byFolder(objects: readonly TreeObject[]): ByFolder {
  const folders = new Map<string, TreeObject[]>()
  for (const object of objects) {
    const { folder } = object
    if (folder.kind !== 'stack' && folder.kind !== 'handoff') continue
    const key = folder.kind === 'stack' ? stackFolder(folder.namespace, folder.tag) : handoffFolder(folder.namespace)
    const own = folders.get(key)
    if (own === undefined) folders.set(key, [object])
    else own.push(object)
  }
  return folders
}

function objectsOf(stack: NamespacedRelease, folders: ByFolder): readonly TreeObject[] {
  const handoff = folders.get(handoffFolder(stack.namespace)) ?? []
  return [
    ...(folders.get(stackFolder(stack.namespace, stack.tag)) ?? []),
    ...handoff.filter(({ name }) => isNamedAfter(name, stack.tag)),
  ]
}

function isNamedAfter(name: string, tag: string): boolean {
  const at = name.indexOf(tag)
  return at !== -1 && !/[A-Za-z0-9]/.test(name.charAt(at + tag.length))
}

function pairByName(
  olds: readonly TreeObject[],
  nows: readonly TreeObject[],
  rename: Rename,
): readonly (readonly [TreeObject, TreeObject])[] {
  const byName = new Map(olds.map((object) => [`${identityKind(object)} ${rename.before(object.name)}`, object]))
  return nows.flatMap((object) => {
    const key = `${identityKind(object)} ${rename.after(object.name)}`
    const one = byName.get(key)
    byName.delete(key)
    return one === undefined ? [] : [[one, object] as const]
  })
}

/** Group and kind. */
function identityKind({ apiVersion, kind, folder }: TreeObject): string {
  const slash = apiVersion.indexOf('/')
  return `${folder.kind} ${slash === -1 ? '' : apiVersion.slice(0, slash)}/${kind}`
}

/** Without tag, class name and the prefix that charts name objects by. */
function renameOf({ before, after }: StackPair): Rename {
  return { before: withoutRelease(before), after: withoutRelease(after) }
}

function withoutRelease({ namespace, tag }: NamespacedRelease): Generalize {
  const matched = matchReleaseTag(tag)
  const texts = 'value' in matched ? namesOf(matched.value) : [tag]
  return (text) => {
    let short = text
    for (const name of texts) short = short.replaceAll(name, '<release>')
    return short === namespace ? '<namespace>' : short
  }
}

function namesOf(name: ReleaseName): readonly string[] {
  return [formatTag(name), formatClassName(name), releasePrefix(name)]
}
