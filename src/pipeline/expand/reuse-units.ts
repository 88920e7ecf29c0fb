import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { readPlain, writePlain } from '../../codec/plain-text.ts'
import type { Crypto, Files } from '../../model/ports.ts'
import { clusterTree } from '../../model/tree-path.ts'
import { packResult, unpackResult } from '../../replay/pack-result.ts'
import type { UnitRecords } from '../../replay/unit-records.ts'
import { type KnownUnit, treesOf } from '../../write/known-unit.ts'
import type { FolderContent, KnownContent } from '../../write/serialize-folder.ts'
import { handoffFolders } from '../fleet/fleet-part.ts'
import type { ClusterUnit, RenderedUnit } from './cluster-unit.ts'
import {
  type ExpandUnits,
  isSound,
  type Taker,
  type UnitPool,
  type UnitResult,
  type TakeKnown,
} from './unit-results.ts'
import type { DigestUnit } from './digest-unit.ts'

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
  readonly digestUnit: DigestUnit
  readonly taker: Extract<Taker, { readonly of: 'files' }>
  /** Expands a unit after all: files of it are not on disk. */
  readonly again: (unit: ClusterUnit) => readonly FolderContent[]
  readonly files: Files
  readonly crypto: Crypto
}

/** Units that are expanded, or were. */
export interface ReusedUnits {
  /** For whoever expands units. */
  readonly taker: Extract<Taker, { readonly of: 'files' }>
  /** Expands only units that no run has kept: a few of them here, more in what is opened then. */
  readonly pool: (here: ExpandUnits, open: () => UnitPool) => UnitPool
}

/** Units that are expanded before it pays to open threads for more. */
const FEW = 16

/**
 * Does without expanding units whose digest an earlier run has kept; only sound ones are kept. Files that nobody edits
 * are not read for them, and of their own only the hashes are known.
 */
export function reuseUnits({
  records,
  isClean,
  digestUnit,
  taker,
  takeKnown,
  again,
  files,
  crypto,
}: ReusingUnits): ReusedUnits {
  /** The unit that is being given, one after the other. */
  let given: { readonly unit: ClusterUnit; readonly digest: string; readonly result: UnitResult } | undefined
  const keep = (folders: readonly FolderContent[]): void => {
    if (given === undefined) return
    const { unit, digest, result } = given
    const { summary, leaving } = result
    const isWhole = folders.every(({ problems }) => problems === undefined)
    if (!isWhole || !isSound(summary) || !packResult(summary.findings, isFile).shown.every(isClean)) return
    const head: KeptHead = {
      summary,
      leaving,
      ...treesOf(folders, [clusterTree(unit.cluster), ...handoffFolders([unit.cluster])], crypto),
    }
    const hashed = folders.map(withoutBytes)
    records.keep(digest, { head: packResult(head, isFile).text, body: writePlain(hashed, 'kept') })
  }
  const known = async (unit: RenderedUnit, digest: string): Promise<UnitResult | undefined> => {
    const record = records.get(digest)
    if (record === undefined) return undefined
    const head = await unpackResult(record.head, (path) => files.read(path).then(decodeUtf8))
    if (!isHead(head)) return undefined
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
    pool: (here, open) => {
      let opened = records.isEmpty ? open() : undefined
      let missed = 0
      return {
        expand: (units) =>
          expandOthers(units, (others) => {
            missed += others.length
            if (missed > FEW) opened ??= open()
            return (opened?.expand ?? here)(others)
          }),
        get ahead() {
          return opened?.ahead ?? 0
        },
        end: () => opened?.end(),
      }
    },
  }
  async function expandOthers(units: readonly ClusterUnit[], expand: ExpandUnits): Promise<readonly UnitResult[]> {
    const found = new Map<ClusterUnit, UnitResult>()
    const digests = new Map<ClusterUnit, string>()
    for (const unit of units) {
      if (unit.kind !== 'rendered') continue
      const digest = digestUnit(unit)
      digests.set(unit, digest)
      const result = await known(unit, digest)
      if (result !== undefined) found.set(unit, result)
    }
    const others = units.filter((unit) => !found.has(unit))
    const expanded = others.length === 0 ? [] : await expand(others)
    for (const [index, unit] of others.entries()) {
      const result = expanded[index]
      const digest = digests.get(unit)
      if (result !== undefined)
        found.set(unit, digest === undefined ? result : { ...result, give: () => give(unit, digest, result) })
    }
    return units.flatMap((unit) => found.get(unit) ?? [])
  }
  async function give(unit: ClusterUnit, digest: string, result: UnitResult): Promise<void> {
    given = { unit, digest, result }
    await result.give()
    given = undefined
  }
}

/** True for a file of its own; else a text comes out of an archive. */
function isFile(path: string): boolean {
  return path.startsWith('/') && !path.includes('!/')
}

/** The part of a kept unit that is read each time. */
interface KeptHead extends Pick<KnownUnit, 'outline' | 'trees'>, Pick<UnitResult, 'summary' | 'leaving'> {}

function withoutBytes({ files, ...folder }: FolderContent): FolderContent<KnownContent> {
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
