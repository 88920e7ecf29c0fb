import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import {
  annotationKey,
  dataKey,
  dnsLabel,
  dnsSubdomain,
  labelKey,
  labelValue,
  type NameRule,
} from '../../model/kubernetes-names.ts'
import { isIpv4Address } from './string-formats.ts'
import { isIpv6Address } from '../../codec/text/ipv6-address.ts'
import { billionthsOf } from '../../model/quantity.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'
import type { ObjectRule, ValueRule } from './schema-node.ts'

/**
 * What API servers refuse about built-in kinds beyond their OpenAPI, by definition and field: k8s.io/kubernetes,
 * `pkg/apis/…/validation`. Ranges that `render` checks (`find-refused-fields.ts`) are not repeated.
 */
export interface BuiltInRules {
  /** Required by the OpenAPI, but with a default. */
  readonly optional?: readonly string[]
  /** Required, though the OpenAPI does not say it. */
  readonly required?: readonly string[]
  readonly fields?: Readonly<Record<string, readonly ValueRule[]>>
}

const ofText = (says: string, allows: (text: string) => boolean): ValueRule => ({
  allows: (value) => typeof value !== 'string' || allows(value),
  says,
})
const ofInteger = (says: string, allows: (value: bigint) => boolean): ValueRule => ({
  allows: (value) => !(value instanceof GoInt) || allows(value.value),
  says,
})
const named = ({ allows, says }: NameRule): ValueRule => ofText(says, allows)
const maybeNamed = ({ allows, says }: NameRule): ValueRule => ofText(says, (text) => text === '' || allows(text))
const oneOf = (...words: readonly string[]): ValueRule =>
  ofText(`one of ${words.join(', ')}`, (text) => words.includes(text))
const maybeOneOf = (...words: readonly string[]): ValueRule => oneOf(...words, '')
const range = (least: number, most: number): ValueRule =>
  ofInteger(`${String(least)} to ${String(most)}`, (value) => value >= BigInt(least) && value <= BigInt(most))

const isIpAddress = (text: string): boolean => isIpv4Address(text) || isIpv6Address(text)
const notEmpty = ofText('text that is not empty', (text) => text !== '')
const someItems: ValueRule = {
  allows: (value) => !Array.isArray(value) || value.length > 0,
  says: 'a list that is not empty',
}
const notNegative = ofInteger('0 or more', (value) => value >= 0n)
const positive = ofInteger('1 or more', (value) => value >= 1n)
const port = range(1, 65_535)
const maybePort = range(0, 65_535)
const userId = range(0, 2_147_483_647)
/** IANA_SVC_NAME of k8s.io/apimachinery. */
const portName = ofText(
  'the name of a port: a-z, 0-9 and -, with a letter, 15 characters at most',
  (text) => text.length <= 15 && /[a-z]/.test(text) && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text),
)
const maybePortName = ofText(portName.says, (text) => text === '' || portName.allows(text))
const count = ofText('an integer or a percentage such as 25%', (text) => /^[0-9]+%$/.test(text))
const labels: ValueRule = {
  allows: (value) =>
    !(value instanceof Dict) ||
    [...value].every(([key, text]) => labelKey.allows(key) && (typeof text !== 'string' || labelValue.allows(text))),
  says: `labels: their values ${labelValue.says}`,
}
const relativePath = ofText(
  'a path without .. that is not absolute',
  (text) => text !== '' && !text.startsWith('/') && !text.split('/').includes('..'),
)
const clusterIp = ofText('an IP address or None', (text) => text === '' || text === 'None' || isIpAddress(text))
/** What variables and files of a container may say of its pod; not all of it in both. */
const podField = ofText("a field of pods such as metadata.name, status.podIP or metadata.labels['app']", (text) =>
  /^(?:metadata\.(?:name|namespace|uid|(?:labels|annotations)(?:\['.+'\])?)|spec\.(?:nodeName|serviceAccountName|host)|status\.(?:host|pod)IPs?)$/.test(
    text,
  ),
)
const qualifiedName = ofText(annotationKey.says, annotationKey.allows)
const key = ofText(dataKey.says, dataKey.allows)

