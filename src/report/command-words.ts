import { shellWord } from '../codec/text/shell-word.ts'

/** Options and values of a command line as a shell takes them; no value begins with two dashes. */
export function commandWords(words: readonly string[]): string {
  return words.map((word) => (/^--[a-z-]+$/.test(word) ? word : shellWord(word))).join(' ')
}
