import { formatGoJson } from '../codec/json/go-json.ts'
import { dictAt, fieldAt, itemsAt, textAt } from '../model/field.ts'
import type { EffectReason, FieldChange, TreeObject } from '../model/tree-change.ts'
import { Dict, GoInt, type Value } from '../model/value.ts'
import { parseImageReference } from '../model/image-reference.ts'
import { shownName } from '../model/shown-name.ts'
import { groupKindOf } from './object-kind.ts'

/** Kinds that run as many of something as `spec.replicas` says. */
const scaled =
  /^(?:apps\/(?:Deployment|StatefulSet|ReplicaSet)|\/ReplicationController|cluster\.x-k8s\.io\/Machine(?:Deployment|Pool|Set)|controlplane\.cluster\.x-k8s\.io\/.*ControlPlane)$/

/** Finds workloads that are scaled to nothing. */
export function scaleEffects(object: TreeObject, fields: readonly FieldChange[]): readonly EffectReason[] {
  const kind = groupKindOf(object)
  const isCluster = kind === 'cluster.x-k8s.io/Cluster'
  if (!isCluster && !scaled.test(kind)) return []
  return fields.flatMap(({ path, after, before }): readonly EffectReason[] => {
    if (path.at(-1) !== 'replicas' || !isZero(after) || isZero(before)) return []
    if (isCluster ? path[1] !== 'topology' : path.length !== 2) return []
    const pool = path.at(-2)
    const text = typeof pool === 'object' ? `pool ${pool.value}` : isCluster ? String(pool) : 'replicas'
    return [{ risk: 'scales-to-zero', text }]
  })
}

function isZero(value: Value | undefined): boolean {
  return value === 0 || (value instanceof GoInt && Number(value.value) === 0)
}

/** The new ways by which a Service is reached from outside. */
export function serviceEffects(before: Dict | undefined, after: TreeObject): readonly EffectReason[] {
  if (groupKindOf(after) !== '/Service') return []
  const [old, now] = [before ?? new Dict(), after.object]
  const texts: string[] = []
  const [had, has] = [textAt(old, 'spec', 'type'), textAt(now, 'spec', 'type')]
  if (had !== has && (has === 'LoadBalancer' || (has === 'NodePort' && had !== 'LoadBalancer')))
    texts.push(`type ${has}`)
  const itemsOf = (object: Dict, field: string): readonly Value[] => itemsAt(object, 'spec', field)
  const more = (field: string): boolean => {
    const known = new Set(itemsOf(old, field))
    return itemsOf(now, field).some((item) => !known.has(item))
  }
  if (more('externalIPs')) texts.push('externalIPs')
  const ranges = 'loadBalancerSourceRanges'
  if (before !== undefined && itemsOf(old, ranges).length > 0 && (itemsOf(now, ranges).length === 0 || more(ranges)))
    texts.push(ranges)
  for (const annotation of internalMarks)
    if (isTrue(old, annotation) && !isTrue(now, annotation)) texts.push('no longer internal')
  return texts.map((text) => ({ risk: 'exposes', text }))
}

/** Annotations by which the load balancer of a Service is inside of the network only. */
const internalMarks = [
  'service.beta.kubernetes.io/openstack-internal-load-balancer',
  'service.beta.kubernetes.io/aws-load-balancer-internal',
  'service.beta.kubernetes.io/azure-load-balancer-internal',
]

function isTrue(object: Dict, annotation: string): boolean {
  return textAt(object, 'metadata', 'annotations', annotation) === 'true'
}

/** Where kinds of workloads have the spec of their pods. */
const podSpecs: readonly (readonly string[])[] = [
  ['spec', 'template', 'spec'],
  ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
  ['spec'],
]

