import { encodeBase } from '../codec/bytes/base-encoding.ts'
import { encodeBase64 } from '../codec/bytes/base64.ts'
import { sliceBytes } from '../codec/bytes/byte-text.ts'
import { encodeUtf8, utf8Length } from '../codec/bytes/utf8.ts'
import { swapCase, toLower, toTitle, toUpper, uncapitalize } from '../codec/text/letter-case.ts'
import type { Crypto } from '../model/ports.ts'
import { GenerateError } from './generate-error.ts'
import { hashFunctions } from './hash-functions.ts'
import { requireArguments } from './require-arguments.ts'

/** The names of the functions of charts that change the case of text. */
export type CaseFunction = 'upper' | 'lower' | 'title' | 'untitle' | 'swapcase'

/** These functions by their names. */
export const caseFunctions: Readonly<Record<CaseFunction, (text: string) => string>> = {
  upper: toUpper,
  lower: toLower,
  title: toTitle,
  untitle: uncapitalize,
  swapcase: swapCase,
}

type Derive = (text: string, further: readonly string[], crypto: Pick<Crypto, 'hash'>) => string

const functions: ReadonlyMap<string, Derive> = new Map<string, Derive>([
  ['text', (text) => text],
  ['b64enc', (text) => encodeBase64(encodeUtf8(text))],
  ['b32enc', (text) => encodeBase(encodeUtf8(text), 'base32')],
  ['substr', (text, [start = '', end = '']) => slice(text, Number(start), Number(end))],
  ...Object.entries(caseFunctions).map(([name, apply]): [string, Derive] => [name, (text) => apply(text)]),
  ...[...hashFunctions].map(([name, hash]): [string, Derive] => [
    name,
    (text, _, crypto) => hash(encodeUtf8(text), crypto),
  ]),
])

/** How many arguments stand before the text. */
const furtherOf: ReadonlyMap<string, number> = new Map([['substr', 2]])

/** The functions whose result follows from their arguments alone: it is made anew each time, and kept nowhere. */
export const derivedFunctions: ReadonlySet<string> = new Set(functions.keys())

/**
 * Computes a derived value; the text comes last, as in pipelines of charts.
 * @throws GenerateError for another function, or arguments it does not take
 */
export function deriveValue(name: string, args: readonly string[], crypto: Pick<Crypto, 'hash'>): string {
  const derive = functions.get(name)
  if (derive === undefined) throw new GenerateError(`${name} derives no value`)
  requireArguments(name, args, (furtherOf.get(name) ?? 0) + 1)
  return derive(args.at(-1) ?? '', args.slice(0, -1), crypto)
}

/** Go's `text[start:end]`. */
function slice(text: string, start: number, end: number): string {
  const isRange = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end
  if (!isRange || end > utf8Length(text)) throw new GenerateError('substr goes beyond its text')
  return sliceBytes(text, start, end)
}
