import { StackmasonError } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { compareVersions, formatClassName, parseClassName } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import { compareKubernetesVersions } from './compare-kubernetes-versions.ts'

/** The releases, by class name, of a cluster's Cluster object and of its addons. */
export interface ReleaseState {
  readonly className: string
  readonly addons: string
}

/** One change on the way of an upgrade, and what the tree holds after it. */
export interface UpgradeMove extends ReleaseState {
  readonly action: 'addons' | 'class'
}

/** Where an upgrade starts, and which releases lie on offer for the minor versions between. */
export interface UpgradeStart extends ReleaseState {
  readonly version: string
  readonly offered: readonly ReleaseName[]
  /** True if the fleet has a lock, which has to get what is added. */
  readonly isLocked: boolean
}

/**
 * The moves from what is committed to what cluster.yaml wants: minor version by minor version, in each of them addons
 * before class and version. So a Cluster is at no time at a newer version than its addons are for, wherever the upgrade
 * stops.
 * @throws StackmasonError UPGRADE_GOES_BACK, UPGRADE_SKIPS_MINOR
 */
export function upgradePath(cluster: Cluster, start: UpgradeStart): readonly UpgradeMove[] {
  if (compareKubernetesVersions(cluster.version, start.version) < 0) throw goesBack(cluster, start.version)
  const moves: UpgradeMove[] = []
  let state: ReleaseState = start
  const move = (action: UpgradeMove['action'], change: Partial<ReleaseState>): void => {
    const next = { className: state.className, addons: state.addons, ...change }
    if (next.className !== state.className || next.addons !== state.addons) moves.push({ action, ...next })
    state = next
  }
  for (const release of [...releasesBetween(cluster, start), cluster.className]) {
    move('addons', { addons: release })
    move('class', { className: release })
  }
  return moves
}

/** The release for each minor version that must not be skipped, lowest first. */
function releasesBetween(cluster: Cluster, start: UpgradeStart): readonly string[] {
  const wanted = parseClassName(cluster.className)
  const from = parseClassName(start.className).kubernetes
  if (wanted.kubernetes.major !== from.major) return []
  const between: { readonly minor: string; readonly release: string | undefined }[] = []
  for (let minor = from.minor + 1; minor < wanted.kubernetes.minor; minor++) {
    const candidates = start.offered.filter(
      ({ provider, stack, kubernetes }) =>
        provider === wanted.provider &&
        stack === wanted.stack &&
        kubernetes.major === from.major &&
        kubernetes.minor === minor,
    )
    between.push({ minor: `${from.major}.${minor}`, release: choose(candidates, start.addons) })
  }
  const releases = between.flatMap(({ release }) => release ?? [])
  if (releases.length < between.length) throw skipsMinor(cluster, start, between)
  return releases
}

/** The one that a step already began with, else the newest; versions without an order only when there is no choice. */
function choose(candidates: readonly ReleaseName[], begun: string): string | undefined {
  const names = candidates.map(formatClassName)
  if (names.includes(begun)) return begun
  const stable = candidates
    .filter(({ version }) => version.channel === 'stable')
    .toSorted((a, b) => compareVersions(b.version, a.version))
  if (stable[0] !== undefined) return formatClassName(stable[0])
  return names.length === 1 ? names[0] : undefined
}

function goesBack(cluster: Cluster, version: string): StackmasonError {
  return new StackmasonError({
    code: 'UPGRADE_GOES_BACK',
    severity: 'error',
    message: `${cluster.namespace}/${cluster.name} is at Kubernetes ${version} and cannot go back to ${cluster.version}`,
    at: cluster.versionAt,
    hint: `Write ${version}, or a newer version, and a class of it. No cluster goes back: docs/36-rolling-back.md has what can be done instead.`,
  })
}

function skipsMinor(
  cluster: Cluster,
  start: UpgradeStart,
  between: readonly { readonly minor: string; readonly release: string | undefined }[],
): StackmasonError {
  const { provider, stack } = parseClassName(cluster.className)
  const steps = between.map(({ minor, release }) => `${minor} (${release ?? 'no release on offer'})`)
  const missing = between.flatMap(({ minor, release }) => (release === undefined ? [`"${minor}"`] : []))
  return new StackmasonError({
    code: 'UPGRADE_SKIPS_MINOR',
    severity: 'error',
    message:
      `${cluster.namespace}/${cluster.name} is at Kubernetes ${start.version} and cannot go to ${cluster.version} at once; ` +
      `the way there is ${[...steps, cluster.className].join(', then ')}`,
    at: cluster.classAt,
    hint: `Add to stacks/ a ClusterStack in namespace ${cluster.classNamespace} with provider ${provider}, name ${stack} and kubernetesVersion ${missing.join(', one with ')} that lists a version${start.isLocked ? '; then run `stackmason update`' : ''}.`,
  })
}
