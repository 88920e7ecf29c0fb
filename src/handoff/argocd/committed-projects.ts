import { fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { Value } from '../../model/value.ts'
import { MANAGEMENT_SERVER } from './argo-names.ts'

/** The permissions of a committed AppProject for the management cluster. */
export interface CommittedProject {
  readonly namespaces: readonly string[]
  /** Cluster-scoped. */
  readonly kinds: readonly { readonly group: string; readonly kind: string }[]
}

const GROUP = /^[a-z0-9.-]*$/
const KIND = /^[A-Za-z0-9]+$/
const NAMESPACE = /^[a-z0-9-]+$/

/**
 * The permissions of committed AppProjects, by name. Patterns and kinds that are permitted by the name of the object
 * only are left out: a template of the fleet may write them, and writes them again.
 */
export function committedProjects(objects: readonly Value[]): ReadonlyMap<string, CommittedProject> {
  return new Map(
    objects.flatMap((object) => {
      if (textAt(object, 'kind') !== 'AppProject') return []
      return [[textAt(object, 'metadata', 'name'), projectOf(object)] as const]
    }),
  )
}

function projectOf(object: Value): CommittedProject {
  return {
    namespaces: itemsAt(object, 'spec', 'destinations').flatMap((destination) => {
      const namespace = textAt(destination, 'namespace')
      return textAt(destination, 'server') === MANAGEMENT_SERVER && NAMESPACE.test(namespace) ? [namespace] : []
    }),
    kinds: itemsAt(object, 'spec', 'clusterResourceWhitelist').flatMap((entry) => {
      const [group, kind] = [textAt(entry, 'group'), textAt(entry, 'kind')]
      return fieldAt(entry, 'name') === undefined && GROUP.test(group) && KIND.test(kind) ? [{ group, kind }] : []
    }),
  }
}
