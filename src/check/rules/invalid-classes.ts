import { dictAt, fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { placeIn } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownKey, shownKind, shownName } from '../../model/shown-name.ts'
import { definesMore, workerLists } from '../../model/topology-variables.ts'
import type { Dict, Value } from '../../model/value.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import { variableProblems } from '../variable-problems.ts'

/** What the webhook of Cluster API refuses in a class (core internal/webhooks, clusterclass and patch_validation). */
export const invalidClasses: Rule = unitRule(
  {
    code: 'CLASS_INVALID',
    severity: 'error',
    explanation: [
      'The webhook of Cluster API refuses a ClusterClass, and with it the whole unit of the release: two variables, patches or classes of workers of one name; a default that the schema of its variable does not allow; a patch that selects a kind or a class of workers that the class does not have there, takes its value from a variable that is not defined, or has an operation or path that no patch may have.',
      'Templates in `enabledIf` and `valueFrom.template` are not evaluated, and patches are not applied: whether what they lead to exists in a template is not looked at. Patches of runtime extensions are left out.',
    ],
  },
  ({ kind, isKept, folders }) => {
    if (kind !== 'stack' || isKept) return []
    return folders
      .flatMap(({ manifests }) => manifests)
      .filter((manifest) => manifest.kind === 'ClusterClass' && groupOf(manifest.apiVersion) === 'cluster.x-k8s.io')
      .flatMap((manifest) =>
        problemsOf(manifest.object).map(({ says, path, hint }): RuleFinding => ({
          message: `ClusterClass ${shownName(manifest.name)}: ${says}`,
          ...placeIn(manifest, ...path),
          ...(hint !== undefined && { hint }),
        })),
      )
  },
)

interface Problem {
  readonly says: string
  readonly path: readonly PathStep[]
  readonly hint?: string
}

function problemsOf(clusterClass: Dict): readonly Problem[] {
  return [
    ...repeated(clusterClass, ['spec', 'variables'], { field: 'name', what: 'variables' }),
    ...repeated(clusterClass, ['spec', 'patches'], { field: 'name', what: 'patches' }),
    ...workerLists.flatMap((list) =>
      repeated(clusterClass, ['spec', 'workers', list], { field: 'class', what: `classes of ${list}` }),
    ),
    ...itemsAt(clusterClass, 'spec', 'variables').flatMap(defaultProblems),
    ...patchProblems(clusterClass),
  ]
}

function repeated(
  object: Dict,
  path: readonly PathStep[],
  { field, what }: { readonly field: string; readonly what: string },
): readonly Problem[] {
  const seen = new Set<string>()
  return itemsAt(object, ...path).flatMap((item, index): readonly Problem[] => {
    const name = textAt(item, field)
    if (name === '' || !seen.has(name)) {
      seen.add(name)
      return []
    }
    return [{ says: `two ${what} are called ${shownKey(name)}`, path: [...path, index, field] }]
  })
}

function defaultProblems(variable: Value, index: number): readonly Problem[] {
  const schema = dictAt(variable, 'schema', 'openAPIV3Schema')
  const value = schema?.get('default')
  if (schema === undefined || value === undefined || value === null) return []
  const path = ['spec', 'variables', index, 'schema', 'openAPIV3Schema', 'default']
  return variableProblems(schema, value).map((problem) => ({
    says: `the default of variable ${shownKey(textAt(variable, 'name'))} is not allowed by its schema: ${problem.message}`,
    path: [...path, ...problem.path],
  }))
}

function patchProblems(clusterClass: Dict): readonly Problem[] {
  const variables = itemsAt(clusterClass, 'spec', 'variables').map((variable) => textAt(variable, 'name'))
  const known = definesMore(clusterClass) ? undefined : variables
  return itemsAt(clusterClass, 'spec', 'patches').flatMap((patch, at) => {
    const called = `patch ${shownKey(textAt(patch, 'name'))}`
    return itemsAt(patch, 'definitions').flatMap((definition, index) => {
      const path = ['spec', 'patches', at, 'definitions', index]
      return [
        ...selectorProblems(clusterClass, dictAt(definition, 'selector')).map(({ path: below, ...problem }) => ({
          ...problem,
          path: [...path, 'selector', ...below],
        })),
        ...itemsAt(definition, 'jsonPatches').flatMap((entry, entryAt) =>
          entryProblems(entry, known).map(({ path: below, ...problem }) => ({
            ...problem,
            path: [...path, 'jsonPatches', entryAt, ...below],
          })),
        ),
      ].map((problem) => ({ ...problem, says: `${called} ${problem.says}` }))
    })
  })
}

/** Each that is selected has to be of the kind in that version, which one of the templates there has. */
function selectorProblems(clusterClass: Dict, selector: Dict | undefined): readonly Problem[] {
  if (selector === undefined) return []
  const spec = fieldAt(clusterClass, 'spec')
  const isOn = (field: string): boolean => fieldAt(selector, 'matchResources', field) === true
  const infrastructure = chosenOf(selector, [[spec, 'infrastructure']])
  const controlPlane = chosenOf(selector, [
    [spec, 'controlPlane'],
    [spec, 'controlPlane', 'machineInfrastructure'],
  ])
  const none = (what: string, field: string, { hint }: Chosen): Problem => ({
    says: `selects ${shownKind(textAt(selector, 'kind'))} of ${what}, where the class has none`,
    path: ['matchResources', field],
    ...hint,
  })
  return [
    ...(isOn('infrastructureCluster') && !infrastructure.isThere
      ? [none('the infrastructure', 'infrastructureCluster', infrastructure)]
      : []),
    ...(isOn('controlPlane') && !controlPlane.isThere ? [none('the control plane', 'controlPlane', controlPlane)] : []),
    ...workerLists.flatMap((list) => workerProblems(clusterClass, selector, list)),
  ]
}

