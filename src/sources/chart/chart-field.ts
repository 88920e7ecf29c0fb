import { formatFloat32G } from '../../codec/json/go-float.ts'
import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { parsePositionedYaml } from '../../codec/yaml/positioned-yaml.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Source } from '../../model/source.ts'
import { Dict, GoInt, goTypeOf, type Value } from '../../model/value.ts'

/** Where a field lies in the document. */
export type Path = readonly (string | number)[]

/** A field of Chart.yaml that cannot be what it is. */
export class FieldProblem extends Error {
  readonly path: Path

  constructor(message: string, path: Path) {
    super(message)
    this.path = path
  }
}

/**
 * The first document of a file, which must be a map; integers keep their kind. @throws StackmasonError CHART_INVALID at
 * the problem
 */
export function readDocument(source: Source): Dict {
  let document: Value
  try {
    document = parseGoYaml(source.text, { integers: 'int' })
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause
    const at = { source, start: cause.offset, end: cause.offset }
    throw new StackmasonError(
      { code: 'CHART_INVALID', severity: 'error', message: `cannot load ${baseOf(source)}: ${cause.unquoted}`, at },
      { cause },
    )
  }
  if (document instanceof Dict) return document
  if (document === null) return new Dict()
  return inSource(source, () => {
    throw new FieldProblem(`cannot load ${baseOf(source)}: it must be a map`, [])
  })
}

function baseOf(source: Source): string {
  return source.name.slice(source.name.lastIndexOf('/') + 1)
}

/**
 * Runs `read`; what it finds wrong is reported at its place in `source`, which is only parsed with positions then.
 * @throws StackmasonError CHART_INVALID
 */
export function inSource<Result>(source: Source, read: () => Result): Result {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof FieldProblem)) throw cause
    const at = parsePositionedYaml(source).documents[0]?.spanOf(cause.path)
    const place = at === undefined ? { file: source.name } : { at }
    throw new StackmasonError({ code: 'CHART_INVALID', severity: 'error', message: cause.message, ...place }, { cause })
  }
}

/**
 * encoding/json's rule: the exact name, or the same letters in another case; of several the last in byte order counts.
 */
export function fieldOf(map: Dict, name: string): { readonly key: string; readonly value: Value } | undefined {
  const keys = [...map.keys()].filter((key) => key.toLowerCase() === name.toLowerCase()).sort(compareBytes)
  const key = keys.at(-1)
  return key === undefined ? undefined : { key, value: map.get(key) ?? null }
}

/** Numbers and booleans count as text, as in Helm. @throws FieldProblem for lists and maps */
export function textOf(value: Value, path: Path): string {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (value instanceof GoInt) return String(value.value)
  if (typeof value === 'number') return formatFloat32G(value)
  throw new FieldProblem(`${path.join('.')} must be text, not ${goTypeOf(value)}`, path)
}

/**
 * unicode.IsSpace becomes a space, what unicode.IsPrint refuses goes, invalid bytes show as U+FFFD (Helm's
 * sanitizeString).
 */
export function sanitize(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/\p{White_Space}/gu, ' ')
    .replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '')
}

/** The text of a field; empty when it is absent. @throws FieldProblem */
export function textField(map: Dict, name: string, parent: Path = []): string {
  const field = fieldOf(map, name)
  return field === undefined ? '' : textOf(field.value, [...parent, field.key])
}

/** The items of a list and where it lies; none when it is absent. @throws FieldProblem */
export function listField(
  map: Dict,
  name: string,
  parent: Path = [],
): { readonly items: readonly Value[]; readonly path: Path } {
  const field = fieldOf(map, name)
  const path = [...parent, field?.key ?? name]
  if (field === undefined || field.value === null) return { items: [], path }
  if (!Array.isArray(field.value)) throw new FieldProblem(`${path.join('.')} must be a list`, path)
  return { items: field.value, path }
}

/** A list of texts, sanitized. @throws FieldProblem */
export function textList(map: Dict, name: string, parent: Path = []): string[] {
  const { items, path } = listField(map, name, parent)
  return items.map((item, index) => sanitize(textOf(item, [...path, index])))
}

/** A boolean; false when it is absent. @throws FieldProblem */
export function boolField(map: Dict, name: string, parent: Path = []): boolean {
  const field = fieldOf(map, name)
  if (field === undefined || field.value === null) return false
  if (typeof field.value === 'boolean') return field.value
  const path = [...parent, field.key]
  throw new FieldProblem(`${path.join('.')} must be true or false`, path)
}
