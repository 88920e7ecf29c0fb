import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import { dnsLabel, dnsSubdomain } from '../../model/kubernetes-names.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { FoundProblem, ObjectRule } from '../schema/schema-node.ts'
import { addressBits } from './address-bits.ts'
import {
  atMost,
  domainPath,
  each,
  eachItem,
  given,
  integerOf,
  isGiven,
  isIpAddress,
  labels,
  letterLabel,
  maybeNamed,
  maybeOneOf,
  maybePort,
  maybePortName,
  named,
  network,
  networkOf,
  none,
  ofText,
  oneOf,
  pathSegment,
  port,
  portName,
  problem,
  repeated,
  type RuleTable,
  since,
  someItems,
  strictQualifiedName,
  unequal,
  whole,
} from './rule-parts.ts'

const clusterIp = ofText('an IP address or None', (text) => text === '' || text === 'None' || isIpAddress(text))

const typeOf = (spec: Dict): string => textAt(spec, 'type') || 'ClusterIP'

function isHeadless(spec: Dict): boolean {
  return textAt(spec, 'clusterIP') === 'None' || itemsAt(spec, 'clusterIPs')[0] === 'None'
}

const servicePorts = whole((spec) => {
  const ports = itemsAt(spec, 'ports')
  if (ports.length === 0)
    return typeOf(spec) !== 'ExternalName' && !isHeadless(spec) ? problem('a list that is not empty', 'ports') : none
  const protocolOf = (item: Dict): string => textAt(item, 'protocol') || 'TCP'
  const numberKey =
    (field: string) =>
    (item: Dict): string => {
      const number = integerOf(given(item, field))
      return number === undefined || number === 0n ? '' : `${protocolOf(item)} ${String(number)}`
    }
  return [
    ...(ports.length === 1 ? [] : ports).flatMap((item, index) =>
      textAt(item, 'name') === '' ? problem('set where a Service has several ports', 'ports', index, 'name') : none,
    ),
    ...repeated(ports, (item) => textAt(item, 'name')).flatMap(({ index }) =>
      problem('a name that no port before it has', 'ports', index, 'name'),
    ),
    ...repeated(ports, numberKey('nodePort')).flatMap(({ index }) =>
      problem('another than that of a port before it', 'ports', index, 'nodePort'),
    ),
    ...(typeOf(spec) !== 'ClusterIP' ? [] : ports).flatMap((item, index) =>
      (integerOf(fieldAt(item, 'nodePort')) ?? 0n) === 0n
        ? none
        : problem('left out where type is ClusterIP', 'ports', index, 'nodePort'),
    ),
  ]
})

const clusterIps = whole((spec) => {
  const [first, ...more] = itemsAt(spec, 'clusterIPs')
  const ip = textAt(spec, 'clusterIP')
  const type = typeOf(spec)
  if (type === 'ExternalName')
    return ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].flatMap((field) => {
      const found = given(spec, field)
      return found === undefined || found === '' || (Array.isArray(found) && found.length === 0)
        ? none
        : problem('left out where type is ExternalName', field)
    })
  if (['LoadBalancer', 'NodePort'].includes(type) && isHeadless(spec))
    return problem(`an IP address or left out where type is ${type}`, ip === '' ? 'clusterIPs' : 'clusterIP')
  if (first === undefined)
    return ip === '' || ip === 'None' ? none : familyProblems([ip], itemsAt(spec, 'ipFamilies'), 'clusterIP')
  if (ip === '') return problem('set to the first of clusterIPs', 'clusterIP')
  if (first !== ip) return problem('equal to clusterIP', 'clusterIPs', 0)
  if (first === 'None') return more.length > 0 ? problem('a list of None alone', 'clusterIPs') : none
  return familyProblems([first, ...more], itemsAt(spec, 'ipFamilies'), 'clusterIPs')
})

