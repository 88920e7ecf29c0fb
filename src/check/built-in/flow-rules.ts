import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import { dnsLabel, dnsSubdomain } from '../../model/kubernetes-names.ts'
import type { Dict } from '../../model/value.ts'
import type { FoundProblem, ObjectRule } from '../schema/schema-node.ts'
import {
  each,
  given,
  integerOf,
  isGiven,
  named,
  none,
  notEmpty,
  notNegative,
  ofText,
  oneOf,
  problem,
  range,
  type RuleTable,
  someItems,
  whole,
} from './rule-parts.ts'

const FIELDS: Readonly<Record<string, string>> = { User: 'user', Group: 'group', ServiceAccount: 'serviceAccount' }

const subject = whole((item) => {
  const field = FIELDS[textAt(item, 'kind')]
  if (field === undefined) return none
  return [
    ...(isGiven(item, field) ? none : problem(`set where kind is ${textAt(item, 'kind')}`, field)),
    ...Object.values(FIELDS).flatMap((other) =>
      other !== field && isGiven(item, other) ? problem(`left out where kind is ${textAt(item, 'kind')}`, other) : none,
    ),
  ]
})

/** A wildcard stands alone. */
function alone(field: string): ObjectRule {
  return whole((rule) => {
    const items = itemsAt(rule, field)
    return items.length > 1 && items.includes('*') ? problem('* alone, or a list without it', field) : none
  })
}

const namespaces = whole((rule) => {
  const found = itemsAt(rule, 'namespaces')
  return [
    ...(found.length === 0 && given(rule, 'clusterScope') !== true
      ? problem('a list that is not empty unless clusterScope is true', 'namespaces')
      : none),
    ...found.flatMap((name, index) =>
      typeof name !== 'string' || name === '*' || dnsLabel.allows(name)
        ? none
        : problem('a namespace, or *', 'namespaces', index),
    ),
  ]
})

