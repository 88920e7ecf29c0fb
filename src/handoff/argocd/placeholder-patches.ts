import { compareBytes } from '../../codec/text/text-order.ts'
import type { Placeholder } from '../../model/binding.ts'
import { dict, type Dict, type Value } from '../../model/value.ts'
import { groupOf } from './annotate-manifest.ts'

/** The fields of a placeholder that a patch needs. */
export type PatchedPlaceholder = Pick<Placeholder, 'object' | 'pointer' | 'parts' | 'written' | 'isInteger'>

/** Annotations of the cluster Secret that hold the values start with this. */
const VALUE_PREFIX = 'values.stackmason.dev/'

/**
 * Makes the entries of `kustomize.patches` that fill placeholders, one for each object: JSON patches (RFC 6902) written
 * as Go templates over the annotations of the cluster Secret, each after a test for the placeholder that it replaces.
 * Evaluating one fails while a value is missing or empty, so that nothing is applied by half: `missingkey=error` does
 * not see a missing annotation, since `index` on Go's map[string]string gives "" for it.
 */
export function placeholderPatches(placeholders: readonly PatchedPlaceholder[]): readonly Dict[] {
  const objects = new Map<string, [PatchedPlaceholder, ...PatchedPlaceholder[]]>()
  for (const placeholder of placeholders) {
    const { apiVersion, kind, namespace = '', name } = placeholder.object
    const key = [apiVersion, kind, namespace, name].join('\n')
    const others = objects.get(key)
    if (others === undefined) objects.set(key, [placeholder])
    else others.push(placeholder)
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

/**
 * Kustomize takes each field as a regular expression that must match the whole (kustomize api/types
 * `NewSelectorRegex`).
 */
function targetOf({ apiVersion, kind, name, namespace }: PatchedPlaceholder['object']): Dict {
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

function patchTemplate(placeholders: readonly PatchedPlaceholder[]): string {
  const names = namesIn(placeholders)
  const integers = namesIn(placeholders.filter(({ isInteger }) => isInteger === true))
  const operations = placeholders
    .toSorted((a, b) => compareBytes(a.pointer, b.pointer))
    .flatMap((placeholder) => {
      const path = inertJson(placeholder.pointer)
      return [
        `{"op":"test","path":${path},"value":${inertJson(placeholder.written)}}`,
        `{"op":"replace","path":${path},"value":${valueTemplate(placeholder)} }`,
      ]
    })
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

function namesIn(placeholders: readonly PatchedPlaceholder[]): readonly string[] {
  const names = placeholders.flatMap(({ parts }) => parts.flatMap((part) => ('name' in part ? [part.name] : [])))
  return [...new Set(names)].toSorted(compareBytes)
}

function guard(condition: string, message: string): string {
  return `{{- if ${condition} }}{{ fail ${goText(message)} }}{{ end -}}`
}

function annotation(name: string): string {
  return `(index $annotations ${goText(VALUE_PREFIX + name)})`
}

function valueTemplate({ parts, isInteger }: PatchedPlaceholder): string {
  const items = parts.map((part) => ('text' in part ? goText(part.text) : annotation(part.name)))
  if (isInteger === true)
    return items.length === 1 ? `{{ ${items.join(' ')} }}` : `{{ list ${items.join(' ')} | join "" }}`
  return `{{ list ${items.join(' ')} | join "" | toJson }}`
}

/** A string literal of Go's templates; they know all escapes of JSON. */
function goText(text: string): string {
  return JSON.stringify(text)
}

/** JSON text in which a Go template sees nothing to do. */
function inertJson(text: string): string {
  return JSON.stringify(text).replaceAll('{', String.raw`\u007b`)
}
