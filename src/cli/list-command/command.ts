import { listFleet, type ListResult } from '../../pipeline/commands/list-releases.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { type ParsedArguments, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { withProgress } from '../with-progress.ts'
import { listReport } from './json.ts'
import { listText } from './text.ts'

/** `stackmason list`. */
export const listCommand: RunCommand = defineCommand({ run, text: listText, json: listReport })

/** @throws StackmasonError for problems of the fleet; those of a source are findings beside what the others offer */
async function run(parsed: ParsedArguments, { io }: CommandContext): Promise<ListResult> {
  const options = {
    ...fleetOptions(parsed, io),
    stacks: valuesOf(parsed, 'stack'),
    sources: valuesOf(parsed, 'source'),
  }
  const detail = valueOf(parsed, 'output') === 'json' || !io.stderr.isTerminal ? 'quiet' : 'shown'
  return withProgress(io, { verb: 'asked', detail }, (show) => listFleet(options, io.ports, show))
}