/** A server gives one address unless it is told otherwise. */
const families = whole((spec) =>
  new Set(itemsAt(spec, 'ipFamilies')).size > 1 &&
  typeOf(spec) !== 'ExternalName' &&
  !['PreferDualStack', 'RequireDualStack'].includes(textAt(spec, 'ipFamilyPolicy')) &&
  (textAt(spec, 'ipFamilyPolicy') === 'SingleStack' || !isHeadless(spec))
    ? problem('PreferDualStack or RequireDualStack where there are two ipFamilies', 'ipFamilyPolicy')
    : none,
)

function familyProblems(
  addresses: readonly Value[],
  families: readonly Value[],
  field: 'clusterIP' | 'clusterIPs',
): readonly FoundProblem[] {
  const [first, second] = addresses.map(familyOf)
  if (second !== undefined && first === second) return problem('an address of the other IP family', 'clusterIPs', 1)
  return addresses.flatMap((address, index) => {
    const [family, wanted] = [familyOf(address), families[index]]
    return family === undefined || typeof wanted !== 'string' || !['IPv4', 'IPv6'].includes(wanted) || wanted === family
      ? none
      : problem(`an ${wanted} address as ipFamilies says`, field, ...(field === 'clusterIPs' ? [index] : []))
  })
}

function familyOf(address: Value): 'IPv4' | 'IPv6' | undefined {
  if (typeof address !== 'string' || !isIpAddress(address)) return undefined
  return addressBits(address)?.length === 32 ? 'IPv4' : 'IPv6'
}

const externalName = whole((spec) => {
  if (typeOf(spec) !== 'ExternalName') return none
  return dnsSubdomain.allows(textAt(spec, 'externalName').replace(/\.$/, ''))
    ? none
    : problem('the name of a host where type is ExternalName', 'externalName')
})

/** Three hours, in seconds: how long a client may stay with a pod. */
const LONGEST_AFFINITY = 86_400n

