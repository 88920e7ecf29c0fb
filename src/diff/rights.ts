import { formatGoJson } from '../codec/json/go-json.ts'
import { fieldAt, itemsAt, textAt } from '../model/field.ts'
import type { EffectReason, TreeObject } from '../model/tree-change.ts'
import { Dict, type Value } from '../model/value.ts'
import { widensProject } from './project-rights.ts'

const RBAC = 'rbac.authorization.k8s.io/'
/** More combinations in one rule than this are not looked at one by one: nobody writes so many. */
const MOST = 20_000

/** True if somebody may do more by the new object than by the old one; undefined: there is no old one. */
export function widensRights(before: TreeObject | undefined, after: TreeObject): boolean {
  const old = before?.object ?? new Dict()
  const now = after.object
  if (after.apiVersion.startsWith(RBAC)) return widensRole(after.kind, old, now)
  if (after.apiVersion.startsWith('argoproj.io/') && after.kind === 'AppProject') return widensProject(old, now)
  if (after.apiVersion === 'v1' && after.kind === 'ServiceAccount')
    return mountsToken(now) && before !== undefined && !mountsToken(old)
  if (after.kind === 'Secret' && textAt(now, 'type') === 'kubernetes.io/service-account-token')
    return before === undefined
  const changesAccount = textAt(now, 'spec', 'serviceAccountName') !== textAt(old, 'spec', 'serviceAccountName')
  return before !== undefined && changesAccount
}

/**
 * Who is new in a binding, what is allowed without limits in a role, and rights by which somebody gets more than they
 * say: what must not be overlooked.
 */
export function rightsEffects(before: TreeObject | undefined, after: TreeObject): readonly EffectReason[] {
  if (!after.apiVersion.startsWith(RBAC)) return []
  const [old, now] = [before?.object ?? new Dict(), after.object]
  const had = grantsOf(old)
  const isGrave = (verb: string, resource: string): boolean => {
    const how = grave.get(resource)
    return graveVerbs.has(verb) || how === 'any' || (how === 'written' && writing.has(verb))
  }
  // among many roles that may read more, one that may write stands out
  const isWritten = (verb: string, resource: string): boolean =>
    before !== undefined && writing.has(verb) && !isGrave(verb, resource)
  const texts = [
    ...[...grantsOf(now)].filter((grant) => !had.has(grant)),
    ...newRights(old, now, isGrave),
    ...newRights(old, now, isWritten),
  ]
  return texts.map((text) => ({ risk: 'widens-rights', text }))
}

/**
 * Resources that lead to other rights, or into pods and nodes, by group: Kubernetes, "Role Based Access Control Good
 * Practices", privilege escalation risks. `written`: only who writes them gets more.
 */
const grave: ReadonlyMap<string, 'any' | 'written'> = new Map([
  ['/secrets', 'any'],
  ['/pods/exec', 'any'],
  ['/pods/attach', 'any'],
  ['/pods/ephemeralcontainers', 'written'],
  ['/nodes/proxy', 'any'],
  ['/serviceaccounts/token', 'written'],
  ['certificates.k8s.io/certificatesigningrequests/approval', 'written'],
  ...['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'].map((resource): [string, 'written'] => [
    RBAC + resource,
    'written',
  ]),
  ...['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'].map((resource): [string, 'written'] => [
    `admissionregistration.k8s.io/${resource}`,
    'written',
  ]),
])

const graveVerbs: ReadonlySet<string> = new Set(['bind', 'escalate', 'impersonate'])
const writing: ReadonlySet<string> = new Set(['*', 'create', 'update', 'patch', 'delete', 'deletecollection'])

/** Rights that a role did not have, by resource: `get, list secrets`; of all objects, not of named ones. */
function newRights(old: Dict, now: Dict, isMeant: (verb: string, resource: string) => boolean): readonly string[] {
  const known = itemsAt(old, 'rules').map(ruleOf)
  const found = new Map<string, Set<string>>()
  for (const { verbs, groups, resources, names, size } of itemsAt(now, 'rules').map(ruleOf)) {
    if (names.size > 0 || size > MOST) continue
    for (const group of groups)
      for (const resource of resources)
        for (const verb of verbs) {
          if (!isMeant(verb, `${group}/${resource}`) || known.some((rule) => allows(rule, { verb, group, resource })))
            continue
          found.set(resource, (found.get(resource) ?? new Set()).add(verb))
        }
  }
  return [...found].map(([resource, verbs]) => `${[...verbs].join(', ')} ${resource}`)
}

/** A rule of a role. */
interface Rule {
  readonly verbs: ReadonlySet<string>
  readonly urls: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  readonly resources: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  /** How many single rights it is made of. */
  readonly size: number
}

