import { update, type UpdateResult } from '../../pipeline/commands/update.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { isSet, type ParsedArguments, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { showAsking } from '../show-asking.ts'
import { updateReport } from './json.ts'
import { updateText } from './text.ts'

/** `stackmason update`. */
export const updateCommand: RunCommand = defineCommand({ run, text: updateText, json: updateReport })

/** @throws StackmasonError with every problem; then the lock is as it was */
async function run(parsed: ParsedArguments, { io }: CommandContext): Promise<UpdateResult> {
  const options = {
    ...fleetOptions(parsed, io),
    stacks: valuesOf(parsed, 'stack'),
    releases: valuesOf(parsed, 'release'),
    prune: isSet(parsed, 'prune'),
    dryRun: isSet(parsed, 'dry-run'),
  }
  const asking = showAsking(io, valueOf(parsed, 'output') === 'json' ? 'quiet' : 'shown')
  return update(options, io.ports, asking.show).finally(asking.clear)
}
