import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { YamlError } from '../../../src/codec/go-yaml/go-yaml-error.ts'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import type { YamlPlace } from '../../../src/codec/go-yaml/go-yaml-places.ts'
import { readQuickYaml } from '../../../src/codec/go-yaml/quick-yaml.ts'
import { type ReadDocument, parsePositionedYaml } from '../../../src/codec/yaml/positioned-yaml.ts'
import type { PathStep } from '../../../src/model/field.ts'
import { Dict, GoInt, type Value } from '../../../src/model/value.ts'
import { errorRows, parseRows } from '../tables/go-yaml-parse-rows.ts'

/** A comment that is not read quickly. */
const SLOW = '# \u00e9\n'

/** Everything of a value, the order of its keys included. */
function shown(value: Value): unknown {
  if (value instanceof Dict) return [...value].map(([key, item]) => ({ key, value: shown(item) }))
  if (Array.isArray(value)) return value.map(shown)
  return value instanceof GoInt ? `${value.kind} ${String(value.value)}` : value
}

function readSlowly(text: string, integers: 'int' | 'float64'): unknown {
  try {
    return shown(parseGoYaml(SLOW + text, { integers }))
  } catch (error) {
    if (error instanceof YamlError) return error.message
    throw error
  }
}

function noteQuickPlaces(place: YamlPlace, path: string, places: string[]): void {
  places.push(`${path} ${String(place.start)}-${String(place.end)}`)
  for (const [name, { key, value }] of place.entries ?? []) {
    places.push(`key ${path}/${name} ${String(key.start)}-${String(key.end)}`)
    noteQuickPlaces(value, `${path}/${name}`, places)
  }
  for (const [index, item] of (place.items ?? []).entries()) noteQuickPlaces(item, `${path}/${String(index)}`, places)
}

function slowPlaces(document: ReadDocument): readonly string[] {
  const places: string[] = []
  const note = (value: Value, path: readonly PathStep[]): void => {
    const at = (part: 'key' | 'value'): string => {
      const { start, end } = document.spanOf(path, part)
      return `${String(start - SLOW.length)}-${String(end - SLOW.length)}`
    }
    const name = path.map((step) => `/${String(step)}`).join('')
    if (typeof path.at(-1) === 'string') places.push(`key ${name} ${at('key')}`)
    places.push(`${name} ${at('value')}`)
    if (value instanceof Dict) for (const [key, item] of value) note(item, [...path, key])
    if (Array.isArray(value)) for (const [index, item] of value.entries()) note(item, [...path, index])
  }
  note(document.value, [])
  return places
}

/** True if a text is read quickly; then all of it is as the whole reader has it. */
function isAlike(text: string): boolean {
  for (const integers of ['int', 'float64'] as const) {
    const quick = readQuickYaml(text, { integers, words: 'bool', places: 'none' })
    if (quick === undefined) return false
    expect({ text, value: shown(quick.value) }).toEqual({ text, value: readSlowly(text, integers) })
  }
  for (const words of ['bool', 'text'] as const) {
    const quick = readQuickYaml(text, { integers: 'int', words, places: 'noted' })
    const { documents, problems } = parsePositionedYaml({ name: 'a.yaml', text: SLOW + text }, { words })
    const [document] = documents
    expect([text, documents.length, problems]).toEqual([text, 1, []])
    if (quick?.place === undefined || document === undefined) throw new Error(`not read: ${text}`)
    expect({ text, value: shown(quick.value) }).toEqual({ text, value: shown(document.value) })
    const places: string[] = []
    noteQuickPlaces(quick.place, '', places)
    expect({ text, places: places.toSorted() }).toEqual({ text, places: slowPlaces(document).toSorted() })
  }
  return true
}

const rendered = join(import.meta.dirname, '../../../rendered')
const files = readdirSync(rendered, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.yaml'))
  .map((path) => readFileSync(join(rendered, path), 'utf8'))

test('most of what we write is read quickly', () => {
  expect(files.filter(isAlike).length / files.length).toBeGreaterThan(0.85)
})

test('what the whole reader refuses is not read quickly', () => {
  const read = errorRows.filter(([text]) => readQuickYaml(text, { integers: 'int', words: 'bool', places: 'none' }))
  expect(read).toEqual([])
})

test('every row of the whole reader is read alike', () => {
  expect(parseRows.filter(([text]) => isAlike(text)).length).toBeGreaterThan(20)
})

const pieces =
  "|\n|  |    |- |-|a: |key:|b:|x|0x1f|010|1.5|1e3|yes|null|~|\"q\"|\"q\\\"\"|'s'|'it''s'|[a, 1]|{a: 1, b: {}}|[]|[a|#c| #c|: |:|,|\\|\n|\\|-\n|>\n|---\n|...|- - |&x |*x|!t |? |%|@|`|-1|--f|a b|a#b|a:b|http://x:80/|2001-01-01|<<: "
    .split(/(?<!\\)\|/)
    .map((piece) => piece.replace('\\|', '|'))

test('whatever is put together of pieces', () => {
  let quick = 0
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 24 }), (parts) => {
      if (isAlike(parts.join(''))) quick++
    }),
    { numRuns: 3000, seed: 15 },
  )
  expect(quick).toBeGreaterThan(0)
})

test('whatever is put together of lines', () => {
  const line = fc
    .tuple(
      fc.constantFrom('', '  ', '  ', '    ', '      ', ' '),
      fc.constantFrom('', '', '- ', '- - ', '-   '),
      fc.constantFrom('', 'a: ', 'b: ', 'c:', 'yes: ', 'd.e/f-g: '),
      fc.constantFrom(
        '',
        '',
        ...pieces,
        '"a" # c',
        'x # c',
        '[1, "a", {b: c}] # d',
        "{a: [b, {c: d}], e: 'f'}",
        '[ a,b ]',
      ),
    )
    .map((parts) => parts.join(''))
  let quick = 0
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('', '\n', ' \n', '\n\n', '\n  \n'),
      (lines, end) => {
        if (isAlike(lines.join('\n') + end)) quick++
      },
    ),
    { numRuns: 5000, seed: 16 },
  )
  expect(quick).toBeGreaterThan(20)
})

test('real files with a fault', () => {
  const short = files.filter(({ length }) => length < 3000)
  let quick = 0
  fc.assert(
    fc.property(
      fc.constantFrom(...short),
      fc.array(fc.tuple(fc.nat(3000), fc.constantFrom(...pieces, '\n  ', '\n', ' ', '\t')), {
        minLength: 1,
        maxLength: 2,
      }),
      (text, faults) => {
        let faulty = text
        for (const [at, piece] of faults) {
          const place = at % faulty.length
          faulty = faulty.slice(0, place) + piece + faulty.slice(place)
        }
        if (isAlike(faulty)) quick++
      },
    ),
    { numRuns: 2000, seed: 17 },
  )
  expect(quick).toBeGreaterThan(100)
})
