import type { Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { environmentCodes } from '../../model/environment-codes.ts'
import { formatVersion, parseReleaseTag } from '../../model/release-name.ts'
import { NO_EDITS } from '../../publish/proposal.ts'
import { judgeEdit, knownProblems } from './edited-tree.ts'
import type { MadeProposal, ProposalDesk } from './proposal-desk.ts'
import type { RenderedSource } from './rendered-source.ts'

/**
 * Proposes newer releases of what ClusterStacks subscribe to: of each the newest that renders and passes `check`, with
 * the entry of the lock and the objects that it changes and no others. Where the newest of all does not, it is a draft
 * of its own that says why.
 * @throws StackmasonError PUBLISH_*, FETCH_*, GIT_FAILED
 */
export async function proposeReleases(desk: ProposalDesk, rendered: RenderedSource): Promise<'done' | 'outdated'> {
  const { newer, inputs } = rendered.change
  if (newer.length === 0) return 'done'
  // what moves the lock for another reason is a proposal of its own, without which these are made
  if (inputs.length === 0) return proposeAgainst(desk, rendered, newer)
  return desk.rendering(
    NO_EDITS,
    (plain) => proposeAgainst(desk, plain, newer),
    async (error) => {
      if (error.diagnostics.some(({ code }) => environmentCodes.has(code))) throw error
      for (const [group] of families(newer))
        await desk.hold({ group, reason: 'fleet has to be merged first: without it nothing can be rendered' })
      return 'done' as const
    },
  )
}

async function proposeAgainst(
  desk: ProposalDesk,
  plain: RenderedSource,
  newer: readonly string[],
): Promise<'done' | 'outdated'> {
  const isKnown = knownProblems(desk, plain)
  for (const [family, tags] of families(newer)) {
    for (const [index, tag] of tags.entries()) {
      const outcome = await proposeRelease(desk, { family, tag, isNewest: index === 0, plain, isKnown })
      if (outcome === 'outdated') return outcome
      if (outcome === 'decided') break
    }
  }
  return 'done'
}

/** Tags by the group of their proposal, the newest first: `release/docker-lab-1-34`. */
function families(tags: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const tag of tags) {
    const { provider, stack, kubernetes } = parseReleaseTag(tag)
    const group = `release/${provider}-${stack}-${String(kubernetes.major)}-${String(kubernetes.minor)}`
    found.set(group, [...(found.get(group) ?? []), tag])
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

interface ReleaseTry {
  readonly family: string
  readonly tag: string
  readonly isNewest: boolean
  /** The commit as it renders without the release. */
  readonly plain: RenderedSource
  /** True for a problem that is there without the release. */
  readonly isKnown: (finding: Diagnostic) => Promise<boolean>
}

/** `decided`: older ones need not be tried. */
async function proposeRelease(desk: ProposalDesk, release: ReleaseTry): Promise<'decided' | 'broken' | 'outdated'> {
  const { family, tag, isNewest, plain } = release
  const draftGroup = `${family}-${formatVersion(parseReleaseTag(tag).version, 'dash')}`
  const takeDraft = async (made: MadeProposal): Promise<'broken' | 'outdated'> => {
    if (!isNewest) return 'broken'
    return (await desk.take(made)) === 'outdated' ? 'outdated' : 'broken'
  }
  /** Without a tree there is nothing that may be merged: the branch says what is wrong, and changes no file. */
  const takeNotice = (diagnostics: readonly Diagnostic[], message: string): Promise<'broken' | 'outdated'> => {
    const result = { ...plain.change.result, steps: [], findings: diagnostics }
    return takeDraft({
      group: draftGroup,
      draft: `release ${tag} cannot be rendered: ${message}`,
      rendered: plain,
      part: new Set(),
      change: { ...plain.change, files: [], inputs: [], result },
    })
  }
  const proposeRendered = async (edited: RenderedSource): Promise<'decided' | 'broken' | 'outdated'> => {
    const skipped = edited.change.result.findings.filter(
      ({ code, about }) => code === 'RELEASE_SKIPPED' && about?.release === tag,
    )
    const [reason] = skipped
    if (reason !== undefined)
      return takeNotice(
        skipped.map((finding) => ({ ...finding, severity: 'error' as const })),
        reason.message,
      )
    const judged = await judgeEdit(desk, { plain, edited }, release.isKnown)
    if (judged === undefined) {
      await desk.hold({
        group: family,
        reason: 'what people have merged changes the same files and has to be merged first',
      })
      return 'decided'
    }
    const { errors, ...made } = judged
    const [first] = errors
    if (first !== undefined)
      return takeDraft({ ...made, group: draftGroup, draft: `release ${tag} does not pass check: ${first.message}` })
    return (await desk.take({ ...made, group: family })) === 'outdated' ? 'outdated' : 'decided'
  }
  const tellFailure = async (error: StackmasonError): Promise<'decided' | 'broken' | 'outdated'> => {
    const { diagnostics, message } = error
    // a server that is down says nothing about the release
    if (diagnostics.some(({ code }) => environmentCodes.has(code))) {
      const warnings = diagnostics.map((finding) => ({ ...finding, severity: 'warning' as const }))
      await desk.hold({ group: family, reason: `release ${tag} cannot be looked at now: ${message}` }, warnings)
      return 'decided'
    }
    return takeNotice(diagnostics, message)
  }
  return desk.rendering({ ...NO_EDITS, lock: [tag] }, proposeRendered, tellFailure)
}
