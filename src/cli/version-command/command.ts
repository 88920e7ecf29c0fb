import type { ParsedArguments } from '../arguments/parse-arguments.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'

/** `stackmason version`. */
export const versionCommand: RunCommand = defineCommand({
  run: async (_: ParsedArguments, { io }: CommandContext) =>
    Promise.resolve({ version: io.version, helm: '4.1.4', findings: [] }),
  text: ({ version }) => `${version}\n`,
  json: ({ version, helm }) => ({ kind: 'Version', content: { version, helm }, findings: undefined }),
})
