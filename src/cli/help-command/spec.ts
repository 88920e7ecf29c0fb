import type { CommandSpec } from '../arguments/command-spec.ts'
import { generalOptions } from '../arguments/general-options.ts'

/** `stackmason help`. */
export const helpSpec: CommandSpec = {
  name: 'help',
  summary: 'show help for a command',
  description: ['Shows the same as the option --help of the command.'],
  operands: [{ name: 'COMMAND', isOptional: true, summary: 'name of a command; all are listed by default' }],
  options: [...generalOptions],
  exitStatus: ['0 written', '2 wrong usage'],
  examples: [],
}
