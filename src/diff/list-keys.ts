import { formatGoJson } from '../codec/json/go-json.ts'
import { Dict, type Value } from '../model/value.ts'

/**
 * How the items of a list are told apart. `keys`: by the values of these fields; `set`: each is what it is, and order
 * has no meaning; `ordered`: by their place.
 */
export type ListRule =
  { readonly by: 'keys'; readonly keys: readonly string[] } | { readonly by: 'set' } | { readonly by: 'ordered' }

interface KeyRow {
  readonly fields: readonly string[]
  /** Combinations of keys; the first that fits all items counts. */
  readonly keys: readonly (readonly string[])[]
}

/**
 * Lists of maps by the field that holds them. From the OpenAPI of Kubernetes 1.34 (`x-kubernetes-list-map-keys`,
 * `x-kubernetes-patch-merge-key`), the types of Cluster API 1.13 (`+listMapKey`), and for Flux and Argo CD from their
 * documentation. Where the API has no key, unique names are one all the same.
 */
const keyed: readonly KeyRow[] = [
  // core/v1, PodSpec and below
  { fields: ['containers', 'initContainers', 'ephemeralContainers'], keys: [['name']] },
  { fields: ['env', 'volumes', 'imagePullSecrets', 'resourceClaims', 'secrets'], keys: [['name']] },
  {
    fields: ['ports'],
    keys: [['containerPort', 'protocol'], ['port', 'protocol'], ['name']],
  },
  { fields: ['volumeMounts'], keys: [['mountPath']] },
  { fields: ['volumeDevices'], keys: [['devicePath']] },
  { fields: ['hostAliases'], keys: [['ip']] },
  { fields: ['topologySpreadConstraints'], keys: [['topologyKey', 'whenUnsatisfiable']] },
  { fields: ['readinessGates'], keys: [['conditionType']] },
  { fields: ['conditions'], keys: [['type']] },
  { fields: ['ownerReferences'], keys: [['uid'], ['apiVersion', 'kind', 'name']] },
  { fields: ['volumeClaimTemplates'], keys: [['metadata.name']] },
  // rbac/v1: rules have no key, and are a union
  { fields: ['rules'], keys: [['apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'], ['host']] },
  { fields: ['subjects'], keys: [['kind', 'namespace', 'name']] },
  // admissionregistration/v1, apiextensions/v1
  { fields: ['webhooks', 'matchConditions', 'versions'], keys: [['name']] },
  { fields: ['additionalPrinterColumns'], keys: [['name']] },
  // cluster.x-k8s.io: Cluster and ClusterClass
  {
    fields: ['variables', 'overrides', 'machineDeployments', 'machinePools', 'failureDomains'],
    keys: [['name'], ['class']],
  },
  { fields: ['patches'], keys: [['name']] },
  // bootstrap.cluster.x-k8s.io: v1beta2 has lists of arguments
  { fields: ['files'], keys: [['path']] },
  { fields: ['extraArgs', 'kubeletExtraArgs', 'taints'], keys: [['key', 'effect'], ['name', 'value'], ['name']] },
  { fields: ['users', 'extraVolumes'], keys: [['name']] },
  // Flux and Argo CD
  { fields: ['dependsOn'], keys: [['namespace', 'name']] },
  { fields: ['substituteFrom'], keys: [['kind', 'name']] },
  { fields: ['healthCheckExprs'], keys: [['apiVersion', 'kind']] },
  { fields: ['ignoreDifferences'], keys: [['group', 'kind', 'namespace', 'name']] },
]

/** Lists that are sets in the same sources: the order of their items has no meaning. */
const sets: ReadonlySet<string> = new Set([
  'accessModes',
  'add',
  'apiGroups',
  'apiVersions',
  'categories',
  'drop',
  'egress',
  'enum',
  'finalizers',
  'from',
  'healthChecks',
  'ingress',
  'nonResourceURLs',
  'operations',
  'policyTypes',
  'required',
  'resourceNames',
  'resources',
  'rules',
  'shortNames',
  'subjects',
  'syncOptions',
  'to',
  'tolerations',
  'verbs',
])

const keysOf: ReadonlyMap<string, readonly (readonly string[])[]> = new Map(
  keyed.flatMap(({ fields, keys }) => fields.map((field) => [field, keys] as const)),
)

/** What a key is where it may be left out. */
const defaults: ReadonlyMap<string, string> = new Map([['protocol', 'TCP']])

/** The rule for two lists of a field; `field` is its name, '' for a list in a list. */
export function ruleOf(field: string, before: readonly Value[], after: readonly Value[]): ListRule {
  const keys = [...(keysOf.get(field) ?? []), ['name'], ['key']].find(
    (candidate) => fits(candidate, before) && fits(candidate, after),
  )
  if (keys !== undefined) return { by: 'keys', keys }
  return { by: sets.has(field) ? 'set' : 'ordered' }
}

/** The value of an item's keys, with `/` between them; undefined for what has none of them. */
export function keyOf(item: Value, keys: readonly string[]): string | undefined {
  if (!(item instanceof Dict)) return undefined
  const values = keys.map((key) => textOf(valueAt(item, key)) ?? defaults.get(key))
  return values.every((value) => value === undefined) ? undefined : values.map((value) => value ?? '').join('/')
}

function valueAt(item: Dict, key: string): Value | undefined {
  const [first = '', second] = key.split('.')
  const value = item.get(first)
  if (second === undefined) return value
  return value instanceof Dict ? value.get(second) : undefined
}

function textOf(value: Value | undefined): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : formatGoJson(value, { escapeHtml: false })
}

/** True if all are maps with the first key, and no two are the same by all of them. */
function fits(keys: readonly string[], items: readonly Value[]): boolean {
  const seen = new Set<string>()
  const isUnion = keys[0] === 'apiGroups'
  for (const item of items) {
    const key = keyOf(item, keys)
    if (key === undefined || seen.has(key)) return false
    if (!isUnion && keys.length > 0 && !hasOneOf(item, keys)) return false
    seen.add(key)
  }
  return true
}

/** The first key must be there, but for a namespace, which may be that of the object. */
function hasOneOf(item: Value, keys: readonly string[]): boolean {
  const needed = keys.find((key) => key !== 'namespace' && key !== 'group') ?? ''
  return item instanceof Dict && textOf(valueAt(item, needed)) !== undefined
}
