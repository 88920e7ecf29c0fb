import type { CommandSpec, OptionSpec } from '../arguments/command-spec.ts'
import { generalOptions } from '../arguments/general-options.ts'

const value = (name: string, placeholder: string, summary: string): OptionSpec => ({
  name,
  type: 'value',
  placeholder,
  summary,
})

/** `stackmason controller`. */
export const controllerSpec: CommandSpec = {
  name: 'controller',
  summary: 'publish what only running clusters know',
  description: [
    'run works on objects of the management cluster until it gets SIGTERM. It publishes the values that RuntimeValues ask for in ConfigMaps, ' +
      'where Flux reads them, and reports for each NodeImageGate whether its images are available. In a pod it uses the service account; elsewhere name a kubeconfig.',
    'manifests writes the objects that install it: CustomResourceDefinitions, roles with only the rights that it uses, and a Deployment that runs with the options of run ' +
      'that are given here. Apply them server-side.',
    'definitions writes only the CustomResourceDefinitions, for those who do its work by hand.',
    'Several may run with the same options: one of them works, the others wait for its lease. It logs lines of JSON to standard error.',
  ],
  operands: [
    {
      name: 'ACTION',
      isOptional: false,
      choices: ['run', 'manifests', 'definitions'],
      summary: 'run, manifests or definitions',
    },
  ],
  options: [
    {
      ...value('kubeconfig', 'FILE', 'the management cluster, instead of the one that this pod runs in'),
      completes: 'files',
    },
    value('context', 'NAME', 'a context of the kubeconfig, instead of its current one'),
    {
      ...value('kind', 'KIND', 'work on objects of this kind only, such as RuntimeValues; may be repeated'),
      type: 'list',
    },
    { ...value('namespace', 'NAME', 'work on objects of this namespace only; may be repeated'), type: 'list' },
    value('watch-filter', 'VALUE', 'work on objects with the label cluster.x-k8s.io/watch-filter=VALUE only'),
    value('shard', 'KEY', 'work on objects with the label stackmason.dev/shard=KEY, instead of those without it'),
    {
      ...value(
        'concurrency',
        '[KIND=]COUNT',
        'objects that are worked on at the same time, of each kind or, such as RuntimeValues=8, of one; 4 by default; may be repeated',
      ),
      type: 'list',
    },
    value(
      'argocd-namespace',
      'NAME',
      'write the cluster Secrets of Argo CD to this namespace, if RuntimeValues objects ask for them; by default Argo CD gets none',
    ),
    value('qps', 'COUNT', 'requests in a second to each API server; 50 by default'),
    value('burst', 'COUNT', 'requests at once after a pause; 100 by default'),
    value(
      'workload-watches',
      'COUNT',
      'workload clusters whose delivered Secrets are watched at the same time, over a connection each; 50 by default',
    ),
    value(
      'workload-check',
      'TIME',
      'after this time delivered Secrets and migrated definitions are looked at in each; 5m by default',
    ),
    value('retry-first', 'TIME', 'pause after a failure, doubled by each further one; 0.5s by default'),
    value('retry-most', 'TIME', 'the longest such pause; 5m by default'),
    value(
      'migration-settle',
      'TIME',
      'how long a definition must not have changed before its objects are rewritten; 1m by default',
    ),
    value('lease-namespace', 'NAME', 'where the lease is kept; by default the namespace of the pod or context'),
    value('lease-duration', 'TIME', 'a holder that is silent for so long has lost the lease; 15s by default'),
    value('lease-renew', 'TIME', 'a holder that cannot renew it for so long ends; 10s by default'),
    value('lease-retry', 'TIME', 'between two tries; 2s by default'),
    { name: 'no-lease', type: 'flag', summary: 'work without a lease, where no other instance runs' },
    value('health-address', 'ADDRESS', 'serve /healthz and /readyz on this address, such as :9440; by default none'),
    value(
      'metrics-address',
      'ADDRESS',
      'serve metrics for Prometheus at /metrics on this address, such as :9441; by default none',
    ),
    {
      ...value(
        'metrics-tls-cert',
        'FILE',
        'serve metrics over TLS with this certificate in PEM; the file may be replaced at any time',
      ),
      completes: 'files',
    },
    { ...value('metrics-tls-key', 'FILE', 'its private key in PEM'), completes: 'files' },
    {
      ...value('log-level', 'LEVEL', 'how much is logged: debug, info, warn or error; info by default'),
      choices: ['debug', 'info', 'warn', 'error'],
    },
    value('image', 'IMAGE', 'manifests: the image of the controller, with a tag or a digest'),
    {
      ...value('out', 'FOLDER', 'manifests: write files to this folder, instead of one text to standard output'),
      completes: 'folders',
    },
    value('install-namespace', 'NAME', 'manifests: where the controller runs; stackmason-system by default'),
    value('replicas', 'COUNT', 'manifests: instances, of which one works; 2 by default'),
    {
      name: 'no-secrets',
      type: 'flag',
      summary: 'manifests: no rights on Secrets, so it makes none and reaches no workload cluster',
    },
    {
      ...value(
        'source',
        'RESOURCE.GROUP',
        'manifests: let it read values from these objects too, such as awsclusters.infrastructure.cluster.x-k8s.io; may be repeated',
      ),
      type: 'list',
    },
    {
      ...value(
        'migrate',
        'RESOURCE.GROUP',
        'manifests: let it migrate these objects, such as machines.cluster.x-k8s.io; may be repeated',
      ),
      type: 'list',
    },
    {
      ...value('env', 'NAME=VALUE', 'manifests: a variable of its environment, such as HTTPS_PROXY; may be repeated'),
      type: 'list',
    },
    {
      ...value('pull-secret', 'NAME', 'manifests: Secret with credentials for the registry; may be repeated'),
      type: 'list',
    },
    value('metrics-secret', 'NAME', 'manifests: Secret with tls.crt and tls.key, to serve metrics over TLS'),
    {
      name: 'flow-schema',
      type: 'flag',
      summary:
        'manifests: a FlowSchema by which an overloaded API server still serves its lease; needs Kubernetes 1.29',
    },
    ...generalOptions,
  ],
  exitStatus: ['0 ended by SIGTERM; or written', '2 wrong usage, no access to an API server, or the lease was lost'],
  examples: [
    { command: 'stackmason controller run', summary: 'in a pod' },
    {
      command: 'stackmason controller manifests --image IMAGE | kubectl apply --server-side -f -',
      summary: 'install it',
    },
    { command: 'stackmason controller run --kubeconfig mgmt.yaml --no-lease', summary: 'from a shell, to try it' },
  ],
}
