import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, generalOptions, outputOption } from '../arguments/general-options.ts'

/** `stackmason status`. */
export const statusSpec: CommandSpec = {
  name: 'status',
  summary: 'say how the clusters are, and why something is not ready',
  description: [
    'Compares the committed tree with the management cluster: for each cluster its release, the step that is live, its units, its values and its storage migrations; for each ' +
      'release its units, images and gates, and clusters that use its class although the fleet does not have them. What is not ready is explained in one ' +
      'sentence each.',
    'With --definition it says whether a version may be removed from a CustomResourceDefinition, and why.',
    'It only reads, and it reads no Secrets or ConfigMaps. It needs to list Clusters, the objects of the GitOps tool, RuntimeValues, NodeImageGates, StorageMigrations and Images.',
  ],
  operands: [],
  options: [
    {
      name: 'kubeconfig',
      type: 'value',
      placeholder: 'FILE',
      completes: 'files',
      summary: 'the management cluster; by default KUBECONFIG, ~/.kube/config, or the cluster that this pod runs in',
    },
    {
      name: 'context',
      type: 'value',
      placeholder: 'NAME',
      summary: 'a context of the kubeconfig, instead of its current one',
    },
    {
      name: 'cluster',
      type: 'list',
      placeholder: 'NAME',
      completes: 'clusters',
      summary: 'only this cluster and its release, NAME or NAMESPACE/NAME; may be repeated',
    },
    {
      name: 'definition',
      type: 'value',
      placeholder: 'NAME/VERSION',
      summary: 'may this version be removed, such as certificates.cert-manager.io/v1alpha2; nothing else is read',
    },
    {
      name: 'watch',
      short: 'w',
      type: 'flag',
      summary: 'look again every 5 seconds and show what has changed, until all is ready',
    },
    { name: 'timeout', type: 'value', placeholder: 'TIME', summary: 'with --watch: look no longer, such as 30m' },
    fleetOption,
    outputOption,
    ...generalOptions,
  ],
  exitStatus: [
    '0 all is ready, or the version may be removed',
    '1 something is not ready, the version may not be removed, or the fleet has errors',
    '2 wrong usage, or the management cluster cannot be read',
  ],
  examples: [
    { command: 'stackmason status --kubeconfig mgmt.yaml', summary: 'all clusters' },
    { command: 'stackmason status --cluster team-a/web --watch --timeout 30m', summary: 'wait for an upgrade' },
    { command: 'stackmason status --definition certificates.cert-manager.io/v1alpha2', summary: 'before an upgrade' },
  ],
}
