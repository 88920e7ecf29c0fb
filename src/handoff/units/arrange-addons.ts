import { baseName, dirName } from '../../codec/path.ts'
import { addonName } from '../../model/addon-unit-key.ts'
import type { AddonArrangement, CommittedAddons, CommittedObject } from '../../model/handoff.ts'
import { type Manifest, objectKey, type RenderedFolder } from '../../model/manifest.ts'
import { isEmptyNote } from './empty-note.ts'

/** The folders of a cluster's addons where this commit has them, and how they are divided among units. */
export interface ArrangedAddons extends AddonArrangement {
  readonly folders: readonly RenderedFolder[]
}

/** The committed state of a cluster's addons. */
export interface CommittedState {
  readonly committed: CommittedAddons
  /** True if it comes from a commit, so that a GitOps tool may have orphaned what the tree orphans. */
  readonly isCommit: boolean
}

/**
 * Arranges the addons of a cluster in a tree that both Flux and Argo CD can apply without deleting what runs. Each of
 * them prunes what leaves a unit, whether or not another unit is about to apply it. So an object that runs leaves a
 * unit that goes on only when that unit has orphaned it: until a commit says so, the object stays where it is. A unit
 * that goes altogether leaves behind what it applied; one that nothing takes over from is emptied first. `units` says
 * to which unit each folder belongs in the end.
 */
export function arrangeAddons(
  folders: readonly RenderedFolder[],
  units: ReadonlyMap<string, string>,
  { committed, isCommit }: CommittedState,
): ArrangedAddons {
  const wanted = new Set(units.values())
  const unitOf = (folder: string): string => units.get(folder) ?? folder
  const mustStay = (manifest: Manifest, unit: string): CommittedObject | undefined => {
    const before = committed.objects.get(objectKey(manifest))
    if (before === undefined || before.unit === unit || !wanted.has(before.unit)) return undefined
    return isCommit && before.isOrphaned ? undefined : before
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
    emptied: emptiedUnits(committed, { live: new Set(arrangedUnits.values()), folders, isCommit }),
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
  readonly isCommit: boolean
}

/** Committed units that no unit takes anything over from. */
function emptiedUnits({ units, objects }: CommittedAddons, { live, folders, isCommit }: LiveUnits): readonly string[] {
  const wanted = new Set(folders.flatMap(({ manifests }) => manifests.map(objectKey)))
  const taken = new Set([...objects].flatMap(([key, { unit }]) => (wanted.has(key) ? [unit] : [])))
  const gone = [...new Set(units.values())].filter((unit) => !live.has(unit) && !taken.has(unit))
  return gone.flatMap((unit) => {
    const own = [...objects].filter(([, object]) => object.unit === unit)
    const [first] = own
    if (first === undefined) return []
    const [key, { folder }] = first
    // emptied by the commit before
    const [, kind = '', namespace = '', name = ''] = key.split('/')
    const isEmpty = own.length === 1 && isEmptyNote({ kind, namespace, name })
    if ((isCommit && isEmpty) || name.startsWith('stackmason-before-')) return []
    return [own.every((entry) => entry[1].folder === folder) && unit !== dirName(folder) ? folder : unit]
  })
}

function describe({ kind, namespace, name }: Manifest): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}
