import type { Registration } from '../argocd-cluster/register-cluster.ts'
import type { Deliveries } from '../generated-secrets/deliver-secrets.ts'
import type { KnownCertificate } from '../generated-secrets/due-certificates.ts'
import { passingSecretReasons } from '../generated-secrets/secret-reasons.ts'
import type { Condition } from '../objects/conditions.ts'
import type { ResolvedValue, UnresolvedReason } from './resolve-values.ts'

/** The outcome for the ConfigMap. */
export type PublishOutcome =
  /** There are no values. */
  | 'nothing'
  /** All values are in it. */
  | 'published'
  /** Not all values are there: what it held, if anything, stays. */
  | 'kept'
  /** Not all values are there, and there is none. */
  | 'waiting'
  /** It held values of another Cluster of this name, and is gone. */
  | 'withdrawn'
  /** It is being deleted, and finalizers hold it back. */
  | 'leaving'
  /** It is somebody else's. */
  | 'foreign'
  /** The API server takes no ConfigMap with these values, and there is none. */
  | 'rejected'
  /** The API server does not take these values: it holds earlier ones. */
  | 'outdated'

/** The findings of a pass over an object. */
export interface Findings {
  readonly configMap: string
  readonly values: readonly ResolvedValue[]
  readonly outcome: PublishOutcome
  /** Of Secrets that are or were asked for; undefined: there are none. */
  readonly deliveries: Deliveries | undefined
  /** Undefined: Argo CD is not to know the cluster. */
  readonly registration: Registration | undefined
  readonly certificates: readonly KnownCertificate[]
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Reasons that pass by themselves; all others need a person. */
const passing: ReadonlySet<string> = new Set<string>([
  ...(['SourceNotFound', 'FieldMissing'] satisfies readonly UnresolvedReason[]),
  ...passingSecretReasons,
])

const NOTHING = 'There is nothing to publish'

/** Names that a message has room for. */
const MOST_NAMED = 8

/** The conditions of an object after a pass; `Ready` comes first, and sums up the others. */
export function conclude(findings: Findings): readonly Condition[] {
  const [delivered] = secretsDelivered(findings)
  const [registered] = clusterRegistered(findings)
  const parts = [
    sourcesResolved(findings),
    published(findings),
    ...(delivered === undefined ? [] : [delivered]),
    ...(registered === undefined ? [] : [registered]),
  ]
  const failed = parts.filter(({ status }) => status !== 'True')
  const stalling = failed.find(({ reason }) => !passing.has(reason))
  const summary = stalling ?? failed[0]
  if (summary === undefined) {
    const message =
      findings.outcome === 'nothing' ? ((delivered ?? registered)?.message ?? NOTHING) : publishedMessage(findings)
    return [{ type: 'Ready', status: 'True', reason: 'Succeeded', message }, ...parts, ...certificatesValid(findings)]
  }
  const { reason, message } = summary
  return [
    { type: 'Ready', status: 'False', reason, message },
    ...parts,
    ...certificatesValid(findings),
    { type: stalling === undefined ? 'Reconciling' : 'Stalled', status: 'True', reason, message },
  ]
}

function sourcesResolved({ values }: Findings): Condition {
  const open = values.flatMap((value) => ('reason' in value ? [value] : []))
  // what needs a person comes first
  const sorted = [
    ...open.filter(({ reason }) => !passing.has(reason)),
    ...open.filter(({ reason }) => passing.has(reason)),
  ]
  const [first] = sorted
  if (first === undefined) {
    const message = `All values are known: ${String(values.length)}`
    return { type: 'SourcesResolved', status: 'True', reason: 'Succeeded', message }
  }
  const named = sorted.slice(0, MOST_NAMED).map(({ name, message }) => `${name}: ${message}`)
  const rest = sorted.length > MOST_NAMED ? [`and ${String(sorted.length - MOST_NAMED)} more`] : []
  return { type: 'SourcesResolved', status: 'False', reason: first.reason, message: [...named, ...rest].join('; ') }
}

function published(findings: Findings): Condition {
  const { configMap, outcome } = findings
  const type = 'Published'
  if (outcome === 'nothing') return { type, status: 'True', reason: 'Succeeded', message: NOTHING }
  if (outcome === 'published') return { type, status: 'True', reason: 'Succeeded', message: publishedMessage(findings) }
  if (outcome === 'foreign') {
    const message =
      `ConfigMap ${configMap} is not the controller's, and stays as it is. Delete it, or hand it over with the labels ` +
      'app.kubernetes.io/managed-by=stackmason and stackmason.dev/runtime-values=<name of this object>'
    return { type, status: 'False', reason: 'NotOurs', message }
  }
  if (outcome === 'rejected' || outcome === 'outdated') {
    // not in its own words: they may repeat values
    const message =
      `The API server refuses ConfigMap ${configMap} with these values: together they are too long, or an admission webhook or policy is against them; ` +
      (outcome === 'rejected' ? 'nothing is published' : 'it keeps the values that it has')
    return { type, status: 'False', reason: 'Rejected', message }
  }
  if (outcome === 'leaving') {
    const message =
      `ConfigMap ${configMap} is being deleted, and its finalizers hold it back; it is made anew once it has gone. ` +
      'While not all values are known it may hold those of a Cluster that is no longer there'
    return { type, status: 'False', reason: 'BeingDeleted', message }
  }
  const state = {
    kept: `ConfigMap ${configMap} keeps the values that it has`,
    waiting: 'nothing is published',
    withdrawn: `ConfigMap ${configMap} is gone, for it held the values of a Cluster that is no longer there`,
  }
  const message = `Not all values are known; ${state[outcome]}`
  return { type, status: 'False', reason: 'WaitingForSource', message }
}

function publishedMessage({ values, configMap }: Findings): string {
  return `Published in ConfigMap ${configMap}: ${values.map(({ name }) => name).join(', ')}`
}

function secretsDelivered({ deliveries }: Findings): readonly Condition[] {
  const { asked = [], leftover } = deliveries ?? {}
  if (asked.length === 0 && leftover === undefined) return []
  const type = 'SecretsDelivered'
  const open = asked.flatMap(({ problem }) => (problem === undefined ? [] : [problem]))
  if (leftover !== undefined) {
    open.push({ ...leftover, message: `A Secret that is no longer asked for may still be there: ${leftover.message}` })
  }
  const sorted = [
    ...open.filter(({ reason }) => !passing.has(reason)),
    ...open.filter(({ reason }) => passing.has(reason)),
  ]
  const [first] = sorted
  if (first === undefined) {
    const message = `Secrets in the cluster that are as they should be: ${String(asked.length)}`
    return [{ type, status: 'True', reason: 'Succeeded', message }]
  }
  // what keeps all from being delivered is said once
  const messages = [...new Set(sorted.map(({ message }) => message))]
  const rest = messages.length > MOST_NAMED ? [`and ${String(messages.length - MOST_NAMED)} more`] : []
  return [
    { type, status: 'False', reason: first.reason, message: [...messages.slice(0, MOST_NAMED), ...rest].join('; ') },
  ]
}

function clusterRegistered({ registration }: Findings): readonly Condition[] {
  if (registration === undefined) return []
  const type = 'ArgoClusterRegistered'
  const { problem } = registration
  if (problem !== undefined) return [{ type, status: 'False', reason: problem.reason, message: problem.message }]
  return [{ type, status: 'True', reason: 'Succeeded', message: 'Argo CD has the cluster Secret, with all values' }]
}

/** Certificates that nobody renews. It says nothing of readiness: what runs goes on until they end. */
function certificatesValid({ certificates, now }: Findings): readonly Condition[] {
  const [first] = certificates.toSorted((a, b) => a.notAfter - b.notAfter)
  if (first === undefined) return []
  const type = 'CertificatesValid'
  const late = certificates.filter(({ renewAt, isRenewable }) => !isRenewable && renewAt <= now)
  const [soonest] = late.toSorted((a, b) => a.notAfter - b.notAfter)
  if (soonest === undefined) {
    return [{ type, status: 'True', reason: 'Succeeded', message: `The first one to end is ${describeEnd(first)}` }]
  }
  const reason = soonest.notAfter <= now ? 'Expired' : 'Expiring'
  const named = late.slice(0, MOST_NAMED).map(describeEnd)
  return [{ type, status: 'False', reason, message: `Nothing renews ${named.join(', ')}` }]
}

function describeEnd({ generator, notAfter }: KnownCertificate): string {
  return `${generator.name} at ${new Date(notAfter).toISOString().slice(0, 19)}Z`
}
