import type { CommandSpec } from '../arguments/command-spec.ts'
import { generalOptions, outputOption } from '../arguments/general-options.ts'

/** `stackmason version`. */
export const versionSpec: CommandSpec = {
  name: 'version',
  summary: 'write the version',
  description: ['Writes the version of stackmason, and with -o json also of the Helm that it follows.'],
  operands: [],
  options: [outputOption, ...generalOptions],
  exitStatus: ['0 written', '2 wrong usage'],
  examples: [],
}
