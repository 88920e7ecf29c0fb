import { formatManifestYaml } from '../../codec/yaml/manifest-yaml.ts'
import { dictAt, textAt, withField } from '../../model/field.ts'
import { type Manifest, objectKey, type RenderedFolder } from '../../model/manifest.ts'
import { KUSTOMIZATION_FILE, parseTreeFolder } from '../../model/tree-path.ts'
import { dict, Dict } from '../../model/value.ts'
import { SYNC_OPTIONS } from '../argocd/committed-units.ts'
import { PRUNE } from '../flux/committed-units.ts'
import { SUBSTITUTE } from '../flux/substitution-off.ts'
import { isEmptyNote } from '../units/empty-note.ts'

/** The folders of a cluster as a tree has them, and what else their kustomization.yaml files say. */
export interface HeldFolders {
  readonly folders: readonly RenderedFolder[]
  readonly kustomizations: ReadonlyMap<string, Dict>
}

/** So many places are named: the first ones tell what happened. */
const NAMED = 3

/**
 * Why the committed addons of a cluster are not those of its step, one clause each: `folders` are what this run writes
 * of the cluster with the step after it, which changes no addon. What the tree says of its step proves nothing about
 * files that hold no release: somebody may have restored older ones, or values may have changed since. Where objects
 * lie, and what only says so to the GitOps tool, is not compared: objects move between units in this step, too.
 */
export function findUnwritten(
  folders: readonly RenderedFolder[],
  committed: HeldFolders | { readonly unreadable: string },
  display: (path: string) => string,
): readonly string[] {
  if ('unreadable' in committed) return [`${display(committed.unreadable)} holds no object`]
  const [wanted, held] = [objectsOf(folders), objectsOf(committed.folders)]
  const found = [...wanted].flatMap(([key, { manifest, folder }]): readonly string[] => {
    const before = held.get(key)
    if (before === undefined) return [`${display(folder)} lacks ${describe(manifest)}`]
    return isSame(manifest, before.manifest) ? [] : [`${display(fileOf(before.manifest))} is not as this run writes it`]
  })
  const more = [...held].flatMap(([key, { manifest }]) =>
    wanted.has(key) ? [] : [`${display(fileOf(manifest))} is not of this step`],
  )
  const places = [...found, ...more]
  return firstOf(places.length > 0 ? places : findUnpaired(folders, committed, display))
}

/**
 * Why the committed units of a cluster are not those of its step, one clause each: `wanted` are the objects that this
 * run writes of that step, in one folder. With `isShared` that holds other units, too.
 */
export function findOtherUnits(
  { path, manifests, isShared }: RenderedFolder & { readonly isShared: boolean },
  committed: readonly Manifest[],
  display: (path: string) => string,
): readonly string[] {
  const held = new Map(committed.map((manifest) => [objectKey(manifest), manifest]))
  const wanted = new Set(manifests.map(objectKey))
  const found = manifests.flatMap((manifest): readonly string[] => {
    const before = held.get(objectKey(manifest))
    if (before === undefined) return [`${display(path)} lacks ${describe(manifest)}`]
    return formatManifestYaml(manifest.object) === formatManifestYaml(before.object)
      ? []
      : [`${display(fileOf(before))} is not as this run writes it`]
  })
  const more = [...held].flatMap(([key, manifest]) =>
    wanted.has(key) || isShared ? [] : [`${display(fileOf(manifest))} is not of this step`],
  )
  return firstOf([...found, ...more])
}

/** True if objects change their units in the step after, and units with them. */
export function movesObjects(folders: readonly RenderedFolder[], committed: HeldFolders): boolean {
  const held = objectsOf(committed.folders)
  return (
    [...objectsOf(folders)].some(([key, { folder }]) => held.get(key)?.folder !== folder) ||
    [...folders, ...committed.folders].some((folder) => isOfAddons(folder) && folder.manifests.some(isEmptyNote))
  )
}

function firstOf(places: readonly string[]): readonly string[] {
  return places.length <= NAMED ? places : [...places.slice(0, NAMED), `and ${String(places.length - NAMED)} more`]
}

interface Held {
  readonly manifest: Manifest
  readonly folder: string
}

type Objects = ReadonlyMap<string, Held>

function objectsOf(folders: readonly RenderedFolder[]): Objects {
  return new Map(
    folders.flatMap((folder) =>
      folder.manifests.flatMap((manifest) => {
        // a note says that nothing else is there
        const isPart = isOfAddons(folder) ? !isEmptyNote(manifest) : manifest.kind === 'RuntimeValues'
        return isPart ? [[objectKey(manifest), { manifest, folder: folder.path }] as const] : []
      }),
    ),
  )
}

function isOfAddons({ path }: RenderedFolder): boolean {
  return parseTreeFolder(path)?.kind === 'addons'
}

/** Folders that the GitOps tool would not build as they are; while objects move this changes with the step. */
function findUnpaired(
  folders: readonly RenderedFolder[],
  committed: HeldFolders,
  display: (path: string) => string,
): readonly string[] {
  if (movesObjects(folders, committed)) return []
  return folders.filter(isOfAddons).flatMap(({ path, kustomization = new Dict() }) => {
    const before = committed.kustomizations.get(path) ?? new Dict()
    return formatManifestYaml(kustomization) === formatManifestYaml(before)
      ? []
      : [`${display(`${path}/${KUSTOMIZATION_FILE}`)} is not as this run writes it`]
  })
}

function isSame({ object }: Manifest, before: Manifest): boolean {
  return formatManifestYaml(plain(object)) === formatManifestYaml(plain(before.object))
}

/** An object without what says how its unit treats it. */
function plain(object: Dict): Dict {
  const annotations = dictAt(object, 'metadata', 'annotations')
  if (annotations === undefined) return object
  const options = textAt(annotations, SYNC_OPTIONS)
    .split(',')
    .filter((option) => option.trim() !== '' && !option.trim().startsWith('Prune='))
  const left = [...annotations].flatMap(([key, value]): (readonly [string, typeof value])[] => {
    if (key === PRUNE || key === SUBSTITUTE) return []
    if (key !== SYNC_OPTIONS) return [[key, value]]
    return options.length === 0 ? [] : [[key, options.join(',')]]
  })
  if (left.length > 0) return withField(object, ['metadata', 'annotations'], dict(left))
  const metadata = [...(dictAt(object, 'metadata') ?? [])].filter(([key]) => key !== 'annotations')
  return withField(object, ['metadata'], dict(metadata))
}

/** The file that an object was read back from. */
function fileOf({ origin }: Manifest): string {
  return origin.from
}

function describe({ kind, namespace, name }: Manifest): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}
