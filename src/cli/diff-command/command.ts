import { diff, type TreeChoice } from '../../pipeline/commands/diff.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { isSet, type ParsedArguments } from '../arguments/parse-arguments.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import type { DiffOutcome } from './outcome.ts'
import { diffReport } from './json.ts'
import { diffText } from './text.ts'

/** `stackmason diff`. */
export const diffCommand: RunCommand = defineCommand<DiffOutcome>({
  run,
  text: diffText,
  json: diffReport,
  isDifferent: ({ isExitCode, change }) => isExitCode && (change.changes.length > 0 || change.facts.unread.length > 0),
})

/** @throws StackmasonError as {@link diff} */
async function run(parsed: ParsedArguments, { io }: CommandContext): Promise<DiffOutcome> {
  const [from, to] = parsed.operands
  const { start, fleet } = fleetOptions(parsed, io)
  const result = await diff(
    {
      start,
      ...(fleet !== undefined && { fleet }),
      before: from === undefined ? { kind: 'revision', revision: 'HEAD' } : choiceOf(from, io.workingFolder),
      after: to === undefined ? { kind: 'disk' } : choiceOf(to, io.workingFolder),
    },
    io.ports,
  )
  return { ...result, detail: isSet(parsed, 'all') ? 'all' : 'short', isExitCode: isSet(parsed, 'exit-code') }
}

/** A word that looks like a path is a folder: `rendered` may be a branch, `./rendered` is none. */
function choiceOf(written: string, workingFolder: string): TreeChoice {
  const isPath = /^(?:\.{1,2}(?:\/|$)|\/|[A-Za-z]:[\\/])/.test(written)
  return isPath
    ? { kind: 'folder', folder: resolveFolder(workingFolder, written), written }
    : { kind: 'revision', revision: written }
}
