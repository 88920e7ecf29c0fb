import { parseGoJson } from '../../codec/json/go-json.ts'
import { dictAt, textAt } from '../../model/field.ts'
import { schemaTexts } from './schema-texts.ts'

/** The keys that the schema of addons.yaml allows in `spec.runtimeValues`. */
export interface RuntimeFields {
  readonly pattern: RegExp
  /** Those that it knows by name. */
  readonly names: readonly string[]
}

/** The fields that only the running cluster knows, for files that no schema describes as a whole. */
export function runtimeFields(): RuntimeFields {
  const schema = parseGoJson(schemaTexts.addons)
  const path = ['properties', 'spec', 'properties', 'runtimeValues'] as const
  return {
    pattern: new RegExp(textAt(schema, ...path, 'propertyNames', 'pattern')),
    names: [...(dictAt(schema, ...path, 'properties') ?? [])].map(([name]) => name),
  }
}
