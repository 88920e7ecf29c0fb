import type { Diagnostic, FindingSubject } from '../model/diagnostic.ts'
import { pathOf } from '../model/source.ts'
import { hintOf } from './hint-of.ts'

/** A finding with everything that it is about. */
export interface FoldedFinding {
  readonly finding: Diagnostic
  /** In the order in which they were found; empty when it is about the fleet. */
  readonly about: readonly FindingSubject[]
}

/** Joins findings that differ by nothing but what they are about, where the first of them stands. */
export function foldFindings(findings: readonly Diagnostic[]): readonly FoldedFinding[] {
  const folded = new Map<string, { readonly finding: Diagnostic; readonly about: Map<string, FindingSubject> }>()
  for (const finding of findings) {
    const { code, severity, message, at, file, about, acknowledgement } = finding
    const place = at === undefined ? ['', file ?? ''] : [pathOf(at.source), at.start]
    const accepted = [acknowledgement?.reason, acknowledgement?.until]
    const key = JSON.stringify([code, severity, message, place, hintOf(finding), accepted, finding.isNew === true])
    const known = folded.get(key) ?? { finding, about: new Map<string, FindingSubject>() }
    folded.set(key, known)
    if (about !== undefined) known.about.set(JSON.stringify([about.release, about.cluster, about.addon]), about)
  }
  return [...folded.values()].map(({ finding, about }) => ({ finding, about: [...about.values()] }))
}
