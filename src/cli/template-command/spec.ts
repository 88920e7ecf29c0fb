import type { CommandSpec, OptionSpec } from '../arguments/command-spec.ts'
import { generalOptions } from '../arguments/general-options.ts'

/**
 * Flags of `helm template` that are refused with a reason; they are known so that their values are not taken for a
 * chart.
 */
const refusedFlags: readonly string[] = [
  'atomic',
  'create-namespace',
  'dependency-update',
  'devel',
  'disable-openapi-validation',
  'enable-dns',
  'force',
  'force-conflicts',
  'force-replace',
  'generate-name',
  'hide-notes',
  'hide-secret',
  'insecure-skip-tls-verify',
  'pass-credentials',
  'plain-http',
  'release-name',
  'render-subchart-notes',
  'replace',
  'rollback-on-failure',
  'skip-crds',
  'take-ownership',
  'validate',
  'verify',
  'wait-for-jobs',
]
const refusedValues: readonly string[] = [
  'ca-file',
  'cert-file',
  'description',
  'dry-run',
  'key-file',
  'keyring',
  'kube-context',
  'kubeconfig',
  'labels',
  'password',
  'post-renderer',
  'post-renderer-args',
  'repo',
  'server-side',
  'timeout',
  'username',
  'version',
  'wait',
]

const sets: readonly (readonly [string, string])[] = [
  ['set-json', 'a value in JSON, PATH=JSON, or a whole map'],
  ['set', 'values, PATH=VALUE[,PATH=VALUE…]'],
  ['set-string', 'values that stay strings'],
  ['set-file', 'values from files, PATH=FILE'],
  ['set-literal', 'one literal value'],
]

/** `stackmason template`. */
export const templateSpec: CommandSpec = {
  name: 'template',
  summary: 'render one chart, as helm template does',
  description: [
    'Renders a chart from disk and writes what `helm template` would write, byte for byte. Flags have ' +
      "Helm's names and meaning; flags that need a network, a cluster or another program are rejected. Key " +
      'material that the chart would generate is a preview, never a secret.',
  ],
  operands: [
    { name: 'NAME', isOptional: true, summary: 'name of the release; release-name by default' },
    { name: 'CHART', isOptional: false, completes: 'files', summary: 'folder or .tgz of the chart' },
  ],
  options: [
    { name: 'namespace', short: 'n', type: 'value', placeholder: 'NAME', summary: 'namespace of the release' },
    {
      name: 'values',
      short: 'f',
      type: 'list',
      placeholder: 'FILE',
      completes: 'files',
      summary: 'values file, - for standard input; may be repeated, the last wins',
    },
    ...sets.map(([name, summary]): OptionSpec => ({ name, type: 'list', placeholder: 'VALUE', summary })),
    { name: 'include-crds', type: 'flag', summary: 'write the files of crds/ too' },
    { name: 'no-hooks', type: 'flag', summary: 'leave out hooks' },
    { name: 'skip-tests', type: 'flag', summary: 'leave out test hooks' },
    { name: 'kube-version', type: 'value', placeholder: 'VERSION', summary: 'version of .Capabilities.KubeVersion' },
    {
      name: 'api-versions',
      short: 'a',
      type: 'list',
      placeholder: 'VERSION',
      summary: 'entry of .Capabilities.APIVersions; may be repeated',
    },
    {
      name: 'show-only',
      short: 's',
      type: 'list',
      placeholder: 'TEMPLATE',
      summary: 'only the output of this template; may be repeated',
    },
    { name: 'is-upgrade', type: 'flag', summary: 'set .Release.IsUpgrade instead of .Release.IsInstall' },
    { name: 'skip-schema-validation', type: 'flag', summary: 'do not check values against values.schema.json' },
    {
      name: 'name-template',
      type: 'value',
      placeholder: 'TEMPLATE',
      summary: 'Go template for the name of the release',
    },
    {
      name: 'output-dir',
      type: 'value',
      placeholder: 'FOLDER',
      completes: 'folders',
      summary: 'write a file for each template below this folder instead of standard output',
    },
    {
      name: 'helm-version',
      type: 'value',
      placeholder: 'VERSION',
      choices: ['3', '4'],
      summary: 'the Helm version to behave like, 3 or 4; 4 by default',
    },
    ...generalOptions,
    ...refusedFlags.map((name): OptionSpec => ({ name, type: 'flag', isHidden: true, summary: 'refused' })),
    ...refusedValues.map((name): OptionSpec => ({
      name,
      type: 'value',
      placeholder: 'VALUE',
      isHidden: true,
      summary: 'refused',
    })),
  ],
  exitStatus: ['0 written', '1 the chart or its values have errors', '2 wrong usage, or something failed'],
  examples: [
    {
      command: 'stackmason template cilium charts/cilium -n kube-system -f values.yaml',
      summary: 'like helm template with the same arguments',
    },
  ],
}
