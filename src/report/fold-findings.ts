import type { Diagnostic, FindingSubject } from '../model/diagnostic.ts'
import { pathOf } from '../model/source.ts'
import { hintOf } from './hint-of.ts'

/** A finding with everything that it is about. */
export interface FoldedFinding {
  readonly finding: Diagnostic
  /** In the order in which they were found; empty when it is about the fleet. */
  readonly about: readonly FindingSubject[]
}

/**
 * Joins findings that differ by nothing but what they are about, where the first of them stands. The same file of
 * several archives is one place: releases that bring the same chart bring the same fault. Of a patch the first hint
 * stays: it lists what one of the objects has.
 */
export function foldFindings(findings: readonly Diagnostic[]): readonly FoldedFinding[] {
  const folded = new Map<string, { readonly finding: Diagnostic; readonly about: Map<string, FindingSubject> }>()
  const counted = new Map<string, Map<number, number>>()
  for (const finding of findings) {
    const { code, severity, message, about, acknowledgement } = finding
    const accepted = [acknowledgement?.reason, acknowledgement?.until]
    const rest = [
      code,
      severity,
      message,
      LISTS_KEYS.has(code) ? '' : hintOf(finding),
      accepted,
      finding.isNew === true,
    ]
    const key = JSON.stringify([...rest, placeOf(finding, JSON.stringify(rest), counted)])
    const known = folded.get(key) ?? { finding, about: new Map<string, FindingSubject>() }
    folded.set(key, known)
    if (about !== undefined) known.about.set(JSON.stringify([about.release, about.cluster, about.addon]), about)
  }
  return [...folded.values()].map(({ finding, about }) => ({ finding, about: [...about.values()] }))
}

/**
 * The key that tells places of equal findings apart: in an archive the path in it, and which of the places of that
 * archive it is, because lines move from one release to the next.
 */
function placeOf(
  { at, file = '' }: Diagnostic,
  rest: string,
  counted: Map<string, Map<number, number>>,
): readonly unknown[] {
  if (at === undefined) return ['', file]
  const path = pathOf(at.source)
  const end = path.indexOf(IN_ARCHIVE)
  if (end === -1) return [path, at.start]
  const inside = path.slice(end + IN_ARCHIVE.length)
  const key = JSON.stringify([rest, path])
  const places = counted.get(key) ?? new Map<number, number>()
  counted.set(key, places)
  const place = places.get(at.start) ?? places.size
  places.set(at.start, place)
  return [IN_ARCHIVE, withoutVersions(inside), place]
}

const LISTS_KEYS: ReadonlySet<Diagnostic['code']> = new Set(['PATCH_FAILED'])

/** Between the path of an archive and a path in it. */
const IN_ARCHIVE = '!/'

/** Archives of charts that others hold have their version in the name. */
function withoutVersions(path: string): string {
  return path.replaceAll(/-\d[^/!]*\.tgz!/g, '.tgz!')
}
