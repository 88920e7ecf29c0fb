/** What `check` and an API server answer to the cases of `cel-cases.ts`, in the same form. */
import { celBudget } from '../../src/check/cel/cel-work.ts'
import { type RuleProblem, validateRules } from '../../src/check/cel/validate-rules.ts'
import { wrongExpressions } from '../../src/check/policy/policy-expressions.ts'
import { readPolicy } from '../../src/check/policy/policy.ts'
import { judgeObject, namespacesOf } from '../../src/check/policy/judge-policies.ts'
import { serverPolicies } from '../../src/check/policy/server-policies.ts'
import { fieldText } from '../../src/check/schema/field-text.ts'
import { validateObject, withDefaults } from '../../src/check/schema/validate-object.ts'
import { textAt } from '../../src/model/field.ts'
import type { Dict } from '../../src/model/value.ts'
import { fieldOf, type KubeObject, type KubeResult } from '../servers/kube-client.ts'
import type { Kube } from '../servers/kube.ts'
import {
  caseDefinition,
  caseObject,
  type PolicyAnswer,
  type PolicyCase,
  policyObjects,
  policySurroundings,
  type RuleAnswer,
  type RuleCase,
} from './cel-cases.ts'
import { type TrialObject, trialObjects, trialSchemas } from './schema-trial.ts'

function onlyObject(text: string): TrialObject {
  const [object] = trialObjects(text)
  if (object === undefined) throw new TypeError(`no object: ${text}`)
  return object
}

/** What we answer to a case among others. */
export function ruleAnswers(given: RuleCase, all: readonly RuleCase[]): readonly RuleAnswer[] {
  const index = all.indexOf(given)
  const schemas = trialSchemas('1.34', [onlyObject(caseDefinition(given, index))])
  return given.answers.map(({ spec, old }) => {
    const read = (text: string): Dict => onlyObject(caseObject(index, text, 'a')).ours
    const object = read(spec)
    const found = schemas.find(textAt(object, 'apiVersion'), textAt(object, 'kind'))
    if (found.state !== 'known') throw new TypeError('no schema')
    const { schema } = found
    const shape = validateObject(object, schema).map(({ path, says }) => `${fieldText(path)}: ${says}`)
    const whole = withDefaults(object, schema)
    const before = old === undefined ? ('none' as const) : withDefaults(read(old), schema)
    const problems = [{ object: whole }, { object: whole, old: before }].flatMap((subject) =>
      validateRules(subject, schema.node),
    )
    return { spec, ...(old !== undefined && { old }), refused: [...shape, ...problems.map(lineOf)] }
  })
}

function lineOf({ state, path, says }: RuleProblem): string {
  const field = fieldText(path)
  if (state === 'not-evaluated') return `${field}: not evaluated: ${says}`
  return says.startsWith('it cannot be evaluated') ? `${field}: fails` : `${field}: ${says}`
}

/** What a server answers to all cases. */
export async function serverRuleAnswers(
  cases: readonly RuleCase[],
  kube: Kube,
): Promise<readonly (readonly RuleAnswer[])[]> {
  await kube.createCrds(cases.map((given, index) => onlyObject(caseDefinition(given, index)).json))
  const answers: RuleAnswer[][] = []
  for (const [index, given] of cases.entries()) {
    const found: RuleAnswer[] = []
    for (const [at, { spec, old }] of given.answers.entries()) {
      const name = `a${String(at)}`
      if (old !== undefined) await applied(kube, [onlyObject(caseObject(index, old, name)).json])
      const [answer] = await kube.apply([onlyObject(caseObject(index, spec, name)).json], { dryRun: true })
      found.push({ spec, ...(old !== undefined && { old }), refused: answer === undefined ? [] : causesOf(answer) })
    }
    answers.push(found)
  }
  return answers
}

async function applied(kube: Kube, objects: readonly KubeObject[]): Promise<void> {
  const [refused] = (await kube.apply(objects)).filter(({ ok }) => !ok)
  if (refused !== undefined) throw new Error(`${refused.object}: ${refused.message}`)
}

function causesOf({ ok, body, message }: KubeResult): readonly string[] {
  if (ok) return []
  const causes = fieldOf(body, 'details.causes')
  if (!Array.isArray(causes)) return [message]
  return causes.map((cause: unknown) => {
    const [field, text] = [String(fieldOf(cause, 'field')), String(fieldOf(cause, 'message'))]
    // what the value is comes before it, in quotes where it is text
    const said = text.replace(/^Invalid value: (?:"(?:[^"\\]|\\.)*"|[^ ]*): /, '')
    return `${field}: ${/ evaluating rule: |^'no such overload/.test(said) ? 'fails' : said}`
  })
}

