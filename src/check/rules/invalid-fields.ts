import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import type { Rule } from '../rule.ts'
import { judgeObjects } from '../schema/judge-objects.ts'
import { problemText } from '../schema/problem-text.ts'
import type { SchemaProblem } from '../schema/validate-value.ts'

/** Fields that are missing, or whose values the schema of a kind does not allow. */
export const invalidFields: Rule = {
  code: 'OBJECT_FIELD_INVALID',
  severity: 'error',
  explanation: [
    'An API server refuses an object with a value of the wrong type, a word, number or format that the field does not take, a required field that is missing, or two items of a list that it cannot tell apart.',
    "For built-in kinds it checks more than Kubernetes' schemas say. The rules that charts break most are known here, too: names and ports, selectors and labels of pods, mounts and volumes, requests and limits of resources, subjects and rules of RBAC.",
    'Of a value that is filled in later the type is checked alone. Rules in CEL are FIELD_RULE_BROKEN.',
  ],
  begin: (inputs) => ({
    unit: (unit) =>
      judgeObjects(unit, inputs).flatMap(({ manifest, problems, minor }) =>
        [...problems, ...nameProblems(manifest, minor)]
          .filter(({ kind }) => kind !== 'unknown-field')
          .map((problem) => ({
            message: `${shownObject({ ...manifest, namespace: manifest.namespace })}: ${problemText(problem)}`,
            ...placeIn(manifest, ...problem.path),
          })),
      ),
  }),
}

/** Up to Kubernetes 1.35 the name of a Service begins with a letter (gate RelaxedServiceNameValidation). */
const LAST_STRICT = 35

function nameProblems({ apiVersion, kind, name }: Manifest, minor: string | undefined): readonly SchemaProblem[] {
  if (apiVersion !== 'v1' || kind !== 'Service' || minor === undefined || /^[a-z]/.test(name)) return []
  if (Number(minor.split('.')[1]) > LAST_STRICT) return []
  return [{ kind: 'not-allowed', path: ['metadata', 'name'], says: 'a name that begins with a letter' }]
}
