import { elementType } from './value.ts'

/**
 * The same value, with what it has in common with another one, at the same place, taken from that: of values that are
 * alike each takes little room besides the first. Looks into plain objects and lists; all else stays as it is. Neither
 * value may be changed from then on.
 */
export function sharingParts<Kind>(value: Kind, other: Kind | undefined): Kind {
  return (other === undefined ? value : share(value, other)) as Kind
}

function share(value: unknown, other: unknown): unknown {
  // two equal texts may be two objects
  if (Object.is(value, other)) return other
  if (isList(value)) return isList(other) ? shareItems(value, other) : value
  return isRecord(value) && isRecord(other) ? shareFields(value, other) : value
}

function shareItems(list: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  const items = list.map((item, index) => share(item, other[index]))
  return items.length === other.length && items.every((item, index) => Object.is(item, other[index])) ? other : items
}

function shareFields(value: Fields, other: Fields): Fields {
  const names = Object.keys(value)
  const entries = names.map((name) => [name, share(value[name], Object.hasOwn(other, name) ? other[name] : undefined)])
  const otherNames = Object.keys(other)
  const isSame =
    names.length === otherNames.length &&
    names.every((name, index) => name === otherNames[index] && Object.is(entries[index]?.[1], other[name]))
  return isSame ? other : (Object.fromEntries(entries) as Fields)
}

type Fields = Readonly<Record<string, unknown>>

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && elementType(value) === elementType([])
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
