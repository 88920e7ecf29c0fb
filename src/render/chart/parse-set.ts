import { parseGoJson } from '../../codec/json/go-json.ts'
import { Dict, goInt64, goTypeOf, type Value } from '../../model/value.ts'
import { quoteGo } from '../engine/format.ts'

/** How the value of an expression is read: by the rules of `--set`, `--set-string`, `--set-json` or `--set-literal`. */
export type SetMode = 'typed' | 'string' | 'json' | 'literal' | SetReader

/** Turns the text of a value into the value, for `--set-file`. */
export type SetReader = (text: string) => Value

/** An expression that does not parse, in Helm's words. */
export class SetError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SetError'
  }
}

const MAX_INDEX = 65536
const MAX_LEVEL = 30

/**
 * Reads `a.b[0]=x,c={1,2}` and the like into `values`, which it changes (Helm pkg/strvals).
 * @throws SetError, JsonError; `values` may be half changed then
 */
export function applySet(values: Dict, expression: string, mode: SetMode): void {
  const parser = new SetParser(expression, mode)
  while (parser.readKey(values, 0) === 'more');
}

/** The state of the text after a token. */
type Progress = 'more' | 'end'

class SetParser {
  private readonly text: string
  private readonly mode: SetMode
  private at = 0

  constructor(text: string, mode: SetMode) {
    this.text = text
    this.mode = mode
  }

  /** Reads a key and its value into `data`. */
  readKey(data: Dict, level: number): Progress {
    const { text: key, stop } = this.readUntil(this.mode === 'literal' ? '=[.' : '=[,.')
    switch (stop) {
      case '[':
        return this.readIndexed(data, key, level)
      case '=':
        return this.readValue((value) => setKey(data, key, value))
      case ',':
        setKey(data, key, '')
        throw new SetError(`key ${quoteGo(key)} has no value (cannot end with ,)`)
      case '.':
        return this.readNested(data, key, level + 1)
      default:
        if (key === '') return 'end'
        throw new SetError(`key ${quoteGo(key)} has no value`)
    }
  }

  private readNested(data: Dict, key: string, level: number): Progress {
    if (level > MAX_LEVEL)
      throw new SetError(`value name nested level is greater than maximum supported nested level of ${MAX_LEVEL}`)
    const inner = mapAt(data, key)
    const progress = this.readKey(inner, level)
    if (progress === 'more' && inner.size === 0) throw new SetError(`key map ${quoteGo(key)} has no value`)
    if (inner.size > 0) setKey(data, key, inner)
    return progress
  }

  private readIndexed(data: Dict, key: string, level: number): Progress {
    const index = this.readIndex()
    if (index === undefined) return 'end'
    const known = data.get(key)
    if (known !== undefined && !Array.isArray(known)) throw wrongType(known, '[]interface {}')
    const list = known ?? []
    const progress = this.readItem(list, index, level)
    setKey(data, key, list)
    return progress
  }

  /** Undefined when the text ends within it, which Helm takes for the end of the expression. */
  private readIndex(): number | undefined {
    const { text, stop } = this.readUntil(']')
    if (stop === '') return undefined
    if (!/^[+-]?\d+$/.test(text))
      throw new SetError(`error parsing index: strconv.Atoi: parsing ${quoteGo(text)}: invalid syntax`)
    return Number(text)
  }

  /** Reads what follows `[index]` into `list`, which is changed. */
  private readItem(list: Value[], index: number, level: number): Progress {
    if (index < 0) throw new SetError(`negative ${index} index not allowed`)
    const { text, stop } = this.readUntil('[.=')
    if (text !== '') throw new SetError(`unexpected data at end of array index: ${quoteGo(text)}`)
    switch (stop) {
      case '=':
        return this.readValue((value) => setIndex(list, index, value))
      case '[':
        return this.readInnerList(list, index, level)
      case '.': {
        const known = list[index]
        const inner = known instanceof Dict ? known : new Dict()
        if (index < list.length) list[index] = inner
        const progress = this.readKey(inner, level)
        if (progress === 'more') setIndex(list, index, inner)
        return progress
      }
      default:
        return 'end'
    }
  }

  private readInnerList(list: Value[], index: number, level: number): Progress {
    const next = this.readIndex()
    if (next === undefined) return 'end'
    const known = list[index] ?? null
    if (known !== null && !Array.isArray(known)) throw wrongType(known, '[]interface {}')
    const inner = known ?? []
    const progress = this.readItem(inner, next, level)
    if (progress === 'more') setIndex(list, index, inner)
    return progress
  }

