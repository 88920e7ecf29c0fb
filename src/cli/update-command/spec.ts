import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, generalOptions, offlineOption, outputOption } from '../arguments/general-options.ts'

/** `stackmason update`. */
export const updateSpec: CommandSpec = {
  name: 'update',
  summary: 'move stackmason.lock to what the sources offer now',
  description: [
    'Chooses the releases that the fleet wants, each version that a ClusterStack lists, the newest stable one where it subscribes, and those that clusters ' +
      'use; reads them from their sources; resolves the charts that they depend on and do not vendor; brings all of it into the cache; and writes what ' +
      'it found, with the digest of every file, to stackmason.lock. Says what changed, and why a newer release was not taken.',
    'A published tag whose content changed keeps what the lock has, with a warning, unless --release names it. A release that cannot be read is skipped. ' +
      'Releases that nobody uses any more stay until --prune, and then until no rendered and no committed cluster uses them.',
  ],
  operands: [],
  options: [
    {
      name: 'stack',
      type: 'list',
      placeholder: 'NAME',
      completes: 'stacks',
      summary: 'move only this ClusterStack, NAME or NAMESPACE/NAME; may be repeated',
    },
    {
      name: 'release',
      type: 'list',
      placeholder: 'TAG',
      completes: 'releases',
      summary: 'move only this release, also if its content changed; may be repeated',
    },
    { name: 'prune', type: 'flag', summary: 'drop releases that nobody uses; prints first what goes with them' },
    { name: 'dry-run', type: 'flag', summary: 'say what would change, write nothing' },
    fleetOption,
    offlineOption,
    outputOption,
    ...generalOptions,
  ],
  exitStatus: [
    '0 the lock is up to date, or was moved',
    '1 the inputs or a release have errors; the lock is as it was',
    '2 wrong usage, or a source cannot be reached',
  ],
  examples: [
    { command: 'stackmason update', summary: 'take what is new, then review and commit stackmason.lock' },
    { command: 'stackmason update --dry-run --prune', summary: 'what is new, and what could go?' },
    { command: 'stackmason update --stack platform/openstack-scs2-1-34', summary: 'one ClusterStack' },
  ],
}
