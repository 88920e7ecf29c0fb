import { baseName, dirName } from '../../codec/path.ts'
import { addonName } from '../../model/addon-unit-key.ts'
import type { AddonArrangement, CommittedAddons, CommittedObject } from '../../model/handoff.ts'
import { type Manifest, objectKey, objectOfKey, type RenderedFolder } from '../../model/manifest.ts'
import { isEmptyNote } from './empty-note.ts'

/** The folders of a cluster's addons where this commit has them, and how they are divided among units. */
export interface ArrangedAddons extends AddonArrangement {
  readonly folders: readonly RenderedFolder[]
}

/** The committed state of a cluster's addons. */
export interface CommittedState {
  readonly committed: CommittedAddons
  /** True if a GitOps tool may have applied it: it comes from a commit, and that does not suspend the cluster. */
  readonly isApplied: boolean
}

/**
 * Arranges the addons of a cluster in a tree that both Flux and Argo CD can apply without deleting what runs. Each of
 * them prunes what leaves a unit, whether or not another unit is about to apply it. So an object that runs leaves a
 * unit that goes on only when that unit has orphaned it: until a commit says so, the object stays where it is. A unit
 * that goes altogether leaves behind what it applied, also what no other takes over; one that nothing takes over from
 * is emptied first. `units` says to which unit each folder belongs in the end.
 */
export function arrangeAddons(
  folders: readonly RenderedFolder[],
  units: ReadonlyMap<string, string>,
  { committed, isApplied }: CommittedState,
): ArrangedAddons {
  const wanted = new Set(units.values())
  const unitOf = (folder: string): string => units.get(folder) ?? folder
  const mustStay = (manifest: Manifest, unit: string): CommittedObject | undefined => {
    const before = committed.objects.get(objectKey(manifest))
    if (before === undefined || before.unit === unit || !wanted.has(before.unit)) return undefined
    return isApplied && before.isOrphaned ? undefined : before
  }
  /** The folder of this commit that an object stays in. */
  const homeOf = ({ folder, unit }: CommittedObject): string => {
    const isThere = (path: string): boolean => units.get(path) === unit && addonName(path) === addonName(folder)
    return [folder, ...units.keys()].find(isThere) ?? folder
  }
  const arranged = new Map<string, Manifest[]>()
  const arrangedUnits = new Map<string, string>()
  const orphans = new Set<string>()
  const moves: { readonly what: string; readonly from: string }[] = []
  const put = (folder: string, unit: string, manifest: Manifest): void => {
    arranged.set(folder, [...(arranged.get(folder) ?? []), manifest])
    arrangedUnits.set(folder, unit)
  }
  for (const { path, manifests } of folders) {
    const unit = unitOf(path)
    const staying = manifests.map((manifest) => mustStay(manifest, unit))
    // what belongs together moves together
    const home = staying.find((before) => before !== undefined && isSameAddon(before.folder, path))
    if (home !== undefined) moves.push({ what: addonName(path), from: home.unit })
    for (const [index, manifest] of manifests.entries()) {
      const before = staying[index]
      const known = committed.objects.get(objectKey(manifest))
      const isOfHome = home !== undefined && (known === undefined || known.unit === home.unit)
      if (isOfHome) put(homeOf(home), home.unit, manifest)
      else if (before !== undefined) put(homeOf(before), before.unit, manifest)
      else put(path, unit, manifest)
      if (isOfHome || before !== undefined) orphans.add(objectKey(manifest))
      if (before !== undefined && !isOfHome) moves.push({ what: describe(manifest), from: before.unit })
    }
    if (manifests.length === 0) arrangedUnits.set(path, unit)
  }
  const inOrder = [
    ...folders
      .map(({ path }) => path)
      .filter((path) => arranged.has(path) || units.get(path) === arrangedUnits.get(path)),
    ...[...arranged.keys()].filter((path) => !units.has(path)),
  ]
  return {
    folders: inOrder.map((path) => ({ path, manifests: arranged.get(path) ?? [] })),
    units: arrangedUnits,
    orphans,
    moves,
    ...unitsThatGo(committed, { live: new Set(arrangedUnits.values()), folders, isApplied }),
  }
}

/** The folder of an addon has the same name wherever it lies, but for its number. */
function isSameAddon(one: string, other: string): boolean {
  const withoutNumber = (path: string): string => baseName(path).replace(/^\d+-/, '')
  return addonName(one) === addonName(other) || withoutNumber(one) === withoutNumber(other)
}

interface LiveUnits {
  readonly live: ReadonlySet<string>
  readonly folders: readonly RenderedFolder[]
  readonly isApplied: boolean
}

/** Committed units that no unit takes anything over from, and what those leave behind from which some do. */
function unitsThatGo(
  { units, objects }: CommittedAddons,
  { live, folders, isApplied }: LiveUnits,
): Pick<AddonArrangement, 'emptied' | 'left'> {
  const wanted = new Set(folders.flatMap(({ manifests }) => manifests.map(objectKey)))
  const taken = new Set([...objects].flatMap(([key, { unit }]) => (wanted.has(key) ? [unit] : [])))
  const gone = [...new Set(units.values())].filter((unit) => !live.has(unit))
  const emptied = gone.flatMap((unit) => {
    const own = [...objects].filter(([, object]) => object.unit === unit)
    const [first] = own
    if (first === undefined || taken.has(unit)) return []
    const [key] = first
    // emptied by the commit before
    const { name } = objectOfKey(key)
    const isEmpty = own.length === 1 && isEmptyNote(objectOfKey(key))
    if ((isApplied && isEmpty) || name.startsWith('stackmason-before-')) return []
    return [pathOfUnit(unit, objects)]
  })
  const left = [...objects].flatMap(([key, { unit, isOrphaned }]) =>
    gone.includes(unit) && taken.has(unit) && !wanted.has(key) && !isOrphaned && !isEmptyNote(objectOfKey(key))
      ? [{ what: describe(objectOfKey(key)), from: pathOfUnit(unit, objects) }]
      : [],
  )
  return { emptied, ...(left.length > 0 && { left }) }
}

/** The folder that a committed unit applies. */
function pathOfUnit(unit: string, objects: CommittedAddons['objects']): string {
  const folders = new Set([...objects.values()].flatMap((object) => (object.unit === unit ? [object.folder] : [])))
  const [folder = unit] = folders
  return folders.size === 1 && unit !== dirName(folder) ? folder : unit
}

function describe({ kind, namespace = '', name }: Pick<Manifest, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`
}
