import { expect, test } from 'vitest'
import { compareTexts } from './compare-texts.ts'

const path = 'clusters/team-a/web/addons/01-some/x.yaml'

const CLUSTER_POLICY = 'kyverno.io/v1 ClusterPolicy'
const VALIDATING = 'policies.kyverno.io/v1alpha1 ValidatingPolicy'
const PEERS = 'security.istio.io/v1 PeerAuthentication'
const AUTHORIZATION = 'security.istio.io/v1 AuthorizationPolicy'
const MIDDLEWARE = 'traefik.io/v1alpha1 Middleware'
const TRAEFIK_ROUTE = 'traefik.io/v1alpha1 IngressRoute'
const GATEWAY = 'gateway.networking.k8s.io/v1 Gateway'
const ROUTE = 'gateway.networking.k8s.io/v1 HTTPRoute'
const CERTIFICATE = 'cert-manager.io/v1 Certificate'
const POSTGRES = 'postgresql.cnpg.io/v1 Cluster'
const SCALER = 'autoscaling/v2 HorizontalPodAutoscaler'
const NETWORK = 'networking.k8s.io/v1 NetworkPolicy'
const CILIUM = 'cilium.io/v2 CiliumNetworkPolicy'
const CALICO = 'crd.projectcalico.org/v1 GlobalNetworkPolicy'
const HOOK = 'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration'
const MUTATING = 'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration'

const labels = (text: string): string => `metadata: {name: x, labels: {${text}}}`
const annotations = (text: string): string => `metadata: {name: x, annotations: {${text}}}`
const listener = (text: string): string => `spec: {listeners: [{name: web, port: 80${text}}]}`
const from = (word: string): string => listener(`, allowedRoutes: {namespaces: {from: ${word}}}`)
const hook = (text: string): string => `webhooks: [{name: a, ${text}}]`

/** '-': the object is not there. */
type Row = readonly [kind: string, before: string, after: string, ...want: readonly string[]]

