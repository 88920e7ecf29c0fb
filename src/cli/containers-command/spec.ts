import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, formsOption, generalOptions, offlineOption } from '../arguments/general-options.ts'

/** `stackmason containers`. */
export const containersSpec: CommandSpec = {
  name: 'containers',
  summary: 'list the container images of the fleet, to mirror and scan them',
  description: [
    'Renders the fleet into memory, and lists every container image in it once, with the objects and clusters that use it. An image runs where a pod of the tree has it; it is ' +
      'mentioned where another object names it, such as a custom resource or an argument of an operator, and a program in the cluster may run it.',
    'names writes one reference on a line, for crane and scanners; skopeo and regsync what these programs copy images by; cyclonedx a bill of materials in JSON of CycloneDX 1.6. Not listed are images that no object names: what kubeadm pulls for the control plane and for ' +
      'each node. Images that machines boot from are listed by `stackmason images`.',
  ],
  operands: [],
  options: [
    {
      name: 'only',
      type: 'value',
      placeholder: 'USE',
      choices: ['run', 'mentioned'],
      summary: 'leave out the images that are mentioned only, or those that run',
    },
    {
      name: 'cluster',
      type: 'list',
      placeholder: 'NAME',
      completes: 'clusters',
      summary: 'only those of this cluster, NAME or NAMESPACE/NAME; may be repeated',
    },
    {
      name: 'stack',
      type: 'list',
      placeholder: 'NAME',
      completes: 'stacks',
      summary: 'only those of this ClusterStack, NAME or NAMESPACE/NAME; may be repeated',
    },
    fleetOption,
    offlineOption,
    formsOption(['names', 'skopeo', 'regsync', 'cyclonedx']),
    ...generalOptions,
  ],
  exitStatus: ['0 listed', '1 the fleet cannot be rendered', '2 wrong usage, or something failed'],
  examples: [
    { command: 'stackmason containers', summary: 'everything, with who uses it' },
    { command: 'stackmason containers -o names --only run > images.txt', summary: 'what pods of the tree run' },
    { command: 'stackmason containers --cluster team-a/web -o json', summary: 'those of one cluster, for programs' },
  ],
}
