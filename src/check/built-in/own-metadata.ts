import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import { labelKey } from '../../model/kubernetes-names.ts'
import type { Dict } from '../../model/value.ts'
import type { FoundProblem, ValueRule } from '../schema/schema-node.ts'
import { none, ofText, problem } from './rule-parts.ts'

const STANDARD: ReadonlySet<string> = new Set(['foregroundDeletion', 'kubernetes', 'orphan'])

/** The name of what cleans up before an object is gone, as kinds of Kubernetes want it. */
export const finalizer: ValueRule = ofText(
  'a name with a domain, such as example.com/name',
  (text) => labelKey.allows(text) && (text.includes('/') || STANDARD.has(text)),
)

/** Groups that are made as definitions are: they take names without a domain, too. */
const GENERIC = /^(?:admissionregistration\.k8s\.io|apiregistration\.k8s\.io|apiextensions\.k8s\.io)\//

type Kinds = 'built-in kinds' | 'custom kinds'

/**
 * Problems that API servers refuse in the metadata of an object, and not in that of a template in it: finalizers,
 * owners and what only a server writes (k8s.io/apimachinery, `pkg/api/validation/objectmeta.go`).
 */
export function ownMetadataProblems(object: Dict, of: Kinds): readonly FoundProblem[] {
  return [...writtenMetadataProblems(object, of), ...serverProblems(object)]
}

/** The same, but for what only a server writes: an object inside another may have that. */
export function writtenMetadataProblems(object: Dict, of: Kinds): readonly FoundProblem[] {
  const isGeneric = of === 'custom kinds' || GENERIC.test(textAt(object, 'apiVersion'))
  const finalizers = itemsAt(object, 'metadata', 'finalizers')
  return [
    ...finalizers.flatMap((name, index) => {
      const allows = isGeneric && typeof name === 'string' ? labelKey.allows(name) : finalizer.allows(name)
      return allows ? none : problem(isGeneric ? labelKey.says : finalizer.says, 'metadata', 'finalizers', index)
    }),
    ...(finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')
      ? problem('a list without both orphan and foregroundDeletion', 'metadata', 'finalizers')
      : none),
    ...ownerProblems(object),
  ]
}

/** Fields of a running object: a server takes no new one with them (`fieldmanager`, and the store of the registry). */
function serverProblems(object: Dict): readonly FoundProblem[] {
  const uid = textAt(object, 'metadata', 'uid')
  return [
    ...((fieldAt(object, 'metadata', 'managedFields') ?? null) === null
      ? none
      : problem('left out: the server writes it', 'metadata', 'managedFields')),
    ...(uid === '' ? none : problem('left out: the server gives each object one', 'metadata', 'uid')),
  ]
}

function ownerProblems(object: Dict): readonly FoundProblem[] {
  const owners = itemsAt(object, 'metadata', 'ownerReferences')
  const controllers = owners.flatMap((owner, index) => (fieldAt(owner, 'controller') === true ? [index] : []))
  const [, second] = controllers
  return [
    ...owners.flatMap((owner, index) => {
      const place = ['metadata', 'ownerReferences', index] as const
      const version = textAt(owner, 'apiVersion')
      const isVersion = /^(?:[^/]*\/)?[^/]+$/.test(version)
      const isEvent = textAt(owner, 'kind') === 'Event' && (version === 'v1' || version.startsWith('events.k8s.io/'))
      return [
        ...(isVersion ? none : problem('a group, a slash and a version, such as apps/v1', ...place, 'apiVersion')),
        ...['kind', 'name', 'uid'].flatMap((field) =>
          textAt(owner, field) === '' && dictAt(object, 'metadata') !== undefined
            ? problem('set', ...place, field)
            : none,
        ),
        ...(isEvent ? problem('another kind than Event', ...place, 'kind') : none),
      ]
    }),
    ...(second === undefined
      ? none
      : problem('false: another owner is the controller', 'metadata', 'ownerReferences', second, 'controller')),
  ]
}
