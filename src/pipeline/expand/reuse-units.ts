import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Files } from '../../model/ports.ts'
import { packResult, unpackResult } from '../../replay/pack-result.ts'
import type { UnitRecords } from '../../replay/unit-records.ts'
import type { FolderContent, KnownContent } from '../../write/serialize-folder.ts'
import type { ClusterUnit, RenderedUnit } from './cluster-unit.ts'
import {
  type ClusterContent,
  type ExpandUnits,
  isSound,
  type Taker,
  type UnitPool,
  type UnitResult,
} from './unit-results.ts'
import type { DigestUnit } from './digest-unit.ts'

/** Where what units came to is kept, and what may be kept of it. */
export interface KeptUnits {
  readonly records: UnitRecords
  /** True if a text holds no secret. */
  readonly isClean: (text: string) => boolean
}

/** What is needed to do without expanding units. */
export interface ReusingUnits extends KeptUnits {
  readonly digestUnit: DigestUnit
  readonly taker: Extract<Taker, { readonly of: 'files' }>
  /** Expands a unit after all: files of it are not on disk. */
  readonly again: (unit: ClusterUnit) => readonly FolderContent[]
  readonly files: Files
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
export function reuseUnits({ records, isClean, digestUnit, taker, again, files }: ReusingUnits): ReusedUnits {
  /** The unit that is being given, one after the other. */
  let given: { readonly digest: string; readonly result: UnitResult } | undefined
  const keep = (folders: readonly FolderContent<KnownContent>[]): void => {
    if (given === undefined) return
    const { digest, result } = given
    const { summary, leaving } = result
    const isWhole = folders.every(({ problems }) => problems === undefined)
    if (!isWhole || !isSound(summary) || !packResult(summary.findings, isFile).shown.every(isClean)) return
    const content: ClusterContent = { summary, leaving, folders: folders.map(withoutBytes) }
    records.keep(digest, packResult(content, isFile).text)
  }
  const known = async (unit: RenderedUnit, digest: string): Promise<UnitResult | undefined> => {
    const text = records.get(digest)
    if (text === undefined) return undefined
    const content = await unpackResult(text, (path) => files.read(path).then(decodeUtf8))
    if (!isContent(content)) return undefined
    const { summary, leaving, folders } = content
    return { summary, leaving, give: () => taker.take(folders, () => Promise.resolve(again(unit))) }
  }
  return {
    taker: {
      of: 'files',
      take: (folders, makeAgain) => {
        keep(folders)
        return taker.take(folders, makeAgain)
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
        found.set(unit, digest === undefined ? result : { ...result, give: () => give(digest, result) })
    }
    return units.flatMap((unit) => found.get(unit) ?? [])
  }
  async function give(digest: string, result: UnitResult): Promise<void> {
    given = { digest, result }
    await result.give()
    given = undefined
  }
}

/** True for a file of its own; else a text comes out of an archive. */
function isFile(path: string): boolean {
  return path.startsWith('/') && !path.includes('!/')
}

function withoutBytes({ files, ...folder }: FolderContent<KnownContent>): FolderContent<KnownContent> {
  return { ...folder, files: new Map(Array.from(files, ([name, { sha256 }]) => [name, { sha256 }])) }
}

function isContent(value: unknown): value is ClusterContent {
  return typeof value === 'object' && value !== null && 'summary' in value && 'folders' in value
}
