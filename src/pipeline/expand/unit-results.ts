import type { GitopsTool } from '../../model/gitops-tool.ts'
import type { Crypto, Deadline } from '../../model/ports.ts'
import { chartMilliseconds } from '../../render/engine/limits.ts'
import { layoutFolder } from '../../write/layout-folder.ts'
import { type FolderContent, type KnownFiles, serializeApart } from '../../write/serialize-folder.ts'
import type { KnownUnit } from '../../write/known-unit.ts'
import type { ClusterUnit } from './cluster-unit.ts'
import type { Expander } from './create-expander.ts'
import type { ClusterSummary, ExpandedCluster, ExpandedFolders } from './expanded-unit.ts'
import { type LeavingFacts, leavingFacts } from './find-leavers.ts'
import type { LoneAddon } from './lone-addons.ts'

/** Takes the files of a unit. */
export type TakeFiles = (folders: readonly FolderContent[]) => Promise<void> | void

/** Takes a unit that an earlier run made. */
export type TakeKnown = (unit: KnownUnit) => Promise<void> | void

/** Whoever takes what was expanded: as objects, which do not leave their thread, or as files. */
export type Taker =
  | { readonly of: 'objects'; readonly take: (expanded: ExpandedFolders) => Promise<void> | void }
  | { readonly of: 'files'; readonly take: TakeFiles }

/** A cluster that was expanded, as files: plain data, which another thread may have made. */
export interface ClusterContent {
  readonly summary: ClusterSummary
  readonly leaving: LeavingFacts | undefined
  /** Its addons that may change by themselves, by name; absent: none. */
  readonly lone?: ReadonlyMap<string, LoneAddon>
  /** None where it has problems. */
  readonly folders: readonly FolderContent[]
}

/** The files of what was expanded. */
export interface ContentMaker {
  readonly folders: (expanded: Pick<ExpandedFolders, 'folders'>) => readonly FolderContent[]
  readonly cluster: (expanded: ExpandedCluster) => ClusterContent
}

/** Makes a {@link ContentMaker}: an object that stands in many units is written once. */
export function createContentMaker(tool: GitopsTool | undefined, crypto: Crypto): ContentMaker {
  const known: KnownFiles = new WeakMap()
  const foldersOf: ContentMaker['folders'] = ({ folders }) =>
    folders.map((folder) => serializeApart(folder, crypto, known))
  return {
    folders: foldersOf,
    cluster: (expanded) => {
      const { summary, lone } = expanded
      const folders = isSound(summary) ? foldersOf(expanded) : []
      const byPath = new Map(folders.map((folder) => [folder.path, folder]))
      const isWhole = folders.every(({ problems }) => problems === undefined)
      const leaving = isWhole
        ? leavingFacts(expanded, tool, ({ path }) => byPath.get(path)?.files.keys() ?? [])
        : undefined
      return { summary, leaving, ...(lone !== undefined && lone.size > 0 && { lone }), folders }
    },
  }
}

/** The result of expanding a cluster, for the run. */
export interface UnitResult extends Pick<ClusterContent, 'summary' | 'leaving' | 'lone'> {
  /** Gives it to whoever takes it. */
  readonly give: () => Promise<void> | void
}

/** Expands units of clusters; the results are in the order of the units. */
export type ExpandUnits = (units: readonly ClusterUnit[]) => Promise<readonly UnitResult[]>

/** Where units are expanded. */
export interface UnitPool {
  readonly expand: ExpandUnits
  /** How many times more units may be given to it while results are waited for. */
  readonly ahead: number
  readonly end: () => void
}

/** The parts that expand units in this thread. */
export interface ExpandingHere {
  readonly expander: Expander
  readonly deadline: Deadline
  readonly crypto: Crypto
  readonly taker: Taker
  readonly maker: ContentMaker
}

/** Expands units in this thread. */
export function expandHere({ expander, deadline, crypto, taker, maker }: ExpandingHere): ExpandUnits {
  const resultOf = (unit: ClusterUnit, expanded: ExpandedCluster): UnitResult => {
    const { summary } = expanded
    if (taker.of === 'files') {
      const { folders, ...content } = maker.cluster(expanded)
      return { ...content, give: () => taker.take(folders) }
    }
    const leaving = leavingFacts(expanded, expander.tool, ({ path, manifests }) =>
      layoutFolder(path, manifests, crypto).map(({ fileName }) => fileName),
    )
    return { summary, leaving, give: () => taker.take({ ...expanded, unit }) }
  }
  return (units) => {
    const expanded = expandTogether(units, { expander, deadline })
    return Promise.resolve(expanded.map(([unit, cluster]) => resultOf(unit, cluster)))
  }
}

/** Expands units under one watch for endless work. */
export function expandTogether(
  units: readonly ClusterUnit[],
  { expander, deadline }: Pick<ExpandingHere, 'expander' | 'deadline'>,
): readonly (readonly [ClusterUnit, ExpandedCluster])[] {
  return deadline.together(chartMilliseconds, () => units.map((unit) => [unit, expander.cluster(unit)] as const))
}

/** True if nothing keeps a unit from being written. */
export function isSound({ problems }: ClusterSummary): boolean {
  return Object.values(problems).every((found) => found.length === 0)
}
