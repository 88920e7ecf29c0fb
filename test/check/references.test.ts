import { describe, expect, test } from 'vitest'
import { lab } from '../../tools/fleets/lab-fleet.ts'
import { checkLab, checkObjects, type LabRow } from './check-lab.ts'

interface Row {
  readonly name: string
  /** Objects of the addon, in flow style, without apiVersion where it is v1. */
  readonly objects: readonly string[]
  readonly files?: LabRow['files']
  readonly spec?: LabRow['spec']
  /** `severity CODE line:column of the template` and a part of message and hint. */
  readonly found?: readonly string[]
}

const NS = 'namespace: kube-system'
const pod = (spec: string, more = ''): string =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: app, ${NS}}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {${spec}containers: [{name: c, image: "i:1"${more}}]}}}}`
const map = (name: string, data = '{a: b}', namespace = 'kube-system'): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: ${namespace}}, data: ${data}}`
const volume = (source: string): string => pod(`volumes: [{name: v, ${source}}], `)
const env = (source: string): string => pod('', `, env: [{name: E, valueFrom: {${source}}}]`)
const claim = (storageClass: string): string =>
  `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, ${NS}}, spec: {${storageClass}accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`
const storage = '{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast-ssd}, provisioner: x}'
const webhook = (service: string, more = ''): string =>
  `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: hook}, webhooks: [{name: a.b.c, ${more}sideEffects: None, admissionReviewVersions: [v1], clientConfig: {service: {${service}}}}]}`
const service = `{apiVersion: v1, kind: Service, metadata: {name: hook, ${NS}}, spec: {ports: [{port: 443}]}}`
const binding = (role: string): string =>
  `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b, ${NS}}, roleRef: {apiGroup: rbac.authorization.k8s.io, ${role}}, subjects: []}`
const role = `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: reader, ${NS}}, rules: []}`
const definition =
  '{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.example.com}, spec: {group: example.com, scope: Namespaced, names: {kind: Thing, plural: things}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}'
const thing = `{apiVersion: example.com/v1, kind: Thing, metadata: {name: t, ${NS}}}`
const scoped = ['scopes: [{group: example.com, kind: Thing, scope: Namespaced}]']
const CORRECT =
  'Correct the name, or bring the object with an addon; if something outside of the tree makes it, acknowledge this finding.'
const PODS = 'its pods do not start before it is there'
const missing = (what: string, effect = PODS): string => `names ${what}, which nothing in the tree brings: ${effect}`
const account = '{apiVersion: v1, kind: ServiceAccount, metadata: {name: reader, namespace: kube-system}}'
const bound = (subject: string): string =>
  `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b, ${NS}}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}, subjects: [{kind: ServiceAccount, ${subject}}]}`

const existing = {
  [lab.addons]: `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {existingSecrets: [{name: tls, ${NS}}]}\n`,
}

