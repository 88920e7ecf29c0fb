import { fieldAt, textAt } from '../model/field.ts'
import { deletionMark, isMarkedToStay } from '../model/keep-marks.ts'
import type { TreeObject } from '../model/tree-change.ts'
import { HANDOFF, parseTreeFolder } from '../model/tree-path.ts'
import { groupKindOf } from './object-kind.ts'
import { identityOf } from './tree-object.ts'
import { deletesContent, prunes } from './unit-effects.ts'

/**
 * The fate of an object that leaves the tree, where it is applied: it is deleted, at once or when somebody has
 * confirmed it, or stays.
 */
export type Fate = 'deleted' | 'confirmed' | 'kept'

/** Tells what becomes of objects that leave the tree. */
export interface ObjectFates {
  /** Of an object that leaves; the cautious answer where its unit is not known. */
  readonly of: (object: TreeObject) => Fate
  /** True of a unit that leaves, if what it applied stays. */
  readonly leavesContent: (unit: TreeObject) => boolean
}

/** Objects of two trees, with the units that apply what leaves. */
interface BothObjects {
  readonly before: readonly TreeObject[]
  readonly after: readonly TreeObject[]
}

/**
 * Finds out by the units that apply what is in the tree. A unit that stays deletes what leaves its folder if it prunes.
 * A unit that leaves is deleted by the one above it, if that prunes, and takes along what it applied only if it says so
 * (a finalizer of Argo CD, `deletionPolicy` of Flux); otherwise its objects stay, also those that it would prune.
 */
export function createObjectFates({ before, after }: BothObjects): ObjectFates {
  const units = { before: unitsByFolder(before), after: unitsByFolder(after) }
  const named = new Map([...units.after.values()].map((unit) => [identityOf(unit), unit]))
  const known = new Map<TreeObject, Fate>()
  const folderWithUnit = ({ path }: TreeObject): string | undefined =>
    foldersOf(path).find((folder) => units.before.has(folder))
  const of = (object: TreeObject): Fate => {
    const fate = known.get(object)
    if (fate !== undefined) return fate
    // a unit that applies itself
    known.set(object, 'deleted')
    const found = fateOf(object)
    known.set(object, found)
    return found
  }
  const fateOf = (object: TreeObject): Fate => {
    const isMarked = isMarkedToStay(object.object)
    const folder = folderWithUnit(object) ?? ''
    const unit = units.before.get(folder)
    if (unit === undefined) return isMarked ? 'kept' : 'deleted'
    if (isOfArgo(unit) && groupKindOf(object) === DEFINITION) return 'kept'
    // another unit may take its place, with the same folder
    const staying = named.get(identityOf(unit)) ?? units.after.get(folder)
    if (staying !== undefined) {
      if (isMarked || !prunes(staying)) return 'kept'
      return isOfArgo(staying) && deletionMark(object.object, 'Prune') === 'confirm' ? 'confirmed' : 'deleted'
    }
    const ofUnit = of(unit)
    if (ofUnit === 'kept' || !deletesContent(unit)) return 'kept'
    if (!isOfArgo(unit)) return isMarked ? 'kept' : ofUnit
    const mark = deletionMark(object.object, 'Delete')
    return mark === 'false' ? 'kept' : mark === 'confirm' ? 'confirmed' : ofUnit
  }
  const unitsIn = createGroups(units.before.values(), folderWithUnit)
  const leavesContent = (unit: TreeObject, above: readonly TreeObject[] = []): boolean => {
    const folder = appliedFolder(unit)
    if (folder === undefined || above.includes(unit)) return false
    if (!deletesContent(unit)) return true
    if (folder !== HANDOFF && !folder.startsWith(`${HANDOFF}/`)) return false
    return unitsIn(folder).every((one) => leavesContent(one, [...above, unit]))
  }
  return { of, leavesContent: (unit) => leavesContent(unit) }
}

/** Argo CD does not mark these as its own, so it never deletes them (repository server, `kube.IsCRD`). */
const DEFINITION = 'apiextensions.k8s.io/CustomResourceDefinition'

/** Where a unit has the path of what it applies: that of the repository. */
function appliedPath(object: TreeObject): string {
  const { object: unit } = object
  switch (groupKindOf(object)) {
    case 'kustomize.toolkit.fluxcd.io/Kustomization':
      return textAt(unit, 'spec', 'path')
    case 'argoproj.io/Application':
      return sourcePath(unit, 'spec')
    case 'argoproj.io/ApplicationSet':
      return sourcePath(unit, 'spec', 'template', 'spec')
    default:
      return ''
  }
}

function sourcePath(unit: TreeObject['object'], ...spec: readonly string[]): string {
  const source = fieldAt(unit, ...spec, 'sourceHydrator') === undefined ? ['source'] : ['sourceHydrator', 'drySource']
  return textAt(unit, ...spec, ...source, 'path')
}

/** The folder that a unit applies, relative to the output folder: the longest end of its path that is one of a tree. */
function appliedFolder(unit: TreeObject): string | undefined {
  const steps = appliedPath(unit)
    .split('/')
    .filter((step) => step !== '' && step !== '.')
  for (const index of steps.keys()) {
    const path = steps.slice(index).join('/')
    if (path === HANDOFF || parseTreeFolder(path) !== undefined) return path
  }
  return undefined
}

function unitsByFolder(objects: readonly TreeObject[]): ReadonlyMap<string, TreeObject> {
  return new Map(
    objects.flatMap((object) => {
      const folder = appliedFolder(object)
      return folder === undefined ? [] : [[folder, object] as const]
    }),
  )
}

function isOfArgo({ apiVersion }: TreeObject): boolean {
  return apiVersion.startsWith('argoproj.io/')
}

/** The folders that a file is in, the nearest first. */
function foldersOf(path: string): readonly string[] {
  const steps = path.split('/')
  return steps.slice(1).map((_, index) => steps.slice(0, steps.length - 1 - index).join('/'))
}

/** Groups units by a key, when the first group is asked for. */
function createGroups(
  units: Iterable<TreeObject>,
  keyOf: (unit: TreeObject) => string | undefined,
): (key: string) => readonly TreeObject[] {
  let groups: Map<string, TreeObject[]> | undefined
  return (key) => {
    if (groups === undefined) {
      groups = new Map()
      for (const unit of units) {
        const own = keyOf(unit) ?? ''
        const group = groups.get(own)
        if (group === undefined) groups.set(own, [unit])
        else group.push(unit)
      }
    }
    return groups.get(key) ?? []
  }
}
