import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { readPlain, writePlain } from '../../codec/plain-text.ts'
import type { Crypto, Files } from '../../model/ports.ts'
import { clusterTree } from '../../model/tree-path.ts'
import { CLUSTER_UNIT } from '../../render/stack/locate-in-cluster.ts'
import { packResult, unpackResult } from '../../replay/pack-result.ts'
import type { UnitRecord, UnitRecords } from '../../replay/unit-records.ts'
import { type KnownUnit, treesOf } from '../../write/known-unit.ts'
import type { FolderContent, KnownContent } from '../../write/serialize-folder.ts'
import { handoffFolders } from '../fleet/fleet-part.ts'
import type { ClusterUnit, RenderedUnit } from './cluster-unit.ts'
import { isSound, type TakeKnown, type Taker, type UnitResult } from './unit-results.ts'
import { type PoolOfKept, poolOfKept } from './pool-of-kept.ts'
import type { UnitDigests } from './digest-unit.ts'
import type { LoneAddon } from './lone-addons.ts'

/** Where what units came to is kept, and what may be kept of it. */
export interface KeptUnits {
  readonly records: UnitRecords
  /** True if a text holds no secret. */
  readonly isClean: (text: string) => boolean
}

/** Kept units, and who takes those that are known. */
export interface TakenUnits extends KeptUnits {
  readonly takeKnown: TakeKnown
}

/** The inputs of reusing units instead of expanding them. */
export interface ReusingUnits extends TakenUnits {
  readonly digestUnit: (unit: RenderedUnit) => UnitDigests
  readonly taker: Extract<Taker, { readonly of: 'files' }>
  /** Expands a unit after all: files of it are not on disk. */
  readonly again: (unit: ClusterUnit) => readonly FolderContent[]
  /** Expands an addon of a unit by itself; undefined where it does not come to just its folder. */
  readonly addon: (unit: RenderedUnit, name: string) => AddonContent | undefined
  readonly files: Files
  readonly crypto: Crypto
}

/** An addon that was expanded by itself, and its folder. */
export interface AddonContent {
  readonly lone: LoneAddon
  readonly content: FolderContent
}

/** Units that are expanded, or were. */
export interface ReusedUnits {
  /** For whoever expands units. */
  readonly taker: Extract<Taker, { readonly of: 'files' }>
  readonly pool: PoolOfKept
}

/** Units in a row of which no addon comes to just its folder, before no more are tried. */
const VAIN = 16

/**
 * Does without expanding units whose digest an earlier run has kept; only sound ones are kept. Files that nobody edits
 * are not read for them, and of their own only the hashes are known. Of a unit that differs in values alone, only the
 * addons are expanded that these are for, where nothing else depends on them.
 */
