import { shownName, shownObject } from '../../model/shown-name.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import { MOST_COMPARED, nearName } from '../references/missing-target.ts'
import type { Noted, Rule, RuleFinding } from '../rule.ts'
import { type NotedObject, noteObject, type UnitOrigin } from '../unit-origin.ts'

/** Namespaces of the management cluster that only own objects name. */
export const unknownNamespaces: Rule = {
  code: 'NAMESPACE_UNKNOWN',
  severity: 'warning',
  explanation: [
    'An object that lies beside a Cluster in cluster.yaml, or comes with a class, may name a namespace of its own. Where it is misspelt, or nobody has made it, the API server refuses the object, and with it the whole unit of the Cluster.',
    'Known are the namespaces that the fleet has clusters and stacks in, those that objects of the management cluster make, and those of every cluster. Each other one is said once. In workload clusters it is NAMESPACE_MISSING.',
  ],
  begin: () => ({
    note: noteOf,
    end: (notes: readonly Noted<NamespacesNote>[]) => {
      const known = new Set([
        'default',
        'kube-node-lease',
        'kube-public',
        'kube-system',
        ...notes.flatMap(({ note }) => note.known),
      ])
      const asked = new Map<string, { readonly first: NotedObject; readonly of: UnitOrigin }>()
      for (const { note, of } of notes)
        for (const [namespace, first] of note.asked) if (!asked.has(namespace)) asked.set(namespace, { first, of })
      return [...asked]
        .filter(([namespace]) => !known.has(namespace))
        .map(([namespace, { first, of }], at): RuleFinding => {
          const near = at < MOST_COMPARED ? nearName(namespace, [...known]) : undefined
          return {
            message: `${shownObject({ ...first, namespace })} is in a namespace that nothing in the tree makes or has`,
            noted: { object: first, path: ['metadata', 'namespace'] },
            hint: near === undefined ? undefined : `Did you mean ${shownName(near)}?`,
            of,
          }
        })
    },
  }),
}

interface NamespacesNote {
  /** Those that are there. */
  readonly known: readonly string[]
  /** Those that objects name, with the first of them. */
  readonly asked: readonly (readonly [namespace: string, first: NotedObject])[]
}

function noteOf(unit: CheckedUnit): NamespacesNote {
  const known = new Set<string>()
  const asked = new Map<string, NotedObject>()
  for (const { path, place, destination, manifests } of unit.folders) {
    if (place.kind !== 'handoff') known.add(place.namespace)
    if (destination !== 'management') continue
    for (const manifest of manifests) {
      const { apiVersion, kind, name, namespace } = manifest
      if (apiVersion === 'v1' && kind === 'Namespace') known.add(name)
      // what we write for the GitOps tool goes to the tool's own namespace
      if (namespace === undefined || unit.isKept || place.kind === 'handoff' || asked.has(namespace)) continue
      asked.set(namespace, noteObject(manifest, path))
    }
  }
  return { known: [...known], asked: [...asked] }
}
