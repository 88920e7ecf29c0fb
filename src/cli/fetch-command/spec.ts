import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, generalOptions, offlineOption, outputOption } from '../arguments/general-options.ts'

/** `stackmason fetch`. */
export const fetchSpec: CommandSpec = {
  name: 'fetch',
  summary: 'bring everything that stackmason.lock names into the cache',
  description: [
    'Fetches the release files and charts that the lock names and the cache lacks, each checked against its digest. After it `stackmason render --offline` ' +
      'needs no network. With --offline it only says what is missing.',
  ],
  operands: [],
  options: [fleetOption, offlineOption, outputOption, ...generalOptions],
  exitStatus: [
    '0 everything is in the cache',
    '1 something is not what the lock says',
    '2 wrong usage, something cannot be reached, or with --offline: something is missing',
  ],
  examples: [{ command: 'stackmason fetch && stackmason render --offline --check', summary: 'in CI' }],
}
