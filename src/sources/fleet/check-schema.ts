import { parseGoJson } from '../../codec/json/go-json.ts'
import { compileSchema, type CompiledSchema, type SchemaProblem } from '../../codec/json-schema/json-schema.ts'
import type { ConfigDocument } from './config-document.ts'
import type { Reading } from './reading.ts'
import { describeProblem, meantField } from './schema-diagnostic.ts'
import { schemaTexts, type SchemaName } from './schema-texts.ts'

/** True if the document meets the schema; every problem is noted at its place. */
export function checkSchema(document: ConfigDocument, name: SchemaName, reading: Reading): boolean {
  const problems = schemaOf(name, reading)
    .validate(document.value)
    .filter((problem) => problem.within === undefined)
  const misspelt = misspeltFields(problems, document)
  for (const problem of problems.filter((one) => !misspelt.has(one)))
    reading.problems.push(describeProblem(problem, document, name))
  return problems.length === 0
}

/** Fields that are missing because they are misspelt: the unknown field says so. */
function misspeltFields(problems: readonly SchemaProblem[], document: ConfigDocument): ReadonlySet<SchemaProblem> {
  const unknown = problems.filter(({ keyword }) => keyword === 'additionalProperties')
  const meant = new Set(unknown.map((problem) => keyOf(problem, meantField(problem, document))))
  return new Set(problems.filter((one) => one.keyword === 'required' && meant.has(keyOf(one, one.property))))
}

function keyOf({ path }: SchemaProblem, field: string | undefined): string {
  return JSON.stringify([path, field])
}

function schemaOf(name: SchemaName, reading: Reading): CompiledSchema {
  const known = reading.schemas.get(name)
  if (known !== undefined) return known
  const schema = compileSchema(parseGoJson(schemaTexts[name]), { patterns: 'on-use' })
  reading.schemas.set(name, schema)
  return schema
}
