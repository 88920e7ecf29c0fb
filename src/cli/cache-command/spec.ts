import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, generalOptions, outputOption } from '../arguments/general-options.ts'

/** `stackmason cache`. */
export const cacheSpec: CommandSpec = {
  name: 'cache',
  summary: 'show or clean up the cache of fetched files',
  description: [
    'info says where the cache lies and what it holds. prune removes files and git repositories, longest unused first, until the cache is within the ' +
      'bounds, and what killed runs left. Inside of a fleet everything that stackmason.lock names stays; so does everywhere what was used within the ' +
      'last ten minutes. Other runs may go on meanwhile.',
    'The cache lies in STACKMASON_CACHE, else in stackmason below XDG_CACHE_HOME, else in ~/.cache/stackmason. Runs that fetch bring it back to 2GiB by ' +
      'themselves, once a day. To drop it, remove the folder.',
  ],
  operands: [{ name: 'ACTION', isOptional: false, choices: ['info', 'prune'], summary: 'info or prune' }],
  options: [
    {
      name: 'max-size',
      type: 'value',
      placeholder: 'SIZE',
      summary: 'prune: how much may stay, such as 500MiB; 2GiB by default',
    },
    {
      name: 'max-age',
      type: 'value',
      placeholder: 'AGE',
      summary: 'prune: drop what was not used for so long, such as 30d or 12h',
    },
    { ...fleetOption, summary: 'prune: the fleet whose lock counts, instead of searching upwards' },
    outputOption,
    ...generalOptions,
  ],
  exitStatus: ['0 shown or cleaned up', '1 stackmason.lock is damaged', '2 wrong usage, or something failed'],
  examples: [
    { command: 'stackmason cache info', summary: 'where is it, and how large?' },
    { command: 'stackmason cache prune --max-size 500MiB --max-age 30d', summary: 'on a build machine' },
  ],
}
