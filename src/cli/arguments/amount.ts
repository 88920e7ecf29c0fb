const SIZES: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['B', 1],
  ['KB', 1000],
  ['MB', 1000 ** 2],
  ['GB', 1000 ** 3],
  ['TB', 1000 ** 4],
  ['KIB', 1024],
  ['MIB', 1024 ** 2],
  ['GIB', 1024 ** 3],
  ['TIB', 1024 ** 4],
])

const SECOND = 1000

const AGES: ReadonlyMap<string, number> = new Map([
  ['s', SECOND],
  ['m', 60 * SECOND],
  ['h', 3600 * SECOND],
  ['d', 24 * 3600 * SECOND],
  ['w', 7 * 24 * 3600 * SECOND],
])

/** Bytes of a text such as `500MiB`, `1.5GB` or `1000`; undefined when it is none. */
export function parseSize(text: string): number | undefined {
  const [number, unit] = split(text)
  const factor = SIZES.get(unit.toUpperCase())
  return number === undefined || factor === undefined ? undefined : Math.floor(number * factor)
}

/** Milliseconds of a text such as `30d`, `12h`, `2w` or `0`; undefined when it is none. */
export function parseAge(text: string): number | undefined {
  const [number, unit] = split(text)
  if (number === 0 && unit === '') return 0
  const factor = AGES.get(unit)
  return number === undefined || factor === undefined ? undefined : number * factor
}

function split(text: string): readonly [number: number | undefined, unit: string] {
  const [, number, unit = ''] = /^(\d{1,15}(?:\.\d{1,9})?) ?([A-Za-z]*)$/.exec(text) ?? []
  return [number === undefined ? undefined : Number(number), unit]
}
