import { describe, expect, test } from 'vitest'
import { lab } from '../../tools/fleets/lab-fleet.ts'
import { checkLab, checkObjects, type LabRow } from './check-lab.ts'

interface Row {
  readonly name: string
  /** Objects of the addon, in flow style. */
  readonly objects: readonly string[]
  readonly spec?: LabRow['spec']
  readonly found?: readonly string[]
}

const NS = 'namespace: kube-system'
const workload = (
  kind: string,
  { labels = 'app: web', spec = '', pod = '', name = 'web', ns = 'kube-system' } = {},
): string =>
  `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: ${name}, namespace: ${ns}}, spec: {${spec}selector: {matchLabels: {${labels}}}, template: {metadata: {labels: {${labels}}}, spec: {${pod}containers: [{name: c, image: "i:1"}]}}}}`
const deployment = workload('Deployment')
const service = (spec: string, ns = 'kube-system'): string =>
  `{apiVersion: v1, kind: Service, metadata: {name: web, namespace: ${ns}}, spec: {${spec}ports: [{name: http, port: 80}, {name: metrics, port: 9090}]}}`
const ported = (name = 'web', probes = ''): string =>
  workload('Deployment', { name }).replace(
    'image: "i:1"',
    `image: "i:1", ports: [{name: http, containerPort: 8080}]${probes === '' ? '' : `, ${probes}`}`,
  )
const served = (port: string): string =>
  `{apiVersion: v1, kind: Service, metadata: {name: web, ${NS}}, spec: {selector: {app: web}, ports: [{port: 80, targetPort: ${port}}]}}`
const ingress = (backend: string, more = ''): string =>
  `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: shop, ${NS}}, spec: {${more}rules: [{http: {paths: [{path: /, pathType: Prefix, backend: {service: {${backend}}}}]}}]}}`
const GATEWAY = 'gateway.networking.k8s.io/v1'
const gatewayApi = [
  `apiVersions: [${['Gateway', 'GatewayClass', 'HTTPRoute'].map((kind) => `${GATEWAY}/${kind}`).join(', ')}]`,
  `scopes: [{group: gateway.networking.k8s.io, kind: Gateway, scope: Namespaced}, {group: gateway.networking.k8s.io, kind: HTTPRoute, scope: Namespaced}, {group: gateway.networking.k8s.io, kind: GatewayClass, scope: Cluster}]`,
]
const route = (rule: string, parent = 'name: edge'): string =>
  `{apiVersion: ${GATEWAY}, kind: HTTPRoute, metadata: {name: shop, ${NS}}, spec: {parentRefs: [{${parent}}], rules: [{${rule}}]}}`
const gateway = (gatewayClass = 'edge'): string =>
  `{apiVersion: ${GATEWAY}, kind: Gateway, metadata: {name: edge, ${NS}}, spec: {gatewayClassName: ${gatewayClass}, listeners: []}}`
const gatewayClass = `{apiVersion: ${GATEWAY}, kind: GatewayClass, metadata: {name: edge}, spec: {controllerName: a/b}}`
const edge = [gateway(), gatewayClass]
const scaler = (target: string): string =>
  `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web, ${NS}}, spec: {maxReplicas: 3, scaleTargetRef: {${target}}}}`
const budget = (selector: string): string =>
  `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web, ${NS}}, spec: {minAvailable: 1, selector: {${selector}}}}`
const CORRECT =
  'Correct the name, or bring the object with an addon; if something outside of the tree makes it, acknowledge this finding.'
const SELECTOR = 'Correct the selector; if something outside of the tree makes the pods, acknowledge this finding.'
const missing = (what: string, effect: string): string => `names ${what}, which nothing in the tree brings: ${effect}`
const elsewhere = (namespace: string): string =>
  `There is one of that name in namespace ${namespace}: objects find those of their own namespace only.`

