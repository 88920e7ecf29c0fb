/** A spec that the server must take or refuse. */
export interface CrdRow {
  readonly name: string
  readonly kind: 'RuntimeValues' | 'NodeImageGate' | 'StorageMigration'
  readonly spec?: object
  /** What the server objects to, each `<field>: <words>`; none when it takes it. */
  readonly want: readonly string[]
}

const host = {
  name: 'CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST',
  from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.host' },
  type: 'host',
}
const publish = { configMap: 'c1' }
const ca = { name: 'hubble-ca', function: 'genCA', arguments: ['hubble', '3650'] }
const secret = {
  namespace: 'kube-system',
  name: 'hubble-ca',
  data: [
    { key: 'ca.crt', generator: 'hubble-ca', part: 'cert' },
    { key: 'ca.key', generator: 'hubble-ca', part: 'key', decode: 'base64' },
  ],
}

function values(spec: object): Pick<CrdRow, 'kind' | 'spec'> {
  return { kind: 'RuntimeValues', spec: { clusterName: 'c1', ...spec } }
}

/** One value with these fields. */
function value(fields: object): Pick<CrdRow, 'kind' | 'spec'> {
  return values({ values: [{ ...host, ...fields }], publish })
}

const nameRule =
  'the name of a value must be letters, digits and underscores, begin with a letter and not end with an underscore: it is a variable of Flux, and the name of an annotation for Argo CD'
const pathRule =
  "fieldPath must be names joined by dots, with [number], [key=value] or ['name'] where a name alone is not enough, such as status.addresses[type=InternalIP].address"
const oneThing = 'an assumption says one thing: isSet or notEqual'
const listOrNone = 'a gate lists the images that its release needs, or says none: true; never both'
const oneWay = 'an image is named one way: orcImage for an Image object, name for an image in the cloud'
const selectOne = 'name the custom resource definitions, or select them by label; not both, not neither'
const crdName = 'a custom resource definition is named <plural>.<group>, such as clusters.cluster.x-k8s.io'

