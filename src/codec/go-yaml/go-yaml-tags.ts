import { type Cursor, END, failScan, isBlankOrEnd, isBreakOrEnd, skipBreak } from './go-yaml-cursor.ts'
import { decodeUtf8 } from '../bytes/utf8.ts'

// Anchors, tags and directives as libyaml's scanner (go-yaml v2 scannerc.go) reads them.

const name = /[0-9A-Za-z_-]*/y
const uriPlain = /[0-9A-Za-z_\-;/?:@&=+$,.!~*'()[\]]*/y

function take(cursor: Cursor, pattern: RegExp): string {
  pattern.lastIndex = cursor.pos
  const found = pattern.exec(cursor.text)?.[0] ?? ''
  cursor.pos += found.length
  return found
}

/** Reads `&name` or `*name` and returns the name. @throws YamlError */
export function scanAnchorName(cursor: Cursor): string {
  cursor.pos++
  const found = take(cursor, name)
  const next = cursor.text.charCodeAt(cursor.pos)
  if (found === '' || (!isBlankOrEnd(next) && !'?:,]}%@`'.includes(String.fromCharCode(next)))) {
    throw failScan(cursor, 'did not find expected alphabetic or numeric character')
  }
  return found
}

/** A tag as written: `!!int` has the handle `!!` and the suffix `int`. */
export interface Tag {
  readonly handle: string
  readonly suffix: string
}

/** Reads a tag. @throws YamlError */
export function scanTag(cursor: Cursor): Tag {
  const tag = cursor.text.charAt(cursor.pos + 1) === '<' ? scanVerbatimTag(cursor) : scanShortTag(cursor)
  if (!isBlankOrEnd(cursor.text.charCodeAt(cursor.pos))) {
    throw failScan(cursor, 'did not find expected whitespace or line break')
  }
  return tag
}

function scanVerbatimTag(cursor: Cursor): Tag {
  cursor.pos += 2
  const suffix = scanUri(cursor, '')
  if (cursor.text.charAt(cursor.pos) !== '>') throw failScan(cursor, "did not find the expected '>'")
  cursor.pos++
  return { handle: '', suffix }
}

function scanShortTag(cursor: Cursor): Tag {
  const handle = scanHandle(cursor)
  if (handle.length > 1 && handle.endsWith('!')) return { handle, suffix: scanUri(cursor, '') }
  const suffix = scanUri(cursor, handle)
  return suffix === '' ? { handle: '', suffix: '!' } : { handle: '!', suffix }
}

/** Reads `!`, `!!` or `!name!`, or as much of it as there is. */
function scanHandle(cursor: Cursor): string {
  if (cursor.text.charAt(cursor.pos) !== '!') throw failScan(cursor, "did not find expected '!'")
  cursor.pos++
  const handle = `!${take(cursor, name)}`
  if (cursor.text.charAt(cursor.pos) !== '!') return handle
  cursor.pos++
  return `${handle}!`
}

/** Reads a URI; `head` is a handle that was none and so belongs to it, without its `!`. */
function scanUri(cursor: Cursor, head: string): string {
  const start = cursor.pos
  let uri = head.slice(1)
  for (;;) {
    uri += take(cursor, uriPlain)
    if (cursor.text.charAt(cursor.pos) !== '%') break
    uri += scanUriEscape(cursor)
  }
  if (head === '' && cursor.pos === start) throw failScan(cursor, 'did not find expected tag URI')
  return uri
}

/** Reads the `%xx` of one character. */
function scanUriEscape(cursor: Cursor): string {
  const bytes: number[] = []
  let width = 1
  while (bytes.length < width) {
    const escape = /^%([0-9a-fA-F]{2})/.exec(cursor.text.slice(cursor.pos, cursor.pos + 3))
    if (escape === null) throw failScan(cursor, 'did not find URI escaped octet')
    const octet = Number.parseInt(escape[1] ?? '', 16)
    if (bytes.length === 0) {
      width = widthOf(octet)
      if (width === 0) throw failScan(cursor, 'found an incorrect leading UTF-8 octet')
    } else if ((octet & 0xc0) !== 0x80) throw failScan(cursor, 'found an incorrect trailing UTF-8 octet')
    bytes.push(octet)
    cursor.pos += 3
  }
  return decodeUtf8(Uint8Array.from(bytes))
}

function widthOf(octet: number): number {
  if (octet < 0x80) return 1
  if ((octet & 0xe0) === 0xc0) return 2
  if ((octet & 0xf0) === 0xe0) return 3
  return (octet & 0xf8) === 0xf0 ? 4 : 0
}

/** `%YAML first.second` or `%TAG first second`. */
export interface Directive {
  readonly name: 'YAML' | 'TAG'
  readonly first: string
  readonly second: string
}

/** Reads a directive and its line. @throws YamlError */
export function scanDirective(cursor: Cursor): Directive {
  cursor.pos++
  const directive = take(cursor, name)
  if (directive === '') throw failScan(cursor, 'could not find expected directive name')
  if (!isBlankOrEnd(cursor.text.charCodeAt(cursor.pos))) {
    throw failScan(cursor, 'found unexpected non-alphabetical character')
  }
  if (directive !== 'YAML' && directive !== 'TAG') throw failScan(cursor, 'found unknown directive name')
  const [first, second] = directive === 'YAML' ? scanVersion(cursor) : scanTagDirective(cursor)
  skipBlanks(cursor)
  if (cursor.text.charAt(cursor.pos) === '#') {
    while (!isBreakOrEnd(cursor.text.charCodeAt(cursor.pos))) cursor.pos++
  }
  const end = cursor.text.charCodeAt(cursor.pos)
  if (!isBreakOrEnd(end)) throw failScan(cursor, 'did not find expected comment or line break')
  if (end !== END) skipBreak(cursor)
  return { name: directive, first, second }
}

function scanVersion(cursor: Cursor): readonly [string, string] {
  skipBlanks(cursor)
  const major = scanVersionNumber(cursor)
  if (cursor.text.charAt(cursor.pos) !== '.') {
    throw failScan(cursor, "did not find expected digit or '.' character")
  }
  cursor.pos++
  return [major, scanVersionNumber(cursor)]
}

function scanVersionNumber(cursor: Cursor): string {
  const start = cursor.pos
  while (/[0-9]/.test(cursor.text.charAt(cursor.pos))) {
    if (cursor.pos === start + 2) throw failScan(cursor, 'found extremely long version number')
    cursor.pos++
  }
  if (cursor.pos === start) throw failScan(cursor, 'did not find expected version number')
  return cursor.text.slice(start, cursor.pos)
}

function scanTagDirective(cursor: Cursor): readonly [string, string] {
  skipBlanks(cursor)
  const handle = scanHandle(cursor)
  if (handle !== '!' && !handle.endsWith('!')) throw failScan(cursor, "did not find expected '!'")
  if (!/[ \t]/.test(cursor.text.charAt(cursor.pos))) throw failScan(cursor, 'did not find expected whitespace')
  skipBlanks(cursor)
  const prefix = scanUri(cursor, '')
  if (!isBlankOrEnd(cursor.text.charCodeAt(cursor.pos))) {
    throw failScan(cursor, 'did not find expected whitespace or line break')
  }
  return [handle, prefix]
}

function skipBlanks(cursor: Cursor): void {
  while (/[ \t]/.test(cursor.text.charAt(cursor.pos))) cursor.pos++
}
