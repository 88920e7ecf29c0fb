import { compareBytes } from '../../codec/text-order.ts'
import type { Hole } from '../../model/binding.ts'
import { dict, type Dict, type Value } from '../../model/value.ts'
import { groupOf } from './annotate-manifest.ts'

/** What a patch needs to know of a hole. */
type PatchedHole = Pick<Hole, 'object' | 'pointer' | 'text' | 'isInteger'> & Partial<Pick<Hole, 'names'>>

/** Annotations of the cluster Secret that hold the values start with this. */
const VALUE_PREFIX = 'values.stackmason.dev/'

/**
 * Makes the entries of `kustomize.patches` that fill holes, one for each object: JSON patches (RFC 6902) written as Go templates over the annotations of
 * the cluster Secret. Evaluating one fails while a value is missing or empty, so that nothing is applied by half: `missingkey=error` does not see a
 * missing annotation, since `index` on Go's map[string]string gives "" for it.
 */
export function holePatches(holes: readonly PatchedHole[]): readonly Dict[] {
  const objects = new Map<string, [PatchedHole, ...PatchedHole[]]>()
  for (const hole of holes) {
    const { apiVersion, kind, namespace = '', name } = hole.object
    const key = [apiVersion, kind, namespace, name].join('\n')
    const others = objects.get(key)
    if (others === undefined) objects.set(key, [hole])
    else others.push(hole)
  }
  return [...objects.entries()]
    .toSorted(([a], [b]) => compareBytes(a, b))
    .map(([, ofObject]) =>
      dict([
        ['patch', patchTemplate(ofObject)],
        ['target', targetOf(ofObject[0].object)],
      ]),
    )
}

/** Kustomize takes each field as a regular expression that must match the whole (kustomize api/types `NewSelectorRegex`). */
function targetOf({ apiVersion, kind, name, namespace }: PatchedHole['object']): Dict {
  const fields: [string, string][] = [
    ['group', groupOf({ apiVersion })],
    ['version', apiVersion.slice(apiVersion.indexOf('/') + 1)],
    ['kind', kind],
    ['name', name],
    ['namespace', namespace ?? ''],
  ]
  return dict(
    fields
      .filter(([, text]) => text !== '')
      .map(([field, text]): [string, Value] => [field, text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)]),
  )
}

function patchTemplate(holes: readonly PatchedHole[]): string {
  const parsed = holes.map((hole) => ({ hole, parts: partsOf(hole) }))
  const names = [...new Set(parsed.flatMap(({ parts }) => parts.flatMap(({ name }) => name ?? [])))].toSorted(
    compareBytes,
  )
  const integers = [
    ...new Set(
      parsed.flatMap(({ hole, parts }) => (hole.isInteger === true ? parts.flatMap(({ name }) => name ?? []) : [])),
    ),
  ].toSorted(compareBytes)
  const operations = parsed
    .toSorted((a, b) => compareBytes(a.hole.pointer, b.hole.pointer))
    .map(
      ({ hole, parts }) => `{"op":"replace","path":${inertJson(hole.pointer)},"value":${valueTemplate(hole, parts)} }`,
    )
  return [
    // a Secret without any has no such field
    '{{- $annotations := get .metadata "annotations" | default dict -}}',
    ...names.map((name) => guard(`not ${annotation(name)}`, `no value for ${name} yet`)),
    ...integers.map((name) =>
      guard(`not (regexMatch "^(0|-?[1-9][0-9]{0,18})$" ${annotation(name)})`, `the value for ${name} is no integer`),
    ),
    `[${operations.join(',\n')}]\n`,
  ].join('\n')
}

function guard(condition: string, message: string): string {
  return `{{- if ${condition} }}{{ fail ${goText(message)} }}{{ end -}}`
}

function annotation(name: string): string {
  return `(index $annotations ${goText(VALUE_PREFIX + name)})`
}

function valueTemplate({ isInteger }: PatchedHole, parts: readonly TextPart[]): string {
  const items = parts.map(({ text, name }) => (name === undefined ? goText(text) : annotation(name)))
  if (isInteger === true)
    return items.length === 1 ? `{{ ${items.join(' ')} }}` : `{{ list ${items.join(' ')} | join "" }}`
  return `{{ list ${items.join(' ')} | join "" | toJson }}`
}

/** A piece of a text: what stands for itself, or with `name` a value. */
interface TextPart {
  readonly text: string
  readonly name?: string
}

/** Text of a chart may look like a hole; `names` tells them apart. */
function partsOf({ text, names }: PatchedHole): readonly TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const match of text.matchAll(/\$\{([A-Z_][A-Z0-9_]*)\}/g)) {
    if (names?.includes(match[1] ?? '') === false) continue
    if (match.index > end) parts.push({ text: text.slice(end, match.index) })
    parts.push({ text: match[0], name: match[1] ?? '' })
    end = match.index + match[0].length
  }
  if (end < text.length) parts.push({ text: text.slice(end) })
  return parts
}

/** A string literal of Go's templates; they know all escapes of JSON. */
function goText(text: string): string {
  return JSON.stringify(text)
}

/** JSON text in which a Go template sees nothing to do. */
function inertJson(text: string): string {
  return JSON.stringify(text).replaceAll('{', String.raw`\u007b`)
}
