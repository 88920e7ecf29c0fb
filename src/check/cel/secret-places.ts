import { formatGoJson } from '../../codec/json/go-json.ts'
import { MaskTexts } from '../../codec/text/mask-texts.ts'
import { collectSecretTexts } from '../../codec/text/secret-texts.ts'
import { formatPointer, type PathStep, textAt } from '../../model/field.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { LateTexts } from './unknown-values.ts'

/** The texts of a value that must not be shown. */
export function secretMasks(value: Value): MaskTexts {
  const masks = new MaskTexts()
  collectSecretTexts(formatGoJson(value), (text) => {
    masks.add(text)
  })
  return masks
}

/**
 * Where an object holds secrets. Messages are made without them: what is derived from a secret, its length or single
 * characters, tells of it, too.
 */
export function secretPlaces(object: Value): LateTexts {
  const masks = secretMasks(object)
  const found: { readonly pointer: string }[] = []
  const walk = (value: Value, path: readonly PathStep[], isSecret: boolean): void => {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, [...path, index], isSecret)
    else if (value instanceof Dict) {
      const isOfSecret = textAt(value, 'kind') === 'Secret'
      for (const [key, child] of value)
        walk(child, [...path, key], isSecret || (isOfSecret && (key === 'data' || key === 'stringData')))
    } else if (isSecret || (value !== null && typeof value !== 'boolean' && holds(value, masks)))
      found.push({ pointer: formatPointer(path) })
  }
  walk(object, [], false)
  return found
}

function holds(value: Value, masks: MaskTexts): boolean {
  const text = typeof value === 'string' ? value : formatGoJson(value)
  return masks.mask(text, 'strict') !== text
}
