import { dictAt, formatPointer, itemsAt, textAt } from '../../model/field.ts'
import { meetsRequirement } from '../../model/label-requirement.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { LateTexts } from '../cel/unknown-values.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import { textsAt } from './policy.ts'

/** A request to an API server, as far as it decides which policies are asked. */
export interface PolicyRequest {
  readonly operation: 'CREATE' | 'UPDATE'
  readonly apiVersion: string
  readonly kind: string
  /** The plural name of the kind. */
  readonly resource: string
  readonly name: string
  /** Undefined for an object of the cluster; that of a Namespace is itself. */
  readonly namespace: string | undefined
  readonly isNamespaced: boolean
  readonly labels: KnownLabels
  /** Those that it had before; undefined for a new object. */
  readonly oldLabels: KnownLabels | undefined
  /** Those of its namespace. */
  readonly namespaceLabels: KnownLabels
}

/** Labels of an object, as far as they are known. */
export interface KnownLabels {
  readonly labels: ReadonlyMap<string, string>
  /** Those whose values are filled in later. */
  readonly late: ReadonlySet<string>
  /** False if there may be others. */
  readonly isComplete: boolean
}

/** An answer; `unknown` where only a server can tell, with the reason. */
export type Verdict = 'yes' | 'no' | { readonly unknown: string }

/** True if `matchConstraints` or `matchResources` take in the request (k8s.io/apiserver, `matching.Matcher`). */
export function matchesResources(constraints: Dict, request: PolicyRequest, whenEmpty: 'all' | 'none'): Verdict {
  const rules = itemsAt(constraints, 'resourceRules')
  const policy = textAt(constraints, 'matchPolicy') === 'Exact' ? 'version' : 'any version'
  const matches = (rule: Value): Verdict => matchesRule(rule, request, policy)
  return allOf([
    matchesNamespace(dictAt(constraints, 'namespaceSelector'), request),
    matchesObject(dictAt(constraints, 'objectSelector'), request),
    opposite(anyOf(itemsAt(constraints, 'excludeResourceRules'), matches)),
    rules.length > 0 ? anyOf(rules, matches) : whenEmpty === 'all' ? 'yes' : 'no',
  ])
}

function allOf(verdicts: readonly Verdict[]): Verdict {
  return verdicts.find((verdict) => verdict === 'no') ?? verdicts.find((verdict) => verdict !== 'yes') ?? 'yes'
}

function opposite(verdict: Verdict): Verdict {
  return verdict === 'yes' ? 'no' : verdict === 'no' ? 'yes' : verdict
}

/** Of an object that changes the labels of before count, too. */
function matchesObject(selector: Dict | undefined, { labels, oldLabels }: PolicyRequest): Verdict {
  return anyOf(oldLabels === undefined ? [labels] : [labels, oldLabels], (known) =>
    verdictOf(matchesSelector(selector, known), 'a label of the object is filled in later'),
  )
}

function verdictOf(matches: boolean | undefined, unknown: string): Verdict {
  return matches === undefined ? { unknown } : matches ? 'yes' : 'no'
}

function anyOf<Item>(items: readonly Item[], judge: (item: Item) => Verdict): Verdict {
  const verdicts = items.map(judge)
  return verdicts.find((verdict) => verdict === 'yes') ?? verdicts.find((verdict) => verdict !== 'no') ?? 'no'
}

function matchesRule(rule: Value, request: PolicyRequest, versions: 'version' | 'any version'): Verdict {
  const { apiVersion, resource, operation, name, isNamespaced } = request
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
  const has = (field: string, wanted: string): boolean => {
    const texts = textsAt(rule, field)
    return texts.includes('*') || texts.includes(wanted)
  }
  const names = textsAt(rule, 'resourceNames')
  const scope = textAt(rule, 'scope')
  const isTaken =
    has('operations', operation) &&
    has('apiGroups', groupOf(apiVersion)) &&
    textsAt(rule, 'resources').some((pattern) => isResource(pattern, resource)) &&
    (names.length === 0 || names.includes(name)) &&
    (scope === '' || scope === '*' || (scope === 'Namespaced') === isNamespaced)
  if (!isTaken) return 'no'
  if (has('apiVersions', version)) return 'yes'
  return versions === 'version' ? 'no' : { unknown: 'it is asked of another version of the kind' }
}

/** Objects as a whole are applied, so what is asked of a subresource does not count. */
function isResource(pattern: string, resource: string): boolean {
  const [wanted = '', subresource = ''] = pattern.split('/')
  return (wanted === '*' || wanted === resource) && (subresource === '' || subresource === '*')
}

function matchesNamespace(
  selector: Dict | undefined,
  { apiVersion, kind, isNamespaced, labels, namespaceLabels }: PolicyRequest,
): Verdict {
  if (isEmpty(selector)) return 'yes'
  if (apiVersion === 'v1' && kind === 'Namespace')
    return verdictOf(matchesSelector(selector, labels), 'a label of the namespace is filled in later')
  if (!isNamespaced) return 'yes'
  return verdictOf(
    matchesSelector(selector, namespaceLabels),
    namespaceLabels.isComplete
      ? 'a label of the namespace is filled in later'
      : 'the labels of the namespace are not in the tree',
  )
}

function isEmpty(selector: Dict | undefined): boolean {
  return (
    selector === undefined ||
    (itemsAt(selector, 'matchExpressions').length === 0 && (dictAt(selector, 'matchLabels')?.size ?? 0) === 0)
  )
}

/** Undefined where it depends on labels that are not known. */
export function matchesSelector(
  selector: Dict | undefined,
  { labels, late, isComplete }: KnownLabels,
): boolean | undefined {
  if (selector === undefined) return true
  const wanted = [
    ...[...(dictAt(selector, 'matchLabels') ?? [])].map(([key, value]) => ({ key, operator: 'In', values: [value] })),
    ...itemsAt(selector, 'matchExpressions').map((expression) => ({
      key: textAt(expression, 'key'),
      operator: textAt(expression, 'operator'),
      values: itemsAt(expression, 'values'),
    })),
  ]
  const verdicts = wanted.map(({ key, operator, values }): boolean | undefined => {
    const value = labels.get(key)
    if (value === undefined && !isComplete) return undefined
    if (late.has(key) && ['In', 'NotIn'].includes(operator)) return undefined
    return meetsRequirement(value, { operator, values })
  })
  if (verdicts.includes(false)) return false
  return verdicts.includes(undefined) ? undefined : true
}

/** The labels of an object. */
export function labelsOf(object: Dict, late: LateTexts = []): KnownLabels {
  const labels = dictAt(object, 'metadata', 'labels') ?? new Dict()
  const pointers = new Set(late.map(({ pointer }) => pointer))
  return {
    labels: new Map([...labels].flatMap(([key, value]) => (typeof value === 'string' ? [[key, value] as const] : []))),
    late: new Set([...labels.keys()].filter((key) => pointers.has(formatPointer(['metadata', 'labels', key])))),
    isComplete: true,
  }
}
