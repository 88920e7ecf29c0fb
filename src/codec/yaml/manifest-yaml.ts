import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Dict } from '../../model/value.ts'
import { encodeBase64 } from '../bytes/base64.ts'
import { formatFloatG } from '../json/go-float.ts'
import { JsonError } from '../json/go-json.ts'
import { type EmitRules, emitYaml } from '../go-yaml/go-yaml-emit.ts'
import {
  analyzeScalar,
  readsAsText,
  type ScalarPlace,
  writeDoubleQuoted,
  writeLiteral,
  writeSingleQuoted,
} from '../go-yaml/go-yaml-style.ts'
import { compareNatural, sortNaturally } from '../text/text-order.ts'

const firstOfObject: readonly string[] = ['apiVersion', 'kind', 'metadata']
const firstOfMetadata: readonly string[] = ['name', 'generateName', 'namespace', 'labels', 'annotations']

/**
 * Writes a Kubernetes object as canonical YAML: equal objects, equal text, whatever order their keys were in.
 * apiVersion, kind and metadata come first, name and namespace first in metadata, all else in natural order; no line is
 * folded, and text of several lines is a literal block wherever that loses nothing. Reading it with
 * `parseGoYaml(…, { integers: 'int' })` gives an equal value; a float64 that is an integer comes back as one.
 * @throws StackmasonError OBJECT_TYPED_LOSS for NaN, an infinity, text that is no valid UTF-8, a cycle
 */
export function formatManifestYaml(object: Dict): string {
  const metadata = object.get('metadata')
  const rules: EmitRules = {
    ...baseRules,
    orderKeys(mapping) {
      const sorted = sortNaturally([...mapping.keys()], compareNatural)
      if (mapping === object) return putFirst(sorted, firstOfObject)
      return mapping === metadata ? putFirst(sorted, firstOfMetadata) : sorted
    },
  }
  try {
    return emitYaml(object, rules)
  } catch (error) {
    throw error instanceof JsonError ? loss('a value contains itself', error) : error
  }
}

const baseRules: Omit<EmitRules, 'orderKeys'> = {
  writeKey,
  writeString: (text, place) => (text.includes('\n') ? writeLines(text, place) : writeLine(text, place)),
  writeNumber,
  replaceBytes: encodeBase64,
  width: Infinity,
  sequenceIndent: 0,
}

function putFirst(keys: readonly string[], first: readonly string[]): readonly string[] {
  return [...first.filter((key) => keys.includes(key)), ...keys.filter((key) => !first.includes(key))]
}

function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw loss('a number is infinite or not a number')
  return Number.isSafeInteger(value) ? String(value) : formatFloatG(value)
}

/** A plain `<<` would merge; a longer key, in characters as written, is not recognized without `?`. */
const MAX_KEY = 1000

function writeKey(key: string): string | undefined {
  const text = key === '<<' ? "'<<'" : writeLine(key, { column: 0, indent: 0, width: Infinity })
  return text.length > MAX_KEY ? undefined : text
}

/**
 * Short texts as they were written before: keys, names and labels come again and again. Nothing breaks a line here, so
 * the place does not matter.
 */
const written = new Map<string, string>()
const MAX_WRITTEN = 4096
const MAX_REMEMBERED = 64

function writeLine(text: string, place: ScalarPlace): string {
  if (text.length > MAX_REMEMBERED) return styleLine(text, place)
  const known = written.get(text)
  if (known !== undefined) return known
  const line = styleLine(text, place)
  if (written.size >= MAX_WRITTEN) written.clear()
  written.set(text, line)
  return line
}

function styleLine(text: string, place: ScalarPlace): string {
  refuseInvalid(text)
  // characters outside of the BMP are fine as they are; go-yaml would escape them
  const analysis = analyzeScalar(text.replace(astral, 'x'), 'v2')
  if (!readsAsText(text) || !analysis.isSingleAllowed || analysis.isMultiline) return writeDoubleQuoted(text, place)
  return analysis.isPlainAllowed ? text : writeSingleQuoted(text, place)
}

const astral = /[\u{10000}-\u{10ffff}]/gu
// tabs and trailing spaces are safe in a literal block, other control characters and line breaks are not
const unsafeInBlock = /[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\udbff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u

function writeLines(text: string, place: ScalarPlace): string {
  refuseInvalid(text)
  // nobody sees a block of blanks, and readers disagree about it
  // go-yaml, and Kustomize with it, reads no block that starts with a tab
  if (unsafeInBlock.test(text) || text.startsWith('\t') || /^[ \t\n]*$/.test(text))
    return writeDoubleQuoted(text, place)
  // a reader that has to find the indentation itself would trip over the tab
  return writeLiteral(text, place.indent, text.startsWith('\t') ? 'always' : 'if-unclear')
}

const invalidUtf8 = /(?!\uDBFF)\p{Surrogate}/u

function refuseInvalid(text: string): void {
  if (invalidUtf8.test(text)) throw loss('a text is not valid UTF-8')
}

function loss(message: string, cause?: unknown): StackmasonError {
  const diagnostic: Diagnostic = {
    code: 'OBJECT_TYPED_LOSS',
    severity: 'error',
    message: `${message} and cannot be written`,
  }
  return new StackmasonError(diagnostic, { cause })
}
