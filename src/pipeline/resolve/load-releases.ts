import { joinPath } from '../../codec/path.ts'
import { waitsForConditions } from '../../handoff/committed-units.ts'
import { clusterSubject, StackmasonError, type Diagnostic, withSubject } from '../../model/diagnostic.ts'
import type { Cluster, FleetRepository } from '../../model/fleet.ts'
import type { UnitRelease, UnitStack } from '../../model/handoff.ts'
import type { Lock } from '../../model/lock.ts'
import type { Ports } from '../../model/ports.ts'
import { formatClassName, formatTag, parseClassName } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'
import type { StepPlan } from '../../model/steps.ts'
import type { NeededRelease } from '../../render/stack/select-releases.ts'
import { openCommittedTree } from '../../sources/committed/committed-tree.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'
import type { SourceContext } from '../../sources/source-context.ts'
import { completeRelease, type CompleteChart } from './complete-charts.ts'
import { diagnosticsOf, distinct } from '../diagnostics.ts'
import { planLifecycle, type FleetLifecycle } from './fleet-lifecycle.ts'
import { keptStack } from './kept-stack.ts'
import type { FleetPart } from '../fleet/fleet-part.ts'
import { selectLocked } from './select-locked.ts'
import { selectUnlocked } from './select-unlocked.ts'
import type { SelectedReleases } from './selected-releases.ts'
import { createSkipRelease, type SkipRelease } from './skip-release.ts'

/** The releases of a run by tag, each read once. */
export interface LoadedReleases {
  readonly needed: readonly NeededRelease[]
  readonly byCluster: ReadonlyMap<Cluster, NeededRelease>
  readonly releases: ReadonlyMap<string, Release>
  /** The steps of the clusters; undefined without a GitOps tool. */
  readonly lifecycle: FleetLifecycle | undefined
  /**
   * Stacks that stay as they are committed: no source has their releases any more and clusters of them run, or they
   * cannot be read and nothing uses them.
   */
  readonly keptStacks: readonly UnitStack[]
  /** Those releases by tag, as far as clusters that stay as they are committed need to know them. */
  readonly keptReleases: ReadonlyMap<string, UnitRelease>
  /** For releases of `releases` that turn out not to render. */
  readonly skip: SkipRelease
  readonly findings: readonly Diagnostic[]
}

/** Where releases and the charts that they depend on come from. */
export interface ReleaseInputs {
  readonly context: SourceContext
  readonly lock: Lock | undefined
  readonly complete: CompleteChart
}

/**
 * Finds and reads every release that this run needs: as the lock says, or without one from the sources on this machine.
 * @throws StackmasonError with all problems: LOCK_*, RELEASE_*, FETCH_*, ARCHIVE_*, CHART_INVALID,
 * CHART_DEPENDENCY_MISSING, CONFIG_REFERENCE, CONFIG_CONFLICT
 */
export async function loadReleases(
  repository: FleetRepository,
  part: FleetPart,
  { context, lock, complete }: ReleaseInputs,
  revision: TreeRevision,
): Promise<LoadedReleases> {
  const selection =
    lock === undefined
      ? await selectUnlocked(repository, part.clusters, context.ports)
      : selectLocked(repository, part.clusters, { lock, context })
  const lifecycle =
    repository.fleet.handoff === undefined
      ? undefined
      : await planLifecycle(repository, part, selection, {
          revision,
          isLocked: lock !== undefined,
          ports: context.ports,
        })
  const findings: Diagnostic[] = [...selection.findings]
  if (lifecycle === undefined && revision.base !== undefined)
    findings.push(await unusedBase(repository, revision, context.ports))
  const problems: Diagnostic[] = [...selection.problems, ...(lifecycle?.problems ?? [])]
  findings.push(...(lifecycle?.findings ?? []))
  // an upgrade over several minors renders what lies between, which is neither what runs nor what is wanted
  const current = lifecycle === undefined ? [] : Array.from(lifecycle.clusters.values(), ({ release }) => release)
  const used = new Set([...selection.byCluster.values(), ...current])
  const inUse = (lifecycle?.needed ?? []).filter((release) => !selection.needed.includes(release))
  const needed = [...selection.needed.filter((release) => part.renderStacks(release) || used.has(release)), ...inUse]
  const skip = createSkipRelease(repository, lifecycle, context.ports)
  const releases = new Map<string, Release>()
  const keptStacks: UnitStack[] = []
  const keptReleases = new Map<string, UnitRelease>()
  const failed = new Map<string, readonly Diagnostic[]>()
  for (const release of needed) {
    const tag = formatTag(release.name)
    if (releases.has(tag) || isMissing(release, selection)) continue
    if (!failed.has(tag)) {
      try {
        const read = await selection.read(release)
        releases.set(tag, await completeRelease(read.release, complete))
        findings.push(...read.findings.map((finding) => withSubject(finding, { release: tag })))
      } catch (error) {
        failed.set(
          tag,
          diagnosticsOf(error).map((finding) => withSubject(finding, { release: tag })),
        )
      }
    }
    const failure = failed.get(tag)
    if (failure === undefined) continue
    // another namespace may have the same release
    const skipped = await skip(release, failure)
    if (skipped !== undefined) {
      findings.push(skipped.finding)
      if (skipped.stack !== undefined) keptStacks.push(skipped.stack)
      continue
    }
    const stacks = inUse.includes(release) && lifecycle !== undefined ? await keepStacks(release, lifecycle) : []
    if (stacks.length === 0) problems.push(...revertsInNeedOf(release, lifecycle), ...failure)
    else {
      // a namespace that offers the release may have clusters of another one's class, too
      keptStacks.push(...stacks.filter(({ folder }) => keptStacks.every((known) => known.folder.path !== folder.path)))
      keptReleases.set(tag, { name: release.name, form: 'single', stages: {}, origin: tag })
    }
  }
  if (lifecycle !== undefined && revision.from === 'disk' && part.isWhole) {
    const left = await leftStacks(lifecycle, needed)
    keptStacks.push(...left)
    const output = joinPath(repository.fleet.root, repository.fleet.output)
    findings.push(...left.map((stack) => unneeded(stack, output)))
  }
  for (const [cluster, release] of selection.byCluster) {
    const found = releases.get(formatTag(release.name))
    if (found !== undefined && cluster.version !== found.kubernetesVersion)
      problems.push(withSubject(versionMismatch(cluster, found), clusterSubject(cluster)))
  }
  if (problems.length > 0) throw new StackmasonError(distinct(problems))
  return { needed, byCluster: selection.byCluster, releases, lifecycle, keptStacks, keptReleases, skip, findings }
}