/** The new rights of pods on their node, or as another account. */
export function podEffects(before: Dict | undefined, now: Dict): readonly EffectReason[] {
  const path = podSpecs.find((candidate) => itemsAt(now, ...candidate, 'containers').length > 0)
  if (path === undefined) return []
  const old = before === undefined ? null : (fieldAt(before, ...path) ?? null)
  const after = fieldAt(now, ...path) ?? null
  const had = powersOf(old)
  const has = powersOf(after)
  const isNew = (power: string): boolean => !had.has(power)
  const widened = [...has].filter((power) => {
    // of a folder that was not there, who writes to it is not said besides
    const at = power.indexOf(' writes hostPath ')
    return isNew(power) && (at === -1 || !isNew(power.slice(at + ' writes '.length)))
  })
  const accounts = [old, after].map((pod) => textAt(pod, 'serviceAccountName'))
  if (old !== null && accounts[0] !== accounts[1]) widened.push('another service account')
  if (old !== null) {
    const known = secretsOf(old)
    for (const secret of secretsOf(after)) if (!known.has(secret)) widened.push(`Secret ${secret}`)
    const held = claimsOf(old)
    for (const claim of claimsOf(after)) if (!held.has(claim)) widened.push(claim)
  }
  const kept = limitsOf(after)
  const names = new Set(containersOf(after).map((container) => textAt(container, 'name')))
  const lost = [...limitsOf(old)].filter(
    ([limit, container]) => !kept.has(limit) && (container === '' || names.has(container)),
  )
  return [
    ...widened.map((text): EffectReason => ({ risk: 'widens-rights', text })),
    ...lost.map(([limit]): EffectReason => ({ risk: 'lowers-guard', text: `no ${limit}` })),
    ...(old === null ? [] : [...imageEffects(old, after), ...startEffects(old, after)]),
  ]
}

/** The other claims of a pod beside its powers: those of a new pod are as usual. */
function claimsOf(pod: Value): ReadonlySet<string> {
  const claims = new Set<string>()
  const isAny = (toleration: Value): boolean =>
    textAt(toleration, 'operator') === 'Exists' && textAt(toleration, 'key') === ''
  for (const toleration of itemsAt(pod, 'tolerations').filter(isAny)) {
    const effect = textAt(toleration, 'effect')
    claims.add(`tolerates every taint${effect === '' ? '' : ` ${effect}`}`)
  }
  const priority = textAt(pod, 'priorityClassName')
  if (priority.startsWith(SYSTEM)) claims.add(`priorityClassName ${priority}`)
  for (const volume of itemsAt(pod, 'volumes'))
    for (const source of itemsAt(volume, 'projected', 'sources')) {
      const audience = textAt(source, 'serviceAccountToken', 'audience')
      if (audience !== '') claims.add(`token for ${shownName(audience)}`)
    }
  return claims
}

/** Priority classes whose pods push out all others, and are pushed out last. */
const SYSTEM = 'system-'

/** Finds changes of commands, pull policies and priorities. */
function startEffects(before: Value, after: Value): readonly EffectReason[] {
  const known = new Map(containersOf(before).map((container) => [textAt(container, 'name'), container]))
  const [had, has] = [before, after].map((pod) => textAt(pod, 'priorityClassName'))
  const lost = had?.startsWith(SYSTEM) === true && has?.startsWith(SYSTEM) !== true
  return [
    ...(lost ? [{ risk: 'lowers-guard' as const, text: `no priorityClassName ${had}` }] : []),
    ...containersOf(after).flatMap((container): readonly EffectReason[] => {
      const name = textAt(container, 'name')
      const old = known.get(name)
      if (old === undefined) return []
      const isNever = (one: Value): boolean => textAt(one, 'imagePullPolicy') === 'Never'
      return [
        ...(runsAnother(old, container) ? [{ risk: 'redirects' as const, text: `${name} runs another program` }] : []),
        ...(isNever(container) && !isNever(old)
          ? [{ risk: 'lowers-guard' as const, text: `${name} imagePullPolicy Never` }]
          : []),
      ]
    }),
  ]
}

const SHELL = /(?:^|\/)(?:ba|da|a|z|k)?sh$/

/**
 * True for a container that starts another program, or in a shell of the same image other commands. Flags change with
 * every version, and so do scripts that come with one.
 */