  private readValue(assign: (value: Value) => void): Progress {
    if (this.mode === 'json') return this.readJson(assign)
    if (this.mode === 'literal') {
      assign(this.text.slice(this.at))
      this.at = this.text.length
      return 'more'
    }
    if (this.at === this.text.length) {
      assign('')
      return 'end'
    }
    if (this.text[this.at] === '{') assign(this.readList())
    else assign(this.convert(this.readUntil(',').text))
    return 'more'
  }

  private readList(): Value[] {
    this.at++
    const list: Value[] = []
    for (;;) {
      const { text, stop } = this.readUntil(',}')
      if (stop === '') throw new SetError("list must terminate with '}'")
      list.push(this.convert(text))
      if (stop === '}') break
    }
    if (this.text[this.at] === ',') this.at++
    return list
  }

  private readJson(assign: (value: Value) => void): Progress {
    if (this.skipEmpty()) {
      assign(null)
      return 'more'
    }
    const end = endOfJson(this.text, this.at)
    const value = parseGoJson(this.text.slice(this.at, end))
    this.at = end
    assign(value)
    this.skipEmpty()
    return 'more'
  }

  /** Skips blanks and one comma; whether nothing else came before it. */
  private skipEmpty(): boolean {
    for (; this.at < this.text.length; this.at++) {
      const character = this.text.charAt(this.at)
      if (character === ',') {
        this.at++
        return true
      }
      if (!/\s/.test(character)) return false
    }
    return true
  }

  private convert(text: string): Value {
    if (typeof this.mode === 'function') return this.mode(text)
    return this.mode === 'string' ? text : typedValue(text)
  }

  /**
   * Reads to one of `stops`, which is consumed; `stop` is empty at the end of the text. A backslash takes the next
   * character as it is.
   */
  private readUntil(stops: string): { readonly text: string; readonly stop: string } {
    let text = ''
    while (this.at < this.text.length) {
      let character = this.text.charAt(this.at++)
      if (stops.includes(character)) return { text, stop: character }
      if (character === '\\' && this.mode !== 'literal') {
        if (this.at === this.text.length) break
        character = this.text.charAt(this.at++)
      }
      text += character
    }
    return { text, stop: '' }
  }
}

function setKey(data: Dict, key: string, value: Value): void {
  if (key !== '') data.set(key, value)
}

function mapAt(data: Dict, key: string): Dict {
  const known = data.get(key)
  if (known === undefined) return new Dict()
  if (known instanceof Dict) return known
  throw wrongType(known, 'map[string]interface {}')
}

function wrongType(value: Value, wanted: string): SetError {
  const found = value === null ? 'nil' : goTypeOf(value)
  return new SetError(`unable to parse key: interface conversion: interface {} is ${found}, not ${wanted}`)
}

function setIndex(list: Value[], index: number, value: Value): void {
  if (index > MAX_INDEX) throw new SetError(`index of ${index} is greater than maximum supported index of ${MAX_INDEX}`)
  while (list.length < index) list.push(null)
  list[index] = value
}

function typedValue(text: string): Value {
  const lower = text.toLowerCase()
  if (lower === 'true') return true
  if (lower === 'false') return false
  if (lower === 'null') return null
  if (text === '0') return goInt64(0)
  if (!/^[+-]?\d+$/.test(text) || text.startsWith('0')) return text
  const number = BigInt(text.replace(/^\+/, ''))
  return BigInt.asIntN(64, number) === number ? goInt64(number) : text
}

/** Where the JSON value that starts at `from` ends, well-formed or not. */
function endOfJson(text: string, from: number): number {
  const scalar = /^(?:true|false|null|-?\d[-+\d.eE]*)/.exec(text.slice(from, from + 400))
  if (scalar !== null) return from + scalar[0].length
  let depth = 0
  let inString = false
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at)
    if (inString) {
      if (character === '\\') at++
      else if (character === '"') inString = false
      if (!inString && depth === 0) return at + 1
    } else if (character === '"') inString = true
    else if ('{['.includes(character)) depth++
    else if ('}]'.includes(character)) {
      depth--
      if (depth <= 0) return at + 1
    } else if (depth === 0 && /[,\s]/.test(character)) return at
  }
  return text.length
}
