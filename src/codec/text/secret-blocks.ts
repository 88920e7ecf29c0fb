import { isNameOfSecret } from '../../model/sensitive-name.ts'
import { nameBefore } from './assigned-values.ts'

/** Takes one text that must not be shown. */
type Add = (secret: string) => void

/** Elements of XML over several lines; those on one are found on it. The first group must be the name of a secret. */
const ELEMENTS: readonly RegExp[] = [
  /<([A-Za-z][\w.:-]{0,100})(?:\s[^<>]{0,200})?>(?:\s{0,50}<!\[CDATA\[)?([^<>]{1,2000})</g,
  /<(?:name|key)>\s{0,50}([\w.:-]{1,200})\s{0,50}<\/(?:name|key)>\s{0,200}<value>([^<]{1,2000})</g,
  /\b(?:name|key)\s?=\s?["']([\w.:-]{1,200})["'][^<>]{0,200}>(?:\s{0,200}<value>)?([^<>]{1,2000})</g,
]
/** A text of TOML in three quotes, or up to a word. */
const TEXT = /=[ \t]{0,40}(?:('''|""")|<<[-~]?[ \t]{0,4}["']?([A-Za-z_]\w{0,60})["']?[ \t]{0,20}$)/gm
const LONGEST_TEXT = 4000
/** The head of a table of TOML, or of a section of INI. */
const TABLE = /^[ \t]{0,40}\[{1,2}([\w.-]{1,200})\]{1,2}[ \t]{0,40}$/
const OF_SECRETS = /(?:^|[._-])(?:secrets?|credentials?|passwords?|tokens?)$/i
const ENTRY = /^[ \t]{0,40}["']?([\w.-]{1,200})["']?[ \t]{0,40}=[ \t]{0,40}(\S.{0,2000})$/
/** Entries of such a table that tell about a secret. */
const BESIDE = /(?:name|path|file|url|host|type|user|region|enabled)$/i

/** Finds secrets of a document whose names stand on lines before them, in formats that are not YAML. */
export function collectFromBlocks(text: string, add: Add): void {
  if (text.includes('</')) collectFromElements(text, add)
  if (/'''|"""|<</.test(text)) collectFromTexts(text, add)
  if (/^[ \t]{0,40}\[{1,2}[\w.-]{0,200}(?:secret|credential|password|token)s?\]/im.test(text))
    collectFromTables(text, add)
}

function collectFromElements(text: string, add: Add): void {
  for (const form of ELEMENTS)
    for (const [, name = '', value = ''] of text.matchAll(form)) if (isNameOfSecret(name)) add(value)
}

function collectFromTexts(text: string, add: Add): void {
  let from = 0
  for (const match of text.matchAll(TEXT)) {
    if (match.index < from || !isNameOfSecret(nameBefore(text, from, match.index))) continue
    const start = match.index + match[0].length
    const body = text.slice(start, start + LONGEST_TEXT)
    const end = match[1] === undefined ? endOfHeredoc(body, match[2] ?? '') : body.indexOf(match[1])
    const own = end === -1 ? body : body.slice(0, end)
    add(own)
    from = start + own.length
  }
}

function endOfHeredoc(body: string, word: string): number {
  return body.search(new RegExp(String.raw`^[ \t]{0,40}${word}$`, 'm'))
}

function collectFromTables(text: string, add: Add): void {
  let isOfSecrets = false
  for (const line of text.split('\n')) {
    const [, table] = TABLE.exec(line) ?? []
    if (table !== undefined) isOfSecrets = OF_SECRETS.test(table)
    else if (isOfSecrets) {
      const [, key = '', value] = ENTRY.exec(line) ?? []
      if (value !== undefined && !BESIDE.test(key)) add(value)
    }
  }
}
