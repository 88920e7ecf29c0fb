import { dictAt, fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { annotationKey, dnsLabel, dnsSubdomain, labelKey, labelValue } from '../../model/kubernetes-names.ts'
import { billionthsOf } from '../../model/quantity.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { FoundProblem, ObjectRule } from '../schema/schema-node.ts'
import { isSidecar, sleepsOf } from './container-rules.ts'
import { claimProblems, resourceProblems } from './resource-rules.ts'
import {
  atMost,
  each,
  eachItem,
  given,
  integerOf,
  ipAddress,
  isGiven,
  labels,
  maybeNamed,
  maybeOneOf,
  named,
  none,
  notEmpty,
  ofInteger,
  ofText,
  oneOf,
  problem,
  repeated,
  type RuleTable,
  since,
  someItems,
  strictQualifiedName,
  userId,
  whole,
} from './rule-parts.ts'

/** A container of a pod, and where it stands. */
interface Placed {
  readonly list: 'containers' | 'initContainers'
  readonly index: number
  readonly container: Value
}

function containersOf(pod: Dict): readonly Placed[] {
  return (['initContainers', 'containers'] as const).flatMap((list) =>
    itemsAt(pod, list).map((container, index) => ({ list, index, container })),
  )
}

/** Lifts a rule for one container to all containers of a pod. */
function inContainers(find: (placed: Placed, pod: Dict) => readonly FoundProblem[]): ObjectRule {
  return whole((pod) =>
    containersOf(pod).flatMap((placed) =>
      find(placed, pod).map(({ path, says }) => ({ path: [placed.list, placed.index, ...path], says })),
    ),
  )
}

const namesOfBoth = whole((pod) => {
  const others = new Set(itemsAt(pod, 'containers').map((item) => textAt(item, 'name')))
  return itemsAt(pod, 'initContainers').flatMap((item, index) => {
    const name = textAt(item, 'name')
    return name !== '' && others.has(name)
      ? problem('a name that no other container of the pod has', 'initContainers', index, 'name')
      : none
  })
})

/** Fields that only long-running containers have. */
const initContainers = inContainers(({ list, container }) =>
  list === 'containers' || isSidecar(container) || !(container instanceof Dict)
    ? none
    : ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((field) =>
        isGiven(container, field) ? problem('left out of an init container that ends', field) : none,
      ),
)

const containerRestarts: ObjectRule = {
  ...inContainers(({ list, container }) => {
    const policy = fieldAt(container, 'restartPolicy') ?? null
    if (policy === null || (list === 'initContainers' && policy === 'Always')) return none
    return problem(list === 'containers' ? 'left out: the pod has it' : 'Always or left out', 'restartPolicy')
  }),
  minors: { last: 33 },
}

const hostPorts = whole((pod) => {
  const isOnHost = given(pod, 'hostNetwork') === true
  const seen = new Set<string>()
  return itemsAt(pod, 'containers').flatMap((container, index) =>
    itemsAt(container, 'ports').flatMap((item, at) => {
      const hostPort = integerOf(fieldAt(item, 'hostPort')) ?? 0n
      const path: readonly PathStep[] = ['containers', index, 'ports', at, 'hostPort']
      if (hostPort === 0n) return none
      if (isOnHost && hostPort !== integerOf(fieldAt(item, 'containerPort')))
        return problem('equal to containerPort where hostNetwork is true', ...path)
      const key = `${textAt(item, 'protocol') || 'TCP'} ${textAt(item, 'hostIP')} ${String(hostPort)}`
      if (seen.has(key)) return problem('a port that no container before it takes', ...path)
      seen.add(key)
      return none
    }),
  )
})

/** A pod that does not restart cannot be restarted for a resize. */
const resizes: ObjectRule = {
  ...inContainers(({ container }, pod) =>
    textAt(pod, 'restartPolicy') !== 'Never'
      ? none
      : itemsAt(container, 'resizePolicy').flatMap((item, index) =>
          textAt(item, 'restartPolicy') === 'RestartContainer'
            ? problem('NotRequired where restartPolicy is Never', 'resizePolicy', index, 'restartPolicy')
            : none,
        ),
  ),
  minors: { first: 33 },
}

/** The time that a pod has to end, unless it says another. */
const GRACE_PERIOD = 30n

const sleeps = inContainers(({ container }, pod) => {
  const most = integerOf(given(pod, 'terminationGracePeriodSeconds')) ?? GRACE_PERIOD
  return sleepsOf(container).flatMap(({ hook, seconds }) =>
    seconds > most ? problem('terminationGracePeriodSeconds or less', 'lifecycle', hook, 'sleep', 'seconds') : none,
  )
})

const ownResolver = whole((pod) =>
  textAt(pod, 'dnsPolicy') === 'None' && itemsAt(pod, 'dnsConfig', 'nameservers').length === 0
    ? problem('a list that is not empty where dnsPolicy is None', 'dnsConfig', 'nameservers')
    : none,
)

const hostNamespaces = whole((pod) =>
  given(pod, 'hostPID') === true && given(pod, 'shareProcessNamespace') === true
    ? problem('false where hostPID is true', 'shareProcessNamespace')
    : none,
)

const ownUsers = whole(
  (pod) =>
    given(pod, 'hostUsers') !== false
      ? none
      : ['hostNetwork', 'hostPID', 'hostIPC'].flatMap((field) =>
          given(pod, field) === true ? problem('false where hostUsers is false', field) : none,
        ),
  { first: 33, last: 34 },
)

const hostSysctls = whole((pod) =>
  itemsAt(pod, 'securityContext', 'sysctls').flatMap((item, index) => {
    const name = textAt(item, 'name').replaceAll('/', '.')
    const place: readonly PathStep[] = ['securityContext', 'sysctls', index, 'name']
    if (given(pod, 'hostNetwork') === true && name.startsWith('net.'))
      return problem('none of net where hostNetwork is true', ...place)
    const isOfIpc = /^(?:kernel\.(?:sem|shm(?:all|max|mni|_rmid_forced)?|msg(?:max|mnb|mni)?)$|fs\.mqueue\.)/.test(name)
    return given(pod, 'hostIPC') === true && isOfIpc
      ? problem('none of shared memory and messages where hostIPC is true', ...place)
      : none
  }),
)

const ephemeralContainers = whole((pod) =>
  itemsAt(pod, 'ephemeralContainers').length === 0
    ? none
    : problem('left out: such containers are added to pods that run', 'ephemeralContainers'),
)

const claims = whole(
  (pod) => {
    const ofPod = new Set(itemsAt(pod, 'resourceClaims').map((claim) => textAt(claim, 'name')))
    return containersOf(pod).flatMap(({ list, index, container }) =>
      claimProblems(container, ofPod).map(({ path, says }) => ({ path: [list, index, ...path], says })),
    )
  },
  { first: 34 },
)

const podClaim = whole(
  (claim) => {
    const [hasName, hasTemplate] = [isGiven(claim, 'resourceClaimName'), isGiven(claim, 'resourceClaimTemplateName')]
    if (hasName === hasTemplate)
      return hasName
        ? problem('left out beside resourceClaimName', 'resourceClaimTemplateName')
        : problem('a map with resourceClaimName or resourceClaimTemplateName')
    return none
  },
  { first: 34 },
)

/** The request of a container; its limit where it has none. */
function requestOf(container: Value, name: string): bigint | undefined {
  return billionthsOf(
    fieldAt(container, 'resources', 'requests', name) ?? fieldAt(container, 'resources', 'limits', name),
  )
}

/** A pod as a whole asks for as much as its containers do, and lets none of them have more than all. */
const podResources = whole(
  (pod) => {
    const resources = dictAt(pod, 'resources')
    if (resources === undefined) return none
    const limits = dictAt(resources, 'limits') ?? new Dict()
    return [
      ...resourceProblems(resources, 'pod'),
      ...(isGiven(resources, 'claims') ? problem('left out of a pod as a whole', 'resources', 'claims') : none),
      ...[...(dictAt(resources, 'requests') ?? [])].flatMap(([name, value]) => {
        const all = itemsAt(pod, 'containers').reduce((sum: bigint, item) => sum + (requestOf(item, name) ?? 0n), 0n)
        const amount = billionthsOf(value)
        return amount === undefined || amount >= all
          ? none
          : problem('what its containers request together, or more', 'resources', 'requests', name)
      }),
      ...itemsAt(pod, 'containers').flatMap((item, index) =>
        [...(dictAt(item, 'resources', 'limits') ?? [])].flatMap(([name, value]) => {
          const [amount, most] = [billionthsOf(value), billionthsOf(limits.get(name))]
          return amount === undefined || most === undefined || amount <= most
            ? none
            : problem('the limit of the pod or less', 'containers', index, 'resources', 'limits', name)
        }),
      ),
    ]
  },
  { first: 34 },
)

const spreads = whole((pod) =>
  repeated(
    itemsAt(pod, 'topologySpreadConstraints'),
    (item) => `${textAt(item, 'topologyKey')} ${textAt(item, 'whenUnsatisfiable')}`,
  ).flatMap(({ index }) =>
    problem(
      'of a topologyKey and whenUnsatisfiable that no constraint before it has',
      'topologySpreadConstraints',
      index,
    ),
  ),
)

const spread = whole((constraint) => [
  ...(isGiven(constraint, 'minDomains') && !['', 'DoNotSchedule'].includes(textAt(constraint, 'whenUnsatisfiable'))
    ? problem('left out unless whenUnsatisfiable is DoNotSchedule', 'minDomains')
    : none),
  ...(itemsAt(constraint, 'matchLabelKeys').length > 0 && !isGiven(constraint, 'labelSelector')
    ? problem('left out where there is no labelSelector', 'matchLabelKeys')
    : none),
])

const affinityTerm = whole(
  (term) =>
    isGiven(term, 'labelSelector')
      ? none
      : ['matchLabelKeys', 'mismatchLabelKeys'].flatMap((field) =>
          itemsAt(term, field).length > 0 ? problem('left out where there is no labelSelector', field) : none,
        ),
  { first: 31 },
)

/** Fields that only one of two operating systems has, by the name of the one that lacks them. */
const lacking: Readonly<Record<string, Readonly<Record<'pod' | 'context' | 'container', readonly string[]>>>> = {
  windows: {
    pod: ['hostPID', 'hostIPC', 'hostUsers', 'shareProcessNamespace'],
    context: [
      'appArmorProfile',
      'fsGroup',
      'fsGroupChangePolicy',
      'runAsGroup',
      'runAsUser',
      'seLinuxChangePolicy',
      'seLinuxOptions',
      'seccompProfile',
      'supplementalGroups',
      'supplementalGroupsPolicy',
      'sysctls',
    ],
    container: [
      'allowPrivilegeEscalation',
      'appArmorProfile',
      'capabilities',
      'privileged',
      'procMount',
      'readOnlyRootFilesystem',
      'runAsGroup',
      'runAsUser',
      'seLinuxOptions',
      'seccompProfile',
    ],
  },
  linux: { pod: [], context: ['windowsOptions'], container: ['windowsOptions'] },
}

const system = whole((pod) => {
  const name = textAt(pod, 'os', 'name')
  const fields = lacking[name]
  if (fields === undefined) return none
  const says = `left out of a pod of ${name === 'linux' ? 'Linux' : 'Windows'}`
  // of the pod itself false is what is not said
  const own = fields.pod.filter((field) => {
    const value = given(pod, field)
    return field === 'hostUsers' || field === 'shareProcessNamespace' ? value !== undefined : value === true
  })
  const wrongIn = (context: Dict | undefined, names: readonly string[]): readonly FoundProblem[] =>
    context === undefined
      ? none
      : names.flatMap((field) =>
          isGiven(context, field) && !isEmptyList(given(context, field))
            ? problem(says, 'securityContext', field)
            : none,
        )
  return [
    ...own.flatMap((field) => problem(says, field)),
    ...wrongIn(dictAt(pod, 'securityContext'), fields.context),
    ...containersOf(pod).flatMap(({ list, index, container }) =>
      wrongIn(dictAt(container, 'securityContext'), fields.container).map(({ path, says: what }) => ({
        path: [list, index, ...path],
        says: what,
      })),
    ),
  ]
})

function isEmptyList(value: Value | undefined): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Containers of the host's own kind, on Windows, are on its network. */
const hostProcess = whole((pod) =>
  fieldAt(pod, 'securityContext', 'windowsOptions', 'hostProcess') === true && given(pod, 'hostNetwork') !== true
    ? problem('true where hostProcess is', 'hostNetwork')
    : none,
)

/** All of /proc is for users that are none on the host. */
const unmasked: ObjectRule = {
  ...inContainers(({ container }, pod) =>
    textAt(container, 'securityContext', 'procMount') === 'Unmasked' && given(pod, 'hostUsers') !== false
      ? problem('Default unless hostUsers is false', 'securityContext', 'procMount')
      : none,
  ),
  minors: { first: 33 },
}

const bothKeys = whole(
  (term) => {
    const mismatched = itemsAt(term, 'mismatchLabelKeys')
    return itemsAt(term, 'matchLabelKeys').flatMap((key, index) =>
      mismatched.includes(key) ? problem('none of mismatchLabelKeys', 'matchLabelKeys', index) : none,
    )
  },
  { first: 31 },
)

/** The problem with the values of a node requirement, by its operator. */
function valuesProblem(operator: string, values: readonly Value[]): string | undefined {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length === 0 ? `a list that is not empty where operator is ${operator}` : undefined
    case 'Exists':
    case 'DoesNotExist':
      return values.length > 0 ? `left out where operator is ${operator}` : undefined
    case 'Gt':
    case 'Lt':
      return values.length === 1 ? undefined : `one number where operator is ${operator}`
    default:
      return undefined
  }
}