const accessMode = oneOf('ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod')
const unequal: ValueRule = {
  allows: (value) => !Array.isArray(value) || new Set(value).size === value.length,
  says: 'a list without equal items',
}

const probe = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold']
const selectorOperators = oneOf('In', 'NotIn', 'Exists', 'DoesNotExist')

function each(
  names: readonly string[],
  ...rules: readonly ValueRule[]
): Readonly<Record<string, readonly ValueRule[]>> {
  return Object.fromEntries(names.map((name) => [name, rules]))
}

/** See {@link BuiltInRules}; the key is a definition without `io.k8s.`. */
export const builtInRules: ReadonlyMap<string, BuiltInRules> = new Map<string, BuiltInRules>([
  ['api.core.v1.Probe', { fields: each(probe, notNegative) }],
  ['api.core.v1.HTTPGetAction', { fields: { port: [port, portName], scheme: [maybeOneOf('HTTP', 'HTTPS')] } }],
  ['api.core.v1.TCPSocketAction', { fields: { port: [port, portName] } }],
  ['api.core.v1.GRPCAction', { fields: { port: [port] } }],
  ['api.core.v1.ContainerPort', { fields: { hostPort: [maybePort], name: [maybePortName] } }],
  ['api.core.v1.Container', { required: ['image'], fields: { name: [named(dnsLabel)], image: [notEmpty] } }],
  ['api.core.v1.PodTemplateSpec', { required: ['spec'] }],
  ['api.core.v1.SecretVolumeSource', { required: ['secretName'] }],
  ['api.storage.v1.CSIDriver', { optional: ['spec'] }],
  ['api.core.v1.EnvVar', { fields: { name: [notEmpty] } }],
  ['api.core.v1.VolumeMount', { fields: { name: [notEmpty], mountPath: [notEmpty] } }],
  ['api.core.v1.Volume', { fields: { name: [named(dnsLabel)] } }],
  ['api.core.v1.KeyToPath', { fields: { key: [key], path: [relativePath] } }],
  ['api.core.v1.HostPathVolumeSource', { fields: { path: [notEmpty] } }],
  ['api.core.v1.ConfigMapKeySelector', { fields: { key: [key], name: [named(dnsSubdomain)] } }],
  ['api.core.v1.SecretKeySelector', { fields: { key: [key], name: [named(dnsSubdomain)] } }],
  ['api.core.v1.SecurityContext', { fields: each(['runAsUser', 'runAsGroup'], userId) }],
  ['api.core.v1.PodSecurityContext', { fields: each(['runAsUser', 'runAsGroup', 'fsGroup'], userId) }],
  ['api.core.v1.SeccompProfile', { fields: { type: [notEmpty] } }],
  [
    'api.core.v1.PodSpec',
    {
      fields: {
        containers: [someItems],
        serviceAccountName: [maybeNamed(dnsSubdomain)],
        priorityClassName: [maybeNamed(dnsSubdomain)],
        nodeSelector: [labels],
        activeDeadlineSeconds: [positive],
      },
    },
  ],
  [
    'api.core.v1.Toleration',
    {
      fields: {
        key: [maybeNamed(labelKey)],
        operator: [maybeOneOf('Exists', 'Equal')],
        effect: [maybeOneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute')],
      },
    },
  ],
  ['api.core.v1.NodeSelector', { fields: { nodeSelectorTerms: [someItems] } }],
  [
    'api.core.v1.NodeSelectorRequirement',
    { fields: { operator: [oneOf('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt')], key: [named(labelKey)] } },
  ],
  ['api.core.v1.PodAffinityTerm', { fields: { topologyKey: [named(labelKey)] } }],
  ['api.core.v1.WeightedPodAffinityTerm', { fields: { weight: [range(1, 100)] } }],
  ['api.core.v1.PreferredSchedulingTerm', { fields: { weight: [range(1, 100)] } }],
  ['api.core.v1.TopologySpreadConstraint', { fields: { maxSkew: [positive], topologyKey: [notEmpty] } }],
  ['apimachinery.pkg.apis.meta.v1.LabelSelector', { fields: { matchLabels: [labels] } }],
  [
    'apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement',
    { fields: { operator: [selectorOperators], key: [named(labelKey)], values: [eachItem(named(labelValue))] } },
  ],
  ['api.core.v1.ObjectFieldSelector', { fields: { fieldPath: [podField] } }],
  [
    'api.core.v1.ServicePort',
    { fields: { name: [maybeNamed(dnsLabel)], targetPort: [port, maybePortName], nodePort: [maybePort] } },
  ],
  ['api.core.v1.Service', { required: ['spec'] }],
  ['api.core.v1.PersistentVolumeClaim', { required: ['spec'] }],
  ['api.core.v1.ExecAction', { required: ['command'], fields: { command: [someItems] } }],
  ['api.autoscaling.v2.MetricTarget', { fields: { averageUtilization: [positive] } }],
  [
    'api.admissionregistration.v1.RuleWithOperations',
    {
      required: ['apiGroups', 'apiVersions', 'operations', 'resources'],
      fields: {
        ...each(['apiGroups', 'operations'], someItems),
        ...each(['apiVersions', 'resources'], someItems, eachItem(notEmpty)),
      },
    },
  ],
  [
    'api.core.v1.ServiceSpec',
    { fields: { selector: [labels], clusterIP: [clusterIp], ipFamilies: [eachItem(oneOf('IPv4', 'IPv6')), unequal] } },
  ],
  ['api.apps.v1.RollingUpdateDeployment', { fields: each(['maxSurge', 'maxUnavailable'], notNegative, count) }],
  ['api.apps.v1.RollingUpdateDaemonSet', { fields: each(['maxSurge', 'maxUnavailable'], notNegative, count) }],
  ['api.apps.v1.StatefulSetSpec', { fields: { serviceName: [maybeNamed(dnsLabel)] } }],
  ['api.networking.v1.IngressServiceBackend', { fields: { name: [notEmpty] } }],
  ['api.apps.v1.DeploymentSpec', { fields: { progressDeadlineSeconds: [notNegative] } }],
  ['api.batch.v1.CronJobSpec', { fields: { schedule: [notEmpty], startingDeadlineSeconds: [notNegative] } }],
  ['api.rbac.v1.PolicyRule', { fields: { verbs: [someItems] } }],
  [
    'api.rbac.v1.RoleRef',
    {
      optional: ['apiGroup'],
      fields: {
        apiGroup: [maybeOneOf('rbac.authorization.k8s.io')],
        kind: [oneOf('Role', 'ClusterRole')],
        name: [notEmpty],
      },
    },
  ],
  ['api.rbac.v1.Subject', { fields: { kind: [oneOf('ServiceAccount', 'User', 'Group')], name: [notEmpty] } }],
  ['api.storage.v1.StorageClass', { fields: { provisioner: [qualifiedName] } }],
  ['api.storage.v1.CSIDriverSpec', { fields: { volumeLifecycleModes: [eachItem(oneOf('Persistent', 'Ephemeral'))] } }],
  [
    'api.autoscaling.v1.HorizontalPodAutoscalerSpec',
    { fields: { maxReplicas: [positive], minReplicas: [notNegative] } },
  ],
  [
    'api.autoscaling.v2.HorizontalPodAutoscalerSpec',
    { fields: { maxReplicas: [positive], minReplicas: [notNegative] } },
  ],
  [
    'api.core.v1.PersistentVolumeClaimSpec',
    { required: ['accessModes', 'resources'], fields: { accessModes: [someItems, eachItem(accessMode)] } },
  ],
  ['api.policy.v1.PodDisruptionBudgetSpec', { fields: each(['maxUnavailable', 'minAvailable'], notNegative, count) }],
  [
    'api.networking.v1.NetworkPolicyPort',
    { fields: { port: [port, portName], protocol: [oneOf('TCP', 'UDP', 'SCTP')] } },
  ],
  ['api.core.v1.SecretEnvSource', { fields: { name: [named(dnsSubdomain)] } }],
  ['api.core.v1.ConfigMapEnvSource', { fields: { name: [named(dnsSubdomain)] } }],
  ['api.networking.v1.HTTPIngressPath', { fields: { pathType: [notEmpty] } }],
  [
    'api.networking.v1.NetworkPolicySpec',
    { optional: ['podSelector'], fields: { policyTypes: [eachItem(oneOf('Ingress', 'Egress')), atMost(2)] } },
  ],
  [
    'kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference',
    { required: ['name', 'namespace'], fields: { port: [port], ...each(['name', 'namespace'], notEmpty) } },
  ],
  [
    'kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec',
    { fields: { versionPriority: [range(1, 999)], groupPriorityMinimum: [range(1, 20_000)] } },
  ],
  ...['ValidatingWebhook', 'MutatingWebhook'].map((name): [string, BuiltInRules] => [
    `api.admissionregistration.v1.${name}`,
    {
      fields: {
        admissionReviewVersions: [someItems, eachItem(named(dnsLabel))],
        sideEffects: [oneOf('None', 'NoneOnDryRun')],
        failurePolicy: [oneOf('Fail', 'Ignore')],
        matchPolicy: [oneOf('Equivalent', 'Exact')],
        reinvocationPolicy: [oneOf('IfNeeded', 'Never')],
        timeoutSeconds: [range(1, 30)],
        name: [
          ofText(
            'a domain with at least three parts',
            (text) => dnsSubdomain.allows(text) && text.split('.').length > 2,
          ),
        ],
      },
    },
  ]),
  [
    'api.admissionregistration.v1.ServiceReference',
    { fields: { port: [port], ...each(['name', 'namespace'], notEmpty) } },
  ],
])

function eachItem({ allows, says }: ValueRule): ValueRule {
  return {
    allows: (value) => !Array.isArray(value) || value.every((item) => item !== null && allows(item)),
    says: `a list of which each is ${says}`,
  }
}

function atMost(most: number): ValueRule {
  return {
    allows: (value) => !Array.isArray(value) || value.length <= most,
    says: `a list of ${String(most)} items at most`,
  }
}

const isEmpty = (value: Value | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (value instanceof Dict && value.size === 0)

/** Every mount needs a volume of its name; those of a StatefulSet may come of its claims. */
function mountsBelow(...pod: readonly string[]): ObjectRule {
  return {
    find: (spec) => {
      const named = [...itemsAt(spec, ...pod, 'volumes'), ...claimsOf(spec)].map((item) => nameOf(item))
      const volumes = new Set(named)
      return ['initContainers', 'containers'].flatMap((list) =>
        itemsAt(spec, ...pod, list).flatMap((container, at) =>
          itemsAt(container, 'volumeMounts').flatMap((mount, index) => {
            const name = textAt(mount, 'name')
            return name === '' || volumes.has(name)
              ? []
              : [{ path: [...pod, list, at, 'volumeMounts', index, 'name'], says: 'the name of a volume of the pod' }]
          }),
        ),
      )
    },
  }
}

function claimsOf(spec: Dict): readonly Value[] {
  return itemsAt(spec, 'volumeClaimTemplates')
}

function nameOf(item: Value): string {
  return textAt(item, 'name') || textAt(item, 'metadata', 'name')
}

const mounts = mountsBelow('template', 'spec')

/** Names of resources without a domain are Kubernetes' own, and no request is above its limit. */
const resources: ObjectRule = {
  find: (found) => {
    const limits = dictAt(found, 'limits')
    return ['limits', 'requests'].flatMap((list) =>
      [...(dictAt(found, list) ?? [])].flatMap(([name, value]) => {
        const says = resourceProblem(name, value, list === 'requests' ? limits?.get(name) : undefined)
        return says === undefined ? [] : [{ path: [list, name], says }]
      }),
    )
  },
}

function resourceProblem(name: string, value: Value, limit: Value | undefined): string | undefined {
  if (!name.includes('/') && !/^(?:cpu|memory|ephemeral-storage|hugepages-.+)$/.test(name))
    return 'cpu, memory, ephemeral-storage, hugepages-<size>, or a name with a domain'
  const amount = billionthsOf(value)
  if (amount === undefined) return undefined
  if (amount < 0n) return '0 or more'
  const most = billionthsOf(limit)
  return most !== undefined && amount > most ? 'its limit or less' : undefined
}

/** A claim wants some storage. */
const claimed: ObjectRule = {
  find: (spec) => {
    const wanted = fieldAt(spec, 'resources', 'requests', 'storage') ?? null
    const amount = wanted === null ? 0n : billionthsOf(wanted)
    return amount === undefined || amount > 0n
      ? []
      : [{ path: ['resources', 'requests', 'storage'], says: 'a quantity above 0' }]
  },
}

/** A controller has to choose the pods that it makes. */
const ownPods: ObjectRule = {
  find: (spec) => {
    const selector = spec.get('selector')
    const wanted = selector instanceof Dict ? selector.get('matchLabels') : undefined
    const template = spec.get('template')
    const metadata = template instanceof Dict ? template.get('metadata') : undefined
    const given = metadata instanceof Dict ? metadata.get('labels') : undefined
    if (!(wanted instanceof Dict)) return []
    return [...wanted].flatMap(([label, value]) =>
      given instanceof Dict && given.get(label) === value
        ? []
        : [{ path: ['selector', 'matchLabels', label], says: 'a label of the pods in template.metadata.labels' }],
    )
  },
}

const policy: ObjectRule = {
  find: (rule) => {
    if (!isEmpty(rule.get('nonResourceURLs'))) return []
    return ['apiGroups', 'resources'].flatMap((field) =>
      isEmpty(rule.get(field)) ? [{ path: [field], says: 'a list that is not empty' }] : [],
    )
  },
}

const clusterSubjects: ObjectRule = {
  find: (binding) => [
    ...itemsAt(binding, 'subjects').flatMap((subject, index) =>
      textAt(subject, 'kind') === 'ServiceAccount' && textAt(subject, 'namespace') === ''
        ? [{ path: ['subjects', index, 'namespace'], says: 'set: a service account has a namespace' }]
        : [],
    ),
    ...(textAt(binding, 'roleRef', 'kind') === 'Role' ? [{ path: ['roleRef', 'kind'], says: 'ClusterRole' }] : []),
  ],
}

/** Exactly one of some fields has to be set. */
function oneOfFields(...names: readonly string[]): ObjectRule {
  return {
    find: (value) =>
      names.filter((name) => !isNull(value.get(name))).length === 1
        ? []
        : [{ path: [], says: `a map with one of ${names.join(', ')}` }],
  }
}

/** Only a readiness probe counts successes. */
const probes: ObjectRule = {
  find: (container) =>
    ['livenessProbe', 'startupProbe'].flatMap((probe) => {
      const found = fieldAt(container, probe, 'successThreshold')
      return !(found instanceof GoInt) || found.value <= 1n ? [] : [{ path: [probe, 'successThreshold'], says: '1' }]
    }),
}

const handler = oneOfFields('exec', 'httpGet', 'tcpSocket', 'grpc')

const subject: ObjectRule = {
  find: (item) =>
    textAt(item, 'kind') !== 'ServiceAccount' || isEmpty(item.get('name')) || dnsSubdomain.allows(textAt(item, 'name'))
      ? []
      : [{ path: ['name'], says: `the name of a service account: ${dnsSubdomain.says}` }],
}

const apiServiceName: ObjectRule = {
  find: (service) => {
    const wanted = `${textAt(service, 'spec', 'version')}.${textAt(service, 'spec', 'group')}`
    return textAt(service, 'metadata', 'name') === wanted
      ? []
      : [{ path: ['metadata', 'name'], says: 'spec.version, a dot and spec.group' }]
  },
}

const definitionName: ObjectRule = {
  find: (definition) => {
    const wanted = `${textAt(definition, 'spec', 'names', 'plural')}.${textAt(definition, 'spec', 'group')}`
    return textAt(definition, 'metadata', 'name') === wanted
      ? []
      : [{ path: ['metadata', 'name'], says: 'spec.names.plural, a dot and spec.group' }]
  },
}

/** Labels and annotations of what an object makes. */
const templateMetadata: ObjectRule = {
  find: (template) => [
    ...[...(dictAt(template, 'metadata', 'labels') ?? [])].flatMap(([name, value]) => {
      const path = ['metadata', 'labels', name]
      if (!labelKey.allows(name)) return [{ path, says: `named with ${labelKey.says}` }]
      return typeof value !== 'string' || labelValue.allows(value) ? [] : [{ path, says: labelValue.says }]
    }),
    ...[...(dictAt(template, 'metadata', 'annotations') ?? new Dict()).keys()]
      .filter((name) => !annotationKey.allows(name))
      .map((name) => ({ path: ['metadata', 'annotations', name], says: `named with ${annotationKey.says}` })),
  ],
}

/** Without a Service the API server itself serves it. */
const localApi: ObjectRule = {
  find: (spec) =>
    isNull(spec.get('service')) && spec.get('insecureSkipTLSVerify') === true
      ? [{ path: ['insecureSkipTLSVerify'], says: 'left out where there is no service' }]
      : [],
}

const servicePorts: ObjectRule = {
  find: (spec) => {
    const ports = itemsAt(spec, 'ports')
    const needsPorts = textAt(spec, 'type') !== 'ExternalName' && textAt(spec, 'clusterIP') !== 'None'
    if (ports.length === 0) return needsPorts ? [{ path: ['ports'], says: 'a list that is not empty' }] : []
    if (ports.length === 1) return []
    return ports.flatMap((item, index) =>
      textAt(item, 'name') === ''
        ? [{ path: ['ports', index, 'name'], says: 'set where a Service has several ports' }]
        : [],
    )
  },
}

const toleration: ObjectRule = {
  find: (item) => {
    const exists = textAt(item, 'operator') === 'Exists'
    if (textAt(item, 'key') === '' && !exists) return [{ path: ['operator'], says: 'Exists where there is no key' }]
    return exists && textAt(item, 'value') !== ''
      ? [{ path: ['value'], says: 'left out where operator is Exists' }]
      : []
  },
}

const recreate: ObjectRule = {
  find: (strategy) =>
    textAt(strategy, 'type') === 'Recreate' && !isNull(strategy.get('rollingUpdate'))
      ? [{ path: ['rollingUpdate'], says: 'left out where type is Recreate' }]
      : [],
}

function isNull(value: Value | undefined): boolean {
  return value === undefined || value === null
}

function restarts(...words: readonly string[]): ObjectRule {
  return {
    find: (spec) => {
      const template = spec.get('template')
      const given = template instanceof Dict ? textAt(template, 'spec', 'restartPolicy') : ''
      return words.includes(given)
        ? []
        : [{ path: ['template', 'spec', 'restartPolicy'], says: words.filter((word) => word !== '').join(' or ') }]
    },
  }
}

/** Rules for objects as a whole, by definition. */
export const objectRules: ReadonlyMap<string, readonly ObjectRule[]> = new Map([
  ['api.apps.v1.DeploymentSpec', [ownPods, mounts, restarts('Always', '')]],
  ['api.apps.v1.DaemonSetSpec', [ownPods, mounts, restarts('Always', '')]],
  ['api.apps.v1.StatefulSetSpec', [ownPods, mounts, restarts('Always', '')]],
  ['api.apps.v1.ReplicaSetSpec', [ownPods, mounts, restarts('Always', '')]],
  ['api.batch.v1.JobSpec', [mounts, restarts('Never', 'OnFailure')]],
  ['api.apps.v1.DeploymentStrategy', [recreate]],
  ['api.rbac.v1.PolicyRule', [policy]],
  ['api.rbac.v1.Subject', [subject]],
  ['kube-aggregator.pkg.apis.apiregistration.v1.APIService', [apiServiceName]],
  ['kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec', [localApi]],
  ['api.rbac.v1.ClusterRoleBinding', [clusterSubjects]],
  ['apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition', [definitionName]],
  ['api.core.v1.PodTemplateSpec', [templateMetadata]],
  ['api.batch.v1.JobTemplateSpec', [templateMetadata]],
  ['api.core.v1.ServiceSpec', [servicePorts]],
  ['api.core.v1.Pod', [mountsBelow('spec')]],
  ['api.core.v1.ResourceRequirements', [resources]],
  ['api.core.v1.PersistentVolumeClaimSpec', [claimed]],
  ['api.core.v1.Toleration', [toleration]],
  ['api.core.v1.Probe', [handler]],
  ['api.core.v1.Container', [probes]],
  [
    'api.core.v1.EnvVarSource',
    [oneOfFields('configMapKeyRef', 'fieldRef', 'fileKeyRef', 'resourceFieldRef', 'secretKeyRef')],
  ],
])
