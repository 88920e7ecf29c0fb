import { alternatives } from '../arguments/alternatives.ts'
import type { LeaseTimes } from '../../controller/lease/lease-election.ts'
import type { ControllerOptions, MetricsAddress } from '../../controller/controller-options.ts'
import { type WorkedKind, workedKinds } from '../../controller/worked-kinds.ts'
import type { ListenAddress } from '../../model/listener.ts'
import { parseAge } from '../arguments/amount.ts'
import { isSet, type ParsedArguments, usageError, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { controllerSpec } from './spec.ts'

/** The options of a run that the command line gives. */
export type GivenOptions = Pick<
  ControllerOptions,
  | 'kinds'
  | 'namespaces'
  | 'watchFilter'
  | 'shard'
  | 'concurrency'
  | 'rate'
  | 'workload'
  | 'backoff'
  | 'storageMigration'
  | 'argoNamespace'
  | 'healthAddress'
  | 'metrics'
> & {
  /** Undefined: `--no-lease`. */
  readonly lease: { readonly namespace: string | undefined; readonly times: LeaseTimes } | undefined
}

/** A label's value, which is all that a selector may hold. */
const labelValue = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/
/** `HOST:PORT`, `[ADDRESS]:PORT`, or `:PORT` for all addresses. */
const addressPattern = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]*)):([0-9]{1,5})$/
const namespaceName = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Reads the options of a run. @throws StackmasonError USAGE with every problem */
export function readOptions(parsed: ParsedArguments): GivenOptions {
  const problems: string[] = []
  const refuse = (name: string, what: string, text: string): void => {
    problems.push(`option --${name} takes ${what}, not ${JSON.stringify(text)}`)
  }
  const count = (name: string, fallback: number, least: 0 | 1 = 1): number => {
    const text = valueOf(parsed, name) ?? String(fallback)
    const isCount = /^(?:0|[1-9][0-9]{0,4})$/.test(text) && Number(text) >= least
    if (!isCount) refuse(name, `a number from ${String(least)}`, text)
    return Number(text)
  }
  const time = (name: string, fallback: string): number => {
    const text = valueOf(parsed, name) ?? fallback
    const found = parseAge(text)
    if (found === undefined || found < 100) refuse(name, 'a time such as 15s or 2m, of 0.1s at least', text)
    return found ?? 0
  }
  const matching = (name: string, pattern: RegExp, what: string): readonly string[] => {
    const texts = valuesOf(parsed, name)
    for (const text of texts) if (!pattern.test(text)) refuse(name, what, text)
    return texts
  }
  const address = (name: string): ListenAddress | undefined => {
    const text = valueOf(parsed, name)
    if (text === undefined) return undefined
    const [, bracketed, plain = '', port = ''] = addressPattern.exec(text) ?? []
    if (port === '' || Number(port) > 65_535) refuse(name, 'an address such as :9440 or 127.0.0.1:9440', text)
    return { host: bracketed ?? plain, port: Number(port) }
  }
  const times = {
    duration: time('lease-duration', '15s'),
    renewWithin: time('lease-renew', '10s'),
    retryEvery: time('lease-retry', '2s'),
  }
  if (times.retryEvery >= times.renewWithin || times.renewWithin >= times.duration) {
    problems.push('--lease-retry must be shorter than --lease-renew, and that shorter than --lease-duration')
  }
  const [leaseNamespace] = matching('lease-namespace', namespaceName, 'the name of a namespace')
  const kinds = valuesOf(parsed, 'kind')
  for (const kind of kinds) {
    if (!isWorkedKind(kind)) refuse('kind', alternatives(workedKinds), kind)
  }
  const options: GivenOptions = {
    kinds: kinds.length === 0 ? workedKinds : workedKinds.filter((kind) => kinds.includes(kind)),
    namespaces: matching('namespace', namespaceName, 'the name of a namespace'),
    watchFilter: matching('watch-filter', labelValue, 'the value of a label')[0] ?? '',
    // a part of the name of the lease
    shard: matching('shard', namespaceName, 'lower case letters, digits and dashes')[0] ?? '',
    concurrency: readConcurrency(valuesOf(parsed, 'concurrency'), problems),
    rate: { perSecond: count('qps', 50), burst: count('burst', 100) },
    backoff: { first: time('retry-first', '0.5s'), most: time('retry-most', '5m') },
    workload: { watches: count('workload-watches', 50, 0), check: time('workload-check', '5m') },
    storageMigration: {
      settle: time('migration-settle', '1m'),
      slice: 10_000,
      pause: 1000,
      page: 500,
      retry: { first: 60_000, most: 60 * 60_000 },
    },
    argoNamespace: matching('argocd-namespace', namespaceName, 'the name of a namespace')[0],
    healthAddress: address('health-address'),
    metrics: readMetrics(parsed, address('metrics-address'), problems),
    lease: isSet(parsed, 'no-lease') ? undefined : { namespace: leaseNamespace, times },
  }
  if (problems.length > 0) throw usageError(problems, controllerSpec)
  return options
}

function readMetrics(
  parsed: ParsedArguments,
  address: ListenAddress | undefined,
  problems: string[],
): MetricsAddress | undefined {
  const [certificate, key] = [valueOf(parsed, 'metrics-tls-cert'), valueOf(parsed, 'metrics-tls-key')]
  if ((certificate === undefined) !== (key === undefined)) {
    problems.push('--metrics-tls-cert and --metrics-tls-key belong together')
  } else if (certificate !== undefined && address === undefined) {
    problems.push('--metrics-tls-cert is for --metrics-address, which is not given')
  }
  if (address === undefined) return undefined
  return { address, tls: certificate === undefined || key === undefined ? undefined : { certificate, key } }
}

const CONCURRENCY = 4

/** `COUNT` is for all kinds, `KIND=COUNT` for one, wherever it stands. */
function readConcurrency(texts: readonly string[], problems: string[]): ControllerOptions['concurrency'] {
  const counts = new Map<string, number>()
  for (const text of texts) {
    const [, kind = '', count = ''] = /^(?:([A-Za-z]+)=)?([1-9][0-9]{0,4})$/.exec(text) ?? []
    const isKnown = kind === '' || isWorkedKind(kind)
    if (count !== '' && isKnown) counts.set(kind, Number(count))
    else {
      const examples = alternatives(workedKinds.map((known) => `${known}=8`))
      problems.push(`option --concurrency takes a number from 1, or such as ${examples}, not ${JSON.stringify(text)}`)
    }
  }
  const of = (kind: WorkedKind): number => counts.get(kind) ?? counts.get('') ?? CONCURRENCY
  return {
    RuntimeValues: of('RuntimeValues'),
    NodeImageGate: of('NodeImageGate'),
    StorageMigration: of('StorageMigration'),
  }
}

function isWorkedKind(text: string): boolean {
  return workedKinds.some((kind) => kind === text)
}
