import type { CommandSpec } from '../arguments/command-spec.ts'
import { generalOptions } from '../arguments/general-options.ts'

/** `stackmason init`. */
export const initSpec: CommandSpec = {
  name: 'init',
  summary: 'write a small fleet repository to start from',
  description: [
    'Writes a fleet repository that renders at once: a stack as a provider directory, a ClusterStack, and a cluster. Files that are there ' +
      'already are never changed; if one of them is in the way, nothing is written.',
    'With --engine the tree is one that Flux or Argo CD applies, and bootstrap/ holds the objects that point the GitOps tool at the repository: its first lines say how.',
  ],
  operands: [
    { name: 'FOLDER', isOptional: true, completes: 'folders', summary: 'where to; the working folder by default' },
  ],
  options: [
    {
      name: 'engine',
      type: 'value',
      placeholder: 'ENGINE',
      choices: ['flux', 'argocd'],
      summary: 'who applies the tree: flux or argocd; nobody by default',
    },
    {
      name: 'repository',
      type: 'value',
      placeholder: 'URL',
      summary: 'with --engine: where the GitOps tool finds the repository, without credentials',
    },
    ...generalOptions,
  ],
  exitStatus: ['0 written', '1 a file is in the way', '2 wrong usage, or something failed'],
  examples: [
    { command: 'stackmason init my-fleet', summary: 'then: cd my-fleet && stackmason render' },
    {
      command: 'stackmason init my-fleet --engine flux --repository https://git.example.com/my-fleet.git',
      summary: 'a fleet that Flux applies',
    },
  ],
}
