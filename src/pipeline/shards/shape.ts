/** True for values of a form: asked of what anybody may have written, before it is believed to have a type. */
export type Shape = (value: unknown) => boolean

/** A text. */
export const text: Shape = (value) => typeof value === 'string'

/** A number of things. */
export const count: Shape = (value) => Number.isSafeInteger(value) && Number(value) >= 0

/** One of these values. */
export function oneOf(...values: readonly unknown[]): Shape {
  return (value) => values.includes(value)
}

/** A list of such items. */
export function listOf(item: Shape): Shape {
  return (value) => Array.isArray(value) && value.every(item)
}

/** A map with such keys and values. */
export function mapOf(key: Shape, item: Shape): Shape {
  return (value) => value instanceof Map && [...value].every(([one, other]) => key(one) && item(other))
}

/** An object with these fields of its own and no others; those of `optional` may be missing. */
export function fields(
  required: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape {
  const known = new Map([...Object.entries(required), ...Object.entries(optional)])
  return (value) => {
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false
    const own = new Map<string, unknown>(Object.entries(value))
    return (
      [...own].every(
        ([name, field]) => known.get(name)?.(field) === true || (field === undefined && Object.hasOwn(optional, name)),
      ) && Object.keys(required).every((name) => own.has(name))
    )
  }
}
