import { describe, expect, test } from 'vitest'
import { compareTexts, compareUnits, shownTexts } from './compare-texts.ts'

const path = 'clusters/team-a/web/addons/01-some/x.yaml'

const head = (apiVersion: string, kind: string, more = ''): string =>
  `apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: x, namespace: apps${more}}`
const marked = (annotation: string): string =>
  `{${head('v1', 'ConfigMap', annotation === '' ? '' : `, annotations: {${annotation}}`)}}`
const flux = (spec: string): string => `{${head('kustomize.toolkit.fluxcd.io/v1', 'Kustomization')}, spec: {${spec}}}`
const git = (spec: string): string => `{${head('source.toolkit.fluxcd.io/v1', 'GitRepository')}, spec: {${spec}}}`
const application = (spec: string): string => `{${head('argoproj.io/v1alpha1', 'Application')}, spec: {${spec}}}`
const set = (spec: string): string => `{${head('argoproj.io/v1alpha1', 'ApplicationSet')}, spec: {${spec}}}`
const list = (more: string): string => `{apiVersion: kustomize.config.k8s.io/v1beta1, kind: Kustomization${more}}`
const deployment = (spec: string): string => `{${head('apps/v1', 'Deployment')}, spec: {${spec}}}`
const pod = (spec: string): string => deployment(`template: {spec: {${spec}}}`)
const container = (context: string): string => pod(`containers: [{name: c, securityContext: {${context}}}]`)
const service = (spec: string): string => `{${head('v1', 'Service')}, spec: {${spec}}}`
const policy = (spec: string): string => `{${head('networking.k8s.io/v1', 'NetworkPolicy')}, spec: {${spec}}}`
const hook = (webhooks: string): string =>
  `{${head('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration')}, webhooks: [${webhooks}]}`
const cluster = (topology: string): string =>
  `{${head('cluster.x-k8s.io/v1beta2', 'Cluster')}, spec: {topology: {${topology}}}}`
const namespace = (labels: string): string =>
  `{apiVersion: v1, kind: Namespace, metadata: {name: apps, labels: {${labels}}}}`

interface Case {
  readonly what: string
  readonly before: string
  /** '': it goes. */
  readonly after: string
  /** `risk: what exactly`; none: nothing is said. */
  readonly want: readonly string[]
}

