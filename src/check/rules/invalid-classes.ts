import { dictAt, fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { placeIn } from '../../model/manifest.ts'
import { shownKey, shownName } from '../../model/shown-name.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { CheckInputs } from '../check-inputs.ts'
import { partProblems } from '../classes/class-parts.ts'
import { below, type ClassProblem } from '../classes/class-problem.ts'
import { judgedClasses } from '../classes/judged-classes.ts'
import { variableDefinitionProblems } from '../classes/class-variables.ts'
import { conditionProblems, operationProblems, type TemplateProblem } from '../classes/patch-operations.ts'
import { selectorProblems } from '../classes/patch-selectors.ts'
import type { Rule, RuleFinding } from '../rule.ts'
import type { SchemaProblem } from '../schema/validate-value.ts'

/** Classes that the webhook of Cluster API refuses (core internal/webhooks, clusterclass and patch_validation). */
export const invalidClasses: Rule = {
  code: 'CLASS_INVALID',
  severity: 'error',
  explanation: [
    'The webhook of Cluster API refuses a ClusterClass, and with it the whole unit of the release: two variables, patches or classes of workers of one name; a schema of a variable that no API server would take for a custom resource, or a default that it does not allow; a template of a kind that does not end in Template; labels and health checks of machines; a patch that selects a kind or a class of workers that the class does not have there, takes its value from a variable that is not defined or from a template that cannot be parsed, has both a value and a source of it or none, or has an operation or path that no patch may have.',
    'Templates in `enabledIf` and `valueFrom.template` are parsed and not evaluated, and patches are not applied. Templates of names, taints and the order of `kubernetesVersions` are left to the webhook. Patches of runtime extensions are left out.',
  ],
  begin: (inputs) => ({
    unit: (unit) =>
      judgedClasses(unit, inputs).flatMap(({ manifest, problems }) =>
        problemsOf(manifest.object, inputs)
          .filter(({ path }) => !problems.some((problem) => isSaid(problem, path)))
          .map(({ says, path, hint }): RuleFinding => ({
            message: `ClusterClass ${shownName(manifest.name)}: ${says}`,
            ...placeIn(manifest, ...path),
            hint,
          })),
      ),
  }),
}

/** True if the definition of classes refuses the same: OBJECT_FIELD_INVALID and OBJECT_FIELD_UNKNOWN say it. */
function isSaid({ kind, path: known }: SchemaProblem, path: readonly PathStep[]): boolean {
  // of an item that is there twice the webhook names the field that it has in common
  const depth = kind === 'duplicate' ? known.length + 1 : known.length
  return path.length === depth && known.every((step, index) => step === path[index])
}

function problemsOf(clusterClass: Dict, { classTemplateProblem }: CheckInputs): readonly ClassProblem[] {
  return [
    ...partProblems(clusterClass),
    ...variableDefinitionProblems(clusterClass),
    ...patchProblems(clusterClass, classTemplateProblem),
  ]
}

function patchProblems(clusterClass: Dict, templateProblem: TemplateProblem): readonly ClassProblem[] {
  const variables = itemsAt(clusterClass, 'spec', 'variables').map((variable) => textAt(variable, 'name'))
  return itemsAt(clusterClass, 'spec', 'patches').flatMap((patch, at) => {
    const name = textAt(patch, 'name')
    const path = ['spec', 'patches', at]
    const definitions = itemsAt(patch, 'definitions').flatMap((definition, index) => [
      ...below(
        ['definitions', index, 'selector'],
        selectorProblems(clusterClass, dictAt(definition, 'selector') ?? new Dict()),
      ),
      ...itemsAt(definition, 'jsonPatches').flatMap((entry, entryAt) =>
        below(['definitions', index, 'jsonPatches', entryAt], operationProblems(entry, variables, templateProblem)),
      ),
    ])
    return below(path, [...sourceProblems(patch), ...conditionProblems(patch, templateProblem), ...definitions]).map(
      (problem) => ({ ...problem, says: `patch ${shownKey(name)} ${problem.says}` }),
    )
  })
}

/** Problems of the parts of a patch as a whole: it has a name of its own, and lists operations or calls an extension. */
function sourceProblems(patch: Value): readonly ClassProblem[] {
  const isOf = (field: string): boolean => (fieldAt(patch, field) ?? null) !== null
  if (textAt(patch, 'name') === 'inline')
    return [{ says: 'has a name that Cluster API reserves', path: ['name'], hint: 'Give it another.' }]
  if (isOf('definitions') === isOf('external'))
    return [
      isOf('external')
        ? { says: 'has both definitions and external', path: ['external'], hint: 'Make two patches of it.' }
        : { says: 'changes nothing', path: [], hint: 'Add definitions, or remove it.' },
    ]
  return []
}
