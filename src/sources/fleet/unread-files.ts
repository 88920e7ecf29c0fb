import { nearestName } from '../../model/nearest-name.ts'
import { type FolderEntry, shownPath } from './fleet-files.ts'
import type { Reading } from './reading.ts'

/**
 * The advice about a file that nothing reads; without a hint nobody knows what it was meant to be, so it is a warning
 * only.
 */
export interface UnreadAdvice {
  readonly hint?: string
  /** The advice where nobody knows what it was meant to be. */
  readonly place?: string
}

/**
 * Notes that nothing reads a file or folder: an error when it looks like a mistake, else a warning. Texts for people
 * are left alone.
 */
export function noteUnread(entry: FolderEntry, { hint, place }: UnreadAdvice, reading: Reading): void {
  if (entry.type === 'file' && hint === undefined && isProse(entry.name)) return
  const message = `nothing reads ${shownPath(entry.path, reading)}`
  const diagnostic = { code: 'CONFIG_UNKNOWN_FILE', message, file: entry.path } as const
  if (hint === undefined)
    reading.findings.push({ severity: 'warning', ...diagnostic, ...(place !== undefined && { hint: place }) })
  else reading.problems.push({ severity: 'error', ...diagnostic, hint })
}

/** The name that a misspelt file or folder was meant to have, among those that are possible there. */
export function meantName(entry: FolderEntry, possible: readonly string[]): string | undefined {
  const stem = entry.name.replace(/\.(?:ya?ml|json)$/i, '')
  const fitting = possible.filter((name) => name.includes('.') === (entry.type === 'file'))
  if (fitting.includes(entry.name)) return undefined
  const sameStem = fitting.find((name) => name.replace('.yaml', '') === stem.toLowerCase())
  return sameStem ?? nearestName(entry.name, fitting)
}

function isProse(name: string): boolean {
  return /\.(?:md|txt|adoc|rst)$/i.test(name) || /^(?:README|LICENSE|NOTICE|OWNERS|CODEOWNERS)$/i.test(name)
}
