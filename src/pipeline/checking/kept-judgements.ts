import type { Judgement } from '../../check/begin-check.ts'
import type { CheckedUnit } from '../../check/checked-unit.ts'
import { type NotedField, originOf, type UnitOrigin } from '../../check/unit-origin.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Diagnostic, FindingSubject } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import { digestOfBytes } from '../../replay/digests.ts'
import { unitsOf } from '../expand/checked-units.ts'
import type { RenderedUnit } from '../expand/cluster-unit.ts'
import type { MakeKeeper } from '../expand/pool-of-kept.ts'
import type { KeptUnits } from '../expand/reuse-units.ts'
import { isSound, type UnitResult } from '../expand/unit-results.ts'
import { archivedTexts, createResultKeeper } from '../compare/kept-results.ts'

/** What judging a cluster came to: a plain value. */
export interface JudgedCluster {
  readonly cluster: string
  readonly units: readonly JudgedUnit[]
  /** Secrets that stand readable in it. */
  readonly readable: readonly Diagnostic[]
  readonly objects: number
  /** Digests of its folders, by their paths in the tree: see {@link createFolderDigests}. */
  readonly folders: ReadonlyMap<string, string>
}

/** One of its units. */
export interface JudgedUnit {
  readonly subject: FindingSubject
  readonly judgement: Judgement
}

/** Judgements of clusters that earlier runs have kept, and those that this one keeps. */
export interface KeptJudgements {
  readonly keeper: MakeKeeper
  /** The origin of a unit that is being judged: later runs need not look up again what is asked of it. */
  readonly originOf: (unit: CheckedUnit) => UnitOrigin
  /** Notes what judging the cluster that is being given came to. */
  readonly note: (judged: JudgedCluster) => void
  /** Keeps the places that were asked for, and which clusters are as in the base. */
  readonly settle: () => void
}

/** The inputs of keeping judgements. */
export interface KeepingJudgements {
  readonly kept: KeptUnits
  /** Digest of all that judgements depend on besides the clusters: rules and their inputs. */
  readonly basis: string
  /** The tree that is compared with; a cluster that is another one there is judged. */
  readonly base: KnownBase | undefined
  /** The folder of the tree, absolute. */
  readonly output: string
  /** Takes the judgement of an earlier run. */
  readonly takeKnown: (judged: JudgedCluster, of: (unit: JudgedUnit) => UnitOrigin) => void
  readonly ports: Pick<Ports, 'files' | 'crypto'>
}

/** A tree that clusters are compared with. */
export interface KnownBase {
  /** A text that no other tree has. */
  readonly state: string
  /** True if it has these folders, by their paths, and nothing else in them. */
  readonly has: (folders: JudgedCluster['folders']) => boolean
}

/** Places of fields in objects of a cluster, by the field. */
type Places = Map<string, Pick<Diagnostic, 'at' | 'file' | 'trace'>>

/** A cluster of which places may be asked until the end of a run. */
interface AskedCluster {
  readonly key: string
  readonly places: Places
  /** How many of them are kept. */
  readonly kept: number
}

/**
 * Does without expanding and judging clusters whose digest an earlier run has kept, with the same rules. Findings stand
 * where the texts of their files are as they were.
 */
