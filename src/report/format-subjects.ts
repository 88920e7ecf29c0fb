import type { FindingSubject } from '../model/diagnostic.ts'

const MAX_NAMES = 4

/**
 * The subjects of a finding as one phrase: `cluster team-a/web, addon cni, release …`; long lists end with how many
 * more there are.
 */
export function formatSubjects(subjects: readonly FindingSubject[]): string {
  const kinds = ['cluster', 'addon', 'release'] as const
  const phrases = kinds.flatMap((kind) => {
    const names = [...new Set(subjects.flatMap((subject) => subject[kind] ?? []))]
    const shown = names.length > MAX_NAMES + 1 ? names.slice(0, MAX_NAMES) : names
    if (names.length <= 1) return names.map((name) => `${kind} ${name}`)
    const rest = names.length > shown.length ? ` and ${String(names.length - shown.length)} more` : ''
    return `${kind}s ${shown.join(', ')}${rest}`
  })
  return phrases.join(phrases.some((phrase) => phrase.includes(',')) ? '; ' : ', ')
}
