import { placeIn } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import type { RuleProblem } from '../cel/validate-rules.ts'
import { nameOf } from '../changed-object.ts'
import type { Rule } from '../rule.ts'
import { fieldText } from '../schema/field-text.ts'
import { changeJudge } from '../schema/judge-changes.ts'
import { judgeObjects } from '../schema/judge-objects.ts'

/** Objects that break the rules in CEL of their definitions. */
export const brokenRules: Rule = {
  code: 'FIELD_RULE_BROKEN',
  severity: 'error',
  explanation: [
    'A definition may have rules in CEL (`x-kubernetes-validations`), which the API server asks of every object that it is given. They are asked here with the same values: after defaults, under escaped names, with the functions that Kubernetes adds. An object with other mistakes is not asked, as on the server.',
    'Rules that compare with the value before (`oldSelf`) are asked of objects that change against the base. Items of lists are compared where the list has keys.',
    'A rule that depends on a value that is filled in later, or that cannot be evaluated here for another reason, is RULE_NOT_EVALUATED. A message that is made of the object is shown without secrets.',
  ],
  begin: (inputs) => {
    const changes = changeJudge(inputs)
    return {
      unit: (unit) =>
        judgeObjects(unit, inputs).flatMap(({ manifest, ruleProblems }) =>
          ruleProblems
            .filter(({ state }) => state === 'broken')
            .map((problem) => ({
              message: `${shownObject({ ...manifest, namespace: manifest.namespace })}: ${textOf(problem)}`,
              ...placeIn(manifest, ...problem.path),
            })),
        ),
      change: (change) =>
        changes
          .change(change)
          .filter(({ problem }) => problem.state === 'broken')
          .map(({ after, problem, finding }) => ({ message: `${nameOf(after)}: ${textOf(problem)}`, ...finding })),
    }
  },
}

function textOf({ path, says }: RuleProblem): string {
  return path.length === 0 ? says : `${fieldText(path)}: ${says}`
}