function ruleOf(rule: Value): Rule {
  const setOf = (field: string): ReadonlySet<string> => new Set(textsAt(rule, field))
  const [verbs, urls] = [setOf('verbs'), setOf('nonResourceURLs')]
  const [groups, resources] = [setOf('apiGroups'), setOf('resources')]
  const size = verbs.size * (urls.size + groups.size * resources.size)
  return { verbs, urls, groups, resources, names: setOf('resourceNames'), size }
}

const has = (list: ReadonlySet<string>, text: string): boolean => list.has('*') || list.has(text)

/** True if a rule allows this for all objects. */
function allows(
  rule: Rule,
  right: { readonly verb: string; readonly group: string; readonly resource: string },
): boolean {
  return (
    rule.names.size === 0 &&
    has(rule.verbs, right.verb) &&
    has(rule.groups, right.group) &&
    has(rule.resources, right.resource)
  )
}

function grantsOf(object: Dict): ReadonlySet<string> {
  const role = textAt(object, 'roleRef', 'name')
  const subjects = itemsAt(object, 'subjects').map((subject) => {
    const [kind, name] = ['kind', 'name'].map((field) => textAt(subject, field))
    const namespace = namespaceOf(subject, object)
    return `${kind ?? ''} ${namespace === '' ? '' : `${namespace}/`}${name ?? ''} as ${role}`
  })
  const wide = itemsAt(object, 'rules').flatMap((rule) =>
    ['verbs', 'resources', 'apiGroups'].flatMap((field) => (textsAt(rule, field).includes('*') ? [`${field} *`] : [])),
  )
  return new Set([...wide, ...subjects])
}

function widensRole(kind: string, old: Dict, now: Dict): boolean {
  if (kind === 'Role' || kind === 'ClusterRole') {
    if (
      fieldAt(now, 'aggregationRule') !== undefined &&
      textOf(old, 'aggregationRule') !== textOf(now, 'aggregationRule')
    )
      return true
    const isAggregated = (label: string): boolean =>
      label.startsWith('rbac.authorization.k8s.io/aggregate-to-') &&
      textAt(old, 'metadata', 'labels', label) !== textAt(now, 'metadata', 'labels', label)
    const labels = fieldAt(now, 'metadata', 'labels')
    if (labels instanceof Dict && [...labels.keys()].some(isAggregated)) return true
    const known = itemsAt(old, 'rules')
    return itemsAt(now, 'rules').some((rule) => !isCovered(rule, known))
  }
  if (kind !== 'RoleBinding' && kind !== 'ClusterRoleBinding') return false
  if (textOf(old, 'roleRef') !== textOf(now, 'roleRef')) return true
  const subjects = new Set(itemsAt(old, 'subjects').map((subject) => subjectOf(subject, old)))
  return itemsAt(now, 'subjects').some((subject) => !subjects.has(subjectOf(subject, now)))
}

function subjectOf(subject: Value, binding: Dict): string {
  return [textAt(subject, 'kind'), namespaceOf(subject, binding), textAt(subject, 'name')].join('/')
}

/** The namespace of a service account; in a RoleBinding that of the binding, where it says none. */
function namespaceOf(subject: Value, binding: Dict): string {
  const own = textAt(subject, 'namespace')
  return own === '' && textAt(subject, 'kind') === 'ServiceAccount' ? textAt(binding, 'metadata', 'namespace') : own
}

function textOf(object: Dict, field: string): string {
  return formatGoJson(fieldAt(object, field) ?? null)
}

/** True if everything that a rule allows is allowed by one of the others. */
function isCovered(value: Value, known: readonly Value[]): boolean {
  const rule = ruleOf(value)
  if (rule.size > MOST) return false
  const names = [...rule.names]
  const covers = (other: Rule): boolean =>
    other.names.size === 0 || (names.length > 0 && names.every((name) => other.names.has(name)))
  const candidates = known.map(ruleOf).filter(covers)
  for (const verb of rule.verbs) {
    const may = candidates.filter((other) => has(other.verbs, verb))
    for (const url of rule.urls) if (!may.some((other) => has(other.urls, url))) return false
    for (const group of rule.groups) {
      const inGroup = may.filter((other) => has(other.groups, group))
      for (const resource of rule.resources) if (!inGroup.some((other) => has(other.resources, resource))) return false
    }
  }
  return true
}

function textsAt(rule: Value, field: string): readonly string[] {
  return itemsAt(rule, field).filter((item) => typeof item === 'string')
}

/** A ServiceAccount's token is mounted unless it says otherwise. */
function mountsToken(account: Dict): boolean {
  return fieldAt(account, 'automountServiceAccountToken') !== false
}
