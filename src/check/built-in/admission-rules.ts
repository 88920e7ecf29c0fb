import { itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { dnsSubdomain } from '../../model/kubernetes-names.ts'
import { type WrongExpression, wrongCondition, wrongExpressions } from '../policy/policy-expressions.ts'
import type { FoundProblem, ObjectRule } from '../schema/schema-node.ts'
import { isWebhookUrl, servicePath } from './webhook-places.ts'
import {
  atMost,
  each,
  eachItem,
  given,
  isGiven,
  letterLabel,
  named,
  none,
  notEmpty,
  ofText,
  pathSegment,
  oneOf,
  port,
  problem,
  range,
  repeated,
  type RuleTable,
  someItems,
  strictQualifiedName,
  whole,
} from './rule-parts.ts'

const webhookNames = whole((configuration) =>
  repeated(itemsAt(configuration, 'webhooks'), (item) => textAt(item, 'name')).flatMap(({ index }) =>
    problem('a name that no webhook before it has', 'webhooks', index, 'name'),
  ),
)

/** Where a webhook is: at a URL, or behind a Service. */
export const clientConfig: ObjectRule = whole((config) => {
  const [hasUrl, hasService] = [isGiven(config, 'url'), isGiven(config, 'service')]
  if (hasUrl === hasService)
    return hasUrl ? problem('left out beside url', 'service') : problem('a map with url or service')
  const url = given(config, 'url')
  return typeof url !== 'string' || isWebhookUrl(url)
    ? none
    : problem('a URL such as https://host/path, without a user, query or fragment', 'url')
})

const KNOWN_REVIEWS = ['v1', 'v1beta1']

/** Versions of reviews that a webhook takes: names, and one of them that API servers send. */
export function reviewVersions(field: string): ObjectRule {
  return whole((found) => {
    const versions = itemsAt(found, field)
    const twice = versions.findIndex((version, index) => versions.indexOf(version) < index)
    if (twice !== -1) return problem('another than one before it', field, twice)
    return versions.length === 0 ||
      versions.some((version) => typeof version === 'string' && KNOWN_REVIEWS.includes(version))
      ? none
      : problem('a list with v1', field)
  })
}

/** A wildcard stands alone. */
function alone(field: string, what: string): ObjectRule {
  return whole((rule) => {
    const items = itemsAt(rule, field)
    return items.length > 1 && items.includes('*') ? problem(`* alone, or ${what} without it`, field) : none
  })
}

const resources = whole((rule) => {
  const items = itemsAt(rule, 'resources').filter((item) => typeof item === 'string')
  if (items.length > 1 && items.includes('*/*')) return problem('*/* alone, or resources without it', 'resources')
  const last = items.filter((item) => !item.includes('/')).at(-1)
  if (items.includes('*') && last !== undefined && last !== '*')
    return problem('a list without other resources where there is *', 'resources')
  return covered(items)
})

/** Subresources that a wildcard before them has already. */
function covered(items: readonly string[]): readonly FoundProblem[] {
  const [ofResource, ofSubresource] = [new Set<string>(), new Set<string>()]
  return items.flatMap((item, index) => {
    const slash = item.indexOf('/')
    if (slash === -1) return none
    const [resource, subresource] = [item.slice(0, slash), item.slice(slash + 1)]
    const isCovered = ofResource.has(resource) || ofSubresource.has(subresource)
    if (subresource === '*') ofResource.add(resource)
    if (resource === '*') ofSubresource.add(subresource)
    return isCovered ? problem('left out: an item before it has it', 'resources', index) : none
  })
}

const conditions = whole((found) =>
  itemsAt(found, 'matchConditions').flatMap((item, index) =>
    wrongCondition(item).flatMap((wrong) => expressionProblem(wrong, 'matchConditions', index)),
  ),
)

function expressionProblem(
  { path, says, why }: WrongExpression,
  ...above: readonly PathStep[]
): readonly FoundProblem[] {
  return problem(why === undefined ? says : `${says}: ${why}`, ...above, ...path)
}

const expressions = whole((found) => wrongExpressions(found).flatMap((wrong) => expressionProblem(wrong)))

const policy = whole((spec) => {
  const fields = ['validations', 'auditAnnotations']
  return fields.every((field) => itemsAt(spec, field).length === 0)
    ? problem('a list that is not empty, unless there are auditAnnotations', 'validations')
    : none
})

/** The constraints of a policy name resources; those of a binding may leave it to the policy. */
const matched = whole((spec) =>
  isGiven(spec, 'matchConstraints') && itemsAt(spec, 'matchConstraints', 'resourceRules').length === 0
    ? problem('a list that is not empty', 'matchConstraints', 'resourceRules')
    : none,
)

const validation = whole((item) => {
  const message = textAt(item, 'message')
  return [
    ...(message !== '' && message.trim() === '' ? problem('text that is not empty', 'message') : none),
    ...(/[\n\r]/.test(message.trim()) ? problem('a text of one line', 'message') : none),
  ]
})

const actions = whole((spec) => {
  const found = itemsAt(spec, 'validationActions')
  return found.includes('Deny') && found.includes('Warn')
    ? problem('a list without both Deny and Warn', 'validationActions')
    : none
})

const parameters = whole((reference) => {
  const [hasName, hasSelector] = [textAt(reference, 'name') !== '', isGiven(reference, 'selector')]
  if (hasName === hasSelector)
    return hasName ? problem('left out beside name', 'selector') : problem('a map with name or selector')
  return isGiven(reference, 'parameterNotFoundAction') ? none : problem('Allow or Deny', 'parameterNotFoundAction')
})

const rule: readonly ObjectRule[] = [
  alone('apiGroups', 'groups'),
  alone('apiVersions', 'versions'),
  alone('operations', 'operations'),
  resources,
]

const ofRules = {
  required: ['apiGroups', 'apiVersions', 'operations', 'resources'],
  fields: {
    apiGroups: [someItems],
    operations: [someItems],
    ...each(['apiVersions', 'resources'], someItems, eachItem(notEmpty)),
    scope: [oneOf('*', 'Cluster', 'Namespaced')],
  },
  whole: rule,
}

const groupVersion = ofText('a group, a slash and a version, such as apps/v1, or a version alone', (text) => {
  const [version = '', group] = text.split('/').reverse()
  return (
    text.split('/').length <= 2 &&
    letterLabel.allows(version) &&
    (group === undefined || group === '' || dnsSubdomain.allows(group))
  )
})
const kindName = ofText('the name of a kind', (text) => letterLabel.allows(text.toLowerCase()))

const resourceNames = whole((rule) => {
  const names = itemsAt(rule, 'resourceNames')
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? problem('another than one before it', 'resourceNames', index) : none,
  )
})

