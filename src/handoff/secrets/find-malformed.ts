import { decodeBase64 } from '../../codec/bytes/base64.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { formatPointer, type PathStep } from '../../model/field.ts'
import { type Manifest, placeIn, type RenderedFolder } from '../../model/manifest.ts'
import { oncePerManifest } from '../../model/once-per-manifest.ts'
import { isEncryptedText } from '../../model/sops.ts'
import { shownObject } from '../../model/shown-name.ts'
import { Dict, type Value } from '../../model/value.ts'
import { fieldName } from './field-name.ts'

interface Shape {
  /** The fields with entries, and how their content is written. */
  readonly entries: ReadonlyMap<string, 'text' | 'base64'>
  readonly others: readonly string[]
}

const COMMON = ['apiVersion', 'kind', 'metadata', 'immutable']

const shapes: ReadonlyMap<string, Shape> = new Map([
  [
    'Secret',
    {
      entries: new Map([
        ['data', 'base64'],
        ['stringData', 'text'],
      ]),
      others: [...COMMON, 'type'],
    },
  ],
  [
    'ConfigMap',
    {
      entries: new Map([
        ['data', 'text'],
        ['binaryData', 'base64'],
      ]),
      others: COMMON,
    },
  ],
])

/**
 * Finds Secrets and ConfigMaps with content that no API server takes: entries that are no text, or no base64 where it
 * has to be, and fields that there are not. Values are never repeated.
 */
export function findMalformed(folders: readonly RenderedFolder[]): readonly Diagnostic[] {
  return folders.flatMap(({ manifests }) => manifests.flatMap(malformedIn))
}

const malformedIn = oncePerManifest((manifest): readonly Diagnostic[] => {
  const shape = manifest.apiVersion === 'v1' ? shapes.get(manifest.kind) : undefined
  return shape === undefined ? [] : findIn(manifest, shape)
})

function findIn(manifest: Manifest, { entries, others }: Shape): readonly Diagnostic[] {
  const { object, deferred = [] } = manifest
  const late = new Set(deferred.map(({ pointer }) => pointer))
  // SOPS notes beside the content what decrypts it, and encrypts entries in place: they are decrypted before they are
  // applied
  const isSops = object.get('sops') instanceof Dict
  return [...object].flatMap(([field, value]): readonly Diagnostic[] => {
    if (value === null || others.includes(field) || (field === 'sops' && isSops)) return []
    const form = entries.get(field)
    if (form === undefined) {
      const known = [...entries.keys(), ...others.slice(COMMON.length)]
      const hint = `Content of a ${manifest.kind} goes under ${known.slice(0, -1).join(', ')} or ${known.at(-1) ?? ''}: move it there, or remove the field.`
      return [problemOf(manifest, [field], { message: `has no such field: ${fieldName([field])}`, hint })]
    }
    if (!(value instanceof Dict))
      return [
        problemOf(manifest, [field], {
          message: `${field} has to be a map of texts, and is ${typeName(value)}`,
          hint: `Write each entry with its key below ${field}.`,
        }),
      ]
    return [...value].flatMap(([key, entry]) => {
      const path = [field, key]
      if (entry === null || late.has(formatPointer(path))) return []
      if (typeof entry !== 'string') {
        const hint =
          entry instanceof Dict || Array.isArray(entry)
            ? 'Write it as text: `key: |`, and the YAML indented below it.'
            : 'Put it in quotes; in a template, pipe it to quote.'
        return [
          problemOf(manifest, path, { message: `${fieldName(path)} has to be text, and is ${typeName(entry)}`, hint }),
        ]
      }
      if (form === 'text' || (isSops && isEncryptedText(entry)) || decodeBase64(entry) !== undefined) return []
      const hint =
        manifest.kind === 'Secret'
          ? 'Encode it, in a template with b64enc, or write it under stringData.'
          : 'Encode it, in a template with b64enc, or write it under data.'
      return [problemOf(manifest, path, { message: `${fieldName(path)} is not base64`, hint })]
    })
  })
}

function typeName(value: Value): string {
  if (value instanceof Dict) return 'a map'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'boolean') return 'true or false'
  return typeof value === 'string' ? 'a text' : 'a number'
}

function problemOf(
  manifest: Manifest,
  path: readonly PathStep[],
  { message, hint }: Pick<Diagnostic, 'message'> & { readonly hint: string },
): Diagnostic {
  const { kind, name, namespace, origin } = manifest
  return {
    code: 'OBJECT_INVALID',
    severity: 'error',
    message: `No API server takes ${shownObject({ kind, name, namespace })} (${origin.template}): ${message}`,
    ...placeIn(manifest, ...path),
    hint,
  }
}
