import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, generalOptions, offlineOption, outputOption } from '../arguments/general-options.ts'

/** `stackmason fetch`. */
export const fetchSpec: CommandSpec = {
  name: 'fetch',
  summary: 'download everything in stackmason.lock into the cache',
  description: [
    'Fetches the release files and charts that are in the lock but not in the cache, and verifies their ' +
      'digests; compares releases in folders with the lock. Afterwards `stackmason render --offline` needs ' +
      'no network. With --offline it only lists what is missing. A fleet whose sources are all folders of ' +
      'this machine needs no lock, and nothing is fetched.',
  ],
  operands: [],
  options: [fleetOption, offlineOption, outputOption, ...generalOptions],
  exitStatus: [
    '0 everything is in the cache',
    '1 something differs from the lock',
    '2 wrong usage, something cannot be reached, or with --offline: something is missing',
  ],
  examples: [{ command: 'stackmason fetch && stackmason render --offline --check', summary: 'in CI' }],
}
