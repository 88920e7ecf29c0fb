import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { writeIdentity } from '../../codec/plain-text.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { Crypto } from '../../model/ports.ts'
import { digestOfBytes } from '../../replay/digests.ts'
import type { RenderedUnit } from './cluster-unit.ts'

/** Gives the digest of all that a unit's files depend on. */
export type DigestUnit = (unit: RenderedUnit) => string

/** Gives digests of plain values. */
export interface Digests {
  readonly of: (value: unknown) => string
  /** The same for what stands in many others, which is looked through once. */
  readonly shared: (value: object) => string
  /** Of a cluster as its files have it. */
  readonly cluster: (cluster: Cluster) => readonly unknown[]
}

/** Makes {@link Digests}. `asText` gives equal texts for equal values; default: one that says which value it is. */
export function createDigests(crypto: Crypto, asText?: (value: unknown) => string): Digests {
  const known = new WeakMap<object, string>()
  const hash = (part: string | Uint8Array): string =>
    digestOfBytes(typeof part === 'string' ? encodeUtf8(part) : part, crypto)
  const digest = (value: unknown): string => hash(asText?.(value) ?? writeIdentity(value, hash))
  const shared = (value: object): string => {
    const before = known.get(value) ?? digest(value)
    known.set(value, before)
    return before
  }
  return {
    of: digest,
    shared,
    cluster: ({ values, patches, addons, apiVersions, ...own }) => [
      own,
      [...values].map(([name, files]) => [name, files.map(shared)]),
      patches.map(shared),
      addons.map(shared),
      apiVersions === undefined ? '' : digest(apiVersions),
    ],
  }
}

/**
 * Makes a {@link DigestUnit}. What many units have in common is looked through once: releases, classes, charts, files
 * of values, patches.
 * @param context what all units of the run depend on besides: the fleet's settings, the GitOps tool's templates
 */
export function createUnitDigests(context: unknown, { of: digest, shared, cluster: ofCluster }: Digests): DigestUnit {
  const start = digest(context)
  return (unit) => {
    const { inputs, ...others } = unit
    const { cluster, release, clusterClass, ownCharts, ownTemplates, ...more } = inputs
    return digest([
      start,
      { ...others, cluster: undefined },
      more,
      // the cluster as it is rendered, and as it is asked for: one is a variant of the other
      [unit.cluster, cluster].map(ofCluster),
      shared(release),
      clusterClass === undefined ? '' : shared(clusterClass),
      [...ownCharts].map(([name, chart]) => [name, shared(chart)]),
      [...ownTemplates].map(([name, templates]) => [name, shared(templates)]),
    ])
  }
}
