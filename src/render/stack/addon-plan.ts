import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { AddonEntry, Cluster } from '../../model/fleet.ts'
import { isOwnInput } from '../../model/input-path.ts'
import { formatTag } from '../../model/release-name.ts'
import type { Release, ReleaseAddon } from '../../model/release.ts'
import { finalAddons, stageFindings } from './stage-findings.ts'

/**
 * One addon of one cluster, in apply order. Its folder is called `<NN>-<name>`, or `<name>`: the cluster's own have no
 * stage.
 */
export type PlannedAddon =
  | { readonly from: 'release'; readonly name: string; readonly folder: string; readonly addon: ReleaseAddon }
  | { readonly from: 'fleet'; readonly name: string; readonly folder: string; readonly entry: AddonEntry }

/** The addons of a cluster, and the findings about them. */
export interface AddonPlan {
  readonly addons: readonly PlannedAddon[]
  /** Names that addons.yaml of a folder above switches off, and that the release does not have. */
  readonly absent: readonly string[]
  readonly findings: readonly Diagnostic[]
}

/**
 * Decides which addons a cluster gets: those that the release's AfterControlPlaneInitialized stages leave applied, in
 * their order (or the one addon of the old form), less what addons.yaml switches off, then the fleet's own. Numbers
 * come from the stage list, so switching one off renames no other. A folder above may switch off what this release does
 * not have: other clusters may have it.
 * @throws StackmasonError CONFIG_REFERENCE, CONFIG_CONFLICT for entries of addons.yaml that do not fit the release
 */
export function planAddons(cluster: Cluster, release: Release): AddonPlan {
  const entries = new Map(cluster.addons.map((entry) => [entry.name, entry]))
  refuseMisfits(cluster, release)
  const staged = stagedAddons(release)
  const planned: PlannedAddon[] = []
  for (const [index, addon] of staged.addons.entries()) {
    if (entries.get(addon.name)?.enabled === false) continue
    planned.push({ from: 'release', name: addon.name, folder: folderName(index, addon.name), addon })
  }
  const own = cluster.addons.filter(isOwn)
  for (const entry of own)
    if (entry.enabled) planned.push({ from: 'fleet', name: entry.name, folder: entry.name, entry })
  const absent = cluster.addons.filter((entry) => isAbsent(entry, release) && !isRefused(entry, cluster))
  return { addons: planned, absent: absent.map(({ name }) => name), findings: staged.findings }
}

function folderName(index: number, name: string): string {
  return `${String(index + 1).padStart(2, '0')}-${name}`
}

function stagedAddons(release: Release): {
  readonly addons: readonly ReleaseAddon[]
  readonly findings: readonly Diagnostic[]
} {
  if (release.form === 'single') return { addons: release.addons, findings: [] }
  const names = finalAddons(release.stages.AfterControlPlaneInitialized ?? [])
  const addons = names.flatMap((name) => release.addons.find((candidate) => candidate.name === name) ?? [])
  return { addons, findings: stageFindings(release) }
}

function refuseMisfits(cluster: Cluster, release: Release): void {
  const known = release.addons.map((addon) => addon.name)
  const problems: Diagnostic[] = []
  for (const entry of cluster.addons) {
    if (isOwn(entry) && known.includes(entry.name)) {
      problems.push({
        code: 'CONFIG_CONFLICT',
        severity: 'error',
        message: `addon "${entry.name}" is already part of release ${formatTag(release.name)}`,
        at: entry.at,
        hint: 'Give your own addon another name, or switch off the one of the release and name yours differently.',
      })
    }
    if (isAbsent(entry, release) && isRefused(entry, cluster)) {
      problems.push({
        code: 'CONFIG_REFERENCE',
        severity: 'error',
        message: `release ${formatTag(release.name)} has no addon "${entry.name}"`,
        at: entry.at,
        hint: `Its addons are: ${known.join(', ')}. To add your own, give it a chart or templates.`,
      })
    }
  }
  if (problems.length > 0) throw new StackmasonError(problems)
}

function isOwn({ chart, templates }: AddonEntry): boolean {
  return chart !== undefined || templates !== undefined
}

function isAbsent(entry: AddonEntry, release: Release): boolean {
  return !isOwn(entry) && release.addons.every(({ name }) => name !== entry.name)
}

function isRefused({ enabled, at }: AddonEntry, cluster: Cluster): boolean {
  return enabled || isOwnInput(at.source.name, cluster)
}
