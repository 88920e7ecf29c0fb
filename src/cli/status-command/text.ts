import type { RemovalResult, StatusResult } from '../../pipeline/commands/status.ts'
import { formatTable } from '../../report/format-table.ts'
import { plural } from '../../report/plural.ts'
import { printableLines } from '../../report/printable.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import type { TextReport } from '../command.ts'

type FleetStatus = Pick<StatusResult, 'clusters' | 'stacks'>
type ClusterStatus = StatusResult['clusters'][number]
type ManagementStatus = StatusResult['management']
type StackStatus = StatusResult['stacks'][number]
type PartStatus = ClusterStatus['parts'][number]

/** How a fleet is, or whether a version may be removed; ends with a newline. */
export function statusText(result: StatusResult | RemovalResult, _: ShortenPath, width?: number): string | TextReport {
  if ('verdict' in result) return removalText(result)
  const { clusters, stacks, management, notInTree, isCommit, forbidden, hasClusterApi } = result
  const hasMigrations = clusters.some(({ parts }) => parts.some(isMigration))
  const rows = [
    ['CLUSTER', 'RELEASE', 'KUBERNETES', 'STEP', 'READY', 'UNITS', 'VALUES', ...(hasMigrations ? ['MIGRATIONS'] : [])],
    ...clusters.map((cluster) => [
      ...clusterRow(cluster),
      ...(hasMigrations ? [shareOf(cluster.parts.filter(isMigration))] : []),
    ]),
  ]
  const stackRows = [
    ['RELEASE', 'NAMESPACE', 'READY', 'UNITS', 'IMAGES', 'CLUSTERS'],
    ...stacks.map((stack) => stackRow(stack)),
  ]
  const notes = [
    ...(hasClusterApi ? [] : ['This API server knows no Clusters of Cluster API: is it the management cluster?']),
    ...(isCommit ? [] : ['There is no commit with a tree: the files on disk are compared with the cluster.']),
    ...notInTree.map((name) => `${name} is not in the tree yet: render, and commit.`),
    ...forbidden.map((kind) => `We may not list ${kind}: what depends on it is unknown.`),
    ...stacks.flatMap(({ unknownUsers, tag, namespace }) =>
      unknownUsers.map(
        (user) => `${user} runs at ${tag} of ${namespace} and is not of this fleet: its class must stay.`,
      ),
    ),
  ]
  const sections = [
    clusters.length === 0 ? 'The tree has no clusters.\n' : formatTable(rows, width),
    ...(stacks.length === 0 ? [] : [formatTable(stackRows, width)]),
    ...[
      printableLines([...clusters, ...stacks].flatMap(whyNot)),
      printableLines(ofManagement(management)),
      printableLines([...clusters, management].flatMap(olderVersions)),
      printableLines(notes),
    ].filter((text) => text !== ''),
  ]
  return { output: sections.join('\n'), isUnbroken: true }
}

function clusterRow(cluster: ClusterStatus): readonly string[] {
  const { namespace, name, className, version, step, live, parts, isReady } = cluster
  return [
    `${namespace}/${name}`,
    className ?? '-',
    version ?? '-',
    live?.step ?? step ?? '-',
    isReady ? 'yes' : 'no',
    shareOf(parts.filter(({ role }) => role === 'unit')),
    columnWords[parts.find(({ role }) => role === 'values')?.state ?? 'none'],
  ]
}

const columnWords: Readonly<Record<PartStatus['state'] | 'none', string>> = {
  ready: 'ready',
  waiting: 'waiting',
  failed: 'failed',
  suspended: 'suspended',
  missing: 'missing',
  hidden: 'unknown',
  none: '-',
}

function stackRow({ tag, namespace, isReady, parts, usedBy }: StackStatus): readonly string[] {
  return [
    tag,
    namespace,
    isReady ? 'yes' : 'no',
    shareOf(parts.filter(({ role }) => role === 'unit')),
    shareOf(parts.filter(({ role }) => role === 'image' || role === 'gate')),
    String(usedBy.length),
  ]
}

