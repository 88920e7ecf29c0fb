import { nearestName } from '../../model/nearest-name.ts'
import type { CommandSpec } from './command-spec.ts'
import { usageError } from './parse-arguments.ts'

/** The command of a name. @throws StackmasonError USAGE */
export function findCommand(name: string, commands: readonly CommandSpec[]): CommandSpec {
  const command = commands.find((known) => known.name === name)
  if (command !== undefined) return command
  const near = nearestName(
    name,
    commands.map((known) => known.name),
  )
  const problem = name.startsWith('-')
    ? `no option ${name} here; a command comes first`
    : `there is no command ${JSON.stringify(name)}`
  throw usageError([`${problem}${near === undefined ? '' : `; did you mean ${near}?`}`], undefined)
}
