import { findCommand } from '../arguments/find-command.ts'
import type { ParsedArguments } from '../arguments/parse-arguments.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { formatCommandHelp, formatProgramHelp } from './format-help.ts'

/** `stackmason help`. @throws StackmasonError USAGE */
export const helpCommand: RunCommand = defineCommand({
  run: async ({ operands: [name] }: ParsedArguments, { commands }: CommandContext) =>
    Promise.resolve({
      help: name === undefined ? formatProgramHelp(commands) : formatCommandHelp(findCommand(name, commands)),
      findings: [],
    }),
  text: ({ help }) => help,
})
