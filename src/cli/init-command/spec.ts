import type { CommandSpec } from '../arguments/command-spec.ts'
import { generalOptions } from '../arguments/general-options.ts'

/** `stackmason init`. */
export const initSpec: CommandSpec = {
  name: 'init',
  summary: 'write a small fleet repository to start from',
  description: [
    'Writes a fleet repository that renders immediately: a stack as a provider directory, a ClusterStack, ' +
      'and a cluster. Existing files are never changed; if one of them is in the way, nothing is written.',
    'With --engine, Flux or Argo CD applies the tree, and bootstrap/ holds the objects that point the ' +
      'GitOps tool at the repository; their first lines say how. In a folder of a git repository that is there, ' +
      'paths for the tool count from the root of that repository.',
  ],
  operands: [
    {
      name: 'FOLDER',
      isOptional: true,
      completes: 'folders',
      summary: 'folder to write to; the working folder by default',
    },
  ],
  options: [
    {
      name: 'name',
      type: 'value',
      placeholder: 'NAME',
      summary:
        'name of the fleet, and with --engine of the objects in bootstrap/; fleet by default. Fleets in one management cluster need one each',
    },
    {
      name: 'empty',
      type: 'flag',
      summary: 'without the stack, the ClusterStack and the cluster to start from; see stackmason new',
    },
    {
      name: 'engine',
      type: 'value',
      placeholder: 'ENGINE',
      choices: ['flux', 'argocd'],
      summary: 'the GitOps tool that applies the tree: flux or argocd; none by default',
    },
    {
      name: 'repository',
      type: 'value',
      placeholder: 'URL',
      summary: 'with --engine: URL of the repository for the GitOps tool, without credentials',
    },
    {
      name: 'controller-image',
      type: 'value',
      placeholder: 'IMAGE',
      summary:
        'with --engine: make the controller part of the fleet, by this image; see stackmason controller manifests',
    },
    ...generalOptions,
  ],
  exitStatus: ['0 written', '1 a file is in the way', '2 wrong usage, or something failed'],
  examples: [
    { command: 'stackmason init my-fleet', summary: 'then: cd my-fleet && stackmason render' },
    { command: 'stackmason init my-fleet --empty', summary: 'then: stackmason new stack, stackmason new cluster' },
    {
      command: 'stackmason init my-fleet --engine flux --repository https://git.example.com/my-fleet.git',
      summary: 'a fleet that Flux applies',
    },
    {
      command: 'stackmason init blue --name blue --engine argocd',
      summary: 'one more fleet in a management cluster that has one',
    },
  ],
}