/** A requirement of labels. */
const requirement = whole((item) => {
  const says = valuesProblem(textAt(item, 'operator'), itemsAt(item, 'values'))
  return says === undefined ? none : problem(says, 'values')
})

const nodeTerm = whole((term) => [
  ...itemsAt(term, 'matchExpressions').flatMap((item, index) => {
    const says = valuesProblem(textAt(item, 'operator'), itemsAt(item, 'values'))
    return says === undefined ? none : problem(says, 'matchExpressions', index, 'values')
  }),
  ...itemsAt(term, 'matchFields').flatMap((item, index) => {
    if (textAt(item, 'key') !== 'metadata.name') return problem('metadata.name', 'matchFields', index, 'key')
    if (!['In', 'NotIn'].includes(textAt(item, 'operator')))
      return problem('In or NotIn for a field', 'matchFields', index, 'operator')
    return itemsAt(item, 'values').length === 1 ? none : problem('a list of one name', 'matchFields', index, 'values')
  }),
])

const nodeLabels = whole(
  (selector) =>
    itemsAt(selector, 'nodeSelectorTerms').flatMap((term, index) =>
      itemsAt(term, 'matchExpressions').flatMap((item, at) =>
        itemsAt(item, 'values').flatMap((value, place) =>
          typeof value !== 'string' || labelValue.allows(value)
            ? none
            : problem(labelValue.says, 'nodeSelectorTerms', index, 'matchExpressions', at, 'values', place),
        ),
      ),
    ),
  { first: 32 },
)

