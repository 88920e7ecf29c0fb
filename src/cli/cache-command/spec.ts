import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, generalOptions, outputOption } from '../arguments/general-options.ts'

/** `stackmason cache`. */
export const cacheSpec: CommandSpec = {
  name: 'cache',
  summary: 'show or prune the cache of fetched files',
  description: [
    'info shows where the cache is and what it holds. prune removes the least recently used files and git ' +
      'repositories until the cache is within the bounds, and files that killed runs left. Inside a fleet ' +
      'it keeps everything in stackmason.lock; everywhere it keeps what was used in the last ten minutes. ' +
      'Other runs may continue meanwhile.',
    'The cache is in STACKMASON_CACHE, else in stackmason below XDG_CACHE_HOME, else in ' +
      '~/.cache/stackmason. Both variables take absolute paths: a relative STACKMASON_CACHE is refused, a ' +
      'relative XDG_CACHE_HOME counts as not set. Runs that fetch prune it to 2GiB automatically, once a day. To drop it, delete ' +
      'the folder.',
  ],
  operands: [{ name: 'ACTION', isOptional: false, choices: ['info', 'prune'], summary: 'info or prune' }],
  options: [
    {
      name: 'max-size',
      type: 'value',
      placeholder: 'SIZE',
      summary: 'prune: maximum size of the cache, such as 500MiB; 2GiB by default',
    },
    {
      name: 'max-age',
      type: 'value',
      placeholder: 'AGE',
      summary: 'prune: remove files that were not used for this long, such as 30d or 12h',
    },
    { ...fleetOption, summary: 'prune: the fleet whose lock is kept, instead of searching upwards' },
    outputOption,
    ...generalOptions,
  ],
  exitStatus: ['0 shown or pruned', '1 stackmason.lock is damaged', '2 wrong usage, or something failed'],
  examples: [
    { command: 'stackmason cache info', summary: 'where is it, and how large?' },
    { command: 'stackmason cache prune --max-size 500MiB --max-age 30d', summary: 'on a build machine' },
  ],
}
