import { quoteGo } from './format.ts'
import { isPrintable } from '../../codec/text/printable.ts'
import { keywords, type Token, type TokenKind } from './token.ts'
import { say, toErrorText, written, type ErrorMessage, type ErrorText } from './error-text.ts'

const END = -1
const TAB = 9
const NEWLINE = 10
const RETURN = 13
const SPACE = 32
const QUOTE = 34
const APOSTROPHE = 39
const DOT = 46
const ZERO = 48
const BACKSLASH = 92
const BRACE = 125
const UNDERSCORE = 95

/** The characters `.,|:()` may follow a name at once. */
const terminators: ReadonlySet<number> = new Set([46, 44, 124, 58, 40, 41])
const letterOrDigit = /^[\p{L}\p{Nd}]$/u
const decimal = '0123456789_'
const hexadecimal = '0123456789abcdefABCDEF_'

/** The facts about functions that the lexer needs: whether `break` and `continue` are keywords. */
export interface LexerOptions {
  readonly isFunction: (name: string) => boolean
}

/**
 * Cuts a template into tokens, one at a time, as Go's text/template does (parse/lex.go): trim markers and comments
 * never reach the parser. After an error token come only `eof` tokens.
 */
export class Lexer {
  private readonly options: LexerOptions
  private text: string
  private at = 0
  private start = 0
  private isInAction = false
  private parenDepth = 0
  /** `line` is the line of offset `lineAt`. */
  private line = 1
  private lineAt = 0
  /** Where that line ends; each end is looked for once. Before the first look: none. */
  private nextNewline = -1

  constructor(text: string, options: LexerOptions) {
    this.text = text
    this.options = options
  }

  /** Returns the next token. */
  next(): Token {
    this.start = this.at
    return this.isInAction ? this.insideAction() : this.outsideAction()
  }

  private token(kind: TokenKind): Token {
    const start = this.start
    this.start = this.at
    return { kind, text: this.text.slice(start, this.at), start, line: this.lineOf(start) }
  }

  private error<Text extends string>(message: ErrorMessage<Text>): Token {
    const problem = toErrorText(message)
    const line = this.lineOf(this.start)
    const token: Token = { kind: 'error', text: problem.go, problem, start: this.start, line }
    this.text = ''
    this.at = 0
    this.isInAction = false
    return token
  }

  private lineOf(offset: number): number {
    while (this.nextNewline < offset) {
      if (this.nextNewline >= this.lineAt) {
        this.line++
        this.lineAt = this.nextNewline + 1
      }
      const newline = this.text.indexOf('\n', this.lineAt)
      this.nextNewline = newline === -1 ? Number.POSITIVE_INFINITY : newline
    }
    return this.line
  }

  private outsideAction(): Token {
    for (;;) {
      const open = this.text.indexOf('{{', this.at)
      if (open === -1) {
        this.at = this.text.length
        return this.token(this.at > this.start ? 'text' : 'eof')
      }
      const trims = this.isLeftTrimMarker(open + 2)
      const inside = open + 2 + (trims ? 2 : 0)
      const textEnd = trims ? this.trimRight(open) : open
      if (textEnd > this.start) {
        this.at = textEnd
        const token = this.token('text')
        this.at = open
        return token
      }
      this.start = open
      this.at = inside
      if (!this.text.startsWith('/*', inside)) {
        this.isInAction = true
        this.parenDepth = 0
        return { kind: 'leftDelim', text: '{{', start: open, line: this.lineOf(open) }
      }
      this.start = inside
      const problem = this.skipComment(inside)
      if (problem !== undefined) return this.error(problem)
      this.start = this.at
    }
  }

  private skipComment(open: number): ErrorText | undefined {
    const close = this.text.indexOf('*/', open + 2)
    if (close === -1) return say`unclosed comment`
    this.at = close + 2
    const delimiter = this.rightDelimiter(this.at)
    if (delimiter === undefined) return say`comment ends before closing delimiter`
    this.at = delimiter.end
    return undefined
  }