const toleration = whole((item) => {
  const exists = textAt(item, 'operator') === 'Exists'
  const [key, value] = [textAt(item, 'key'), textAt(item, 'value')]
  return [
    ...(key === '' && !exists ? problem('Exists where there is no key', 'operator') : none),
    ...(exists && value !== '' ? problem('left out where operator is Exists', 'value') : none),
    ...(!exists && !labelValue.allows(value) ? problem(labelValue.says, 'value') : none),
    ...(isGiven(item, 'tolerationSeconds') && textAt(item, 'effect') !== 'NoExecute'
      ? problem('NoExecute where tolerationSeconds is set', 'effect')
      : none),
  ]
})

/** Labels and annotations of what an object makes. */
export const templateMetadata: ObjectRule = whole((template) => [
  ...[...(dictAt(template, 'metadata', 'labels') ?? [])].flatMap(([name, value]) => {
    const path = ['metadata', 'labels', name]
    if (!labelKey.allows(name)) return [{ path, says: `named with ${labelKey.says}` }]
    return typeof value !== 'string' || labelValue.allows(value) ? [] : [{ path, says: labelValue.says }]
  }),
  ...[...(dictAt(template, 'metadata', 'annotations') ?? new Dict()).keys()]
    .filter((name) => !annotationKey.allows(name))
    .map((name) => ({ path: ['metadata', 'annotations', name], says: `named with ${annotationKey.says}` })),
])

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/'
const SECCOMP = ['seccomp.security.alpha.kubernetes.io/pod', 'container.seccomp.security.alpha.kubernetes.io/']

