import { isSensitiveName } from '../../model/sensitive-name.ts'
import { encodeBase64 } from '../bytes/base64.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'

/** The mask for a text that must not be shown. */
const MASK = '********'
const SHORTEST = 4
/** From here on a text is taken for what it is wherever it stands. */
const TELLING = 8
/** Of a longer text without spaces each part of this length is enough to know it by: messages cut. */
const LONG = 32
const PART = 16
/** Longer ones are known by their parts, so that the cost of a look is bounded. */
const LONGEST = 256
const PREFIX = 4
const ENCODED = /[A-Za-z0-9+/=_-]/
const WORD = /[\p{L}\p{N}_]/u
/** Of names of objects, of what they are in, and of images without a tag. */
const IN_NAME = /[A-Za-z0-9._/-]/
const EDGES = /^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g
/** Words that stand in messages all the time, and that nobody can hide anything in. */
const COMMON: ReadonlySet<string> = new Set(
  'true false null none default auto disabled enabled required optional string object array number integer boolean example test user username name value values data type kind file files ca.crt ca.key tls.crt tls.key always never onfailure ifnotpresent clusterip nodeport loadbalancer retain delete recycle cluster local'.split(
    ' ',
  ),
)
/** Keys of Secrets and files that are named after their content: the name of a secret, and not one itself. */
const NAME_OF_KEY = /^[a-z]+(?:[-_.][a-z]+){0,2}[-_.](?:crt|cert|key|pem)$/
/** A path of words, where a file lies. */
const PATH = /^(?:\/[a-z]+(?:[._-][a-z]+)*){2,}$/

/** Stands in for the value of a variable. */
const STAND_IN = /^\$(?:\{[A-Za-z_]\w*\}|\([A-Za-z_]\w*\))$/

/** True for a variable of the environment that is called for what it holds: `AWS_SECRET_ACCESS_KEY`. */
function isNameOfVariable(text: string): boolean {
  return /^[A-Z]{2,20}(?:_[A-Z]{2,20}){1,6}$/.test(text) && isSensitiveName(text)
}

/** Words with signs between them: a part of such a text is part of many others, of names of objects and images. */
const WORDS = /^[A-Za-z]+(?:[-_./:][A-Za-z]+)+$/

/** How a known text is found: any neighbours, only as a whole word, or with all that is encoded around it. */
type Manner = 'anywhere' | 'word' | 'encoded'

interface Bucket {
  readonly texts: Map<string, Manner>
  /** Longest first. */
  lengths: readonly number[]
}

/** Texts that must not be shown, and their removal from what is shown. */
export class MaskTexts {
  private readonly buckets = new Map<string, Bucket>()
  private readonly known = new Set<string>()
  private readonly names = new Set<string>()

  /** Takes a name that people have to see: a text that is one, as a whole or in part of one, stays as it is. */
  spare(name: string): void {
    this.names.add(name)
  }

  /** Takes a text; one too short or too common to hide anything is left out. */
  add(secret: string): void {
    for (let at = 0; at < secret.length; at += LONGEST) this.addPart(secret.slice(at, at + LONGEST).trim())
  }