function workerProblems(clusterClass: Dict, selector: Dict, list: (typeof workerLists)[number]): readonly Problem[] {
  const field = list === 'machineDeployments' ? 'machineDeploymentClass' : 'machinePoolClass'
  const workers = itemsAt(clusterClass, 'spec', 'workers', list)
  const kind = shownKind(textAt(selector, 'kind'))
  return itemsAt(selector, 'matchResources', field, 'names').flatMap((wanted, index): readonly Problem[] => {
    if (typeof wanted !== 'string') return []
    const own = workers.filter((worker) => matches(textAt(worker, 'class'), wanted))
    const path = ['matchResources', field, 'names', index]
    if (own.length === 0) {
      const near = nearestName(
        wanted,
        workers.map((worker) => textAt(worker, 'class')),
      )
      return [
        {
          says: `selects the worker class ${shownKey(wanted)}, which the class does not have for ${list}`,
          path,
          ...(near !== undefined && { hint: `Did you mean ${near}?` }),
        },
      ]
    }
    const parts = ['infrastructure', 'bootstrap']
    const { isThere, hint } = chosenOf(
      selector,
      own.flatMap((worker) =>
        parts.flatMap((part) => [
          [worker, 'template', part],
          [worker, part],
        ]),
      ),
    )
    if (isThere) return []
    return [{ says: `selects ${kind} of the worker class ${shownKey(wanted)}, which has none`, path, ...hint }]
  })
}

/** A field of a class with the reference to a template. */
type TemplatePlace = readonly [object: Value | undefined, ...path: readonly string[]]

/** The templates that a selector is about. */
interface Chosen {
  readonly isThere: boolean
  /** Names the version of the kind that is there. */
  readonly hint: { readonly hint?: string }
}

function chosenOf(selector: Dict, places: readonly TemplatePlace[]): Chosen {
  const [apiVersion, kind] = [textAt(selector, 'apiVersion'), textAt(selector, 'kind')]
  const versions = places.flatMap(([object, ...path]) =>
    ['ref', 'templateRef'].flatMap((form) => {
      const reference = object === undefined ? undefined : dictAt(object, ...path, form)
      const version = reference === undefined ? '' : textAt(reference, 'apiVersion')
      return reference !== undefined && textAt(reference, 'kind') === kind && groupOf(version) === groupOf(apiVersion)
        ? [version]
        : []
    }),
  )
  const [other] = versions
  return {
    isThere: versions.includes(apiVersion),
    hint: other === undefined ? {} : { hint: `The class has it as ${other}: write the same apiVersion.` },
  }
}

/** A star stands for whatever begins or ends a name. */
function matches(name: string, wanted: string): boolean {
  if (wanted.startsWith('*')) return name.endsWith(wanted.slice(1))
  return wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted
}

const OPERATIONS: ReadonlySet<string> = new Set(['add', 'replace', 'remove'])

/** @param variables of the class; undefined where others may be defined besides */
function entryProblems(entry: Value, variables: readonly string[] | undefined): readonly Problem[] {
  const [operation, path] = [textAt(entry, 'op'), textAt(entry, 'path')]
  const problems: Problem[] = []
  if (!OPERATIONS.has(operation))
    problems.push({
      says: `has the operation ${shownKey(operation)}`,
      path: ['op'],
      hint: 'Write add, replace or remove.',
    })
  if (!path.startsWith('/spec'))
    problems.push({ says: 'changes something outside of spec', path: ['path'], hint: 'Begin the path with /spec/.' })
  problems.push(...itemProblems(operation, path))
  // nothing is taken from one that is removed
  const variable = operation === 'remove' ? '' : textAt(entry, 'valueFrom', 'variable')
  const name = /^[^.[]*/.exec(variable)?.[0] ?? ''
  if (variables === undefined || name === '' || name === 'builtin' || variables.includes(name)) return problems
  const near = nearestName(name, variables)
  problems.push({
    says: `takes its value from the variable ${shownKey(name)}, which the class does not define`,
    path: ['valueFrom', 'variable'],
    ...(near !== undefined && { hint: `Did you mean ${near}?` }),
  })
  return problems
}

/** Items of lists have no numbers in patches, but for the first of a list that gets one more. */
function itemProblems(operation: string, path: string): readonly Problem[] {
  const numbers = path.split('/').filter((part) => /^[-+]?\d+$/.test(part))
  if (operation === 'add' && numbers.some((number) => Number(number) !== 0))
    return [
      {
        says: 'adds an item that is neither the first nor the last',
        path: ['path'],
        hint: 'End the path with /0 or /-.',
      },
    ]
  if ((operation === 'replace' || operation === 'remove') && numbers.length > 0)
    return [{ says: 'changes an item of a list by its number', path: ['path'], hint: 'Replace the whole list.' }]
  return []
}