export function keepJudgements({ kept, basis, base, output, takeKnown, ports }: KeepingJudgements): KeptJudgements {
  const { records } = kept
  const { crypto } = ports
  const results = createResultKeeper(kept, ports)
  const asked: AskedCluster[] = []
  let given: { readonly places: Places; judged?: JudgedCluster } | undefined
  const digestOf = (...parts: readonly string[]): string => digestOfBytes(encodeUtf8(parts.join(' ')), crypto)
  const keyOf = (digest: string): string => digestOf(basis, digest)
  const placesKeyOf = (key: string): string => digestOf(key, 'places')
  const sameKey = base === undefined ? '' : digestOf(basis, 'same', base.state)
  const knownSame = new Set(base === undefined ? [] : records.get(sameKey)?.head.split(' '))
  const same = new Set<string>()
  const isSame = (key: string, { folders }: JudgedCluster): boolean => {
    if (base !== undefined && !knownSame.has(key) && !base.has(folders)) return false
    same.add(key)
    return true
  }
  const knownPlaces = async (key: string, archived: () => ReadonlyMap<string, string>): Promise<Places> => {
    const record = records.get(key)
    const places = record && (await results.unpack(record.head, archived))
    return isPlaces(places) ? places : new Map()
  }
  const keep = (key: string, { summary, leaving }: UnitResult, judged: JudgedCluster): void => {
    const isPlain = judged.units.every(({ judgement }) => judgement.isCostly !== true)
    if (!isPlain || !isSound(summary)) return
    const told = results.pack({ summary, leaving, ...judged } satisfies KeptHead)
    if (told !== undefined) records.keep(key, { family: key, head: told, body: '' })
  }
  return {
    keeper: ({ again, take }) => ({
      isEmpty: records.isEmpty,
      find: async (unit, digest) => {
        const key = keyOf(digest)
        const record = records.get(key)
        const archived = (): ReadonlyMap<string, string> => textsOf(unit)
        const head = record && (await results.unpack(record.head, archived))
        if (record === undefined || !isHead(head)) return undefined
        const { summary, leaving, ...judged } = head
        const known = await knownPlaces(placesKeyOf(key), archived)
        return {
          summary,
          leaving,
          give: async () => {
            if (!isSame(key, judged)) return take(again(unit))
            const places: Places = new Map(known)
            takeKnown(judged, createOrigins({ units: () => unitsOf(again(unit), output), places }))
            asked.push({ key, places, kept: known.size })
          },
        }
      },
      give: async (_unit, digest, result) => {
        const places: Places = new Map()
        const giving: typeof given = { places }
        given = giving
        await result.give()
        given = undefined
        const { judged } = giving
        if (judged === undefined) return
        const key = keyOf(digest)
        keep(key, result, judged)
        asked.push({ key, places, kept: 0 })
      },
    }),
    originOf: (unit) => (given === undefined ? originOf(unit) : remembering(originOf(unit), given.places)),
    note: (judged) => {
      if (given !== undefined) given.judged = judged
    },
    settle: () => {
      for (const { key, places, kept: before } of asked) {
        const told = places.size > before ? results.pack(places) : undefined
        if (told !== undefined) records.keep(placesKeyOf(key), { family: placesKeyOf(key), head: told, body: '' })
      }
      if (base !== undefined && same.size > 0)
        records.keep(sameKey, { family: sameKey, head: [...same].join(' '), body: '' })
    },
  }
}

/** The texts of the archives that a cluster is made of. */
function textsOf({ inputs: { release, ownCharts } }: RenderedUnit): ReadonlyMap<string, string> {
  const own = [...ownCharts.values()]
  if (own.length === 0) return archivedTexts(release)
  return new Map([release, ...own].flatMap((one) => [...archivedTexts(one)]))
}

/** The part of a judgement that is read each time. */
interface KeptHead extends Pick<UnitResult, 'summary' | 'leaving'>, JudgedCluster {}

function isHead(value: unknown): value is KeptHead {
  return typeof value === 'object' && value !== null && 'summary' in value && 'units' in value
}

function isPlaces(value: unknown): value is Places {
  return value instanceof Map
}

/** The origins of the units of a cluster that is expanded only where a place is asked that nobody has asked before. */
function createOrigins({
  units,
  places,
}: {
  readonly units: () => readonly CheckedUnit[]
  readonly places: Places
}): (unit: JudgedUnit) => UnitOrigin {
  let expanded: readonly CheckedUnit[] | undefined
  return ({ subject }) =>
    remembering(
      {
        subject,
        locate: (finding, field) => {
          expanded ??= units()
          const own = expanded.find(({ folders }) => folders.some(({ path }) => path === field.object.folder))
          return own === undefined ? finding : originOf(own).locate(finding, field)
        },
      },
      places,
    )
}

/** An origin that looks up a place once. */
function remembering(origin: UnitOrigin, places: Places): UnitOrigin {
  return {
    subject: origin.subject,
    locate: (finding, field) => {
      const key = keyOfField(field)
      const known = places.get(key)
      if (known !== undefined) return { ...finding, ...known }
      const located = origin.locate(finding, field)
      const { at, file, trace } = located
      places.set(key, {
        ...(at !== undefined && { at }),
        ...(file !== undefined && { file }),
        ...(trace !== undefined && { trace }),
      })
      return located
    },
  }
}

function keyOfField({ object, path }: NotedField): string {
  const { folder, apiVersion, kind, namespace, name } = object
  return JSON.stringify([folder, apiVersion, kind, namespace, name, path])
}