  /**
   * The `}}` at an offset, if there is one: where it starts behind its trim marker, and where the text behind it
   * starts.
   */
  private rightDelimiter(at: number): { readonly start: number; readonly end: number } | undefined {
    const unit = this.text.charCodeAt(at)
    if (unit === BRACE) return this.text.startsWith('}}', at) ? { start: at, end: at + 2 } : undefined
    const hasMarker = isSpace(unit) && this.text.startsWith('-}}', at + 1)
    return hasMarker ? { start: at + 2, end: this.trimLeft(at + 4) } : undefined
  }

  private isLeftTrimMarker(at: number): boolean {
    return this.text.charAt(at) === '-' && isSpace(this.text.charCodeAt(at + 1))
  }

  private trimRight(end: number): number {
    let at = end
    while (at > this.start && isSpace(this.text.charCodeAt(at - 1))) at--
    return at
  }

  private trimLeft(start: number): number {
    let at = start
    while (isSpace(this.text.charCodeAt(at))) at++
    return at
  }

  private insideAction(): Token {
    const delimiter = this.rightDelimiter(this.at)
    if (delimiter !== undefined) {
      if (this.parenDepth > 0) return this.error('unclosed left paren')
      this.isInAction = false
      this.at = delimiter.end
      return { kind: 'rightDelim', text: '}}', start: delimiter.start, line: this.lineOf(delimiter.start) }
    }
    const rune = this.peek()
    if (rune === END) return this.error('unclosed action')
    if (isSpace(rune)) return this.space()
    if (isAlphanumeric(rune) && !isDigit(rune)) return this.word()
    this.at += width(rune)
    switch (rune) {
      case 61:
        return this.token('assign')
      case 58:
        if (this.text.charAt(this.at) !== '=') return this.error('expected :=')
        this.at++
        return this.token('declare')
      case 124:
        return this.token('pipe')
      case QUOTE:
        return this.quoted(QUOTE, 'string')
      case APOSTROPHE:
        return this.quoted(APOSTROPHE, 'charConstant')
      case 96:
        return this.rawString()
      case 36:
        return this.fieldOrVariable('variable')
      case 40:
        this.parenDepth++
        return this.token('leftParen')
      case 41:
        this.parenDepth--
        return this.parenDepth < 0 ? this.error('unexpected right paren') : this.token('rightParen')
    }
    if (rune === DOT && !isDigit(this.text.charCodeAt(this.at)) && this.at < this.text.length) {
      return this.fieldOrVariable('field')
    }
    if (rune === DOT || rune === 43 || rune === 45 || isDigit(rune)) {
      this.at--
      return this.number()
    }
    if (rune < 0x80 && isPrintable(rune)) return this.token('char')
    return this.error(say`unrecognized character in action: ${written(formatRune(rune))}`)
  }

  private space(): Token {
    while (isSpace(this.text.charCodeAt(this.at))) this.at++
    // the last space may belong to a closing trim marker
    if (this.text.startsWith('-}}', this.at)) {
      this.at--
      if (this.at === this.start) return this.insideAction()
    }
    return this.token('space')
  }

  private quoted(quote: number, kind: 'string' | 'charConstant'): Token {
    for (;;) {
      const rune = this.take()
      if (rune === quote) return this.token(kind)
      const escaped = rune === BACKSLASH ? this.take() : rune
      if (escaped === END || escaped === NEWLINE)
        return this.error(kind === 'string' ? 'unterminated quoted string' : 'unterminated character constant')
    }
  }

  private rawString(): Token {
    const close = this.text.indexOf('`', this.at)
    if (close === -1) return this.error('unterminated raw quoted string')
    this.at = close + 1
    return this.token('rawString')
  }

  /** `.name`, `$name`, `.` or `$`, whose first character is passed. */
  private fieldOrVariable(kind: 'field' | 'variable'): Token {
    if (this.isAtTerminator()) return this.token(kind === 'field' ? 'dot' : kind)
    this.skipAlphanumerics()
    if (!this.isAtTerminator()) return this.error(say`bad character ${written(formatRune(this.peek()))}`)
    return this.token(kind)
  }

