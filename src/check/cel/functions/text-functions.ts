import { CelFailure } from '../cel-failure.ts'
import { work } from '../cel-work.ts'
import { type CelData, type CelFunction, celMethod } from '../cel-values.ts'

/** Functions that count characters (cel-go, `ext.Strings`): a character is a code point, also one beyond 16 bits. */
export const textFunctions: readonly CelFunction[] = [
  celMethod('charAt', ['string', 'int'], ([text, index]) => {
    const characters = charactersOf(text)
    return characters[within(index, characters.length)] ?? ''
  }),
  celMethod('substring', ['string', 'int'], ([text, start]) => {
    const characters = charactersOf(text)
    return characters.slice(within(start, characters.length)).join('')
  }),
  celMethod('substring', ['string', 'int', 'int'], ([text, start, end]) => {
    const characters = charactersOf(text)
    const [from, to] = [within(start, characters.length), within(end, characters.length)]
    if (from > to) throw new CelFailure('a part of a text ends before it begins')
    return characters.slice(from, to).join('')
  }),
  celMethod('indexOf', ['string', 'string'], ([text, part]) => firstIndex(text, part, 0n)),
  celMethod('indexOf', ['string', 'string', 'int'], ([text, part, from]) => firstIndex(text, part, from)),
  celMethod('lastIndexOf', ['string', 'string'], ([text, part]) => lastIndex(text, part, undefined)),
  celMethod('lastIndexOf', ['string', 'string', 'int'], ([text, part, from]) => lastIndex(text, part, from)),
  celMethod('replace', ['string', 'string', 'string'], ([text, from, to]) => replaced(text, { from, to, most: -1n })),
  celMethod('replace', ['string', 'string', 'string', 'int'], ([text, from, to, most]) =>
    replaced(text, { from, to, most }),
  ),
  celMethod('split', ['string', 'string'], ([text, separator]) => split(text, separator, -1n)),
  celMethod('split', ['string', 'string', 'int'], ([text, separator, most]) => split(text, separator, most)),
]

/** The names of them: the library has functions of the same names, which count otherwise. */
export const textNames: ReadonlySet<string> = new Set(textFunctions.map(({ name }) => name))

function charactersOf(text: CelData | undefined): readonly string[] {
  const characters = typeof text === 'string' ? Array.from(text) : []
  work(characters.length)
  return characters
}

function within(index: CelData | undefined, length: number): number {
  if (typeof index !== 'bigint' || index < 0n || index > BigInt(length)) throw new CelFailure('index out of range')
  return Number(index)
}

function firstIndex(text: CelData | undefined, part: CelData | undefined, from: CelData | undefined): bigint {
  if (typeof text !== 'string' || typeof part !== 'string' || typeof from !== 'bigint') return -1n
  // whatever the text is, a server gives this for no text at all
  if (part === '') return from
  const characters = charactersOf(text)
  if (from < 0n) throw new CelFailure('index out of range')
  if (from > BigInt(characters.length)) return -1n
  const skipped = characters.slice(0, Number(from)).join('').length
  const found = text.indexOf(part, skipped)
  return found === -1 ? -1n : BigInt(Array.from(text.slice(0, found)).length)
}

function lastIndex(text: CelData | undefined, part: CelData | undefined, from: CelData | undefined): bigint {
  if (typeof text !== 'string' || typeof part !== 'string') return -1n
  const characters = charactersOf(text)
  if (part === '') return typeof from === 'bigint' ? from : BigInt(characters.length)
  if (typeof from === 'bigint' && from < 0n) throw new CelFailure('index out of range')
  if (typeof from === 'bigint' && from >= BigInt(characters.length)) return -1n
  const last = typeof from === 'bigint' ? characters.slice(0, Number(from)).join('').length : text.length
  const found = text.lastIndexOf(part, last)
  return found === -1 ? -1n : BigInt(Array.from(text.slice(0, found)).length)
}

function split(
  text: CelData | undefined,
  separator: CelData | undefined,
  most: CelData | undefined,
): readonly string[] {
  if (typeof text !== 'string' || typeof separator !== 'string' || typeof most !== 'bigint') return []
  const parts = separator === '' ? charactersOf(text) : text.split(separator)
  work(parts.length)
  const limit = most < 0n ? parts.length : Number(most)
  // the last part is what is left, as in Go
  return parts.length <= limit
    ? parts
    : [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)].slice(0, limit)
}

/** A text with others in the place of some, as in Go: an empty one is found around every character. */
function replaced(
  text: CelData | undefined,
  { from, to, most }: Readonly<Record<'from' | 'to' | 'most', CelData | undefined>>,
): string {
  if (typeof text !== 'string' || typeof from !== 'string' || typeof to !== 'string' || typeof most !== 'bigint')
    return ''
  work(1 + text.length / (from === '' ? 1 : 16))
  const parts = from === '' ? ['', ...Array.from(text), ''] : text.split(from)
  const found = parts.length - 1
  const count = most < 0n || most > BigInt(found) ? found : Number(most)
  work(found + (count * to.length) / 16)
  return [...parts.slice(0, count), parts.slice(count).join(from)].join(to)
}
