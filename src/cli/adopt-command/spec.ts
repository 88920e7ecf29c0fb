import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, generalOptions, offlineOption, outputOption } from '../arguments/general-options.ts'

/** `stackmason adopt`. */
export const adoptSpec: CommandSpec = {
  name: 'adopt',
  summary: 'create a fleet repository from the clusters of the Cluster Stack Operator',
  description: [
    'Reads ClusterStacks, ClusterStackReleases, ClusterAddons and Clusters of a management cluster, as ' +
      '`kubectl get -o yaml` writes them, and writes a fleet repository that renders to the running ' +
      'objects: every cluster keeps its class and version, and no newer release is subscribed to. Reports ' +
      'what was left out, and why it may not be safe to move now. It contacts no cluster and overwrites no ' +
      'file.',
    'Secrets of a workload cluster, given as NAMESPACE/CLUSTER=FILE, are named in addons.yaml, so that ' +
      'they are not recreated. Their values are not read.',
    'With --compare the fleet is rendered in memory and compared, field by field, with the running ' +
      'objects. Metadata that says who applies an object is not compared. Values of Secrets are never ' +
      'shown.',
  ],
  operands: [
    {
      name: 'FILE',
      isOptional: true,
      isRepeated: true,
      completes: 'files',
      summary: 'objects of the management cluster, or NAMESPACE/CLUSTER=FILE; a folder stands for all its files',
    },
  ],
  options: [
    {
      name: 'out',
      type: 'value',
      placeholder: 'FOLDER',
      completes: 'folders',
      summary: 'folder of the new fleet repository',
    },
    {
      name: 'oci',
      type: 'value',
      placeholder: 'REPOSITORY',
      summary: 'releases come from this registry, HOST/PATH; OCI_REGISTRY and OCI_REPOSITORY by default',
    },
    {
      name: 'github',
      type: 'value',
      placeholder: 'OWNER/NAME',
      summary: 'releases come from this repository; GIT_ORG_NAME and GIT_REPOSITORY_NAME by default',
    },
    {
      name: 'directory',
      type: 'value',
      placeholder: 'FOLDER',
      completes: 'folders',
      summary: 'releases come from this folder, as in the local mode of the operator',
    },
    {
      name: 'compare',
      type: 'list',
      placeholder: 'FILE',
      completes: 'files',
      summary: 'compare the fleet with these objects, FILE or NAMESPACE/CLUSTER=FILE; may be repeated',
    },
    fleetOption,
    offlineOption,
    outputOption,
    ...generalOptions,
  ],
  exitStatus: [
    '0 written, or with --compare: nothing would change',
    '1 a file has errors or is in the way, or with --compare: something may change',
    '2 wrong usage, or something failed',
  ],
  examples: [
    {
      command: 'stackmason adopt management.yaml team-a/web=web-secrets.yaml --out fleet',
      summary: 'then: cd fleet && stackmason update && stackmason render',
    },
    {
      command: 'stackmason adopt --compare live-management.yaml --compare team-a/web=live-web.yaml',
      summary: 'in the fleet: would applying it change anything?',
    },
  ],
}
