import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import { meetsRequirement } from '../../model/label-requirement.ts'
import { dnsLabel } from '../../model/kubernetes-names.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { FoundProblem, ObjectRule } from '../schema/schema-node.ts'
import { mountsBelow, templateHostNames, templateMetadata } from './pod-rules.ts'
import {
  atMost,
  count,
  countOf,
  domainPath,
  each,
  given,
  integerOf,
  isGiven,
  maybeNamed,
  maybeOneOf,
  none,
  notAboveAll,
  notEmpty,
  notNegative,
  ofText,
  oneOf,
  problem,
  qualifiedName,
  type RuleTable,
  someItems,
  whole,
} from './rule-parts.ts'
import { sourceOfTemplate } from './volume-rules.ts'
import { scheduleProblem } from './schedule.ts'
import { timeZoneProblem } from './time-zone.ts'

const mounts = mountsBelow('template', 'spec')

const claimSources = whole((spec) =>
  itemsAt(spec, 'volumeClaimTemplates').flatMap((claim, index) =>
    sourceOfTemplate(dictAt(claim, 'spec'), 'volumeClaimTemplates', index, 'spec'),
  ),
)

/** A controller has to choose the pods that it makes, and does not choose all there are. */
const ownPods = whole((spec) => {
  const selector = dictAt(spec, 'selector')
  if (selector === undefined) return none
  const wanted = dictAt(selector, 'matchLabels') ?? new Dict()
  const expressions = itemsAt(selector, 'matchExpressions')
  if (wanted.size + expressions.length === 0) return problem('a selector that is not empty', 'selector')
  return unmatchedBy(selector, dictAt(spec, 'template', 'metadata', 'labels') ?? new Dict())
})

/** The oldest of the controllers has a selector of labels alone; without one that of its pods. */
const controlled = whole((spec) => {
  const labels = dictAt(spec, 'template', 'metadata', 'labels') ?? new Dict()
  const selector = dictAt(spec, 'selector') ?? new Dict()
  return [...selector].flatMap(([label, value]) =>
    typeof value !== 'string' || labels.get(label) === value ? none : problem(OF_PODS, 'selector', label),
  )
})

const OF_PODS = 'a label of the pods in template.metadata.labels'

/** Where a selector does not match labels. */
function unmatchedBy(selector: Dict, labels: Dict): readonly FoundProblem[] {
  return [
    ...[...(dictAt(selector, 'matchLabels') ?? [])].flatMap(([label, value]) =>
      typeof value !== 'string' || labels.get(label) === value
        ? none
        : problem(OF_PODS, 'selector', 'matchLabels', label),
    ),
    ...itemsAt(selector, 'matchExpressions').flatMap((item, index) =>
      matches(item, labels)
        ? none
        : problem(`a requirement that its own pods meet`, 'selector', 'matchExpressions', index),
    ),
  ]
}

function matches(item: Value, labels: Dict): boolean {
  const requirement = { operator: textAt(item, 'operator'), values: itemsAt(item, 'values') }
  return meetsRequirement(labels.get(textAt(item, 'key')), requirement) !== false
}

function restarts(...words: readonly string[]): ObjectRule {
  return whole((spec) => {
    const template = dictAt(spec, 'template')
    const policy = template === undefined ? '' : textAt(template, 'spec', 'restartPolicy')
    return words.includes(policy)
      ? none
      : problem(words.filter((word) => word !== '').join(' or '), 'template', 'spec', 'restartPolicy')
  })
}

/** Long-running pods have no deadline. */
const noDeadline = whole((spec) =>
  (fieldAt(spec, 'template', 'spec', 'activeDeadlineSeconds') ?? null) === null
    ? none
    : problem('left out: only jobs and single pods have it', 'template', 'spec', 'activeDeadlineSeconds'),
)

const strategy = whole((found) => {
  if (textAt(found, 'type') === 'Recreate')
    return isGiven(found, 'rollingUpdate') ? problem('left out where type is Recreate', 'rollingUpdate') : none
  const update = dictAt(found, 'rollingUpdate')
  const [unavailable, surge] = [countOf(update?.get('maxUnavailable')), countOf(update?.get('maxSurge'))]
  return unavailable?.amount === 0 && surge?.amount === 0
    ? problem('above 0 where maxSurge is 0', 'rollingUpdate', 'maxUnavailable')
    : none
})

