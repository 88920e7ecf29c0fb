import { formatGoJson } from '../codec/json/go-json.ts'
import { Dict, type Value } from '../model/value.ts'

/**
 * How the items of a list are told apart. `keys`: by the values of these fields, and in some lists by their
 * place, too; `set`: each is what it is, and order
 * has no meaning; `ordered`: by their place.
 */
export type ListRule =
  | {
      readonly by: 'keys'
      readonly keys: readonly string[]
      readonly hasOrder: boolean
      /** The values of keys that an item leaves out. */
      readonly defaults?: ListType['defaults'] | undefined
    }
  | { readonly by: 'set' }
  | { readonly by: 'ordered' }

/** The type of a list by its schema: the API server takes it apart in the same way. */
export interface ListType {
  readonly type: 'atomic' | 'set' | 'map'
  /** Of a map. */
  readonly keys: readonly string[]
  /** The values of keys that an item leaves out, by key. */
  readonly defaults: ReadonlyMap<string, Value>
}

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

/** Fields of an API whose lists have no order, be they keyed or sets. */
interface FreeRow {
  readonly isOf: (group: string) => boolean
  readonly fields: readonly string[]
}

const CAPI = 'cluster.x-k8s.io'

/** True for what Kubernetes itself serves; its policies and routes that are defined apart have an order. */
export function isBuiltIn(group: string): boolean {
  if (group === 'gateway.networking.k8s.io' || group === 'policy.networking.k8s.io') return false
  return !group.includes('.') || /^(?:[a-z]+\.){1,3}k8s\.io$/.test(group)
}

/**
 * Lists in which the order of items has no meaning, in the same sources (`x-kubernetes-list-type` map or set, or what
 * the documentation calls a union). In any other list it has one: the first rule that fits counts, the first step runs
 * first. Of containers, those that run one after the other have one, and so have variables that refer to another.
 */
const free: readonly FreeRow[] = [
  {
    isOf: isBuiltIn,
    fields: [
      'accessModes',
      'add',
      'additionalPrinterColumns',
      'apiGroups',
      'apiVersions',
      'categories',
      'conditions',
      'containers',
      'drop',
      'egress',
      'enum',
      'env',
      'ephemeralContainers',
      'from',
      'hostAliases',
      'httpHeaders',
      'imagePullSecrets',
      'ingress',
      'items',
      'matchConditions',
      'matchExpressions',
      'matchFields',
      'nonResourceURLs',
      'operations',
      'policyTypes',
      'ports',
      'readinessGates',
      'required',
      'resourceClaims',
      'resourceNames',
      'resources',
      'rules',
      'schedulingGates',
      'secrets',
      'shortNames',
      'subjects',
      'sysctls',
      'taints',
      'to',
      'tolerations',
      'topologySpreadConstraints',
      'verbs',
      'versions',
      'volumeClaimTemplates',
      'volumeDevices',
      'volumeMounts',
      'volumes',
      'webhooks',
    ],
  },
  {
    isOf: (group) => group === CAPI || group.endsWith(`.${CAPI}`),
    fields: [
      'conditions',
      'enum',
      'extraArgs',
      'extraVolumes',
      'failureDomains',
      'files',
      'kubeletExtraArgs',
      'machineDeployments',
      'machinePools',
      'matchExpressions',
      'overrides',
      'required',
      'taints',
      'users',
      'variables',
    ],
  },
  {
    isOf: (group) => group.endsWith('.toolkit.fluxcd.io'),
    fields: ['dependsOn', 'healthCheckExprs', 'healthChecks'],
  },
  { isOf: (group) => group === 'argoproj.io', fields: ['ignoreDifferences', 'parameters', 'syncOptions'] },
  { isOf: (group) => group === 'cilium.io', fields: ['egress', 'egressDeny', 'ingress', 'ingressDeny'] },
]

/** Lists among them whose items need no key: they add up. */
const unions: ReadonlySet<string> = new Set(['rules', 'subjects'])

/** The same in the metadata of any object. */
const freeOfMetadata: readonly string[] = ['finalizers', 'ownerReferences']

/** A list of an object. */
export interface ListPlace {
  /** The name of the field that holds it; '' for a list in a list. */
  readonly field: string
  readonly isMetadata: boolean
  /** Of the object. */
  readonly group: string
  readonly kind: string
}

function isFree({ field, isMetadata, group, kind }: ListPlace, items: readonly Value[]): boolean {
  if (isMetadata) return freeOfMetadata.includes(field)
  if (field === 'env' && items.some(refersToOther)) return false
  // each is called with what the one before it made
  if (field === 'webhooks' && kind === 'MutatingWebhookConfiguration') return false
  return free.some(({ isOf, fields }) => isOf(group) && fields.includes(field))
}

/** True for a variable whose value takes in another: only one that stands before it is known. */
function refersToOther(item: Value): boolean {
  const value = item instanceof Dict ? item.get('value') : undefined
  return typeof value === 'string' && value.includes('$(')
}

const keysOf: ReadonlyMap<string, readonly (readonly string[])[]> = new Map(
  keyed.flatMap(({ fields, keys }) => fields.map((field) => [field, keys] as const)),
)

/** The values of keys that may be left out. */
const defaults: ReadonlyMap<string, string> = new Map([['protocol', 'TCP']])

/** The rule for two lists of one place: what its definition says counts, where the items keep to it. */
export function ruleOf(
  place: ListPlace,
  before: readonly Value[],
  after: readonly Value[],
  { type, keys: own = [], defaults: ofKeys }: Partial<ListType> = {},
): ListRule {
  const lists = [before, after]
  if (type === 'map' && lists.every((items) => isKeyed(items, own, ofKeys)))
    return { by: 'keys', keys: own, hasOrder: false, defaults: ofKeys }
  if (type === 'set' && lists.every(isUnique)) return { by: 'set' }
  const keys = [...(keysOf.get(place.field) ?? []), ['name'], ['key']].find(
    (candidate) => fits(candidate, before) && fits(candidate, after),
  )
  const hasOrder = type === 'atomic' || !isFree(place, before) || !isFree(place, after)
  if (keys !== undefined) return { by: 'keys', keys, hasOrder }
  // of items that should have a key of their own and have not, the last one counts
  const isSet = !hasOrder && (!keysOf.has(place.field) || unions.has(place.field))
  return { by: isSet ? 'set' : 'ordered' }
}

function isKeyed(items: readonly Value[], keys: readonly string[], ofKeys: ListType['defaults'] | undefined): boolean {
  const seen = new Set(items.map((item) => keyOf(item, keys, ofKeys)))
  return seen.size === items.length && !seen.has(undefined)
}

function isUnique(items: readonly Value[]): boolean {
  return new Set(items.map((item) => formatGoJson(item, { escapeHtml: false }))).size === items.length
}

/** The value of an item's keys, with `/` between them; undefined for what has none of them. */
export function keyOf(item: Value, keys: readonly string[], ofKeys?: ListType['defaults']): string | undefined {
  if (!(item instanceof Dict)) return undefined
  const values = keys.map((key) => textOf(valueAt(item, key) ?? ofKeys?.get(key)) ?? defaults.get(key))
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
