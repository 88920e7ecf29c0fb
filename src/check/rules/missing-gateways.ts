import { itemsAt, textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { missingTargets, type Reference } from '../references/missing-target.ts'
import { type Rule, unitRule } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'

const GATEWAYS = 'gateway.networking.k8s.io'

/** Classes of Ingresses and Gateways, and Gateways of routes, that nothing brings. */
export const missingGateways: Rule = unitRule(
  {
    code: 'GATEWAY_MISSING',
    severity: 'warning',
    explanation: [
      'An Ingress of a class that is not there is served by no controller, nor is a Gateway of such a class, or a route whose Gateway is not there: nothing refuses it, and nothing answers.',
      'Looked at are `ingressClassName`, `gatewayClassName` and the `parentRefs` of routes in workload clusters. The old annotation `kubernetes.io/ingress.class` is not: a controller may serve it without any class.',
      'An error where one of nearly that name or in another namespace shows a mistake; else a warning: a running program may make it.',
    ],
  },
  (unit) => missingTargets(unit, { referencesOf, isBuiltIn: () => false }),
)

const effect = 'no controller serves it'

function referencesOf(from: Manifest): readonly Reference[] {
  const { apiVersion, kind, object } = from
  const group = groupOf(apiVersion)
  const classIn = (field: string, target: { readonly group: string; readonly kind: string }): readonly Reference[] => [
    { from, path: ['spec', field], target: { ...target, name: textAt(object, 'spec', field) }, effect },
  ]
  if (group === 'networking.k8s.io' && kind === 'Ingress')
    return classIn('ingressClassName', { group: 'networking.k8s.io', kind: 'IngressClass' })
  if (group !== GATEWAYS) return []
  if (kind === 'Gateway') return classIn('gatewayClassName', { group: GATEWAYS, kind: 'GatewayClass' })
  if (!kind.endsWith('Route')) return []
  return itemsAt(object, 'spec', 'parentRefs').flatMap((parent, index) => {
    const isGateway =
      (textAt(parent, 'group') || GATEWAYS) === GATEWAYS && (textAt(parent, 'kind') || 'Gateway') === 'Gateway'
    const namespace = textAt(parent, 'namespace') || (from.namespace ?? '')
    const target = { group: GATEWAYS, kind: 'Gateway', namespace, name: textAt(parent, 'name') }
    return isGateway ? [{ from, path: ['spec', 'parentRefs', index, 'name'], target, effect }] : []
  })
}