const rows: readonly Row[] = [
  {
    name: 'a backend of an Ingress',
    objects: [ingress('name: web, port: {number: 80}')],
    found: [
      `warning BACKEND_MISSING Ingress kube-system/shop ${missing('Service kube-system/web', 'requests for it fail')} → ${CORRECT}`,
    ],
  },
  { name: 'one that is there', objects: [ingress('name: web, port: {number: 80}'), service('')] },
  {
    name: 'one that is there, by the name of its port',
    objects: [ingress('name: web, port: {name: metrics}'), service('')],
  },
  {
    name: 'a port by number',
    objects: [ingress('name: web, port: {number: 8080}'), service('')],
    found: [
      'error BACKEND_MISSING Ingress kube-system/shop calls port 8080 of Service kube-system/web, which has no such port → Its ports are: 80 (http), 9090 (metrics).',
    ],
  },
  {
    name: 'a port by name',
    objects: [ingress('name: web, port: {name: https}'), service('')],
    found: [
      'error BACKEND_MISSING Ingress kube-system/shop calls port https of Service kube-system/web, which has no such port → Its ports are: 80 (http), 9090 (metrics).',
    ],
  },
  {
    name: 'a default backend, misspelt',
    objects: [
      ingress('name: web, port: {number: 80}', 'defaultBackend: {service: {name: wbe, port: {number: 80}}}, '),
      service(''),
    ],
    found: [
      `error BACKEND_MISSING Ingress kube-system/shop ${missing('Service kube-system/wbe', 'requests for it fail')} → Did you mean web?`,
    ],
  },
  {
    name: 'an alias for another name, of any port',
    objects: [
      ingress('name: web, port: {number: 443}'),
      `{apiVersion: v1, kind: Service, metadata: {name: web, ${NS}}, spec: {type: ExternalName, externalName: shop.example.com}}`,
    ],
  },
  {
    name: 'a backend that is no Service',
    objects: [
      `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: shop, ${NS}}, spec: {defaultBackend: {resource: {apiGroup: example.com, kind: Bucket, name: b}}}}`,
    ],
  },
  {
    name: 'backends of a route, one in another namespace',
    spec: gatewayApi,
    objects: [
      ...edge,
      route('backendRefs: [{name: web, port: 80}, {name: web, namespace: default, port: 80}]'),
      service(''),
    ],
    found: [
      `error BACKEND_MISSING HTTPRoute kube-system/shop ${missing('Service default/web', 'requests for it fail')} → ${elsewhere('kube-system')}`,
    ],
  },
  {
    name: 'the port of a mirror',
    spec: gatewayApi,
    objects: [
      ...edge,
      route('filters: [{type: RequestMirror, requestMirror: {backendRef: {name: web, port: 81}}}]'),
      service(''),
    ],
    found: [
      'error BACKEND_MISSING HTTPRoute kube-system/shop calls port 81 of Service kube-system/web, which has no such port → Its ports are: 80 (http), 9090 (metrics).',
    ],
  },
  {
    name: 'a backend of another kind',
    spec: gatewayApi,
    objects: [...edge, route('backendRefs: [{group: example.com, kind: Bucket, name: web}]')],
  },
  {
    name: 'the class of an Ingress, misspelt',
    objects: [
      ingress('name: web, port: {number: 80}', 'ingressClassName: ngnix, '),
      service(''),
      '{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: nginx}, spec: {controller: a/b}}',
    ],
    found: [
      `error GATEWAY_MISSING Ingress kube-system/shop ${missing('IngressClass ngnix', 'no controller serves it')} → Did you mean nginx?`,
    ],
  },
  {
    name: 'the class of an Ingress, there',
    objects: [
      ingress('name: web, port: {number: 80}', 'ingressClassName: nginx, '),
      service(''),
      '{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: nginx}, spec: {controller: a/b}}',
    ],
  },
  {
    name: 'the class of a Gateway and the Gateway of a route',
    spec: gatewayApi,
    objects: [gateway('cilium'), route('backendRefs: []', 'name: inner')],
    found: [
      `warning GATEWAY_MISSING Gateway kube-system/edge ${missing('GatewayClass cilium', 'no controller serves it')} → ${CORRECT}`,
      `warning GATEWAY_MISSING HTTPRoute kube-system/shop ${missing('Gateway kube-system/inner', 'no controller serves it')} → ${CORRECT}`,
    ],
  },
  {
    name: 'a route of a Service (mesh)',
    spec: gatewayApi,
    objects: [route('backendRefs: []', 'group: "", kind: Service, name: web')],
  },
  {
    name: 'the Service of a StatefulSet',
    objects: [workload('StatefulSet', { spec: 'serviceName: web-headless, ' })],
    found: [
      `warning GOVERNING_SERVICE_MISSING StatefulSet kube-system/web ${missing('Service kube-system/web-headless', 'its pods have no names in DNS')} → ${CORRECT}`,
    ],
  },
  {
    name: 'one that is there, and none at all',
    objects: [
      workload('StatefulSet', { spec: 'serviceName: web, ' }),
      workload('StatefulSet', { name: 'other' }),
      service('clusterIP: None, selector: {app: web}, '),
    ],
  },
  {
    name: 'the target of an autoscaler, of another kind',
    objects: [deployment, scaler('apiVersion: apps/v1, kind: StatefulSet, name: web')],
    found: [
      `warning SCALE_TARGET_MISSING HorizontalPodAutoscaler kube-system/web ${missing('StatefulSet kube-system/web', 'it scales nothing')} → ${CORRECT}`,
    ],
  },
  {
    name: 'one that is there, in another version',
    objects: [deployment, scaler('apiVersion: apps/v1beta2, kind: Deployment, name: web')],
  },
  {
    name: 'the targets of other autoscalers',
    spec: [
      'apiVersions: [autoscaling.k8s.io/v1, keda.sh/v1alpha1]',
      'scopes: [{group: autoscaling.k8s.io, kind: VerticalPodAutoscaler, scope: Namespaced}, {group: keda.sh, kind: ScaledObject, scope: Namespaced}]',
    ],
    objects: [
      deployment,
      `{apiVersion: autoscaling.k8s.io/v1, kind: VerticalPodAutoscaler, metadata: {name: v, ${NS}}, spec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: wbe}}}`,
      `{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: s, ${NS}}, spec: {scaleTargetRef: {name: web}}}`,
    ],
    found: [
      `error SCALE_TARGET_MISSING VerticalPodAutoscaler kube-system/v ${missing('Deployment kube-system/wbe', 'it scales nothing')} → Did you mean web?`,
    ],
  },
  {
    name: 'a Secret for a registry, of pods and a service account',
    objects: [
      workload('Deployment', { pod: 'imagePullSecrets: [{name: registry}], ' }),
      `{apiVersion: v1, kind: ServiceAccount, metadata: {name: sa, ${NS}}, imagePullSecrets: [{name: registry}, {name: mirror}]}`,
      `{apiVersion: v1, kind: Secret, metadata: {name: mirror, ${NS}}}`,
    ],
    found: [
      `warning PULL_SECRET_MISSING ServiceAccount kube-system/sa ${missing('Secret kube-system/registry (so does 1 more object)', 'images are pulled without its credentials')} → ${CORRECT}`,
    ],
  },
  {
    name: 'one that an ExternalSecret makes',
    spec: [
      'apiVersions: [external-secrets.io/v1]',
      'scopes: [{group: external-secrets.io, kind: ExternalSecret, scope: Namespaced}]',
    ],
    objects: [
      workload('Deployment', { pod: 'imagePullSecrets: [{name: registry}], ' }),
      `{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: registry, ${NS}}}`,
    ],
  },
  {
    name: 'a Service with a port that its pods do not have',
    objects: [ported(), served('htpp')],
    found: [
      'error PORT_UNKNOWN Service kube-system/web names the port htpp, which no container of its pods has: it answers nothing → Did you mean http?',
    ],
  },
  {
    name: 'a Service with a port where no port has a name',
    objects: [deployment, served('http')],
    found: [
      'error PORT_UNKNOWN Service kube-system/web names the port http, which no container of its pods has: it answers nothing → Name a port of the container; no port has a name.',
    ],
  },
  {
    name: 'a Service with another port that answers',
    objects: [ported(), served('metrics, name: a}, {name: b, port: 81, targetPort: http')],
    found: [
      'warning PORT_UNKNOWN Service kube-system/web names the port metrics, which no container of its pods has: that port answers nothing → Name a port of the container; the names are: http.',
    ],
  },
  {
    name: 'a headless Service, which answers with addresses of pods',
    objects: [ported(), served('htpp').replace('spec: {', 'spec: {clusterIP: None, ')],
  },
  { name: 'a Service with a port that one of its pods has', objects: [deployment, ported('other'), served('http')] },
  { name: 'a Service with a port by number', objects: [ported(), served('8080')] },
  {
    name: 'a Service whose pods are not in the tree',
    objects: [ported().replaceAll('app: web', 'app: x'), served('htpp')],
    found: [
      `warning SELECTOR_MATCHES_NOTHING Service kube-system/web: its selector matches no pod of the tree: it answers nothing → ${SELECTOR}`,
    ],
  },
  {
    name: 'probes and hooks of a port that their container does not have',
    objects: [
      ported(
        'web',
        'readinessProbe: {httpGet: {port: htpp}}, livenessProbe: {tcpSocket: {port: http}}, lifecycle: {preStop: {httpGet: {port: bye}}}',
      ),
    ],
    found: [
      'error PORT_UNKNOWN Deployment kube-system/web names the port htpp, which its container does not have: the probe fails → Did you mean http?',
      'error PORT_UNKNOWN Deployment kube-system/web names the port bye, which its container does not have: the hook fails → Name a port of the container; the names are: http.',
    ],
  },
  {
    name: 'a selector that misses by a letter',
    objects: [deployment, service('selector: {app: wep}, ')],
    found: [
      'warning SELECTOR_MATCHES_NOTHING Service kube-system/web: its selector matches no pod of the tree: it answers nothing → Did you mean web for "app"?',
    ],
  },
  {
    name: 'a selector with a label too many',
    objects: [deployment, service('selector: {app: web, tier: front}, ')],
    found: [
      `warning SELECTOR_MATCHES_NOTHING Service kube-system/web: its selector matches no pod of the tree: it answers nothing → ${SELECTOR}`,
    ],
  },
  {
    name: 'pods of another namespace',
    objects: [workload('Deployment', { ns: 'default' }), service('selector: {app: web}, ')],
    found: [
      `warning SELECTOR_MATCHES_NOTHING Service kube-system/web: its selector matches no pod of the tree: it answers nothing → ${SELECTOR}`,
    ],
  },
  {
    name: 'selectors that match',
    objects: [
      workload('DaemonSet', { labels: 'app: web, tier: front' }),
      service('selector: {app: web}, '),
      budget('matchLabels: {tier: front}'),
      budget(
        'matchExpressions: [{key: app, operator: In, values: [a, web]}, {key: old, operator: DoesNotExist}]',
      ).replace('name: web', 'name: two'),
    ],
  },
  {
    name: 'a selector that matches the pods of a job',
    objects: [
      `{apiVersion: batch/v1, kind: CronJob, metadata: {name: job, ${NS}}, spec: {schedule: "0 0 * * *", jobTemplate: {spec: {template: {metadata: {labels: {app: web}}, spec: {restartPolicy: Never, containers: [{name: c, image: "i:1"}]}}}}}}`,
      service('selector: {app: web}, '),
    ],
  },
  {
    name: 'a disruption budget, by its labels and by its expressions',
    objects: [
      deployment,
      budget('matchLabels: {app: api}'),
      budget('matchLabels: {app: web}, matchExpressions: [{key: app, operator: NotIn, values: [web]}]').replace(
        'name: web',
        'name: two',
      ),
    ],
    found: [
      `warning SELECTOR_MATCHES_NOTHING PodDisruptionBudget kube-system/web: its selector matches no pod of the tree: it protects nothing → ${SELECTOR}`,
      `warning SELECTOR_MATCHES_NOTHING PodDisruptionBudget kube-system/two: its selector matches no pod of the tree: it protects nothing → ${SELECTOR}`,
    ],
  },
  {
    name: 'one pod of a StatefulSet',
    objects: [workload('StatefulSet'), service('selector: {app: web, statefulset.kubernetes.io/pod-name: web-0}, ')],
  },
  {
    name: 'one pod of a StatefulSet that is not there',
    objects: [workload('StatefulSet'), service('selector: {app: api, statefulset.kubernetes.io/pod-name: api-0}, ')],
    found: [
      `warning SELECTOR_MATCHES_NOTHING Service kube-system/web: its selector matches no pod of the tree: it answers nothing → ${SELECTOR}`,
    ],
  },
  {
    name: 'a governing Service beside another one of the same chart',
    objects: [
      workload('StatefulSet', { spec: 'serviceName: app-master, ' }),
      service('clusterIP: None, ').replace('name: web', 'name: app-client'),
    ],
    found: [
      `warning GOVERNING_SERVICE_MISSING StatefulSet kube-system/web ${missing('Service kube-system/app-master', 'its pods have no names in DNS')} → ${CORRECT}`,
    ],
  },
  {
    name: 'an empty selector, and none',
    objects: [budget(''), service('')],
  },
  {
    name: 'pods of kubeadm',
    objects: [
      service('selector: {k8s-app: kube-dns}, '),
      service('selector: {component: etcd}, ').replace('name: web', 'name: etcd'),
    ],
  },
  {
    name: 'the labels of kubeadm in another namespace',
    objects: [service('selector: {component: etcd}, ', 'default')],
    found: [
      `warning SELECTOR_MATCHES_NOTHING Service default/web: its selector matches no pod of the tree: it answers nothing → ${SELECTOR}`,
    ],
  },
  {
    name: 'pods of an operator',
    spec: [
      'apiVersions: [monitoring.coreos.com/v1]',
      'scopes: [{group: monitoring.coreos.com, kind: Prometheus, scope: Namespaced}]',
    ],
    objects: [
      `{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main, ${NS}}}`,
      service('selector: {operator.prometheus.io/name: main}, '),
    ],
  },
]

