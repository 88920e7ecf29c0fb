import { joinPath } from '../../codec/path.ts'
import { textAt } from '../../model/field.ts'
import { type Manifest, objectKey } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import { managementObjectsOf } from '../references/management-objects.ts'
import type { Noted, Rule, RuleFinding } from '../rule.ts'
import { type NotedObject, noteObject } from '../unit-origin.ts'

/** Objects of the management cluster that two folders of the tree bring. */
export const sharedOwners: Rule = {
  code: 'OBJECT_OWNED_TWICE',
  severity: 'error',
  explanation: [
    'Each folder of the tree is a unit of the GitOps tool. Two units with the same object take it from each other at every sync, and when the one goes it deletes what the other still needs.',
    'Compared are all objects that go to the management cluster: of clusters, also what lies beside a Cluster in cluster.yaml, of the releases of all stacks in a namespace, and of the GitOps tool. Two addons of a workload cluster are OBJECT_DUPLICATE.',
    "An object that Flux only makes where there is none (`kustomize.toolkit.fluxcd.io/ssa: IfNotPresent`), or leaves alone (`Ignore`), is nobody's.",
  ],
  begin: ({ treeFolder = '' }) => ({
    note: noteOf,
    between: (notes: readonly Noted<OwnedNote>[]) => {
      const owners = new Map<string, Owner>()
      return notes.flatMap(({ note: { objects, isKept }, of }) =>
        objects.flatMap((object): readonly RuleFinding[] => {
          const key = objectKey(object)
          const path = object.folder
          const first = owners.get(key)
          if (first === undefined) owners.set(key, { path, isKept })
          // what stays as it is committed no input can mend
          return first === undefined || first.path === path || (isKept && first.isKept)
            ? []
            : [
                {
                  ...describe(object, { first: joinPath(treeFolder, first.path), second: joinPath(treeFolder, path) }),
                  of,
                  folders: [first.path, path],
                },
              ]
        }),
      )
    },
  }),
}

interface OwnedNote {
  readonly objects: readonly NotedObject[]
  readonly isKept: boolean
}

interface Owner {
  /** Of the folder. */
  readonly path: string
  readonly isKept: boolean
}

function noteOf(unit: CheckedUnit): OwnedNote {
  const { folders, isKept } = unit
  const isAny = folders.some(
    ({ destination, manifests }) => destination === 'management' && manifests.some(isSharedByMark),
  )
  const objects = isAny
    ? folders.flatMap(({ path, destination, manifests }) =>
        destination === 'management'
          ? manifests.filter((one) => !isSharedByMark(one)).map((one) => noteObject(one, path))
          : [],
      )
    : managementObjectsOf(unit)
  return { objects, isKept }
}

function isSharedByMark({ object }: Manifest): boolean {
  return /^(?:IfNotPresent|Ignore)$/i.test(textAt(object, 'metadata', 'annotations', 'kustomize.toolkit.fluxcd.io/ssa'))
}

function describe(
  object: NotedObject,
  { first, second }: { readonly first: string; readonly second: string },
): RuleFinding {
  return {
    message: `${shownObject({ ...object, namespace: object.namespace })} is in ${second} and in ${first}: each applies its own, and the one that goes deletes it`,
    noted: { object, path: ['metadata', 'name'] },
    hint: 'Remove it from one of the two, or give it another name there.',
  }
}