  private addPart(text: string): void {
    const lower = text.toLowerCase()
    if (lower.length < SHORTEST || this.known.has(text) || COMMON.has(lower) || /^[\d.]{1,5}$|^\*+$/.test(lower)) return
    const isNone = isNameOfVariable(text) || STAND_IN.test(text) || PATH.test(text)
    if (lower.length !== text.length || isNone) return
    this.known.add(text)
    if (!isTelling(text)) {
      this.put(lower, 'word')
      return
    }
    this.put(lower, 'anywhere')
    const escaped = JSON.stringify(text).slice(1, -1).toLowerCase()
    const inUrl = encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '')).toLowerCase()
    for (const form of [escaped, inUrl, inUrl.replaceAll('%20', '+')]) if (form !== lower) this.put(form, 'anywhere')
    if (text.length >= LONG && !/\s/.test(text) && !WORDS.test(text)) {
      for (let at = 0; at + PART <= text.length; at += PART) this.put(lower.slice(at, at + PART), 'encoded')
    }
    for (const form of encodings(text)) this.put(form.toLowerCase(), 'encoded')
  }

  /** The text without what is known; `manner` `strict` also hides short plain words where they stand alone. */
  mask(text: string, manner: 'strict' | 'telling'): string {
    if (this.buckets.size === 0) return text
    const lower = text.toLowerCase()
    if (lower.length !== text.length) return this.maskPieces(text, manner)
    let shown = ''
    let done = 0
    for (let at = 0; at + PREFIX <= lower.length; at++) {
      const bucket = this.buckets.get(lower.slice(at, at + PREFIX))
      if (bucket === undefined) continue
      const found = find(lower, at, bucket)
      if (found === undefined || (found.manner === 'word' && manner !== 'strict')) continue
      if (this.isOfName(text, at, found.end)) continue
      const [start, end] = found.manner === 'encoded' ? widen(text, at, found.end) : [at, found.end]
      shown += text.slice(done, Math.max(done, start)) + MASK
      done = end
      at = end - 1
    }
    return done === 0 ? text : shown + text.slice(done)
  }

  /** True for a name that is spared, or a part of one, at a place of a text. */
  private isOfName(text: string, start: number, end: number): boolean {
    if (this.names.size === 0) return false
    if (this.names.has(text.slice(start, end).replaceAll(EDGES, ''))) return true
    let [from, to] = [start, end]
    // what only ends or begins with other signs, such as `name/*`, may still be a name
    while (to > from && !IN_NAME.test(text[to - 1] ?? ' ')) to--
    while (from < to && !IN_NAME.test(text[from] ?? ' ')) from++
    if (/[^A-Za-z0-9._/-]/.test(text.slice(from, to))) return false
    while (from > 0 && start - from < LONGEST && IN_NAME.test(text[from - 1] ?? ' ')) from--
    while (to < text.length && to - end < LONGEST && IN_NAME.test(text[to] ?? ' ')) to++
    return this.names.has(text.slice(from, to).replaceAll(EDGES, ''))
  }

  /** Letters that grow when they are made small (İ) stand alone, so that places stay the same in both. */
  private maskPieces(text: string, manner: 'strict' | 'telling'): string {
    return text
      .split(/(\u0130)/)
      .map((piece) => (piece === 'İ' ? piece : this.mask(piece, manner)))
      .join('')
  }

  private put(text: string, manner: Manner): void {
    const prefix = text.slice(0, PREFIX)
    const bucket = this.buckets.get(prefix) ?? { texts: new Map<string, Manner>(), lengths: [] }
    this.buckets.set(prefix, bucket)
    if (bucket.texts.has(text) && manner === 'word') return
    bucket.texts.set(text, manner)
    if (!bucket.lengths.includes(text.length)) bucket.lengths = [...bucket.lengths, text.length].sort((a, b) => b - a)
  }
}

/** Long, or of letters and something else: nobody writes it by chance. */
function isTelling(text: string): boolean {
  if (NAME_OF_KEY.test(text)) return false
  if (text.length >= TELLING) return !/^(?:[a-z]+|[A-Z]?[a-z]+)(?:[ ./-][a-z]+){0,3}$/.test(text)
  return text.length >= 6 && /[^a-z]/i.test(text) && /[a-z]/i.test(text)
}

function find(lower: string, at: number, { texts, lengths }: Bucket): { end: number; manner: Manner } | undefined {
  for (const length of lengths) {
    const manner = texts.get(lower.slice(at, at + length))
    if (manner === undefined || at + length > lower.length) continue
    if (manner !== 'word' || isAlone(lower, at, at + length)) return { end: at + length, manner }
  }
  return undefined
}

/** A word as part of a path or of a longer name is another word. */
function isAlone(text: string, start: number, end: number): boolean {
  const before = text[start - 1] ?? ' '
  const after = text[end] ?? ' '
  const isPart = (character: string): boolean => WORD.test(character) || character === '/' || character === '-'
  if (isPart(before) || before === '.' || isPart(after)) return false
  return after !== '.' || !WORD.test(text[end + 1] ?? ' ')
}

function widen(text: string, start: number, end: number): readonly [number, number] {
  let [from, to] = [start, end]
  while (from > 0 && ENCODED.test(text[from - 1] ?? ' ')) from--
  while (to < text.length && ENCODED.test(text[to] ?? ' ')) to++
  return [from, to]
}

/** The forms of the text in base64, with any bytes before and after it. */
function encodings(text: string): readonly string[] {
  const bytes = encodeUtf8(text)
  return [0, 1, 2].flatMap((shift) => {
    const shifted = new Uint8Array(bytes.length + shift)
    shifted.set(bytes, shift)
    const whole = shifted.length - (shifted.length % 3)
    const form = encodeBase64(shifted.subarray(0, whole)).slice(shift === 0 ? 0 : 4)
    return form.length < 8 ? [] : [form, form.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