/** Seconds that a Deployment has for its progress, unless it says others. */
const PROGRESS_DEADLINE = 600n

const progress = whole((spec) => {
  const ready = integerOf(given(spec, 'minReadySeconds')) ?? 0n
  const deadline = integerOf(given(spec, 'progressDeadlineSeconds'))
  if ((deadline ?? PROGRESS_DEADLINE) > ready) return none
  return problem(
    deadline === undefined ? 'set and above minReadySeconds' : 'above minReadySeconds',
    'progressDeadlineSeconds',
  )
})

/** Unlike a Deployment a DaemonSet does without one pod a node, or starts another before: one of both. */
const nodeByNode = whole((found) => {
  if (textAt(found, 'type') === 'OnDelete') return none
  const update = dictAt(found, 'rollingUpdate') ?? new Dict()
  const unavailable = isGiven(update, 'maxUnavailable') ? countOf(update.get('maxUnavailable'))?.amount : 1
  const surge = isGiven(update, 'maxSurge') ? countOf(update.get('maxSurge'))?.amount : 0
  if (unavailable === undefined || surge === undefined) return none
  if (unavailable === 0 && surge === 0) return problem('above 0 where maxSurge is 0', 'rollingUpdate', 'maxUnavailable')
  return unavailable > 0 && surge > 0
    ? problem('0 or left out, unless maxUnavailable is 0', 'rollingUpdate', 'maxSurge')
    : none
})

const onDelete = whole((found) =>
  textAt(found, 'type') === 'OnDelete' && isGiven(found, 'rollingUpdate')
    ? problem('left out where type is OnDelete', 'rollingUpdate')
    : none,
)

const MOST_PARALLEL = 100_000n
const MANY = 100_000n
const MOST_FAILED_OF_MANY = 10_000n
const MOST_PARALLEL_OF_MANY = 10_000n

const indexes = whole((spec) => {
  const isIndexed = textAt(spec, 'completionMode') === 'Indexed'
  const [completions, parallelism, failed] = ['completions', 'parallelism', 'maxFailedIndexes'].map((field) =>
    integerOf(given(spec, field)),
  )
  const perIndex = given(spec, 'backoffLimitPerIndex')
  const wanted = completions ?? 1n
  if (!isIndexed)
    return ['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy'].flatMap((field) =>
      isGiven(spec, field) ? problem('left out unless completionMode is Indexed', field) : none,
    )
  // without both there is one pod
  if (!isGiven(spec, 'completions') && isGiven(spec, 'parallelism'))
    return problem('set where completionMode is Indexed', 'completions')
  const isMany = perIndex !== undefined && completions !== undefined && completions > MANY
  const most = isMany ? MOST_PARALLEL_OF_MANY : MOST_PARALLEL
  const mostFailed = isMany ? MOST_FAILED_OF_MANY : MOST_PARALLEL
  return [
    ...(parallelism !== undefined && parallelism > most ? problem(`${String(most)} or less`, 'parallelism') : none),
    ...(failed !== undefined && (failed > mostFailed || failed > wanted)
      ? problem(`completions or less, and ${String(mostFailed)} or less`, 'maxFailedIndexes')
      : none),
    ...(failed !== undefined && perIndex === undefined
      ? problem('set beside maxFailedIndexes', 'backoffLimitPerIndex')
      : none),
    ...(isMany && failed === undefined
      ? problem(`set where there are more than ${String(MANY)} completions`, 'maxFailedIndexes')
      : none),
  ]
})

/** The pods of a job that `0,2-4` names; undefined where that is none of its. */
function indexCount(text: string, completions: bigint): bigint | undefined {
  let [last, count] = [-1n, 0n]
  for (const part of text.split(',')) {
    const [, first = '', end = first] = /^([0-9]{1,10})(?:-([0-9]{1,10}))?$/.exec(part) ?? []
    if (first === '') return undefined
    const [from, to] = [BigInt(first), BigInt(end)]
    if (from <= last || to >= completions || (part.includes('-') && to <= from)) return undefined
    count += to - from + 1n
    last = to
  }
  return count
}

