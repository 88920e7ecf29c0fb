import { parseGoJson } from '../../codec/json/go-json.ts'
import { compileSchema, type CompiledSchema, type SchemaProblem } from '../../codec/json-schema/json-schema.ts'
import { dictAt } from '../../model/field.ts'
import type { ConfigDocument } from './config-document.ts'
import type { Reading } from './reading.ts'
import { describeProblem, meantField } from './schema-diagnostic.ts'
import { schemaTexts, type SchemaName } from './schema-texts.ts'

/** True if the document meets the schema; every problem is noted at its place. */
export function checkSchema(document: ConfigDocument, name: SchemaName, reading: Reading): boolean {
  const problems = schemaOf(name, reading)
    .validate(document.value)
    .filter((problem) => problem.within === undefined)
  const explained = explainedByNames(problems, document)
  for (const problem of problems.filter((one) => !explained.has(one)))
    reading.problems.push(describeProblem(problem, document, name))
  return problems.length === 0
}

/**
 * Problems that an unknown name says already: fields that are missing because they are misspelt, alone or as one of a
 * choice, and values under a name that may not be there.
 */
function explainedByNames(problems: readonly SchemaProblem[], document: ConfigDocument): ReadonlySet<SchemaProblem> {
  const unknown = problems.filter(({ keyword }) => keyword === 'additionalProperties')
  const meant = new Set(unknown.map((problem) => keyOf(problem, meantField(problem, document))))
  const isMeant = (one: SchemaProblem): boolean =>
    one.keyword === 'required'
      ? meant.has(keyOf(one, one.property))
      : one.keyword === 'oneOf' &&
        !one.allowed?.some((field) => dictAt(document.value, ...one.path)?.has(field)) &&
        one.allowed?.some((field) => meant.has(keyOf(one, field))) === true
  const names = problems.filter(({ keyword }) => keyword === 'propertyNames')
  const refused = new Set(names.map((problem) => keyOf(problem, problem.property)))
  const isBelow = ({ path }: SchemaProblem): boolean =>
    path.some((step, at) => typeof step === 'string' && refused.has(keyOf({ path: path.slice(0, at) }, step)))
  return new Set(problems.filter((one) => isMeant(one) || isBelow(one)))
}

function keyOf({ path }: Pick<SchemaProblem, 'path'>, field: string | undefined): string {
  return JSON.stringify([path, field])
}

function schemaOf(name: SchemaName, reading: Reading): CompiledSchema {
  const known = reading.schemas.get(name)
  if (known !== undefined) return known
  const schema = compileSchema(parseGoJson(schemaTexts[name]), { patterns: 'on-use' })
  reading.schemas.set(name, schema)
  return schema
}
