import { fetchLock, type FetchResult } from '../../pipeline/commands/fetch-lock.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { type ParsedArguments, valueOf } from '../arguments/parse-arguments.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { withProgress } from '../with-progress.ts'
import { fetchReport } from './json.ts'
import { fetchText } from './text.ts'

/** `stackmason fetch`. */
export const fetchCommand: RunCommand = defineCommand({ run, text: fetchText, json: fetchReport })

/** @throws StackmasonError with the problems of every entry of the lock */
async function run(parsed: ParsedArguments, { io }: CommandContext): Promise<FetchResult> {
  const detail = valueOf(parsed, 'output') === 'json' ? 'quiet' : 'shown'
  // what is cached already, or lies on this machine, is not fetched
  return withProgress(io, { verb: 'checked', detail }, (show) => fetchLock(fleetOptions(parsed, io), io.ports, show))
}
