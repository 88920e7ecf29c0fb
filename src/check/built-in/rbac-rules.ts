import { itemsAt, textAt } from '../../model/field.ts'
import { dnsSubdomain } from '../../model/kubernetes-names.ts'
import {
  isEmpty,
  isGiven,
  maybeOneOf,
  none,
  notEmpty,
  oneOf,
  pathSegment,
  problem,
  type RuleTable,
  someItems,
  whole,
} from './rule-parts.ts'

const GROUP = 'rbac.authorization.k8s.io'

const policy = whole((rule) => {
  if (!isEmpty(rule.get('nonResourceURLs')))
    return ['apiGroups', 'resources', 'resourceNames'].every((field) => isEmpty(rule.get(field)))
      ? none
      : problem('in a rule of its own, without resources', 'nonResourceURLs')
  return ['apiGroups', 'resources'].flatMap((field) =>
    isEmpty(rule.get(field)) ? problem('a list that is not empty', field) : none,
  )
})

const role = whole((object) =>
  itemsAt(object, 'rules').flatMap((rule, index) =>
    itemsAt(rule, 'nonResourceURLs').length > 0
      ? problem('left out of a Role: such paths are of no namespace', 'rules', index, 'nonResourceURLs')
      : none,
  ),
)

const aggregation = whole((rule) =>
  itemsAt(rule, 'clusterRoleSelectors').length === 0
    ? problem('a list that is not empty', 'clusterRoleSelectors')
    : none,
)

const clusterSubjects = whole((binding) => [
  ...itemsAt(binding, 'subjects').flatMap((subject, index) =>
    textAt(subject, 'kind') === 'ServiceAccount' && textAt(subject, 'namespace') === ''
      ? problem('set: a service account has a namespace', 'subjects', index, 'namespace')
      : none,
  ),
  ...(textAt(binding, 'roleRef', 'kind') === 'Role' ? problem('ClusterRole', 'roleRef', 'kind') : none),
])

const subject = whole((item) => {
  const group = textAt(item, 'apiGroup')
  if (textAt(item, 'kind') !== 'ServiceAccount')
    return group === '' || group === GROUP ? none : problem(GROUP, 'apiGroup')
  return [
    ...(isEmpty(item.get('name')) || dnsSubdomain.allows(textAt(item, 'name')) || !isGiven(item, 'name')
      ? none
      : problem(`the name of a service account: ${dnsSubdomain.says}`, 'name')),
    ...(group === '' ? none : problem('left out: service accounts are of the core group', 'apiGroup')),
  ]
})

/** Rights, and who has them. */
export const rbacRules: RuleTable = [
  ['api.rbac.v1.PolicyRule', { fields: { verbs: [someItems] }, whole: [policy] }],
  ['api.rbac.v1.Role', { whole: [role] }],
  ['api.rbac.v1.AggregationRule', { whole: [aggregation] }],
  [
    'api.rbac.v1.RoleRef',
    {
      optional: ['apiGroup'],
      fields: {
        apiGroup: [maybeOneOf(GROUP)],
        kind: [oneOf('Role', 'ClusterRole')],
        name: [pathSegment],
      },
    },
  ],
  ['api.rbac.v1.ClusterRoleBinding', { whole: [clusterSubjects] }],
  [
    'api.rbac.v1.Subject',
    { fields: { kind: [oneOf('ServiceAccount', 'User', 'Group')], name: [notEmpty] }, whole: [subject] },
  ],
]
