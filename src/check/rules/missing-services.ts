import { dictAt, fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { GoInt } from '../../model/value.ts'
import { missingPorts, type ServiceCall } from '../references/missing-ports.ts'
import { missingTargets } from '../references/missing-target.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import { type Rule, unitRule } from '../rule.ts'

/** Services that the API server itself calls and nothing brings, and ports that they do not have. */
export const missingServices: Rule = unitRule(
  {
    code: 'SERVICE_MISSING',
    severity: 'warning',
    explanation: [
      'Webhooks, aggregated APIs and conversions are calls of the API server to a Service. Where the Service is not there, a webhook refuses every object that it is about (unless its `failurePolicy` is Ignore), and an aggregated API stops the deletion of namespaces.',
      'Looked at are webhook configurations, APIServices and the conversion of CustomResourceDefinitions in workload clusters, and for Services of the tree the port, too.',
      'An error where a Service of the tree lacks the port, or of nearly that name or in another namespace shows a mistake; else a warning: a running program may make it.',
    ],
  },
  (unit) => [
    ...missingTargets(unit, { referencesOf: callsOf, isBuiltIn: () => false }),
    ...missingPorts(unit, callsOf),
  ],
)

const WEBHOOKS = 'webhooks'

function callsOf(from: Manifest): readonly ServiceCall[] {
  const { apiVersion, kind } = from
  const group = groupOf(apiVersion)
  if (group === 'admissionregistration.k8s.io' && kind.endsWith('WebhookConfiguration'))
    return itemsAt(from.object, WEBHOOKS).flatMap((webhook, index) =>
      callAt(
        from,
        [WEBHOOKS, index, 'clientConfig', 'service'],
        textAt(webhook, 'failurePolicy') === 'Ignore'
          ? 'it is never asked'
          : 'the API server refuses what it is about before it answers',
      ),
    )
  if (group === 'apiregistration.k8s.io' && kind === 'APIService')
    return callAt(from, ['spec', 'service'], 'its API does not answer')
  if (group === 'apiextensions.k8s.io' && kind === 'CustomResourceDefinition')
    return callAt(from, ['spec', 'conversion', 'webhook', 'clientConfig', 'service'], 'its versions are not converted')
  return []
}

function callAt(from: Manifest, path: readonly PathStep[], effect: string): readonly ServiceCall[] {
  const service = dictAt(from.object, ...path)
  if (service === undefined) return []
  const port = fieldAt(service, 'port')
  return [
    {
      from,
      path: [...path, 'name'],
      target: { group: '', kind: 'Service', namespace: textAt(service, 'namespace'), name: textAt(service, 'name') },
      effect,
      port: { is: port instanceof GoInt ? port.value : 443n, path: [...path, 'port'] },
    },
  ]
}