describe('what traffic and pods need:', () => {
  test.each(rows)('$name', async ({ objects, spec = [], found = [] }) => {
    expect(await checkObjects(objects, { spec })).toEqual(found)
  })

  test.each([
    [ingress('name: web, port: {number: 80}'), 'name: web, port'],
    [withoutBackend(ingress('name: web', 'ingressClassName: nginx, ')), 'ingressClassName: nginx'],
    [workload('StatefulSet', { spec: 'serviceName: db, ' }), 'serviceName: db'],
    [scaler('apiVersion: apps/v1, kind: Deployment, name: api'), 'name: api'],
    [workload('Deployment', { pod: 'imagePullSecrets: [{name: registry}], ' }), 'name: registry'],
    [service('selector: {app: api}, '), 'selector: {app: api}'],
  ])('points at the field of the template: %#', async (object, field) => {
    const lines = await checkLab({ files: { [lab.template]: object, [lab.defaults]: '' } })
    expect(lines).toEqual([expect.stringContaining(` ${lab.template}:1:${String(columnOf(object, field))} `)])
  })
})

/** An Ingress whose paths lead to an object of another kind than Service. */
function withoutBackend(object: string): string {
  return object.replace(/service: \{name: web\}/, 'resource: {kind: Bucket, name: web}')
}

/** Where the value of a field begins; that of a map is its key. */
function columnOf(object: string, field: string): number {
  const [key = '', value = ''] = field.split(': ')
  return object.indexOf(field) + 1 + (value.startsWith('{') ? 0 : key.length + 2)
}
