import { textAt } from '../../model/field.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownName } from '../../model/shown-name.ts'
import type { CheckInputs } from '../check-inputs.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import type { PolicyObject } from '../policy/policy-file.ts'
import { isReadBy, policyProblems } from '../policy/policy-problems.ts'
import { readBinding, readPolicy } from '../policy/policy.ts'
import { readCustomKind } from '../schema/custom-kind.ts'
import { judgePlaced, titleOf } from '../schema/judge-placed.ts'
import { createSchemaSet } from '../schema/schema-set.ts'
import type { Noted, Rule, RuleFinding } from '../rule.ts'

/** Mistakes in the folder `policies`, by which it guards less than it seems to. */
export const invalidPolicies: Rule = {
  code: 'POLICY_INVALID',
  severity: 'error',
  explanation: [
    'A mistake in a policy switches it off, and nothing else says so. What an API server would refuse in the folder `policies` is an error: unknown, missing and wrong fields, words such as `Denyy`, expressions that are not CEL. So is a binding whose policy is nowhere, and an object that is there twice: one would take the place of the other.',
    'What a server takes and what guards nothing all the same is a warning: a policy that no binding uses, a resource by a name that Kubernetes does not have (`deployment` for `deployments`), and objects that are not evaluated, such as policies of Kyverno or Gatekeeper and MutatingAdmissionPolicies.',
    'Bindings and policies among the objects of the tree count, too. Policies that addons bring are judged as all objects of the tree are.',
  ],
  begin: (inputs) => ({
    note: (unit) => ((inputs.policies ?? []).length === 0 ? undefined : namesIn(unit)),
    end: (notes: readonly Noted<NamesInTree>[]) => judgeFolder(inputs, notes),
  }),
}

/** Names of policies, and of those that bindings use. */
interface NamesInTree {
  readonly policies: readonly string[]
  readonly bound: readonly string[]
}

/** Those of a unit; undefined where it has none. */
function namesIn({ folders }: CheckedUnit): NamesInTree | undefined {
  const objects = folders.flatMap(({ manifests }) => manifests.map(({ object }) => object))
  const policies = objects.flatMap((object) => readPolicy(object)?.name ?? [])
  const bound = objects.flatMap((object) => readBinding(object)?.policyName ?? [])
  return policies.length + bound.length === 0 ? undefined : { policies, bound }
}

function judgeFolder(inputs: CheckInputs, notes: readonly Noted<NamesInTree>[]): readonly RuleFinding[] {
  const { policies = [], builtIn, definitions, managementMinor } = inputs
  const schemas = builtIn.of(managementMinor ?? '')
  const set = createSchemaSet(schemas, definitions.map(readCustomKind))
  const names = new Set([
    ...notes.flatMap(({ note }) => note.policies),
    ...policies.flatMap(({ object }) => readPolicy(object)?.name ?? []),
  ])
  const bound = new Set([
    ...notes.flatMap(({ note }) => note.bound),
    ...policies.flatMap(({ object }) => readBinding(object)?.policyName ?? []),
  ])
  const objects = policies.map(({ object }) => object)
  return policies.flatMap((one) => {
    const { object } = one
    if (textAt(object, 'kind') === '' || textAt(object, 'apiVersion') === '')
      return [{ message: 'this is no object of Kubernetes: it has no apiVersion and kind', at: one.at([]) }]
    const isKnown = readPolicy(object) !== undefined || readBinding(object) !== undefined
    if (!isKnown) return isReadBy(objects, object) ? judgePlaced(one, set) : [notEvaluated(one)]
    const problems = policyProblems(object, schemas)
    const ofSchema = judgePlaced(one, set, problems)
    const own = problems.map(({ path, says, hint, severity }): RuleFinding => ({
      message: `${titleOf(one)}: ${says}`,
      at: one.at(path),
      hint,
      severity,
    }))
    const known = new Set(own.map(({ message }) => message))
    const found = [...ofSchema.filter(({ message }) => !known.has(message)), ...own]
    return [...found, ...doubled(one, policies), ...unused(one, { names, bound })]
  })
}

function notEvaluated(one: PolicyObject): RuleFinding {
  const message = `${titleOf(one)} is not evaluated: only ValidatingAdmissionPolicies, their bindings and parameters are`
  const meant = meantKind(one)
  if (meant !== undefined) return { message, ...meant }
  const hint = 'Ask its own tool in CI, and keep it in another folder.'
  return { severity: 'warning', message, at: one.at(['kind']), hint }
}

const KINDS = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']
const VERSION = 'admissionregistration.k8s.io/v1'

/** The most likely meaning of a kind or apiVersion that no API server has. */
function meantKind(one: PolicyObject): Pick<RuleFinding, 'at' | 'hint'> | undefined {
  const kind = textAt(one.object, 'kind')
  if (KINDS.includes(kind)) return { at: one.at(['apiVersion']), hint: `Did you mean ${VERSION}?` }
  // mutating ones have nearly that name
  const near = /^valid/i.test(kind) ? nearestName(kind, KINDS) : undefined
  return near === undefined ? undefined : { at: one.at(['kind']), hint: `Did you mean ${near}?` }
}

/** Of two of one name an API server keeps what is applied last. */
function doubled(one: PolicyObject, policies: readonly PolicyObject[]): readonly RuleFinding[] {
  const title = titleOf(one)
  const isSame = (other: PolicyObject): boolean =>
    titleOf(other) === title &&
    textAt(other.object, 'metadata', 'name') !== '' &&
    (other.servers === one.servers || other.servers === 'all' || one.servers === 'all')
  const first = policies.find(isSame)
  if (first === undefined || first === one) return []
  return [
    {
      message: `${title} is there twice, and only one of the two would be applied`,
      at: one.at(['metadata', 'name']),
      hint: 'Give it another name, or remove one of them.',
    },
  ]
}

function unused(
  one: PolicyObject,
  { names, bound }: { readonly names: ReadonlySet<string>; readonly bound: ReadonlySet<string> },
): readonly RuleFinding[] {
  const policy = readPolicy(one.object)
  const binding = readBinding(one.object)
  if (policy !== undefined && policy.name !== '' && !bound.has(policy.name))
    return [
      {
        severity: 'warning',
        message: `${titleOf(one)} is asked of nothing: no ValidatingAdmissionPolicyBinding names it`,
        at: one.at(['metadata', 'name']),
        hint: 'Write a binding with this `policyName`, or correct the name in its binding.',
      },
    ]
  if (binding === undefined || binding.policyName === '' || names.has(binding.policyName)) return []
  const near = nearestName(binding.policyName, [...names])
  return [
    {
      message: `${titleOf(one)} binds the policy ${shownName(binding.policyName)}, which is nowhere`,
      at: one.at(['spec', 'policyName']),
      hint: near === undefined ? undefined : `Did you mean ${near}?`,
    },
  ]
}