const successes = whole((spec) => {
  const completions = integerOf(given(spec, 'completions'))
  return itemsAt(spec, 'successPolicy', 'rules').flatMap((rule, index) => {
    const [text, count] = [fieldAt(rule, 'succeededIndexes'), integerOf(fieldAt(rule, 'succeededCount'))]
    const place = ['successPolicy', 'rules', index] as const
    if ((text ?? null) === null && count === undefined)
      return problem('a map with succeededCount or succeededIndexes', ...place)
    const named =
      typeof text === 'string' && completions !== undefined && text !== '' ? indexCount(text, completions) : 0n
    if (named === undefined)
      return problem('indexes below completions that rise, such as 0,2-4', ...place, 'succeededIndexes')
    if (count === undefined) return none
    const most = named > 0n ? named : completions
    return count < 0n || (most !== undefined && count > most)
      ? problem('0 or more, and as many as are named or completed at most', ...place, 'succeededCount')
      : none
  })
})

const failures = whole((spec) => {
  const rules = itemsAt(spec, 'podFailurePolicy', 'rules')
  if (!isGiven(spec, 'podFailurePolicy')) return none
  return [
    ...(textAt(spec, 'template', 'spec', 'restartPolicy') === 'OnFailure'
      ? problem('Never where there is a podFailurePolicy', 'template', 'spec', 'restartPolicy')
      : none),
    ...(textAt(spec, 'podReplacementPolicy') === 'TerminatingOrFailed'
      ? problem('Failed where there is a podFailurePolicy', 'podReplacementPolicy')
      : none),
    ...rules.flatMap((rule, index) =>
      textAt(rule, 'action') === 'FailIndex' && !isGiven(spec, 'backoffLimitPerIndex')
        ? problem('another action unless backoffLimitPerIndex is set', 'podFailurePolicy', 'rules', index, 'action')
        : none,
    ),
    ...rules.flatMap((rule, index) => {
      const given = fieldAt(rule, 'onExitCodes', 'containerName') ?? null
      const name = typeof given === 'string' ? given : undefined
      const containers = ['containers', 'initContainers'].flatMap((list) => itemsAt(spec, 'template', 'spec', list))
      return name === undefined || containers.some((container) => textAt(container, 'name') === name)
        ? none
        : problem(
            'the name of a container of the pod',
            'podFailurePolicy',
            'rules',
            index,
            'onExitCodes',
            'containerName',
          )
    }),
  ]
})

const failureRule = whole((rule) => {
  const [hasCodes, hasConditions] = [isGiven(rule, 'onExitCodes'), itemsAt(rule, 'onPodConditions').length > 0]
  if (hasCodes && hasConditions) return problem('left out beside onExitCodes', 'onPodConditions')
  return hasCodes || hasConditions ? none : problem('a map with onExitCodes or onPodConditions')
})

const exitCodes = whole((codes) => {
  const values = itemsAt(codes, 'values').map((value) => integerOf(value))
  const isIn = textAt(codes, 'operator') === 'In'
  return values.flatMap((value, index) => {
    const before = values[index - 1]
    if (value === 0n && isIn) return problem('another code than 0 where operator is In', 'values', index)
    return value !== undefined && before !== undefined && before >= value
      ? problem('above the code before it', 'values', index)
      : none
  })
})

/** Jobs of a series choose their pods by labels that they get. */
const generatedSelector = whole((template) => [
  ...((fieldAt(template, 'spec', 'selector') ?? null) === null
    ? none
    : problem('left out: each job gets one', 'spec', 'selector')),
  ...(fieldAt(template, 'spec', 'manualSelector') === true
    ? problem('left out: each job gets a selector', 'spec', 'manualSelector')
    : none),
])

