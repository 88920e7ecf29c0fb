import type { FileContent, FolderContent, KnownContent } from '../../write/serialize-folder.ts'
import type { DigestUnit } from '../expand/digest-unit.ts'
import type { ClusterUnit } from '../expand/cluster-unit.ts'
import { isSound, type Taker, type UnitPool, type UnitResult } from '../expand/unit-results.ts'
import type { DigestedCluster } from './shard-part.ts'

/** Keeps what clusters come to, one after the other. */
export type KeepCluster = (cluster: DigestedCluster) => Promise<void>

/** Units that are expanded to be kept, with their problems, instead of being written. */
export interface KeptApart {
  /** For whoever expands units. */
  readonly taker: Extract<Taker, { readonly of: 'files' }>
  readonly pool: (pool: UnitPool) => UnitPool
}

/** Of a cluster that stays as it is committed, which a join expands by itself: nothing is rendered for it. */
const nothing: UnitResult = {
  summary: { kind: 'none', findings: {}, problems: {}, steps: [] },
  leaving: undefined,
  give: () => undefined,
}

/** Expands units that are rendered, and keeps what they come to. */
export function keepApart(digestUnit: DigestUnit, keep: KeepCluster): KeptApart {
  let given: readonly FolderContent<KnownContent>[] = []
  const give = async (digest: string, { summary, leaving, give: giveOn }: UnitResult): Promise<void> => {
    given = []
    if (isSound(summary)) await giveOn()
    await keep({ digest, content: { summary, leaving, folders: given.map(complete) } })
  }
  return {
    taker: {
      of: 'files',
      take: (folders) => {
        given = folders
      },
    },
    pool: (pool) => ({
      expand: async (units) => {
        const rendered = units.filter((unit) => unit.kind === 'rendered')
        const digests = rendered.map(digestUnit)
        const expanded = await pool.expand(rendered)
        const results = new Map<ClusterUnit, UnitResult>()
        for (const [index, unit] of rendered.entries()) {
          const [result, digest] = [expanded[index], digests[index]]
          if (result !== undefined && digest !== undefined)
            results.set(unit, { ...result, give: () => give(digest, result) })
        }
        return units.map((unit) => results.get(unit) ?? nothing)
      },
      get ahead() {
        return pool.ahead
      },
      end: () => {
        pool.end()
      },
    }),
  }
}

/** The folder with the bytes of all files, as a unit that was expanded in this run has them. */
function complete({ files, ...folder }: FolderContent<KnownContent>): FolderContent {
  const all = new Map<string, FileContent>()
  for (const [name, { bytes, sha256 }] of files) {
    if (bytes === undefined) throw new Error(`${folder.path}/${name} has no bytes`)
    all.set(name, { bytes, sha256 })
  }
  return { ...folder, files: all }
}
