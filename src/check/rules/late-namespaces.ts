import { dirName } from '../../codec/path.ts'
import { itemsAt, textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { objectPath } from '../../model/object-name.ts'
import { shownName, shownObject } from '../../model/shown-name.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import { treeFolderIn } from '../references/needed-rights.ts'
import type { Rule, RuleFinding } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'

/** Namespaces that a unit brings which waits for the unit of objects in them. */
export const lateNamespaces: Rule = {
  code: 'NAMESPACE_LATE',
  severity: 'error',
  explanation: [
    'A unit whose objects lie in a namespace of another unit fails until that one is applied, and is tried again. If that other unit waits for the first (`dependsOn` of Flux), neither is ever applied. Within one unit of Argo CD it is the same with `argocd.argoproj.io/sync-wave`: a later wave begins when the one before it is there.',
    'Namespaces of workload clusters and the objects in them are compared by the units of the same cluster.',
  ],
  begin: ({ tool }) => ({
    unit: (unit) => {
      if (unit.kind === 'cluster') return tool === 'argocd' ? lateWaves(unit) : []
      const uses = tool !== 'flux' || unit.applies?.kind !== 'cluster' ? [] : usesOf(unit.applies)
      if (uses.length === 0) return []
      const units = new Map(unit.folders.flatMap(({ manifests }) => manifests.flatMap(kustomizationOf)))
      return uses.flatMap((use) => lateUnit(use, units))
    },
  }),
}

/** Objects of a folder in a namespace that another folder brings. */
interface NamespaceUse {
  readonly namespace: string
  readonly first: Manifest
  readonly folder: string
  readonly broughtBy: string
}

function usesOf({ folders, isKept }: CheckedUnit): readonly NamespaceUse[] {
  if (isKept) return []
  const workload = folders.filter(({ destination }) => destination !== 'management')
  const bringers = new Map<string, string>()
  for (const { path, manifests } of workload)
    for (const manifest of manifests) if (isNamespace(manifest)) bringers.set(manifest.name, path)
  const uses = new Map<string, NamespaceUse>()
  for (const { path, manifests } of workload)
    for (const first of manifests) {
      const { namespace = '' } = first
      const broughtBy = bringers.get(namespace)
      const key = `${path} ${namespace}`
      if (broughtBy !== undefined && broughtBy !== path && !uses.has(key))
        uses.set(key, { namespace, first, folder: path, broughtBy })
    }
  return [...uses.values()]
}

function isNamespace({ apiVersion, kind }: Manifest): boolean {
  return apiVersion === 'v1' && kind === 'Namespace'
}

/** A unit of Flux: its name, and those that it waits for. */
interface FluxUnit {
  readonly name: string
  readonly waitsFor: readonly string[]
}

/** By the folder that it applies. */
function kustomizationOf({
  apiVersion,
  kind,
  object,
  namespace = '',
  name,
}: Manifest): readonly (readonly [string, FluxUnit])[] {
  if (groupOf(apiVersion) !== 'kustomize.toolkit.fluxcd.io' || kind !== 'Kustomization') return []
  const folder = treeFolderIn(textAt(object, 'spec', 'path'))
  const waitsFor = itemsAt(object, 'spec', 'dependsOn').map((entry) =>
    objectPath({ namespace: textAt(entry, 'namespace') || namespace, name: textAt(entry, 'name') }),
  )
  return folder === undefined ? [] : [[folder, { name: objectPath({ namespace, name }), waitsFor }]]
}

function lateUnit(
  { namespace, first, folder, broughtBy }: NamespaceUse,
  units: ReadonlyMap<string, FluxUnit>,
): readonly RuleFinding[] {
  const unitOf = (path: string): FluxUnit | undefined => units.get(path) ?? units.get(dirName(path))
  const [user, bringer] = [unitOf(folder), unitOf(broughtBy)]
  if (user === undefined || bringer === undefined || user === bringer || !waits(bringer, user, units)) return []
  return [
    {
      message: `${shownObject({ ...first, namespace })} is in namespace ${shownName(namespace)}, which the unit ${bringer.name} brings, and that waits for ${user.name}: neither is ever applied`,
      ...placeIn(first, 'metadata', 'namespace'),
      hint: 'Bring the Namespace with the first addon that has objects in it.',
    },
  ]
}

/** True if a unit waits for another one, also by those in between. */
function waits(unit: FluxUnit, other: FluxUnit, units: ReadonlyMap<string, FluxUnit>): boolean {
  const byName = new Map([...units.values()].map((one) => [one.name, one]))
  const seen = new Set<string>()
  const open = [...unit.waitsFor]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === other.name) return true
    if (!seen.has(next)) open.push(...(byName.get(next)?.waitsFor ?? []))
    seen.add(next)
  }
  return false
}

/** Objects of an earlier wave than the Namespace of the same folder that they lie in. */
function lateWaves({ folders, isKept }: CheckedUnit): readonly RuleFinding[] {
  if (isKept) return []
  return folders
    .filter(({ destination }) => destination !== 'management')
    .flatMap(({ manifests }) => {
      const waves = new Map(manifests.filter(isNamespace).map((manifest) => [manifest.name, waveOf(manifest)]))
      const found = new Map<string, RuleFinding>()
      for (const manifest of manifests) {
        const { namespace = '' } = manifest
        const wave = waves.get(namespace)
        if (wave === undefined || waveOf(manifest) >= wave || found.has(namespace)) continue
        found.set(namespace, {
          message: `${shownObject({ ...manifest, namespace })} is of an earlier sync wave than its Namespace: the wave of the Namespace never begins`,
          ...placeIn(manifest, 'metadata', 'namespace'),
          hint: 'Give the Namespace the wave of the first object in it, or an earlier one.',
        })
      }
      return [...found.values()]
    })
}

function waveOf({ object }: Manifest): number {
  const wave = Number(textAt(object, 'metadata', 'annotations', 'argocd.argoproj.io/sync-wave'))
  return Number.isFinite(wave) ? wave : 0
}