/** Clusters that a revert has brought back to a release that is gone: the way out is not to find that release. */
function revertsInNeedOf(
  { name, namespace }: NeededRelease,
  lifecycle: FleetLifecycle | undefined,
): readonly Diagnostic[] {
  return (lifecycle?.stuckReverts ?? []).flatMap((stuck) =>
    stuck.namespace === namespace && stuck.classes.includes(formatClassName(name)) ? [stuck.problem] : [],
  )
}

/**
 * Stacks that the tree on disk has and nothing needs. They are right there: an upgrade keeps the stack that a cluster
 * leaves for one more commit, and the tree does not say whether that has been applied.
 */
async function leftStacks(
  { tree, clusters }: FleetLifecycle,
  needed: readonly NeededRelease[],
): Promise<readonly UnitStack[]> {
  const wanted = new Set([
    ...needed.map(({ namespace, name }) => `${namespace}/${formatTag(name)}`),
    ...[...clusters].flatMap(([cluster, { plan }]) => imageStacks(cluster, plan)),
  ])
  const left: UnitStack[] = []
  for (const stack of await tree.stacks()) {
    if (wanted.has(`${stack.namespace}/${formatTag(stack.release.name)}`)) continue
    const kept = await keptStack(stack, tree)
    if (kept !== undefined) left.push(kept)
  }
  return left
}

/**
 * Without a GitOps tool nothing follows on a commit. The revision must be one all the same: who names it believes that
 * it is looked at.
 * @throws StackmasonError BASE_UNKNOWN, GIT_FAILED
 */
async function unusedBase({ fleet }: FleetRepository, { base = '' }: TreeRevision, ports: Ports): Promise<Diagnostic> {
  await openCommittedTree(joinPath(fleet.root, fleet.output), { from: 'commit', base }, ports)
  return {
    code: 'BASE_UNUSED',
    severity: 'warning',
    message: `--base ${base} has no effect: the fleet names no GitOps tool (spec.handoff), so its tree has no steps`,
    file: joinPath(fleet.root, 'stackmason.yaml'),
    hint: 'Leave --base out, or add spec.handoff to stackmason.yaml.',
  }
}

function unneeded({ namespace, release, folder }: UnitStack, output: string): Diagnostic {
  return {
    code: 'STACK_UNNEEDED',
    severity: 'warning',
    message: `nothing needs stack ${formatTag(release.name)} in namespace ${namespace} any more`,
    file: joinPath(output, folder.path),
    about: { release: formatTag(release.name) },
  }
}

/** The stacks that may hold the node images that a cluster needs in its own namespace. */
function imageStacks({ namespace }: Cluster, { classes, due }: StepPlan): readonly string[] {
  const names = due.addons === undefined ? classes : [...classes, due.addons]
  return names.map((className) => `${namespace}/${formatTag(parseClassName(className))}`)
}

/**
 * The committed stack of a release that cannot be read any more, and what other namespaces have of its node images;
 * nothing when a cluster needs more of the release than that: its addons, or how its conditions divide them among
 * units.
 */
async function keepStacks(release: NeededRelease, lifecycle: FleetLifecycle): Promise<readonly UnitStack[]> {
  const { tree, clusters } = lifecycle
  // the way out of a revert is not to bring its class back
  const isReverted = revertsInNeedOf(release, lifecycle).length > 0
  const tag = formatTag(release.name)
  for (const [cluster, { plan, release: own }] of clusters) {
    if (own.namespace !== release.namespace || formatTag(own.name) !== tag || plan.content === 'none') continue
    if (plan.content === 'rendered' || waitsForConditions(await tree.handoff(cluster))) return []
  }
  const guests = [...clusters].filter(
    ([cluster, { plan }]) =>
      cluster.classNamespace === release.namespace &&
      imageStacks(cluster, plan).includes(`${cluster.namespace}/${tag}`),
  )
  const stacks: UnitStack[] = []
  for (const namespace of new Set([release.namespace, ...guests.map(([cluster]) => cluster.namespace)])) {
    if (!isReverted) await tree.refuseBrokenStack(namespace, tag)
    const kept = await keptStack({ namespace, release }, tree)
    if (kept !== undefined) stacks.push(kept)
    else if (namespace === release.namespace) return []
  }
  return stacks
}

/** True if choosing has told already that there is no such release. */
function isMissing(release: NeededRelease, { problems }: SelectedReleases): boolean {
  return problems.some(({ code, at }) => code === 'LOCK_MISSING' && at === release.at)
}

function versionMismatch(cluster: Cluster, release: Release): Diagnostic {
  return {
    code: 'CONFIG_CONFLICT',
    severity: 'error',
    message: `topology.version ${cluster.version} differs from the Kubernetes version of release ${formatTag(release.name)}`,
    at: cluster.versionAt,
    hint: `Write ${release.kubernetesVersion}: its images and addons are made for exactly that version.`,
  }
}
