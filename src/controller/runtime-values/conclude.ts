import type { Condition } from '../objects/conditions.ts'
import type { ResolvedValue, UnresolvedReason } from './resolve-values.ts'

/** What became of the ConfigMap. */
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
  /** It is somebody else's. */
  | 'foreign'

/** What a pass over an object found. */
export interface Findings {
  readonly configMap: string
  readonly values: readonly ResolvedValue[]
  readonly outcome: PublishOutcome
  /** Secrets that are asked for. */
  readonly secrets: number
}

/** What passes by itself; anything else needs a person. */
const passing: ReadonlySet<string> = new Set<UnresolvedReason | 'WaitingForSource'>([
  'SourceNotFound',
  'FieldMissing',
  'WaitingForSource',
])

const NOTHING = 'There is nothing to publish'

/** Names that a message has room for. */
const MOST_NAMED = 8

/** What is said of an object after a pass; `Ready` comes first, and sums up the others. */
export function conclude(findings: Findings): readonly Condition[] {
  const parts = [sourcesResolved(findings), published(findings), ...secretsDelivered(findings)]
  const failed = parts.filter(({ status }) => status !== 'True')
  const stalling = failed.find(({ reason }) => !passing.has(reason))
  const summary = stalling ?? failed[0]
  if (summary === undefined) {
    const message = findings.outcome === 'nothing' ? NOTHING : publishedMessage(findings)
    return [{ type: 'Ready', status: 'True', reason: 'Succeeded', message }, ...parts]
  }
  const { reason, message } = summary
  return [
    { type: 'Ready', status: 'False', reason, message },
    ...parts,
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

function secretsDelivered({ secrets }: Findings): readonly Condition[] {
  if (secrets === 0) return []
  const message = `This version of the controller makes no Secrets; ${String(secrets)} are asked for. Make them by hand, and name them under existingSecrets`
  return [{ type: 'SecretsDelivered', status: 'False', reason: 'NotSupported', message }]
}