export function reuseUnits({
  records,
  isClean,
  digestUnit,
  taker,
  takeKnown,
  again,
  addon,
  files,
  crypto,
}: ReusingUnits): ReusedUnits {
  /** The unit that is being given, one after the other. */
  let given: GivenUnit | undefined
  let vain = 0
  const treesOfUnit = (
    { cluster }: ClusterUnit,
    folders: readonly FolderContent<KnownContent>[],
  ): ReturnType<typeof treesOf> => treesOf(folders, [clusterTree(cluster), ...handoffFolders([cluster])], crypto)
  const keep = (folders: readonly FolderContent[]): void => {
    if (given === undefined) return
    const { unit, digests, result } = given
    const { summary, leaving, lone = new Map<string, LoneAddon>() } = result
    const isWhole = folders.every(({ problems }) => problems === undefined)
    if (!isWhole || !isSound(summary) || !packResult(summary.findings, isFile).shown.every(isClean)) return
    keepHead({ summary, leaving, ...treesOfUnit(unit, folders), lone, values: digests.values }, folders, digests)
  }
  const keepHead = (
    head: KeptHead,
    folders: readonly FolderContent<KnownContent>[],
    { whole, family }: UnitDigests,
  ): void => {
    const body = writePlain(folders.map(withoutBytes), 'kept')
    records.keep(whole, { family, head: packResult(head, isFile).text, body })
  }
  const headOf = async ({ head }: UnitRecord): Promise<KeptHead | undefined> => {
    const unpacked = await unpackResult(head, (path) => files.read(path).then(decodeUtf8))
    return isHead(unpacked) ? unpacked : undefined
  }
  /** A unit of which an earlier run has made all but some addons. */
  const exchanged = async (unit: RenderedUnit, digests: UnitDigests): Promise<UnitResult | undefined> => {
    const record = vain < VAIN ? records.like(digests.family) : undefined
    const before = record === undefined ? undefined : await headOf(record)
    if (record === undefined || before === undefined) return undefined
    const names = [...digests.values.keys()].filter((name) => before.values.get(name) !== digests.values.get(name))
    const lone = new Map(before.lone)
    const contents = new Map<string, FolderContent>()
    const charts = new Set(before.summary.charts)
    const isWithout = (name: string): boolean =>
      name !== CLUSTER_UNIT && before.summary.used?.addons.includes(name) === false
    for (const name of names) {
      // values are for many clusters, and not all have the addon
      if (isWithout(name)) continue
      const old = before.lone.get(name)
      const now = old === undefined ? undefined : addon(unit, name)
      if (old === undefined || now === undefined || !isInPlaceOf(now.lone, old)) {
        vain++
        return undefined
      }
      lone.set(name, now.lone)
      contents.set(old.path, now.content)
      for (const hash of old.charts) charts.delete(hash)
      for (const hash of now.lone.charts) charts.add(hash)
    }
    vain = 0
    const { leaving } = before
    const summary = { ...before.summary, charts: [...charts] }
    const folders = unpackFolders(record.body()).map((folder) => contents.get(folder.path) ?? folder)
    const { outline, trees } = treesOfUnit(unit, folders)
    keepHead({ summary, leaving, outline, trees, lone, values: digests.values }, folders, digests)
    return {
      summary,
      leaving,
      give: () => takeKnown({ outline, trees, folders: () => folders, again: () => Promise.resolve(again(unit)) }),
    }
  }
  const known = async (unit: RenderedUnit, digests: UnitDigests): Promise<UnitResult | undefined> => {
    const record = records.get(digests.whole)
    if (record === undefined) return exchanged(unit, digests)
    const head = await headOf(record)
    if (head === undefined) return undefined
    const { summary, leaving, outline, trees } = head
    const folders = (): readonly FolderContent<KnownContent>[] => unpackFolders(record.body())
    return {
      summary,
      leaving,
      give: () => takeKnown({ outline, trees, folders, again: () => Promise.resolve(again(unit)) }),
    }
  }
  return {
    taker: {
      of: 'files',
      take: (folders) => {
        keep(folders)
        return taker.take(folders)
      },
    },
    pool: poolOfKept({
      isEmpty: records.isEmpty,
      digestUnit,
      find: known,
      give: async (unit, digests, result) => {
        given = { unit, digests, result }
        await result.give()
        given = undefined
      },
    }),
  }
}

/** A unit that is expanded, and given. */
interface GivenUnit {
  readonly unit: ClusterUnit
  readonly digests: UnitDigests
  readonly result: UnitResult
}

/** True if one addon may stand where the other was, and nothing else changes by that. */
function isInPlaceOf(now: LoneAddon, before: LoneAddon): boolean {
  return now.path === before.path && now.objects === before.objects
}

/** True for a file of its own; else a text comes out of an archive. */
export function isFile(path: string): boolean {
  return path.startsWith('/') && !path.includes('!/')
}

/** The part of a kept unit that is read each time. */
interface KeptHead extends Pick<KnownUnit, 'outline' | 'trees'>, Pick<UnitResult, 'summary' | 'leaving'> {
  readonly lone: ReadonlyMap<string, LoneAddon>
  /** Digests of what the values of each addon said. */
  readonly values: UnitDigests['values']
}

function withoutBytes({ files, ...folder }: FolderContent<KnownContent>): FolderContent<KnownContent> {
  return { ...folder, files: new Map(Array.from(files, ([name, { sha256 }]) => [name, { sha256 }])) }
}

function isHead(value: unknown): value is KeptHead {
  return (
    typeof value === 'object' && value !== null && 'summary' in value && 'trees' in value && value.trees instanceof Map
  )
}

/** @throws Error for anything but the folders of a unit: nobody else writes that file, and its hash is right */
function unpackFolders(text: string): readonly FolderContent<KnownContent>[] {
  const folders = readPlain(text)
  if (!areFolders(folders)) throw new Error('not the folders of a unit')
  return folders
}

function areFolders(value: unknown): value is readonly FolderContent<KnownContent>[] {
  return Array.isArray(value) && value.every((folder: unknown) => typeof folder === 'object' && folder !== null)
}
