import { resolvePlain } from '../../codec/go-yaml/go-yaml-resolve.ts'
import type { Value } from '../../model/value.ts'

/** Whether YAML reads the text, without quotes, as a date. */
export function isYamlDate(value: Value): value is string {
  return typeof value === 'string' && resolvePlain(value).kind === 'timestamp'
}
