import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import { labelKey } from '../../model/kubernetes-names.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownApiVersion, shownKey, shownKind } from '../../model/shown-name.ts'
import { workerLists } from '../../model/topology-variables.ts'
import type { Dict, Value } from '../../model/value.ts'
import type { ClassProblem } from './class-problem.ts'

const WORKER_FIELDS = { machineDeployments: 'machineDeploymentClass', machinePools: 'machinePoolClass' } as const

/** The parts of a class besides workers that a selector may name, and where their templates stand. */
const PARTS = [
  { field: 'infrastructureCluster', where: 'the infrastructure', templates: [['infrastructure']] },
  {
    field: 'controlPlane',
    where: 'the control plane',
    templates: [['controlPlane'], ['controlPlane', 'machineInfrastructure']],
  },
] as const

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
  return [
    ...PARTS.flatMap(({ field, where, templates }) =>
      isOn(field)
        ? missing(selector, templatesAt(spec, templates), { where, lack: 'where the class has none' }).map((says) => ({
            says,
            path: ['matchResources', field],
          }))
        : [],
    ),
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

/** A part of a class in words. */
interface PartWords {
  readonly where: string
  /** A clause for a part that has no such template. */
  readonly lack: string
}

/** Says that none of the templates of a part is of the kind, or that it is of another version; nothing if one is. */
function missing(selector: Dict, templates: readonly Dict[], { where, lack }: PartWords): readonly string[] {
  if (templates.some((template) => isOfKind(template, selector))) return []
  const kind = textAt(selector, 'kind')
  const alike = templates.find((template) => textAt(template, 'kind') === kind)
  if (alike === undefined) return [`selects ${shownKind(kind)} of ${where}, ${lack}`]
  const [wanted, has] = [selector, alike].map((one) => shownApiVersion(textAt(one, 'apiVersion')))
  return [`selects ${shownKind(kind)} of ${wanted ?? ''} for ${where}, where the class has that of ${has ?? ''}`]
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
  if (own.length > 0)
    return missing(selector, templates, { where: `the worker class ${shownKey(wanted)}`, lack: 'which has none' }).map(
      (says) => ({ says }),
    )
  const near = nearestName(
    wanted,
    workers.map((worker) => textAt(worker, 'class')),
  )
  return [
    {
      says: `selects the worker class ${shownKey(wanted)}, which the class does not have for ${list}`,
      hint: near === undefined ? undefined : `Did you mean ${near}?`,
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
