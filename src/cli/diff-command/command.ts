import { diff, type DiffOptions, type TreeChoice } from '../../pipeline/commands/diff.ts'
import { formatDiffHtml } from '../../report/html/format-diff-html.ts'
import { formatDiffMarkdown } from '../../report/tree-change/format-diff-markdown.ts'
import { maskChange } from '../../report/tree-change/mask-change.ts'
import { namesInChange } from '../../report/tree-change/names-in-change.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { formOf } from '../arguments/output-targets.ts'
import { isSet, type ParsedArguments, usageError, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import type { CliIo } from '../cli-io.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { exitStatusOf } from '../exit-status.ts'
import { withProgress } from '../with-progress.ts'
import type { DiffOutcome } from './outcome.ts'
import { diffReport } from './json.ts'
import { diffSpec } from './spec.ts'
import { diffText } from './text.ts'

/** `stackmason diff`. */
export const diffCommand: RunCommand = defineCommand<DiffOutcome>({
  run,
  text: diffText,
  json: diffReport,
  documents: {
    markdown: (outcome, { mask }) => mask(formatDiffMarkdown(outcome)),
    html: formatDiffHtml,
  },
  exitStatus: ({ findings }) => (exitStatusOf(findings) === 0 ? 0 : 2),
  isDifferent: ({ isExitCode, change }) => isExitCode && (change.changes.length > 0 || change.facts.unread.length > 0),
})

/** @throws StackmasonError USAGE, and as {@link diff} */
async function run(parsed: ParsedArguments, { io, mask, spare }: CommandContext): Promise<DiffOutcome> {
  const options = { ...fleetOptions(parsed, io), compared: comparedOf(parsed, io), isExplained: isExplained(parsed) }
  const isQuiet = isSet(parsed, 'quiet')
  const result = await withProgress(io, { verb: 'rendered', detail: isQuiet ? 'quiet' : 'shown' }, (show) =>
    diff(options, io.ports, show),
  )
  spare(namesInChange(result.change))
  return {
    ...result,
    change: maskChange(result.change, mask),
    detail: isSet(parsed, 'all') ? 'all' : 'short',
    isExitCode: isQuiet || isSet(parsed, 'exit-code'),
    isQuiet,
  }
}

/** True for forms that are written whole: these say where values come from, too. */
function isExplained(parsed: ParsedArguments): boolean {
  return isSet(parsed, 'all') || valuesOf(parsed, 'output').some((value) => formOf(value) === 'json')
}

/** @throws StackmasonError USAGE for options that do not go together */
function comparedOf(parsed: ParsedArguments, { workingFolder }: CliIo): DiffOptions['compared'] {
  const [before, after] = parsed.operands
  const [from, to] = [valueOf(parsed, 'from'), valueOf(parsed, 'to')]
  const lock = valueOf(parsed, 'lock')
  const clusters = valuesOf(parsed, 'cluster')
  if (from !== undefined || to !== undefined) {
    if (from === undefined || to === undefined) throw usageError(['--from and --to go together'], diffSpec)
    if (before !== undefined || lock !== undefined)
      throw usageError(['--from and --to render both trees: leave out FROM, TO and --lock'], diffSpec)
    return { from, to, clusters }
  }
  if (clusters.length > 0) throw usageError(['--cluster needs --from and --to'], diffSpec)
  const choices = {
    before: before === undefined ? { kind: 'revision' as const, revision: 'HEAD' } : choiceOf(before, workingFolder),
    after: after === undefined ? { kind: 'disk' as const } : choiceOf(after, workingFolder),
  }
  if (lock === undefined) return choices
  if (after !== undefined && choices.after.kind !== 'render')
    throw usageError(['--lock is for rendering: TO is render then'], diffSpec)
  return { ...choices, after: { kind: 'render', lock: resolveFolder(workingFolder, lock) } }
}

/** A word that looks like a path is a folder: `rendered` may be a branch, `./rendered` is none. */
function choiceOf(written: string, workingFolder: string): TreeChoice {
  if (written === 'render') return { kind: 'render' }
  const isPath = /^(?:\.{1,2}(?:\/|$)|\/|[A-Za-z]:[\\/])/.test(written)
  return isPath
    ? { kind: 'folder', folder: resolveFolder(workingFolder, written), written }
    : { kind: 'revision', revision: written }
}