const cases: readonly Case[] = [
  // Flux
  ...['path: ./a', 'sourceRef: {name: a}', 'kubeConfig: {secretRef: {name: a}}', 'targetNamespace: a'].map(
    (field): Case => ({
      what: `another ${field} of a Kustomization`,
      before: flux(field),
      after: flux(field.replace(/a(?=\}*$)/, 'b')),
      want: [`redirects: ${field.slice(0, field.indexOf(':'))}`],
    }),
  ),
  {
    what: 'a Kustomization that is applied to another server',
    before: flux('kubeConfig: {secretRef: {name: a}}'),
    after: flux(''),
    want: ['redirects: kubeConfig gone'],
  },
  { what: 'patches', before: flux(''), after: flux('patches: [{patch: x}]'), want: ['rewrites: patches new'] },
  {
    what: 'prune on',
    before: flux('prune: false'),
    after: flux('prune: true'),
    want: ['may-delete: prune false -> true'],
  },
  {
    what: 'prune off',
    before: flux('prune: true'),
    after: flux('prune: false'),
    want: ['changes-unit: prune true -> false'],
  },
  { what: 'force', before: flux(''), after: flux('force: true'), want: ['may-delete: force unset -> true'] },
  { what: 'no force', before: flux('force: true'), after: flux(''), want: [] },
  {
    what: 'no waiting for others',
    before: flux('dependsOn: [{name: a}]'),
    after: flux(''),
    want: ['changes-unit: dependsOn gone'],
  },
  {
    what: 'a unit that deletes what it applied when it goes',
    before: flux('deletionPolicy: Orphan'),
    after: flux('deletionPolicy: Delete'),
    want: ['may-delete: deletionPolicy Orphan -> Delete'],
  },
  {
    what: 'a unit that leaves what it applied when it goes',
    before: flux('deletionPolicy: Delete'),
    after: flux('deletionPolicy: Orphan'),
    want: ['changes-unit: deletionPolicy Delete -> Orphan'],
  },
  { what: 'how often a unit looks', before: flux('interval: 1h'), after: flux('interval: 2h'), want: [] },
  { what: 'another branch', before: git('ref: {branch: a}'), after: git('ref: {branch: b}'), want: ['redirects: ref'] },
  {
    what: 'a source that is not verified',
    before: git('verify: {mode: HEAD}'),
    after: git(''),
    want: ['lowers-guard: verify gone'],
  },
  // Argo CD
  {
    what: 'another destination and project',
    before: application('destination: {name: a}, project: a'),
    after: application('destination: {name: b}, project: b'),
    want: ['redirects: destination', 'redirects: project'],
  },
  {
    what: 'another path, and patches',
    before: application('source: {path: a}'),
    after: application('source: {path: b, kustomize: {patches: [{patch: x}]}}'),
    want: ['redirects: source.path', 'rewrites: source.kustomize new'],
  },
  {
    what: 'prune of an Application',
    before: application('syncPolicy: {automated: {prune: false}}'),
    after: application('syncPolicy: {automated: {prune: true}}'),
    want: ['may-delete: syncPolicy.automated.prune false -> true'],
  },
  {
    what: 'an Application that replaces',
    before: application(''),
    after: application('syncPolicy: {syncOptions: [Replace=true]}'),
    want: ['may-delete: syncPolicy.syncOptions new'],
  },
  {
    what: 'differences that are ignored',
    before: application(''),
    after: application('ignoreDifferences: [{kind: Secret}]'),
    want: ['changes-unit: ignoreDifferences new'],
  },
  {
    what: 'the destination of the Applications of a set',
    before: set('template: {spec: {destination: {name: a}}}'),
    after: set('template: {spec: {destination: {name: b}}}'),
    want: ['redirects: template.spec.destination'],
  },
  // marks
  ...['kustomize.toolkit.fluxcd.io/prune: disabled', 'helm.sh/resource-policy: keep'].flatMap(
    (mark): readonly Case[] => [
      {
        what: `${mark} that comes`,
        before: marked(''),
        after: marked(mark),
        want: [`changes-unit: ${mark.split(':')[0] ?? ''} set`],
      },
      {
        what: `${mark} that goes`,
        before: marked(mark),
        after: marked(''),
        want: [`lowers-guard: ${mark.split(':')[0] ?? ''} gone`],
      },
    ],
  ),
  {
    what: 'an object that its unit leaves alone',
    before: marked(''),
    after: marked('kustomize.toolkit.fluxcd.io/reconcile: disabled'),
    want: ['suspends: kustomize.toolkit.fluxcd.io/reconcile set'],
  },
  {
    what: 'an object that Argo CD may delete again',
    before: marked('argocd.argoproj.io/sync-options: Prune=false'),
    after: marked('argocd.argoproj.io/sync-options: ServerSideApply=true'),
    want: ['lowers-guard: argocd.argoproj.io/sync-options gone'],
  },
  // scale
  {
    what: 'no pods',
    before: deployment('replicas: 2'),
    after: deployment('replicas: 0'),
    want: ['scales-to-zero: replicas'],
  },
  { what: 'fewer pods', before: deployment('replicas: 2'), after: deployment('replicas: 1'), want: [] },
  {
    what: 'no machines of a pool',
    before: cluster('workers: {machineDeployments: [{name: a, replicas: 3}]}'),
    after: cluster('workers: {machineDeployments: [{name: a, replicas: 0}]}'),
    want: ['scales-to-zero: pool a'],
  },
  {
    what: 'no control plane',
    before: cluster('controlPlane: {replicas: 3}'),
    after: cluster('controlPlane: {replicas: 0}'),
    want: ['scales-to-zero: controlPlane'],
  },
  // budgets and quotas: a change that guards more is no danger
  ...(
    [
      ['minAvailable: 1', 'minAvailable: 2', 'refuses-more: minAvailable 1 -> 2'],
      ['minAvailable: 2', 'minAvailable: 1', 'lowers-guard: minAvailable 2 -> 1'],
      ['minAvailable: 50%', 'minAvailable: 60%', 'refuses-more: minAvailable 50% -> 60%'],
      ['minAvailable: 50%', 'minAvailable: 5', 'lowers-guard: minAvailable 50% -> 5'],
      ['maxUnavailable: 2', 'maxUnavailable: 1', 'refuses-more: maxUnavailable 2 -> 1'],
      ['maxUnavailable: 1', 'maxUnavailable: 100%', 'lowers-guard: maxUnavailable 1 -> 100%'],
      ['maxUnavailable: 20%', 'maxUnavailable: 30%', 'lowers-guard: maxUnavailable 20% -> 30%'],
      ['maxUnavailable: 1', 'a: b', 'lowers-guard: spec.a, spec.maxUnavailable'],
      ['maxUnavailable: 1', '', 'lowers-guard: maxUnavailable 1 -> unset'],
      ['', 'maxUnavailable: 1', 'refuses-more: maxUnavailable unset -> 1'],
      ['minAvailable: 1', 'maxUnavailable: 1', 'lowers-guard: spec.maxUnavailable, spec.minAvailable'],
      [
        'minAvailable: 1, selector: {matchLabels: {a: b}}',
        'minAvailable: 2, selector: {matchLabels: {a: c}}',
        'lowers-guard: spec.minAvailable, spec.selector',
      ],
      ['', 'unhealthyPodEvictionPolicy: AlwaysAllow', 'lowers-guard: unhealthyPodEvictionPolicy'],
      ['unhealthyPodEvictionPolicy: AlwaysAllow', '', 'refuses-more: unhealthyPodEvictionPolicy'],
      ['unhealthyPodEvictionPolicy: IfHealthyBudget', '', ''],
    ] as const
  ).map(([before, after, want]): Case => ({
    what: `a budget with ${before} that gets ${after}`,
    before: `{${head('policy/v1', 'PodDisruptionBudget')}, spec: {${before}}}`,
    after: `{${head('policy/v1', 'PodDisruptionBudget')}, spec: {${after}}}`,
    want: want === '' ? [] : want.split(', ').map((text) => (text.includes(': ') ? text : `lowers-guard: ${text}`)),
  })),
  ...(
    [
      ['pods: 10', 'pods: 5', 'refuses-more: pods 10 -> 5'],
      ['pods: 10', 'pods: 20', 'lowers-guard: pods 10 -> 20'],
      ['requests.cpu: 1000m', 'requests.cpu: 500m', 'refuses-more: requests.cpu 1000m -> 500m'],
      ['requests.cpu: 1000m', 'requests.cpu: "2"', 'lowers-guard: requests.cpu 1000m -> 2'],
      ['pods: 10', '', 'lowers-guard: pods 10 -> unset'],
      ['', 'pods: 10', 'refuses-more: pods unset -> 10'],
    ] as const
  ).map(([before, after, want]): Case => ({
    what: `a quota with ${before} that gets ${after}`,
    before: `{${head('v1', 'ResourceQuota')}, spec: {hard: {${before}}}}`,
    after: `{${head('v1', 'ResourceQuota')}, spec: {hard: {${after}}}}`,
    want: [want],
  })),
  // rights by which somebody gets more than they say
  ...(
    [
      ['verbs: [get], resources: [configmaps]', 'verbs: [get, list], resources: [configmaps]', []],
      ['verbs: [get], resources: [configmaps]', 'verbs: [get, list], resources: [secrets]', ['get, list secrets']],
      [
        'verbs: [get], resources: [configmaps]',
        'verbs: [get, list, update, delete], resources: [configmaps]',
        ['update, delete configmaps'],
      ],
      ['verbs: [get], resources: [secrets]', 'verbs: [get, list], resources: [secrets]', ['list secrets']],
      ['verbs: ["*"], resources: [secrets]', 'verbs: [get, list], resources: [secrets]', undefined],
      [
        'verbs: [get], resources: [pods]',
        'verbs: [get, create], resources: [pods, pods/exec]',
        ['get, create pods/exec', 'create pods'],
      ],
      ['verbs: [get], resources: [secrets], resourceNames: [a]', 'verbs: [get], resources: [secrets]', ['get secrets']],
      ['verbs: [get], resources: [pods]', 'verbs: [get], resources: [secrets], resourceNames: [a]', []],
      ['verbs: [get], resources: [users]', 'verbs: [get, impersonate], resources: [users]', ['impersonate users']],
      ['verbs: ["*"], resources: [pods]', 'verbs: ["*"], resources: [pods, secrets]', ['* secrets']],
    ] as const
  ).map(([before, after, want]): Case => ({
    what: `a role with ${before} that gets ${after}`,
    before: `{${head('rbac.authorization.k8s.io/v1', 'Role')}, rules: [{apiGroups: [""], ${before}}]}`,
    after: `{${head('rbac.authorization.k8s.io/v1', 'Role')}, rules: [{apiGroups: [""], ${after}}]}`,
    want: want === undefined ? [] : want.map((text) => `widens-rights: ${text}`),
  })),
  ...(
    [
      ['roles', 'patch', 'patch roles'],
      ['clusterroles', 'escalate', 'escalate clusterroles'],
      ['roles', 'get', ''],
    ] as const
  ).map(([resource, verb, want]): Case => ({
    what: `a role that may ${verb} ${resource}`,
    before: `{${head('rbac.authorization.k8s.io/v1', 'Role')}, rules: []}`,
    after: `{${head('rbac.authorization.k8s.io/v1', 'Role')}, rules: [{apiGroups: [rbac.authorization.k8s.io], resources: [${resource}], verbs: [${verb}]}]}`,
    want: want === '' ? [] : [`widens-rights: ${want}`],
  })),
  {
    what: 'a service account of a RoleBinding that no longer says the namespace of both',
    before: `{${head('rbac.authorization.k8s.io/v1', 'RoleBinding')}, roleRef: {kind: Role, name: r}, subjects: [{kind: ServiceAccount, namespace: apps, name: a}]}`,
    after: `{${head('rbac.authorization.k8s.io/v1', 'RoleBinding')}, roleRef: {kind: Role, name: r}, subjects: [{kind: ServiceAccount, name: a}]}`,
    want: [],
  },
  // pods
  ...['hostNetwork: true', 'hostPID: true', 'hostIPC: true'].map((field): Case => ({
    what: field,
    before: pod('containers: [{name: c}]'),
    after: pod(`${field}, containers: [{name: c}]`),
    want: [`widens-rights: ${field.slice(0, field.indexOf(':'))}`],
  })),
  ...[
    ['privileged: true', 'c privileged'],
    ['runAsUser: 0', 'c runAsUser 0'],
    ['allowPrivilegeEscalation: true', 'c allowPrivilegeEscalation'],
    ['capabilities: {add: [NET_ADMIN]}', 'c NET_ADMIN'],
    ['seccompProfile: {type: Unconfined}', 'c seccompProfile Unconfined'],
  ].map(([context = '', text = '']): Case => ({
    what: context,
    before: container(''),
    after: container(context),
    want: [`widens-rights: ${text}`],
  })),
  ...[
    ['runAsNonRoot: true', 'c runAsNonRoot'],
    ['readOnlyRootFilesystem: true', 'c readOnlyRootFilesystem'],
    ['allowPrivilegeEscalation: false', 'c allowPrivilegeEscalation false'],
    ['capabilities: {drop: [ALL]}', 'c drop ALL'],
    ['seccompProfile: {type: RuntimeDefault}', 'c seccompProfile'],
  ].map(([context = '', text = '']): Case => ({
    what: `no ${context}`,
    before: container(context),
    after: container(''),
    want: [`lowers-guard: no ${text}`],
  })),
  ...[
    ['readinessProbe: {tcpSocket: {port: 80}}', 'c readinessProbe'],
    ['livenessProbe: {tcpSocket: {port: 80}}', 'c livenessProbe'],
    ['resources: {requests: {cpu: 1}, limits: {memory: 1Gi}}', 'c memory limit'],
  ].map(([text = '', lost = '']): Case => ({
    what: `no ${text}`,
    before: pod(`containers: [{name: c, ${text}}]`),
    after: pod('containers: [{name: c}]'),
    want: [`lowers-guard: no ${lost}`],
  })),
  {
    what: 'a limit that is another, and a container that goes with its probe',
    before: pod(
      'containers: [{name: c, resources: {limits: {memory: 1Gi}}}, {name: d, readinessProbe: {tcpSocket: {port: 80}}}]',
    ),
    after: pod('containers: [{name: c, resources: {limits: {memory: 2Gi}}}]'),
    want: [],
  },
  {
    what: 'a port of the host',
    before: pod('containers: [{name: c, ports: [{containerPort: 80}]}]'),
    after: pod('containers: [{name: c, ports: [{containerPort: 80, hostPort: 80}]}]'),
    want: ['widens-rights: hostPort 80'],
  },
  {
    what: 'a token of the service account',
    before: pod('automountServiceAccountToken: false, containers: [{name: c}]'),
    after: pod('automountServiceAccountToken: true, containers: [{name: c}]'),
    want: ['widens-rights: automountServiceAccountToken', 'lowers-guard: no automountServiceAccountToken false'],
  },
  {
    what: 'a container that goes with its limits',
    before: container('runAsNonRoot: true'),
    after: pod('containers: [{name: d}]'),
    want: [],
  },
  // guards
  { what: 'a network policy that goes', before: policy(''), after: '', want: ['lowers-guard: gone'] },
  {
    what: 'a network policy that allows more',
    before: policy('ingress: []'),
    after: policy('ingress: [{}]'),
    want: ['lowers-guard: allows more ingress'],
  },
  {
    what: 'a network policy that allows less',
    before: policy('ingress: [{}]'),
    after: policy('ingress: []'),
    want: ['cuts-traffic: allows less ingress'],
  },
  {
    what: 'a network policy for one direction',
    before: policy('policyTypes: [Ingress, Egress]'),
    after: policy('policyTypes: [Ingress]'),
    want: ['lowers-guard: egress no longer limited'],
  },
  {
    what: 'a webhook that may fail',
    before: hook('{name: a, failurePolicy: Fail}'),
    after: hook('{name: a, failurePolicy: Ignore}'),
    want: ['lowers-guard: webhook a: failurePolicy Fail -> Ignore'],
  },
  {
    what: 'a webhook that is asked about less, and one that goes',
    before: hook('{name: a, rules: [{scope: "*"}]}, {name: b}'),
    after: hook('{name: a, rules: [{scope: Cluster}]}'),
    want: ['lowers-guard: webhook a: rules', 'lowers-guard: webhook b gone'],
  },
  {
    what: 'a webhook that is waited for less, and is passed over then',
    before: hook('{name: a, failurePolicy: Ignore}'),
    after: hook('{name: a, failurePolicy: Ignore, timeoutSeconds: 1}'),
    want: ['lowers-guard: webhook a: timeoutSeconds 10 -> 1'],
  },
  {
    what: 'a webhook that is waited for less, and refuses then',
    before: hook('{name: a, failurePolicy: Fail, timeoutSeconds: 5}'),
    after: hook('{name: a, failurePolicy: Fail, timeoutSeconds: 1}'),
    want: ['refuses-more: webhook a: timeoutSeconds 5 -> 1'],
  },
  {
    what: 'a webhook that is waited for longer',
    before: hook('{name: a, failurePolicy: Fail, timeoutSeconds: 5}'),
    after: hook('{name: a, failurePolicy: Fail, timeoutSeconds: 10}'),
    want: [],
  },
  {
    what: 'alerts that go as a whole',
    before: `{${head('monitoring.coreos.com/v1', 'PrometheusRule')}, spec: {groups: [{name: a, rules: [{alert: Down}]}]}}`,
    after: '',
    want: ['lowers-guard: gone'],
  },
  {
    what: 'rules without an alert that go',
    before: `{${head('monitoring.coreos.com/v1', 'PrometheusRule')}, spec: {groups: [{name: a, rules: [{record: x}]}]}}`,
    after: '',
    want: [],
  },
  {
    what: 'a schedule of backups that goes',
    before: `{${head('velero.io/v1', 'Schedule')}, spec: {schedule: '@daily'}}`,
    after: '',
    want: ['lowers-guard: gone'],
  },
  {
    what: 'authorities of a webhook',
    before: hook('{name: a, clientConfig: {caBundle: eA==}}'),
    after: hook('{name: a, clientConfig: {caBundle: eQ==}}'),
    want: ['redirects: webhook a: caBundle'],
  },
  {
    what: 'data of a volume that goes with it',
    before: `{${head('v1', 'PersistentVolume')}, spec: {persistentVolumeReclaimPolicy: Retain}}`,
    after: `{${head('v1', 'PersistentVolume')}, spec: {persistentVolumeReclaimPolicy: Delete}}`,
    want: ['lowers-guard: persistentVolumeReclaimPolicy is no longer Retain'],
  },
  {
    what: 'a namespace that lets pods do more',
    before: namespace('pod-security.kubernetes.io/enforce: restricted, pod-security.kubernetes.io/warn: baseline'),
    after: namespace('pod-security.kubernetes.io/enforce: baseline'),
    want: [
      'lowers-guard: pod security enforce restricted -> baseline',
      'lowers-guard: pod security warn baseline -> privileged',
    ],
  },
  // services
  ...['LoadBalancer', 'NodePort'].map((type): Case => ({
    what: `a Service of type ${type}`,
    before: service('type: ClusterIP'),
    after: service(`type: ${type}`),
    want: [`exposes: type ${type}`],
  })),
  {
    what: 'an address from outside',
    before: service(''),
    after: service('externalIPs: [192.0.2.1]'),
    want: ['exposes: externalIPs'],
  },
  {
    what: 'a load balancer for everybody',
    before: service('type: LoadBalancer, loadBalancerSourceRanges: [192.0.2.0/24]'),
    after: service('type: LoadBalancer'),
    want: ['exposes: loadBalancerSourceRanges'],
  },
  {
    what: 'a Service that is inside again',
    before: service('type: NodePort'),
    after: service('type: ClusterIP'),
    want: [],
  },
]

