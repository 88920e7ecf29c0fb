import type { CompiledSchema } from '../../codec/json-schema/json-schema.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Files, TimeZones } from '../../model/ports.ts'
import type { SchemaName } from './schema-texts.ts'

/** One reading of a fleet repository: where it is, and what was found so far. Problems are collected, not thrown. */
export interface Reading {
  readonly files: Files
  readonly timeZones: TimeZones
  /** The folder of stackmason.yaml, absolute. */
  readonly root: string
  /** The same with every link resolved. */
  readonly realRoot: string
  /** The problems that make the fleet unusable. */
  readonly problems: Diagnostic[]
  /** The findings that a person should look at. */
  readonly findings: Diagnostic[]
  /** Compiled so far. */
  readonly schemas: Map<SchemaName, CompiledSchema>
}
