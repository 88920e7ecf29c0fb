import { adoptCommand } from './adopt-command.ts'
import { buildCommand } from './build-command.ts'
import { cacheCommand } from './cache-command.ts'
import type { CommandSpec } from './command-spec.ts'
import { explainCommand } from './explain-command.ts'
import { fleetOption, generalOptions, offlineOption, outputOption, runtimeValuesOption } from './general-options.ts'
import { imagesCommand } from './images-command.ts'
import { initCommand } from './init-command.ts'
import { templateCommand } from './template-command.ts'
import { fetchCommand, listCommand, updateCommand } from './update-command.ts'

const render: CommandSpec = {
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
        'the commit that the engine applies, HEAD by default: upgrades go on from its tree; with --check, no cluster may be two steps away from it',
    },
    fleetOption,
    {
      name: 'cluster',
      type: 'list',
      placeholder: 'NAME',
      summary: 'only this cluster, NAME or NAMESPACE/NAME; may be repeated',
    },
    {
      name: 'stack',
      type: 'list',
      placeholder: 'NAME',
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

const completion: CommandSpec = {
  name: 'completion',
  summary: 'write a completion script for a shell',
  description: ['Writes a script that makes a shell complete commands, options and their values.'],
  operands: [{ name: 'SHELL', isOptional: false, choices: ['bash', 'zsh', 'fish'], summary: 'bash, zsh or fish' }],
  options: [...generalOptions],
  exitStatus: ['0 written', '2 wrong usage'],
  examples: [
    { command: 'source <(stackmason completion bash)', summary: 'bash, for this session' },
    { command: 'stackmason completion zsh > "${fpath[1]}/_stackmason"', summary: 'zsh, for good' },
    { command: 'stackmason completion fish > ~/.config/fish/completions/stackmason.fish', summary: 'fish, for good' },
  ],
}

const version: CommandSpec = {
  name: 'version',
  summary: 'write the version',
  description: ['Writes the version of stackmason, and with -o json also of the Helm that it follows.'],
  operands: [],
  options: [outputOption, ...generalOptions],
  exitStatus: ['0 written', '2 wrong usage'],
  examples: [],
}

const help: CommandSpec = {
  name: 'help',
  summary: 'show help for a command',
  description: ['Shows the same as the option --help of the command.'],
  operands: [{ name: 'COMMAND', isOptional: true, summary: 'name of a command; all are listed by default' }],
  options: [...generalOptions],
  exitStatus: ['0 written', '2 wrong usage'],
  examples: [],
}

/** Every command, in the order in which help lists them. */
export const commandTable: readonly CommandSpec[] = [
  render,
  updateCommand,
  fetchCommand,
  listCommand,
  cacheCommand,
  buildCommand,
  imagesCommand,
  explainCommand,
  templateCommand,
  adoptCommand,
  initCommand,
  completion,
  version,
  help,
]
