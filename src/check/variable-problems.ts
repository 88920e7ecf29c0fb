import { SchemaError } from '../codec/json-schema/json-schema-dialect.ts'
import { type CompiledSchema, compileSchema, type SchemaProblem } from '../codec/json-schema/json-schema.ts'
import type { Dict, Value } from '../model/value.ts'
import { toJsonSchema } from './variable-schema.ts'

/** What the `openAPIV3Schema` of a class variable says of a value; nothing where the schema cannot be used. */
export function variableProblems(schema: Dict, value: Value): readonly SchemaProblem[] {
  return compiled(schema)?.validate(value) ?? []
}

/** Undefined for a schema that cannot be used: Cluster API refuses such a class. */
function compiled(schema: Dict): CompiledSchema | undefined {
  try {
    return compileSchema(toJsonSchema(schema), { draft: 'draft-04' })
  } catch (error) {
    if (error instanceof SchemaError) return undefined
    throw error
  }
}
