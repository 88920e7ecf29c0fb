import { dictAt, itemsAt, textAt } from '../../model/field.ts'
import { dnsLabel } from '../../model/kubernetes-names.ts'
import {
  count,
  each,
  given,
  integerOf,
  isGiven,
  maybeOneOf,
  named,
  none,
  notAboveAll,
  notEmpty,
  notNegative,
  oneOf,
  pathSegment,
  positive,
  positiveQuantity,
  problem,
  range,
  type RuleTable,
  someItems,
  whole,
} from './rule-parts.ts'

const bounds = whole((spec) => {
  const [least, most] = ['minReplicas', 'maxReplicas'].map((field) => integerOf(given(spec, field)))
  return least !== undefined && most !== undefined && least > most
    ? problem('minReplicas or more', 'maxReplicas')
    : none
})

/** Nothing tells how busy pods are where there are none. */
const fromZero = whole((spec) =>
  integerOf(given(spec, 'minReplicas')) !== 0n ||
  itemsAt(spec, 'metrics').some((metric) => ['Object', 'External'].includes(textAt(metric, 'type')))
    ? none
    : problem('1 or more without a metric of type Object or External', 'minReplicas'),
)

/** By default a workload keeps a replica. */
const keepsOne = whole(
  (spec) => (integerOf(given(spec, 'minReplicas')) === 0n ? problem('1 or more', 'minReplicas') : none),
  { last: 36 },
)

const metricFields: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
}

const metric = whole((item) => {
  const type = textAt(item, 'type')
  const field = metricFields[type]
  if (field === undefined) return none
  if (!isGiven(item, field)) return problem(`set where type is ${type}`, field)
  return Object.values(metricFields).flatMap((other) =>
    other !== field && isGiven(item, other) ? problem(`left out where type is ${type}`, other) : none,
  )
})

/** Which target a source of metrics has: one of these fields. */
function target(fields: readonly string[], isOne: boolean) {
  return whole((source) => {
    const found = dictAt(source, 'target')
    if (found === undefined) return none
    const set = fields.filter((field) => isGiven(found, field))
    if (set.length === 0)
      return problem(`set${fields.length > 1 ? `, or ${fields.slice(1).join(', ')}` : ''}`, 'target', fields[0] ?? '')
    return isOne && set.length > 1 ? problem(`left out beside ${set[0] ?? ''}`, 'target', set[1] ?? '') : none
  })
}

const budget = whole((spec) =>
  isGiven(spec, 'minAvailable') && isGiven(spec, 'maxUnavailable')
    ? problem('left out beside minAvailable', 'maxUnavailable')
    : none,
)

const metricType = oneOf('ContainerResource', 'External', 'Object', 'Pods', 'Resource')
const reference = each(['kind', 'name'], pathSegment)

/** A scaled object has a group; objects that a metric describes may have none. */
const scaled = whole(
  (spec) => {
    const version = textAt(spec, 'scaleTargetRef', 'apiVersion')
    return isGiven(spec, 'scaleTargetRef') && !/^[^/]+\/[^/]*$/.test(version)
      ? problem('a group, a slash and a version, such as apps/v1', 'scaleTargetRef', 'apiVersion')
      : none
  },
  { first: 34 },
)

/** How many replicas there are, and how many have to stay. */
export const scalingRules: RuleTable = [
  ...['v1', 'v2'].map(
    (version) => [`api.autoscaling.${version}.HorizontalPodAutoscaler`, { required: ['spec'] }] as const,
  ),
  [
    'api.autoscaling.v1.HorizontalPodAutoscalerSpec',
    {
      fields: { maxReplicas: [positive], minReplicas: [notNegative], targetCPUUtilizationPercentage: [positive] },
      whole: [bounds, keepsOne, scaled],
    },
  ],
  ['api.autoscaling.v1.CrossVersionObjectReference', { fields: reference }],
  [
    'api.autoscaling.v2.HorizontalPodAutoscalerSpec',
    { fields: { maxReplicas: [positive], minReplicas: [notNegative] }, whole: [bounds, fromZero, keepsOne, scaled] },
  ],
  ['api.autoscaling.v2.CrossVersionObjectReference', { fields: reference }],
  ['api.autoscaling.v2.MetricSpec', { fields: { type: [metricType] }, whole: [metric] }],
  ['api.autoscaling.v2.MetricIdentifier', { fields: { name: [pathSegment] } }],
  [
    'api.autoscaling.v2.MetricTarget',
    {
      fields: {
        type: [oneOf('AverageValue', 'Utilization', 'Value')],
        averageUtilization: [positive],
        ...each(['averageValue', 'value'], positiveQuantity),
      },
    },
  ],
  [
    'api.autoscaling.v2.ResourceMetricSource',
    { fields: { name: [notEmpty] }, whole: [target(['averageUtilization', 'averageValue'], true)] },
  ],
  [
    'api.autoscaling.v2.ContainerResourceMetricSource',
    {
      fields: { name: [notEmpty], container: [named(dnsLabel)] },
      whole: [target(['averageUtilization', 'averageValue'], true)],
    },
  ],
  ['api.autoscaling.v2.PodsMetricSource', { whole: [target(['averageValue'], false)] }],
  ['api.autoscaling.v2.ObjectMetricSource', { whole: [target(['averageValue', 'value'], false)] }],
  ['api.autoscaling.v2.ExternalMetricSource', { whole: [target(['averageValue', 'value'], true)] }],
  [
    'api.autoscaling.v2.HPAScalingRules',
    {
      fields: {
        stabilizationWindowSeconds: [range(0, 3600)],
        selectPolicy: [oneOf('Disabled', 'Max', 'Min')],
        policies: [someItems],
      },
    },
  ],
  [
    'api.autoscaling.v2.HPAScalingPolicy',
    { fields: { type: [oneOf('Percent', 'Pods')], value: [positive], periodSeconds: [range(1, 1800)] } },
  ],
  [
    'api.policy.v1.PodDisruptionBudgetSpec',
    {
      fields: {
        ...each(['maxUnavailable', 'minAvailable'], notNegative, count, notAboveAll),
        unhealthyPodEvictionPolicy: [maybeOneOf('AlwaysAllow', 'IfHealthyBudget')],
      },
      whole: [budget],
    },
  ],
]
