import type { CommandSpec } from '../arguments/command-spec.ts'
import { generalOptions } from '../arguments/general-options.ts'

/** `stackmason completion`. */
export const completionSpec: CommandSpec = {
  name: 'completion',
  summary: 'write a completion script for a shell',
  description: [
    'Writes a script that makes a shell complete commands, options and their values. Names of clusters, ' +
      'stacks, releases and sources come from the files of the fleet, without network access.',
  ],
  operands: [{ name: 'SHELL', isOptional: false, choices: ['bash', 'zsh', 'fish'], summary: 'bash, zsh or fish' }],
  options: [...generalOptions],
  exitStatus: ['0 written', '2 wrong usage'],
  examples: [
    { command: 'source <(stackmason completion bash)', summary: 'bash, for this session' },
    { command: 'stackmason completion zsh > "${fpath[1]}/_stackmason"', summary: 'zsh, for good' },
    { command: 'stackmason completion fish > ~/.config/fish/completions/stackmason.fish', summary: 'fish, for good' },
  ],
}
