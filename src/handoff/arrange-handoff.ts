import { baseName, dirName } from '../codec/path.ts'
import { compareBytes } from '../codec/text/text-order.ts'
import type { Unit } from '../model/handoff.ts'
import type { Manifest, RenderedFolder } from '../model/manifest.ts'
import { handoffFolder, HANDOFF, HANDOFF_STACKS } from '../model/tree-path.ts'

/** A GitOps tool's object for a unit. */
export interface UnitObject {
  readonly unit: Unit
  readonly manifest: Manifest
}

/** The objects beside those of units. */
export interface ArrangeOptions {
  /**
   * Folders of clusters that were written before, which those above them must name; with manifests that still have to
   * be.
   */
  readonly written: readonly RenderedFolder[]
  /** The namespaces that must exist before all else. */
  readonly namespaces: readonly Manifest[]
}

/**
 * Lays the tool's objects out: `handoff/<namespace>/stacks` and `handoff/<namespace>/<cluster>`, and what is to be
 * there before them in `handoff/<namespace>`; each folder above names those below it, so that a GitOps tool that is
 * pointed at `handoff` once finds them all.
 */
export function arrangeHandoff(
  objects: readonly UnitObject[],
  { written, namespaces }: ArrangeOptions,
): readonly RenderedFolder[] {
  const manifests = new Map<string, readonly Manifest[]>()
  const children = new Map<string, Set<string>>()
  const add = (path: string, more: readonly Manifest[]): void => {
    if (more.length > 0) manifests.set(path, [...(manifests.get(path) ?? []), ...more])
    for (let at = path; at !== HANDOFF; at = dirName(at)) {
      const names = children.get(dirName(at)) ?? new Set()
      children.set(dirName(at), names.add(baseName(at)))
    }
  }
  for (const { unit, manifest } of objects)
    add(handoffFolder(unit.namespace, unit.cluster?.name ?? HANDOFF_STACKS), [manifest])
  for (const folder of written) add(folder.path, folder.manifests)
  for (const namespace of namespaces) manifests.set(handoffFolder(namespace.name), [namespace])
  return [...new Set([...children.keys(), ...manifests.keys()])].toSorted(compareBytes).map((path) => {
    const names = children.get(path)
    return {
      path,
      manifests: manifests.get(path) ?? [],
      ...(names !== undefined && { includes: [...names].toSorted(compareBytes) }),
    }
  })
}
