import {
  becomesOn,
  becomesZero,
  byAction,
  bySwitch,
  byWord,
  comes,
  differs,
  type FieldRow,
  gainsItems,
  type Grade,
  type GradedField,
  gradedRows,
  goes,
  inEach,
  isRescaled,
  letsMore,
  losesItems,
  wasSet,
} from './field-row.ts'
import { isOn } from './unit-effects.ts'

const KYVERNO = /^kyverno\.io\/(?:Cluster)?Policy$/
const KYVERNO_CEL = /^policies\.kyverno\.io\/(?:Namespaced)?(?:Image)?ValidatingPolicy$/
const HOOKS = /^admissionregistration\.k8s\.io\/(?:Validating|Mutating)AdmissionPolicy$/
const PEERS = /^security\.istio\.io\/PeerAuthentication$/
const MIDDLEWARE = /^traefik\.(?:io|containo\.us)\/Middleware(?:TCP)?$/
const TRAEFIK_ROUTE = /^traefik\.(?:io|containo\.us)\/IngressRoute(?:TCP|UDP)?$/
const GATEWAY = /^gateway\.networking\.k8s\.io\/Gateway$/
const ROUTE = /^gateway\.networking\.k8s\.io\/(?:HTTP|GRPC|TLS|TCP|UDP)Route$/
const GRANT = /^gateway\.networking\.k8s\.io\/ReferenceGrant$/
const CERTIFICATE = /^cert-manager\.io\/Certificate$/
const POSTGRES = /^postgresql\.cnpg\.io\/Cluster$/
const AUTOSCALER = /^autoscaling\/HorizontalPodAutoscaler$/
/** Any kind that somebody else defines. */
const CUSTOM = /^(?!(?:[^/]*\.)?(?:x-)?k8s\.io\/)[^/]+\.[^/]+\//

/** Parts of a Middleware that keep somebody out. */
export const MIDDLEWARE_GUARDS = [
  'basicAuth',
  'digestAuth',
  'forwardAuth',
  'inFlightConn',
  'inFlightReq',
  'ipAllowList',
  'ipWhiteList',
  'rateLimit',
] as const

const failing: Grade = byWord('Fail', 'Ignore', 'Fail')
/** The namespaces whose routes may use a listener. */
const reach: Grade = byWord('Same', 'None', 'Same', 'Selector', 'All')

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Fields of guards of which it is known which value is the stricter one. */
export const gradedFields: readonly GradedField[] = [
  {
    of: KYVERNO,
    paths: ['spec.validationFailureAction', 'spec.rules.*.validate.failureAction'],
    grade: (value) => byWord('Audit', 'Audit', 'Enforce')(typeof value === 'string' ? capitalized(value) : value),
  },
  { of: KYVERNO, paths: ['spec.failurePolicy', 'spec.webhookConfiguration.failurePolicy'], grade: failing },
  { of: KYVERNO, paths: ['spec.admission'], grade: bySwitch },
  { of: KYVERNO_CEL, paths: ['spec.validationActions'], grade: byAction('Audit', 'Deny') },
  { of: KYVERNO_CEL, paths: ['spec.evaluation.admission.enabled'], grade: bySwitch },
  { of: KYVERNO_CEL, paths: ['spec.failurePolicy'], grade: failing },
  { of: HOOKS, paths: ['spec.failurePolicy'], grade: failing },
  {
    of: /^admissionregistration\.k8s\.io\/ValidatingAdmissionPolicyBinding$/,
    paths: ['spec.validationActions'],
    grade: byAction('', 'Deny'),
  },
  {
    of: /^constraints\.gatekeeper\.sh\//,
    paths: ['spec.enforcementAction'],
    grade: byWord('deny', 'dryrun', 'warn', 'scoped', 'deny'),
  },
  {
    of: PEERS,
    paths: ['spec.mtls.mode', 'spec.portLevelMtls.*.mode'],
    grade: byWord('PERMISSIVE', 'DISABLE', 'PERMISSIVE', 'STRICT'),
  },
]

