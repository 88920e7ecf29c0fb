import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, formsOption, generalOptions, offlineOption } from '../arguments/general-options.ts'

/** `stackmason diff`. */
export const diffSpec: CommandSpec = {
  name: 'diff',
  summary: 'show what differs between two rendered trees, each change once',
  description: [
    'Compares two rendered trees object by object: what is dangerous first, then versions, then each change once with the clusters that have it. ' +
      'Order and formatting are no difference. Writes nothing.',
    'A tree is a revision of git (main, HEAD~1), a folder (./other/rendered), or `render`: what render would write now. Without FROM it is the last commit, ' +
      'without TO the files on disk.',
    'With --from and --to it renders the clusters of a release with both, and shows what an upgrade would change; the fleet stays as it is.',
  ],
  operands: [
    { name: 'FROM', isOptional: true, summary: 'the tree before; by default HEAD' },
    { name: 'TO', isOptional: true, summary: 'the tree after; by default the files on disk' },
  ],
  options: [
    {
      name: 'from',
      type: 'value',
      placeholder: 'RELEASE',
      completes: 'releases',
      summary: 'preview of an upgrade: the release that clusters have',
    },
    {
      name: 'to',
      type: 'value',
      placeholder: 'RELEASE',
      completes: 'releases',
      summary: 'preview of an upgrade: the release that they would get',
    },
    {
      name: 'cluster',
      type: 'list',
      placeholder: 'NAME',
      completes: 'clusters',
      summary: 'with --from and --to: this cluster, NAME or NAMESPACE/NAME; may be repeated',
    },
    {
      name: 'lock',
      type: 'value',
      placeholder: 'FILE',
      completes: 'files',
      summary: 'TO is what render would write with this lock',
    },
    { name: 'all', type: 'flag', summary: 'show all clusters, objects and fields by name' },
    { name: 'exit-code', type: 'flag', summary: 'end with 1 if there are differences' },
    { name: 'quiet', short: 'q', type: 'flag', summary: 'no text and no progress; implies --exit-code' },
    fleetOption,
    offlineOption,
    formsOption(['markdown', 'html']),
    ...generalOptions,
  ],
  exitStatus: [
    '0 compared, with or without differences',
    '1 with --exit-code or --quiet: there are differences',
    '2 wrong usage, or the trees cannot be compared',
  ],
  failureStatus: 2,
  examples: [
    { command: 'stackmason diff', summary: 'what the last render changed' },
    { command: 'stackmason diff origin/main HEAD', summary: 'what a branch changes' },
    {
      command: 'stackmason diff --from openstack-scs-1-33-v3 --to openstack-scs-1-34-v1',
      summary: 'what an upgrade would change',
    },
    { command: 'stackmason diff origin/main HEAD -o markdown', summary: 'the same for a pull request' },
    { command: 'stackmason diff origin/main HEAD -o html=diff.html', summary: 'the same as a page, for a browser' },
    { command: 'stackmason diff ../before/rendered ./rendered', summary: 'two folders' },
  ],
}
