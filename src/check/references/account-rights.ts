import { itemsAt, textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { Value } from '../../model/value.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import { type NotedObject, noteObject } from '../unit-origin.ts'
import type { NeededRights } from './needed-rights.ts'
import { pluralOf } from './plural-of.ts'

const RBAC = 'rbac.authorization.k8s.io'
/** The verbs of Flux for every object that it applies. */
const verbs = ['get', 'create', 'patch'] as const

/** What objects say about the rights of service accounts: plain values. */
export interface RightsNote {
  readonly bindings: readonly NotedBinding[]
  readonly roles: readonly NotedRole[]
  readonly resources: readonly NotedResource[]
}

/** A binding of a role. */
export interface NotedBinding {
  readonly object: NotedObject
  /** Whom it names: service accounts, groups, users. */
  readonly subjects: readonly string[]
  readonly role: { readonly kind: string; readonly name: string }
}

/** A role by kind, namespace and name. */
interface NotedRole {
  readonly key: string
  /** Absent: it gets its rules from others. */
  readonly grants?: readonly Grant[]
}

/** A custom kind, and its resource. */
interface NotedResource {
  /** Group and kind. */
  readonly key: string
  readonly plural: string
}

/** Notes what objects of a folder say about rights. */
export function noteRights(manifests: readonly Manifest[], folder: string): RightsNote {
  const isOf = ({ apiVersion, kind }: Manifest, ...kinds: readonly string[]): boolean =>
    groupOf(apiVersion) === RBAC && kinds.includes(kind)
  return {
    bindings: manifests
      .filter((manifest) => isOf(manifest, 'RoleBinding', 'ClusterRoleBinding'))
      .map((manifest) => ({
        object: noteObject(manifest, folder),
        subjects: [...new Set(itemsAt(manifest.object, 'subjects').map(subjectOf))],
        role: {
          kind: textAt(manifest.object, 'roleRef', 'kind'),
          name: textAt(manifest.object, 'roleRef', 'name'),
        },
      })),
    roles: manifests
      .filter((manifest) => isOf(manifest, 'Role', 'ClusterRole'))
      .map(({ kind, namespace = '', name, object }) => ({
        key: `${kind}/${namespace}/${name}`,
        ...(!object.has('aggregationRule') && { grants: grantsOf(object) }),
      })),
    resources: manifests
      .filter(({ kind }) => kind === 'CustomResourceDefinition')
      .map(({ object }) => noteResource(object)),
  }
}

/** Notes a definition of a kind. */
export function noteResource(definition: Value): NotedResource {
  const [group, kind] = [textAt(definition, 'spec', 'group'), textAt(definition, 'spec', 'names', 'kind')]
  return { key: `${group}/${kind}`, plural: textAt(definition, 'spec', 'names', 'plural') }
}

function grantsOf(role: Value): readonly Grant[] {
  return (
    itemsAt(role, 'rules')
      // a rule for single names does not let anything be made
      .filter((rule) => itemsAt(rule, 'resourceNames').length === 0)
      .map((rule) => ({
        groups: textsAt(rule, 'apiGroups'),
        resources: textsAt(rule, 'resources'),
        verbs: textsAt(rule, 'verbs'),
      }))
  )
}

/** The rights that service accounts of the management cluster have by the tree. */
export class AccountRights {
  /** In the order of the tree, by whom they bind. */
  readonly #bindings = new Map<string, Binding[]>()
  readonly #roles: ReadonlyMap<string, NotedRole>
  /** Resources of custom kinds, by group and kind. */
  readonly #resources: ReadonlyMap<string, string>
  readonly #known = new Map<string, KnownRights | undefined>()

  constructor(notes: readonly Partial<RightsNote>[]) {
    for (const [place, binding] of notes.flatMap(({ bindings = [] }) => bindings).entries())
      for (const subject of binding.subjects) {
        const bindings = this.#bindings.get(subject)
        if (bindings === undefined) this.#bindings.set(subject, [{ place, binding }])
        else bindings.push({ place, binding })
      }
    this.#roles = new Map(notes.flatMap(({ roles = [] }) => roles.map((role) => [role.key, role])))
    this.#resources = new Map(notes.flatMap(({ resources = [] }) => resources.map(({ key, plural }) => [key, plural])))
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

  #bindingsOf(account: ServiceAccount): readonly NotedBinding[] {
    const found = new Map<number, NotedBinding>()
    for (const name of namesOf(account))
      for (const { place, binding } of this.#bindings.get(name) ?? []) found.set(place, binding)
    return [...found].toSorted(([a], [b]) => a - b).map(([, binding]) => binding)
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
      const { kind, name } = binding.role
      const own = binding.object.namespace ?? ''
      const namespace = binding.object.kind === 'RoleBinding' ? own : undefined
      const role = this.#roles.get(`${kind}/${kind === 'Role' ? own : ''}/${name}`)
      if (kind === 'ClusterRole' && name === 'cluster-admin')
        grant(namespace, { groups: ['*'], resources: ['*'], verbs: ['*'] })
      // an aggregated one gets its rules from others
      else if (role?.grants === undefined) return undefined
      else for (const one of role.grants) grant(namespace, one)
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
  readonly binding: NotedBinding
  /** The verbs that it does not have for a kind. */
  readonly lacks: (needed: NeededRights) => readonly string[]
}

/** A binding, and its place in the tree. */
interface Binding {
  readonly place: number
  readonly binding: NotedBinding
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
