import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { writeIdentity } from '../../codec/plain-text.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { Crypto } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import { digestOfBytes } from '../../replay/digests.ts'
import type { RenderedUnit } from './cluster-unit.ts'

/** Gives the digest of all that a unit's files depend on. */
export type DigestUnit = (unit: RenderedUnit) => string

/** The digest of a unit, and those that it is made of. */
export interface UnitDigests {
  readonly whole: string
  /** Of all but what the values of its addons say. */
  readonly family: string
  /** Of what the values of each addon say, by name. */
  readonly values: ReadonlyMap<string, string>
}

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

/** Makes a {@link DigestUnit}: see {@link createPartDigests}. */
export function createUnitDigests(context: unknown, digests: Digests): DigestUnit {
  const digest = createPartDigests(context, digests)
  return (unit) => digest(unit).whole
}

/**
 * Makes what gives the digests of a unit. What many units have in common is looked through once: releases, classes, charts, files
 * of values, patches.
 * @param context what all units of the run depend on besides: the fleet's settings, the GitOps tool's templates
 */
export function createPartDigests(
  context: unknown,
  { of: digest, shared, cluster: ofCluster }: Digests,
): (unit: RenderedUnit) => UnitDigests {
  const start = digest(context)
  // which files there are counts, too: they are named as of use
  const nameOnly = ([name, files]: readonly [string, readonly { readonly source: Source }[]]): unknown => [
    name,
    files.map(({ source }) => [source.name, source.path ?? '']),
  ]
  return (unit) => {
    const { inputs, ...others } = unit
    const { cluster, release, clusterClass, ownCharts, ownTemplates, ...more } = inputs
    const values = new Map(
      Array.from(cluster.values, ([name, files]) => [
        name,
        digest([files.map(shared), (unit.cluster.values.get(name) ?? []).map(shared)]),
      ]),
    )
    const family = digest([
      start,
      { ...others, cluster: undefined },
      more,
      // the cluster as it is rendered, and as it is asked for: one is a variant of the other
      [unit.cluster, cluster].map((one) => ofCluster({ ...one, values: new Map() })),
      [unit.cluster, cluster].map((one) => Array.from(one.values, nameOnly)),
      shared(release),
      clusterClass === undefined ? '' : shared(clusterClass),
      [...ownCharts].map(([name, chart]) => [name, shared(chart)]),
      [...ownTemplates].map(([name, templates]) => [name, shared(templates)]),
    ])
    return { whole: digest([family, values]), family, values }
  }
}
