import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { isDate } from '../../codec/text/rfc3339.ts'
import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import { dataKey, dnsLabel, labelKey } from '../../model/kubernetes-names.ts'
import { billionthsOf } from '../../model/quantity.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { FoundProblem, ObjectRule, ValueRule } from '../schema/schema-node.ts'
import { finalizer } from './own-metadata.ts'
import { requirementOfScopes } from './quota-scopes.ts'
import { containerResource, isContainerResource, isNative, isOvercommitted, isWhole } from './resource-rules.ts'
import {
  domainPath,
  each,
  eachItem,
  given,
  isGiven,
  labels,
  named,
  none,
  ofInteger,
  ofText,
  oneOf,
  problem,
  repeated,
  type RuleTable,
  someItems,
  whole,
} from './rule-parts.ts'

/** Go reads exactly six digits of a second there (`MicroTime`). */
const microTime = ofText(
  'a time with six digits of a second, such as 2026-01-31T12:00:00.000000Z',
  (text) =>
    /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{1,2}:[0-9]{2}:[0-9]{2}[.,][0-9]{6}(?:Z|[+-][0-9]{2}:[0-9]{2})$/.test(text) &&
    isDate(text.slice(0, 10)),
)

/** Keys of data, and none of them twice. */
function dataKeys(...fields: readonly string[]): ObjectRule {
  return whole((object) =>
    fields.flatMap((field, position) =>
      [...(dictAt(object, field) ?? new Dict()).keys()].flatMap((key) => {
        if (!dataKey.allows(key)) return problem(`named with ${dataKey.says}`, field, key)
        const isTwice = fields.slice(0, position).some((other) => dictAt(object, other)?.has(key) === true)
        return isTwice ? problem(`left out: ${fields[0] ?? ''} has this key`, field, key) : none
      }),
    ),
  )
}

const secretKeys = whole((object) =>
  ['data', 'stringData'].flatMap((field) =>
    [...(dictAt(object, field) ?? new Dict()).keys()].flatMap((key) =>
      dataKey.allows(key) ? none : problem(`named with ${dataKey.says}`, field, key),
    ),
  ),
)

const SERVICE_ACCOUNT = 'kubernetes.io/service-account.name'

/** The entries that a type of Secret requires. */
const secretType = whole((object) => {
  const has = (key: string): boolean => ['data', 'stringData'].some((field) => dictAt(object, field)?.has(key) === true)
  const missing = (...keys: readonly string[]): readonly FoundProblem[] =>
    keys.flatMap((key) => (has(key) ? none : problem(`set in a Secret of this type`, 'data', key)))
  switch (textAt(object, 'type')) {
    case 'kubernetes.io/service-account-token':
      return textAt(object, 'metadata', 'annotations', SERVICE_ACCOUNT) === ''
        ? problem('set: the name of a service account', 'metadata', 'annotations', SERVICE_ACCOUNT)
        : none
    case 'kubernetes.io/tls':
      return missing('tls.crt', 'tls.key')
    case 'kubernetes.io/ssh-auth':
      return isEmptyText(object, 'ssh-privatekey')
        ? problem('set and not empty in a Secret of this type', 'data', 'ssh-privatekey')
        : none
    case 'kubernetes.io/basic-auth':
      return has('username') || has('password') ? none : missing('username')
    case 'kubernetes.io/dockerconfigjson':
      return [...missing('.dockerconfigjson'), ...notJson(object, '.dockerconfigjson')]
    case 'kubernetes.io/dockercfg':
      return [...missing('.dockercfg'), ...notJson(object, '.dockercfg')]
    default:
      return none
  }
})

function isEmptyText(object: Dict, key: string): boolean {
  return ['stringData', 'data'].every((field) => textAt(object, field, key) === '')
}

/** The content of a Secret is never shown, and neither is what is wrong in it. */
function notJson(object: Dict, key: string): readonly FoundProblem[] {
  const [plain, encoded] = [fieldAt(object, 'stringData', key), fieldAt(object, 'data', key)]
  const field = typeof plain === 'string' ? 'stringData' : 'data'
  const bytes = typeof encoded === 'string' ? decodeBase64(encoded) : undefined
  const text = typeof plain === 'string' ? plain : bytes === undefined ? undefined : new TextDecoder().decode(bytes)
  return text === undefined || isJsonMap(text) ? none : problem('JSON, a map', field, key)
}

