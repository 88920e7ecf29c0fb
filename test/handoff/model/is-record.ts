/** True if it is a map of a parsed document. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value in a parsed document. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((from, key) => (isRecord(from) ? from[key] : undefined), value)
}