function runsAnother(before: Value, after: Value): boolean {
  const [old, now] = [before, after].map((container) => itemsAt(container, 'command'))
  const [was, is] = [old?.[0] ?? null, now?.[0] ?? null]
  if (formatGoJson(was) !== formatGoJson(is)) return true
  if (typeof is !== 'string' || !SHELL.test(is) || textAt(before, 'image') !== textAt(after, 'image')) return false
  const [had, has] = [before, after].map((container) =>
    formatGoJson(['command', 'args'].map((field) => fieldAt(container, field) ?? null)),
  )
  return had !== has
}

/** Where images come from, and whether it is known which ones they are. */
function imageEffects(before: Value, after: Value): readonly EffectReason[] {
  const known = new Map(
    containersOf(before).map((container) => [textAt(container, 'name'), textAt(container, 'image')]),
  )
  const effects = new Map<string, EffectReason>()
  const note = (risk: EffectReason['risk'], text: string): void => {
    effects.set(`${risk} ${text}`, { risk, text })
  }
  for (const container of containersOf(after)) {
    const [old, now] = [known.get(textAt(container, 'name')) ?? '', textAt(container, 'image')].map(parseImageReference)
    if (old === undefined || now === undefined) continue
    const [from, to] = [old, now].map(({ registry, repository }) => `${registry}/${repository}`)
    if (old.registry !== now.registry) note('redirects', `image of ${now.registry} instead of ${old.registry}`)
    else if (from !== to) note('redirects', `image ${to ?? ''} instead of ${from ?? ''}`)
    if (old.digest !== undefined && now.digest === undefined) note('lowers-guard', `no digest of ${to ?? ''}`)
    const isLatest = ({ tag = 'latest', digest }: typeof now): boolean => digest === undefined && tag === 'latest'
    if (isLatest(now) && !isLatest(old)) note('lowers-guard', `${to ?? ''} latest`)
  }
  return [...effects.values()]
}

/** Secrets that a pod reads. */
function secretsOf(pod: Value): ReadonlySet<string> {
  const volumes = itemsAt(pod, 'volumes')
  const names = [
    ...volumes.map((volume) => textAt(volume, 'secret', 'secretName')),
    ...volumes.flatMap((volume) =>
      itemsAt(volume, 'projected', 'sources').map((source) => textAt(source, 'secret', 'name')),
    ),
    ...containersOf(pod).flatMap((container) => [
      ...itemsAt(container, 'env').map((variable) => textAt(variable, 'valueFrom', 'secretKeyRef', 'name')),
      ...itemsAt(container, 'envFrom').map((source) => textAt(source, 'secretRef', 'name')),
    ]),
  ]
  return new Set(names.filter((name) => name !== ''))
}

function containersOf(pod: Value): readonly Value[] {
  return ['containers', 'initContainers', 'ephemeralContainers'].flatMap((list) => itemsAt(pod, list))
}

/** The rights of a pod beyond others. */
function powersOf(pod: Value): ReadonlySet<string> {
  const powers = new Set<string>()
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'automountServiceAccountToken'])
    if (fieldAt(pod, field) === true) powers.add(field)
  const folders = new Map<string, string>()
  for (const volume of itemsAt(pod, 'volumes')) {
    const path = textAt(volume, 'hostPath', 'path')
    if (path === '') continue
    powers.add(`hostPath ${path}`)
    folders.set(textAt(volume, 'name'), path)
  }
  for (const sysctl of itemsAt(pod, 'securityContext', 'sysctls')) powers.add(`sysctl ${textAt(sysctl, 'name')}`)
  addPowers(powers, fieldAt(pod, 'securityContext') ?? null, 'pod')
  for (const container of containersOf(pod)) {
    const name = textAt(container, 'name')
    const context = fieldAt(container, 'securityContext') ?? null
    addPowers(powers, context, name)
    for (const field of ['privileged', 'allowPrivilegeEscalation'])
      if (fieldAt(context, field) === true) powers.add(`${name} ${field}`)
    for (const mount of itemsAt(container, 'volumeMounts')) {
      const path = folders.get(textAt(mount, 'name'))
      if (path !== undefined && fieldAt(mount, 'readOnly') !== true) powers.add(`${name} writes hostPath ${path}`)
      const propagation = textAt(mount, 'mountPropagation')
      if (propagation === 'Bidirectional') powers.add(`${name} mountPropagation ${propagation}`)
    }
    if (textAt(context, 'procMount') === 'Unmasked') powers.add(`${name} procMount Unmasked`)
    for (const capability of itemsAt(context, 'capabilities', 'add'))
      if (typeof capability === 'string') powers.add(`${name} ${capability}`)
    for (const port of itemsAt(container, 'ports')) {
      const number = fieldAt(port, 'hostPort')
      if (number instanceof GoInt || typeof number === 'number')
        powers.add(`hostPort ${String(number instanceof GoInt ? number.value : number)}`)
    }
  }
  return powers
}