/** What is said of a change; nothing of a near miss. */
const rows: readonly Row[] = [
  // policies
  [
    CLUSTER_POLICY,
    'spec: {validationFailureAction: Enforce}',
    'spec: {validationFailureAction: Audit}',
    'lowers-guard: validationFailureAction Enforce -> Audit',
  ],
  [
    CLUSTER_POLICY,
    'spec: {validationFailureAction: audit}',
    'spec: {validationFailureAction: Enforce}',
    'refuses-more: validationFailureAction',
  ],
  [
    CLUSTER_POLICY,
    'spec: {rules: [{name: a, validate: {failureAction: Enforce}}]}',
    'spec: {rules: [{name: a, validate: {failureAction: Audit}}]}',
    'lowers-guard: rules.a.validate.failureAction Enforce -> Audit',
  ],
  [CLUSTER_POLICY, 'spec: {rules: [{name: a, b: c}]}', 'spec: {rules: [{name: a, b: d}]}', 'lowers-guard: spec.rules'],
  [CLUSTER_POLICY, annotations('a: b'), annotations('a: c')],
  [
    VALIDATING,
    'spec: {validationActions: [Deny]}',
    'spec: {validationActions: [Audit]}',
    'lowers-guard: validationActions Deny -> Audit',
  ],
  [
    VALIDATING,
    'spec: {validationActions: [Audit]}',
    'spec: {validationActions: [Deny]}',
    'refuses-more: validationActions Audit -> Deny',
  ],
  [VALIDATING, 'spec: {validations: [{expression: a}]}', 'spec: {validations: []}', 'lowers-guard: spec.validations'],
  [VALIDATING, 'spec: {validations: []}', '-', 'lowers-guard: gone'],
  ['policies.kyverno.io/v1alpha1 DeletingPolicy', '-', 'spec: {a: b}', 'may-delete: what it deletes new'],
  [
    'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding',
    'spec: {validationActions: [Audit]}',
    'spec: {validationActions: [Deny, Audit]}',
    'refuses-more: validationActions Audit -> Deny+Audit',
  ],
  [
    'constraints.gatekeeper.sh/v1beta1 Labels',
    'spec: {a: b}',
    'spec: {a: b, enforcementAction: dryrun}',
    'lowers-guard: enforcementAction new',
  ],
  [
    'v1 Namespace',
    labels('pod-security.kubernetes.io/enforce: baseline'),
    labels('pod-security.kubernetes.io/enforce: restricted'),
    'refuses-more: pod security enforce baseline -> restricted',
  ],
  // webhooks
  [
    HOOK,
    hook('clientConfig: {caBundle: eA==}'),
    hook('clientConfig: {caBundle: eQ==}'),
    'redirects: webhook a: caBundle',
  ],
  [
    HOOK,
    hook('failurePolicy: Ignore'),
    hook('failurePolicy: Fail'),
    'refuses-more: webhook a: failurePolicy Ignore -> Fail',
  ],
  [
    HOOK,
    hook('namespaceSelector: {}'),
    hook('namespaceSelector: {matchLabels: {a: b}}'),
    'lowers-guard: webhook a: namespaceSelector',
  ],
  [HOOK, '-', hook('failurePolicy: Fail'), 'refuses-more: webhook a new'],
  [HOOK, '-', hook('failurePolicy: Ignore')],
  [MUTATING, '-', hook('failurePolicy: Ignore'), 'rewrites: webhook a new'],
  [
    'apiextensions.k8s.io/v1 CustomResourceDefinition',
    'spec: {conversion: {webhook: {clientConfig: {caBundle: eA==}}}}',
    'spec: {conversion: {webhook: {clientConfig: {caBundle: eQ==}}}}',
    'redirects: conversion webhook: caBundle',
  ],
  // Istio
  [
    PEERS,
    'spec: {mtls: {mode: STRICT}}',
    'spec: {mtls: {mode: PERMISSIVE}}',
    'lowers-guard: mtls.mode STRICT -> PERMISSIVE',
  ],
  [
    PEERS,
    'spec: {mtls: {mode: STRICT}}',
    'spec: {mtls: {mode: STRICT}, portLevelMtls: {"8080": {mode: DISABLE}}}',
    'lowers-guard: portLevelMtls.8080.mode unset -> DISABLE',
  ],
  [
    PEERS,
    'spec: {mtls: {mode: PERMISSIVE}}',
    'spec: {mtls: {mode: STRICT}}',
    'refuses-more: mtls.mode PERMISSIVE -> STRICT',
  ],
  [PEERS, 'spec: {mtls: {mode: STRICT}}', '-', 'lowers-guard: gone'],
  [PEERS, 'spec: {mtls: {mode: DISABLE}}', '-'],
  [
    AUTHORIZATION,
    'spec: {rules: [{from: a}]}',
    'spec: {rules: [{}]}',
    'lowers-guard: allows more requests',
    'cuts-traffic: allows less requests',
  ],
  [
    AUTHORIZATION,
    'spec: {action: DENY, rules: [{a: b}]}',
    'spec: {action: DENY, rules: []}',
    'lowers-guard: allows more requests',
  ],
  [
    AUTHORIZATION,
    'spec: {action: DENY, rules: []}',
    'spec: {action: DENY, rules: [{a: b}]}',
    'cuts-traffic: allows less requests',
  ],
  [AUTHORIZATION, '-', 'spec: {}', 'cuts-traffic: requests limited'],
  [AUTHORIZATION, 'spec: {}', '-', 'lowers-guard: gone'],
  ['networking.istio.io/v1 VirtualService', 'spec: {http: [{a: b}]}', 'spec: {http: [{a: c}]}', 'redirects: http'],
  [
    'networking.istio.io/v1 DestinationRule',
    'spec: {trafficPolicy: {tls: {mode: MUTUAL}}}',
    'spec: {trafficPolicy: {tls: {mode: DISABLE}}}',
    'lowers-guard: trafficPolicy.tls.mode MUTUAL -> DISABLE',
  ],
  // Traefik
  [
    MIDDLEWARE,
    'spec: {ipAllowList: {sourceRange: [10.0.0.0/8]}}',
    'spec: {ipAllowList: {sourceRange: [10.0.0.0/8, 0.0.0.0/0]}}',
    'exposes: ipAllowList.sourceRange',
  ],
  [MIDDLEWARE, 'spec: {ipAllowList: {sourceRange: [a, b]}}', 'spec: {ipAllowList: {sourceRange: [a]}}'],
  [MIDDLEWARE, 'spec: {ipAllowList: {sourceRange: [a]}}', '-', 'lowers-guard: gone'],
  [MIDDLEWARE, 'spec: {headers: {a: b}}', '-'],
  [
    MIDDLEWARE,
    'spec: {basicAuth: {secret: a}}',
    'spec: {headers: {a: b}}',
    'lowers-guard: basicAuth gone',
    'lowers-guard: basicAuth.secret gone',
  ],
  [
    TRAEFIK_ROUTE,
    'spec: {routes: [{match: a, middlewares: [{name: auth}], services: [{name: a}]}]}',
    'spec: {routes: [{match: a, services: [{name: b}]}]}',
    'lowers-guard: middlewares of its routes',
    'redirects: services of its routes',
  ],
  [
    TRAEFIK_ROUTE,
    'spec: {routes: [{match: a, services: [{name: a}]}]}',
    'spec: {routes: [{match: b, services: [{name: a}]}]}',
  ],
  // Gateway API
  [GATEWAY, from('Same'), from('All'), 'widens-rights: listeners.web.allowedRoutes.namespaces.from Same -> All'],
  [GATEWAY, listener(''), from('Same')],
  [GATEWAY, from('All'), from('Same'), 'cuts-traffic: listeners.web.allowedRoutes.namespaces.from All -> Same'],
  [GATEWAY, 'spec: {listeners: []}', listener(''), 'exposes: listeners.web.port unset -> 80'],
  [GATEWAY, listener(', hostname: a.io'), listener(''), 'exposes: listeners.web.hostname gone'],
  [
    ROUTE,
    'spec: {rules: [{backendRefs: [{name: a}]}]}',
    'spec: {rules: [{backendRefs: [{name: b}]}]}',
    'redirects: backendRefs of its rules',
  ],
  [ROUTE, 'spec: {rules: [{backendRefs: [{name: a}]}]}', 'spec: {rules: [{matches: [{}], backendRefs: [{name: a}]}]}'],
  [ROUTE, 'spec: {hostnames: [a.io]}', 'spec: {hostnames: []}', 'exposes: hostnames'],
  ['gateway.networking.k8s.io/v1beta1 ReferenceGrant', '-', 'spec: {from: [{a: b}]}', 'widens-rights: from new'],
  // certificates
  [
    'cert-manager.io/v1 ClusterIssuer',
    'spec: {ca: {secretName: a}}',
    'spec: {ca: {secretName: b}}',
    'redirects: who signs, and how it is asked',
  ],
  [CERTIFICATE, '', 'spec: {isCA: true}', 'widens-rights: isCA unset -> true'],
  [CERTIFICATE, '-', 'spec: {isCA: true}', 'widens-rights: isCA unset -> true'],
  [CERTIFICATE, 'spec: {isCA: true}', 'spec: {isCA: false}'],
  [CERTIFICATE, 'spec: {dnsNames: [a]}', 'spec: {dnsNames: [a, b]}', 'widens-rights: dnsNames'],
  [CERTIFICATE, 'spec: {dnsNames: [a, b]}', 'spec: {dnsNames: [b]}'],
  // what operators run
  [POSTGRES, 'spec: {instances: 3}', 'spec: {instances: 0}', 'scales-to-zero: instances 3 -> 0'],
  [POSTGRES, 'spec: {instances: 3}', 'spec: {instances: 1}', 'changes-scale: instances 3 -> 1'],
  [POSTGRES, '', annotations('cnpg.io/hibernation: "on"'), 'suspends: cnpg.io/hibernation new'],
  [POSTGRES, 'spec: {backup: {a: b}}', 'spec: {}', 'lowers-guard: backup gone'],
  [POSTGRES, '', 'spec: {instances: 3}'],
  [
    'monitoring.coreos.com/v1 Prometheus',
    'spec: {replicas: 2}',
    'spec: {replicas: 0}',
    'scales-to-zero: replicas 2 -> 0',
  ],
  [SCALER, 'spec: {maxReplicas: 10}', 'spec: {maxReplicas: 1}', 'changes-scale: maxReplicas 10 -> 1'],
  [SCALER, 'spec: {minReplicas: 2}', 'spec: {minReplicas: 1}', 'changes-scale: minReplicas 2 -> 1'],
  [SCALER, 'spec: {metrics: [a]}', 'spec: {metrics: [b]}'],
  // defaults
  [
    'scheduling.k8s.io/v1 PriorityClass',
    'value: 1',
    'value: 1, globalDefault: true',
    'rewrites: globalDefault unset -> true',
  ],
  ['scheduling.k8s.io/v1 PriorityClass', '-', 'globalDefault: true', 'rewrites: globalDefault unset -> true'],
  ['scheduling.k8s.io/v1 PriorityClass', '-', 'globalDefault: false'],
  [
    'storage.k8s.io/v1 StorageClass',
    '',
    annotations('storageclass.kubernetes.io/is-default-class: "true"'),
    'rewrites: storageclass.kubernetes.io/is-default-class new',
  ],
  // networks
  [NETWORK, '-', 'spec: {podSelector: {}}', 'cuts-traffic: ingress limited'],
  [
    NETWORK,
    'spec: {ingress: [{from: [a]}]}',
    'spec: {ingress: [{}]}',
    'lowers-guard: allows more ingress',
    'cuts-traffic: allows less ingress',
  ],
  [CILIUM, 'spec: {ingress: [{a: b}]}', 'spec: {ingress: [{a: b}, {c: d}]}', 'lowers-guard: allows more ingress'],
  [CILIUM, 'spec: {ingress: [{a: b}, {c: d}]}', 'spec: {ingress: [{c: d}]}', 'cuts-traffic: allows less ingress'],
  [
    CILIUM,
    'spec: {ingressDeny: [{a: b}], ingress: [{}]}',
    'spec: {ingress: [{}]}',
    'lowers-guard: allows more ingress',
  ],
  [CILIUM, 'spec: {egress: [{a: b}]}', 'spec: {}', 'lowers-guard: egress no longer limited'],
  [
    CILIUM,
    'spec: {ingress: [{}]}',
    'spec: {ingress: [{}], enableDefaultDeny: {ingress: false}}',
    'lowers-guard: ingress no longer limited',
  ],
  [CILIUM, 'spec: {description: a, ingress: [{}]}', 'spec: {description: b, ingress: [{}]}'],
  [
    CILIUM,
    'spec: {endpointSelector: {a: b}, ingress: [{}]}',
    'spec: {endpointSelector: {a: c}, ingress: [{}]}',
    'lowers-guard: selects other pods',
  ],
  [
    CALICO,
    'spec: {types: [Ingress], ingress: [{action: Deny}]}',
    'spec: {types: [Ingress], ingress: [{action: Allow}]}',
    'lowers-guard: allows more ingress',
  ],
]

test.each(rows)('%s: %s becomes %s', (of, before, after, ...want) => {
  const [apiVersion = '', kind = ''] = of.split(' ')
  const treeOf = (text: string): Record<string, string> => {
    if (text === '-') return {}
    const rest = text.startsWith('metadata: ') ? text : ['metadata: {name: x}', text].filter(Boolean).join(', ')
    return { [path]: `{apiVersion: ${apiVersion}, kind: ${kind}, ${rest}}` }
  }
  const [change, ...more] = compareTexts(treeOf(before), treeOf(after)).changes
  expect(more).toEqual([])
  expect((change?.reasons ?? []).map(({ risk, text }) => `${risk}: ${text}`)).toEqual(want)
  for (const { risk } of change?.reasons ?? []) expect(change?.risks).toContain(risk)
})

test('volumes of a database go with it', () => {
  const object = '{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {name: x}}'
  expect(compareTexts({ [path]: object }, {}).changes.map(({ undo }) => undo)).toEqual([['content-is-gone']])
})
