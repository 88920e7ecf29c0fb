/** Faults in objects as people make them, seeded: for tests of what checks find. */

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** An object with a fault, or with a change that is none. */
export interface Mutation {
  /** What was done, and where. */
  readonly what: string
  readonly object: Json
}

type Place = {
  readonly path: string
  readonly get: () => Json
  readonly set: (value: Json) => void
  readonly drop: () => unknown
}

/** Numbers from 0 to below 1 that a seed decides (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** One random change of a copy of the object; what identifies the object stays, but for versions and kinds. */
export function mutateObject(object: Json, random: () => number): Mutation {
  const copy: Json = structuredClone(object)
  const places = [...placesIn(copy, '')].filter(({ path }) => !kept.has(path))
  if (places.length === 0) return { what: 'nothing in', object: copy }
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)]
  const change = pick(changes)
  const fitting = places.filter((place) => change?.fits(place.get()) === true)
  const place = pick(fitting)
  if (change === undefined || place === undefined) return mutateObject(object, random)
  change.make(place, random)
  return { what: `${change.name} ${place.path}`, object: copy }
}

/** Fields that the tests need, so that a server answers about the object. */
const kept: ReadonlySet<string> = new Set([
  '/apiVersion',
  '/kind',
  '/metadata',
  '/metadata/name',
  '/metadata/namespace',
])

function* placesIn(value: Json, path: string): Generator<Place> {
  if (Array.isArray(value)) {
    for (const [index, child] of value.entries()) {
      const here = `${path}/${String(index)}`
      const set = (now: Json): void => {
        value[index] = now
      }
      yield { path: here, get: () => child, set, drop: () => value.splice(index, 1) }
      yield* placesIn(child, here)
    }
    return
  }
  if (!isMap(value)) return
  for (const [key, child] of Object.entries(value)) {
    const here = `${path}/${key}`
    const set = (now: Json): void => {
      value[key] = now
    }
    yield { path: here, get: () => child, set, drop: () => Reflect.deleteProperty(value, key) }
    yield* placesIn(child, here)
  }
}

const isText = (value: Json): value is string => typeof value === 'string'
const isMap = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isAny = (): boolean => true

const changes: readonly {
  readonly name: string
  readonly fits: (value: Json) => boolean
  readonly make: (place: Place, random: () => number) => void
}[] = [
  {
    name: 'remove',
    fits: isAny,
    make: (place) => {
      place.drop()
    },
  },
  {
    name: 'null',
    fits: isAny,
    make: (place) => {
      place.set(null)
    },
  },
  {
    name: 'misspell a key in',
    fits: (value) => isMap(value) && Object.keys(value).length > 0,
    make: (place, random) => {
      const value = place.get()
      if (!isMap(value)) return
      const keys = Object.keys(value)
      const chosen = keys[Math.floor(random() * keys.length)] ?? ''
      const at = Math.floor(random() * chosen.length)
      const entries = Object.entries(value).map(([key, child]): [string, Json] =>
        key === chosen ? [key.slice(0, at) + key.slice(at, at + 1).repeat(2) + key.slice(at + 1), child] : [key, child],
      )
      place.set(Object.fromEntries(entries))
    },
  },
  {
    name: 'add a field to',
    fits: isMap,
    make: (place) => {
      const value = place.get()
      if (isMap(value)) place.set({ ...value, enabled: true })
    },
  },
  {
    name: 'text for',
    fits: (value) => !isText(value),
    make: (place) => {
      place.set('text')
    },
  },
  {
    name: 'number for',
    fits: (value) => typeof value !== 'number',
    make: (place) => {
      place.set(7)
    },
  },
  {
    name: 'true for',
    fits: (value) => typeof value !== 'boolean',
    make: (place) => {
      place.set(true)
    },
  },
  {
    name: 'map for',
    fits: (value) => !isMap(value),
    make: (place) => {
      place.set({ value: 'x' })
    },
  },
  {
    name: 'list for',
    fits: (value) => !Array.isArray(value),
    make: (place) => {
      place.set(['x'])
    },
  },
  {
    name: 'another word for',
    fits: isText,
    make: (place) => {
      place.set('Sometimes')
    },
  },
  {
    name: 'no text for',
    fits: isText,
    make: (place) => {
      place.set('')
    },
  },
  {
    name: 'a sentence for',
    fits: isText,
    make: (place) => {
      place.set('What is this? It is wrong!')
    },
  },
  {
    name: 'a quoted number for',
    fits: (value) => typeof value === 'number',
    make: (place) => {
      place.set(JSON.stringify(place.get()))
    },
  },
  {
    name: 'less than none for',
    fits: (value) => typeof value === 'number',
    make: (place) => {
      place.set(-1)
    },
  },
  {
    name: 'too much for',
    fits: (value) => typeof value === 'number',
    make: (place) => {
      place.set(99_999_999_999)
    },
  },
  {
    name: 'double an item of',
    fits: (value) => Array.isArray(value) && value.length > 0,
    make: (place, random) => {
      const value = place.get()
      if (Array.isArray(value)) place.set([...value, value[Math.floor(random() * value.length)] ?? null])
    },
  },
]