interface CaseObject {
  readonly object: TrialObject
  readonly old: TrialObject | undefined
}

/** The object with the label of its case, and a name of its own on a server that keeps the old one. */
function caseObjects({ name }: PolicyCase, { object, old }: PolicyAnswer): CaseObject {
  const labelled = (text: string): TrialObject => {
    const { json } = onlyObject(text)
    const labels = { ...Object(json.metadata['labels']), case: name }
    return onlyObject(JSON.stringify({ ...json, metadata: { ...json.metadata, labels } }))
  }
  return { object: labelled(object), old: old === undefined ? undefined : labelled(old) }
}

/** True for a policy of which we say that servers refuse it. */
export function isRefusedCase(given: PolicyCase): boolean {
  return policyObjects(given).some((text) => {
    const { ours } = onlyObject(text)
    return readPolicy(ours) !== undefined && wrongExpressions(ours).length > 0
  })
}

/** What we answer to a case. */
export function policyAnswers(given: PolicyCase): readonly PolicyAnswer[] {
  const objects = [...policySurroundings, ...policyObjects(given)].map((text) => onlyObject(text).ours)
  const server = {
    policies: serverPolicies(objects),
    plurals: new Map<string, string>(),
    namespaces: namespacesOf(objects),
    budget: celBudget(),
  }
  const schemas = trialSchemas('1.34', [])
  return given.answers.map((answer) => {
    const { object, old } = caseObjects(given, answer)
    const { namespace, name } = object.json.metadata
    const { apiVersion, kind } = object.json
    const lookup = schemas.find(apiVersion, kind)
    const named = { apiVersion, kind, name, lookup, ...(namespace !== undefined && { namespace }) }
    const verdicts = judgeObject({ ...named, object: object.ours, old: old?.ours }, server).map(
      ({ verdict }) => verdict,
    )
    const reasons = verdicts.flatMap((verdict) => (verdict.state === 'not-evaluated' ? [verdict.reason] : []))
    const messages = verdicts.flatMap((verdict) =>
      verdict.state === 'denied' ? [/cannot be evaluated: /.test(verdict.message) ? 'fails' : verdict.message] : [],
    )
    return {
      object: answer.object,
      ...(answer.old !== undefined && { old: answer.old }),
      says: messages,
      ...(reasons.length > 0 && { unknown: reasons.join(', ') }),
    }
  })
}

/** What a server answers to all cases; it has to ask the policies already. `unknown` is nothing to it. */
export async function serverPolicyAnswers(
  cases: readonly PolicyCase[],
  kube: Kube,
): Promise<readonly (readonly PolicyAnswer[])[]> {
  const answers: PolicyAnswer[][] = []
  for (const given of cases) {
    const found: PolicyAnswer[] = []
    for (const answer of given.answers) {
      const { object, old } = caseObjects(given, answer)
      if (old !== undefined) await applied(kube, [old.json])
      const [result] = await kube.apply([object.json], { dryRun: true })
      if (old !== undefined) await kube.remove(old.json)
      found.push({
        object: answer.object,
        ...(answer.old !== undefined && { old: answer.old }),
        says: result?.ok === true ? warningsOf(given, result) : [result?.message ?? ''],
      })
    }
    answers.push(found)
  }
  return answers
}

function warningsOf({ name }: PolicyCase, { warnings }: KubeResult): readonly string[] {
  return warnings.flatMap((warning) => {
    const [, policy, said = ''] = /ValidatingAdmissionPolicy '([^']*)' with binding '[^']*': (.*)$/s.exec(warning) ?? []
    if (policy !== name) return []
    return [/ resulted in error: /.test(said) ? 'fails' : said.replaceAll('\\"', '"')]
  })
}

/** Applies the policies, and says which the server refuses. */
export async function applyPolicyCases(cases: readonly PolicyCase[], kube: Kube): Promise<readonly string[]> {
  await applied(
    kube,
    policySurroundings.map((text) => onlyObject(text).json),
  )
  const refused: string[] = []
  for (const given of cases) {
    const [policy] = await kube.apply(policyObjects(given).map((text) => onlyObject(text).json))
    if (policy?.ok !== true) refused.push(given.name)
  }
  return refused
}
