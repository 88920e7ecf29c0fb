import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, generalOptions, offlineOption, outputOption } from '../arguments/general-options.ts'

/** `stackmason update`. */
export const updateSpec: CommandSpec = {
  name: 'update',
  summary: 'move stackmason.lock to what the sources offer now',
  description: [
    'Chooses the releases that the fleet needs: each version that a ClusterStack lists, the newest stable ' +
      'one where it subscribes, and those that clusters use. Reads them from their sources, resolves the ' +
      'charts that they depend on and do not vendor, downloads everything into the cache, and writes the ' +
      'result, with the digest of every file, to stackmason.lock. Reports what changed, and why a newer ' +
      'release was not used.',
    'A published tag whose content has changed keeps its locked digest, with a warning, unless --release ' +
      'names it. A release that cannot be read is skipped. Unused releases stay until --prune, and then ' +
      'until no rendered and no committed cluster uses them.',
  ],
  operands: [],
  options: [
    {
      name: 'stack',
      type: 'list',
      placeholder: 'NAME',
      completes: 'stacks',
      summary: 'update only this ClusterStack, NAME or NAMESPACE/NAME; may be repeated',
    },
    {
      name: 'release',
      type: 'list',
      placeholder: 'TAG',
      completes: 'releases',
      summary: 'update only this release, even if its content has changed; may be repeated',
    },
    { name: 'prune', type: 'flag', summary: 'remove unused releases; shows first what is removed with them' },
    { name: 'dry-run', type: 'flag', summary: 'show what would change, write nothing' },
    fleetOption,
    offlineOption,
    outputOption,
    ...generalOptions,
  ],
  exitStatus: [
    '0 the lock is up to date, or was updated',
    '1 the inputs or a release have errors; the lock is unchanged',
    '2 wrong usage, or a source cannot be reached',
  ],
  examples: [
    { command: 'stackmason update', summary: 'lock new releases, then review and commit stackmason.lock' },
    { command: 'stackmason update --dry-run --prune', summary: 'what is new, and what could be pruned?' },
    { command: 'stackmason update --stack platform/openstack-scs2-1-34', summary: 'one ClusterStack' },
  ],
}