/** Adds the powers of fields that pods and containers share. */
function addPowers(powers: Set<string>, context: Value, name: string): void {
  if (isZero(fieldAt(context, 'runAsUser'))) powers.add(`${name} runAsUser 0`)
  for (const field of ['type', 'role', 'user'])
    if (textAt(context, 'seLinuxOptions', field) !== '')
      powers.add(`${name} seLinuxOptions ${textAt(context, 'seLinuxOptions', field)}`)
  if (fieldAt(context, 'windowsOptions', 'hostProcess') === true) powers.add(`${name} hostProcess`)
  for (const profile of ['seccompProfile', 'appArmorProfile'])
    if (textAt(context, profile, 'type') === 'Unconfined') powers.add(`${name} ${profile} Unconfined`)
}

/** The limits and probes of a pod, by container. */
function limitsOf(pod: Value): ReadonlyMap<string, string> {
  const limits = new Map<string, string>()
  if (fieldAt(pod, 'automountServiceAccountToken') === false) limits.set('automountServiceAccountToken false', '')
  if (fieldAt(pod, 'hostUsers') === false) limits.set('hostUsers false', '')
  const runtime = textAt(pod, 'runtimeClassName')
  if (runtime !== '') limits.set(`runtimeClassName ${runtime}`, '')
  addLimits(limits, fieldAt(pod, 'securityContext') ?? null, '')
  for (const container of containersOf(pod)) {
    const name = textAt(container, 'name')
    const context = fieldAt(container, 'securityContext') ?? null
    addLimits(limits, context, name)
    if (fieldAt(context, 'allowPrivilegeEscalation') === false)
      limits.set(`${name} allowPrivilegeEscalation false`, name)
    if (fieldAt(context, 'readOnlyRootFilesystem') === true) limits.set(`${name} readOnlyRootFilesystem`, name)
    for (const capability of itemsAt(context, 'capabilities', 'drop'))
      if (typeof capability === 'string') limits.set(`${name} drop ${capability}`, name)
    for (const probe of ['readinessProbe', 'livenessProbe', 'startupProbe'])
      if (dictAt(container, probe) !== undefined) limits.set(`${name} ${probe}`, name)
    for (const resource of ['memory', 'cpu'])
      if (fieldAt(container, 'resources', 'limits', resource) !== undefined)
        limits.set(`${name} ${resource} limit`, name)
  }
  return limits
}

function addLimits(limits: Map<string, string>, context: Value, name: string): void {
  const of = name === '' ? 'pod' : name
  if (fieldAt(context, 'runAsNonRoot') === true) limits.set(`${of} runAsNonRoot`, name)
  const user = fieldAt(context, 'runAsUser')
  if (user !== undefined && user !== null && !isZero(user)) limits.set(`${of} runAsUser`, name)
  const profile = textAt(context, 'appArmorProfile', 'type')
  if (profile === 'RuntimeDefault' || profile === 'Localhost') limits.set(`${of} appArmorProfile`, name)
  const seccomp = textAt(context, 'seccompProfile', 'type')
  if (seccomp === 'RuntimeDefault' || seccomp === 'Localhost') limits.set(`${of} seccompProfile`, name)
}
