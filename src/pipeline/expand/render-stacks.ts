import { refuseClassPlaceholders } from '../../handoff/binding/refuse-class-placeholders.ts'
import { imageRules } from '../../handoff/images/image-rules.ts'
import { refuseUnknownImages } from '../../handoff/images/refuse-unknown-images.ts'
import { type Diagnostic, StackmasonError, withSubject } from '../../model/diagnostic.ts'
import type { Fleet, FleetRepository } from '../../model/fleet.ts'
import type { HandoffStack } from '../../model/handoff.ts'
import { formatClassName, formatTag } from '../../model/release-name.ts'
import { locating } from '../../render/explain/locate-findings.ts'
import { renderClass } from '../../render/stack/render-class.ts'
import type { ClusterOptions } from '../../render/stack/render-cluster.ts'
import type { NeededRelease } from '../../render/stack/select-releases.ts'
import { diagnosticsOf } from '../diagnostics.ts'
import type { LoadedReleases } from '../resolve/load-releases.ts'
import type { FleetPart } from '../fleet/fleet-part.ts'
import { usedClasses } from '../resolve/skip-release.ts'
import type { StackState } from './stack-state.ts'

/** The inputs of rendering the stacks of a run. */
export interface StackRun {
  readonly repository: FleetRepository
  readonly part: FleetPart
  readonly loaded: LoadedReleases
  readonly render: ClusterOptions
  /** Called after each. */
  readonly onStack: (label: string) => void
}

/** The stacks of a run. */
export interface RenderedStacks {
  readonly stacks: readonly StackState[]
  readonly byNeed: ReadonlyMap<NeededRelease, Extract<StackState, { kind: 'rendered' }>>
  readonly findings: readonly Diagnostic[]
  readonly problems: readonly Diagnostic[]
}

/**
 * Renders the classes of a run; those of releases that nothing uses and that cannot be rendered stay as they are
 * committed.
 */
export async function renderStacks({ repository, part, loaded, render, onStack }: StackRun): Promise<RenderedStacks> {
  const rendered: Extract<StackState, { kind: 'rendered' }>[] = []
  const committed: StackState[] = loaded.keptStacks.map((stack) => ({ kind: 'committed', stack }))
  const byNeed = new Map<NeededRelease, Extract<StackState, { kind: 'rendered' }>>()
  const findings: Diagnostic[] = []
  const problems: Diagnostic[] = []
  const used = usedClasses(repository, loaded.lifecycle)
  for (const needed of loaded.needed) {
    const tag = formatTag(needed.name)
    const about = (found: readonly Diagnostic[]): readonly Diagnostic[] =>
      found.map((finding) => withSubject(finding, { release: tag }))
    const release = loaded.releases.get(tag)
    try {
      if (release !== undefined) {
        const { folder, clusterClass, findings: own, locator } = renderClass(release, needed.namespace, render)
        const stack = { namespace: needed.namespace, release, folder }
        if (repository.fleet.handoff !== undefined)
          locating(locator, () => {
            checkStack(stack, repository.fleet, used)
          })
        const state = { kind: 'rendered', stack, clusterClass, locator, isInPart: part.renderStacks(needed) } as const
        rendered.push(state)
        byNeed.set(needed, state)
        findings.push(...about(own))
      }
    } catch (error) {
      const skipped = await loaded.skip(needed, diagnosticsOf(error))
      if (skipped === undefined) problems.push(...about(diagnosticsOf(error)))
      else {
        if (skipped.stack !== undefined) committed.push({ kind: 'committed', stack: skipped.stack })
        findings.push(...about([skipped.finding]))
      }
    }
    onStack(`${needed.namespace}/${tag}`)
  }
  return { stacks: [...rendered, ...committed], byNeed, findings, problems }
}

/**
 * Checks what the handoff demands of a single stack.
 * @throws StackmasonError SECRET_NOT_MADE, RELEASE_METADATA_INVALID, NODE_IMAGE_UNKNOWN
 */
function checkStack(stack: HandoffStack, { nodeImages }: Fleet, used: ReadonlySet<string>): void {
  const rules = imageRules(nodeImages, stack.release.name)
  // which of the images that exist are needed can be up to the clusters, also to those that leave the class
  const isUpToClusters = rules.use === 'existing' && used.has(formatClassName(stack.release.name))
  const problems = [
    ...refuseClassPlaceholders(stack.folder.manifests),
    ...(isUpToClusters ? [] : refuseUnknownImages(stack, rules)),
  ]
  if (problems.length > 0) throw new StackmasonError(problems)
}
