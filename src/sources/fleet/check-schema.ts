import { parseGoJson } from '../../codec/json/go-json.ts'
import { compileSchema, type CompiledSchema } from '../../codec/json-schema/json-schema.ts'
import type { ConfigDocument } from './config-document.ts'
import type { Reading } from './reading.ts'
import { describeProblem } from './schema-diagnostic.ts'
import { schemaTexts, type SchemaName } from './schema-texts.ts'

/** True if the document meets the schema; every problem is noted at its place. */
export function checkSchema(document: ConfigDocument, name: SchemaName, reading: Reading): boolean {
  const problems = schemaOf(name, reading)
    .validate(document.value)
    .filter((problem) => problem.within === undefined)
  for (const problem of problems) reading.problems.push(describeProblem(problem, document, name))
  return problems.length === 0
}

function schemaOf(name: SchemaName, reading: Reading): CompiledSchema {
  const known = reading.schemas.get(name)
  if (known !== undefined) return known
  const schema = compileSchema(parseGoJson(schemaTexts[name]), { patterns: 'on-use' })
  reading.schemas.set(name, schema)
  return schema
}
