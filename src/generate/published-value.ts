import { encodeBase64 } from '../codec/bytes/base64.ts'
import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import type { BoundValue, Generator } from '../model/binding.ts'
import { certifiedArguments } from './certificates/certificate-call.ts'
import { derivedFunctions } from './derived-values.ts'
import { referencesOf } from './value-template.ts'

/**
 * True if everybody may read a part of what a generator makes, where nothing private went into it: certificates alone.
 * Hashes of passwords can be searched,
 * and a random identifier may serve as a password.
 */
export function isPublicPart(part: string): boolean {
  return part === 'cert'
}

/**
 * True if a part may be published: a certificate of public text, or derived from public parts and values of fields
 * alone. Whoever reads a part from elsewhere has to see that it is what it is taken for: see `holdsOnlyCertificates`.
 * @throws GenerateError for arguments that are no templates
 */
export function isPublic(
  { name, part }: { readonly name: string; readonly part: string },
  generators: ReadonlyMap<string, Pick<Generator, 'function' | 'arguments'>>,
): boolean {
  const passed = new Set<string>()
  const visit = (generator: string, of: string): boolean => {
    const made = generators.get(generator)
    const shown = made && shownArguments(made, of)
    if (shown === undefined) return false
    if (passed.has(generator)) return true
    passed.add(generator)
    return shown
      .flatMap(referencesOf)
      .every((reference) => reference.part === undefined || visit(reference.name, reference.part))
  }
  return visit(name, part)
}

/** The arguments that can be read from a part; undefined where the part itself is private. */
function shownArguments(
  { function: called, arguments: args }: Pick<Generator, 'function' | 'arguments'>,
  part: string,
): readonly string[] | undefined {
  if (derivedFunctions.has(called)) return args
  return isPublicPart(part) ? certifiedArguments(called, args) : undefined
}

/** Writes a value as it is published. `escaped` is as between double quotes in YAML: no line break is in it. */
export function encodeValue(text: string, encode: BoundValue['encode']): string {
  if (encode === undefined) return text
  return encode === 'base64' ? encodeBase64(encodeUtf8(text)) : escape(text)
}

/** JSON's escapes, and those of the characters that YAML takes for breaks or does not take at all. */
function escape(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(
      /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
}