test.each(cases)('$what', ({ before, after, want }) => {
  const { changes } = compareTexts({ [path]: before }, after === '' ? {} : { [path]: after })
  const [change] = changes
  expect(changes.length).toBe(1)
  const reasons = change?.reasons ?? []
  expect(reasons.map(({ risk, text }) => `${risk}: ${text}`)).toEqual(want)
  for (const { risk } of reasons) expect(change?.risks).toContain(risk)
})

describe('lists of kustomize', () => {
  const file = 'clusters/team-a/web/addons/01-some/kustomization.yaml'
  test.each([
    'patches: [{path: x}]',
    'images: [{name: a}]',
    'replicas: [{name: a}]',
    'namePrefix: a',
    'components: [a]',
  ])('%s rewrites objects, also in a list that is new', (more) => {
    for (const before of [{}, { [file]: list('') }])
      expect(compareTexts(before, { [file]: list(`, ${more}`) }).changes.map(({ risks }) => risks)).toEqual([
        ['rewrites'],
      ])
  })

  const PAIRING = `configMapGenerator: [{name: stackmason-pairing-1, options: {annotations: {config.kubernetes.io/local-config: "true"}}}]`
  const self = (name: string): string =>
    `replacements: [{source: {kind: ConfigMap, name: stackmason-pairing-1, fieldPath: data.paired}, targets: [{select: {kind: ConfigMap, name: ${name}}, fieldPaths: [data.paired]}]}]`
  test.each([
    ['what ties it to its unit', `${PAIRING}, ${self('stackmason-pairing-1')}`, []],
    ['a generator with content', PAIRING.replace('options', 'literals: [a=b], options'), ['configMapGenerator']],
    ['a generator that stays in the build', PAIRING.replace('"true"', '"false"'), ['configMapGenerator']],
    ['a generator of another', PAIRING.replace('stackmason-pairing-1', 'own'), ['configMapGenerator']],
    ['a replacement in another object', `${PAIRING}, ${self('coredns')}`, ['replacements']],
  ])('%s: what it rewrites', (_, more, want) => {
    const { changes } = compareTexts({ [file]: list('') }, { [file]: list(`, ${more}`) })
    const rewrites = changes.flatMap(({ reasons = [] }) => reasons.filter(({ risk }) => risk === 'rewrites'))
    expect(rewrites.map(({ text }) => text)).toEqual(want)
    expect(compareTexts({}, { [file]: list(`, ${more}`) }).changes.length).toBe(want.length)
  })

  test('a list is of no unit: nobody applies it', () => {
    const beside = file.replace('kustomization.yaml', 'x.yaml')
    const { changes } = compareUnits(
      { [file]: list(''), [beside]: deployment('') },
      { [file]: list(', namePrefix: a'), [beside]: deployment('replicas: 2') },
      () => 'another',
    )
    expect(changes.map(({ after, units }) => [after?.kind, units?.after])).toEqual([
      ['Kustomization', undefined],
      ['Deployment', 'another'],
    ])
  })

  test('a list that only lists is no change', () => {
    expect(compareTexts({}, { [file]: list(', resources: [a.yaml]') }).changes).toEqual([])
  })
})

