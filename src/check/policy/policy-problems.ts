import { dictAt, fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownName } from '../../model/shown-name.ts'
import type { Dict } from '../../model/value.ts'
import { fieldText } from '../schema/field-text.ts'
import type { MinorSchemas } from '../schema/built-in-schemas.ts'
import { guessedPlural } from './plural-name.ts'
import { type WrongExpression, wrongExpressions } from './policy-expressions.ts'
import { readBinding, readPolicy, textsAt } from './policy.ts'

/** Something about a policy or binding by which it guards less than it seems to. */
export interface PolicyProblem {
  readonly path: readonly PathStep[]
  readonly says: string
  readonly hint?: string | undefined
  /** `warning`: an API server takes it. */
  readonly severity?: 'warning'
}

/** Problems that an API server refuses in a policy or binding besides its schema, and names of unknown resources. */
export function policyProblems(object: Dict, schemas: MinorSchemas): readonly PolicyProblem[] {
  if (readPolicy(object) !== undefined)
    return [
      ...missingParts(object),
      ...wrongRules(object, schemas, 'matchConstraints'),
      ...wrongExpressions(object).map(asProblem),
    ]
  return readBinding(object) === undefined
    ? []
    : [...wrongBinding(object), ...wrongRules(object, schemas, 'matchResources')]
}

function asProblem({ path, says, why, hint }: WrongExpression): PolicyProblem {
  const field = fieldText(path)
  const text =
    why !== undefined ? `${field}: ${why}` : says === 'set' ? `${field} is missing` : `${field} has to be ${says}`
  return { path, says: text, hint }
}

const missing = (...path: readonly PathStep[]): PolicyProblem => ({ path, says: `${fieldText(path)} is missing` })

function missingParts(policy: Dict): readonly PolicyProblem[] {
  const has = (...path: readonly string[]): boolean => itemsAt(policy, ...path).length > 0
  return [
    ...(has('spec', 'matchConstraints', 'resourceRules') ? [] : [missing('spec', 'matchConstraints', 'resourceRules')]),
    ...(has('spec', 'validations') || has('spec', 'auditAnnotations') ? [] : [missing('spec', 'validations')]),
    ...notOneOf(textAt(policy, 'spec', 'failurePolicy'), ['spec', 'failurePolicy'], ['Fail', 'Ignore']),
  ]
}

const actions = ['Audit', 'Deny', 'Warn']

function wrongBinding(binding: Dict): readonly PolicyProblem[] {
  const path = ['spec', 'validationActions']
  const texts = textsAt(binding, ...path)
  const isBoth = texts.includes('Deny') && texts.includes('Warn')
  return [
    ...(textAt(binding, 'spec', 'policyName') === '' ? [missing('spec', 'policyName')] : []),
    ...(texts.length === 0 ? [missing(...path)] : []),
    ...texts.flatMap((action, index) => notOneOf(action, [...path, index], actions)),
    ...texts.flatMap((action, index) =>
      texts.indexOf(action) < index
        ? [{ path: [...path, index], says: `${fieldText([...path, index])} is equal to an item before it` }]
        : [],
    ),
    ...(isBoth ? [{ path, says: `${fieldText(path)} has Deny and Warn, of which API servers take one` }] : []),
  ]
}

function notOneOf(text: string, path: readonly PathStep[], known: readonly string[]): readonly PolicyProblem[] {
  if (text === '' || known.includes(text)) return []
  const near = nearestName(text, known)
  const says = `${fieldText(path)} has to be one of ${known.join(', ')}`
  return [{ path, says, hint: near === undefined ? undefined : `Did you mean ${near}?` }]
}

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']

function wrongRules(
  object: Dict,
  schemas: MinorSchemas,
  field: 'matchConstraints' | 'matchResources',
): readonly PolicyProblem[] {
  return ['resourceRules', 'excludeResourceRules'].flatMap((list) =>
    itemsAt(object, 'spec', field, list).flatMap((rule, index): readonly PolicyProblem[] => {
      const path = ['spec', field, list, index]
      return [
        ...['apiGroups', 'apiVersions', 'operations', 'resources'].flatMap((name) =>
          itemsAt(rule, name).length === 0 ? [missing(...path, name)] : [],
        ),
        ...textsAt(rule, 'operations').flatMap((operation, at) =>
          notOneOf(operation, [...path, 'operations', at], operations),
        ),
        ...textsAt(rule, 'resources').flatMap((resource, at) => {
          const near = meantResource(resource, textsAt(rule, 'apiGroups'), schemas)
          if (near === undefined) return []
          const says = `API servers call no resource ${shownName(resource)}`
          const hint = `Did you mean ${near}?`
          return [{ path: [...path, 'resources', at], says, hint, severity: 'warning' as const }]
        }),
      ]
    }),
  )
}

/** Versions that groups of Kubernetes have had. */
const versions = ['v1', 'v2', 'v1beta1', 'v1beta2', 'v1beta3', 'v1alpha1', 'v1alpha2', 'v1alpha3', 'v2beta2']

/** The resource that is meant by a name that no API server has: the plural of a kind, or a near one. */
function meantResource(pattern: string, groups: readonly string[], schemas: MinorSchemas): string | undefined {
  const [name = ''] = pattern.split('/')
  if (name === '*' || groups.length === 0 || !groups.every((group) => schemas.hasGroup(group))) return undefined
  const kinds = groups.flatMap((group) =>
    versions.flatMap((version) => schemas.kindsOf(group === '' ? version : `${group}/${version}`)),
  )
  const plurals = kinds.map(guessedPlural)
  if (plurals.includes(name)) return undefined
  const own = kinds.find((kind) => kind.toLowerCase() === name.toLowerCase())
  return own === undefined ? nearestName(name, plurals) : guessedPlural(own)
}

/** True for what policies may read of the folder: their parameters, and namespaces with their labels. */
export function isReadBy(policies: readonly Dict[], object: Dict): boolean {
  const [apiVersion, kind] = [textAt(object, 'apiVersion'), textAt(object, 'kind')]
  if (apiVersion === 'v1' && kind === 'Namespace') return true
  return policies.some((policy) => {
    const param = dictAt(policy, 'spec', 'paramKind')
    return param !== undefined && textAt(param, 'apiVersion') === apiVersion && fieldAt(param, 'kind') === kind
  })
}
