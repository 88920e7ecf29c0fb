import { parseGoJson } from '../../codec/json/go-json.ts'
import { compileSchema, type CompiledSchema } from '../../codec/json-schema/json-schema.ts'
import { textAt } from '../../model/field.ts'
import { Dict } from '../../model/value.ts'
import type { ConfigDocument } from './config-document.ts'
import type { Reading } from './reading.ts'
import { describeProblem } from './schema-diagnostic.ts'
import { schemaTexts, type SchemaName } from './schema-texts.ts'

/** Whether the document meets the schema; every problem is noted at its place. */
export function checkSchema(document: ConfigDocument, name: SchemaName, reading: Reading): boolean {
  const problems = schemaOf(name, reading)
    .validate(document.value)
    .filter((problem) => problem.within === undefined)
  for (const problem of problems) reading.problems.push(describeProblem(problem, document, name))
  return problems.length === 0
}

/**
 * Whether the document says that it is what the file must hold. Another `kind` or `apiVersion` is one problem of its own: to list every field of it
 * as unknown would help nobody.
 */
export function checkKind(
  document: ConfigDocument,
  wanted: { readonly apiVersion: string; readonly kind: string },
  reading: Reading,
): boolean {
  const before = reading.problems.length
  for (const field of ['kind', 'apiVersion'] as const) {
    const found = document.value instanceof Dict ? textAt(document.value, field) : ''
    if (found === '' || found === wanted[field]) continue
    reading.problems.push({
      code: 'CONFIG_INVALID_VALUE',
      severity: 'error',
      message: `${field} must be "${wanted[field]}" in this file`,
      at: document.spanOf([field]),
    })
  }
  return reading.problems.length === before
}

function schemaOf(name: SchemaName, reading: Reading): CompiledSchema {
  const known = reading.schemas.get(name)
  if (known !== undefined) return known
  const schema = compileSchema(parseGoJson(schemaTexts[name]))
  reading.schemas.set(name, schema)
  return schema
}
