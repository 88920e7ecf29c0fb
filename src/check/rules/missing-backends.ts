import { fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { GoInt, type Value } from '../../model/value.ts'
import { missingPorts, type ServiceCall } from '../references/missing-ports.ts'
import { missingTargets } from '../references/missing-target.ts'
import { type Rule, unitRule } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'

/** Services behind an Ingress or a route that nothing brings, and ports that they do not have. */
export const missingBackends: Rule = unitRule(
  {
    code: 'BACKEND_MISSING',
    severity: 'warning',
    explanation: [
      'An Ingress or a route whose Service is not there, or lacks the port, is taken by the API server; whoever asks for its address gets an error 5xx.',
      'Looked at are the backends of Ingresses, and those of routes of the Gateway API that are Services, also mirrors, in workload clusters.',
      'An error where a Service of the tree lacks the port, or one of nearly that name or in another namespace shows a mistake; else a warning: a running program may make it.',
    ],
  },
  (unit) => [
    ...missingTargets(unit, { referencesOf: backendsOf, isBuiltIn: () => false }),
    ...missingPorts(unit, backendsOf),
  ],
)

const routes: ReadonlySet<string> = new Set(['HTTPRoute', 'GRPCRoute', 'TCPRoute', 'TLSRoute', 'UDPRoute'])

function backendsOf(from: Manifest): readonly ServiceCall[] {
  const { apiVersion, kind } = from
  const group = groupOf(apiVersion)
  if (group === 'networking.k8s.io' && kind === 'Ingress') return ingressBackends(from)
  return group === 'gateway.networking.k8s.io' && routes.has(kind) ? routeBackends(from) : []
}

function ingressBackends(from: Manifest): readonly ServiceCall[] {
  const paths = itemsAt(from.object, 'spec', 'rules').flatMap((rule, index) =>
    itemsAt(rule, 'http', 'paths').map((_, at) => ['spec', 'rules', index, 'http', 'paths', at, 'backend']),
  )
  return [['spec', 'defaultBackend'], ...paths].flatMap((path): readonly ServiceCall[] => {
    const service = [...path, 'service']
    const name = textAt(from.object, ...service, 'name')
    const port = ['name', 'number'].flatMap((field): readonly Required<ServiceCall>['port'][] => {
      const place = [...service, 'port', field]
      const is = portOf(fieldAt(from.object, ...place))
      return is === undefined ? [] : [{ is, path: place }]
    })[0]
    return [callOf(from, { path: service, name, namespace: from.namespace ?? '', port })]
  })
}

function routeBackends(from: Manifest): readonly ServiceCall[] {
  return itemsAt(from.object, 'spec', 'rules').flatMap((rule, index) => {
    const path = ['spec', 'rules', index]
    return [
      ...itemsAt(rule, 'backendRefs').map((_, at) => [...path, 'backendRefs', at]),
      ...itemsAt(rule, 'filters').map((_, at) => [...path, 'filters', at, 'requestMirror', 'backendRef']),
    ].flatMap((place) => routeBackend(from, place))
  })
}

function routeBackend(from: Manifest, path: readonly PathStep[]): readonly ServiceCall[] {
  const reference = fieldAt(from.object, ...path)
  if (reference === undefined) return []
  const [group, kind] = [textAt(reference, 'group'), textAt(reference, 'kind')]
  if (group !== '' || (kind !== '' && kind !== 'Service')) return []
  const is = portOf(fieldAt(reference, 'port'))
  const namespace = textAt(reference, 'namespace') || (from.namespace ?? '')
  return [
    callOf(from, {
      path,
      name: textAt(reference, 'name'),
      namespace,
      port: is === undefined ? undefined : { is, path: [...path, 'port'] },
    }),
  ]
}

function callOf(
  from: Manifest,
  {
    path,
    name,
    namespace,
    port,
  }: { readonly path: readonly PathStep[]; readonly name: string; readonly namespace: string } & Pick<
    ServiceCall,
    'port'
  >,
): ServiceCall {
  return {
    from,
    path: [...path, 'name'],
    target: { group: '', kind: 'Service', namespace, name },
    effect: 'requests for it fail',
    port,
  }
}

function portOf(port: Value | undefined): bigint | string | undefined {
  if (port instanceof GoInt) return port.value
  return typeof port === 'string' && port !== '' ? port : undefined
}
