import { placeIn } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import type { TreeChange, TreeObject } from '../../model/tree-change.ts'
import { validateRules, type RuleProblem } from '../cel/validate-rules.ts'
import { changedObjects, nameOf } from '../changed-object.ts'
import type { Destination } from '../checked-unit.ts'
import type { Rule, RuleFinding } from '../rule.ts'
import { fieldText } from '../schema/field-text.ts'
import { judgeObjects } from '../schema/judge-objects.ts'
import { type ObjectSchema, withDefaults } from '../schema/validate-object.ts'

/** Objects that break the rules in CEL of their definitions. */
export const brokenRules: Rule = {
  code: 'FIELD_RULE_BROKEN',
  severity: 'error',
  explanation: [
    'A definition may have rules in CEL (`x-kubernetes-validations`), which the API server asks of every object that it is given. They are asked here with the same values: after defaults, under escaped names, with the functions that Kubernetes adds. An object with other mistakes is not asked, as on the server.',
    'Rules that compare with the value before (`oldSelf`) are asked of objects that change against the base. Items of lists are compared where the list has keys.',
    'A rule that depends on a value that is filled in later is not judged. A message that is made of the object is shown without secrets.',
  ],
  begin: (inputs) => {
    const schemas = new Map<string, ObjectSchema>()
    return {
      unit: (unit) =>
        judgeObjects(unit, inputs).flatMap(({ manifest, lookup, destination, ruleProblems }) => {
          if (lookup.state === 'known' && lookup.schema.node.hasCelRules)
            schemas.set(keyOf({ ...manifest, destination }), lookup.schema)
          return ruleProblems
            .filter(({ state }) => state === 'broken')
            .map((problem) => ({
              message: `${shownObject({ ...manifest, namespace: manifest.namespace })}: ${textOf(problem)}`,
              ...placeIn(manifest, ...problem.path),
            }))
        }),
      change: (change) => findBrokenChanges(change, schemas),
    }
  },
}

/** The kind of an object at the API server that it goes to. */
function keyOf({
  destination,
  apiVersion,
  kind,
}: Pick<TreeObject, 'apiVersion' | 'kind'> & { readonly destination: Destination }): string {
  const server = destination === 'management' ? '' : `${destination.namespace}/${destination.name}`
  return [server, apiVersion, kind].join(' ')
}

function findBrokenChanges(change: TreeChange, schemas: ReadonlyMap<string, ObjectSchema>): readonly RuleFinding[] {
  return changedObjects(change).flatMap(({ change: { before, after, change: what }, finding }): RuleFinding[] => {
    const schema = after && schemas.get(keyOf(after))
    if (after === undefined || schema === undefined || what === 'renamed') return []
    const old = before === undefined ? 'none' : withDefaults(before.object, schema)
    return validateRules({ object: withDefaults(after.object, schema), old }, schema.node)
      .filter(({ state }) => state === 'broken')
      .map((problem) => ({ message: `${nameOf(after)}: ${textOf(problem)}`, ...finding }))
  })
}

function textOf({ path, says }: RuleProblem): string {
  return path.length === 0 ? says : `${fieldText(path)}: ${says}`
}
