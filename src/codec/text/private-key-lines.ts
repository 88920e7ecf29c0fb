/** The heads of private keys in PEM, OpenPGP's among them, of keys of OpenVPN, and of those that PuTTY keeps. */
const HEAD =
  /-----BEGIN (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN [\w -]{0,40}[Kk]ey(?: V\d)?)-----|Private-Lines: \d{1,4}(?=\s|\\[rn])/g
/** Longer than any key that is used. */
const LONGEST = 100_000
/** A line that says of which form a key is: `Proc-Type`, `DEK-Info`, `Version`, `Comment`. */
const HEADER = /^[A-Za-z][A-Za-z-]{0,40}: /

/** Collects the lines of private keys, which may be cut or stand alone; headers tell nothing. */
export function collectPrivateKeys(text: string, add: (secret: string) => void): void {
  let from = 0
  for (const match of text.matchAll(HEAD)) {
    if (match.index < from) continue
    const start = match.index + match[0].length
    const end = text.slice(start, start + LONGEST).search(/-----|Private-MAC: /)
    from = start + (end === -1 ? LONGEST : end)
    const lines = text.slice(start, from).split(/(?:\\[rn]|[\r\n])+/)
    for (const line of lines) {
      const own = line.trim()
      if (!HEADER.test(own)) own.split(/\s+/).forEach(add)
    }
  }
}
