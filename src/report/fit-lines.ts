import { wrapWords } from './wrap-words.ts'

/** A command at the end of a line, where no backticks mark it. */
const COMMAND = /^(.*?: |\s*)((?:kubectl|stackmason|git|cd|helm|flux|argocd) [a-z-].*)$/

/**
 * Breaks lines at words, so that each fits the terminal; what a line goes on with is indented below it. A command stays
 * whole, on a line of its own where it must: the terminal breaks it, and what is copied is one line.
 */
export function fitLines(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => fitLine(line, width))
    .join('\n')
}

function fitLine(line: string, width: number): string {
  if (line.length <= width) return line
  const [, before = '', command] = COMMAND.exec(line) ?? []
  const indent = ' '.repeat(/^\s*(?:- )?/.exec(line)?.[0].length ?? 0) + (/^\s*- /.test(line) ? '' : '  ')
  if (command === undefined) return wrapWords(line, { width, indent })
  if (before.trim() === '') return line
  return `${wrapWords(before.trimEnd(), { width, indent })}\n${indent}${command}`
}
