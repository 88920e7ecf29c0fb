import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, formsOption, generalOptions, offlineOption } from '../arguments/general-options.ts'

/** `stackmason variables`. */
export const variablesSpec: CommandSpec = {
  name: 'variables',
  summary: 'show the variables of cluster classes, or make a schema of them for editors',
  description: [
    'Lists what clusters of a class may set: each variable with its type, default, description, constraints and fields, and the clusters of the fleet that set it. Values of ' +
      'clusters are not shown. Without NAME all releases of the fleet are shown.',
    'schema writes a JSON Schema for cluster.yaml, with which an editor completes and checks a cluster against the class that it names: class, Kubernetes version, variables, ' +
      'classes of workers. Start cluster.yaml with `# yaml-language-server: $schema=PATH`.',
  ],
  operands: [
    {
      name: 'NAME',
      isOptional: true,
      completes: 'classes',
      summary:
        'a release (its tag or its class), a cluster (NAME or NAMESPACE/NAME), or a path that begins with ./ or /: a provider directory, or a folder of releases, without any fleet',
    },
  ],
  options: [fleetOption, offlineOption, formsOption(['markdown', 'schema']), ...generalOptions],
  exitStatus: ['0 listed', '1 a class cannot be read or rendered', '2 wrong usage, or something failed'],
  examples: [
    { command: 'stackmason variables docker-scs-1-34-v2', summary: 'those of one release' },
    { command: 'stackmason variables team-a/web', summary: 'those of the class of a cluster' },
    { command: 'stackmason variables ./providers/openstack/scs', summary: 'those of a provider directory' },
    {
      command: 'stackmason variables -o schema=.stackmason/cluster.json',
      summary: 'a schema for editors, of all classes of the fleet',
    },
  ],
}
