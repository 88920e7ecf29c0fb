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
    'Reads the fleet repository around the working folder, renders its cluster classes, clusters and ' +
      'addons, and writes one file per object into the output folder. A second run writes nothing.',
    'If there is any error, nothing is written. Files that were edited by hand, and files that stackmason ' +
      'did not write, are never lost. The next run completes or rolls back a run that was killed.',
    'Several machines can share the work: each renders a shard into a folder (--shard), and one run joins all shards (--join). The joining run writes, reports and exits like a run without shards; it also reports the errors of all clusters.',
  ],
  operands: [],
  options: [
    {
      name: 'check',
      type: 'flag',
      summary: 'write nothing; list the files that differ from the output',
    },
    {
      name: 'base',
      type: 'value',
      placeholder: 'REVISION',
      summary:
        'the commit that the GitOps tool applies, HEAD by default: upgrades continue from its tree; with --check, no cluster may be two steps ahead of it',
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
    { name: 'allow-empty', type: 'flag', summary: 'allow an output that had objects to become empty' },
    {
      name: 'overwrite-edited',
      aliases: ['force'],
      type: 'flag',
      summary: 'discard manual edits of rendered files',
    },
    {
      name: 'shard',
      type: 'value',
      placeholder: 'I/N',
      summary: 'render only every N-th cluster, from the I-th on, for a join: 1/4, 2/4, 3/4 and 4/4 are a whole fleet',
    },
    {
      name: 'shard-folder',
      type: 'value',
      placeholder: 'FOLDER',
      completes: 'folders',
      summary: 'where --shard puts a folder with what it rendered; never the output folder',
    },
    {
      name: 'join',
      type: 'list',
      placeholder: 'FOLDER',
      completes: 'folders',
      summary: 'take the clusters from the shards in this folder instead of rendering them; may be repeated',
    },
    {
      name: 'threads',
      type: 'value',
      placeholder: 'COUNT',
      summary:
        'render clusters in COUNT threads at once, 0 for none beside the main one; default: one less than there are processors, 4 at most, from 300 clusters on',
    },
    {
      name: 'no-cache',
      type: 'flag',
      summary: 'render everything again, and ignore what earlier runs left in the cache',
    },
    offlineOption,
    outputOption,
    { name: 'quiet', short: 'q', type: 'flag', summary: 'no progress and no summary' },
    ...generalOptions,
  ],
  exitStatus: [
    '0 rendered, or with --check: the tree is up to date; or with --shard: the shard is written',
    '1 the inputs have errors, or with --check: files differ',
    '2 wrong usage, or something failed',
  ],
  examples: [
    { command: 'stackmason render', summary: 'render everything' },
    { command: 'stackmason render --check', summary: 'in CI: is the committed tree up to date?' },
    {
      command: 'stackmason render --base origin/main',
      summary: 'on a branch: one step of an upgrade, however often it is corrected',
    },
    {
      command: 'stackmason render --cluster team-a/web',
      summary: 'the folders of one cluster, to look at a change: render all before a commit',
    },
    {
      command: 'stackmason render --shard 2/4 --shard-folder shards',
      summary: 'a quarter of a large fleet, in one of four jobs',
    },
    { command: 'stackmason render --join shards', summary: 'the tree of all four, when they have ended' },
  ],
}
