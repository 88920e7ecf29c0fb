import { type Json, type Mutation, seeded } from './mutate-object.ts'

/** Values that some objects have, by where they stand. */
interface Stock {
  /** By the name of their field. */
  readonly values: ReadonlyMap<string, readonly Json[]>
  /** Fields, by the name of the field of the map that they stand in. */
  readonly fields: ReadonlyMap<string, readonly (readonly [name: string, value: Json])[]>
}

/**
 * Objects with values and fields of one another, seeded: what stands in the same field elsewhere is often just inside or
 * just outside of what a server takes.
 */
export function recombined(
  objects: readonly Json[],
  { seed, count }: { readonly seed: number; readonly count: number },
): readonly Mutation[] {
  const random = seeded(seed)
  const stock = stockOf(objects)
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)]
  return Array.from({ length: count }, (): Mutation => {
    const copy: Json = structuredClone(pick(objects) ?? null)
    const places = placesOf(copy, '', 'object').filter(
      ({ path }) => !/^\/(?:apiVersion|kind|metadata)(?:$|\/)/.test(path),
    )
    const what = Array.from({ length: random() < 0.3 ? 2 : 1 }, () => change(pick(places), stock, pick))
    return { what: what.join(' and '), object: copy }
  })
}

/** A map, the name of the field that it stands in, and where it stands. */
interface Place {
  readonly path: string
  readonly name: string
  readonly map: { [key: string]: Json }
}

function change(
  place: Place | undefined,
  { values, fields }: Stock,
  pick: <Item>(items: readonly Item[]) => Item | undefined,
): string {
  if (place === undefined) return 'nothing'
  const { path, name, map } = place
  const kind = pick(['value', 'value', 'field', 'field', 'drop'])
  const key = pick(Object.keys(map)) ?? ''
  if (kind === 'field') {
    const [added, value] = pick(fields.get(name) ?? []) ?? ['', null]
    if (added === '') return 'nothing'
    map[added] = structuredClone(value)
    return `field ${path}/${added} ${JSON.stringify(value).slice(0, 80)}`
  }
  if (key === '' || (path === '' && key !== 'spec')) return 'nothing'
  if (kind === 'drop') {
    Reflect.deleteProperty(map, key)
    return `drop ${path}/${key}`
  }
  const value = pick(values.get(key) ?? [])
  if (value === undefined) return 'nothing'
  map[key] = structuredClone(value)
  return `value ${path}/${key} ${JSON.stringify(value).slice(0, 80)}`
}

function stockOf(objects: readonly Json[]): Stock {
  const values = new Map<string, Json[]>()
  const fields = new Map<string, (readonly [string, Json])[]>()
  for (const object of objects)
    for (const { name, map } of placesOf(object, '', 'object'))
      for (const [key, value] of Object.entries(map)) {
        values.set(key, [...(values.get(key) ?? []), value])
        fields.set(name, [...(fields.get(name) ?? []), [key, value]])
      }
  return { values, fields }
}

function placesOf(value: Json, path: string, name: string): readonly Place[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => placesOf(item, `${path}/${String(index)}`, name))
  if (typeof value !== 'object' || value === null) return []
  return [
    { path, name, map: value },
    ...Object.entries(value).flatMap(([key, child]) => placesOf(child, `${path}/${key}`, key)),
  ]
}