/** Annotations that API servers read: profiles of containers, and what it costs to delete a pod. */
const podAnnotations = whole((object) => {
  const names = new Set(
    containersOf(dictAt(object, 'spec') ?? new Dict()).map(({ container }) => textAt(container, 'name')),
  )
  return [...(dictAt(object, 'metadata', 'annotations') ?? [])].flatMap(([key, value]) => {
    const says = typeof value === 'string' ? annotationProblem(key, value, names) : undefined
    return says === undefined ? none : problem(says, 'metadata', 'annotations', key)
  })
})

function annotationProblem(key: string, value: string, containers: ReadonlySet<string>): string | undefined {
  if (key.startsWith(APP_ARMOR)) {
    if (!containers.has(key.slice(APP_ARMOR.length))) return 'of a container that the pod has'
    return /^(?:|runtime\/default|unconfined|localhost\/.*)$/s.test(value)
      ? undefined
      : 'runtime/default, unconfined or localhost/<name>'
  }
  if (key === SECCOMP[0] || key.startsWith(SECCOMP[1] ?? ' '))
    return /^(?:runtime\/default|docker\/default|unconfined|localhost\/.*)$/s.test(value)
      ? undefined
      : 'runtime/default, unconfined or localhost/<path>'
  if (key !== 'controller.kubernetes.io/pod-deletion-cost') return undefined
  const isCost = /^(?:0|-?[1-9][0-9]{0,9})$/.test(value) && Math.abs(Number(value)) < 2 ** 31
  return isCost ? undefined : 'an integer of 32 bits'
}

