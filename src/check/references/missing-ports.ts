import { fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownName, shownObject } from '../../model/shown-name.ts'
import { GoInt } from '../../model/value.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import type { RuleFinding } from '../rule.ts'
import { isLate, type Reference } from './missing-target.ts'
import { indexOf, manifestsAt, workloadsOf } from './object-index.ts'

/** A reference to a Service, at one of its ports. */
export interface ServiceCall extends Reference {
  /** By number or name, also where none is written; absent: any. */
  readonly port?: { readonly is: bigint | string; readonly path: readonly PathStep[] } | undefined
}

/** Judges ports that Services of workload clusters do not have. What stays as it is committed is not judged. */
export function missingPorts(
  unit: CheckedUnit,
  callsOf: (manifest: Manifest) => readonly ServiceCall[],
): readonly RuleFinding[] {
  if (unit.isKept) return []
  return workloadsOf(unit).flatMap((destination) => {
    const index = indexOf(unit, destination)
    return manifestsAt(unit, destination)
      .flatMap(callsOf)
      .flatMap(({ from, target, port }): readonly RuleFinding[] => {
        const service = target.kind === 'Service' ? index.find(target)?.manifest : undefined
        if (service === undefined || port === undefined || isLate(from, port.path)) return []
        const entries = itemsAt(service.object, 'spec', 'ports').flatMap((entry) => {
          const number = fieldAt(entry, 'port')
          return number instanceof GoInt ? [{ number: number.value, name: textAt(entry, 'name') }] : []
        })
        // without any port it is an alias for a name outside of the cluster, or filled in later
        if (entries.length === 0 || entries.some(({ number, name }) => port.is === number || port.is === name))
          return []
        const wanted = typeof port.is === 'string' ? shownName(port.is) : String(port.is)
        const there = entries.map(({ number, name }) =>
          name === '' ? String(number) : `${String(number)} (${shownName(name)})`,
        )
        return [
          {
            severity: 'error',
            message: `${shownObject({ ...from, namespace: from.namespace })} calls port ${wanted} of ${shownObject({ ...target, namespace: target.namespace })}, which has no such port`,
            ...placeIn(from, ...port.path),
            hint: `Its ports are: ${there.join(', ')}.`,
          },
        ]
      })
  })
}