const webhookName = ofText(
  'a domain with at least three parts',
  (text) => dnsSubdomain.allows(text) && text.split('.').length > 2,
)

/** The rules of API servers for admission objects. */
export const admissionRules: RuleTable = [
  ['api.admissionregistration.v1.ValidatingAdmissionPolicy', { required: ['spec'], whole: [expressions] }],
  ['api.admissionregistration.v1.ValidatingAdmissionPolicyBinding', { required: ['spec'] }],
  ...['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'].map(
    (name) => [`api.admissionregistration.v1.${name}`, { whole: [webhookNames] }] as const,
  ),
  ...['ValidatingWebhook', 'MutatingWebhook'].map(
    (name) =>
      [
        `api.admissionregistration.v1.${name}`,
        {
          fields: {
            admissionReviewVersions: [someItems, eachItem(named(letterLabel))],
            sideEffects: [oneOf('None', 'NoneOnDryRun')],
            failurePolicy: [oneOf('Fail', 'Ignore')],
            matchPolicy: [oneOf('Equivalent', 'Exact')],
            reinvocationPolicy: [oneOf('IfNeeded', 'Never')],
            timeoutSeconds: [range(1, 30)],
            name: [webhookName],
            matchConditions: [atMost(64)],
          },
          whole: [reviewVersions('admissionReviewVersions'), conditions],
        },
      ] as const,
  ),
  ['api.admissionregistration.v1.WebhookClientConfig', { whole: [clientConfig] }],
  [
    'api.admissionregistration.v1.ServiceReference',
    { fields: { port: [port], path: [servicePath], ...each(['name', 'namespace'], notEmpty) } },
  ],
  ['api.admissionregistration.v1.MatchCondition', { fields: { name: [strictQualifiedName] } }],
  ['api.admissionregistration.v1.RuleWithOperations', ofRules],
  [
    'api.admissionregistration.v1.NamedRuleWithOperations',
    {
      ...ofRules,
      fields: { ...ofRules.fields, resourceNames: [eachItem(pathSegment)] },
      whole: [...rule, resourceNames],
    },
  ],
  [
    'api.admissionregistration.v1.ValidatingAdmissionPolicySpec',
    {
      required: ['matchConstraints'],
      fields: { failurePolicy: [oneOf('Fail', 'Ignore')], matchConditions: [atMost(64)] },
      whole: [policy, matched],
    },
  ],
  ['api.admissionregistration.v1.MatchResources', { fields: { matchPolicy: [oneOf('Equivalent', 'Exact')] } }],
  [
    'api.admissionregistration.v1.Validation',
    {
      fields: { reason: [oneOf('Forbidden', 'Invalid', 'RequestEntityTooLarge')] },
      whole: [validation],
    },
  ],
  [
    'api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec',
    {
      required: ['policyName', 'validationActions'],
      fields: {
        policyName: [named(dnsSubdomain)],
        validationActions: [someItems, eachItem(oneOf('Audit', 'Deny', 'Warn'))],
      },
      whole: [actions],
    },
  ],
  [
    'api.admissionregistration.v1.ParamRef',
    { fields: { parameterNotFoundAction: [oneOf('Allow', 'Deny')] }, whole: [parameters] },
  ],
  [
    'api.admissionregistration.v1.ParamKind',
    { required: ['apiVersion', 'kind'], fields: { apiVersion: [groupVersion], kind: [kindName] } },
  ],
  [
    'kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference',
    { required: ['name', 'namespace'], fields: { port: [port], ...each(['name', 'namespace'], notEmpty) } },
  ],
  [
    'kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec',
    {
      fields: { versionPriority: [range(1, 999)], groupPriorityMinimum: [range(1, 20_000)] },
      whole: [
        whole((spec) =>
          !isGiven(spec, 'service') && given(spec, 'insecureSkipTLSVerify') === true
            ? problem('left out where there is no service', 'insecureSkipTLSVerify')
            : none,
        ),
        whole((spec) =>
          given(spec, 'insecureSkipTLSVerify') === true && textAt(spec, 'caBundle') !== ''
            ? problem('false beside caBundle', 'insecureSkipTLSVerify')
            : none,
        ),
      ],
    },
  ],
  [
    'kube-aggregator.pkg.apis.apiregistration.v1.APIService',
    {
      whole: [
        whole((service) =>
          textAt(service, 'metadata', 'name') ===
          `${textAt(service, 'spec', 'version')}.${textAt(service, 'spec', 'group')}`
            ? none
            : problem('spec.version, a dot and spec.group', 'metadata', 'name'),
        ),
      ],
    },
  ],
]
