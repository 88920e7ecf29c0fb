import { findCommand } from '../arguments/find-command.ts'
import type { ParsedArguments } from '../arguments/parse-arguments.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { formatCommandHelp, formatProgramHelp } from './format-help.ts'

/** `stackmason help`. @throws StackmasonError USAGE */
export const helpCommand: RunCommand = defineCommand({
  run: async ({ operands: [name] }: ParsedArguments, { commands }: CommandContext) =>
    Promise.resolve({ commands, command: name === undefined ? undefined : findCommand(name, commands), findings: [] }),
  text: ({ commands, command }, _shorten, width) => ({
    output: command === undefined ? formatProgramHelp(commands, width) : formatCommandHelp(command, width),
    isUnbroken: true,
  }),
})
