import type { Diagnostic } from '../../model/diagnostic.ts'

/** The key by which findings of two trees are compared. */
export function findingKey({ code, message, about, file, at }: Diagnostic): string {
  return JSON.stringify([code, message, about, file ?? at?.source.path])
}
