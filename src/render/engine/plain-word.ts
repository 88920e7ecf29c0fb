/** In characters. */
export const LONGEST_WORD = 63

const wordPattern = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?$/
/** The form of encoded and hashed words. */
const codePattern = /^[A-Za-z0-9](?:[A-Za-z0-9._/+-]*[A-Za-z0-9])?={0,2}$/

/**
 * True if templates, YAML and JSON treat the text as they treat any other of its kind, wherever it stands and whatever
 * stands beside it: it begins and ends with a letter or digit, nothing in it has a meaning of its own, and no number,
 * date or word such as `true` can come of it. So what is rendered with a token in its place holds for it, as long as
 * nothing looks into it.
 */
export function isPlainWord(text: string): boolean {
  return text.length <= LONGEST_WORD && wordPattern.test(text) && isSurelyText(text)
}

/** The same of what a function makes of words: `+`, and `=` at the end, are plain too. */
export function isPlainCode(text: string): boolean {
  return codePattern.test(text) && isSurelyText(text)
}

/** Characters of no number, no date, and no word that YAML takes for something else than text. */
const neverElse = /[ghjkmpqvwGHJKMPQVW/]/
/** Letters of `true`, `false`, `null`, `yes`, but of no number and no date. */
const onlyOfWords = /[lrsuyLRSUY]/
const longestElse = 5
/** More dots than a number or a date has. */
const dots = /\..*\./
/** More dashes than a date with a time zone has. */
const dashes = /-.*-.*-.*-/
/** More digits than an integer has; letters that make it no decimal one, whether a prefix stands before it or not. */
const hexadecimal = /^(?=.*[acdf])0*[1-9a-f][0-9a-f]{16,}$/

/** True if a plain scalar that holds the text is text, whatever else it holds. */
function isSurelyText(text: string): boolean {
  // Helm deletes this wherever it comes about
  if ('<no value>'.includes(text)) return false
  return (
    neverElse.test(text) ||
    (text.length > longestElse && onlyOfWords.test(text)) ||
    dots.test(text) ||
    dashes.test(text) ||
    hexadecimal.test(text)
  )
}
