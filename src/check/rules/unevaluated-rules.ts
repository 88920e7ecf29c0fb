import { shownApiVersion, shownKind } from '../../model/shown-name.ts'
import type { Rule } from '../rule.ts'
import { fieldText } from '../schema/field-text.ts'
import { judgeObjects } from '../schema/judge-objects.ts'

/** Rules in CEL that cannot be evaluated here. */
export const unevaluatedRules: Rule = {
  code: 'RULE_NOT_EVALUATED',
  severity: 'note',
  explanation: [
    'A rule in CEL that cannot be read or evaluated here is said once for each kind and rule, with the reason: it calls a function that is not known, or takes too much work. The object may be right or wrong; the API server decides.',
    'What is missing: the functions of `authorizer`, `url.getQuery()`, optional entries of maps (`{?key: value}`).',
  ],
  begin: (inputs) => {
    const seen = new Set<string>()
    return {
      unit: (unit) =>
        judgeObjects(unit, inputs).flatMap(({ manifest, ruleProblems }) =>
          ruleProblems.flatMap(({ state, path, rule, says }) => {
            const kind = `${shownApiVersion(manifest.apiVersion)} ${shownKind(manifest.kind)}`
            const key = `${kind} ${rule}`
            if (state === 'broken' || seen.has(key)) return []
            seen.add(key)
            return [{ message: `a rule of ${kind}, ${fieldText(path)}, is not evaluated, because ${says}: ${rule}` }]
          }),
        ),
    }
  },
}
