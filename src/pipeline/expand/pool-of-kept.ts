import type { ClusterUnit, RenderedUnit } from './cluster-unit.ts'
import type { ExpandedFolders } from './expanded-unit.ts'
import type { ExpandUnits, UnitPool, UnitResult } from './unit-results.ts'

/** What earlier runs came to for units, and what this one does; `Digest` tells a unit from another one. */
export interface UnitKeeper<Digest = string> {
  /** True if no run has kept anything. */
  readonly isEmpty: boolean
  /** The result of a unit, by the digest of all that it depends on; undefined: it has to be expanded. */
  readonly find: (unit: RenderedUnit, digest: Digest) => Promise<UnitResult | undefined>
  /** Gives the result of a unit that was expanded, and keeps what it comes to. */
  readonly give: (unit: RenderedUnit, digest: Digest, result: UnitResult) => Promise<void>
}

/** The means of a keeper for who takes objects. */
export interface KeeperTools {
  /** Expands a unit after all. */
  readonly again: (unit: RenderedUnit) => ExpandedFolders
  readonly take: (expanded: ExpandedFolders) => Promise<void> | void
}

/** Makes a keeper for who takes objects. */
export type MakeKeeper = (tools: KeeperTools) => UnitKeeper

/** Expands only units that no run has kept: a few of them here, more in what is opened then. */
export type PoolOfKept = (here: ExpandUnits, open: () => UnitPool) => UnitPool

/** Units that are expanded before it pays to open threads for more. */
const FEW = 16

/** Makes a {@link PoolOfKept}. */
export function poolOfKept<Digest>({
  isEmpty,
  digestUnit,
  find,
  give,
}: UnitKeeper<Digest> & { readonly digestUnit: (unit: RenderedUnit) => Digest }): PoolOfKept {
  return (here, open) => {
    let opened = isEmpty ? open() : undefined
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
  }
  async function expandOthers(units: readonly ClusterUnit[], expand: ExpandUnits): Promise<readonly UnitResult[]> {
    const found = new Map<ClusterUnit, UnitResult>()
    const digests = new Map<ClusterUnit, Digest>()
    for (const unit of units) {
      if (unit.kind !== 'rendered') continue
      const digest = digestUnit(unit)
      digests.set(unit, digest)
      const result = await find(unit, digest)
      if (result !== undefined) found.set(unit, result)
    }
    const others = units.filter((unit) => !found.has(unit))
    const expanded = others.length === 0 ? [] : await expand(others)
    for (const [index, unit] of others.entries()) {
      const result = expanded[index]
      const digest = digests.get(unit)
      if (result === undefined) continue
      const isKept = unit.kind === 'rendered' && digest !== undefined
      found.set(unit, isKept ? { ...result, give: () => give(unit, digest, result) } : result)
    }
    return units.flatMap((unit) => found.get(unit) ?? [])
  }
}