/** The rules for pods that no template has. */
const ownPod = whole((pod) => [
  ...(textAt(pod, 'spec', 'nodeName') !== '' && itemsAt(pod, 'spec', 'schedulingGates').length > 0
    ? problem('left out where there are schedulingGates', 'spec', 'nodeName')
    : none),
  ...containersOf(dictAt(pod, 'spec') ?? new Dict()).flatMap(({ list, index, container }) => {
    const image = textAt(container, 'image')
    return image === image.trim() ? none : problem('a text without spaces around it', 'spec', list, index, 'image')
  }),
])

/** Names that a pod is found by; those of a StatefulSet are overwritten. */
function hostNames(...path: readonly string[]): ObjectRule {
  return whole((object) =>
    ['hostname', 'subdomain'].flatMap((field) => {
      const name = textAt(object, ...path, field)
      return name === '' || dnsLabel.allows(name) ? none : problem(dnsLabel.says, ...path, field)
    }),
  )
}

/** See {@link hostNames}. */
export const templateHostNames: ObjectRule = hostNames('template', 'spec')

/** A volume that a pod finds by name: one of its own, or of the claims of its StatefulSet. */
function volumesOf(spec: Dict, pod: readonly string[]): ReadonlyMap<string, 'block' | 'files'> {
  const ofClaims = itemsAt(spec, 'volumeClaimTemplates').map((claim): readonly [string, 'block'] => [
    textAt(claim, 'metadata', 'name'),
    'block',
  ])
  const own = itemsAt(spec, ...pod, 'volumes').map((volume): readonly [string, 'block' | 'files'] => [
    textAt(volume, 'name'),
    dictAt(volume, 'persistentVolumeClaim') === undefined && dictAt(volume, 'ephemeral') === undefined
      ? 'files'
      : 'block',
  ])
  return new Map([...own, ...ofClaims])
}