const manualSelector = whole((spec) => {
  if (given(spec, 'manualSelector') !== true)
    return isGiven(spec, 'selector') ? problem('left out unless manualSelector is true', 'selector') : none
  const selector = dictAt(spec, 'selector')
  return selector === undefined
    ? problem('set where manualSelector is true', 'selector')
    : unmatchedBy(selector, dictAt(spec, 'template', 'metadata', 'labels') ?? new Dict())
})

const schedule = whole((spec) => {
  const says = scheduleProblem(textAt(spec, 'schedule'))
  return says === undefined ? none : problem(says, 'schedule')
})

/** Since 1.29 a schedule names no time zone. */
const noZoneInSchedule = whole(
  (spec) =>
    textAt(spec, 'schedule').includes('TZ')
      ? problem('without TZ: the field timeZone names the zone', 'schedule')
      : none,
  { first: 29 },
)

const timeZone = whole((spec) => {
  const zone = given(spec, 'timeZone')
  const says = typeof zone === 'string' ? timeZoneProblem(zone) : undefined
  return says === undefined ? none : problem(says, 'timeZone')
})

/** A claim of a StatefulSet takes the place of the volume of its name. */
const claimedVolumes: ObjectRule = {
  find: () => none,
  unread: (spec) => {
    const claims = new Set(itemsAt(spec, 'volumeClaimTemplates').map((claim) => textAt(claim, 'metadata', 'name')))
    return itemsAt(spec, 'template', 'spec', 'volumes').flatMap((volume, index) =>
      claims.has(textAt(volume, 'name')) ? [['template', 'spec', 'volumes', index]] : [],
    )
  },
}

/** Each becomes a volume of the pods. */
const claimNames = whole((spec) =>
  itemsAt(spec, 'volumeClaimTemplates').flatMap((claim, index) => {
    const name = fieldAt(claim, 'metadata', 'name') ?? ''
    return typeof name !== 'string' || dnsLabel.allows(name)
      ? none
      : problem(dnsLabel.says, 'volumeClaimTemplates', index, 'metadata', 'name')
  }),
)

/** Labels that a job gives its pods, unless it has a selector of its own. */
const ownLabels = whole((job) => {
  if (fieldAt(job, 'spec', 'manualSelector') === true) return none
  const place = ['spec', 'template', 'metadata', 'labels'] as const
  const name = fieldAt(job, 'metadata', 'name')
  return ['', 'batch.kubernetes.io/'].flatMap((domain) => {
    const [ofName, ofId] = [`${domain}job-name`, `${domain}controller-uid`]
    const given = fieldAt(job, ...place, ofName)
    return [
      ...(typeof given === 'string' && typeof name === 'string' && given !== name
        ? problem('the name of the job, or left out', ...place, ofName)
        : none),
      ...(typeof fieldAt(job, ...place, ofId) === 'string'
        ? problem('left out unless spec.manualSelector is true', ...place, ofId)
        : none),
    ]
  })
})

const pods: readonly ObjectRule[] = [ownPods, mounts, restarts('Always', ''), noDeadline]
const shares = ['maxSurge', 'maxUnavailable']

