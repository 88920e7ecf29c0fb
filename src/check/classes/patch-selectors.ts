import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import { labelKey } from '../../model/kubernetes-names.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownApiVersion, shownKey, shownKind } from '../../model/shown-name.ts'
import { workerLists } from '../../model/topology-variables.ts'
import type { Dict, Value } from '../../model/value.ts'
import type { ClassProblem } from './class-problem.ts'

const WORKER_FIELDS = { machineDeployments: 'machineDeploymentClass', machinePools: 'machinePoolClass' } as const

/**
 * Problems of the selector of a patch that the webhook of Cluster API refuses (`validateSelectors`): each place that is
 * selected has to have a template of that apiVersion and kind.
 */
export function selectorProblems(clusterClass: Dict, selector: Dict): readonly ClassProblem[] {
  const spec = dictAt(clusterClass, 'spec')
  const isOn = (field: string): boolean => fieldAt(selector, 'matchResources', field) === true
  const lists = workerLists.map((list) => ({
    list,
    names: itemsAt(selector, 'matchResources', WORKER_FIELDS[list], 'names'),
  }))
  if (!isOn('infrastructureCluster') && !isOn('controlPlane') && lists.every(({ names }) => names.length === 0))
    return [
      {
        says: 'selects nothing',
        path: ['matchResources'],
        hint: 'Say where the template is used: infrastructureCluster, controlPlane, machineDeploymentClass or machinePoolClass.',
      },
    ]
  const of = templatesAt(spec, [['infrastructure']])
  const controlPlane = templatesAt(spec, [['controlPlane'], ['controlPlane', 'machineInfrastructure']])
  return [
    ...(isOn('infrastructureCluster') && !of.some((template) => isOfKind(template, selector))
      ? [{ says: missing(selector, of, 'the infrastructure'), path: ['matchResources', 'infrastructureCluster'] }]
      : []),
    ...(isOn('controlPlane') && !controlPlane.some((template) => isOfKind(template, selector))
      ? [{ says: missing(selector, controlPlane, 'the control plane'), path: ['matchResources', 'controlPlane'] }]
      : []),
    ...lists.flatMap(({ list, names }) =>
      names.flatMap((name, index) =>
        typeof name === 'string'
          ? workerProblems(name, {
              list,
              selector,
              workers: itemsAt(clusterClass, 'spec', 'workers', list),
            }).map((problem) => ({ ...problem, path: ['matchResources', WORKER_FIELDS[list], 'names', index] }))
          : [],
      ),
    ),
  ]
}

/** The references to templates at some places, in the forms of v1beta1 and of v1beta2. */
function templatesAt(value: Value | undefined, places: readonly (readonly string[])[]): readonly Dict[] {
  if (value === undefined) return []
  return places.flatMap((place) =>
    ['ref', 'templateRef'].flatMap((form) => {
      const reference = dictAt(value, ...place, form)
      return reference === undefined ? [] : [reference]
    }),
  )
}

function isOfKind(template: Dict, selector: Dict): boolean {
  return ['apiVersion', 'kind'].every((field) => textAt(template, field) === textAt(selector, field))
}

/** Says that none of the templates somewhere is of the kind, or that it is of another version. */
function missing(selector: Dict, templates: readonly Dict[], where: string): string {
  const kind = textAt(selector, 'kind')
  const alike = templates.find((template) => textAt(template, 'kind') === kind)
  const version = shownApiVersion(textAt(selector, 'apiVersion'))
  return alike === undefined
    ? `selects ${shownKind(kind)} of ${where}, where the class has none`
    : `selects ${shownKind(kind)} of ${version} for ${where}, where the class has that of ${shownApiVersion(textAt(alike, 'apiVersion'))}`
}

interface Workers {
  readonly list: (typeof workerLists)[number]
  readonly selector: Dict
  readonly workers: readonly Value[]
}

function workerProblems(
  wanted: string,
  { list, selector, workers }: Workers,
): readonly Pick<ClassProblem, 'says' | 'hint'>[] {
  if (wanted.includes('*') && !isPattern(wanted))
    return [
      {
        says: `selects workers by the name ${shownKey(wanted)}, which is no pattern of names`,
        hint: 'Write one star, at the beginning or at the end.',
      },
    ]
  const own = workers.filter((worker) => matches(textAt(worker, 'class'), wanted))
  const templates = own.flatMap((worker) =>
    templatesAt(worker, [['template', 'infrastructure'], ['template', 'bootstrap'], ['infrastructure'], ['bootstrap']]),
  )
  if (templates.some((template) => isOfKind(template, selector))) return []
  if (own.length > 0) {
    const says = missing(selector, templates, `the worker class ${shownKey(wanted)}`)
    return [{ says: says.replace(/, where the class has none$/, ', which has none') }]
  }
  const near = nearestName(
    wanted,
    workers.map((worker) => textAt(worker, 'class')),
  )
  return [
    {
      says: `selects the worker class ${shownKey(wanted)}, which the class does not have for ${list}`,
      ...(near !== undefined && { hint: `Did you mean ${near}?` }),
    },
  ]
}

/** One star, at an end. */
function isPattern(wanted: string): boolean {
  return /^\*[^*]*$|^[^*]*\*$/.test(wanted) && labelKey.allows(wanted.replace('*', 'a'))
}

/** A star stands for whatever begins or ends a name. */
function matches(name: string, wanted: string): boolean {
  if (wanted.startsWith('*')) return name.endsWith(wanted.slice(1))
  return wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted
}