const affinity = whole((spec) => {
  if (textAt(spec, 'sessionAffinity') !== 'ClientIP') return none
  const seconds = integerOf(fieldAt(spec, 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds'))
  return seconds === undefined || (seconds > 0n && seconds <= LONGEST_AFFINITY)
    ? none
    : problem(`1 to ${String(LONGEST_AFFINITY)}`, 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds')
})

const balancers = whole((spec) => {
  const type = typeOf(spec)
  const isBalanced = type === 'LoadBalancer'
  const isExternal = isBalanced || type === 'NodePort' || itemsAt(spec, 'externalIPs').length > 0
  const isChecked = isBalanced && textAt(spec, 'externalTrafficPolicy') === 'Local'
  const checkPort = integerOf(given(spec, 'healthCheckNodePort')) ?? 0n
  return [
    ...(isBalanced
      ? none
      : ['loadBalancerClass', 'allocateLoadBalancerNodePorts', 'loadBalancerSourceRanges'].flatMap((field) => {
          const found = given(spec, field)
          return found === undefined || (Array.isArray(found) && found.length === 0)
            ? none
            : problem('left out unless type is LoadBalancer', field)
        })),
    ...(!isExternal && textAt(spec, 'externalTrafficPolicy') !== ''
      ? problem('left out of a Service that nothing outside reaches', 'externalTrafficPolicy')
      : none),
    ...(checkPort !== 0n && !isChecked
      ? problem('left out unless type is LoadBalancer and externalTrafficPolicy Local', 'healthCheckNodePort')
      : none),
  ]
})

/** Addresses that no packet from outside has. */
const externalIp = ofText('an IP address that others reach', (text) => isIpAddress(text) && !isOfThisHost(text))

function isOfThisHost(text: string): boolean {
  const bits = addressBits(text)
  if (bits === undefined) return false
  if (bits.length === 32) return /^(?:0{32}|01111111|1010100111111110|11100000{21})/.test(bits)
  return /^(?:0{127}[01]|1111111010|11111111....0010)/.test(bits)
}

const trimmedNetwork = ofText(network.says, (text) => networkOf(text.trim()) !== undefined)

const ingress = whole((spec) =>
  itemsAt(spec, 'rules').length === 0 && !isGiven(spec, 'defaultBackend')
    ? problem('a list that is not empty where there is no defaultBackend', 'rules')
    : none,
)

const host = ofText('the name of a host; it may begin with *.', (text) => text === '' || isHost(text))

function isHost(text: string): boolean {
  if (/^[0-9.]+$/.test(text) && isIpAddress(text)) return false
  return dnsSubdomain.allows(text.startsWith('*.') ? text.slice(2) : text)
}

const ingressPath = whole((item) => {
  const [path, type] = [textAt(item, 'path'), textAt(item, 'pathType')]
  if (type === 'ImplementationSpecific')
    return path === '' || path.startsWith('/') ? none : problem('a path that begins with /', 'path')
  if (type !== 'Exact' && type !== 'Prefix') return none
  if (!path.startsWith('/')) return problem('a path that begins with /', 'path')
  return /\/\/|\/\.\/|\/\.\.\/|%2f|%2F|\/\.\.?$/.test(path)
    ? problem(`a path without //, /./, /../ and %2f where pathType is ${type}`, 'path')
    : none
})

const backend = whole((found) => {
  if (isGiven(found, 'resource'))
    return isGiven(found, 'service') ? problem('left out beside resource', 'service') : none
  const service = dictAt(found, 'service')
  if (service === undefined) return isGiven(found, 'service') ? none : problem('a map with service or resource')
  const [name, number] = [textAt(service, 'port', 'name'), integerOf(fieldAt(service, 'port', 'number')) ?? 0n]
  if (name !== '' && number !== 0n) return problem('left out beside the name of the port', 'service', 'port', 'number')
  return name === '' && number === 0n && !(fieldAt(service, 'port', 'number') instanceof Dict)
    ? problem('a map with name or number', 'service', 'port')
    : none
})

const ingressClassAnnotation = 'kubernetes.io/ingress.class'

const oneClass = whole((object) => {
  const annotated = fieldAt(object, 'metadata', 'annotations', ingressClassAnnotation)
  const name = fieldAt(object, 'spec', 'ingressClassName')
  return typeof annotated === 'string' && typeof name === 'string' && annotated !== name
    ? problem(`equal to the annotation ${ingressClassAnnotation}, or left out`, 'spec', 'ingressClassName')
    : none
})

const classParameters = whole((parameters) => {
  const scope = textAt(parameters, 'scope') || 'Cluster'
  const isNamespaced = isGiven(parameters, 'namespace')
  if (scope === 'Namespace') return isNamespaced ? none : problem('set where scope is Namespace', 'namespace')
  return isNamespaced ? problem('left out unless scope is Namespace', 'namespace') : none
})

const policyPort = whole((item) => {
  if (!isGiven(item, 'endPort')) return none
  const first = integerOf(given(item, 'port'))
  const last = integerOf(given(item, 'endPort'))
  if (first === undefined) return problem('left out unless port is a number', 'endPort')
  return last === undefined || last >= first ? none : problem('port or more', 'endPort')
})

const peer = whole((item) => {
  const selectors = ['podSelector', 'namespaceSelector'].filter((name) => isGiven(item, name))
  if (!isGiven(item, 'ipBlock'))
    return selectors.length > 0 ? none : problem('a map with podSelector, namespaceSelector or ipBlock')
  return selectors.length > 0 ? problem('left out beside a selector', 'ipBlock') : none
})

const block = whole((found) => {
  const all = networkOf(textAt(found, 'cidr'))
  const start = all === undefined ? undefined : addressBits(all.address)?.slice(0, all.bits)
  if (all === undefined || start === undefined || start.length !== all.bits) return none
  return itemsAt(found, 'except').flatMap((item, index) => {
    const part = typeof item === 'string' ? networkOf(item) : undefined
    if (part === undefined) return typeof item === 'string' ? problem(network.says, 'except', index) : none
    const isPart =
      part.isIpv6 === all.isIpv6 && part.bits > all.bits && addressBits(part.address)?.startsWith(start) === true
    return isPart ? none : problem('a smaller network in that of cidr', 'except', index)
  })
})

const subset = whole((found) =>
  itemsAt(found, 'addresses').length + itemsAt(found, 'notReadyAddresses').length === 0
    ? problem('a map with addresses or notReadyAddresses')
    : namedPorts(found),
)

function namedPorts(found: Dict): readonly FoundProblem[] {
  const ports = itemsAt(found, 'ports')
  return (ports.length === 1 ? [] : ports).flatMap((item, index) =>
    textAt(item, 'name') === '' ? problem('set where there are several ports', 'ports', index, 'name') : none,
  )
}

const slice: ObjectRule = whole((object) => [
  ...repeated(itemsAt(object, 'ports'), (item) => `-${textAt(item, 'name')}`).flatMap(({ index }) =>
    problem('a name that no port before it has', 'ports', index, 'name'),
  ),
  ...itemsAt(object, 'endpoints').flatMap((endpoint, index) =>
    itemsAt(endpoint, 'addresses').flatMap((address, at) => {
      const says = typeof address === 'string' ? sliceAddress(textAt(object, 'addressType'), address) : undefined
      return says === undefined ? none : problem(says, 'endpoints', index, 'addresses', at)
    }),
  ),
])

function sliceAddress(type: string, address: string): string | undefined {
  if (type !== 'IPv4' && type !== 'IPv6') return undefined
  return familyOf(address) === type && !isOfThisHost(address) ? undefined : `an ${type} address that others reach`
}

const protocol = maybeOneOf('SCTP', 'TCP', 'UDP')
const appProtocol = [strictQualifiedName]

const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges'

/** The older way to say it counts where the field is empty. */
const rangesOfAnnotation = whole((service) => {
  const text = dictAt(service, 'metadata', 'annotations')?.get(RANGES)
  if (typeof text !== 'string' || itemsAt(service, 'spec', 'loadBalancerSourceRanges').length > 0) return none
  const place = ['metadata', 'annotations', RANGES] as const
  if (textAt(service, 'spec', 'type') !== 'LoadBalancer')
    return problem('left out unless type is LoadBalancer', ...place)
  const isRead = text.trim() === '' || text.split(',').every((range) => networkOf(range.trim()) !== undefined)
  return isRead ? none : problem('networks such as 10.0.0.0/16, with commas between them', ...place)
})

/** Services and what leads to them. */
export const networkRules: RuleTable = [
  ['api.core.v1.Service', { required: ['spec'], whole: [rangesOfAnnotation] }],
  [
    'api.core.v1.ServiceSpec',
    {
      fields: {
        selector: [labels],
        clusterIP: [clusterIp],
        clusterIPs: [atMost(2), eachItem(clusterIp)],
        ipFamilies: [eachItem(oneOf('IPv4', 'IPv6')), unequal],
        ipFamilyPolicy: [oneOf('PreferDualStack', 'RequireDualStack', 'SingleStack')],
        externalIPs: [eachItem(externalIp)],
        loadBalancerSourceRanges: [eachItem(trimmedNetwork)],
        loadBalancerClass: [strictQualifiedName],
        type: [maybeOneOf('ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort')],
        sessionAffinity: [maybeOneOf('ClientIP', 'None')],
        externalTrafficPolicy: [maybeOneOf('Cluster', 'Local')],
        internalTrafficPolicy: [oneOf('Cluster', 'Local')],
        healthCheckNodePort: [maybePort],
        trafficDistribution: since(31, oneOf('PreferClose', 'PreferSameNode', 'PreferSameZone')),
      },
      whole: [servicePorts, clusterIps, families, externalName, affinity, balancers],
    },
  ],
  [
    'api.core.v1.ServicePort',
    {
      fields: {
        name: [maybeNamed(dnsLabel)],
        targetPort: [maybePort, maybePortName],
        nodePort: [maybePort],
        protocol: [protocol],
        appProtocol,
      },
    },
  ],
  ['api.core.v1.EndpointSubset', { whole: [subset] }],
  [
    'api.core.v1.EndpointAddress',
    { fields: { ip: [externalIp], hostname: [maybeNamed(dnsLabel)], nodeName: [named(dnsSubdomain)] } },
  ],
  [
    'api.core.v1.EndpointPort',
    { fields: { port: [port], name: [maybeNamed(dnsLabel)], protocol: [protocol], appProtocol } },
  ],
  [
    'api.discovery.v1.EndpointSlice',
    {
      optional: ['endpoints'],
      fields: { addressType: [oneOf('FQDN', 'IPv4', 'IPv6')], endpoints: [atMost(1000)] },
      whole: [slice],
    },
  ],
  [
    'api.discovery.v1.Endpoint',
    {
      fields: {
        addresses: [someItems, atMost(100)],
        hostname: [named(dnsLabel)],
        nodeName: [named(dnsSubdomain)],
      },
    },
  ],
  ['api.discovery.v1.EndpointHints', { fields: { forZones: [atMost(8)], forNodes: [atMost(8)] } }],
  ['api.discovery.v1.ForZone', { optional: ['name'] }],
  ['api.discovery.v1.EndpointPort', { fields: { name: [maybeNamed(dnsLabel)], protocol: [protocol], appProtocol } }],
  ['api.networking.v1.Ingress', { required: ['spec'], whole: [oneClass] }],
  ['api.networking.v1.IngressSpec', { fields: { ingressClassName: [named(dnsSubdomain)] }, whole: [ingress] }],
  ['api.networking.v1.IngressRule', { fields: { host: [host] } }],
  ['api.networking.v1.HTTPIngressRuleValue', { fields: { paths: [someItems] } }],
  [
    'api.networking.v1.HTTPIngressPath',
    { fields: { pathType: [oneOf('Exact', 'ImplementationSpecific', 'Prefix')] }, whole: [ingressPath] },
  ],
  ['api.networking.v1.IngressBackend', { whole: [backend] }],
  [
    'api.networking.v1.IngressServiceBackend',
    { fields: { name: [named(dnsLabel), { ...named(letterLabel), minors: { last: 35 } }] } },
  ],
  ['api.networking.v1.ServiceBackendPort', { fields: { name: [maybePortName], number: [maybePort] } }],
  [
    'api.networking.v1.IngressTLS',
    {
      fields: {
        hosts: [eachItem(named({ says: host.says, allows: isTlsHost }))],
        secretName: [maybeNamed(dnsSubdomain)],
      },
    },
  ],
  ['api.networking.v1.IngressClass', { required: ['spec'] }],
  [
    'api.networking.v1.IngressClassSpec',
    {
      required: ['controller'],
      fields: { controller: [domainPath, ofText('250 characters at most', (text) => text.length <= 250)] },
    },
  ],
  [
    'api.networking.v1.IngressClassParametersReference',
    {
      fields: {
        ...each(['kind', 'name'], pathSegment),
        apiGroup: [named(dnsSubdomain)],
        namespace: [named(dnsLabel)],
        scope: [oneOf('Cluster', 'Namespace')],
      },
      whole: [classParameters],
    },
  ],
  [
    'api.networking.v1.NetworkPolicySpec',
    { optional: ['podSelector'], fields: { policyTypes: [eachItem(oneOf('Ingress', 'Egress')), atMost(2)] } },
  ],
  [
    'api.networking.v1.NetworkPolicyPort',
    {
      fields: { port: [port, portName], endPort: [port], protocol: [oneOf('TCP', 'UDP', 'SCTP')] },
      whole: [policyPort],
    },
  ],
  ['api.networking.v1.NetworkPolicyPeer', { whole: [peer] }],
  ['api.networking.v1.IPBlock', { fields: { cidr: [network] }, whole: [block] }],
]

function isTlsHost(text: string): boolean {
  return dnsSubdomain.allows(text.startsWith('*.') ? text.slice(2) : text)
}