/** Every mount and device needs a volume of its name, and each its own. */
export function mountsBelow(...pod: readonly string[]): ObjectRule {
  return whole((spec) => {
    const volumes = volumesOf(spec, pod)
    return (['initContainers', 'containers'] as const).flatMap((list) =>
      itemsAt(spec, ...pod, list).flatMap((container, at) =>
        mountProblems(container, volumes).map(({ path, says }) => ({ path: [...pod, list, at, ...path], says })),
      ),
    )
  })
}

function mountProblems(container: Value, volumes: ReadonlyMap<string, 'block' | 'files'>): readonly FoundProblem[] {
  const mounts = itemsAt(container, 'volumeMounts')
  const devices = itemsAt(container, 'volumeDevices')
  const mounted = new Set(mounts.map((mount) => textAt(mount, 'name')))
  const paths = new Set(mounts.map((mount) => textAt(mount, 'mountPath')))
  return [
    ...mounts.flatMap((mount, index) => {
      const name = textAt(mount, 'name')
      return name === '' || volumes.has(name)
        ? none
        : problem('the name of a volume of the pod', 'volumeMounts', index, 'name')
    }),
    ...devices.flatMap((device, index) => {
      const [name, path] = [textAt(device, 'name'), textAt(device, 'devicePath')]
      if (name === '') return none
      if (volumes.get(name) !== 'block')
        return problem('the name of a volume of a claim', 'volumeDevices', index, 'name')
      if (mounted.has(name)) return problem('a volume that is not mounted, too', 'volumeDevices', index, 'name')
      return paths.has(path) || path.split('/').includes('..')
        ? problem('a path without .. that nothing is mounted at', 'volumeDevices', index, 'devicePath')
        : none
    }),
    ...repeated(devices, (device) => textAt(device, 'name')).flatMap(({ index }) =>
      problem('a volume that no device before it has', 'volumeDevices', index, 'name'),
    ),
  ]
}