const VERBS = ['*', 'get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'proxy']

const verbs = whole((rule) =>
  itemsAt(rule, 'verbs').flatMap((verb, index) =>
    typeof verb !== 'string' || VERBS.includes(verb) ? none : problem(`one of ${VERBS.join(', ')}`, 'verbs', index),
  ),
)

const urls = whole((rule) =>
  itemsAt(rule, 'nonResourceURLs').flatMap((url, index) =>
    typeof url !== 'string' || isPath(url)
      ? none
      : problem('a path such as /healthz or /logs/*, or *', 'nonResourceURLs', index),
  ),
)

function isPath(url: string): boolean {
  if (url === '*' || url === '/') return true
  const path = url.endsWith('/*') ? url.slice(0, -1) : url
  return path.startsWith('/') && !/\/\/|[*\s]/.test(path)
}

const rules = whole((found) =>
  itemsAt(found, 'resourceRules').length + itemsAt(found, 'nonResourceRules').length === 0
    ? problem('a map with resourceRules or nonResourceRules')
    : none,
)

/** The first place is that of the schema that exempts from all limits. */
const precedence = whole((object) =>
  integerOf(fieldAt(object, 'spec', 'matchingPrecedence')) === 1n && textAt(object, 'metadata', 'name') !== 'exempt'
    ? problem('2 or more: 1 is that of the schema exempt', 'spec', 'matchingPrecedence')
    : none,
)

const level = whole((spec) => {
  const type = textAt(spec, 'type')
  const [limited, exempt] = [isGiven(spec, 'limited'), isGiven(spec, 'exempt')]
  if (type === 'Limited')
    return [
      ...(limited ? none : problem('set where type is Limited', 'limited')),
      ...(exempt ? problem('left out where type is Limited', 'exempt') : none),
    ]
  return type === 'Exempt' && limited ? problem('left out where type is Exempt', 'limited') : none
})

const levelName = whole((object) => {
  const isExempt = textAt(object, 'metadata', 'name') === 'exempt'
  const type = textAt(object, 'spec', 'type')
  if (type !== 'Exempt' && type !== 'Limited') return none
  return (type === 'Exempt') === isExempt
    ? none
    : problem(isExempt ? 'Exempt in the level of that name' : 'Limited but in the level exempt', 'spec', 'type')
})

const response = whole((limited) => {
  const type = textAt(limited, 'limitResponse', 'type')
  if (!['Queue', 'Reject'].includes(type)) return problem('Queue or Reject', 'limitResponse', 'type')
  const queuing = dictAt(limited, 'limitResponse', 'queuing')
  if (type === 'Reject')
    return queuing === undefined ? none : problem('left out where type is Reject', 'limitResponse', 'queuing')
  return queuing === undefined ? problem('set where type is Queue', 'limitResponse', 'queuing') : queueProblems(queuing)
})

/** The defaults of servers. */
const HAND = 8n
const QUEUES = 64n
const MOST_QUEUES = 10_000_000n
/** Bits of a hash that choose queues. */
const MOST_BITS = 60

function queueProblems(queuing: Dict): readonly FoundProblem[] {
  // 0 is what is not said
  const amount = (field: string, otherwise: bigint): bigint => integerOf(given(queuing, field)) || otherwise
  const [queues, hand] = [amount('queues', QUEUES), amount('handSize', HAND)]
  const path = ['limitResponse', 'queuing']
  if (queues < 1n || queues > MOST_QUEUES) return problem(`1 to ${String(MOST_QUEUES)}`, ...path, 'queues')
  if (hand < 1n || hand > queues) return problem('1 or more, and queues or less', ...path, 'handSize')
  return Math.ceil(Math.log2(Number(queues)) * Number(hand)) > MOST_BITS
    ? problem('smaller: so many of so many queues cannot be told apart', ...path, 'handSize')
    : none
}

const percent = range(0, 100)

/** How API servers share themselves among those who ask. */
export const flowRules: RuleTable = [
  ['api.flowcontrol.v1.FlowSchema', { whole: [precedence] }],
  ['api.flowcontrol.v1.FlowSchemaSpec', { fields: { matchingPrecedence: [range(0, 10_000)] } }],
  ['api.flowcontrol.v1.PriorityLevelConfigurationReference', { fields: { name: [named(dnsSubdomain)] } }],
  ['api.flowcontrol.v1.FlowDistinguisherMethod', { fields: { type: [oneOf('ByNamespace', 'ByUser')] } }],
  ['api.flowcontrol.v1.PolicyRulesWithSubjects', { fields: { subjects: [someItems] }, whole: [rules] }],
  ['api.flowcontrol.v1.Subject', { fields: { kind: [oneOf('Group', 'ServiceAccount', 'User')] }, whole: [subject] }],
  ['api.flowcontrol.v1.UserSubject', { fields: { name: [notEmpty] } }],
  ['api.flowcontrol.v1.GroupSubject', { fields: { name: [notEmpty] } }],
  [
    'api.flowcontrol.v1.ServiceAccountSubject',
    {
      fields: {
        namespace: [named(dnsLabel)],
        name: [ofText('the name of a service account, or *', (text) => text === '*' || dnsSubdomain.allows(text))],
      },
    },
  ],
  [
    'api.flowcontrol.v1.ResourcePolicyRule',
    {
      fields: each(['verbs', 'apiGroups', 'resources'], someItems),
      whole: [verbs, ...['verbs', 'apiGroups', 'resources', 'namespaces'].map(alone), namespaces],
    },
  ],
  [
    'api.flowcontrol.v1.NonResourcePolicyRule',
    {
      fields: each(['verbs', 'nonResourceURLs'], someItems),
      whole: [verbs, ...['verbs', 'nonResourceURLs'].map(alone), urls],
    },
  ],
  ['api.flowcontrol.v1.PriorityLevelConfiguration', { whole: [levelName] }],
  [
    'api.flowcontrol.v1.PriorityLevelConfigurationSpec',
    { fields: { type: [oneOf('Exempt', 'Limited')] }, whole: [level] },
  ],
  [
    'api.flowcontrol.v1.LimitedPriorityLevelConfiguration',
    {
      fields: {
        nominalConcurrencyShares: [notNegative],
        lendablePercent: [percent],
        borrowingLimitPercent: [notNegative],
      },
      whole: [response],
    },
  ],
  [
    'api.flowcontrol.v1.ExemptPriorityLevelConfiguration',
    { fields: { nominalConcurrencyShares: [notNegative], lendablePercent: [percent] } },
  ],
  ['api.flowcontrol.v1.QueuingConfiguration', { fields: { queueLengthLimit: [notNegative] } }],
]
