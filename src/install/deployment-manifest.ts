import type { Json } from './json-value.ts'
import type { Installation } from './role-manifests.ts'

/** Ports of the controller's container. */
export const ports = { health: 9440, metrics: 9441 } as const
/** Of the image: nobody in particular. */
const USER = 65_532
const CERTIFICATES = '/etc/stackmason/metrics'

/** The Deployment: without root, without writing, and gone within its grace period. */
export function deploymentManifest(installation: Installation, selector: Readonly<Record<string, string>>): Json {
  const { name, labels, options } = installation
  const { namespace, replicas, pullSecrets, metricsSecret } = options
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      replicas,
      revisionHistoryLimit: 3,
      selector: { matchLabels: selector },
      template: {
        metadata: {
          labels: { ...labels, ...selector },
          annotations: { 'kubectl.kubernetes.io/default-container': 'controller' },
        },
        spec: {
          serviceAccountName: name,
          automountServiceAccountToken: true,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: 30,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: USER,
            runAsGroup: USER,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets.map((secret) => ({ name: secret })) }),
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'kubernetes.io/hostname',
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: { matchLabels: selector },
            },
          ],
          containers: [container(installation)],
          ...(metricsSecret !== '' && { volumes: [{ name: 'metrics', secret: { secretName: metricsSecret } }] }),
        },
      },
    },
  }
}

function container({ options }: Installation): Json {
  const { image, environment, metricsSecret } = options
  return {
    name: 'controller',
    image,
    args: argumentsOf(options),
    ...(environment.length > 0 && { env: environment.map(([name, value]) => ({ name, value })) }),
    ports: Object.entries(ports).map(([name, containerPort]) => ({ name, containerPort, protocol: 'TCP' })),
    livenessProbe: { ...probe('/healthz'), initialDelaySeconds: 15, periodSeconds: 20, timeoutSeconds: 5 },
    readinessProbe: { ...probe('/readyz'), periodSeconds: 10, timeoutSeconds: 5 },
    resources: { requests: { cpu: '20m', memory: '160Mi' }, limits: { memory: '512Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    },
    terminationMessagePolicy: 'FallbackToLogsOnError',
    ...(metricsSecret !== '' && { volumeMounts: [{ name: 'metrics', mountPath: CERTIFICATES, readOnly: true }] }),
  }
}

function argumentsOf({
  kinds,
  namespaces,
  shard,
  argoNamespace,
  arguments: others,
  metricsSecret,
}: Installation['options']): readonly string[] {
  return [
    'controller',
    'run',
    `--health-address=:${String(ports.health)}`,
    `--metrics-address=:${String(ports.metrics)}`,
    ...(metricsSecret === ''
      ? []
      : [`--metrics-tls-cert=${CERTIFICATES}/tls.crt`, `--metrics-tls-key=${CERTIFICATES}/tls.key`]),
    ...kinds.map((kind) => `--kind=${kind}`),
    ...namespaces.map((namespace) => `--namespace=${namespace}`),
    ...(argoNamespace === '' ? [] : [`--argocd-namespace=${argoNamespace}`]),
    ...(shard === '' ? [] : [`--shard=${shard}`]),
    ...others,
  ]
}

function probe(path: string): { readonly [key: string]: Json } {
  return { httpGet: { path, port: 'health', scheme: 'HTTP' } }
}