/** What the definitions of `templates/crds` let through. */
export const crdRows: readonly CrdRow[] = [
  {
    name: 'everything that a binding can say',
    ...values({
      values: [
        { ...host, assumptions: [{ isSet: true }, { notEqual: 'auto' }, { notEqual: '' }] },
        {
          name: 'ZONE',
          from: { kind: 'InfrastructureCluster', fieldPath: "metadata.annotations['example.com/zone']" },
          type: 'string',
        },
        { name: 'CA', from: { generator: 'hubble-ca', part: 'cert' }, type: 'string', encode: 'escaped' },
        {
          name: 'PORT',
          from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.port' },
          type: 'port',
          encode: 'base64',
        },
        {
          name: 'network_id',
          from: { kind: 'InfrastructureCluster', fieldPath: 'status.network.subnets[0].id' },
          type: 'id',
        },
        {
          name: 'a1',
          from: { kind: 'ControlPlane', fieldPath: 'status.addresses[type=InternalIP].address' },
          type: 'string',
        },
      ],
      generators: [
        ca,
        { name: 'password', function: 'randAlphaNum', arguments: ['16'] },
        { name: 'text', function: 'text', arguments: ['${hubble-ca.cert}$${not}'] },
        {
          name: 'there',
          function: 'genCA',
          existing: { namespace: 'kube-system', name: 'old-ca', keys: [{ part: 'cert', key: 'ca.crt' }] },
        },
      ],
      secrets: [
        { ...secret, type: 'kubernetes.io/tls', labels: { app: 'hubble' }, annotations: { note: 'x' } },
        { ...secret, namespace: 'monitoring', data: [{ key: 'login', template: 'admin:${password.value}' }] },
      ],
      publish: { configMap: 'c1' },
    }),
    want: [],
  },
  { name: 'secrets only', ...values({ generators: [ca], secrets: [secret] }), want: [] },
  {
    name: 'no spec',
    kind: 'RuntimeValues',
    want: ['spec: Required value'],
  },
  {
    name: 'the name of another cluster',
    ...values({ clusterName: 'c2' }),
    want: ['<nil>: a RuntimeValues object has the name of its cluster, so that each cluster has one'],
  },
  ...['1HOST', '_HOST', 'HOST_', 'HOST-NAME', 'HOST.NAME', 'höst', 'A B'].map((name) => ({
    name: `value named ${name}`,
    ...value({ name }),
    want: [`spec.values[0].name: ${nameRule}`],
  })),
  {
    name: 'two values of a name',
    ...values({ values: [host, host], publish }),
    want: [
      'failed to create typed patch object (default/c1; stackmason.dev/v1alpha1, Kind=RuntimeValues): .spec.values: duplicate entries for key [name="CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST"]',
    ],
  },
  ...['spec..host', '.spec', 'spec.', 'spec[x]', 'spec.a b', '{.spec}', 'status.a[0]b', "status['a", 'status.a.0'].map(
    (fieldPath) => ({
      name: `field path ${fieldPath}`,
      ...value({ from: { kind: 'Cluster', fieldPath } }),
      want: [`spec.values[0].from.fieldPath: ${pathRule}`],
    }),
  ),
  {
    name: 'a source that is not a part of the cluster',
    ...value({ from: { kind: 'Secret', fieldPath: 'data.password' } }),
    want: [
      'spec.values[0].from.kind: Unsupported value: "Secret": supported values: "Cluster", "ControlPlane", "InfrastructureCluster"',
    ],
  },
  {
    name: 'an assumption that says two things',
    ...value({ assumptions: [{ isSet: true, notEqual: 'auto' }] }),
    want: [`spec.values[0].assumptions[0]: ${oneThing}`],
  },
  {
    name: 'an assumption that says nothing',
    ...value({ assumptions: [{}] }),
    want: [`spec.values[0].assumptions[0]: ${oneThing}`],
  },
  {
    name: 'an assumption that the value is missing',
    ...value({ assumptions: [{ isSet: false }] }),
    want: ['spec.values[0].assumptions[0].isSet: Unsupported value: false: supported values: "true"'],
  },
  {
    name: 'values that are published nowhere',
    ...values({ values: [host] }),
    want: [
      'spec.publish: values need publish.configMap, the name of the ConfigMap that they are published in, or publish.argoCluster',
    ],
  },
  {
    name: 'a generator that is not there',
    ...values({ secrets: [secret] }),
    want: ['spec.secrets: every generator that secrets name must be one of spec.generators'],
  },
  {
    name: 'a function that is none',
    ...values({ generators: [{ name: 'x', function: 'env HOME' }] }),
    want: ["spec.generators[0].function: spec.generators[0].function in body should match '^[A-Za-z][A-Za-z0-9]*$'"],
  },
  {
    name: 'a value from a generator that is not there',
    ...value({ from: { generator: 'hubble-ca', part: 'cert' } }),
    want: ['spec.values: every generator that values name must be one of spec.generators'],
  },
  {
    name: 'a name that no annotation can have',
    ...value({ name: 'A'.repeat(64) }),
    want: ['spec.values[0].name: Too long: may not be more than 63 bytes'],
  },
  ...['key', 'hash'].map((part) => ({
    name: `the ${part} of a generator, published`,
    ...values({ generators: [ca], values: [{ ...host, from: { generator: 'hubble-ca', part } }], publish }),
    want: [
      'spec.values[0].from.part: only what is public is published: cert, or the value that is computed from it; a key or a hash belongs into a Secret',
    ],
  })),
  ...[
    {},
    { kind: 'Cluster' },
    { generator: 'a' },
    { kind: 'Cluster', fieldPath: 'a', generator: 'a', part: 'cert' },
  ].map((from) => ({
    name: `a value from ${Object.keys(from).join(', ') || 'nowhere'}`,
    ...values({ values: [{ ...host, from }], generators: [{ name: 'a', function: 'genCA' }], publish }),
    want: [
      'spec.values[0].from: a value comes from a field (kind and fieldPath) or from a generator (generator and part)',
    ],
  })),
  {
    name: 'entries that say too little',
    ...values({
      generators: [ca],
      secrets: [
        { ...secret, data: [{ key: 'a' }, { key: 'b', generator: 'hubble-ca' }, { ...secret.data[0], template: 'x' }] },
      ],
    }),
    want: [
      'spec.secrets[0].data[0]: an entry is made one way: from a generator, or from a template',
      'spec.secrets[0].data[1]: generator and part belong together',
      'spec.secrets[0].data[2]: an entry is made one way: from a generator, or from a template',
    ],
  },

  {
    name: 'images of both kinds',
    kind: 'NodeImageGate',
    spec: { images: [{ orcImage: 'ubuntu-capi-image-v1.34.2' }, { name: 'Ubuntu 24.04' }], stalledAfter: '1h30m' },
    want: [],
  },
  { name: 'none', kind: 'NodeImageGate', spec: { none: true }, want: [] },
  { name: 'nothing said', kind: 'NodeImageGate', spec: {}, want: [`spec: ${listOrNone}`] },
  {
    name: 'images and none',
    kind: 'NodeImageGate',
    spec: { none: true, images: [{ name: 'x' }] },
    want: [`spec: ${listOrNone}`],
  },
  {
    name: 'an empty list',
    kind: 'NodeImageGate',
    spec: { images: [] },
    want: [
      'spec.images: an empty list of images would open the gate by accident; say none: true if the release needs none',
    ],
  },
  {
    name: 'none: false',
    kind: 'NodeImageGate',
    spec: { none: false },
    want: ['spec.none: Unsupported value: false: supported values: "true"'],
  },
  {
    name: 'an image without a name',
    kind: 'NodeImageGate',
    spec: { images: [{}] },
    want: [`spec.images[0]: ${oneWay}`],
  },
  {
    name: 'an image with two',
    kind: 'NodeImageGate',
    spec: { images: [{ name: 'x', orcImage: 'x' }] },
    want: [`spec.images[0]: ${oneWay}`],
  },
  {
    name: 'a time that is none',
    kind: 'NodeImageGate',
    spec: { none: true, stalledAfter: '2 hours' },
    want: ['spec.stalledAfter: stalledAfter must be a duration such as 90m or 2h'],
  },

  {
    name: 'definitions by name, in a cluster',
    kind: 'StorageMigration',
    spec: { clusterRef: { name: 'c1' }, customResourceDefinitions: ['clusters.cluster.x-k8s.io'] },
    want: [],
  },
  {
    name: 'definitions by label, here',
    kind: 'StorageMigration',
    spec: {
      selector: { matchLabels: { 'app.kubernetes.io/part-of': 'cluster-api' } },
      objectsPerSecond: 50,
      preflight: true,
    },
    want: [],
  },
  { name: 'no definition', kind: 'StorageMigration', spec: {}, want: [`spec: ${selectOne}`] },
  {
    name: 'an empty list of definitions',
    kind: 'StorageMigration',
    spec: { customResourceDefinitions: [] },
    want: ['spec.customResourceDefinitions: an empty list would migrate nothing and look finished'],
  },
  {
    name: 'both ways',
    kind: 'StorageMigration',
    spec: { customResourceDefinitions: ['a.b'], selector: { matchLabels: { a: 'b' } } },
    want: [`spec: ${selectOne}`],
  },
  {
    name: 'a kind in place of a name',
    kind: 'StorageMigration',
    spec: { customResourceDefinitions: ['Cluster', 'clusters'] },
    want: [`spec.customResourceDefinitions[0]: ${crdName}`, `spec.customResourceDefinitions[1]: ${crdName}`],
  },
  {
    name: 'all labels',
    kind: 'StorageMigration',
    spec: { selector: { matchLabels: {} } },
    want: ['spec.selector.matchLabels: spec.selector.matchLabels in body should have at least 1 properties'],
  },
  {
    name: 'too fast',
    kind: 'StorageMigration',
    spec: { customResourceDefinitions: ['a.b'], objectsPerSecond: 5000 },
    want: ['spec.objectsPerSecond: spec.objectsPerSecond in body should be less than or equal to 1000'],
  },
]