/** `ready/all`. */
function shareOf(parts: readonly PartStatus[]): string {
  if (parts.length === 0) return '-'
  return `${String(parts.filter(({ state }) => state === 'ready').length)}/${String(parts.length)}`
}

/** Why a cluster or release is not ready, one line for each part that is not. */
function whyNot(one: ClusterStatus | StackStatus): readonly string[] {
  const subject = 'tag' in one ? `release ${one.tag} in ${one.namespace}` : `${one.namespace}/${one.name}`
  return unreadyLines(subject, one.parts, one.namespace)
}

function ofManagement({ parts }: ManagementStatus): readonly string[] {
  return unreadyLines('management cluster', parts, '')
}

function unreadyLines(subject: string, parts: readonly PartStatus[], namespace: string): readonly string[] {
  const reasons = parts.filter(({ state }) => state !== 'ready')
  return reasons.length === 0
    ? []
    : [
        `${subject}:`,
        ...reasons.map((part) => `  ${part.kind} ${nameOf(part, { namespace })} ${wordOf(part)}: ${part.reason}`),
      ]
}

function isMigration({ role }: PartStatus): boolean {
  return role === 'migration'
}

/** Says which versions of definitions may be removed, apart from those in which objects are stored. */
function olderVersions(one: ClusterStatus | ManagementStatus): readonly string[] {
  const where = 'name' in one ? `of ${one.namespace}/${one.name}` : 'of the management cluster'
  return one.definitions.flatMap(({ definition, storageVersion, versions }) =>
    versions
      .filter(({ version }) => version !== storageVersion)
      .map(({ version, mayBeRemoved, reason }) =>
        mayBeRemoved
          ? `${version} of ${definition} ${where} may be removed.`
          : `${version} of ${definition} ${where} must stay: ${reason}.`,
      ),
  )
}

function nameOf({ namespace, name }: PartStatus, { namespace: own }: { readonly namespace: string }): string {
  return namespace === own || namespace === '' ? name : `${namespace}/${name}`
}

const words: Readonly<Record<PartStatus['state'], string>> = {
  ready: 'is ready',
  waiting: 'waits',
  failed: 'has failed',
  suspended: 'is suspended',
  missing: 'is missing',
  hidden: 'is unknown',
}

function wordOf({ state }: PartStatus): string {
  return words[state]
}

function removalText({ verdict, definition, version, reasons, next }: RemovalResult): string {
  const head =
    verdict === 'yes'
      ? `Yes: ${version} of ${definition} may be removed.`
      : `No: ${version} of ${definition} must stay.`
  return printableLines([head, ...reasons, ...(next === undefined ? [] : [next])])
}

/** Makes lines of what has changed since the call before: all that is not ready at the first. */
export function changeLines(): (status: FleetStatus) => string {
  let shown = new Map<string, string>()
  return ({ clusters, stacks }) => {
    const now = new Map(
      [...clusters, ...stacks].flatMap((one) => {
        const subject = 'tag' in one ? one.tag : `${one.namespace}/${one.name}`
        return one.parts.map((part): [string, string] => [
          `${subject} ${part.kind} ${part.namespace}/${part.name}`,
          `${subject}: ${part.kind} ${nameOf(part, one)} ${wordOf(part)}${part.reason === '' ? '' : `: ${part.reason}`}`,
        ])
      }),
    )
    const isFirst = shown.size === 0
    const lines = [...now].flatMap(([key, line]) => {
      if (shown.get(key) === line || (isFirst && line.endsWith(` ${words.ready}`))) return []
      return [line]
    })
    shown = now
    const waiting = [...clusters, ...stacks].filter(({ isReady }) => !isReady).length
    return printableLines(
      isFirst && waiting > 0
        ? [...lines, `${plural(waiting, 'cluster or release', 'clusters and releases')} not ready`]
        : lines,
    )
  }
}
