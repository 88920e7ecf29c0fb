import { shownApiVersion, shownKind } from '../../model/shown-name.ts'
import type { RuleProblem } from '../cel/validate-rules.ts'
import type { Rule } from '../rule.ts'
import { fieldText } from '../schema/field-text.ts'
import { changeJudge } from '../schema/judge-changes.ts'
import { judgeObjects } from '../schema/judge-objects.ts'

/** Rules in CEL that cannot be evaluated here. */
export const unevaluatedRules: Rule = {
  code: 'RULE_NOT_EVALUATED',
  severity: 'note',
  explanation: [
    'A rule in CEL that cannot be evaluated here is said once for each kind and rule, with the reason. The object may be right or wrong; the API server decides.',
    '_It depends on a value that is filled in later_: fix the value in the fleet, or see to it that any value keeps the rule.',
    '_It calls or names something that is not known here_: missing are `url.getQuery()`, `transformMapEntry`, and optional entries of maps (`{?key: value}`). What API servers do not know either, such as `cel.bind`, makes them refuse the definition itself.',
    '_It takes too much work_: an evaluation ends about where an API server ends it (`spec.validation.openAPIV3Schema` with `maxItems` and `maxLength` keeps rules cheap), and all of a run together have a bound, too.',
  ],
  begin: (inputs) => {
    const changes = changeJudge(inputs)
    return {
      unit: (unit) =>
        judgeObjects(unit, inputs).flatMap(({ manifest, ruleProblems }) =>
          ruleProblems.flatMap((problem) => toldOf(manifest, problem)),
        ),
      change: (change) =>
        changes
          .change(change)
          .flatMap(({ after, problem, finding }) => toldOf(after, problem).map((told) => ({ ...told, ...finding }))),
    }
  },
}

function toldOf(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  { state, path, rule, says }: RuleProblem,
): readonly { readonly message: string; readonly once: string }[] {
  if (state === 'broken') return []
  const named = `${shownApiVersion(apiVersion)} ${shownKind(kind)}`
  return [
    {
      message: `a rule of ${named}, ${fieldText(path)}, is not evaluated, because ${says}: ${rule}`,
      once: `${named} ${rule} ${says}`,
    },
  ]
}
