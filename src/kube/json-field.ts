/** The value at a path of keys in parsed JSON, of own properties only; undefined where there is nothing. */
export function fieldAt(value: unknown, ...path: readonly string[]): unknown {
  let at = value
  for (const key of path) {
    if (!isRecord(at) || !Object.hasOwn(at, key)) return undefined
    at = at[key]
  }
  return at
}

/** The text at a path; undefined where there is none. */
export function textField(value: unknown, ...path: readonly string[]): string | undefined {
  const found = fieldAt(value, ...path)
  return typeof found === 'string' ? found : undefined
}

/** The number at a path; undefined where there is none. */
export function numberField(value: unknown, ...path: readonly string[]): number | undefined {
  const found = fieldAt(value, ...path)
  return typeof found === 'number' ? found : undefined
}

/** The items at a path; none where there is no list. */
export function listField(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = fieldAt(value, ...path)
  return Array.isArray(found) ? found : []
}

/** The texts of a map at a path, such as labels; anything else in it is left out. */
export function textsField(value: unknown, ...path: readonly string[]): ReadonlyMap<string, string> {
  const found = fieldAt(value, ...path)
  const texts = new Map<string, string>()
  if (!isRecord(found)) return texts
  for (const [key, text] of Object.entries(found)) if (typeof text === 'string') texts.set(key, text)
  return texts
}

/** True if it is an object of JSON. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
