/** The heads of private keys in PEM, OpenPGP's among them, of keys of OpenVPN, and of those that PuTTY keeps. */
const HEAD =
  /-----BEGIN (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN [\w -]{0,40}[Kk]ey(?: V\d)?)-----|Private-Lines: \d{1,4}(?=\s|\\[rn])/g
/** Longer than any key that is used. */
const LONGEST = 100_000
/** A line that says of which form a key is: `Proc-Type`, `DEK-Info`, `Version`, `Comment`. */
const HEADER = /^[A-Za-z][A-Za-z-]{0,40}: /
/** The end of a key, or the beginning of something else. */
const END = /-----|Private-MAC: /
const QUOTES = /^["']+|["',]+$/g
/** Signs before the lines of a key in comments and lists. */
const MARK = /^(?:[#>|*-]*|\/\/)$/
/** A line of a key, or the short one at its end. */
const MATERIAL =
  /^(?:[A-Za-z0-9+/]{16,}|[A-Za-z0-9+/]+=|=[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{0,15}[0-9+/][A-Za-z0-9+/]{0,15})={0,2}$/

/** Collects the lines of private keys, which may be cut or stand alone; headers tell nothing. */
export function collectPrivateKeys(text: string, add: (secret: string) => void): void {
  let from = 0
  for (const match of text.matchAll(HEAD)) {
    if (match.index < from) continue
    const start = match.index + match[0].length
    const rest = text.slice(start, start + LONGEST)
    const end = rest.search(END)
    const isEnded = end !== -1 && !rest.startsWith('-----BEGIN', end)
    from = start + (end === -1 ? LONGEST : end)
    for (const line of text.slice(start, from).split(/(?:\\[rn]|[\r\n])+/)) {
      const own = line.trim()
      if (HEADER.test(own)) continue
      const words = own.split(/\s+/).map((word) => word.replaceAll(QUOTES, ''))
      // the head alone may stand in a sentence, with all that a file has behind it
      if (!isEnded && !words.every((word) => MARK.test(word) || MATERIAL.test(word))) break
      own.split(/\s+/).forEach(add)
    }
  }
}