function isJsonMap(text: string): boolean {
  try {
    const found: unknown = JSON.parse(text)
    return typeof found === 'object' && !Array.isArray(found)
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

const INTEGERS = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]

const QUOTAS: ReadonlySet<string> = new Set([
  ...INTEGERS,
  'cpu',
  'memory',
  'ephemeral-storage',
  ...['cpu', 'memory', 'storage', 'ephemeral-storage'].map((name) => `requests.${name}`),
  ...['cpu', 'memory', 'ephemeral-storage'].map((name) => `limits.${name}`),
])

function isQuota(name: string): boolean {
  if (!labelKey.allows(name)) return false
  return name.includes('/') || QUOTAS.has(name) || /^(?:requests\.)?hugepages-/.test(name)
}

const quota = whole((spec) => [
  ...[...(dictAt(spec, 'hard') ?? [])].flatMap(([name, value]) => {
    if (!isQuota(name))
      return problem('the name of a resource with a quota, such as requests.cpu or pods', 'hard', name)
    const amount = billionthsOf(value)
    if (amount === undefined) return none
    if (amount < 0n) return problem('0 or more', 'hard', name)
    const isCounted = INTEGERS.includes(name) || (!isNative(name) && !name.startsWith('requests.'))
    return isCounted && !isWhole(amount) ? problem('a whole number', 'hard', name) : none
  }),
  ...requirementOfScopes(spec),
])

const LIMITS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio']

/** Pairs of limits of which the first is at most the second. */
const ordered: readonly (readonly [less: string, more: string])[] = [
  ['min', 'max'],
  ['min', 'defaultRequest'],
  ['defaultRequest', 'max'],
  ['defaultRequest', 'default'],
  ['min', 'default'],
  ['default', 'max'],
]

const limit = whole((item) => {
  const type = textAt(item, 'type')
  const isOfPods = type === 'Pod' || type === 'Container'
  const amountOf = (list: string, name: string): bigint | undefined => billionthsOf(dictAt(item, list)?.get(name))
  const names = new Set(LIMITS.flatMap((list) => [...(dictAt(item, list) ?? new Dict()).keys()]))
  return [
    ...LIMITS.flatMap((list) =>
      [...(dictAt(item, list) ?? new Dict()).keys()].flatMap((name) =>
        (isOfPods ? isContainerResource(name) : isQuota(name) || name === 'storage')
          ? none
          : problem(isOfPods ? containerResource : 'the name of a resource, such as storage', list, name),
      ),
    ),
    ...(type === 'Pod' ? ['default', 'defaultRequest'] : []).flatMap((list) =>
      (dictAt(item, list)?.size ?? 0) > 0 ? problem('left out where type is Pod', list) : none,
    ),
    ...(type === 'PersistentVolumeClaim' &&
    dictAt(item, 'min')?.has('storage') !== true &&
    dictAt(item, 'max')?.has('storage') !== true
      ? problem('set where type is PersistentVolumeClaim', 'max', 'storage')
      : none),
    ...(type === 'Pod' ? ordered.slice(0, 1) : ordered).flatMap(([less, more]) =>
      [...names].flatMap((name) => {
        const [least, most] = [amountOf(less, name), amountOf(more, name)]
        return least !== undefined && most !== undefined && least > most
          ? problem(`that of ${more} or less`, less, name)
          : none
      }),
    ),
    ...[...names].flatMap((name) => ratioProblem(item, name)),
    ...[...names].flatMap((name) =>
      isOvercommitted(name) || amountOf('default', name) === undefined || type === 'Pod'
        ? none
        : unequalRequest(amountOf('default', name), amountOf('defaultRequest', name), name),
    ),
  ]
})

function unequalRequest(
  amount: bigint | undefined,
  request: bigint | undefined,
  name: string,
): readonly FoundProblem[] {
  return request === undefined || request === amount
    ? none
    : problem('equal to that of default', 'defaultRequest', name)
}

function ratioProblem(item: Dict, name: string): readonly FoundProblem[] {
  const [ratio, least, most] = ['maxLimitRequestRatio', 'min', 'max'].map((list) =>
    billionthsOf(dictAt(item, list)?.get(name)),
  )
  if (ratio === undefined) return none
  if (ratio < 1_000_000_000n) return problem('1 or more', 'maxLimitRequestRatio', name)
  if (least === undefined || most === undefined || least <= 0n) return none
  // the server counts in thousandths: what is nearly equal is left to it
  return (ratio - 2_000_000n) * least > most * 1_000_000_000n
    ? problem('the share of max and min or less', 'maxLimitRequestRatio', name)
    : none
}

const limits = whole((spec) =>
  repeated(itemsAt(spec, 'limits'), (item) => textAt(item, 'type')).flatMap(({ index }) =>
    problem('another than that of a limit before it', 'limits', index, 'type'),
  ),
)

/** The most that a priority may be that is not of Kubernetes itself. */
const HIGHEST_PRIORITY = 1_000_000_000n

const priority = whole((object) => {
  const name = textAt(object, 'metadata', 'name')
  if (name.startsWith('system-'))
    return ['system-node-critical', 'system-cluster-critical'].includes(name)
      ? none
      : problem('one without system- at its beginning', 'metadata', 'name')
  const value = given(object, 'value')
  return amountIsAbove(value, HIGHEST_PRIORITY) ? problem(`${String(HIGHEST_PRIORITY)} or less`, 'value') : none
})

function amountIsAbove(value: Value | undefined, most: bigint): boolean {
  const amount = billionthsOf(value)
  return amount !== undefined && amount > most * 1_000_000_000n
}

const overhead = whole((object) =>
  [...(dictAt(object, 'overhead', 'podFixed') ?? new Dict()).keys()].flatMap((name) =>
    isContainerResource(name) ? none : problem(containerResource, 'overhead', 'podFixed', name),
  ),
)

const lease = whole((spec) =>
  isGiven(spec, 'preferredHolder') && textAt(spec, 'preferredHolder') !== '' && textAt(spec, 'strategy') === ''
    ? problem('left out where there is no strategy', 'preferredHolder')
    : none,
)

/** PEM in base64: a certificate that is asked for. */
const certificateRequest = ofText('a CERTIFICATE REQUEST in PEM, in base64', (text) => {
  const bytes = decodeBase64(text)
  return bytes !== undefined && /^-----BEGIN CERTIFICATE REQUEST-----$/m.test(new TextDecoder().decode(bytes))
})

const limitType: ValueRule = oneOf('Container', 'PersistentVolumeClaim', 'Pod')

/** Labels by which a server judges the pods of a namespace (k8s.io/pod-security-admission, `api/helpers.go`). */
const podSecurity = whole((namespace) =>
  ['audit', 'enforce', 'warn'].flatMap((mode) => {
    const [level, version] = [`pod-security.kubernetes.io/${mode}`, `pod-security.kubernetes.io/${mode}-version`]
    return [
      ...labelProblems(namespace, level, oneOf('baseline', 'privileged', 'restricted')),
      ...labelProblems(namespace, version, policyVersion),
    ]
  }),
)

const policyVersion = ofText('latest, or a minor such as v1.34', (text) =>
  /^(?:latest|v1\.(?:0|[1-9][0-9]*))$/.test(text),
)

function labelProblems(object: Dict, label: string, { allows, says }: ValueRule): readonly FoundProblem[] {
  const value = fieldAt(object, 'metadata', 'labels', label)
  return value === undefined || allows(value) ? none : problem(says, 'metadata', 'labels', label)
}

/** Kinds that hold values, names and limits for others. */
export const configRules: RuleTable = [
  ['api.core.v1.ConfigMap', { whole: [dataKeys('binaryData', 'data')] }],
  ['api.core.v1.Secret', { whole: [secretKeys, secretType] }],
  ['api.core.v1.ResourceQuotaSpec', { whole: [quota] }],
  ['api.core.v1.LimitRangeSpec', { optional: ['limits'], whole: [limits] }],
  [
    'api.core.v1.LimitRangeItem',
    {
      fields: {
        type: [
          {
            ...limitType,
            allows: (value) =>
              limitType.allows(value) || (typeof value === 'string' && value.includes('/') && labelKey.allows(value)),
          },
        ],
      },
      whole: [limit],
    },
  ],
  [
    'api.scheduling.v1.PriorityClass',
    { optional: ['value'], fields: { preemptionPolicy: [oneOf('Never', 'PreemptLowerPriority')] }, whole: [priority] },
  ],
  ['api.node.v1.Scheduling', { fields: { nodeSelector: [labels] } }],
  ['api.node.v1.RuntimeClass', { fields: { handler: [named(dnsLabel)] }, whole: [overhead] }],
  [
    'api.coordination.v1.LeaseSpec',
    {
      fields: {
        leaseDurationSeconds: [ofInteger('1 or more', (value) => value >= 1n)],
        leaseTransitions: [ofInteger('0 or more', (value) => value >= 0n)],
        ...each(['acquireTime', 'renewTime'], microTime),
      },
      whole: [{ ...lease, minors: { first: 31 } }],
    },
  ],
  ['api.core.v1.Namespace', { whole: [podSecurity] }],
  ['api.core.v1.NamespaceSpec', { fields: { finalizers: [eachItem(finalizer)] } }],
  [
    'api.certificates.v1.CertificateSigningRequestSpec',
    {
      required: ['usages'],
      fields: { signerName: [domainPath], usages: [someItems], request: [certificateRequest] },
    },
  ],
]