/** The rules for kinds that make pods: Deployments and their like, and jobs. */
export const workloadRules: RuleTable = [
  ...['apps.v1.DaemonSet', 'apps.v1.Deployment', 'apps.v1.ReplicaSet', 'apps.v1.StatefulSet', 'batch.v1.CronJob'].map(
    (kind) => [`api.${kind}`, { required: ['spec'] }] as const,
  ),
  ['api.batch.v1.Job', { required: ['spec'], whole: [ownLabels] }],
  [
    'api.apps.v1.DeploymentSpec',
    { fields: { progressDeadlineSeconds: [notNegative] }, whole: [...pods, templateHostNames, progress] },
  ],
  [
    'api.apps.v1.DeploymentStrategy',
    { fields: { type: [maybeOneOf('Recreate', 'RollingUpdate')] }, whole: [strategy] },
  ],
  [
    'api.apps.v1.RollingUpdateDeployment',
    { fields: { maxSurge: [notNegative, count], maxUnavailable: [notNegative, count, notAboveAll] } },
  ],
  ['api.core.v1.ReplicationController', { required: ['spec'] }],
  [
    'api.core.v1.ReplicationControllerSpec',
    {
      required: ['template'],
      fields: { replicas: [notNegative], minReadySeconds: [notNegative] },
      whole: [controlled, mounts, restarts('Always', ''), noDeadline],
    },
  ],
  ['api.apps.v1.DaemonSetSpec', { whole: [...pods, templateHostNames] }],
  [
    'api.apps.v1.DaemonSetUpdateStrategy',
    { fields: { type: [maybeOneOf('OnDelete', 'RollingUpdate')] }, whole: [nodeByNode] },
  ],
  ['api.apps.v1.RollingUpdateDaemonSet', { fields: each(shares, notNegative, count, notAboveAll) }],
  ['api.apps.v1.ReplicaSetSpec', { whole: [...pods, templateHostNames] }],
  [
    'api.apps.v1.StatefulSetSpec',
    {
      fields: {
        serviceName: [maybeNamed(dnsLabel)],
        podManagementPolicy: [maybeOneOf('OrderedReady', 'Parallel')],
      },
      whole: [claimedVolumes, claimNames, claimSources, ...pods],
    },
  ],
  [
    'api.apps.v1.StatefulSetUpdateStrategy',
    { fields: { type: [maybeOneOf('OnDelete', 'RollingUpdate')] }, whole: [onDelete] },
  ],
  ['api.apps.v1.RollingUpdateStatefulSetStrategy', { fields: { partition: [notNegative] } }],
  ['api.apps.v1.StatefulSetOrdinals', { fields: { start: [notNegative] } }],
  [
    'api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy',
    { fields: each(['whenDeleted', 'whenScaled'], maybeOneOf('Delete', 'Retain')) },
  ],
  [
    'api.batch.v1.JobSpec',
    {
      fields: {
        ...each(
          [
            'activeDeadlineSeconds',
            'backoffLimit',
            'backoffLimitPerIndex',
            'completions',
            'maxFailedIndexes',
            'parallelism',
            'ttlSecondsAfterFinished',
          ],
          notNegative,
        ),
        completionMode: [oneOf('Indexed', 'NonIndexed')],
        podReplacementPolicy: [oneOf('Failed', 'TerminatingOrFailed')],
        managedBy: [domainPath, ofText('63 characters at most', (text) => text.length <= 63)],
      },
      whole: [mounts, restarts('Never', 'OnFailure'), templateHostNames, indexes, successes, failures, manualSelector],
    },
  ],
  ['api.apps.v1.ControllerRevision', { optional: ['revision'], fields: { revision: [notNegative] } }],
  ['api.batch.v1.PodFailurePolicy', { optional: ['rules'], fields: { rules: [atMost(20)] } }],
  [
    'api.batch.v1.PodFailurePolicyRule',
    {
      fields: { action: [oneOf('Count', 'FailIndex', 'FailJob', 'Ignore')], onPodConditions: [atMost(20)] },
      whole: [failureRule],
    },
  ],
  // servers take True where it says nothing
  [
    'api.batch.v1.PodFailurePolicyOnPodConditionsPattern',
    { optional: ['status'], fields: { type: [qualifiedName], status: [oneOf('False', 'True', 'Unknown')] } },
  ],
  [
    'api.batch.v1.PodFailurePolicyOnExitCodesRequirement',
    { fields: { operator: [oneOf('In', 'NotIn')], values: [someItems, atMost(255)] }, whole: [exitCodes] },
  ],
  ['api.batch.v1.SuccessPolicy', { fields: { rules: [someItems, atMost(20)] } }],
  ['api.batch.v1.JobTemplateSpec', { required: ['spec'], whole: [templateMetadata, generatedSelector] }],
  [
    'api.batch.v1.CronJobSpec',
    {
      fields: {
        schedule: [notEmpty],
        startingDeadlineSeconds: [notNegative],
        concurrencyPolicy: [maybeOneOf('Allow', 'Forbid', 'Replace')],
      },
      whole: [schedule, noZoneInSchedule, timeZone],
    },
  ],
]
