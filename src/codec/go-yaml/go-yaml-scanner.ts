import {
  type Cursor,
  columnOf,
  createCursor,
  END,
  failRead,
  failScan,
  isBlankOrEnd,
  isBreak,
  isBreakOrEnd,
  skipBreak,
} from './go-yaml-cursor.ts'
import { scanBlock, scanPlain, scanQuoted } from './go-yaml-scalars.ts'
import { scanAnchorName, scanDirective, scanTag } from './go-yaml-tags.ts'
import { MAX_NESTING } from '../max-nesting.ts'

/** Types of tokens: plain numbers, because they are compared for every few bytes of text. */
export const STREAM_END = 0
export const VERSION_DIRECTIVE = 1
export const TAG_DIRECTIVE = 2
export const DOCUMENT_START = 3
export const DOCUMENT_END = 4
export const BLOCK_SEQUENCE_START = 5
export const BLOCK_MAPPING_START = 6
export const BLOCK_END = 7
export const FLOW_SEQUENCE_START = 8
export const FLOW_SEQUENCE_END = 9
export const FLOW_MAPPING_START = 10
export const FLOW_MAPPING_END = 11
export const BLOCK_ENTRY = 12
export const FLOW_ENTRY = 13
export const KEY = 14
export const VALUE = 15
export const ALIAS = 16
export const ANCHOR = 17
export const TAG = 18
export const PLAIN = 19
export const QUOTED = 20

/** A key without `?` must end in its line and be no longer than this. */
const MAX_KEY = 1024
const NO_KEY = -1

/**
 * libyaml's scanner as go-yaml v2 has it (scannerc.go): text to tokens. A scalar, flow collection, alias, anchor or tag
 * may turn out to be a key only when `:` follows, so tokens wait in a queue until that is decided. The queue is
 * parallel arrays, which spares an object for each token.
 */
export class GoYamlScanner {
  readonly cursor: Cursor
  private head = 0
  private tail = 0
  /** How many tokens were dropped. */
  private dropped = 0
  private isReady = false
  private readonly types: number[] = []
  private readonly starts: number[] = []
  private readonly ends: number[] = []
  private readonly texts: string[] = []
  private readonly suffixes: string[] = []
  /** For a token that may start a key: the flow level where; else {@link NO_KEY}. */
  private readonly keyLevels: number[] = []

  private indent = -1
  private readonly indents: number[] = []
  private flowLevel = 0
  private isKeyAllowed = true
  // the possible key of each flow level
  private readonly keyPossible: boolean[] = [false]
  private readonly keyRequired: boolean[] = [false]
  /** The number of the token that starts it, counted from the first token of all. */
  private readonly keyToken: number[] = [0]
  private readonly keyStart: number[] = [0]
  private readonly keyLine: number[] = [0]

  constructor(text: string) {
    this.cursor = createCursor(text)
  }

  /** The type of the next token. @throws YamlError */
  peek(): number {
    if (!this.isReady) this.fetchUntilDecided()
    return this.types[this.head] ?? STREAM_END
  }

  /** Where the next token starts; call after {@link peek}. */
  get start(): number {
    return this.starts[this.head] ?? 0
  }

  /** Where the next token ends, if it has a text. */
  get end(): number {
    return this.ends[this.head] ?? 0
  }

  /** The text of the next token: a scalar's value, an anchor's or alias's name, a tag's handle. */
  get text(): string {
    return this.texts[this.head] ?? ''
  }

  /** The second text of the next token: a tag's suffix, a tag directive's prefix. */
  get suffix(): string {
    return this.suffixes[this.head] ?? ''
  }

  /** Drops the next token. */
  skip(): void {
    this.isReady = false
    this.dropped++
    this.head++
    if (this.head === this.tail) {
      this.head = 0
      this.tail = 0
    }
  }

  private fetchUntilDecided(): void {
    for (;;) {
      if (this.head !== this.tail) {
        const level = this.keyLevels[this.head] ?? NO_KEY
        if (level === NO_KEY || !this.isKeyValid(level)) break
      }
      this.fetchNext()
    }
    this.isReady = true
  }

