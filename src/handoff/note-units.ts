import type { Unit } from '../model/handoff.ts'
import type { NotedUnit } from './tool-handoff.ts'

/** The facts about units that the rest of the tree needs, without the objects that they apply. */
export function noteUnits(units: readonly Unit[]): readonly NotedUnit[] {
  return units.map((unit) => {
    const { name, namespace, path, release, target, kind, dependsOn, cluster } = unit
    const common = {
      name,
      namespace,
      path,
      release,
      target,
      kind,
      dependsOn,
      ...(cluster !== undefined && { cluster }),
    }
    if (target !== 'management') return { ...common, namespaces: [], kinds: [] }
    const kinds = new Map<string, { readonly group: string; readonly kind: string }>()
    for (const manifest of unit.manifests) {
      if (manifest.namespace !== undefined) continue
      const group = groupOf(manifest)
      kinds.set(`${group} ${manifest.kind}`, { group, kind: manifest.kind })
    }
    const namespaces = new Set(unit.manifests.flatMap((manifest) => manifest.namespace ?? []))
    return { ...common, namespaces: [...namespaces], kinds: [...kinds.values()] }
  })
}

function groupOf({ apiVersion }: { readonly apiVersion: string }): string {
  const slash = apiVersion.indexOf('/')
  return slash === -1 ? '' : apiVersion.slice(0, slash)
}
