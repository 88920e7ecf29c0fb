import type { CommandSpec } from '../arguments/command-spec.ts'
import {
  fleetOption,
  generalOptions,
  offlineOption,
  outputOption,
  runtimeValuesOption,
} from '../arguments/general-options.ts'

/** `stackmason render`. */
export const renderSpec: CommandSpec = {
  name: 'render',
  summary: 'render a fleet repository to plain manifests',
  description: [
    'Reads the fleet repository around the working folder, renders its cluster classes, clusters and addons, and writes one file per object ' +
      'into the output folder. Running it twice writes nothing the second time.',
    'Nothing is written when there is any error. Files that were edited by hand, and files that stackmason did not write, are never lost. ' +
      'A run that is killed is completed or rolled back by the next.',
  ],
  operands: [],
  options: [
    {
      name: 'check',
      type: 'flag',
      summary: 'write nothing; list the files that differ from what the inputs render to',
    },
    {
      name: 'base',
      type: 'value',
      placeholder: 'REVISION',
      summary:
        'the commit that the GitOps tool applies, HEAD by default: upgrades go on from its tree; with --check, no cluster may be two steps away from it',
    },
    fleetOption,
    {
      name: 'cluster',
      type: 'list',
      placeholder: 'NAME',
      completes: 'clusters',
      summary: 'only this cluster, NAME or NAMESPACE/NAME; may be repeated',
    },
    {
      name: 'stack',
      type: 'list',
      placeholder: 'NAME',
      completes: 'stacks',
      summary: 'only this ClusterStack, NAME or NAMESPACE/NAME; may be repeated',
    },
    runtimeValuesOption,
    { name: 'allow-empty', type: 'flag', summary: 'let something that had objects become empty' },
    {
      name: 'overwrite-edited',
      aliases: ['force'],
      type: 'flag',
      summary: 'give up the changes in rendered files that were edited by hand',
    },
    offlineOption,
    outputOption,
    { name: 'quiet', short: 'q', type: 'flag', summary: 'no progress and no summary' },
    ...generalOptions,
  ],
  exitStatus: [
    '0 rendered, or with --check: the tree is current',
    '1 the inputs have errors, or with --check: files differ',
    '2 wrong usage, or something failed',
  ],
  examples: [
    { command: 'stackmason render', summary: 'render everything' },
    { command: 'stackmason render --check', summary: 'in CI: is the committed tree current?' },
    {
      command: 'stackmason render --base origin/main',
      summary: 'on a branch: one step of an upgrade, however often it is corrected',
    },
    { command: 'stackmason render --cluster team-a/web', summary: 'one cluster, and what it needs' },
  ],
}
