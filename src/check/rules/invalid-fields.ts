import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import type { CheckInputs } from '../check-inputs.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import { missingHealthChecks } from '../classes/missing-health-checks.ts'
import { classOf } from '../class-of.ts'
import type { Rule, RuleFinding } from '../rule.ts'
import { templateField } from '../template-field.ts'
import { fieldText } from '../schema/field-text.ts'
import { judgeObjects } from '../schema/judge-objects.ts'
import { judgePlaced } from '../schema/judge-placed.ts'
import { problemText } from '../schema/problem-text.ts'
import { createSchemaSet } from '../schema/schema-set.ts'
import type { SchemaProblem } from '../schema/validate-value.ts'

/** Fields that are missing, or whose values the schema of a kind does not allow. */
export const invalidFields: Rule = {
  code: 'OBJECT_FIELD_INVALID',
  severity: 'error',
  explanation: [
    'An API server refuses an object with a value of the wrong type, a word, number or format that the field does not take, a required field that is missing, or two items of a list that it cannot tell apart. Of built-in kinds it asks for fewer fields than the schema requires: a PriorityClass without `value` is taken here, too.',
    "For built-in kinds it checks more than Kubernetes' schemas say. Its rules for what people and charts write are known here, too, each in the minors that have it: pods with their volumes, containers, probes, resources and scheduling, Deployments and their like, jobs and schedules, Services, Ingresses and network policies, ConfigMaps and Secrets, quotas and limits, RBAC, autoscalers and budgets, volumes and classes of storage, webhooks and admission policies, and CustomResourceDefinitions with their schemas. What depends on a switch of the server or on other objects is left to it: whether privileged containers are allowed, ports and addresses that are taken, kinds that are few.",
    'A CustomResourceDefinition in a folder of `spec.check.schemas` that an API server would refuse is a warning: objects of its kind are checked by it.',
    'The webhook of Cluster API refuses a Cluster that switches health checks on where neither it nor its class says what to check.',
    'Of a value that is filled in later the type is checked alone, and rules that would look at it are not asked. Rules in CEL are FIELD_RULE_BROKEN.',
  ],
  begin: (inputs) => ({
    unit: (unit) => [
      ...judgeHealthChecks(unit),
      ...judgeObjects(unit, inputs).flatMap(({ manifest, problems, minor }) =>
        [...problems, ...nameProblems(manifest, minor)]
          .filter(({ kind }) => kind !== 'unknown-field')
          .map((problem) => ({
            message: `${shownObject({ ...manifest, namespace: manifest.namespace })}: ${problemText(problem)}`,
            ...placeIn(manifest, ...problem.path),
            once: templateField(unit, manifest, problem.path),
          })),
      ),
    ],
    end: () => judgeDefinitions(inputs),
  }),
}

function judgeHealthChecks(unit: CheckedUnit): readonly RuleFinding[] {
  const found = classOf(unit)
  if (found === undefined) return []
  return missingHealthChecks(found).map((path) => ({
    message: `${shownObject({ ...found.manifest, namespace: found.manifest.namespace })}: ${fieldText(path)} is true, and neither the Cluster nor class ${found.className} says what to check`,
    ...placeIn(found.manifest, ...path),
    hint: 'Say it beside the field, or leave the field out.',
  }))
}

/** By a definition that no API server takes, objects are judged as far as it can be read, and nobody would know. */
function judgeDefinitions({ ownDefinitions = [], builtIn, managementMinor }: CheckInputs): readonly RuleFinding[] {
  const set = createSchemaSet(builtIn.of(managementMinor ?? ''), [])
  return ownDefinitions.flatMap((one) =>
    judgePlaced(one, set).map((found): RuleFinding => ({
      ...found,
      severity: 'warning',
      hint: found.hint ?? 'Correct the definition: no API server takes it, and objects of its kind are checked by it.',
    })),
  )
}

/** Up to Kubernetes 1.35 the name of a Service begins with a letter (gate RelaxedServiceNameValidation). */
const LAST_STRICT = 35

function nameProblems({ apiVersion, kind, name }: Manifest, minor: string | undefined): readonly SchemaProblem[] {
  if (apiVersion !== 'v1' || kind !== 'Service' || minor === undefined || /^[a-z]/.test(name)) return []
  if (Number(minor.split('.')[1]) > LAST_STRICT) return []
  return [{ kind: 'not-allowed', path: ['metadata', 'name'], says: 'a name that begins with a letter' }]
}
