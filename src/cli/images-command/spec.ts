import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, generalOptions, offlineOption } from '../arguments/general-options.ts'

/** `stackmason images`. */
export const imagesSpec: CommandSpec = {
  name: 'images',
  summary: 'list the node images that the fleet needs',
  description: [
    'Lists the images that machines of the fleet boot from: the releases that need them, how they get ' +
      'into the cloud, where that is declared, and how many clusters use them. HOW is release (the fleet ' +
      'uploads them), existing (someone else does), none (no image can be missing) or unknown (not ' +
      'declared).',
    'With -o openstack-image-manager it writes one file for openstack-image-manager, with which the ' +
      "operator of a cloud uploads them for everybody. Only images that are described in that program's " +
      'format are written, unchanged; a required field that is missing is an error. Reads the current ' +
      'inputs; writes nothing else.',
  ],
  operands: [],
  options: [
    {
      name: 'cluster',
      type: 'list',
      placeholder: 'NAME',
      completes: 'clusters',
      summary: 'only what the release of this cluster needs, NAME or NAMESPACE/NAME; may be repeated',
    },
    {
      name: 'stack',
      type: 'list',
      placeholder: 'NAME',
      completes: 'stacks',
      summary: 'only what this ClusterStack needs, NAME or NAMESPACE/NAME; may be repeated',
    },
    {
      name: 'release',
      type: 'list',
      placeholder: 'TAG',
      completes: 'releases',
      summary: 'only what this release needs; may be repeated',
    },
    fleetOption,
    offlineOption,
    {
      name: 'output',
      short: 'o',
      type: 'value',
      placeholder: 'FORMAT',
      choices: ['text', 'json', 'openstack-image-manager'],
      summary: 'format of the list on standard output: text, json or openstack-image-manager',
    },
    ...generalOptions,
  ],
  exitStatus: [
    '0 listed',
    '1 the inputs have errors, or an image cannot be exported',
    '2 wrong usage, or a source cannot be reached',
  ],
  examples: [
    { command: 'stackmason images', summary: 'everything that the fleet needs' },
    {
      command: 'stackmason images -o openstack-image-manager > images.yml',
      summary: 'then: openstack-image-manager --images images.yml',
    },
  ],
}
