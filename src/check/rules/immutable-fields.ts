import { formatChangePath } from '../../model/change-path.ts'
import { changedObjects, inField, nameOf } from '../changed-object.ts'
import { changeRule, type Rule } from '../rule.ts'

/** Finds changes of fields that the API server does not let change: they are never applied. */
export const immutableFields: Rule = changeRule(
  {
    code: 'FIELD_IMMUTABLE',
    severity: 'error',
    explanation: [
      'The API server, or a webhook of Cluster API, refuses such a change: the unit of the GitOps tool that holds the object stops there, with all that comes after it. Selectors of workloads, templates of Jobs, parameters of storage classes, `roleRef` of bindings, sources of volumes, a claim that shrinks, specs of machine templates and more; the fields are those of Kubernetes 1.34 and Cluster API 1.13.',
      'The way out depends on the object: give it another name, so that a new one is made and the old one goes; or have it deleted first, by hand or by the tool (`kustomize.toolkit.fluxcd.io/force: enabled` of Flux, `Force=true,Replace=true` of Argo CD), and acknowledge this finding until that day.',
    ],
  },
  (change) =>
    changedObjects(change).flatMap(({ change: { immutable = [] }, object, finding }) => {
      const [first] = immutable
      if (first === undefined) return []
      const more = immutable.length === 1 ? '' : ` and ${String(immutable.length - 1)} more fields`
      const message = `${nameOf(object)} changes ${formatChangePath(first.path)}${more}, which the API server refuses to change`
      return [
        {
          ...inField(finding, first.path),
          message,
          hint: 'Give the object another name, or have it deleted first and acknowledge this finding.',
        },
      ]
    }),
)