  private word(): Token {
    this.skipAlphanumerics()
    const word = this.text.slice(this.start, this.at)
    if (!this.isAtTerminator()) return this.error(say`bad character ${written(formatRune(this.peek()))}`)
    if (word === 'true' || word === 'false') return this.token('bool')
    const keyword = keywords.get(word)
    if (keyword === undefined) return this.token('identifier')
    const isLoopWord = keyword === 'break' || keyword === 'continue'
    return this.token(isLoopWord && this.options.isFunction(word) ? 'identifier' : keyword)
  }

  private skipAlphanumerics(): void {
    while (isAsciiAlphanumeric(this.text.charCodeAt(this.at))) this.at++
    // most names are ASCII and end here
    for (let rune = this.peek(); rune >= 0x80 || isAsciiAlphanumeric(rune); rune = this.peek()) {
      if (!isAlphanumeric(rune)) return
      this.at += width(rune)
    }
  }

  /** True if an identifier may end here. */
  private isAtTerminator(): boolean {
    const unit = this.text.charCodeAt(this.at)
    return isSpace(unit) || terminators.has(unit) || this.at >= this.text.length || this.text.startsWith('}}', this.at)
  }

  private number(): Token {
    let isGood = this.scanNumber()
    let kind: TokenKind = 'number'
    const sign = this.peek()
    if (isGood && (sign === 43 || sign === 45)) {
      kind = 'complex'
      isGood = this.scanNumber() && this.text.charAt(this.at - 1) === 'i'
    }
    if (!isGood) return this.error(say`bad number syntax: ${written(quoteGo(this.text.slice(this.start, this.at)))}`)
    return this.token(kind)
  }

  /** Accepts more than is a number, as Go does: the parser looks closer. */
  private scanNumber(): boolean {
    this.accept('+-')
    let digits = decimal
    if (this.accept('0')) {
      if (this.accept('xX')) digits = hexadecimal
      else if (this.accept('oO')) digits = '01234567_'
      else if (this.accept('bB')) digits = '01_'
    }
    this.acceptRun(digits)
    if (this.accept('.')) this.acceptRun(digits)
    const exponent = digits === decimal ? 'eE' : digits === hexadecimal ? 'pP' : ''
    if (this.accept(exponent)) {
      this.accept('+-')
      this.acceptRun(decimal)
    }
    this.accept('i')
    if (!isAlphanumeric(this.peek())) return true
    this.take()
    return false
  }

  private accept(valid: string): boolean {
    const isValid = this.at < this.text.length && valid.includes(this.text.charAt(this.at))
    if (isValid) this.at++
    return isValid
  }

  private acceptRun(valid: string): void {
    while (this.accept(valid));
  }

  private peek(): number {
    return this.text.codePointAt(this.at) ?? END
  }

  private take(): number {
    const rune = this.peek()
    if (rune !== END) this.at += width(rune)
    return rune
  }
}

function width(rune: number): number {
  return rune > 0xffff ? 2 : 1
}

function isSpace(unit: number): boolean {
  return unit === SPACE || unit === TAB || unit === NEWLINE || unit === RETURN
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= 57
}

/** True if Go takes `rune` for part of an identifier: a letter, a decimal digit or an underscore. */
function isAlphanumeric(rune: number): boolean {
  return rune < 0x80 ? isAsciiAlphanumeric(rune) : letterOrDigit.test(String.fromCodePoint(rune))
}

function isAsciiAlphanumeric(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || isDigit(unit) || unit === UNDERSCORE
}

/** Returns `rune` as Go's `%#U` prints it; a byte that is no UTF-8 counts as U+FFFD. */
function formatRune(rune: number): string {
  const isByte = rune >= 0xdc00 && rune <= 0xdfff
  const shown = isByte ? 0xfffd : rune
  const number = `U+${shown.toString(16).toUpperCase().padStart(4, '0')}`
  return isPrintable(shown) ? `${number} '${String.fromCodePoint(shown)}'` : number
}
