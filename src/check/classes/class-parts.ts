import { dictAt, fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { annotationKey, labelKey, labelValue } from '../../model/kubernetes-names.ts'
import { shownKey, shownKind } from '../../model/shown-name.ts'
import { workerLists } from '../../model/topology-variables.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'
import { below, type ClassProblem } from './class-problem.ts'

/**
 * Problems of the control plane and of the workers of a class that the webhook of Cluster API refuses (core
 * internal/webhooks/clusterclass.go): names, templates, health checks, labels.
 */
export function partProblems(clusterClass: Dict): readonly ClassProblem[] {
  const spec = dictAt(clusterClass, 'spec')
  if (spec === undefined) return []
  return below(
    ['spec'],
    [
      ...repeated(spec, ['variables'], { field: 'name', what: 'variables' }),
      ...repeated(spec, ['patches'], { field: 'name', what: 'patches' }),
      ...templateProblems(spec, ['infrastructure']),
      ...templateProblems(spec, ['controlPlane']),
      ...templateProblems(spec, ['controlPlane', 'machineInfrastructure']),
      ...metadataProblems(spec, ['controlPlane', 'metadata']),
      ...healthCheckProblems(spec, ['controlPlane']),
      ...orphanedHealthCheck(spec),
      ...workerLists.flatMap((list) => [
        ...repeated(spec, ['workers', list], { field: 'class', what: `classes of ${list}` }),
        ...itemsAt(spec, 'workers', list).flatMap((_, index) => workerProblems(spec, ['workers', list, index])),
      ]),
    ],
  )
}

function repeated(
  object: Dict,
  path: readonly PathStep[],
  { field, what }: { readonly field: string; readonly what: string },
): readonly ClassProblem[] {
  const seen = new Set<string>()
  return itemsAt(object, ...path).flatMap((item, index): readonly ClassProblem[] => {
    const name = textAt(item, field)
    if (name === '' || !seen.has(name)) {
      seen.add(name)
      return []
    }
    return [{ says: `two ${what} are called ${shownKey(name)}`, path: [...path, index, field] }]
  })
}

/** Both forms: v1beta1 has most of it below `template`. */
function workerProblems(spec: Dict, path: readonly PathStep[]): readonly ClassProblem[] {
  return [
    ...[[], ['template']].flatMap((form) => [
      ...templateProblems(spec, [...path, ...form, 'bootstrap']),
      ...templateProblems(spec, [...path, ...form, 'infrastructure']),
      ...metadataProblems(spec, [...path, ...form, 'metadata']),
    ]),
    ...healthCheckProblems(spec, path),
  ]
}

function templateProblems(spec: Dict, path: readonly PathStep[]): readonly ClassProblem[] {
  return ['ref', 'templateRef'].flatMap((form) => {
    const kind = textAt(spec, ...path, form, 'kind')
    if (kind === '' || /.Template$/.test(kind)) return []
    return [
      {
        says: `${shownKind(kind)} is no kind of templates`,
        path: [...path, form, 'kind'],
        hint: `Name the kind of the template: ${shownKind(`${kind}Template`)}.`,
      },
    ]
  })
}

function metadataProblems(spec: Dict, path: readonly PathStep[]): readonly ClassProblem[] {
  const entries = (field: string): readonly (readonly [string, Value])[] => [
    ...(dictAt(spec, ...path, field) ?? new Dict()),
  ]
  return [
    ...entries('labels').flatMap(([key, value]) => [
      ...(labelKey.allows(key)
        ? []
        : [{ says: `the label ${shownKey(key)} has to be ${labelKey.says}`, path: [...path, 'labels', key] }]),
      ...(typeof value !== 'string' || labelValue.allows(value)
        ? []
        : [
            {
              says: `the value of label ${shownKey(key)} has to be ${labelValue.says}`,
              path: [...path, 'labels', key],
            },
          ]),
    ]),
    ...entries('annotations').flatMap(([key]) =>
      annotationKey.allows(key)
        ? []
        : [
            {
              says: `the annotation ${shownKey(key)} has to be ${annotationKey.says}`,
              path: [...path, 'annotations', key],
            },
          ],
    ),
  ]
}

/** The health check at a place, by the field's name in v1beta1 and in v1beta2. */
const HEALTH_CHECKS = ['machineHealthCheck', 'healthCheck'] as const

/** Fields that are a number or a percentage. */
const SHARES = [['maxUnhealthy'], ['remediation', 'triggerIf', 'unhealthyLessThanOrEqualTo']] as const

function healthCheckProblems(spec: Dict, path: readonly PathStep[]): readonly ClassProblem[] {
  return HEALTH_CHECKS.flatMap((field) => {
    const check = dictAt(spec, ...path, field)
    if (check === undefined) return []
    const problems: ClassProblem[] = SHARES.flatMap((share) => {
      const value = fieldAt(check, ...share)
      return typeof value !== 'string' || /^[+-]?\d+%$/.test(value)
        ? []
        : [{ says: `${share.join('.')} of a health check has to be a number or a percentage such as 40%`, path: share }]
    })
    const seconds = fieldAt(check, 'checks', 'nodeStartupTimeoutSeconds')
    if (seconds instanceof GoInt && seconds.value > 0n && seconds.value < 30n)
      problems.push({
        says: 'a health check gives nodes less than 30 seconds to start',
        path: ['checks', 'nodeStartupTimeoutSeconds'],
      })
    return below([...path, field], problems)
  })
}

function orphanedHealthCheck(spec: Dict): readonly ClassProblem[] {
  if (dictAt(spec, 'controlPlane', 'machineInfrastructure') !== undefined) return []
  return HEALTH_CHECKS.flatMap((field) =>
    dictAt(spec, 'controlPlane', field) === undefined
      ? []
      : [
          {
            says: 'the control plane has a health check of machines, and no template of machines',
            path: ['controlPlane', field],
            hint: 'Add controlPlane.machineInfrastructure, or remove the health check.',
          },
        ],
  )
}
