import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, generalOptions, outputOption } from '../arguments/general-options.ts'

/** `stackmason diff`. */
export const diffSpec: CommandSpec = {
  name: 'diff',
  summary: 'show what differs between two rendered trees, each change once',
  description: [
    'Compares two rendered trees object by object: what is dangerous first, then versions, then each change once with the clusters that have it. ' +
      'Order and formatting are no difference. Writes nothing.',
    'A tree is a revision of git (main, HEAD~1), or a folder (./other/rendered). Without FROM it is the last commit, without TO the files on disk.',
  ],
  operands: [
    { name: 'FROM', isOptional: true, summary: 'the tree before; by default HEAD' },
    { name: 'TO', isOptional: true, summary: 'the tree after; by default the files on disk' },
  ],
  options: [
    { name: 'all', type: 'flag', summary: 'show all clusters, objects and fields by name' },
    { name: 'exit-code', type: 'flag', summary: 'end with 1 if there are differences' },
    fleetOption,
    outputOption,
    ...generalOptions,
  ],
  exitStatus: [
    '0 compared, whatever differs',
    '1 with --exit-code: there are differences',
    '2 wrong usage, or something failed',
  ],
  examples: [
    { command: 'stackmason diff', summary: 'what the last render changed' },
    { command: 'stackmason diff origin/main HEAD', summary: 'what a branch changes' },
    { command: 'stackmason diff ../before/rendered ./rendered', summary: 'two folders' },
  ],
}
