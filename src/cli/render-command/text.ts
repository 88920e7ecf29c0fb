import type { ShardResult } from '../../pipeline/commands/render-shard.ts'
import type { FileChange, RenderResult } from '../../pipeline/commands/render.ts'
import { formatShard } from '../../pipeline/shards/shard.ts'
import { countFindings } from '../../report/count-findings.ts'
import { formatSteps } from '../../report/format-steps.ts'
import { plural } from '../../report/plural.ts'
import { printable, printableLines } from '../../report/printable.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import type { TextReport } from '../command.ts'
import { exitStatusOf } from '../exit-status.ts'
import type { RenderOutcome } from './outcome.ts'

/** The report of a run, for people: the result and the next step last, where they are looked for. */
export function renderText(outcome: RenderOutcome, shorten: ShortenPath): TextReport {
  const { status, result, findings, isQuiet } = outcome
  if (isQuiet) return { output: '', findings: 'first', closing: '' }
  if (outcome.shard !== undefined) return { output: formatShardSummary(outcome.shard, shorten), findings: 'first' }
  const format = status === 'rendered' ? formatSummary : formatCheckSummary
  const needed = status === 'rendered' && result !== undefined ? formatDefinitions(result) : ''
  const isCounted =
    findings.length > 1 || findings.some((finding) => finding.severity === 'note' || finding.acknowledgement)
  return {
    output: result === undefined ? '' : needed + format(result, shorten),
    findings: 'first',
    // a list of paths
    isUnbroken: status !== 'rendered' && result !== undefined && result.changes.length > 0,
    opening: result?.recovered === undefined ? undefined : formatRecovery(result.recovered),
    closing: isCounted ? formatCount(outcome) : undefined,
  }
}

/** A check never writes, so that goes without saying. */
function formatCount({ findings, mode }: RenderOutcome): string {
  const isFailed = exitStatusOf(findings) !== 0
  return `${countFindings(findings)}${isFailed && mode === 'render' ? '; nothing was written' : ''}.\n`
}

/** The summary of a run for people; ends with a newline. */
function formatSummary(result: RenderResult, shorten: ShortenPath): string {
  const { files } = result
  const what = `${plural(result.clusters, 'cluster')}, ${plural(result.charts, 'chart')}, ${plural(result.objects, 'object')}`
  const counts = `${plural(files.written, 'file')} written, ${String(files.unchanged)} unchanged, ${String(files.pruned)} pruned`
  const seconds = `${(result.duration / 1000).toFixed(1)} s`
  const summary = printableLines([`Rendered ${what} into ${shorten(result.output)}: ${counts}, in ${seconds}.`])
  return summary + formatSteps(result.steps ?? [], shorten)
}

/** The summary of a shard, with what comes next. */
function formatShardSummary(result: ShardResult, shorten: ShortenPath): string {
  const { shard, clusters, charts, folder, failed, withheld, mode } = result
  const seconds = `${(result.duration / 1000).toFixed(1)} s`
  const what = `${plural(clusters, 'cluster')}, ${plural(charts, 'chart')}`
  const join = shorten.command(`stackmason render --join FOLDER${mode === 'check' ? ' --check' : ''}`)
  return printableLines([
    `Rendered shard ${formatShard(shard)}: ${what} into ${shorten(folder)}, in ${seconds}.`,
    ...(failed === 0
      ? []
      : [`  ${plural(failed, 'cluster')} ${failed === 1 ? 'has' : 'have'} errors, which the join tells.`]),
    ...(withheld === 0 ? [] : [`  The join renders ${plural(withheld, 'cluster')} by itself.`]),
    `  When all ${String(shard.of)} are there: ${join}`,
  ])
}

/** The result of a check: the stale files, one per line, or one sentence. Ends with a newline. */
function formatCheckSummary(result: RenderResult, shorten: ShortenPath): string {
  if (result.changes.length === 0) {
    // what a render would refuse leaves nothing to list
    const isRefused = result.findings.some(({ severity }) => severity === 'error')
    if (isRefused) return printableLines([`${shorten(result.output)} is not as it is to be: see the errors.`])
    const counts = `${plural(result.files.unchanged, 'file')}, ${plural(result.clusters, 'cluster')}`
    return (
      printableLines([`${shorten(result.output)} is current: ${counts}.`]) + formatSteps(result.steps ?? [], shorten)
    )
  }
  const output = shorten(result.output)
  const lineOf = ({ path, change }: FileChange): string =>
    `${change.padEnd(7)} ${printable(output === '.' ? path : `${output}/${path}`)}\n`
  return Array.from(result.changes, lineOf).join('')
}

/**
 * The CRDs that the management cluster needs before it accepts objects of stackmason's own kinds; '' if this run does
 * not write the first ones. `folder` has the definitions.
 */
function formatDefinitions({ definitions }: Pick<RenderResult, 'definitions'>): string {
  const kinds = definitions.filter(({ state }) => state === 'new').map(({ kind }) => kind)
  if (kinds.length === 0) return ''
  return printableLines([
    `The tree now holds ${kinds.join(' and ')} objects. The management cluster needs their definitions first.`,
    '  Install the controller, which brings them and does what they ask for: docs/22-controller.md, "Install it".',
    '  Without it, apply them alone, once, and do its work by hand: docs/14-late-bound-values.md, "Without the controller".',
    '    stackmason controller definitions | kubectl apply --server-side -f -',
  ])
}

/** The recovery of an interrupted earlier run. */
function formatRecovery(recovered: 'completed' | 'rolled-back'): string {
  const end = recovered === 'completed' ? 'completed' : 'rolled back'
  return `An earlier run was interrupted while it wrote; it was ${end} first.\n`
}
