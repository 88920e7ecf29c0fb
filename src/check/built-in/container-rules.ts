import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import { dataKey, dnsLabel, dnsSubdomain, labelKey } from '../../model/kubernetes-names.ts'
import { billionthsOf } from '../../model/quantity.ts'
import { type Dict, GoInt, type Value } from '../../model/value.ts'
import type { FoundProblem, ObjectRule, ValueRule } from '../schema/schema-node.ts'
import { resourceProblems } from './resource-rules.ts'
import {
  each,
  fileMode,
  filePath,
  given,
  integerOf,
  isEmpty,
  isGiven,
  maybeOneOf,
  maybePort,
  maybePortName,
  maybeRelativePath,
  named,
  none,
  notEmpty,
  notNegative,
  ofText,
  oneOf,
  oneOfFields,
  port,
  portName,
  positive,
  problem,
  repeated,
  type RuleTable,
  since,
  someItems,
  userId,
  whole,
} from './rule-parts.ts'

const key = ofText(dataKey.says, dataKey.allows)
const resizedOnce = whole(
  (container) =>
    repeated(itemsAt(container, 'resizePolicy'), (item) => textAt(item, 'resourceName')).flatMap(({ index }) =>
      problem('a resource that is not named before it', 'resizePolicy', index, 'resourceName'),
    ),
  { first: 33 },
)

/** The server takes these for the beginning of a name, which may end with a dash. */
const beginning = ofText(
  dnsSubdomain.says,
  (text) =>
    dnsSubdomain.allows(text) ||
    (text.length > 1 && text.endsWith('-') && dnsSubdomain.allows(text.replace(/..$/, 'a'))),
)

/** The first minor in which a name of an environment variable may be nearly anything. */
const RELAXED_VARIABLES = 32

const variableName: readonly ValueRule[] = [
  { ...ofText('printable ASCII without =', (text) => /^[ -<>-~]*$/.test(text)), minors: { first: RELAXED_VARIABLES } },
  {
    ...ofText(
      'letters, digits, -, _ and ., the first no digit',
      (text) => text === '' || (/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(text) && !text.startsWith('..') && text !== '.'),
    ),
    minors: { last: RELAXED_VARIABLES - 1 },
  },
]

const PROBE_NUMBERS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold']

/** Only a readiness probe counts successes, and only the others end the container. */
const probes = whole((container) => [
  ...['livenessProbe', 'startupProbe'].flatMap((probe) => {
    const found = fieldAt(container, probe, 'successThreshold')
    return !(found instanceof GoInt) || found.value <= 1n ? none : problem('1', probe, 'successThreshold')
  }),
  ...(isEmpty(fieldAt(container, 'readinessProbe', 'terminationGracePeriodSeconds'))
    ? none
    : problem('left out: a readiness probe ends nothing', 'readinessProbe', 'terminationGracePeriodSeconds')),
])

const portNames = whole((container) =>
  repeated(itemsAt(container, 'ports'), (item) => textAt(item, 'name')).flatMap(({ index }) =>
    problem('a name that no port before it has', 'ports', index, 'name'),
  ),
)

const resources = whole((container) => resourceProblems(dictAt(container, 'resources'), 'container'))

/** Settings that contradict a container with all rights of the host. */
const privileges = whole((context) => {
  if (given(context, 'allowPrivilegeEscalation') !== false) return none
  if (given(context, 'privileged') === true)
    return problem('left out or true where privileged is true', 'allowPrivilegeEscalation')
  return itemsAt(context, 'capabilities', 'add').includes('CAP_SYS_ADMIN')
    ? problem('left out or true where CAP_SYS_ADMIN is added', 'allowPrivilegeEscalation')
    : none
})

const propagation = whole((container) =>
  fieldAt(container, 'securityContext', 'privileged') === true
    ? none
    : itemsAt(container, 'volumeMounts').flatMap((mount, index) =>
        textAt(mount, 'mountPropagation') === 'Bidirectional'
          ? problem(
              'None or HostToContainer, unless the container is privileged',
              'volumeMounts',
              index,
              'mountPropagation',
            )
          : none,
      ),
)

/** A profile of the node's own is named; others are not. */
const localProfile = whole((profile) => {
  const type = textAt(profile, 'type')
  const isNamed = isGiven(profile, 'localhostProfile')
  if (type === 'Localhost') return isNamed ? none : problem('set where type is Localhost', 'localhostProfile')
  return isNamed && type !== '' ? problem('left out unless type is Localhost', 'localhostProfile') : none
})

const mountPaths = whole((mount) =>
  textAt(mount, 'subPathExpr') !== '' && textAt(mount, 'subPath') !== ''
    ? problem('left out beside subPath', 'subPathExpr')
    : none,
)