  private fetchNext(): void {
    const { cursor } = this
    this.skipToToken()
    this.unrollIndent(columnOf(cursor))
    const code = cursor.text.charCodeAt(cursor.pos)
    const next = code === END ? END : cursor.text.charCodeAt(cursor.pos + 1)
    switch (code) {
      case END:
        return this.fetchStreamEnd()
      case 0x25: // %
        if (columnOf(cursor) !== 0) break
        return this.fetchDirective()
      case 0x2d: // -
        if (this.isDocumentIndicator()) return this.fetchDocumentIndicator(DOCUMENT_START)
        return isBlankOrEnd(next) ? this.fetchBlockEntry() : this.fetchPlain()
      case 0x2e: // .
        return this.isDocumentIndicator() ? this.fetchDocumentIndicator(DOCUMENT_END) : this.fetchPlain()
      case 0x5b: // [
        return this.fetchFlowStart(FLOW_SEQUENCE_START)
      case 0x7b: // {
        return this.fetchFlowStart(FLOW_MAPPING_START)
      case 0x5d: // ]
        return this.fetchFlowEnd(FLOW_SEQUENCE_END)
      case 0x7d: // }
        return this.fetchFlowEnd(FLOW_MAPPING_END)
      case 0x2c: // ,
        return this.fetchFlowEntry()
      case 0x3f: // ?
        return this.flowLevel > 0 || isBlankOrEnd(next) ? this.fetchKey() : this.fetchPlain()
      case 0x3a: // :
        return this.flowLevel > 0 || isBlankOrEnd(next) ? this.fetchValue() : this.fetchPlain()
      case 0x2a: // *
        return this.fetchAnchor(ALIAS)
      case 0x26: // &
        return this.fetchAnchor(ANCHOR)
      case 0x21: // !
        return this.fetchTag()
      case 0x7c: // |
      case 0x3e: // >
        if (this.flowLevel > 0) break
        return this.fetchBlock()
      case 0x27: // '
        return this.fetchQuoted("'")
      case 0x22: // "
        return this.fetchQuoted('"')
      case 0x09: // tab, where a key could start
      case 0x40: // @
      case 0x60: // `
        break
      default:
        return this.fetchPlain()
    }
    throw failScan(cursor, 'found character that cannot start any token')
  }

  /** Skips blanks, comments and line breaks. Tabs count as blanks only where no key may start. */
  private skipToToken(): void {
    const { cursor } = this
    const { text } = cursor
    for (;;) {
      let at = cursor.pos
      let code = text.charCodeAt(at)
      while (code === 0x20 || (code === 0x09 && (this.flowLevel > 0 || !this.isKeyAllowed)))
        code = text.charCodeAt(++at)
      if (code === 0x23) while (!isBreakOrEnd(text.charCodeAt(at))) at++
      cursor.pos = at
      if (!isBreak(text.charCodeAt(at))) return
      skipBreak(cursor)
      if (this.flowLevel === 0) this.isKeyAllowed = true
    }
  }

  private isDocumentIndicator(): boolean {
    const { text, pos, lineStart } = this.cursor
    if (pos !== lineStart) return false
    const code = text.charCodeAt(pos)
    return (
      text.charCodeAt(pos + 1) === code && text.charCodeAt(pos + 2) === code && isBlankOrEnd(text.charCodeAt(pos + 3))
    )
  }

  // the queue

  private push(type: number, start: number): void {
    const { tail } = this
    this.types[tail] = type
    this.starts[tail] = start
    this.keyLevels[tail] = NO_KEY
    this.tail = tail + 1
  }

  private pushText(type: number, start: number, text: string): void {
    const { tail } = this
    this.types[tail] = type
    this.starts[tail] = start
    this.texts[tail] = text
    this.ends[tail] = type >= PLAIN ? this.cursor.scalarEnd : this.cursor.pos
    // set by saveKey when this token may start a key
    this.tail = tail + 1
  }

  /** Makes room for `count` tokens at `index`. */
  private insert(index: number, count: number): void {
    for (let from = this.tail - 1; from >= index; from--) {
      const to = from + count
      this.types[to] = this.types[from] ?? 0
      this.starts[to] = this.starts[from] ?? 0
      this.ends[to] = this.ends[from] ?? 0
      this.texts[to] = this.texts[from] ?? ''
      this.suffixes[to] = this.suffixes[from] ?? ''
      this.keyLevels[to] = this.keyLevels[from] ?? NO_KEY
    }
    this.tail += count
  }

  // keys that are known only when their ':' comes

