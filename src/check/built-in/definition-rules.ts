import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import { dnsSubdomain } from '../../model/kubernetes-names.ts'
import { Dict } from '../../model/value.ts'
import type { FoundProblem, ValueRule } from '../schema/schema-node.ts'
import { clientConfig, reviewVersions } from './admission-rules.ts'
import { ruleProblems, selectableProblems } from './definition-expressions.ts'
import {
  each,
  eachItem,
  given,
  isEmpty,
  isGiven,
  letterLabel,
  maybeOneOf,
  named,
  none,
  notEmpty,
  ofText,
  oneOf,
  port,
  problem,
  repeated,
  type RuleTable,
  whole,
} from './rule-parts.ts'
import { schemaProblems } from './structural-schema.ts'
import { servicePath } from './webhook-places.ts'

const name = whole((definition) =>
  textAt(definition, 'metadata', 'name') ===
  `${textAt(definition, 'spec', 'names', 'plural')}.${textAt(definition, 'spec', 'group')}`
    ? none
    : problem('spec.names.plural, a dot and spec.group', 'metadata', 'name'),
)

const APPROVAL = 'api-approved.kubernetes.io'

/** Groups of Kubernetes itself name who allows the definition. */
const approval = whole((definition) => {
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(textAt(definition, 'spec', 'group'))) return none
  const text = textAt(definition, 'metadata', 'annotations', APPROVAL)
  return text.startsWith('unapproved') || /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]/.test(text)
    ? none
    : problem(
        'a URL, or a text that begins with unapproved, in a group of Kubernetes',
        'metadata',
        'annotations',
        APPROVAL,
      )
})

const versions = whole((spec) => {
  const found = itemsAt(spec, 'versions')
  const stored = found.flatMap((version, index) => (fieldAt(version, 'storage') === true ? [index] : []))
  const [, second] = stored
  return [
    ...repeated(found, (version) => textAt(version, 'name')).flatMap(({ index }) =>
      problem('a name that no version before it has', 'versions', index, 'name'),
    ),
    ...(stored.length === 0 ? problem('a list of which one version has storage: true', 'versions') : none),
    ...(second === undefined ? none : problem('false: another version is stored', 'versions', second, 'storage')),
    ...(given(spec, 'preserveUnknownFields') === true
      ? problem('false or left out; a schema may keep unknown fields', 'preserveUnknownFields')
      : none),
  ]
})

const schema = whole((version) => {
  const found = dictAt(version, 'schema', 'openAPIV3Schema')
  if (found === undefined)
    return (fieldAt(version, 'schema', 'openAPIV3Schema') ?? null) === null
      ? problem('set', 'schema', 'openAPIV3Schema')
      : none
  return schemaProblems(found, isGiven(dictAt(version, 'subresources') ?? new Dict(), 'status')).map(
    ({ path, says }): FoundProblem => ({ path: ['schema', 'openAPIV3Schema', ...path], says }),
  )
})

const expressions = whole((version) => {
  const found = dictAt(version, 'schema', 'openAPIV3Schema')
  const ofRules = found === undefined ? [] : ruleProblems(found)
  return [
    ...ofRules.map(({ path, says }): FoundProblem => ({ path: ['schema', 'openAPIV3Schema', ...path], says })),
    ...selectableProblems(version),
  ]
})

const deprecation = whole((version) => {
  const warning = given(version, 'deprecationWarning')
  if (typeof warning !== 'string') return none
  if (given(version, 'deprecated') !== true) return problem('left out unless deprecated is true', 'deprecationWarning')
  return warning !== '' && warning.length <= 256 ? none : problem('a text of 1 to 256 characters', 'deprecationWarning')
})

const kindName = ofText('letters, digits and -, the first a letter, 63 at most', (text) =>
  letterLabel.allows(text.toLowerCase()),
)

const kinds = whole((names) =>
  textAt(names, 'kind') !== '' && textAt(names, 'kind') === textAt(names, 'listKind')
    ? problem('another than kind', 'listKind')
    : none,
)

const conversion = whole((found) => {
  const webhook = dictAt(found, 'webhook') ?? new Dict()
  const fields = ['clientConfig', 'conversionReviewVersions']
  if (textAt(found, 'strategy') === 'Webhook')
    return fields.flatMap((field) =>
      isEmpty(webhook.get(field)) ? problem('set where strategy is Webhook', 'webhook', field) : none,
    )
  return fields.flatMap((field) =>
    isEmpty(webhook.get(field)) ? none : problem('left out unless strategy is Webhook', 'webhook', field),
  )
})

const below = (...roots: readonly string[]): ValueRule =>
  ofText(`a path such as ${roots[0] ?? ''}replicas`, (text) => roots.some((root) => text.startsWith(root)))

const group = ofText('a domain with a dot', (text) => dnsSubdomain.allows(text) && text.includes('.'))
const label = named(letterLabel)
const API = 'apiextensions-apiserver.pkg.apis.apiextensions.v1'

/** Definitions of custom resources. */
export const definitionRules: RuleTable = [
  [`${API}.CustomResourceDefinition`, { whole: [name, approval] }],
  [
    `${API}.CustomResourceDefinitionSpec`,
    { fields: { group: [group], scope: [oneOf('Cluster', 'Namespaced')] }, whole: [versions] },
  ],
  [
    `${API}.CustomResourceDefinitionVersion`,
    { optional: ['served', 'storage'], fields: { name: [label] }, whole: [schema, expressions, deprecation] },
  ],
  [
    `${API}.CustomResourceDefinitionNames`,
    {
      fields: {
        plural: [label],
        singular: [ofText(letterLabel.says, (text) => text === '' || letterLabel.allows(text))],
        kind: [kindName],
        listKind: [ofText(kindName.says, (text) => text === '' || kindName.allows(text))],
        ...each(['shortNames', 'categories'], eachItem(label)),
      },
      whole: [kinds],
    },
  ],
  [`${API}.CustomResourceConversion`, { fields: { strategy: [oneOf('None', 'Webhook')] }, whole: [conversion] }],
  [
    `${API}.WebhookConversion`,
    {
      optional: ['conversionReviewVersions'],
      fields: { conversionReviewVersions: [eachItem(label)] },
      whole: [reviewVersions('conversionReviewVersions')],
    },
  ],
  [`${API}.WebhookClientConfig`, { whole: [clientConfig] }],
  [
    `${API}.ServiceReference`,
    { fields: { port: [port], path: [servicePath], ...each(['name', 'namespace'], notEmpty) } },
  ],
  [
    `${API}.CustomResourceColumnDefinition`,
    {
      fields: {
        name: [notEmpty],
        type: [oneOf('boolean', 'date', 'integer', 'number', 'string')],
        format: [maybeOneOf('byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password')],
        jsonPath: [ofText('a path that begins with a dot', (text) => text.startsWith('.'))],
      },
    },
  ],
  [
    `${API}.CustomResourceSubresourceScale`,
    {
      fields: {
        specReplicasPath: [below('.spec.')],
        statusReplicasPath: [below('.status.')],
        labelSelectorPath: [
          ofText('a path below .spec or .status', (text) => text === '' || /^\.(?:spec|status)\./.test(text)),
        ],
      },
    },
  ],
]
