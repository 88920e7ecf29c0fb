import { describe, expect, test } from 'vitest'
import { decodeUtf8, encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { type ClusterCopy, copyCluster } from '../../src/create/copy-cluster.ts'

const copy: ClusterCopy = {
  from: { namespace: 'team-a', name: 'web' },
  to: { namespace: 'team-b', name: 'shop' },
  network: {},
  ranges: {},
  sharedRanges: new Set(),
}

const head = 'apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: web, namespace: team-a}\n'
const newHead = 'apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: shop, namespace: team-b}\n'

interface Row {
  readonly name: string
  readonly file: string
  readonly text: string
  /** Absent: the file is left out. */
  readonly want?: string
  readonly notes: readonly string[]
  readonly copy?: Partial<ClusterCopy>
}

const rows: readonly Row[] = [
  {
    name: 'the name and namespace, and comments stay',
    file: 'cluster.yaml',
    text: '# of the web team\napiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata:\n  name: web # ours\n  namespace: team-a\nspec: {topology: {version: v1.34.7}}\n',
    want: '# of the web team\napiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata:\n  name: shop # ours\n  namespace: team-b\nspec: {topology: {version: v1.34.7}}\n',
    notes: [],
  },
  {
    name: 'an endpoint, and a range that no other cluster has',
    file: 'cluster.yaml',
    text: `${head}spec:\n  clusterNetwork:\n    pods:\n      cidrBlocks: [10.1.0.0/16]\n  # fixed\n  controlPlaneEndpoint:\n    host: web.example.com\n    port: 6443\n  topology:\n    version: v1.34.7\n`,
    want: `${newHead}spec:\n  topology:\n    version: v1.34.7\n`,
    notes: [
      'left out cluster.yaml:7 spec.clusterNetwork.pods.cidrBlocks: a range of addresses that no other cluster has',
      'left out cluster.yaml:9 spec.controlPlaneEndpoint: an endpoint',
    ],
  },
  {
    name: 'a range that other clusters share stays',
    file: 'cluster.yaml',
    text: `${head}spec:\n  clusterNetwork: {pods: {cidrBlocks: [10.1.0.0/16]}}\n`,
    want: `${newHead}spec:\n  clusterNetwork: {pods: {cidrBlocks: [10.1.0.0/16]}}\n`,
    notes: [],
    copy: { sharedRanges: new Set(['10.1.0.0/16']) },
  },
  {
    name: 'given ranges and a given endpoint take their places, also in variables',
    file: 'cluster.yaml',
    text: `${head}spec:\n  clusterNetwork:\n    pods:\n      cidrBlocks: [10.1.0.0/16, 10.2.0.0/16]\n  controlPlaneEndpoint: {host: web.example.com, port: 443}\n  topology:\n    variables:\n      - name: podCidr\n        value: 10.1.0.0/16\n`,
    want: `${newHead}spec:\n  clusterNetwork:\n    pods:\n      cidrBlocks: [10.9.0.0/16]\n  controlPlaneEndpoint: {host: shop.example.com, port: 6443}\n  topology:\n    variables:\n      - name: podCidr\n        value: 10.9.0.0/16\n`,
    notes: ['left out cluster.yaml:7 spec.clusterNetwork.pods.cidrBlocks[1]: a range of addresses'],
    copy: {
      network: { pods: '10.9.0.0/16', endpoint: { host: 'shop.example.com', port: 6443n } },
      ranges: { pods: '10.1.0.0/16' },
    },
  },
  {
    name: 'variables with IDs, secrets and networks',
    file: 'cluster.yaml',
    text: `${head}spec:\n  topology:\n    variables:\n      - name: flavor\n        value: small\n      # of this cluster\n      - name: externalNetwork\n        value: 0f8fad5b-d9cb-469f-a165-70867728950e\n      - name: nodeCidr\n        value: 10.8.0.0/20\n      - name: apiToken\n        value: hunter2\n      - name: dns\n        value: [9.9.9.9]\n      - name: secretName\n        value: cloud\n`,
    want: `${newHead}spec:\n  topology:\n    variables:\n      - name: flavor\n        value: small\n      - name: dns\n        value: [9.9.9.9]\n      - name: secretName\n        value: cloud\n`,
    notes: [
      'left out cluster.yaml:10 spec.topology.variables[externalNetwork]: an ID',
      'left out cluster.yaml:12 spec.topology.variables[nodeCidr]: a range of addresses',
      'left out cluster.yaml:14 spec.topology.variables[apiToken]: a secret',
      'review cluster.yaml:10 spec.topology.variables[dns].value[0] holds an address',
    ],
  },
  {
    name: 'a class in the namespace of the model is named',
    file: 'cluster.yaml',
    text: `${head}spec: {topology: {classRef: {name: a-b-1-34-v1}}}\n`,
    want: `${newHead}spec: {topology: {classRef: {name: a-b-1-34-v1, namespace: team-a}}}\n`,
    notes: ['review cluster.yaml:4 spec.topology.classRef.namespace names team-a'],
    copy: { classNamespace: 'team-a' },
  },
  {
    name: 'objects beside the Cluster get the name, Secrets are left out',
    file: 'cluster.yaml',
    text: `${head}---\napiVersion: v1\nkind: Secret\nmetadata: {name: web-cloud, namespace: team-a}\nstringData: {a: hunter2}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web-motd, namespace: team-a}\n`,
    want: `${newHead}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop-motd, namespace: team-b}\n`,
    notes: ['left out cluster.yaml a Secret'],
  },
  {
    name: 'values: what names the model is reviewed, what says that it is a cluster is renamed',
    file: 'values/ingress.yaml',
    text: '# shared with ops\nclusterName: web\nhost: web.example.com\nwebhook: true\npassword: hunter2\ncontrollerEndpoint: 192.0.2.7\nendpoint: metrics\n',
    want: '# shared with ops\nclusterName: shop\nhost: web.example.com\nwebhook: true\nendpoint: metrics\n',
    notes: [
      'left out values/ingress.yaml:5 password: a secret',
      'left out values/ingress.yaml:6 controllerEndpoint: an endpoint',
      'review values/ingress.yaml:3 host names web',
    ],
  },
  {
    name: 'values of which nothing would be left',
    file: 'values/cloud.yaml',
    text: 'cloud:\n  clientSecret: hunter2\n',
    notes: ['left out values/cloud.yaml the file: it holds a secret'],
  },
  {
    name: 'an encrypted file',
    file: 'values/cloud.yaml',
    text: 'cloud: ENC[x]\nsops: {version: 3.9.0}\n',
    notes: ['left out values/cloud.yaml the file: it is encrypted'],
  },
  {
    name: 'a patch finds the objects of the new cluster',
    file: 'patches/a.yaml',
    text: 'apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: Cluster, name: web}\n  mergePatch: {metadata: {labels: {a: b}}}\n',
    want: 'apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: Cluster, name: shop}\n  mergePatch: {metadata: {labels: {a: b}}}\n',
    notes: [],
  },
  {
    name: 'keys of tolerations and of references are no secrets',
    file: 'patches/a.yaml',
    text: 'spec:\n  mergePatch:\n    tolerations: [{key: node-role, operator: Exists}]\n    ref: {name: x, key: token}\n',
    want: 'spec:\n  mergePatch:\n    tolerations: [{key: node-role, operator: Exists}]\n    ref: {name: x, key: token}\n',
    notes: [],
  },
  {
    name: 'a patch with an ID is left out whole',
    file: 'patches/a.yaml',
    text: 'apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  mergePatch: {spec: {id: 0f8fad5b-d9cb-469f-a165-70867728950e}}\n',
    notes: ['left out patches/a.yaml the file: it holds an ID'],
  },
  {
    name: 'the name of a class is that of its stack, whatever the model is called',
    file: 'cluster.yaml',
    text: `${head}spec: {topology: {classRef: {name: web-scs-1-34-v1}, version: v1.34.7}}\n`,
    want: `${newHead}spec: {topology: {classRef: {name: web-scs-1-34-v1}, version: v1.34.7}}\n`,
    notes: [],
  },
  {
    name: 'values of the running model',
    file: 'addons.yaml',
    text: 'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  runtimeValues:\n    Cluster.spec.controlPlaneEndpoint.host: 192.0.2.10\n  units: perAddon\n',
    want: 'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  units: perAddon\n',
    notes: [
      'left out addons.yaml:5 spec.runtimeValues.Cluster.spec.controlPlaneEndpoint.host: a value of the running model',
    ],
  },
  {
    name: 'options are state of the model',
    file: 'options.yaml',
    text: 'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {freeze: true}\n',
    notes: ['left out options.yaml the file: it says what is done with the model'],
  },
  {
    name: 'other files are copied as they are',
    file: 'quotas/quota.yaml.hbs',
    text: 'name: {{cluster.metadata.name}} # web\n',
    want: 'name: {{cluster.metadata.name}} # web\n',
    notes: [],
  },
]

describe('a copy of a cluster', () => {
  test.each(rows)('$name', ({ file, text, want, notes, copy: own }) => {
    const copied = copyCluster(new Map([[file, encodeUtf8(text)]]), { ...copy, ...own })
    const bytes = copied.files.get(file)
    expect(bytes && decodeUtf8(bytes)).toBe(want)
    expect(
      copied.notes.map(
        ({ kind, file: path, line, what }) => `${kind} ${path}${line === undefined ? '' : `:${String(line)}`} ${what}`,
      ),
    ).toEqual(notes)
    expect(JSON.stringify(copied.notes)).not.toContain('hunter2')
  })
})