  private isKeyValid(level: number): boolean {
    if (this.keyPossible[level] !== true) return false
    const { cursor } = this
    const start = this.keyStart[level] ?? 0
    if (this.keyLine[level] === cursor.lineStart && start + MAX_KEY >= cursor.pos) return true
    if (this.keyRequired[level] === true) throw failScan(cursor, "could not find expected ':'", { from: start })
    this.keyPossible[level] = false
    return false
  }

  /** Notes that the token about to be pushed may start a key. */
  private saveKey(): void {
    const { cursor, flowLevel: level } = this
    this.keyLevels[this.tail] = NO_KEY
    if (!this.isKeyAllowed) return
    this.removeKey(cursor.pos)
    this.keyPossible[level] = true
    this.keyRequired[level] = level === 0 && this.indent === columnOf(cursor)
    this.keyToken[level] = this.dropped + this.tail - this.head
    this.keyStart[level] = cursor.pos
    this.keyLine[level] = cursor.lineStart
    this.keyLevels[this.tail] = level
  }

  private removeKey(at: number): void {
    const level = this.flowLevel
    if (this.keyPossible[level] !== true) return
    if (this.keyRequired[level] === true) {
      throw failScan(this.cursor, "could not find expected ':'", { at, from: this.keyStart[level] ?? at })
    }
    this.keyPossible[level] = false
    this.forgetKeyToken(level)
  }

  private forgetKeyToken(level: number): void {
    const index = this.indexOfKey(level)
    if (index >= this.head && index < this.tail) this.keyLevels[index] = NO_KEY
  }

  private indexOfKey(level: number): number {
    return (this.keyToken[level] ?? 0) - this.dropped + this.head
  }

  // indentation

  private rollIndent(column: number, type: number, start: number): void {
    if (this.flowLevel > 0 || this.indent >= column) return
    this.pushIndent(column)
    this.push(type, start)
  }

  private pushIndent(column: number): void {
    this.indents.push(this.indent)
    this.indent = column
    if (this.indents.length > MAX_NESTING) throw failScan(this.cursor, `exceeded max depth of ${MAX_NESTING}`)
  }

  private unrollIndent(column: number, start: number = this.cursor.pos): void {
    if (this.flowLevel > 0) return
    while (this.indent > column) {
      this.push(BLOCK_END, start)
      this.indent = this.indents.pop() ?? -1
    }
  }

  // one method for each kind of token

  private fetchStreamEnd(): void {
    const { cursor } = this
    if (cursor.unreadable !== undefined) throw failRead(cursor)
    // the end is in a line of its own, so that no key can be open any more
    const start = cursor.text.length
    cursor.pos = start
    cursor.lineStart = start
    this.unrollIndent(-1, start)
    this.removeKey(start)
    this.isKeyAllowed = false
    this.push(STREAM_END, start)
  }

  private fetchDirective(): void {
    this.unrollIndent(-1)
    this.removeKey(this.cursor.pos)
    this.isKeyAllowed = false
    const start = this.cursor.pos
    const directive = scanDirective(this.cursor)
    this.texts[this.tail] = directive.first
    this.suffixes[this.tail] = directive.second
    this.push(directive.name === 'YAML' ? VERSION_DIRECTIVE : TAG_DIRECTIVE, start)
  }

  private fetchDocumentIndicator(type: number): void {
    this.unrollIndent(-1)
    this.removeKey(this.cursor.pos)
    this.isKeyAllowed = false
    this.push(type, this.cursor.pos)
    this.cursor.pos += 3
  }

  private fetchFlowStart(type: number): void {
    this.saveKey()
    this.flowLevel++
    this.keyPossible[this.flowLevel] = false
    this.keyToken[this.flowLevel] = this.dropped + this.tail - this.head
    if (this.flowLevel > MAX_NESTING) throw failScan(this.cursor, `exceeded max depth of ${MAX_NESTING}`)
    this.isKeyAllowed = true
    this.pushText(type, this.cursor.pos, '')
    this.cursor.pos++
  }

  private fetchFlowEnd(type: number): void {
    this.removeKey(this.cursor.pos)
    if (this.flowLevel > 0) {
      // as in go-yaml: nothing inside that could be a key, so the collection itself is not seen as one either (`{}: a`)
      this.forgetKeyToken(this.flowLevel)
      this.flowLevel--
    }
    this.isKeyAllowed = false
    this.push(type, this.cursor.pos)
    this.cursor.pos++
  }

