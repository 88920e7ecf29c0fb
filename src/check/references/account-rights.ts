import { itemsAt, textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { Value } from '../../model/value.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import type { NeededRights } from './needed-rights.ts'
import { pluralOf } from './plural-of.ts'

const RBAC = 'rbac.authorization.k8s.io'
/** The verbs of Flux for every object that it applies. */
const verbs = ['get', 'create', 'patch'] as const

/** The rights that service accounts of the management cluster have by the tree. */
export class AccountRights {
  /** In the order of the tree, by whom they bind. */
  readonly #bindings = new Map<string, Binding[]>()
  #count = 0
  readonly #roles = new Map<string, Manifest>()
  /** Resources of custom kinds, by group and kind. */
  readonly #resources = new Map<string, string>()
  readonly #known = new Map<string, KnownRights | undefined>()

  add(manifest: Manifest): void {
    const { apiVersion, kind, namespace = '', name, object } = manifest
    const group = groupOf(apiVersion)
    if (group === RBAC && (kind === 'RoleBinding' || kind === 'ClusterRoleBinding')) this.#bind(manifest)
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

  #bind(manifest: Manifest): void {
    const place = this.#count++
    for (const subject of new Set(itemsAt(manifest.object, 'subjects').map(subjectOf))) {
      const bindings = this.#bindings.get(subject)
      if (bindings === undefined) this.#bindings.set(subject, [{ place, manifest }])
      else bindings.push({ place, manifest })
    }
  }

  #bindingsOf(account: ServiceAccount): readonly Manifest[] {
    const found = new Map<number, Manifest>()
    for (const name of namesOf(account))
      for (const { place, manifest } of this.#bindings.get(name) ?? []) found.set(place, manifest)
    return [...found].toSorted(([a], [b]) => a - b).map(([, manifest]) => manifest)
  }

  #find(account: ServiceAccount): KnownRights | undefined {
    const bindings = this.#bindingsOf(account)
    if (bindings.length === 0) return undefined
    const granted = new Map<string | undefined, Grant[]>()
    const grant = (namespace: string | undefined, one: Grant): void => {
      const own = granted.get(namespace)
      if (own === undefined) granted.set(namespace, [one])
      else own.push(one)
    }
    for (const binding of bindings) {
      const kind = textAt(binding.object, 'roleRef', 'kind')
      const name = textAt(binding.object, 'roleRef', 'name')
      const namespace = binding.kind === 'RoleBinding' ? (binding.namespace ?? '') : undefined
      const role = this.#roles.get(`${kind}/${kind === 'Role' ? (binding.namespace ?? '') : ''}/${name}`)
      if (kind === 'ClusterRole' && name === 'cluster-admin')
        grant(namespace, { groups: ['*'], resources: ['*'], verbs: ['*'] })
      // an aggregated one gets its rules from others
      else if (role === undefined || role.object.has('aggregationRule')) return undefined
      else
        for (const rule of itemsAt(role.object, 'rules'))
          // a rule for single names does not let anything be made
          if (itemsAt(rule, 'resourceNames').length === 0)
            grant(namespace, {
              groups: textsAt(rule, 'apiGroups'),
              resources: textsAt(rule, 'resources'),
              verbs: textsAt(rule, 'verbs'),
            })
    }
    const [first] = bindings
    if (first === undefined) return undefined
    const known = new Map<string, readonly string[]>()
    const [everywhere = [], within] = [granted.get(undefined), granted]
    return {
      binding: first,
      lacks: ({ group, kind, namespace }) => {
        const key = `${group}/${kind}/${namespace ?? ''}`
        const resource = this.#resources.get(`${group}/${kind}`) ?? pluralOf(kind)
        const grants = namespace === undefined ? everywhere : [...everywhere, ...(within.get(namespace) ?? [])]
        const lacking = known.get(key) ?? lackingVerbs(grants, { group, resource })
        known.set(key, lacking)
        return lacking
      },
    }
  }
}

function lackingVerbs(
  granted: readonly Grant[],
  needed: { readonly group: string; readonly resource: string },
): readonly string[] {
  return verbs.filter(
    (verb) =>
      !granted.some(
        ({ groups, resources, verbs: allowed }) =>
          has(groups, needed.group) && has(resources, needed.resource) && has(allowed, verb),
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

/** A binding, and its place in the tree. */
interface Binding {
  readonly place: number
  readonly manifest: Manifest
}

/** The rights of a rule in a namespace, or in all of them and on cluster-scoped kinds. */
interface Grant {
  readonly groups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

/** Whom a binding names: a service account, a group or a user. */
function subjectOf(subject: Value): string {
  const [kind, name] = [textAt(subject, 'kind'), textAt(subject, 'name')]
  if (kind === 'ServiceAccount') return `ServiceAccount ${textAt(subject, 'namespace')}/${name}`
  return `${kind === 'Group' ? kind : 'User'} ${name}`
}

/** The names by which bindings may mean an account. */
function namesOf({ namespace, name }: ServiceAccount): readonly string[] {
  return [
    `ServiceAccount ${namespace}/${name}`,
    'Group system:serviceaccounts',
    `Group system:serviceaccounts:${namespace}`,
    `User system:serviceaccount:${namespace}:${name}`,
  ]
}

function textsAt(rule: Value, field: string): readonly string[] {
  return itemsAt(rule, field).filter((text) => typeof text === 'string')
}

function has(list: readonly string[], text: string): boolean {
  return list.includes('*') || list.includes(text)
}
