import { shownGroups } from '../tree-change/format-diff.ts'
import { changeSection } from './change-section.ts'
import { clusterSection, effectSection, undoSection, versionSection } from './fact-sections.ts'
import { findingSection } from './finding-section.ts'
import type { Section } from './pack-sections.ts'
import type { PublishedChange, PullRequestFacts } from './pull-request-facts.ts'
import { reproduceSection } from './reproduce-section.ts'
import { stepSection } from './step-section.ts'
import { summarySection } from './summary-section.ts'

/** The sections of a body, in its order. */
export const sectionNames = [
  'summary',
  'effects',
  'clusters',
  'versions',
  'findings',
  'undo',
  'changes',
  'reproduce',
  'steps',
] as const

/** One of {@link sectionNames}. */
export type SectionName = (typeof sectionNames)[number]

/** All that a body can say, in forms to choose from. */
export function bodySections(published: PublishedChange, facts: PullRequestFacts): ReadonlyMap<SectionName, Section> {
  const groups = shownGroups(published.change.groups)
  const sections: Readonly<Record<SectionName, Section>> = {
    summary: summarySection(published, facts),
    effects: effectSection(published, facts),
    clusters: clusterSection(published.change, groups, facts),
    versions: versionSection(published.change, facts),
    findings: findingSection(published.findings, facts),
    undo: undoSection(published.change, facts),
    changes: changeSection(published.change, groups, facts),
    reproduce: reproduceSection(facts),
    steps: stepSection(published),
  }
  return new Map(sectionNames.map((name) => [name, sections[name]]))
}
