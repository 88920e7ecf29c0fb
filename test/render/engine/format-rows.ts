import { GoBytes, GoInt, dict, typedList, type IntKind, type Value } from '../../../src/model/value.ts'

/** One row as the Go program that made the table wrote it: format, arguments, result. */
export type FormatRow = readonly [format: string, args: readonly unknown[], want: string]

/** Reads a table of rows, one JSON array a line. */
export function parseRows(text: string): readonly FormatRow[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const row: unknown = JSON.parse(line)
      if (!Array.isArray(row) || typeof row[0] !== 'string' || !Array.isArray(row[1]) || typeof row[2] !== 'string') {
        throw new TypeError(`not a row: ${line}`)
      }
      return [row[0], row[1], row[2]]
    })
}

/** An argument: JSON as it stands, or one key that names the Go type. */
export function parseArgument(json: unknown): Value {
  if (json === null || typeof json === 'boolean' || typeof json === 'number' || typeof json === 'string') return json
  if (Array.isArray(json)) return json.map(parseArgument)
  if (typeof json !== 'object') throw new TypeError('not an argument')
  const [type = '', inner]: readonly [string?, unknown?] = Object.entries(json)[0] ?? []
  if (type === 'float64') return inner === '-0' ? -0 : Number(String(inner).replace('Inf', 'Infinity'))
  if (type === 'bytes')
    return new GoBytes(Uint8Array.from(String(inner).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)))
  if (type === 'strings' && Array.isArray(inner)) return typedList('string', inner.map(String))
  if (type === 'ints' && Array.isArray(inner))
    return typedList(
      'int',
      inner.map((int) => new GoInt(BigInt(String(int)))),
    )
  if ((type === 'map' || type === 'mapstring') && typeof inner === 'object' && inner !== null) {
    const map = dict(Object.entries(inner).map(([key, value]) => [key, parseArgument(value)]))
    if (type === 'mapstring') map.goType = 'map[string]string'
    return map
  }
  if (isIntKind(type)) return new GoInt(BigInt(String(inner)), type)
  throw new TypeError(`unknown type ${type}`)
}

function isIntKind(type: string): type is IntKind {
  return /^u?int(8|16|32|64)?$/.test(type)
}
