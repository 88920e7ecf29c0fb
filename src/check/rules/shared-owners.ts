import { textAt } from '../../model/field.ts'
import { type Manifest, objectKey, placeIn } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import type { Rule, RuleFinding } from '../rule.ts'

/** Objects of the management cluster that two folders of the tree bring. */
export const sharedOwners: Rule = {
  code: 'OBJECT_OWNED_TWICE',
  severity: 'error',
  explanation: [
    'Each folder of the tree is a unit of the GitOps tool. Two units with the same object take it from each other at every sync, and when the one goes it deletes what the other still needs.',
    'Compared are all objects that go to the management cluster: of clusters, also what lies beside a Cluster in cluster.yaml, of the releases of all stacks in a namespace, and of the GitOps tool. Two addons of a workload cluster are OBJECT_DUPLICATE.',
    "An object that Flux only makes where there is none (`kustomize.toolkit.fluxcd.io/ssa: IfNotPresent`), or leaves alone (`Ignore`), is nobody's.",
  ],
  begin: () => {
    const owners = new Map<string, Owner>()
    return {
      unit: ({ folders, isKept }) =>
        folders
          .filter(({ destination }) => destination === 'management')
          .flatMap(({ path, manifests }) =>
            manifests.flatMap((manifest): readonly RuleFinding[] => {
              if (isSharedByMark(manifest)) return []
              const key = objectKey(manifest)
              const first = owners.get(key)
              if (first === undefined) owners.set(key, { path, isKept })
              // what stays as it is committed no input can mend
              return first === undefined || first.path === path || (isKept && first.isKept)
                ? []
                : [describe(manifest, { first: first.path, second: path })]
            }),
          ),
    }
  },
}

interface Owner {
  /** Of the folder. */
  readonly path: string
  readonly isKept: boolean
}

function isSharedByMark({ object }: Manifest): boolean {
  return /^(?:IfNotPresent|Ignore)$/i.test(textAt(object, 'metadata', 'annotations', 'kustomize.toolkit.fluxcd.io/ssa'))
}

function describe(
  manifest: Manifest,
  { first, second }: { readonly first: string; readonly second: string },
): RuleFinding {
  return {
    message: `${shownObject({ ...manifest, namespace: manifest.namespace })} is in ${second} and in ${first}: each applies its own, and the one that goes deletes it`,
    ...placeIn(manifest, 'metadata', 'name'),
    hint: 'Remove it from one of the two, or give it another name there.',
  }
}
