import type { Diagnostic } from '../../model/diagnostic.ts'
import type { RenderResult } from '../../pipeline/render.ts'
import { formatSteps, jsonSteps } from '../../report/format-steps.ts'
import { jsonFindings } from '../../report/json-finding.ts'
import { plural } from '../../report/plural.ts'
import { printable, printableLines } from '../../report/printable.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'

/** How a run ended, with what it found; `result` is absent when it failed. */
export interface RenderOutcome {
  readonly status: 'rendered' | 'current' | 'stale' | 'failed'
  readonly result?: RenderResult
  readonly findings: readonly Diagnostic[]
}

/** The report of a run as JSON (schemas/render-report.json), with a final newline. */
export function formatRenderJson({ status, result, findings }: RenderOutcome, shorten: ShortenPath): string {
  const report = {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'RenderReport',
    status,
    ...(result === undefined
      ? {}
      : {
          mode: result.mode,
          fleet: result.fleet,
          output: shorten(result.output),
          summary: {
            clusters: result.clusters,
            charts: result.charts,
            objects: result.objects,
            filesWritten: result.files.written,
            filesUnchanged: result.files.unchanged,
            filesPruned: result.files.pruned,
            milliseconds: Math.round(result.duration),
          },
          changes: result.changes,
          definitions: result.definitions.map(({ kind }) => kind),
          ...(result.steps === undefined ? {} : { steps: jsonSteps(result.steps) }),
          ...(result.recovered === undefined ? {} : { recovered: result.recovered }),
        }),
    findings: jsonFindings(findings, shorten),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}

/** The summary of a run for people; ends with a newline. */
export function formatRenderSummary(result: RenderResult, shorten: ShortenPath): string {
  const { files } = result
  const what = `${plural(result.clusters, 'cluster')}, ${plural(result.charts, 'chart')}, ${plural(result.objects, 'object')}`
  const counts = `${plural(files.written, 'file')} written, ${String(files.unchanged)} unchanged, ${String(files.pruned)} pruned`
  const seconds = `${(result.duration / 1000).toFixed(1)} s`
  const summary = printableLines([`Rendered ${what} into ${shorten(result.output)}: ${counts}, in ${seconds}.`])
  return summary + formatSteps(result.steps ?? [])
}

/** What a check found: the stale files, one per line, or one sentence. Ends with a newline. */
export function formatCheckSummary(result: RenderResult, shorten: ShortenPath): string {
  if (result.changes.length === 0) {
    // what a render would refuse leaves nothing to list
    const isRefused = result.findings.some(({ severity }) => severity === 'error')
    if (isRefused) return printableLines([`${shorten(result.output)} is not current: see the errors.`])
    const counts = `${plural(result.files.unchanged, 'file')}, ${plural(result.clusters, 'cluster')}`
    return printableLines([`${shorten(result.output)} is current: ${counts}.`]) + formatSteps(result.steps ?? [])
  }
  const output = shorten(result.output)
  return result.changes
    .map(({ path, change }) => `${change.padEnd(7)} ${printable(output === '.' ? path : `${output}/${path}`)}\n`)
    .join('')
}

/** What the management cluster needs before it takes objects of stackmason's own kinds; '' when this run writes no first ones. `folder` has the definitions. */
export function formatDefinitions({ definitions }: Pick<RenderResult, 'definitions'>, folder: string): string {
  const kinds = definitions.filter(({ state }) => state === 'new').map(({ kind }) => kind)
  if (kinds.length === 0) return ''
  return printableLines([
    `The tree now holds ${kinds.join(' and ')} objects. The management cluster needs their definitions first, once:`,
    `  kubectl apply --server-side -f ${JSON.stringify(folder)}`,
    '  docs/14-late-bound-values.md says what to do "Without the controller".',
  ])
}

/** What happened first to an interrupted earlier run. */
export function formatRecovery(recovered: 'completed' | 'rolled-back'): string {
  const end = recovered === 'completed' ? 'completed' : 'rolled back'
  return `An earlier run was interrupted while it wrote; it was ${end} first.\n`
}
