import { isBranchName } from '../../model/branch-name.ts'
import { publish } from '../../pipeline/commands/publish.ts'
import { addToReport, linkProblem } from '../../pipeline/commands/write-report.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { isSet, type ParsedArguments, usageError, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { withProgress } from '../with-progress.ts'
import { publishReport } from './json.ts'
import type { PublishOutcome } from './outcome.ts'
import { dotenvLines, outputLines } from './outputs.ts'
import { publishSpec } from './spec.ts'
import { publishText } from './text.ts'

/** `stackmason publish`. */
export const publishCommand: RunCommand = defineCommand<PublishOutcome>({
  run,
  text: publishText,
  json: publishReport,
})

/** @throws StackmasonError USAGE, and as {@link publish} */
async function run(parsed: ParsedArguments, { io, mask, spare, maskFinding }: CommandContext): Promise<PublishOutcome> {
  const [isYes, isDryRun] = [isSet(parsed, 'yes'), isSet(parsed, 'dry-run')]
  if (isYes && isDryRun) throw usageError(['--yes and --dry-run exclude each other'], publishSpec)
  const branch = valueOf(parsed, 'branch')
  if (branch !== undefined && !isBranchName(branch))
    throw usageError([`--branch ${JSON.stringify(branch)} is not a name that git takes`], publishSpec)
  const dotenv = valueOf(parsed, 'dotenv')
  const dotenvFile = dotenv === undefined ? undefined : resolveFolder(io.workingFolder, dotenv)
  const misplaced = dotenvFile === undefined ? undefined : await linkProblem(dotenvFile, io.ports)
  if (misplaced !== undefined)
    throw usageError([`--dotenv ${String(dotenv)} ${misplaced}: name another file`], publishSpec)
  const isQuiet = isSet(parsed, 'quiet')
  const options = {
    ...fleetOptions(parsed, io),
    branch,
    isUpdated: isSet(parsed, 'update'),
    mode: isDryRun ? ('plan' as const) : isYes ? ('act' as const) : ('auto' as const),
    allowEmpty: isSet(parsed, 'allow-empty'),
    onlyArtifacts: isSet(parsed, 'oci'),
    artifactTags: valuesOf(parsed, 'oci-tag'),
    mask,
    spare,
    maskFinding,
  }
  const result = await withProgress(io, { verb: 'rendered', detail: isQuiet ? 'quiet' : 'shown' }, (show) =>
    publish(options, io.ports, show),
  )
  const { outputFile } = result.context
  if (outputFile !== undefined) await addToReport(outputFile, outputLines(result), io.ports)
  if (dotenvFile !== undefined) await addToReport(dotenvFile, dotenvLines(result), io.ports)
  const asked = [
    'publish',
    ...(branch === undefined ? [] : ['--branch', branch]),
    ...(options.isUpdated ? ['--update'] : []),
    ...(options.onlyArtifacts ? ['--oci'] : []),
    ...options.artifactTags.flatMap((tag) => ['--oci-tag', tag]),
    ...(options.allowEmpty ? ['--allow-empty'] : []),
  ]
  return { ...result, isQuiet, isOnlyArtifacts: options.onlyArtifacts, asked }
}
