import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, generalOptions, offlineOption, outputOption } from '../arguments/general-options.ts'

/** `stackmason list`. */
export const listSpec: CommandSpec = {
  name: 'list',
  summary: 'list the releases that the sources offer, and the charts of own addons',
  description: [
    "Lists the releases of the fleet's sources with their Kubernetes version, publication date and " +
      'digest, whether they are locked, and which clusters use them: during an upgrade both the release that is ' +
      'wanted and those that the committed tree holds. A source that cannot be listed does not hide the ' +
      'others. Below that, it lists the charts of repositories that own addons (addons.yaml) ' +
      'use, with the requested and the locked version. With --stack or --source only releases are listed.',
  ],
  operands: [],
  options: [
    {
      name: 'stack',
      type: 'list',
      placeholder: 'NAME',
      completes: 'stacks',
      summary: 'only releases for this ClusterStack, NAME or NAMESPACE/NAME; may be repeated',
    },
    {
      name: 'source',
      type: 'list',
      placeholder: 'NAME',
      completes: 'sources',
      summary: 'only this source; may be repeated',
    },
    fleetOption,
    offlineOption,
    outputOption,
    ...generalOptions,
  ],
  exitStatus: ['0 listed', '1 the inputs have errors', '2 wrong usage, or a source cannot be reached'],
  examples: [
    { command: 'stackmason list', summary: 'everything on offer' },
    { command: 'stackmason list --stack openstack-scs2-1-34 -o json', summary: 'for a script' },
  ],
}
