/** The rights on some resources. */
export interface RoleRule {
  readonly group: string
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  /** Only those of these names; absent: all. */
  readonly names?: readonly string[]
  /** `cluster`: resources that lie in no namespace. */
  readonly scope: 'namespace' | 'cluster'
  /** Its purpose, as docs say it. */
  readonly why: string
}

/** Something that the controller does, which may be installed without the others. */
export interface Feature {
  readonly name: string
  /** The kind that it is for, as `--kind` takes it. */
  readonly kind: string
  readonly rules: (options: RoleOptions) => readonly RoleRule[]
}

/** The options that roles depend on. */
export interface RoleOptions {
  /** Resources of control planes and infrastructure that values are read from, as `<plural>.<group>`. */
  readonly sources: readonly string[]
  /** Resources whose objects may be migrated, as `<plural>.<group>`. */
  readonly migrated: readonly string[]
  /** Name of the lease. */
  readonly lease: string
}

/** Control planes and infrastructure of the stacks that are known. */
export const knownSources: readonly string[] = [
  'dockerclusters.infrastructure.cluster.x-k8s.io',
  'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io',
  'openstackclusters.infrastructure.cluster.x-k8s.io',
]

const OWN = 'stackmason.dev'
const CLUSTERS = 'clusters.cluster.x-k8s.io'

/**
 * The rights that each feature needs, and not a verb more: a test compares them with the server's audit log. A new
 * feature, or a new request of one, is a line here; manifests and the page of the controller are made of this.
 */
export const features: readonly Feature[] = [
  {
    name: 'values',
    kind: 'RuntimeValues',
    rules: ({ sources }) => [
      ...ownKind('runtimevalues'),
      {
        group: '',
        resources: ['configmaps'],
        verbs: ['create', 'delete', 'get', 'list', 'patch', 'watch'],
        scope: 'namespace',
        why: 'publish values; the list is of metadata, and of those with its own labels',
      },
      ...[CLUSTERS, ...sources].map((resource): RoleRule => {
        const [plural, group] = splitResource(resource)
        return {
          group,
          resources: [plural],
          verbs: ['get', 'list', 'watch'],
          scope: 'namespace',
          why: resource === CLUSTERS ? 'read values; lists are of metadata' : 'read values that only they have',
        }
      }),
      {
        group: 'apiextensions.k8s.io',
        resources: ['customresourcedefinitions'],
        names: [CLUSTERS, ...sources],
        verbs: ['get'],
        scope: 'cluster',
        why: "see which version keeps to Cluster API's newest contract",
      },
    ],
  },
  {
    name: 'secrets',
    kind: 'RuntimeValues',
    rules: () => [
      {
        group: 'stackmason.dev',
        resources: ['runtimevalues'],
        verbs: ['get'],
        scope: 'namespace',
        why: 'look whether an object has gone, before its generated Secrets are removed',
      },
      {
        group: '',
        resources: ['secrets'],
        verbs: ['create', 'delete', 'get', 'list', 'patch', 'watch'],
        scope: 'namespace',
        why: 'keep generated Secrets, remove those of clusters that have gone, read kubeconfigs of workload clusters; lists are of metadata, but who may list may read',
      },
    ],
  },
  {
    name: 'images',
    kind: 'NodeImageGate',
    rules: () => [
      ...ownKind('nodeimagegates'),
      {
        group: 'openstack.k-orc.cloud',
        resources: ['images'],
        verbs: ['get', 'list', 'watch'],
        scope: 'namespace',
        why: 'see whether images are there',
      },
      {
        group: 'infrastructure.clusterstack.x-k8s.io',
        resources: ['openstacknodeimagereleases'],
        verbs: ['list', 'watch'],
        scope: 'namespace',
        why: 'the same for images of the older provider',
      },
    ],
  },
  {
    name: 'migration-workloads',
    kind: 'StorageMigration',
    rules: () => [
      {
        group: 'cluster.x-k8s.io',
        resources: ['clusters'],
        verbs: ['get', 'list', 'watch'],
        scope: 'namespace',
        why: 'see which Cluster is meant, and whether it is there',
      },
      {
        group: '',
        resources: ['secrets'],
        verbs: ['get'],
        scope: 'namespace',
        why: 'read kubeconfigs of workload clusters; their names cannot be said beforehand',
      },
    ],
  },
  {
    name: 'migration',
    kind: 'StorageMigration',
    rules: ({ migrated }) => [
      ...ownKind('storagemigrations', 'get'),
      {
        group: 'apiextensions.k8s.io',
        resources: ['customresourcedefinitions'],
        verbs: ['get', 'list', 'watch'],
        scope: 'cluster',
        why: 'see which versions are stored; lists are of metadata',
      },
      // of no names would be of all
      ...(migrated.length === 0
        ? []
        : [
            {
              group: 'apiextensions.k8s.io',
              resources: ['customresourcedefinitions/status'],
              names: migrated,
              verbs: ['patch'],
              scope: 'cluster',
              why: 'take versions that are no longer stored out of `storedVersions`',
            } as const,
          ]),
      ...migrated.flatMap((resource): readonly RoleRule[] => {
        const [plural, group] = splitResource(resource)
        const why = 'write objects as they are, so that they are stored anew'
        return [
          { group, resources: [plural], verbs: ['get', 'list', 'patch'], scope: 'cluster', why },
          {
            group,
            resources: [`${plural}/status`],
            verbs: ['patch'],
            scope: 'cluster',
            why: 'the same where an admission webhook refuses that',
          },
        ]
      }),
    ],
  },
]

/** True if a feature reads Secrets. */
export function readsSecrets({ name }: Feature): boolean {
  return name === 'secrets' || name === 'migration-workloads'
}

/** The rights of the controller in its own namespace, whatever it does. */
export function leaseRules({ lease }: Pick<RoleOptions, 'lease'>): readonly RoleRule[] {
  const leases = { group: 'coordination.k8s.io', resources: ['leases'], scope: 'namespace' } as const
  return [
    { ...leases, verbs: ['create'], why: 'agree with other instances on one that works' },
    { ...leases, verbs: ['get', 'update'], names: [lease], why: 'the same' },
  ]
}

/** The rights in the namespace of Argo CD, to tell it of clusters. */
export const argoRules: readonly RoleRule[] = [
  {
    group: '',
    resources: ['secrets'],
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'watch'],
    scope: 'namespace',
    why: 'tell Argo CD of clusters; with `--argocd-namespace`',
  },
]

/** `<plural>.<group>` in its two parts. */
function splitResource(text: string): readonly [plural: string, group: string] {
  const dot = text.indexOf('.')
  return dot === -1 ? [text, ''] : [text.slice(0, dot), text.slice(dot + 1)]
}

/** The rights on a kind of our own. */
function ownKind(plural: string, ...further: readonly string[]): readonly RoleRule[] {
  return [
    {
      group: OWN,
      resources: [plural],
      verbs: [...further, 'list', 'watch'],
      scope: 'namespace',
      why: 'know what is asked for',
    },
    { group: OWN, resources: [`${plural}/status`], verbs: ['patch'], scope: 'namespace', why: 'say how it is' },
    { group: 'events.k8s.io', resources: ['events'], verbs: ['create'], scope: 'namespace', why: 'tell of changes' },
  ]
}