const sysctlName = ofText(
  'the name of a kernel parameter such as net.core.somaxconn',
  (text) =>
    text.length <= 253 && /^(?:[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/.test(text),
)

const sysctls = whole((context) =>
  repeated(itemsAt(context, 'sysctls'), (item) => textAt(item, 'name')).flatMap(({ index }) =>
    problem('a parameter that is not set before it', 'sysctls', index, 'name'),
  ),
)

const searchDomain = ofText('a domain', (text) => {
  const domain = text.replace(/\.$/, '')
  return (
    text === '.' ||
    (domain.length <= 253 &&
      /^[a-z0-9_](?:[-a-z0-9_]*[a-z0-9_])?(?:\.[a-z0-9_](?:[-a-z0-9_]*[a-z0-9_])?)*$/.test(domain))
  )
})

const weight = { weight: [ofInteger('1 to 100', (value) => value >= 1n && value <= 100n)] }
const labelKeys = eachItem(named(labelKey))

/** Pods, and what they say about the nodes that they run on. */
export const podRules: RuleTable = [
  [
    'api.core.v1.PodSpec',
    {
      fields: {
        containers: [someItems],
        serviceAccountName: [maybeNamed(dnsSubdomain)],
        priorityClassName: [maybeNamed(dnsSubdomain)],
        runtimeClassName: [named(dnsSubdomain)],
        nodeName: [maybeNamed(dnsSubdomain)],
        nodeSelector: [labels],
        activeDeadlineSeconds: [ofInteger('1 to 2147483647', (value) => value >= 1n && value < 1n << 31n)],
        restartPolicy: [maybeOneOf('Always', 'Never', 'OnFailure')],
        dnsPolicy: [maybeOneOf('ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None')],
        preemptionPolicy: [oneOf('Never', 'PreemptLowerPriority')],
      },
      whole: [
        namesOfBoth,
        initContainers,
        containerRestarts,
        resizes,
        hostPorts,
        sleeps,
        ownResolver,
        hostNamespaces,
        ownUsers,
        hostSysctls,
        ephemeralContainers,
        claims,
        podResources,
        spreads,
        system,
        hostProcess,
        unmasked,
      ],
    },
  ],
  ['api.core.v1.PodTemplateSpec', { required: ['spec'], whole: [templateMetadata, podAnnotations] }],
  ['api.core.v1.Pod', { required: ['spec'], whole: [mountsBelow('spec'), podAnnotations, ownPod, hostNames('spec')] }],
  [
    'api.core.v1.PodSecurityContext',
    {
      fields: {
        ...each(['runAsUser', 'runAsGroup', 'fsGroup'], userId),
        supplementalGroups: [eachItem(userId)],
        fsGroupChangePolicy: [oneOf('Always', 'OnRootMismatch')],
        supplementalGroupsPolicy: since(33, oneOf('Merge', 'Strict')),
        // the other one is behind a gate
        seLinuxChangePolicy: [
          { ...oneOf('Recursive'), minors: { first: 33, last: 34 } },
          ...since(35, oneOf('MountOption', 'Recursive')),
        ],
      },
      whole: [sysctls],
    },
  ],
  ['api.core.v1.Sysctl', { optional: ['value'], fields: { name: [sysctlName] } }],
  ['api.core.v1.PodOS', { fields: { name: [oneOf('linux', 'windows')] } }],
  ['api.core.v1.PodReadinessGate', { fields: { conditionType: [strictQualifiedName] } }],
  ['api.core.v1.PodSchedulingGate', { fields: { name: [strictQualifiedName] } }],
  [
    'api.core.v1.PodResourceClaim',
    {
      fields: {
        name: since(34, named(dnsLabel)),
        ...each(['resourceClaimName', 'resourceClaimTemplateName'], ...since(34, named(dnsSubdomain))),
      },
      whole: [podClaim],
    },
  ],
  [
    'api.core.v1.PodDNSConfig',
    { fields: { nameservers: [atMost(3), eachItem(ipAddress)], searches: [atMost(32), eachItem(searchDomain)] } },
  ],
  ['api.core.v1.PodDNSConfigOption', { required: ['name'], fields: { name: [notEmpty] } }],
  ['api.core.v1.HostAlias', { fields: { ip: [ipAddress], hostnames: [eachItem(named(dnsSubdomain))] } }],
  [
    'api.core.v1.Toleration',
    {
      fields: {
        key: [maybeNamed(labelKey)],
        operator: [maybeOneOf('Exists', 'Equal')],
        effect: [maybeOneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute')],
      },
      whole: [toleration],
    },
  ],
  ['api.core.v1.NodeSelector', { fields: { nodeSelectorTerms: [someItems] }, whole: [nodeLabels] }],
  ['api.core.v1.NodeSelectorTerm', { whole: [nodeTerm] }],
  [
    'api.core.v1.NodeSelectorRequirement',
    { fields: { operator: [oneOf('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt')], key: [named(labelKey)] } },
  ],
  [
    'api.core.v1.PodAffinityTerm',
    {
      fields: {
        topologyKey: [named(labelKey)],
        namespaces: [eachItem(named(dnsLabel))],
        ...each(['matchLabelKeys', 'mismatchLabelKeys'], ...since(31, labelKeys)),
      },
      whole: [affinityTerm, bothKeys],
    },
  ],
  ['api.core.v1.WeightedPodAffinityTerm', { fields: weight }],
  ['api.core.v1.PreferredSchedulingTerm', { optional: ['preference'], fields: weight }],
  [
    'api.core.v1.TopologySpreadConstraint',
    {
      fields: {
        maxSkew: [ofInteger('1 or more', (value) => value >= 1n)],
        minDomains: [ofInteger('1 or more', (value) => value >= 1n)],
        topologyKey: [notEmpty],
        whenUnsatisfiable: [oneOf('DoNotSchedule', 'ScheduleAnyway')],
        ...each(['nodeAffinityPolicy', 'nodeTaintsPolicy'], oneOf('Honor', 'Ignore')),
        matchLabelKeys: [labelKeys],
      },
      whole: [spread],
    },
  ],
  ['apimachinery.pkg.apis.meta.v1.LabelSelector', { fields: { matchLabels: [labels] } }],
  [
    'apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement',
    {
      fields: {
        operator: [oneOf('In', 'NotIn', 'Exists', 'DoesNotExist')],
        key: [named(labelKey)],
        values: [eachItem(named(labelValue))],
      },
      whole: [requirement],
    },
  ],
]
