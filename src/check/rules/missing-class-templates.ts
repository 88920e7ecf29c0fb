import { dictAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownKind, shownName } from '../../model/shown-name.ts'
import { workerLists } from '../../model/topology-variables.ts'
import type { Dict } from '../../model/value.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'

/** Templates that a ClusterClass names and its release does not have. */
export const missingClassTemplates: Rule = unitRule(
  {
    code: 'CLASS_TEMPLATE_MISSING',
    severity: 'error',
    explanation: [
      'Cluster API does not reconcile a ClusterClass before every template that it names is there, and with it none of its clusters. The templates of infrastructure, control plane, its machines and of each class of workers are looked for among the objects of the same release.',
    ],
  },
  ({ kind, isKept, folders }) => {
    if (kind !== 'stack' || isKept) return []
    const manifests = folders.flatMap((folder) => folder.manifests)
    return manifests
      .filter((manifest) => manifest.kind === 'ClusterClass')
      .flatMap((clusterClass) =>
        templatesOf(clusterClass.object).flatMap(({ path, reference }) =>
          missing(clusterClass, { path, reference, manifests }),
        ),
      )
  },
)

interface TemplateReference {
  readonly path: readonly PathStep[]
  readonly reference: Dict
}

/** Both forms: `ref` of v1beta1, `templateRef` of v1beta2. */
function templatesOf(clusterClass: Dict): readonly TemplateReference[] {
  const workers = workerLists.flatMap((list) =>
    itemsAt(clusterClass, 'spec', 'workers', list).flatMap((_, index) => {
      const path = ['spec', 'workers', list, index]
      return [
        [...path, 'template', 'bootstrap', 'ref'],
        [...path, 'template', 'infrastructure', 'ref'],
        [...path, 'bootstrap', 'templateRef'],
        [...path, 'infrastructure', 'templateRef'],
      ]
    }),
  )
  const own = [['infrastructure'], ['controlPlane'], ['controlPlane', 'machineInfrastructure']].flatMap((path) => [
    ['spec', ...path, 'ref'],
    ['spec', ...path, 'templateRef'],
  ])
  return [...own, ...workers].flatMap((path) => {
    const reference = dictAt(clusterClass, ...path)
    return reference === undefined ? [] : [{ path, reference }]
  })
}

function missing(
  clusterClass: Manifest,
  { path, reference, manifests }: TemplateReference & { readonly manifests: readonly Manifest[] },
): readonly RuleFinding[] {
  const kind = textAt(reference, 'kind')
  const name = textAt(reference, 'name')
  const namespace = textAt(reference, 'namespace')
  // a class of another namespace brings its own
  if (name === '' || (namespace !== '' && namespace !== clusterClass.namespace)) return []
  const names = manifests.filter((manifest) => manifest.kind === kind).map((manifest) => manifest.name)
  if (names.includes(name)) return []
  const near = nearestName(name, names)
  return [
    {
      message: `ClusterClass ${shownName(clusterClass.name)} names ${shownKind(kind)} ${shownName(name)}, which its release does not have`,
      ...placeIn(clusterClass, ...path, 'name'),
      hint: near === undefined ? undefined : `Did you mean ${shownName(near)}?`,
    },
  ]
}
