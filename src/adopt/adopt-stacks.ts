import { compareBytes } from '../codec/text/text-order.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { dictAt, fieldAt, itemsAt, textAt } from '../model/field.ts'
import { formatVersion, matchReleaseTag, matchVersion } from '../model/release-name.ts'
import type { ReleaseName, ReleaseVersion } from '../model/release.ts'
import { dict, Dict } from '../model/value.ts'
import { type AdoptedCluster, skipped, notReady } from './adoption.ts'
import type { LiveObject } from './live-object.ts'
import { ownMetadata } from './own-metadata.ts'

/** A ClusterStack of the new fleet. */
export interface AdoptedStack {
  readonly live: LiveObject
  readonly provider: string
  readonly stack: string
  readonly kubernetes: string
  /** In dot form, in order. */
  readonly versions: readonly string[]
  readonly document: Dict
}

/** The inputs that decide about ClusterStacks. */
export interface StackInputs {
  readonly stacks: readonly LiveObject[]
  readonly releases: readonly LiveObject[]
  readonly clusters: readonly AdoptedCluster[]
}

/**
 * Pins each ClusterStack to releases that are in the management cluster now: those that clusters use, and those that
 * are ready and so on offer. Nothing newer is subscribed to: moving to this tool must not change any cluster.
 */
export function adoptStacks({ stacks, releases, clusters }: StackInputs): {
  readonly stacks: readonly AdoptedStack[]
  readonly findings: readonly Diagnostic[]
} {
  const adopted: AdoptedStack[] = []
  const findings: Diagnostic[] = []
  // two ClusterStacks of one namespace may serve the same stack on different channels; each release belongs to one of
  // them
  const claimed = new Set<string>()
  for (const live of stacks) {
    const provider = textAt(live.object, 'spec', 'provider')
    const stack = textAt(live.object, 'spec', 'name')
    const kubernetes = textAt(live.object, 'spec', 'kubernetesVersion')
    const outcome = matchReleaseTag(`${provider}-${stack}-${kubernetes.replace('.', '-')}-v1`)
    if (textAt(live.object, 'metadata', 'deletionTimestamp') !== '') {
      findings.push(skipped(live, 'it is being deleted'))
      continue
    }
    if ('reason' in outcome || !/^[1-9]\.[1-9][0-9]*$/.test(kubernetes)) {
      findings.push(skipped(live, 'its provider, name and kubernetesVersion make no release name'))
      continue
    }
    const isSameStack = (name: ReleaseName): boolean =>
      name.provider === provider &&
      name.stack === stack &&
      `${String(name.kubernetes.major)}.${String(name.kubernetes.minor)}` === kubernetes
    const own = releasesIn(live.namespace, releases).filter(({ name }) => isSameStack(name))
    const used = clusters
      .filter(({ classNamespace, release }) => classNamespace === live.namespace && isSameStack(release))
      .map(({ release }) => release.version)
    const listed = itemsAt(live.object, 'spec', 'versions').flatMap((item) => {
      const parsed = typeof item === 'string' ? matchVersion(item) : { reason: '' }
      return 'reason' in parsed ? [] : [parsed.value]
    })
    const ready = own.filter(({ isReady }) => isReady).map(({ name }) => name.version)
    const unready = own.filter(({ isReady }) => !isReady)
    const isUnready = (version: ReleaseVersion): boolean =>
      unready.some(({ name }) => formatVersion(name.version, 'dot') === formatVersion(version, 'dot'))
    // without its ClusterStackRelease nobody can tell whether a version is ready: what is listed counts
    const offered = listed.filter((version) => !isUnready(version))
    const claim = (version: string): string => `${live.namespace}/${provider}-${stack}-${kubernetes} ${version}`
    const chosen = new Map(
      [...used, ...offered, ...ready]
        .map((version) => [formatVersion(version, 'dot'), version] as const)
        .filter(([text]) => !claimed.has(claim(text))),
    )
    for (const text of chosen.keys()) claimed.add(claim(text))
    for (const release of unready) {
      if (!chosen.has(formatVersion(release.name.version, 'dot')))
        findings.push(skipped(release.live, 'it is not ready, and no cluster uses it'))
    }
    if (chosen.size === 0) {
      findings.push(skipped(live, 'no cluster uses it, and none of its releases is ready'))
      continue
    }
    const versions = [...chosen].toSorted(inOrder).map(([text]) => text)
    const isCustom = [...chosen.values()].some(({ channel }) => channel !== 'stable')
    if (isCustom && textAt(live.object, 'spec', 'channel') !== 'custom')
      findings.push(
        notReady(live, 'its channel is written as custom: it uses versions that are not of the stable channel'),
      )
    adopted.push({
      live,
      provider,
      stack,
      kubernetes,
      versions,
      document: stackDocument(live, versions, isCustom ? 'custom' : undefined),
    })
  }
  return { stacks: adopted, findings }
}

function inOrder([a, x]: readonly [string, ReleaseVersion], [b, y]: readonly [string, ReleaseVersion]): number {
  return x.major - y.major || compareBytes(a, b)
}

function releasesIn(
  namespace: string,
  releases: readonly LiveObject[],
): readonly { readonly live: LiveObject; readonly name: ReleaseName; readonly isReady: boolean }[] {
  return releases.flatMap((live) => {
    const outcome = matchReleaseTag(live.name)
    if (live.namespace !== namespace || 'reason' in outcome) return []
    const isReady =
      fieldAt(live.object, 'status', 'ready') === true && textAt(live.object, 'metadata', 'deletionTimestamp') === ''
    return [{ live, name: outcome.value, isReady }]
  })
}

function stackDocument(live: LiveObject, versions: readonly string[], channel: 'custom' | undefined): Dict {
  const spec = new Dict()
  for (const key of ['provider', 'name', 'kubernetesVersion', 'channel', 'noProvider', 'providerRef']) {
    const value = fieldAt(live.object, 'spec', key)
    if (value !== undefined && value !== null) spec.set(key, value)
  }
  const reference = dictAt(spec, 'providerRef')
  if (reference !== undefined)
    spec.set('providerRef', dict([...reference].filter(([key]) => key !== 'uid' && key !== 'resourceVersion')))
  if (channel !== undefined) spec.set('channel', channel)
  spec.set('autoSubscribe', false)
  spec.set('versions', [...versions])
  return dict([
    ['apiVersion', live.apiVersion],
    ['kind', 'ClusterStack'],
    ['metadata', ownMetadata(live)],
    ['spec', spec],
  ])
}
