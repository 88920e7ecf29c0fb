import type { GitopsTool } from '../model/gitops-tool.ts'
import type { DeletionMarks } from '../model/handoff.ts'
import { isOwn } from '../model/addon-unit-key.ts'
import type { Manifest } from '../model/manifest.ts'
import { argoMarks, argoUnits } from './argocd/committed-units.ts'
import { fluxMarks, fluxUnits } from './flux/committed-units.ts'
import { CLUSTERS } from '../model/tree-path.ts'
import type { UnitReader } from './unit-reader.ts'

/** How objects say what each tool may do with them. */
export const deletionMarks: Readonly<Record<GitopsTool, DeletionMarks>> = { flux: fluxMarks, argocd: argoMarks }

/** The committed objects say themselves whose they are: a tree may be that of a tool that was retired. */
const readers: readonly UnitReader[] = [fluxUnits, argoUnits]

/** True if the tree suspends a cluster, whose objects of its GitOps tool are these. */
export function isSuspendedInTree(objects: readonly Manifest[]): boolean {
  return objects.some((object) => readers.some((reader) => reader.isSuspended(object)))
}

/** The folder that a unit applies, as its object names it; '' if that is no unit. */
export function unitPathOf(object: Manifest): string {
  return readers.map((reader) => reader.pathOf(object)).find((path) => path !== '') ?? ''
}

/** The names of the units of a cluster, whose objects of its GitOps tool are these, without those of its own addons. */
export function releaseUnits(objects: readonly Manifest[]): readonly string[] {
  return objects.flatMap((object) => {
    const path = unitPathOf(object)
    return path === '' || isOwnPath(path) ? [] : [object.name]
  })
}

/** A unit names its folder from the root of what its source has. */
function isOwnPath(path: string): boolean {
  const at = path.lastIndexOf(`${CLUSTERS}/`)
  return at !== -1 && isOwn(path.slice(at))
}

/** True if what a unit applied goes with it. */
export function takesAlongInTree(object: Manifest): boolean {
  return readers.some((reader) => reader.takesAlong(object))
}

/** True if a unit of a cluster, whose objects of its GitOps tool are these, waits for a condition. */
export function waitsForConditions(objects: readonly Manifest[]): boolean {
  return objects.some((object) => readers.some((reader) => reader.waitsForConditions(object)))
}

/** The units that the unit of a folder waits for. */
export function unitsBefore(objects: readonly Manifest[], path: string): readonly string[] {
  return objects.flatMap((object) => readers.flatMap((reader) => reader.waitsFor(object, path)))
}