/** Effects of fields of policies, gateways, meshes, certificates and operators. */
export const accessRows: readonly FieldRow[] = [
  ...gradedFields.flatMap(gradedRows),
  // Kyverno 1.15
  { of: /^policies\.kyverno\.io\/(?:Namespaced)?MutatingPolicy$/, paths: ['spec'], risk: 'rewrites', alsoNew: true },
  {
    of: /^(?:policies\.kyverno\.io\/(?:Namespaced)?Deleting|kyverno\.io\/(?:Cluster)?Cleanup)Policy$/,
    paths: ['spec'],
    risk: 'may-delete',
    text: 'what it deletes',
    alsoNew: true,
  },
  // Istio 1.27
  { of: PEERS, paths: ['spec.selector'], risk: 'lowers-guard' },
  {
    of: /^networking\.istio\.io\/VirtualService$/,
    paths: ['spec.http', 'spec.tls', 'spec.tcp'],
    risk: 'redirects',
  },
  {
    of: /^networking\.istio\.io\/VirtualService$/,
    paths: ['spec.hosts', 'spec.gateways'],
    risk: 'exposes',
    when: gainsItems,
  },
  { of: /^networking\.istio\.io\/Gateway$/, paths: ['spec.servers'], risk: 'exposes', when: gainsItems },
  {
    of: /^networking\.istio\.io\/DestinationRule$/,
    paths: [
      'spec.trafficPolicy.tls.mode',
      'spec.trafficPolicy.tls.subjectAltNames',
      'spec.trafficPolicy.tls.caCertificates',
    ],
    risk: 'lowers-guard',
    when: wasSet,
  },
  {
    of: /^networking\.istio\.io\/DestinationRule$/,
    paths: ['spec.trafficPolicy.tls.insecureSkipVerify'],
    risk: 'lowers-guard',
    when: becomesOn,
  },
  {
    of: /^networking\.istio\.io\/EnvoyFilter$/,
    paths: ['spec'],
    risk: 'rewrites',
    text: 'what Envoy does',
    alsoNew: true,
  },
  // Traefik 3
  {
    of: MIDDLEWARE,
    paths: ['spec.ipAllowList.sourceRange', 'spec.ipWhiteList.sourceRange'],
    risk: 'exposes',
    when: letsMore,
  },
  {
    of: MIDDLEWARE,
    paths: MIDDLEWARE_GUARDS.filter((field) => !field.startsWith('ip')).map((field) => `spec.${field}`),
    risk: 'lowers-guard',
    when: goes,
  },
  {
    of: MIDDLEWARE,
    paths: [
      'spec.ipAllowList.ipStrategy',
      'spec.ipWhiteList.ipStrategy',
      'spec.basicAuth.secret',
      'spec.digestAuth.secret',
    ],
    risk: 'lowers-guard',
  },
  {
    of: MIDDLEWARE,
    paths: ['spec.forwardAuth.trustForwardHeader', 'spec.forwardAuth.tls.insecureSkipVerify'],
    risk: 'lowers-guard',
    when: becomesOn,
  },
  { of: MIDDLEWARE, paths: ['spec.forwardAuth.address'], risk: 'redirects', when: wasSet },
  { of: TRAEFIK_ROUTE, paths: ['spec.entryPoints'], risk: 'exposes', when: letsMore },
  { of: TRAEFIK_ROUTE, paths: ['spec.tls'], risk: 'lowers-guard', when: goes },
  {
    of: TRAEFIK_ROUTE,
    paths: ['spec.routes'],
    risk: 'lowers-guard',
    when: inEach('middlewares', losesItems),
    text: 'middlewares of its routes',
  },
  {
    of: TRAEFIK_ROUTE,
    paths: ['spec.routes'],
    risk: 'redirects',
    when: inEach('services', differs),
    text: 'services of its routes',
  },
  {
    of: /^traefik\.(?:io|containo\.us)\/ServersTransport(?:TCP)?$/,
    paths: ['spec.insecureSkipVerify', 'spec.tls.insecureSkipVerify'],
    risk: 'lowers-guard',
    when: becomesOn,
  },
  // Gateway API 1.4
  { of: GATEWAY, paths: ['spec.gatewayClassName', 'spec.addresses'], risk: 'exposes', when: wasSet },
  { of: GATEWAY, paths: ['spec.listeners.*.port'], risk: 'exposes', when: comes },
  { of: GATEWAY, paths: ['spec.listeners.*.hostname'], risk: 'exposes', when: wasSet },
  { of: GATEWAY, paths: ['spec.listeners.*.port'], risk: 'cuts-traffic', when: wasSet },
  {
    of: GATEWAY,
    paths: ['spec.listeners.*.allowedRoutes.namespaces.from'],
    risk: 'widens-rights',
    when: (before, after) => reach(after) > reach(before),
  },
  {
    of: GATEWAY,
    paths: ['spec.listeners.*.allowedRoutes.namespaces.from'],
    risk: 'cuts-traffic',
    when: (before, after) => reach(after) < reach(before),
  },
  {
    of: GATEWAY,
    paths: ['spec.listeners.*.allowedRoutes.namespaces.selector'],
    risk: 'widens-rights',
    when: wasSet,
  },
  {
    of: GATEWAY,
    paths: ['spec.listeners.*.allowedRoutes.kinds'],
    risk: 'widens-rights',
    when: letsMore,
  },
  {
    of: GATEWAY,
    paths: ['spec.listeners.*.tls.mode', 'spec.listeners.*.tls.frontendValidation'],
    risk: 'lowers-guard',
    when: wasSet,
  },
  { of: ROUTE, paths: ['spec.hostnames'], risk: 'exposes', when: letsMore },
  { of: ROUTE, paths: ['spec.parentRefs'], risk: 'exposes', when: gainsItems },
  { of: ROUTE, paths: ['spec.parentRefs'], risk: 'cuts-traffic', when: losesItems },
  {
    of: ROUTE,
    paths: ['spec.rules'],
    risk: 'redirects',
    when: inEach('backendRefs', differs),
    text: 'backendRefs of its rules',
  },
  { of: GRANT, paths: ['spec.from', 'spec.to'], risk: 'widens-rights', when: gainsItems, alsoNew: true },
  // cert-manager 1.18
  {
    of: /^cert-manager\.io\/(?:Cluster)?Issuer$/,
    paths: ['spec'],
    risk: 'redirects',
    text: 'who signs, and how it is asked',
  },
  { of: CERTIFICATE, paths: ['spec.isCA'], risk: 'widens-rights', when: becomesOn, alsoNew: true },
  {
    of: CERTIFICATE,
    paths: ['spec.dnsNames', 'spec.ipAddresses', 'spec.uris', 'spec.usages', 'spec.otherNames', 'spec.emailAddresses'],
    risk: 'widens-rights',
    when: gainsItems,
  },
  { of: CERTIFICATE, paths: ['spec.issuerRef', 'spec.secretName'], risk: 'redirects' },
  {
    of: /^trust\.cert-manager\.io\/Bundle$/,
    paths: ['spec.sources'],
    risk: 'redirects',
    text: 'authorities that are trusted',
  },
  // CloudNativePG 1.27
  {
    of: POSTGRES,
    paths: ['metadata.annotations.*'],
    key: /^cnpg\.io\/(?:hibernation|fencedInstances)$/,
    risk: 'suspends',
    when: comes,
  },
  { of: POSTGRES, paths: ['spec.enableSuperuserAccess'], risk: 'widens-rights', when: becomesOn },
  { of: POSTGRES, paths: ['spec.postgresql.pg_hba', 'spec.managed.roles'], risk: 'widens-rights', when: gainsItems },
  { of: POSTGRES, paths: ['spec.backup', 'spec.plugins'], risk: 'lowers-guard', when: goes },
  // how many run
  {
    of: CUSTOM,
    paths: ['spec.replicas', 'spec.instances'],
    risk: 'scales-to-zero',
    when: (before, after) => before !== null && becomesZero(before, after),
  },
  { of: CUSTOM, paths: ['spec.replicas', 'spec.instances'], risk: 'changes-scale', when: isRescaled },
  { of: AUTOSCALER, paths: ['spec.minReplicas', 'spec.maxReplicas'], risk: 'changes-scale', when: isRescaled },
  { of: AUTOSCALER, paths: ['spec.scaleTargetRef'], risk: 'redirects', when: wasSet },
  {
    of: /^keda\.sh\/ScaledObject$/,
    paths: ['spec.minReplicaCount', 'spec.maxReplicaCount'],
    risk: 'changes-scale',
    when: isRescaled,
  },
  // defaults that the API server puts into what others write
  {
    of: /^scheduling\.k8s\.io\/PriorityClass$/,
    paths: ['globalDefault'],
    risk: 'rewrites',
    when: (before, after) => isOn(before) !== isOn(after),
    alsoNew: true,
  },
  {
    of: /^(?:storage\.k8s\.io\/StorageClass|networking\.k8s\.io\/IngressClass)$/,
    paths: ['metadata.annotations.*'],
    key: /^(?:storage|ingress)class\.kubernetes\.io\/is-default-class$/,
    risk: 'rewrites',
    when: (before, after) => isOn(before) !== isOn(after),
  },
]
