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

/** Who is new in a binding, and what is allowed without limits in a role: what must not be overlooked. */
export function rightsEffects(before: TreeObject | undefined, after: TreeObject): readonly EffectReason[] {
  if (!after.apiVersion.startsWith(RBAC)) return []
  const [old, now] = [before?.object ?? new Dict(), after.object]
  const texts = [...grantsOf(now)].filter((grant) => !grantsOf(old).has(grant))
  return texts.map((text) => ({ risk: 'widens-rights', text }))
}

function grantsOf(object: Dict): ReadonlySet<string> {
  const role = textAt(object, 'roleRef', 'name')
  const subjects = itemsAt(object, 'subjects').map((subject) => {
    const [kind, namespace, name] = ['kind', 'namespace', 'name'].map((field) => textAt(subject, field))
    return `${kind ?? ''} ${namespace === '' ? '' : `${namespace ?? ''}/`}${name ?? ''} as ${role}`
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
  const subjects = new Set(itemsAt(old, 'subjects').map(subjectOf))
  return itemsAt(now, 'subjects').some((subject) => !subjects.has(subjectOf(subject)))
}

function subjectOf(subject: Value): string {
  return ['kind', 'namespace', 'name'].map((field) => textAt(subject, field)).join('/')
}

function textOf(object: Dict, field: string): string {
  return formatGoJson(fieldAt(object, field) ?? null)
}

/** True if everything that a rule allows is allowed by one of the others. */
function isCovered(rule: Value, known: readonly Value[]): boolean {
  const verbs = textsAt(rule, 'verbs')
  const urls = textsAt(rule, 'nonResourceURLs')
  const [groups, resources] = [textsAt(rule, 'apiGroups'), textsAt(rule, 'resources')]
  if (verbs.length * (urls.length + groups.length * resources.length) > MOST) return false
  const names = textsAt(rule, 'resourceNames')
  const lists = known.map((other) => ({
    verbs: new Set(textsAt(other, 'verbs')),
    urls: new Set(textsAt(other, 'nonResourceURLs')),
    groups: new Set(textsAt(other, 'apiGroups')),
    resources: new Set(textsAt(other, 'resources')),
    names: new Set(textsAt(other, 'resourceNames')),
  }))
  const has = (list: ReadonlySet<string>, text: string): boolean => list.has('*') || list.has(text)
  const covers = (other: (typeof lists)[number]): boolean =>
    other.names.size === 0 || (names.length > 0 && names.every((name) => other.names.has(name)))
  const candidates = lists.filter(covers)
  for (const verb of verbs) {
    const may = candidates.filter((other) => has(other.verbs, verb))
    for (const url of urls) if (!may.some((other) => has(other.urls, url))) return false
    for (const group of groups) {
      const inGroup = may.filter((other) => has(other.groups, group))
      for (const resource of resources) if (!inGroup.some((other) => has(other.resources, resource))) return false
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
