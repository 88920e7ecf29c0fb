import { Dict, type Value } from '../../model/value.ts'
import type { YamlBuildOptions } from './go-yaml-build.ts'
import type { YamlEntryPlace, YamlPlace } from './go-yaml-places.ts'
import { isSurelyText, resolvePlain } from './go-yaml-resolve.ts'
import { valueOf } from './go-yaml-value.ts'

/** A document that {@link readQuickYaml} read. */
export interface QuickDocument {
  readonly value: Dict | Value[]
  /** Where its nodes stand, if that was asked for. */
  readonly place: YamlPlace | undefined
}

/** The options of {@link readQuickYaml}. */
export interface QuickOptions extends YamlBuildOptions {
  readonly places: 'noted' | 'none'
}

const SPACE = 0x20
const LF = 0x0a
const HASH = 0x23
const DASH = 0x2d
const NO_LINE = -1
/** Deeper documents, and longer keys, have limits that the whole reader knows. */
const DEEPEST = 60
const LONGEST_KEY = 1000

/** Characters that the quick form refuses: those outside of ASCII, tabs, other line breaks. */
const ODD = /[^\n\x20-\x7e]/
/** A mark of a document, or a directive. */
const MARK = /^(?:---|\.\.\.|%)/m
const KEY = /[A-Za-z_][A-Za-z0-9_./-]*(?=:(?:[ \n]|$))/y
/** How a plain scalar may begin here. */
const PLAIN_START = /[A-Za-z0-9_./+$(=~]|-[A-Za-z0-9_./-]/y
const FLOW_PLAIN = /[A-Za-z0-9_.][A-Za-z0-9_./-]*(?= *[,\]}])/y
const FLOW_KEY = /[A-Za-z_][A-Za-z0-9_./-]*(?=: )/y
const OLD_BOOL = /^(?:[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$/

/** Thrown and caught here: the whole reader has to look. */
class NotQuick extends Error {}

/**
 * Reads one document of the form that most have: maps and lists in block style with scalars of one line, literal
 * blocks, short flow collections. Undefined for all else, whatever is wrong with it: the whole reader knows. What is
 * read here is the same there, value and places.
 */
export function readQuickYaml(text: string, options: QuickOptions): QuickDocument | undefined {
  if (ODD.test(text) || MARK.test(text)) return undefined
  try {
    return new QuickReader(text, options).read()
  } catch (error) {
    if (error instanceof NotQuick) return undefined
    throw error
  }
}

class QuickReader {
  readonly #text: string
  readonly #options: QuickOptions
  readonly #isNoting: boolean
  /** Where the next line begins. */
  #next = 0
  /** Where this line begins, where what is left of it does and at which column, and where it ends without blanks. */
  #lineStart = 0
  #at = 0
  #column = NO_LINE
  #end = 0
  /** Where the token read last ends, and the place of the node read last. */
  #last = 0
  #place: YamlPlace = { start: 0, end: 0 }
  #depth = 0

  constructor(text: string, options: QuickOptions) {
    this.#text = text
    this.#options = options
    this.#isNoting = options.places === 'noted'
  }

  read(): QuickDocument {
    this.#advance()
    if (this.#column !== 0) throw new NotQuick()
    const value = this.#block()
    if (this.#hasLine()) throw new NotQuick()
    return { value, place: this.#isNoting ? this.#place : undefined }
  }

  #hasLine(): boolean {
    return this.#column !== NO_LINE
  }

  /** Goes to the next line that says something. */
  #advance(): void {
    const text = this.#text
    while (this.#next < text.length) {
      const start = this.#next
      let at = start
      while (text.charCodeAt(at) === SPACE) at++
      const newline = text.indexOf('\n', at)
      let end = newline === -1 ? text.length : newline
      this.#next = end + 1
      if (at === end || text.charCodeAt(at) === HASH) continue
      while (text.charCodeAt(end - 1) === SPACE) end--
      this.#lineStart = start
      this.#at = at
      this.#column = at - start
      this.#end = end
      return
    }
    this.#column = NO_LINE
  }

  /** A collection in block style that begins here. */
  #block(): Dict | Value[] {
    if (++this.#depth > DEEPEST) throw new NotQuick()
    const value = this.#isItem() ? this.#list() : this.#map()
    this.#depth--
    return value
  }

  #isItem(): boolean {
    if (this.#text.charCodeAt(this.#at) !== DASH) return false
    return this.#at + 1 === this.#end || this.#text.charCodeAt(this.#at + 1) === SPACE
  }

  #map(): Dict {
    const column = this.#column
    const start = this.#at
    const result = new Dict()
    const entries = this.#isNoting ? new Map<string, YamlEntryPlace>() : undefined
    do {
      const keyStart = this.#at
      const key = this.#key(KEY)
      if (result.has(key)) throw new NotQuick()
      const keyEnd = keyStart + key.length
      this.#last = keyEnd + 1
      const value = this.#behind(keyEnd + 1, column, 'map')
      result.set(key, value)
      entries?.set(key, { key: { start: keyStart, end: keyEnd }, value: this.#place })
    } while (this.#column === column && !this.#isItem())
    if (this.#column > column) throw new NotQuick()
    if (entries !== undefined) this.#place = { start, end: this.#last, entries }
    return result
  }

  #list(): Value[] {
    const column = this.#column
    const start = this.#at
    const result: Value[] = []
    const items: YamlPlace[] = []
    do {
      this.#last = this.#at + 1
      result.push(this.#behind(this.#at + 1, column, 'list'))
      if (this.#isNoting) items.push(this.#place)
    } while (this.#column === column && this.#isItem())
    if (this.#column > column) throw new NotQuick()
    if (this.#isNoting) this.#place = { start, end: this.#last, items }
    return result
  }

  /** The name of an entry that begins here. */
  #key(form: RegExp): string {
    form.lastIndex = this.#at
    const key = form.exec(this.#text)?.[0]
    if (key === undefined || key.length > LONGEST_KEY || (!isSurelyText(key) && this.#resolves(key)))
      throw new NotQuick()
    return key
  }

  /** True if a text may be something else than text. */
  #resolves(text: string): boolean {
    return OLD_BOOL.test(text) || resolvePlain(text).kind !== 'str'
  }

  /** The value behind a colon or a dash, of a collection at a column; leads to the line behind it. */
  #behind(from: number, column: number, within: 'map' | 'list'): Value {
    const text = this.#text
    let at = from
    while (text.charCodeAt(at) === SPACE) at++
    if (at < this.#end && text.charCodeAt(at) !== HASH) {
      this.#at = at
      if (within === 'map') return this.#inline(column)
      this.#column = at - this.#lineStart
      if (this.#isItem()) return this.#block()
      KEY.lastIndex = at
      return KEY.test(text) ? this.#block() : this.#inline(column)
    }
    this.#advance()
    if (this.#column > column || (within === 'map' && this.#column === column && this.#isItem())) return this.#block()
    if (this.#isNoting) this.#place = { start: this.#last, end: this.#last }
    return null
  }

  /** A scalar, or a collection in flow style, up to the end of the line. */
  #inline(column: number): Value {
    const text = this.#text
    const start = this.#at
    const first = text.charAt(start)
    if (first === '|') return this.#literal(column)
    let value: Value
    if (first === '"' || first === "'") {
      value = this.#quoted(first)
      this.#endLine()
    } else if (first === '{' || first === '[') {
      value = this.#flow()
      this.#endLine()
    } else {
      PLAIN_START.lastIndex = start
      const rest = text.slice(start, this.#end)
      const comment = rest.indexOf(' #')
      const plain = comment === -1 ? rest : rest.slice(0, comment).trimEnd()
      if (!PLAIN_START.test(text) || plain.includes(': ') || plain.endsWith(':')) throw new NotQuick()
      this.#note(start, start + plain.length)
      value = this.#plain(plain)
    }
    this.#advance()
    // it would go on there
    if (this.#column > column) throw new NotQuick()
    return value
  }

  /** Nothing may follow but a comment. */
  #endLine(): void {
    const at = this.#at
    if (at !== this.#end && !/^ +#/.test(this.#text.slice(at, this.#end))) throw new NotQuick()
  }

  #note(start: number, end: number): void {
    this.#last = end
    if (this.#isNoting) this.#place = { start, end }
  }

  #plain(text: string): Value {
    if (isSurelyText(text) || (this.#options.words === 'text' && OLD_BOOL.test(text))) return text
    const resolved = resolvePlain(text)
    if (resolved.kind === 'float' && !Number.isFinite(resolved.value)) throw new NotQuick()
    return valueOf(resolved, this.#options.integers)
  }

  /** A quoted scalar without escapes. */
  #quoted(quote: '"' | "'"): string {
    const start = this.#at
    const close = this.#text.indexOf(quote, start + 1)
    if (close === -1 || close >= this.#end) throw new NotQuick()
    const value = this.#text.slice(start + 1, close)
    if (quote === '"' ? value.includes('\\') : this.#text.charAt(close + 1) === quote) throw new NotQuick()
    this.#at = close + 1
    this.#note(start, close + 1)
    return value
  }

  #literal(column: number): string {
    const text = this.#text
    const start = this.#at
    const mark = text.slice(start, this.#end)
    if ((mark !== '|' && mark !== '|-') || !text.endsWith('\n')) throw new NotQuick()
    let at = this.#next
    while (text.charCodeAt(at) === SPACE) at++
    const indent = at - this.#next
    if (indent <= column || text.charCodeAt(at) === LF) throw new NotQuick()
    const lines: string[] = []
    let length = 0
    let end = this.#end
    for (at = this.#next; at < text.length; at = this.#next) {
      const newline = text.indexOf('\n', at)
      let from = at
      while (from - at < indent && text.charCodeAt(from) === SPACE) from++
      if (from < newline && from - at < indent) break
      lines.push(text.slice(from, newline))
      if (from < newline) {
        length = lines.length
        end = newline
      }
      this.#next = newline + 1
    }
    if (length === 0) throw new NotQuick()
    this.#note(start, end)
    this.#advance()
    if (this.#column > column) throw new NotQuick()
    return lines.slice(0, length).join('\n') + (mark === '|' ? '\n' : '')
  }

  // flow style

  #flow(): Dict | Value[] {
    if (++this.#depth > DEEPEST) throw new NotQuick()
    const value = this.#text.charAt(this.#at) === '{' ? this.#flowMap() : this.#flowList()
    this.#depth--
    return value
  }

  #flowMap(): Dict {
    const start = this.#at++
    const result = new Dict()
    const entries = this.#isNoting ? new Map<string, YamlEntryPlace>() : undefined
    for (let isFirst = true; !this.#isClosed('}', isFirst); isFirst = false) {
      const keyStart = this.#at
      const key = this.#key(FLOW_KEY)
      if (result.has(key)) throw new NotQuick()
      const keyEnd = keyStart + key.length
      this.#at = keyEnd + 2
      this.#skipBlanks()
      result.set(key, this.#flowValue())
      entries?.set(key, { key: { start: keyStart, end: keyEnd }, value: this.#place })
    }
    this.#last = this.#at
    if (entries !== undefined) this.#place = { start, end: this.#at, entries }
    return result
  }

  #flowList(): Value[] {
    const start = this.#at++
    const result: Value[] = []
    const items: YamlPlace[] = []
    while (!this.#isClosed(']', result.length === 0)) {
      result.push(this.#flowValue())
      if (this.#isNoting) items.push(this.#place)
    }
    this.#last = this.#at
    if (this.#isNoting) this.#place = { start, end: this.#at, items }
    return result
  }

  /** True behind the bracket that closes a collection; else what follows is an item, behind its comma. */
  #isClosed(bracket: '}' | ']', isFirst: boolean): boolean {
    this.#skipBlanks()
    const next = this.#text.charAt(this.#at)
    if (next === bracket) {
      this.#at++
      return true
    }
    if (isFirst) return false
    if (next !== ',') throw new NotQuick()
    this.#at++
    this.#skipBlanks()
    return false
  }

  #skipBlanks(): void {
    while (this.#text.charCodeAt(this.#at) === SPACE) this.#at++
  }

  #flowValue(): Value {
    const text = this.#text
    const start = this.#at
    const first = text.charAt(start)
    if (first === '"' || first === "'") return this.#quoted(first)
    if (first === '{' || first === '[') return this.#flow()
    FLOW_PLAIN.lastIndex = start
    const plain = FLOW_PLAIN.exec(text)?.[0]
    if (plain === undefined) throw new NotQuick()
    this.#at = start + plain.length
    this.#note(start, this.#at)
    return this.#plain(plain)
  }
}
