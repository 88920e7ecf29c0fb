import { formatChangePath } from '../../model/change-path.ts'
import type { TreeObject } from '../../model/tree-change.ts'
import { changedObjects, inField, nameOf } from '../changed-object.ts'
import { andMoreFields } from '../more-fields.ts'
import { changeRule, type Rule } from '../rule.ts'

/** Finds changes of fields that the API server does not let change: they are never applied. */
export const immutableFields: Rule = changeRule(
  {
    code: 'FIELD_IMMUTABLE',
    severity: 'error',
    explanation: [
      'The API server, or a webhook of Cluster API, refuses such a change: the unit of the GitOps tool that holds the object stops there, with all that comes after it. Selectors of workloads, templates of Jobs, parameters of storage classes, `roleRef` of bindings, sources of volumes, a claim that shrinks, specs of machine templates and more; the fields are those of Kubernetes 1.34 and Cluster API 1.13. A default that is written out is no change.',
      'The way out depends on the object: give it another name, so that a new one is made and the old one goes; or have it deleted first, by hand or by the tool (`kustomize.toolkit.fluxcd.io/force: enabled` of Flux, `Force=true,Replace=true` of Argo CD), and acknowledge this finding until that day.',
      'Refused is, too, what leaves a default behind that excludes it: the server filled that in when the object was made, and nobody owns it. A Deployment that becomes `Recreate` keeps `rollingUpdate`, a StatefulSet that becomes `OnDelete`, too, and a volume without a source keeps its empty folder. The hint says what to write first; what is there by hand or by another tool, the tree cannot tell.',
      'Templates of a class stay as they are: clusters use them. A change of one is a new version of the release.',
    ],
  },
  (change) =>
    changedObjects(change).flatMap(({ change: { immutable = [] }, object, finding }) => {
      const [first] = immutable
      if (first === undefined) return []
      const more = andMoreFields(immutable.length - 1)
      const message = `${nameOf(object)} changes ${formatChangePath(first.path)}${more}, which the API server refuses to change`
      return [
        {
          ...inField(finding, first.path),
          message,
          hint: isOfClass(object)
            ? 'Publish the change as a new version of the release, and move the clusters to it one by one.'
            : // where a field must not change at all, what helps another one does not help
              immutable.every(({ wayOut }) => wayOut !== undefined)
              ? [...new Set(immutable.map(({ wayOut }) => wayOut))].join(' ')
              : 'Give the object another name, or have it deleted first and acknowledge this finding.',
        },
      ]
    }),
)

/** True for a template that the class of a release names: clusters use it, so it cannot go first. */
function isOfClass({ folder, kind }: TreeObject): boolean {
  return folder.kind === 'stack' && kind.endsWith('Template')
}
