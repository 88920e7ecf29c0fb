import { dictAt, itemsAt, textAt } from '../../model/field.ts'
import { Dict, type Value } from '../../model/value.ts'
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
  /** Undefined for an object of the cluster. */
  readonly namespace: string | undefined
  readonly labels: ReadonlyMap<string, string>
  /** Labels of its namespace: those that are known, and whether there may be others. */
  readonly namespaceLabels: KnownLabels
}

/** Labels of an object that may have more. */
export interface KnownLabels {
  readonly labels: ReadonlyMap<string, string>
  readonly isComplete: boolean
}

/** Whether something is so; `unknown` where only a server can tell, with the reason. */
export type Verdict = 'yes' | 'no' | { readonly unknown: string }

/** True if a rule of `matchConstraints` or `matchResources` takes in the request (k8s.io/apiserver, `rules.Matcher`). */
export function matchesResources(constraints: Dict, request: PolicyRequest, whenEmpty: 'all' | 'none'): Verdict {
  const rules = itemsAt(constraints, 'resourceRules')
  const excluded = itemsAt(constraints, 'excludeResourceRules')
  if (excluded.some((rule) => matchesRule(rule, request, 'version') === 'yes')) return 'no'
  const policy = textAt(constraints, 'matchPolicy') === 'Exact' ? 'version' : 'any version'
  const found: Verdict =
    rules.length === 0
      ? whenEmpty === 'all'
        ? 'yes'
        : 'no'
      : anyOf(rules, (rule) => matchesRule(rule, request, policy))
  if (found === 'no') return 'no'
  if (!matchesSelector(dictAt(constraints, 'objectSelector'), { labels: request.labels, isComplete: true })) return 'no'
  const inNamespace = matchesNamespace(dictAt(constraints, 'namespaceSelector'), request)
  return inNamespace === 'yes' ? found : inNamespace
}

function anyOf(rules: readonly Value[], judge: (rule: Value) => Verdict): Verdict {
  const verdicts = rules.map(judge)
  return verdicts.find((verdict) => verdict === 'yes') ?? verdicts.find((verdict) => verdict !== 'no') ?? 'no'
}

function matchesRule(rule: Value, request: PolicyRequest, versions: 'version' | 'any version'): Verdict {
  const { apiVersion, resource, operation, name, namespace } = request
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
    (scope === '' || scope === '*' || (scope === 'Namespaced') === (namespace !== undefined))
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
  { kind, namespace, labels, namespaceLabels }: PolicyRequest,
): Verdict {
  if (isEmpty(selector)) return 'yes'
  if (namespace === undefined && kind !== 'Namespace') return 'yes'
  const known = namespace === undefined ? { labels, isComplete: true } : namespaceLabels
  const isSelected = matchesSelector(selector, known)
  return isSelected === undefined
    ? { unknown: 'the labels of the namespace are not in the tree' }
    : isSelected
      ? 'yes'
      : 'no'
}

function isEmpty(selector: Dict | undefined): boolean {
  return (
    selector === undefined ||
    (itemsAt(selector, 'matchExpressions').length === 0 && (dictAt(selector, 'matchLabels')?.size ?? 0) === 0)
  )
}

/** Undefined where it depends on labels that are not known. */
export function matchesSelector(selector: Dict | undefined, { labels, isComplete }: KnownLabels): boolean | undefined {
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
    switch (operator) {
      case 'In':
        return value !== undefined && values.includes(value)
      case 'NotIn':
        return value === undefined || !values.includes(value)
      case 'Exists':
        return value !== undefined
      default:
        return value === undefined
    }
  })
  if (verdicts.includes(false)) return false
  return verdicts.includes(undefined) ? undefined : true
}

/** The labels of an object. */
export function labelsOf(object: Dict): ReadonlyMap<string, string> {
  const labels = dictAt(object, 'metadata', 'labels') ?? new Dict()
  return new Map([...labels].flatMap(([key, value]) => (typeof value === 'string' ? [[key, value] as const] : [])))
}