  private fetchFlowEntry(): void {
    this.removeKey(this.cursor.pos)
    this.isKeyAllowed = true
    this.push(FLOW_ENTRY, this.cursor.pos)
    this.cursor.pos++
  }

  private fetchBlockEntry(): void {
    const { cursor } = this
    if (this.flowLevel === 0) {
      if (!this.isKeyAllowed) throw failScan(cursor, 'block sequence entries are not allowed in this context')
      this.rollIndent(columnOf(cursor), BLOCK_SEQUENCE_START, cursor.pos)
    }
    this.removeKey(cursor.pos)
    this.isKeyAllowed = true
    this.push(BLOCK_ENTRY, cursor.pos)
    cursor.pos++
  }

  private fetchKey(): void {
    const { cursor } = this
    if (this.flowLevel === 0) {
      if (!this.isKeyAllowed) throw failScan(cursor, 'mapping keys are not allowed in this context')
      this.rollIndent(columnOf(cursor), BLOCK_MAPPING_START, cursor.pos)
    }
    this.removeKey(cursor.pos)
    this.isKeyAllowed = this.flowLevel === 0
    this.push(KEY, cursor.pos)
    cursor.pos++
  }

  private fetchValue(): void {
    const { cursor, flowLevel: level } = this
    if (this.isKeyValid(level)) {
      this.insertKey(level)
      this.isKeyAllowed = false
    } else {
      if (level === 0) {
        if (!this.isKeyAllowed) throw failScan(cursor, 'mapping values are not allowed in this context')
        this.rollIndent(columnOf(cursor), BLOCK_MAPPING_START, cursor.pos)
      }
      this.isKeyAllowed = level === 0
    }
    this.push(VALUE, cursor.pos)
    cursor.pos++
  }

  /** Puts KEY before the token that started the key, and the start of its mapping before that. */
  private insertKey(level: number): void {
    const index = this.indexOfKey(level)
    const start = this.keyStart[level] ?? 0
    const column = start - (this.keyLine[level] ?? 0)
    const isMappingStart = level === 0 && this.indent < column
    this.keyPossible[level] = false
    if (isMappingStart) this.pushIndent(column)
    if (index < this.head) {
      // the token is gone, see fetchFlowEnd; go-yaml then appends in this order
      this.push(KEY, start)
      if (isMappingStart) this.push(BLOCK_MAPPING_START, start)
      return
    }
    this.keyLevels[index] = NO_KEY
    this.insert(index, isMappingStart ? 2 : 1)
    if (isMappingStart) this.put(index, BLOCK_MAPPING_START, start)
    this.put(isMappingStart ? index + 1 : index, KEY, start)
  }

  private put(index: number, type: number, start: number): void {
    this.types[index] = type
    this.starts[index] = start
    this.keyLevels[index] = NO_KEY
  }

  private fetchAnchor(type: number): void {
    this.saveKey()
    this.isKeyAllowed = false
    const start = this.cursor.pos
    this.pushText(type, start, scanAnchorName(this.cursor))
  }

  private fetchTag(): void {
    this.saveKey()
    this.isKeyAllowed = false
    const start = this.cursor.pos
    const tag = scanTag(this.cursor)
    this.suffixes[this.tail] = tag.suffix
    this.pushText(TAG, start, tag.handle)
  }

  private fetchBlock(): void {
    this.removeKey(this.cursor.pos)
    this.isKeyAllowed = true
    const start = this.cursor.pos
    const value = scanBlock(this.cursor, this.indent)
    this.keyLevels[this.tail] = NO_KEY
    this.pushText(QUOTED, start, value)
  }

  private fetchQuoted(quote: '"' | "'"): void {
    this.saveKey()
    this.isKeyAllowed = false
    const start = this.cursor.pos
    this.pushText(QUOTED, start, scanQuoted(this.cursor, quote))
  }

  private fetchPlain(): void {
    this.saveKey()
    this.isKeyAllowed = false
    const start = this.cursor.pos
    const { value, endsLine } = scanPlain(this.cursor, { indent: this.indent, isFlow: this.flowLevel > 0 })
    if (endsLine) this.isKeyAllowed = true
    this.pushText(PLAIN, start, value)
  }
}