const rows: readonly Row[] = [
  {
    name: 'a ConfigMap of a volume',
    objects: [volume('configMap: {name: settings}')],
    found: [
      `warning POD_CONFIG_MISSING Deployment kube-system/app ${missing('ConfigMap kube-system/settings')} → ${CORRECT}`,
    ],
  },
  { name: 'one that is there', objects: [volume('configMap: {name: settings}'), map('settings')] },
  { name: 'one that may be missing', objects: [volume('configMap: {name: settings, optional: true}')] },
  { name: 'one that every namespace has', objects: [volume('configMap: {name: kube-root-ca.crt}')] },
  {
    name: 'one whose name is nearly there',
    objects: [volume('configMap: {name: setings}'), map('settings')],
    found: [
      `error POD_CONFIG_MISSING Deployment kube-system/app ${missing('ConfigMap kube-system/setings')} → Did you mean settings?`,
    ],
  },
  {
    name: 'one whose name only begins like another',
    objects: [volume('configMap: {name: settings-v2}'), map('settings')],
    found: [
      `warning POD_CONFIG_MISSING Deployment kube-system/app ${missing('ConfigMap kube-system/settings-v2')} → ${CORRECT}`,
    ],
  },
  {
    name: 'one of another namespace',
    objects: [volume('configMap: {name: settings}'), map('settings', '{}', 'default')],
    found: [
      `error POD_CONFIG_MISSING Deployment kube-system/app ${missing('ConfigMap kube-system/settings')} → There is one of that name in namespace default: objects find those of their own namespace only.`,
    ],
  },
  {
    name: 'a Secret of a projected volume, for two objects',
    objects: [
      volume('projected: {sources: [{secret: {name: tls}}]}'),
      volume('secret: {secretName: tls}').replace('name: app', 'name: other'),
    ],
    found: [
      `warning POD_CONFIG_MISSING Deployment kube-system/app ${missing('Secret kube-system/tls (so does 1 more object)')} → ${CORRECT}`,
    ],
  },
  {
    name: 'a Secret that a program makes: its arguments name it',
    objects: [
      volume('secret: {secretName: hook-tls}'),
      `{apiVersion: batch/v1, kind: Job, metadata: {name: make, ${NS}}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: "i:1", args: [--secret-name=hook-tls]}]}}}}`,
    ],
  },
  {
    name: 'a Secret of a Certificate',
    objects: [
      volume('secret: {secretName: tls}'),
      `{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: c, ${NS}}, spec: {secretName: tls}}`,
    ],
    spec: ['apiVersions: [cert-manager.io/v1]'],
  },
  {
    name: 'a Secret that addons.yaml says is there',
    objects: [volume('secret: {secretName: tls}'), `{apiVersion: v1, kind: Secret, metadata: {name: tls, ${NS}}}`],
    files: {
      ...existing,
    },
  },
  ...[
    ['a volume', volume('secret: {secretName: tls}')],
    ['a projected volume', volume('projected: {sources: [{secret: {name: tls}}]}')],
    ['environment', env('secretKeyRef: {name: tls, key: a}')],
    ['all of an environment', pod('', ', envFrom: [{secretRef: {name: tls}}]')],
    ['pull secrets', pod('imagePullSecrets: [{name: tls}], ')],
    [
      'a StorageClass',
      '{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s}, provisioner: x, parameters: {csi.storage.k8s.io/provisioner-secret-name: tls, csi.storage.k8s.io/provisioner-secret-namespace: kube-system}}',
    ],
  ].map(([by = '', object = '']): Row => ({
    name: `a Secret that is made by hand, that addons.yaml says is there, and that ${by} names`,
    objects: [object],
    files: existing,
  })),
  {
    name: 'a Secret that addons.yaml says is there and that only another namespace names',
    objects: [volume('secret: {secretName: tls, optional: true}').replace(NS, 'namespace: default')],
    files: existing,
    found: [
      'warning CONFIG_REFERENCE no addon of cluster team/one has or names a Secret kube-system/tls [team/one] → Remove the entry, or write name and namespace as the chart does.',
    ],
  },
  {
    name: 'envFrom',
    objects: [pod('', ', envFrom: [{secretRef: {name: tls}}, {configMapRef: {name: settings, optional: true}}]')],
    found: [`warning POD_CONFIG_MISSING Deployment kube-system/app ${missing('Secret kube-system/tls')} → ${CORRECT}`],
  },
  {
    name: 'a key that is not there',
    objects: [env('configMapKeyRef: {name: settings, key: c}'), map('settings')],
    found: [
      'error POD_CONFIG_MISSING Deployment kube-system/app asks for the key "c" of ConfigMap kube-system/settings, which does not have it: its pods do not start → Its keys are: "a".',
    ],
  },
  { name: 'a key that is there', objects: [env('configMapKeyRef: {name: settings, key: a}'), map('settings')] },
  {
    name: 'a key of a volume that is not there',
    objects: [volume('configMap: {name: settings, items: [{key: c, path: c}]}'), map('settings')],
    found: [
      'error POD_CONFIG_MISSING Deployment kube-system/app asks for the key "c" of ConfigMap kube-system/settings, which does not have it: its pods do not start → Its keys are: "a".',
    ],
  },
  {
    name: 'a claim of a volume',
    objects: [volume('persistentVolumeClaim: {claimName: data}')],
    found: [
      `warning POD_CONFIG_MISSING Deployment kube-system/app ${missing('PersistentVolumeClaim kube-system/data')} → ${CORRECT}`,
    ],
  },
  { name: 'a claim that is there', objects: [volume('persistentVolumeClaim: {claimName: data}'), claim('')] },
  {
    name: 'a service account, a priority class and a runtime class',
    objects: [pod('serviceAccountName: sa, priorityClassName: high, runtimeClassName: kata, ')],
    found: [['ServiceAccount kube-system/sa'], ['PriorityClass high'], ['RuntimeClass kata']].map(
      ([what = '']) =>
        `warning POD_ADMISSION_MISSING Deployment kube-system/app ${missing(what, 'the API server makes no pod of it before it is there')} → ${CORRECT}`,
    ),
  },
  {
    name: 'those that are there',
    objects: [
      pod('serviceAccountName: default, priorityClassName: system-node-critical, '),
      pod('serviceAccountName: sa, priorityClassName: high, ').replace('name: app', 'name: other'),
      `{apiVersion: v1, kind: ServiceAccount, metadata: {name: sa, ${NS}}}`,
      '{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1}',
    ],
  },
  {
    name: 'a storage class, misspelt',
    objects: [claim('storageClassName: fast-sdd, '), storage],
    found: [
      `error STORAGE_CLASS_MISSING PersistentVolumeClaim kube-system/data ${missing('StorageClass fast-sdd', 'its volumes are never made')} → Did you mean fast-ssd?`,
    ],
  },
  { name: 'a storage class, there, by default, or none', objects: [claim('storageClassName: fast-ssd, '), storage] },
  { name: 'no storage class', objects: [claim('storageClassName: "", ')] },
  {
    name: 'the Service of a webhook',
    objects: [webhook(`name: hook, ${NS}`)],
    found: [
      `warning SERVICE_MISSING ValidatingWebhookConfiguration hook ${missing('Service kube-system/hook', 'the API server refuses what it is about before it answers')} → ${CORRECT}`,
    ],
  },
  {
    name: 'the Service of a webhook that may be ignored',
    objects: [webhook(`name: hook, ${NS}`, 'failurePolicy: Ignore, ')],
    found: [
      `warning SERVICE_MISSING ValidatingWebhookConfiguration hook ${missing('Service kube-system/hook', 'it is never asked')} → ${CORRECT}`,
    ],
  },
  { name: 'a Service that is there', objects: [webhook(`name: hook, ${NS}`), service] },
  {
    name: 'a port that the Service does not have',
    objects: [webhook(`name: hook, ${NS}, port: 8443`), service],
    found: [
      'error SERVICE_MISSING ValidatingWebhookConfiguration hook calls port 8443 of Service kube-system/hook, which has no such port → Its ports are: 443.',
    ],
  },
  {
    name: 'the Service of an API',
    objects: [
      `{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.x.io}, spec: {group: x.io, version: v1, groupPriorityMinimum: 100, versionPriority: 100, service: {name: hook, namespace: default}}}`,
      service,
    ],
    found: [
      `error SERVICE_MISSING APIService v1.x.io ${missing('Service default/hook', 'its API does not answer')} → There is one of that name in namespace kube-system: objects find those of their own namespace only.`,
    ],
  },
  {
    name: 'a role',
    objects: [binding('kind: Role, name: raeder'), role],
    found: [
      `error ROLE_MISSING RoleBinding kube-system/b ${missing('Role kube-system/raeder', 'it gives no rights')} → Did you mean reader?`,
    ],
  },
  { name: 'a role that is there', objects: [binding('kind: Role, name: reader'), role] },
  { name: 'a role of Kubernetes', objects: [binding('kind: ClusterRole, name: "system:auth-delegator"')] },
  {
    name: 'a service account that nearly has that name',
    objects: [role, bound('namespace: kube-system, name: raeder'), account],
    found: [
      `warning ROLE_MISSING RoleBinding kube-system/b ${missing('ServiceAccount kube-system/raeder', 'its rights reach nobody')} → Did you mean reader?`,
    ],
  },
  {
    name: 'a service account of another namespace',
    objects: [role, bound('namespace: default, name: reader'), account],
    found: [
      `warning ROLE_MISSING RoleBinding kube-system/b ${missing('ServiceAccount default/reader', 'its rights reach nobody')} → There is one of that name in namespace kube-system: objects find those of their own namespace only.`,
    ],
  },
  { name: 'a service account of the namespace of the binding', objects: [role, bound('name: reader'), account] },
  { name: 'a service account that may come from elsewhere', objects: [role, bound('name: prometheus'), account] },
  { name: 'a service account of Kubernetes', objects: [role, bound('name: default'), account] },
  {
    name: 'a kind that nothing defines, once',
    objects: [thing, thing.replace('name: t', 'name: u')],
    spec: scoped,
    found: [
      'warning DEFINITION_MISSING Thing kube-system/t is of a kind that nothing in the tree defines (example.com/v1) → Bring the CustomResourceDefinition with an addon; if the cluster serves it, add example.com/v1/Thing to spec.apiVersions of addons.yaml or stackmason.yaml.',
    ],
  },
  { name: 'a kind that is defined', objects: [thing, definition] },
  {
    name: 'a kind that the fleet declares',
    objects: [thing],
    spec: [...scoped, 'apiVersions: [example.com/v1/Thing]'],
  },
  {
    name: 'a kind that a program of the cluster may define',
    spec: scoped,
    objects: [
      thing,
      '{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: c}, rules: [{apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [update], resourceNames: [things.example.com]}]}',
    ],
  },
]

