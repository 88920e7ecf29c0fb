import { dictAt, fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import { GoInt } from '../../model/value.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import { isLate, missingTargets, type Reference } from '../references/missing-target.ts'
import { indexOf, manifestsAt, workloadsOf } from '../references/object-index.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'

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
  (unit) => [...missingTargets(unit, { referencesOf: callsOf, isBuiltIn: () => false }), ...missingPorts(unit)],
)

interface Call extends Reference {
  /** Of the port, also where it says none. */
  readonly port: { readonly number: bigint; readonly path: readonly PathStep[] }
}

const WEBHOOKS = 'webhooks'

function callsOf(from: Manifest): readonly Call[] {
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

function callAt(from: Manifest, path: readonly PathStep[], effect: string): readonly Call[] {
  const service = dictAt(from.object, ...path)
  if (service === undefined) return []
  const port = fieldAt(service, 'port')
  return [
    {
      from,
      path: [...path, 'name'],
      target: { group: '', kind: 'Service', namespace: textAt(service, 'namespace'), name: textAt(service, 'name') },
      effect,
      port: { number: port instanceof GoInt ? port.value : 443n, path: [...path, 'port'] },
    },
  ]
}

function missingPorts(unit: CheckedUnit): readonly RuleFinding[] {
  if (unit.isKept) return []
  return workloadsOf(unit).flatMap((destination) => {
    const index = indexOf(unit, destination)
    return manifestsAt(unit, destination)
      .flatMap(callsOf)
      .flatMap(({ from, target, port }): readonly RuleFinding[] => {
        const service = index.find(target)?.manifest
        if (service === undefined || isLate(from, port.path)) return []
        const there = itemsAt(service.object, 'spec', 'ports').flatMap((entry) => {
          const number = fieldAt(entry, 'port')
          return number instanceof GoInt ? [number.value] : []
        })
        // without any port it is an alias for a name outside of the cluster, or filled in later
        if (there.length === 0 || there.includes(port.number)) return []
        const shown = shownObject({ ...target, namespace: target.namespace })
        return [
          {
            severity: 'error',
            message: `${shownObject({ ...from, namespace: from.namespace })} calls port ${String(port.number)} of ${shown}, which has no such port`,
            ...placeIn(from, ...port.path),
            hint: `Its ports are: ${there.map(String).join(', ')}.`,
          },
        ]
      })
  })
}
