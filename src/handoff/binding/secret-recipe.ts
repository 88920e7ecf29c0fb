import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { formatTemplate, parseTemplate } from '../../generate/value-template.ts'
import type { GeneratedSecret, SecretEntry } from '../../model/binding.ts'
import { dictAt, textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { tokenPattern, type TokenTable } from '../../model/token.ts'
import type { Dict, Value } from '../../model/value.ts'
import { placeName } from './generator-places.ts'
import { NotMadeError, type Recipes, type UnitText } from './recipes.ts'

/**
 * Writes down how a Secret is made: every entry as text in which parts of generators stand, with type, labels and
 * annotations as the chart has them; hooks of Helm are none, since no Helm is there to act on them.
 * `helm.sh/resource-policy: keep` stays: who makes the Secret must not take it away.
 * @throws NotMadeError for what the controller could not make
 */
export function secretRecipe(manifest: Manifest, recipes: Recipes): GeneratedSecret {
  const { object, deferred = [] } = manifest
  const located = new Map(deferred.map((text) => [text.pointer, text]))
  const entries = new Map<string, SecretEntry>()
  for (const field of ['data', 'stringData'] as const) {
    for (const [key, value] of dictAt(object, field) ?? []) {
      const pointer = `/${field}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
      const found = located.get(pointer)
      located.delete(pointer)
      const at =
        found === undefined
          ? undefined
          : { unit: manifest.origin.unit, tokens: found.tokens, place: placeName(manifest, { pointer }) }
      entries.set(
        key,
        at === undefined || found === undefined
          ? staticEntry(field, { key, value })
          : entryOf({ field, key, text: found.text }, at, recipes),
      )
    }
  }
  const [left] = located.keys()
  if (left !== undefined) throw new NotMadeError(`${left} is known only later, and stands outside of data`)
  const type = textAt(object, 'type')
  return {
    namespace: manifest.namespace ?? '',
    name: manifest.name,
    ...(type !== '' && { type }),
    labels: textsOf(dictAt(object, 'metadata', 'labels')),
    annotations: textsOf(dictAt(object, 'metadata', 'annotations')),
    data: [...entries.values()].toSorted((a, b) => compareBytes(a.key, b.key)),
  }
}

function entryOf(
  { field, key, text }: { readonly field: 'data' | 'stringData'; readonly key: string; readonly text: string },
  at: UnitText,
  recipes: Recipes,
): SecretEntry {
  if (field === 'stringData') return entryFor(key, text, { at, recipes })
  const decoded = decodedText(text, at.tokens)
  return decoded === undefined
    ? { ...entryFor(key, text, { at, recipes }), decode: 'base64' }
    : entryFor(key, decoded, { at, recipes })
}

/** The text behind base64 of tokens, where that is all there is. */
function decodedText(text: string, tokens: TokenTable): string | undefined {
  const spec = text.length === 2 ? tokens.get(text) : undefined
  return spec?.kind === 'derived' && spec.function === 'b64enc' ? spec.input : undefined
}

function entryFor(
  key: string,
  text: string,
  { at, recipes }: { readonly at: UnitText; readonly recipes: Recipes },
): SecretEntry {
  const template = recipes.template(text, at)
  const spec = tokenPattern().exec(text)?.[0] === text ? at.tokens.get(text) : undefined
  const [only] = parseTemplate(template)
  return spec?.kind === 'generated' && only !== undefined && 'part' in only
    ? { key, generator: only.name, part: only.part }
    : { key, template }
}

function staticEntry(
  field: 'data' | 'stringData',
  { key, value }: { readonly key: string; readonly value: Value },
): SecretEntry {
  // the API server takes null for nothing, and refuses everything else
  if (typeof value !== 'string' && value !== null) throw new NotMadeError(`the entry ${key} is not text`)
  if (field === 'stringData') return { key, template: formatTemplate([{ text: value ?? '' }]) }
  const encoded = (value ?? '').replaceAll(/\s/g, '')
  const bytes = decodeBase64(encoded)
  if (bytes === undefined) throw new NotMadeError(`the entry ${key} is not base64`)
  const decoded = decodeUtf8(bytes)
  // an invalid byte is a lone surrogate, which no manifest can hold
  const isText = !/[\uDC80-\uDCFF]/.test(decoded.replaceAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, ''))
  return isText ? { key, template: formatTemplate([{ text: decoded }]) } : { key, template: encoded, decode: 'base64' }
}

function textsOf(from: Dict | undefined): ReadonlyMap<string, string> {
  const entries = [...(from ?? [])].flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' && !key.startsWith('helm.sh/hook') ? [[key, value]] : [],
  )
  return new Map(entries.toSorted(([a], [b]) => compareBytes(a, b)))
}
