import type { CommandSpec } from '../arguments/command-spec.ts'
import { generalOptions } from '../arguments/general-options.ts'

/** `stackmason __complete`, which the scripts of `stackmason completion` call. */
export const completeSpec: CommandSpec = {
  name: '__complete',
  isHidden: true,
  summary: 'list names of the fleet for a shell',
  description: ['Lists the names of one kind in the fleet that begin with the last word, one per line.'],
  operands: [
    {
      name: 'KIND',
      isOptional: false,
      choices: ['clusters', 'stacks', 'releases', 'classes', 'sources'],
      summary: 'clusters, stacks, releases, classes or sources',
    },
    { name: 'WORD', isOptional: true, isRepeated: true, summary: 'the command line up to the word that is typed' },
  ],
  options: [...generalOptions],
  exitStatus: ['0 listed'],
  examples: [],
}
