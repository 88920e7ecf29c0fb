import { dictAt, itemsAt, textAt } from '../../model/field.ts'
import { shownKey } from '../../model/shown-name.ts'
import { Dict, type Value } from '../../model/value.ts'
import { ruleProblems } from '../built-in/definition-expressions.ts'
import { schemaProblems } from '../built-in/structural-schema.ts'
import { schemaDefaultProblems } from '../schema/default-problems.ts'
import { fieldText } from '../schema/field-text.ts'
import { valueProblemText } from '../schema/problem-text.ts'
import type { FoundProblem } from '../schema/schema-node.ts'
import type { ClassProblem } from './class-problem.ts'

const SCHEMA = ['schema', 'openAPIV3Schema'] as const

/**
 * Problems of the definitions of variables that the webhook of Cluster API refuses (core
 * internal/topology/variables/clusterclass_variable_validation.go): it judges their schemas as an API server judges
 * those of custom resources.
 */
export function variableDefinitionProblems(clusterClass: Dict): readonly ClassProblem[] {
  return itemsAt(clusterClass, 'spec', 'variables').flatMap((variable, index) =>
    [...nameProblems(variable), ...schemaProblemsOf(variable)].map((problem) => ({
      ...problem,
      path: ['spec', 'variables', index, ...problem.path],
    })),
  )
}

function nameProblems(variable: Value): readonly ClassProblem[] {
  const name = textAt(variable, 'name')
  const path = ['name']
  if (name === 'builtin')
    return [{ says: 'a variable is called builtin, which Cluster API reserves', path, hint: 'Give it another.' }]
  if (!name.includes('.')) return []
  return [{ says: `a variable is called ${shownKey(name)}`, path, hint: 'Give it a name without a dot.' }]
}

function schemaProblemsOf(variable: Value): readonly ClassProblem[] {
  const schema = dictAt(variable, ...SCHEMA)
  if (schema === undefined) return []
  const name = shownKey(textAt(variable, 'name'))
  const asProblem = ({ path, says }: FoundProblem): ClassProblem => ({
    says: `the schema of variable ${name}: ${fieldText(path)} has to be ${says}`,
    path: [...SCHEMA, ...path],
  })
  const structural = structuralProblems(schema)
  if (structural.length > 0) return structural.map(asProblem)
  const defaults = schemaDefaultProblems(schema)
  if (defaults.length === 0) return ruleProblems(schema).map(asProblem)
  return defaults.map((problem) => {
    const field = problem.within.length === 0 ? '' : ` at ${fieldText(problem.within)}`
    return {
      says: `the default of variable ${name} is not allowed by its schema${field}: ${valueProblemText(problem)}`,
      path: [...SCHEMA, ...problem.path],
    }
  })
}

/** A schema of any type, judged as a field: at the root servers take objects alone. */
function structuralProblems(schema: Dict): readonly FoundProblem[] {
  const root = new Dict()
  const properties = new Dict()
  properties.set('variable', schema)
  root.set('type', 'object')
  root.set('properties', properties)
  return schemaProblems(root, false).map(({ path, says }) => ({ path: path.slice(2), says }))
}