const readOnlyMounts = whole(
  (mount) => {
    if (!['Enabled', 'IfPossible'].includes(textAt(mount, 'recursiveReadOnly'))) return none
    if (given(mount, 'readOnly') !== true) return problem('Disabled unless readOnly is true', 'recursiveReadOnly')
    return ['', 'None'].includes(textAt(mount, 'mountPropagation'))
      ? none
      : problem('Disabled unless mountPropagation is None', 'recursiveReadOnly')
  },
  { first: 31 },
)

const ENVIRONMENT_FIELDS: ReadonlySet<string> = new Set([
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.host',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
])
const FILE_FIELDS: ReadonlySet<string> = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
])

/** A field of the pod as text. Some of them are for variables, others for files. */
function podField(reference: Dict | undefined, fields: ReadonlySet<string>): readonly FoundProblem[] {
  const path = reference === undefined ? undefined : given(reference, 'fieldPath')
  if (reference === undefined || typeof path !== 'string') return none
  if (!['', 'v1'].includes(textAt(reference, 'apiVersion'))) return problem('v1', 'fieldRef', 'apiVersion')
  const [, list = '', name = ''] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path) ?? []
  if (fields.has(path)) return none
  if (list !== '' && labelKey.allows(list === 'labels' ? name : name.toLowerCase())) return none
  const examples = fields === FILE_FIELDS ? 'metadata.name, metadata.labels' : 'metadata.name, status.podIP'
  return problem(`a field of pods such as ${examples} or metadata.labels['app']`, 'fieldRef', 'fieldPath')
}

const RESOURCE_FIELDS = /^(?:limits|requests)\.(?:cpu|memory|ephemeral-storage|hugepages-.*)$/

/** A resource of a container as a number of some unit. */
const resourceField = whole((reference) => {
  const resource = textAt(reference, 'resource')
  if (resource === '') return none
  if (!RESOURCE_FIELDS.test(resource)) return problem('a resource such as limits.cpu or requests.memory', 'resource')
  const divisor = given(reference, 'divisor')
  const amount = billionthsOf(divisor)
  if (amount === undefined || amount === 0n || isUnit(resource, divisor, amount)) return none
  return resource.endsWith('.cpu') ? problem('1 or 1m', 'divisor') : problem('1 of a unit, such as 1Mi', 'divisor')
})

function isUnit(resource: string, divisor: Value | undefined, amount: bigint): boolean {
  if (resource.endsWith('.cpu')) return amount === 1_000_000n || amount === 1_000_000_000n
  // which unit the server writes it in depends on the way in which it is written
  if (typeof divisor === 'string' && /[eE][+-]?[0-9]/.test(divisor)) return true
  const base = typeof divisor === 'string' && divisor.endsWith('i') ? 1024n : 1000n
  return Array.from({ length: 7 }, (_, power) => base ** BigInt(power) * 1_000_000_000n).includes(amount)
}

const variable = whole((item) =>
  isGiven(item, 'valueFrom') && textAt(item, 'value') !== '' ? problem('left out beside value', 'valueFrom') : none,
)

const variableSources = ['configMapKeyRef', 'fieldRef', 'fileKeyRef', 'resourceFieldRef', 'secretKeyRef']

/** The rules for a file of the downward API. */
const podFile = whole((file) => [
  ...podField(dictAt(file, 'fieldRef'), FILE_FIELDS),
  ...(isGiven(file, 'resourceFieldRef') && textAt(file, 'resourceFieldRef', 'containerName') === ''
    ? problem('set in a volume', 'resourceFieldRef', 'containerName')
    : none),
])

const secrets = { name: [named(dnsSubdomain)], key: [key] }

const handler: ObjectRule = oneOfFields('exec', 'httpGet', 'tcpSocket', 'grpc')
const sourceOfVariables = oneOfFields('configMapRef', 'secretRef')

