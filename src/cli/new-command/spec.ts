import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, generalOptions, offlineOption } from '../arguments/general-options.ts'

/** `stackmason new`. */
export const newSpec: CommandSpec = {
  name: 'new',
  summary: 'write the files of a new cluster or stack',
  description: [
    'cluster writes clusters/NAMESPACE/NAME/. With --like it copies the files of another cluster with their comments, gives them the new name, and leaves out what must be ' +
      'unique: endpoint, address ranges that no other cluster has, IDs, Secrets, and options.yaml. It lists what was left out and what to review. With --class it writes ' +
      'a cluster.yaml for a class, with the variables that the class requires.',
    'stack writes a provider directory: csctl.yaml, a chart for the class, and a chart for an addon. In a fleet it also writes a ClusterStack, and adds the directory ' +
      'to the sources in stackmason.yaml.',
    'Existing files are never overwritten; if one of them is in the way, nothing is written.',
  ],
  operands: [
    { name: 'WHAT', isOptional: false, choices: ['cluster', 'stack'], summary: 'cluster or stack' },
    { name: 'NAME', isOptional: false, summary: 'cluster: NAMESPACE/NAME; stack: PROVIDER/STACK' },
  ],
  options: [
    {
      name: 'like',
      type: 'value',
      placeholder: 'CLUSTER',
      completes: 'clusters',
      summary: 'cluster: the one to copy, NAME or NAMESPACE/NAME',
    },
    {
      name: 'class',
      type: 'value',
      placeholder: 'CLASS',
      completes: 'releases',
      summary: 'cluster: the class, or the tag of its release',
    },
    {
      name: 'set',
      type: 'list',
      placeholder: 'VARIABLE=VALUE',
      summary: 'with --class: the value of a variable, in YAML; may be repeated',
    },
    { name: 'pods', type: 'value', placeholder: 'CIDR', summary: 'cluster: the address range of its pods' },
    { name: 'services', type: 'value', placeholder: 'CIDR', summary: 'cluster: the address range of its services' },
    {
      name: 'endpoint',
      type: 'value',
      placeholder: 'HOST[:PORT]',
      summary: 'cluster: its control plane endpoint; port 6443 by default',
    },
    {
      name: 'kubernetes',
      short: 'k',
      type: 'value',
      placeholder: 'VERSION',
      summary: 'stack: its Kubernetes version; v1.34.7 by default',
    },
    {
      name: 'namespace',
      type: 'value',
      placeholder: 'NAMESPACE',
      summary: 'stack: the namespace of the ClusterStack; platform by default',
    },
    {
      name: 'no-fleet',
      type: 'flag',
      summary: 'stack: write the provider directory alone, below the working folder',
    },
    { name: 'dry-run', type: 'flag', summary: 'show the files, write nothing' },
    fleetOption,
    offlineOption,
    ...generalOptions,
  ],
  exitStatus: [
    '0 written; the output lists what to fill in or review',
    '1 a file is in the way, or the inputs have errors',
    '2 wrong usage, or something failed',
  ],
  examples: [
    {
      command: 'stackmason new cluster team-b/shop --like team-a/web --pods 10.245.0.0/16',
      summary: 'another cluster like web',
    },
    {
      command: 'stackmason new cluster team-a/web --class docker-starter-1-34-v1 --pods 10.244.0.0/16',
      summary: 'the first cluster of a class',
    },
    { command: 'stackmason new stack openstack/mine --kubernetes v1.34.7', summary: 'a stack to begin with' },
  ],
}
