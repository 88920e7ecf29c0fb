import { dictAt, fieldAt, textAt } from '../../model/field.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownKey } from '../../model/shown-name.ts'
import type { Value } from '../../model/value.ts'
import type { ClassProblem } from './class-problem.ts'

const OPERATIONS: ReadonlySet<string> = new Set(['add', 'replace', 'remove'])

/** Fields of the variables of a cluster's control plane and workers. */
const MACHINES = 'name replicas version metadata.labels metadata.annotations'
const WORKERS = `${MACHINES} class topologyName bootstrap.configRef.name infrastructureRef.name`

/** The variables that Cluster API 1.13 has besides those of a class (core internal/webhooks/patch_validation.go). */
const BUILT_IN: ReadonlySet<string> = new Set(
  Object.entries({
    cluster: `name namespace uid metadata.labels metadata.annotations topology topology.classRef.name
      topology.classRef.namespace topology.class topology.classNamespace topology.version network network.serviceDomain
      network.services network.pods`,
    controlPlane: `${MACHINES} machineTemplate.infrastructureRef.name`,
    machineDeployment: WORKERS,
    machinePool: WORKERS,
  }).flatMap(([of, fields]) => [`builtin.${of}`, ...fields.split(/\s+/).map((field) => `builtin.${of}.${field}`)]),
)

/** What is wrong with a Go template of a class; undefined for one that can be parsed. */
export type TemplateProblem = (template: string) => string | undefined

/**
 * Problems of an entry of `jsonPatches` that the webhook of Cluster API refuses (`validateJSONPatches`).
 * @param variables of the class
 */
export function operationProblems(
  entry: Value,
  variables: readonly string[],
  templateProblem: TemplateProblem,
): readonly ClassProblem[] {
  const [operation, path] = [textAt(entry, 'op'), textAt(entry, 'path')]
  const problems: ClassProblem[] = []
  if (!OPERATIONS.has(operation))
    problems.push({
      says: `has the operation ${shownKey(operation)}`,
      path: ['op'],
      hint: 'Write add, replace or remove.',
    })
  if (path !== '/spec' && !path.startsWith('/spec/'))
    problems.push({ says: 'changes something outside of spec', path: ['path'], hint: 'Begin the path with /spec/.' })
  problems.push(...indexProblems(operation, path))
  if (operation === 'add' || operation === 'replace') problems.push(...valueProblems(entry, variables, templateProblem))
  return problems
}

/** Items of lists can only be added, as the first or the last: others may change their places. */
function indexProblems(operation: string, path: string): readonly ClassProblem[] {
  const index = path.split('/').find((part) => /^[-+]?\d+$/.test(part))
  if (index === undefined || (operation === 'add' && Number(index) === 0)) return []
  if (operation === 'add')
    return [
      {
        says: `adds an item as number ${index} of a list`,
        path: ['path'],
        hint: 'End the path with 0, for the first, or with -, for the last.',
      },
    ]
  if (operation !== 'replace' && operation !== 'remove') return []
  const does = operation === 'replace' ? 'replaces' : 'removes'
  return [{ says: `${does} item ${index} of a list`, path: ['path'], hint: 'Replace the whole list.' }]
}

function valueProblems(
  entry: Value,
  variables: readonly string[],
  templateProblem: TemplateProblem,
): readonly ClassProblem[] {
  const from = dictAt(entry, 'valueFrom')
  const hasValue = (fieldAt(entry, 'value') ?? null) !== null
  if (hasValue === (from !== undefined))
    return [
      hasValue
        ? { says: 'has both a value and valueFrom', path: ['valueFrom'], hint: 'Keep one of them.' }
        : { says: 'has no value', path: [], hint: 'Add value or valueFrom.' },
    ]
  if (from === undefined) return []
  const [template, variable] = [textAt(from, 'template'), textAt(from, 'variable')]
  if ((template === '') === (variable === ''))
    return [
      template === ''
        ? { says: 'takes its value from nothing', path: ['valueFrom'], hint: 'Add variable or template.' }
        : {
            says: 'takes its value from a variable and from a template',
            path: ['valueFrom'],
            hint: 'Keep one of them.',
          },
    ]
  return variable === '' ? templateProblems(template, templateProblem) : variableProblems(variable, variables)
}

function templateProblems(template: string, templateProblem: TemplateProblem): readonly ClassProblem[] {
  const says = templateProblem(template)
  if (says === undefined) return []
  return [{ says: `has a template that cannot be parsed: ${says}`, path: ['valueFrom', 'template'] }]
}

function variableProblems(variable: string, variables: readonly string[]): readonly ClassProblem[] {
  const path = ['valueFrom', 'variable']
  const isBuiltIn = variable.startsWith('builtin.')
  // a part of a variable may be named: a.b[0]
  const name = isBuiltIn ? variable : (/[^.[]+/.exec(variable)?.[0] ?? '')
  const known: readonly string[] = isBuiltIn ? [...BUILT_IN] : variables
  if (known.includes(name)) return []
  const near = nearestName(name, known)
  const who = isBuiltIn ? 'Cluster API' : 'the class'
  return [
    {
      says: `takes its value from the variable ${shownKey(name)}, which ${who} does not define`,
      path,
      hint: near === undefined ? undefined : `Did you mean ${near}?`,
    },
  ]
}

/** Problems of `enabledIf` of a patch. */
export function conditionProblems(patch: Value, templateProblem: TemplateProblem): readonly ClassProblem[] {
  const condition = textAt(patch, 'enabledIf')
  const says = condition === '' ? undefined : templateProblem(condition)
  return says === undefined ? [] : [{ says: `has a condition that cannot be parsed: ${says}`, path: ['enabledIf'] }]
}