/** The rules for containers: their ports, probes, variables and rights. */
export const containerRules: RuleTable = [
  [
    'api.core.v1.Probe',
    { fields: { ...each(PROBE_NUMBERS, notNegative), terminationGracePeriodSeconds: [positive] }, whole: [handler] },
  ],
  ['api.core.v1.HTTPGetAction', { fields: { port: [port, portName], scheme: [maybeOneOf('HTTP', 'HTTPS')] } }],
  [
    'api.core.v1.HTTPHeader',
    {
      optional: ['value'],
      fields: { name: [ofText('letters, digits and -', (text) => /^[-A-Za-z0-9]+$/.test(text))] },
    },
  ],
  ['api.core.v1.TCPSocketAction', { fields: { port: [port, portName] } }],
  ['api.core.v1.GRPCAction', { fields: { port: [port] } }],
  ['api.core.v1.ExecAction', { required: ['command'], fields: { command: [someItems] } }],
  ['api.core.v1.LifecycleHandler', { whole: [oneOfFields('exec', 'httpGet', 'tcpSocket', 'sleep')] }],
  ['api.core.v1.SleepAction', { optional: ['seconds'], fields: { seconds: [notNegative] } }],
  [
    'api.core.v1.ContainerPort',
    {
      fields: { hostPort: [maybePort], name: [maybePortName], protocol: [maybeOneOf('SCTP', 'TCP', 'UDP')] },
    },
  ],
  [
    'api.core.v1.Container',
    {
      required: ['image'],
      fields: {
        name: [named(dnsLabel)],
        image: [notEmpty],
        imagePullPolicy: [maybeOneOf('Always', 'IfNotPresent', 'Never')],
        terminationMessagePolicy: [maybeOneOf('FallbackToLogsOnError', 'File')],
      },
      whole: [probes, portNames, propagation, resources, resizedOnce],
    },
  ],
  [
    'api.core.v1.ContainerResizePolicy',
    {
      fields: {
        resourceName: since(33, oneOf('cpu', 'memory')),
        restartPolicy: since(33, oneOf('NotRequired', 'RestartContainer')),
      },
    },
  ],
  ['api.core.v1.EnvVar', { fields: { name: [notEmpty, ...variableName] }, whole: [variable] }],
  ['api.core.v1.EnvFromSource', { fields: { prefix: variableName }, whole: [sourceOfVariables] }],
  ['api.core.v1.SecretEnvSource', { required: ['name'], fields: { name: [beginning] } }],
  ['api.core.v1.ConfigMapEnvSource', { required: ['name'], fields: { name: [beginning] } }],
  [
    'api.core.v1.EnvVarSource',
    {
      whole: [
        oneOfFields(...variableSources),
        whole((source) => podField(dictAt(source, 'fieldRef'), ENVIRONMENT_FIELDS)),
      ],
    },
  ],
  ['api.core.v1.ConfigMapKeySelector', { required: ['name'], fields: secrets }],
  ['api.core.v1.SecretKeySelector', { required: ['name'], fields: secrets }],
  ['api.core.v1.ObjectFieldSelector', { fields: { fieldPath: [notEmpty] } }],
  ['api.core.v1.ResourceFieldSelector', { fields: { resource: [notEmpty] }, whole: [resourceField] }],
  [
    'api.core.v1.DownwardAPIVolumeFile',
    { fields: { path: [filePath], mode: [fileMode] }, whole: [oneOfFields('fieldRef', 'resourceFieldRef'), podFile] },
  ],
  [
    'api.core.v1.VolumeMount',
    {
      fields: {
        name: [notEmpty],
        mountPath: [notEmpty],
        ...each(['subPath', 'subPathExpr'], maybeRelativePath),
        mountPropagation: [oneOf('Bidirectional', 'HostToContainer', 'None')],
        recursiveReadOnly: since(31, oneOf('Disabled', 'Enabled', 'IfPossible')),
      },
      whole: [mountPaths, readOnlyMounts],
    },
  ],
  ['api.core.v1.VolumeDevice', { fields: each(['name', 'devicePath'], notEmpty) }],
  [
    'api.core.v1.SecurityContext',
    {
      fields: {
        ...each(['runAsUser', 'runAsGroup'], userId),
        procMount: since(33, oneOf('Default', 'Unmasked')),
      },
      whole: [privileges],
    },
  ],
  [
    'api.core.v1.SeccompProfile',
    {
      fields: {
        type: [oneOf('Localhost', 'RuntimeDefault', 'Unconfined')],
        localhostProfile: [maybeRelativePath],
      },
      whole: [localProfile],
    },
  ],
  [
    'api.core.v1.AppArmorProfile',
    {
      fields: {
        type: [oneOf('Localhost', 'RuntimeDefault', 'Unconfined')],
        localhostProfile: [
          ofText(
            'a name without spaces around it',
            (text) => text !== '' && text.trim() === text && text.length <= 4095,
          ),
        ],
      },
      whole: [localProfile],
    },
  ],
]

/** True for a container that runs beside the others though it stands among the first ones. */
export function isSidecar(container: Value): boolean {
  return textAt(container, 'restartPolicy') === 'Always'
}

/** How long the handler of a container sleeps, and where that is said. */
export function sleepsOf(container: Value): readonly { readonly hook: string; readonly seconds: bigint }[] {
  return ['postStart', 'preStop'].flatMap((hook) => {
    const seconds = integerOf(fieldAt(container, 'lifecycle', hook, 'sleep', 'seconds'))
    return seconds === undefined ? [] : [{ hook, seconds }]
  })
}
