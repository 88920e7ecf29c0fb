import { decodeBase64, encodeBase64 } from '../../codec/bytes/base64.ts'
import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { GenerateError } from '../../generate/generate-error.ts'
import type { Parts } from '../../generate/make-parts.ts'
import { parseTemplate, type TemplatePiece } from '../../generate/value-template.ts'
import { fieldAt, textField } from '../../kube/json-field.ts'
import type { KubeObject } from '../../kube/kube-object.ts'
import type { GeneratedSecret, SecretEntry } from '../../model/binding.ts'

/** The sources of entries. */
export interface EntrySources {
  readonly parts: ReadonlyMap<string, Parts>
  /** Values of fields, by their names. */
  readonly values: ReadonlyMap<string, string>
}

/** The data of a Secret, in base64. @throws GenerateError naming the key of an entry that cannot be made */
export function secretData(
  { data }: Pick<GeneratedSecret, 'data'>,
  sources: EntrySources,
): Readonly<Record<string, string>> {
  return Object.fromEntries(data.map((entry) => [entry.key, entryData(entry, sources)]))
}

function entryData(entry: SecretEntry, { parts, values }: EntrySources): string {
  try {
    const text = piecesOf(entry)
      .map((piece) => {
        if ('text' in piece) return piece.text
        const found = piece.part === undefined ? values.get(piece.name) : parts.get(piece.name)?.get(piece.part)
        if (found === undefined) throw new GenerateError(`there is nothing for ${piece.name}`)
        return found
      })
      .join('')
    if (entry.decode === undefined) return encodeBase64(encodeUtf8(text))
    const bytes = decodeBase64(text)
    if (bytes === undefined) throw new GenerateError('it is not base64')
    return encodeBase64(bytes)
  } catch (error) {
    if (!(error instanceof GenerateError)) throw error
    throw new GenerateError(`key ${entry.key}: ${error.message}`, { cause: error })
  }
}

/** The pieces of an entry. @throws GenerateError */
export function piecesOf(entry: SecretEntry): readonly TemplatePiece[] {
  return 'template' in entry ? parseTemplate(entry.template) : [{ name: entry.generator, part: entry.part }]
}

/** The text of an entry of a Secret that is there; undefined where it has no such key. */
export function liveText(live: KubeObject, { key, decode }: Pick<SecretEntry, 'key' | 'decode'>): string | undefined {
  const encoded = textField(fieldAt(live.content, 'data'), key)
  const bytes = encoded === undefined ? undefined : decodeBase64(encoded)
  if (bytes === undefined) return undefined
  return decode === undefined ? decodeUtf8(bytes) : encodeBase64(bytes)
}