test('a text that says true suspends, too', () => {
  const { changes } = compareTexts({ [path]: flux('') }, { [path]: flux('suspend: "true"') })
  expect(changes.map(({ risks }) => risks)).toEqual([['suspends']])
})

describe('what a revert does not bring back', () => {
  test.each([
    {
      what: 'what a unit prunes that applies another path',
      before: flux('path: a, prune: true'),
      after: flux('path: b, prune: true'),
      undo: ['applied-is-gone'],
    },
    { what: 'a path without prune', before: flux('path: a'), after: flux('path: b'), undo: [] },
    { what: 'what goes with a unit', before: flux('prune: true'), after: '', undo: ['applied-is-gone'] },
    { what: 'a unit that leaves it', before: flux('prune: true, deletionPolicy: Orphan'), after: '', undo: [] },
    {
      what: 'machines',
      before: `{${head('cluster.x-k8s.io/v1beta2', 'MachineDeployment')}}`,
      after: '',
      undo: ['machines-are-gone'],
    },
    {
      what: 'a snapshot',
      before: `{${head('snapshot.storage.k8s.io/v1', 'VolumeSnapshot')}}`,
      after: '',
      undo: ['content-is-gone'],
    },
    {
      what: 'claims of a StatefulSet',
      before: `{${head('apps/v1', 'StatefulSet')}, spec: {persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}}}`,
      after: '',
      undo: ['content-is-gone'],
    },
  ])('$what', ({ before, after, undo }) => {
    const { changes } = compareTexts({ [path]: before }, after === '' ? {} : { [path]: after })
    expect(changes.map((change) => change.undo)).toEqual([undo])
  })
})

test('a guard that goes is on the first screen, however much else is deleted', () => {
  const maps = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [
      `clusters/team-a/web/addons/01-a${String(index)}/x.yaml`,
      `{${head('v1', 'ConfigMap')}, index: ${String(index)}}`,
    ]),
  )
  const text = shownTexts(
    { ...maps, [path]: namespace('pod-security.kubernetes.io/enforce: restricted') },
    { [path]: namespace('') },
  )
  expect(
    text
      .split('\n')
      .slice(0, 12)
      .filter((line) => line.includes('guard')),
  ).toEqual([
    '  lowers guard  addon some: Namespace apps (pod security enforce restricted -> privileged) on team-a/web',
  ])
})
