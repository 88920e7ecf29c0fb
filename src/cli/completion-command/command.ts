import type { ParsedArguments } from '../arguments/parse-arguments.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { formatCompletion } from './format-completion.ts'

/** `stackmason completion`. */
export const completionCommand: RunCommand = defineCommand({
  run: async (parsed: ParsedArguments, { commands }: CommandContext) =>
    Promise.resolve({ script: formatCompletion(shellOf(parsed), commands), findings: [] }),
  text: ({ script }) => ({ output: script, isUnbroken: true }),
})

function shellOf(parsed: ParsedArguments): 'bash' | 'zsh' | 'fish' {
  const shell = parsed.operands[0]
  return shell === 'zsh' || shell === 'fish' ? shell : 'bash'
}
