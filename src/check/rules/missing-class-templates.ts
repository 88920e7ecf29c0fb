import { type TemplateReference, templatesOfClass } from '../../model/class-templates.ts'
import { textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownKind, shownName } from '../../model/shown-name.ts'
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
        templatesOfClass(clusterClass.object).flatMap(({ path, reference }) =>
          missing(clusterClass, { path, reference, manifests }),
        ),
      )
  },
)

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
