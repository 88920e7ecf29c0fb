import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, generalOptions, offlineOption, outputOption } from '../arguments/general-options.ts'

/** `stackmason build`. */
export const buildSpec: CommandSpec = {
  name: 'build',
  summary: 'build releases from a provider directory, and publish them',
  description: [
    'Builds a release as `csctl create` does: it packs and names the charts, replaces build placeholders ' +
      'such as << .ClusterClassVersion >>, and writes hashes.json and metadata.yaml, into a folder named ' +
      'after the tag. Equal directories give equal bytes on every machine. Each release is read back, and its class ' +
      'and addons are rendered for a sample Cluster, before anything is written; --dry-run does that alone.',
    'The version is the next stable one after the newest release in the output folder, or at --registry ' +
      'or --source; if nothing that ships has changed since, nothing is built. --mode hash derives it from ' +
      'the content, --version sets it.',
    'With --kubernetes or --all one release is built for each chosen row of the version table. With ' +
      '--push the releases go to a registry; an existing tag is never replaced.',
  ],
  operands: [
    { name: 'DIRECTORY', isOptional: false, completes: 'folders', summary: 'the provider directory, with csctl.yaml' },
  ],
  options: [
    {
      name: 'mode',
      short: 'm',
      type: 'value',
      placeholder: 'MODE',
      choices: ['stable', 'hash'],
      summary: 'how to choose the version: stable (the default) or hash',
    },
    { name: 'version', type: 'value', placeholder: 'VERSION', summary: 'this version, such as v3 or v0-custom.abc' },
    {
      name: 'addon-version',
      type: 'value',
      placeholder: 'VERSION',
      summary: 'version of the addons, if it is not that of --version',
    },
    {
      name: 'node-image-version',
      type: 'value',
      placeholder: 'VERSION',
      summary: 'version of the node images, if it is not that of --version',
    },
    {
      name: 'kubernetes',
      short: 'k',
      type: 'list',
      placeholder: 'VERSION',
      summary: 'build for this row of the version table, 1.34 or 1.34.7; may be repeated',
    },
    { name: 'all', type: 'flag', summary: 'build for every row of the version table' },
    {
      name: 'table',
      type: 'value',
      placeholder: 'FILE',
      completes: 'files',
      summary: 'the version table; versions.yaml of the directory by default',
    },
    {
      name: 'out',
      type: 'value',
      placeholder: 'FOLDER',
      completes: 'folders',
      summary: 'output folder; .release by default',
    },
    { name: 'overwrite', type: 'flag', summary: 'replace a release in the output folder that has other content' },
    {
      name: 'index',
      type: 'flag',
      summary: 'write index.json, so that a web server can serve the output folder as a source',
    },
    {
      name: 'registry',
      type: 'value',
      placeholder: 'REPOSITORY',
      summary: 'look for the newest release there, and push there: oci://host/path',
    },
    {
      name: 'source',
      type: 'value',
      placeholder: 'NAME',
      completes: 'sources',
      summary: 'the same with a source of the fleet; only registries can be pushed to',
    },
    {
      name: 'push',
      type: 'flag',
      summary: 'push to --registry or --source, else to OCI_REGISTRY and OCI_REPOSITORY',
    },
    { name: 'plain-http', type: 'flag', summary: 'reach --registry without TLS' },
    {
      name: 'ca-file',
      type: 'value',
      placeholder: 'FILE',
      completes: 'files',
      summary: 'certificates in PEM to trust for --registry, besides the built-in ones',
    },
    { name: 'dry-run', type: 'flag', summary: 'show what would be built and pushed, write nothing' },
    fleetOption,
    offlineOption,
    outputOption,
    ...generalOptions,
  ],
  exitStatus: [
    '0 built, or nothing has changed, or the same release exists already',
    '1 the directory has errors, or a tag is taken by other content',
    '2 wrong usage, or a registry or folder cannot be reached',
  ],
  examples: [
    { command: 'stackmason build providers/openstack/scs2', summary: 'the next version, into .release' },
    { command: 'stackmason build providers/openstack/scs2 --mode hash', summary: 'a development version' },
    {
      command: 'stackmason build providers/openstack/scs2 --all --push --registry oci://registry.example/stacks',
      summary: 'the next version for every Kubernetes version of versions.yaml, published',
    },
  ],
}
