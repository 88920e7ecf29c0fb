import { wholeSecondsOf } from '../../codec/text/go-duration.ts'
import { isGoTime } from '../../codec/text/rfc3339.ts'
import { fieldAt, itemsAt, textAt, type PathStep } from '../../model/field.ts'
import { GoInt } from '../../model/value.ts'
import { type ClusterFields, type Judgement, machineGroups } from './cluster-fields.ts'
import { noteDuplicates } from './note-duplicates.ts'
import { formatPath, quote } from './schema-diagnostic.ts'

/**
 * Judges what the webhook of Cluster API 1.13 refuses of the groups of machines of a Cluster, and its schema lets pass:
 * health checks, rollouts, and lists of which an item stands twice. Of v1beta1 under its own names of fields.
 */
export function judgeMachineGroups(document: ClusterFields, reading: Judgement): void {
  for (const group of machineGroups(document.value)) {
    judgeShares(document, group, reading)
    judgeRollingUpdates(document, group, reading)
    judgeStartups(document, group, reading)
    judgeTimes(document, [...group, 'rollout', 'after'], reading)
    judgeItems(document, [...group, 'readinessGates'], reading)
    judgeItems(document, [...group, 'taints'], reading)
    judgeItems(document, [...group, 'variables', 'overrides'], reading)
  }
  judgeTimes(document, ['spec', 'topology', 'rolloutAfter'], reading)
  judgeItems(document, ['spec', 'availabilityGates'], reading)
}

type Path = readonly PathStep[]

function refuse(
  { spanOf }: ClusterFields,
  { path, message, hint }: { readonly path: Path; readonly message: string; readonly hint: string },
  { problems }: Judgement,
): void {
  problems.push({
    code: 'CONFIG_INVALID_VALUE',
    severity: 'error',
    message: `${formatPath(path)} ${message}`,
    at: spanOf(path),
    hint,
  })
}

const updates: readonly (readonly string[])[] = [
  ['rollout', 'strategy', 'rollingUpdate'],
  ['strategy', 'rollingUpdate'],
]

/** Fields with a number, or a share of all machines. */
const shares: readonly (readonly string[])[] = [
  ...updates.flatMap((update) => [
    [...update, 'maxSurge'],
    [...update, 'maxUnavailable'],
  ]),
  ['healthCheck', 'remediation', 'maxInFlight'],
  ['healthCheck', 'remediation', 'triggerIf', 'unhealthyLessThanOrEqualTo'],
  ['machineHealthCheck', 'maxUnhealthy'],
  ['strategy', 'remediation', 'maxInFlight'],
]

/** As `GetScaledValueFromIntOrPercent` of k8s.io/apimachinery reads them. */
function judgeShares(document: ClusterFields, group: Path, reading: Judgement): void {
  const { show = quote } = document
  for (const field of shares) {
    const path = [...group, ...field]
    const share = fieldAt(document.value, ...path)
    if (typeof share !== 'string' || /^[-+]?[0-9]+%$/.test(share)) continue
    const message = `is ${show(share)}, which is neither a number nor a share`
    const hint = /^[0-9]+$/.test(share) ? 'Remove the quotes.' : 'Write a number, or a share such as "40%".'
    refuse(document, { path, message, hint }, reading)
  }
}

/** Without a machine more or less none can be replaced. Shares are not looked at: 0% is taken. */
function judgeRollingUpdates(document: ClusterFields, group: Path, reading: Judgement): void {
  for (const update of updates) {
    const path = [...group, ...update]
    const [surge, unavailable] = ['maxSurge', 'maxUnavailable'].map((field) => fieldAt(document.value, ...path, field))
    if (!isZero(surge) || !isZero(unavailable)) continue
    const message = 'has 0 for maxSurge and for maxUnavailable, so that no machine can be replaced'
    refuse(document, { path, message, hint: 'Let one of both be 1 or more.' }, reading)
  }
}

function isZero(value: unknown): boolean {
  return value instanceof GoInt && value.value === 0n
}

/** 0 leaves it to Cluster API; in less than that no machine becomes a node. */
const LEAST_STARTUP = 30

function judgeStartups(document: ClusterFields, group: Path, reading: Judgement): void {
  const written = [...group, 'machineHealthCheck', 'nodeStartupTimeout']
  const counted = [...group, 'healthCheck', 'checks', 'nodeStartupTimeoutSeconds']
  const number = fieldAt(document.value, ...counted)
  const times: readonly (readonly [path: Path, seconds: number | undefined])[] = [
    [written, wholeSecondsOf(textAt(document.value, ...written))],
    [counted, number instanceof GoInt ? Number(number.value) : undefined],
  ]
  for (const [path, seconds] of times) {
    if (seconds === undefined || seconds === 0 || seconds >= LEAST_STARTUP) continue
    const message = 'is less than 30 seconds'
    const hint = 'Give a machine longer to become a node, or leave it out for the default.'
    refuse(document, { path, message, hint }, reading)
  }
}

function judgeTimes(document: ClusterFields, path: Path, reading: Judgement): void {
  const { show = quote } = document
  const time = fieldAt(document.value, ...path)
  if (typeof time !== 'string' || isGoTime(time)) return
  const hint = 'Write a day and a time with its zone, such as "2026-01-31T12:00:00Z".'
  refuse(document, { path, message: `${show(time)} is no time`, hint }, reading)
}

/** The fields that tell the items of some lists apart. */
const keys: Readonly<Record<string, readonly string[]>> = {
  availabilityGates: ['conditionType'],
  overrides: ['name'],
  readinessGates: ['conditionType'],
  taints: ['key', 'effect'],
}

/** Server-side apply refuses two items that it cannot tell apart. */
function judgeItems(document: ClusterFields, path: Path, reading: Judgement): void {
  const { show = quote } = document
  const own = keys[String(path.at(-1))] ?? []
  const items = itemsAt(document.value, ...path).map((item, index) => ({
    key: own.map((field) => textAt(item, field)).join(' '),
    at: document.spanOf([...path, index]),
  }))
  noteDuplicates(
    items.filter(({ key }) => key !== ''),
    ({ key }) => key,
    { reading, describe: ({ key }) => `${formatPath(path)}: ${show(key)}` },
  )
}
