import { formatGoJson } from '../codec/json/go-json.ts'
import { fieldAt, itemsAt, textAt } from '../model/field.ts'
import type { TreeObject } from '../model/tree-change.ts'
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
  if (after.apiVersion === 'v1' && after.kind === 'Namespace') return podSecurity(now) < podSecurity(old)
  if (after.kind === 'Secret' && textAt(now, 'type') === 'kubernetes.io/service-account-token')
    return before === undefined
  const changesAccount = textAt(now, 'spec', 'serviceAccountName') !== textAt(old, 'spec', 'serviceAccountName')
  return (before !== undefined && changesAccount) || widensPods(old, now)
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

/** What the namespace lets pods do: 0 everything. */
function podSecurity(namespace: Dict): number {
  const level = textAt(namespace, 'metadata', 'labels', 'pod-security.kubernetes.io/enforce')
  return level === 'restricted' ? 2 : level === 'baseline' ? 1 : 0
}

/** Where kinds of workloads have the spec of their pods. */
const podSpecs: readonly (readonly string[])[] = [
  ['spec', 'template', 'spec'],
  ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
  ['spec'],
]

/** True if pods may do something on their node, or as somebody else, that they could not before. */
function widensPods(old: Dict, now: Dict): boolean {
  const path = podSpecs.find((candidate) => itemsAt(now, ...candidate, 'containers').length > 0)
  if (path === undefined) return false
  const [before, after] = [fieldAt(old, ...path) ?? null, fieldAt(now, ...path) ?? null]
  const had = powersOf(before)
  const isNew = before === null
  if ([...powersOf(after)].some((power) => !had.has(power))) return true
  return !isNew && textAt(before, 'serviceAccountName') !== textAt(after, 'serviceAccountName')
}

/** What a pod may do beyond others. */
function powersOf(pod: Value): ReadonlySet<string> {
  const powers = new Set<string>()
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) if (fieldAt(pod, field) === true) powers.add(field)
  for (const volume of itemsAt(pod, 'volumes')) {
    const path = textAt(volume, 'hostPath', 'path')
    if (path !== '') powers.add(`hostPath ${path}`)
  }
  for (const list of ['containers', 'initContainers', 'ephemeralContainers'])
    for (const container of itemsAt(pod, list)) {
      const name = textAt(container, 'name')
      if (fieldAt(container, 'securityContext', 'privileged') === true) powers.add(`${name} privileged`)
      for (const capability of itemsAt(container, 'securityContext', 'capabilities', 'add'))
        if (typeof capability === 'string') powers.add(`${name} ${capability}`)
    }
  return powers
}
