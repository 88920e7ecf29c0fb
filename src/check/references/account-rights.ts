import { itemsAt, textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { Value } from '../../model/value.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import type { NeededRights } from './needed-rights.ts'
import { pluralOf } from './plural-of.ts'

const RBAC = 'rbac.authorization.k8s.io'
/** What Flux does with every object that it applies. */
const verbs = ['get', 'create', 'patch'] as const

/** The rights that service accounts of the management cluster have by the tree. */
export class AccountRights {
  readonly #bindings: Manifest[] = []
  readonly #roles = new Map<string, Manifest>()
  /** Resources of custom kinds, by group and kind. */
  readonly #resources = new Map<string, string>()
  readonly #known = new Map<string, KnownRights | undefined>()

  add(manifest: Manifest): void {
    const { apiVersion, kind, namespace = '', name, object } = manifest
    const group = groupOf(apiVersion)
    if (group === RBAC && (kind === 'RoleBinding' || kind === 'ClusterRoleBinding')) this.#bindings.push(manifest)
    if (group === RBAC && (kind === 'Role' || kind === 'ClusterRole'))
      this.#roles.set(`${kind}/${namespace}/${name}`, manifest)
    if (kind === 'CustomResourceDefinition') this.define(object)
  }

  /** Takes a definition of a kind. */
  define(definition: Value): void {
    const [group, kind] = [textAt(definition, 'spec', 'group'), textAt(definition, 'spec', 'names', 'kind')]
    this.#resources.set(`${group}/${kind}`, textAt(definition, 'spec', 'names', 'plural'))
  }

  /**
   * The rights of a service account; undefined where the tree binds it to nothing, or to a role that the tree does not
   * have: then nothing is known of it.
   */
  of(account: ServiceAccount): KnownRights | undefined {
    const key = `${account.namespace}/${account.name}`
    if (!this.#known.has(key)) this.#known.set(key, this.#find(account))
    return this.#known.get(key)
  }

  #find(account: ServiceAccount): KnownRights | undefined {
    const bindings = this.#bindings.filter(({ object }) =>
      itemsAt(object, 'subjects').some((subject) => isSubject(subject, account)),
    )
    if (bindings.length === 0) return undefined
    const granted: Grant[] = []
    for (const binding of bindings) {
      const kind = textAt(binding.object, 'roleRef', 'kind')
      const name = textAt(binding.object, 'roleRef', 'name')
      const within = binding.kind === 'RoleBinding' ? { namespace: binding.namespace ?? '' } : {}
      const role = this.#roles.get(`${kind}/${kind === 'Role' ? (binding.namespace ?? '') : ''}/${name}`)
      if (kind === 'ClusterRole' && name === 'cluster-admin')
        granted.push({ ...within, groups: ['*'], resources: ['*'], verbs: ['*'] })
      // an aggregated one gets its rules from others
      else if (role === undefined || role.object.has('aggregationRule')) return undefined
      else
        for (const rule of itemsAt(role.object, 'rules'))
          // a rule for single names does not let anything be made
          if (itemsAt(rule, 'resourceNames').length === 0)
            granted.push({
              ...within,
              groups: textsAt(rule, 'apiGroups'),
              resources: textsAt(rule, 'resources'),
              verbs: textsAt(rule, 'verbs'),
            })
    }
    const [first] = bindings
    if (first === undefined) return undefined
    const known = new Map<string, readonly string[]>()
    return {
      binding: first,
      lacks: ({ group, kind, namespace }) => {
        const key = `${group}/${kind}/${namespace ?? ''}`
        const resource = this.#resources.get(`${group}/${kind}`) ?? pluralOf(kind)
        const lacking = known.get(key) ?? lackingVerbs(granted, { group, resource, namespace })
        known.set(key, lacking)
        return lacking
      },
    }
  }
}

function lackingVerbs(
  granted: readonly Grant[],
  needed: { readonly group: string; readonly resource: string; readonly namespace: string | undefined },
): readonly string[] {
  return verbs.filter(
    (verb) =>
      !granted.some(
        ({ namespace, groups, resources, verbs: allowed }) =>
          (namespace === undefined || namespace === needed.namespace) &&
          has(groups, needed.group) &&
          has(resources, needed.resource) &&
          has(allowed, verb),
      ),
  )
}

/** A service account by name. */
interface ServiceAccount {
  readonly namespace: string
  readonly name: string
}

/** The rights of one service account. */
interface KnownRights {
  /** A binding that gives some. */
  readonly binding: Manifest
  /** The verbs that it does not have for a kind. */
  readonly lacks: (needed: NeededRights) => readonly string[]
}

interface Grant {
  /** Absent: in all, and for cluster-scoped kinds. */
  readonly namespace?: string
  readonly groups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

function isSubject(subject: Value, { namespace, name }: ServiceAccount): boolean {
  const own = textAt(subject, 'name')
  switch (textAt(subject, 'kind')) {
    case 'ServiceAccount':
      return own === name && textAt(subject, 'namespace') === namespace
    case 'Group':
      return own === 'system:serviceaccounts' || own === `system:serviceaccounts:${namespace}`
    default:
      return own === `system:serviceaccount:${namespace}:${name}`
  }
}

function textsAt(rule: Value, field: string): readonly string[] {
  return itemsAt(rule, field).filter((text) => typeof text === 'string')
}

function has(list: readonly string[], text: string): boolean {
  return list.includes('*') || list.includes(text)
}