describe('references of workload clusters:', () => {
  test.each(rows)('$name', async ({ objects, files = {}, spec, found = [] }) => {
    // the place is that of the field: tested below
    expect(await checkObjects(objects, { files, ...(spec && { spec }) })).toEqual(found)
  })

  test('point at the field of the template', async () => {
    const lines = await checkLab({ files: { [lab.template]: pod('serviceAccountName: sa, '), [lab.defaults]: '' } })
    const column = pod('serviceAccountName: sa, ').indexOf('sa, ') + 1
    expect(lines).toEqual([expect.stringContaining(`${lab.template}:1:${String(column)} Deployment kube-system/app`)])
  })
})

describe('templates of a class:', () => {
  const templates = 'stack/cluster-class/templates/templates.yaml'

  test('one that the release does not have', async () => {
    const files = {
      [templates]:
        'apiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: DockerMachineTemplate\nmetadata: {name: lab-workr}\n',
    }
    const found = await checkLab({ files })
    expect(found.map((line) => line.replace(/.*?\.yaml:/, ''))).toEqual([
      '8:99 ClusterClass docker-lab-1-34-v1 names DockerClusterTemplate lab-cluster, which its release does not have [docker-lab-1-34-v1] → Correct the name in the class, or bring the template with it.',
      '6:103 ClusterClass docker-lab-1-34-v1 names KubeadmControlPlaneTemplate lab-control-plane, which its release does not have [docker-lab-1-34-v1] → Correct the name in the class, or bring the template with it.',
      '14:102 ClusterClass docker-lab-1-34-v1 names KubeadmConfigTemplate lab-worker, which its release does not have [docker-lab-1-34-v1] → Correct the name in the class, or bring the template with it.',
      '16:107 ClusterClass docker-lab-1-34-v1 names DockerMachineTemplate lab-worker, which its release does not have [docker-lab-1-34-v1] → Did you mean lab-workr?',
    ])
  })
})
