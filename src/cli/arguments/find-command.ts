import type { StackmasonError } from '../../model/diagnostic.ts'
import { nearestName } from '../../model/nearest-name.ts'
import type { CommandSpec } from './command-spec.ts'
import { usageError } from './parse-arguments.ts'

/** The command of a name. @throws StackmasonError USAGE */
export function findCommand(name: string, commands: readonly CommandSpec[]): CommandSpec {
  const command = commands.find((known) => known.name === name)
  if (command === undefined) throw unknownCommand(name, commands)
  return command
}

/** The error for a name that no command has. */
export function unknownCommand(name: string, commands: readonly CommandSpec[]): StackmasonError {
  const near = nearestName(
    name,
    commands.map((known) => known.name),
  )
  const problem = name.startsWith('-')
    ? `no option ${name} here; a command comes first`
    : `there is no command ${JSON.stringify(name)}`
  return usageError([`${problem}${near === undefined ? '' : `; did you mean ${near}?`}`], undefined)
}
