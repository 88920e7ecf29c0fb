import { type ReportResult, report } from '../../pipeline/commands/report.ts'
import { formatFleetHtml } from '../../report/html/format-fleet-html.ts'
import { listExceptions } from '../../report/describe-exception.ts'
import { shortenBeside } from '../../report/shorten-path.ts'
import { maskChange } from '../../report/tree-change/mask-change.ts'
import { namesInChange } from '../../report/tree-change/names-in-change.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { isSet, type ParsedArguments, valueOf } from '../arguments/parse-arguments.ts'
import { type CommandContext, defineCommand, type DocumentContext, type RunCommand } from '../command.ts'
import { withProgress } from '../with-progress.ts'
import { fleetReport } from './json.ts'
import { reportText } from './text.ts'

/** `stackmason report`. */
export const reportCommand: RunCommand = defineCommand<ReportResult>({
  run,
  text: reportText,
  json: fleetReport,
  documents: { html: page },
  // it shows; `check` decides
  exitStatus: () => 0,
})

/** @throws StackmasonError as {@link report} */
async function run(parsed: ParsedArguments, { io, mask, spare }: CommandContext): Promise<ReportResult> {
  const base = valueOf(parsed, 'base')
  const options = { ...fleetOptions(parsed, io), clusters: [], stacks: [], base }
  const detail = isSet(parsed, 'quiet') ? 'quiet' : 'shown'
  const result = await withProgress(io, { verb: 'checked', detail }, (show) => report(options, io.ports, show))
  const { changed } = result
  if (changed === undefined) return result
  spare(namesInChange(changed.change))
  return { ...result, changed: { ...changed, change: maskChange(changed.change, mask) } }
}

function page(result: ReportResult, context: DocumentContext): string {
  const { fleet, file, rules, findings, overview, changed, exceptions } = result
  const { shorten, describe } = context
  const isPassed = findings.every(
    ({ severity, acknowledgement }) => severity !== 'error' || acknowledgement !== undefined,
  )
  const list = {
    ...context,
    title: fleet,
    isPassed,
    rules,
    file: shorten(file),
    findings: describe(findings),
    exceptions: listExceptions(exceptions, shorten),
  }
  return formatFleetHtml({ overview, changed, list, shorten: shortenBeside(file, shorten) })
}
