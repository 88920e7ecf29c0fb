import { compareBytes } from '../../codec/text/text-order.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { AddonEntry, Cluster, Patch } from '../../model/fleet.ts'
import { isOwnInput } from '../../model/input-path.ts'
import { nearestName } from '../../model/nearest-name.ts'
import type { Source } from '../../model/source.ts'
import type { RenderedCluster } from '../../render/stack/render-cluster.ts'
import type { KeptInputs } from './kept-inputs.ts'

/** Which inputs were of use to a cluster. */
export interface UsedInputs {
  /** Where its patches are written. */
  readonly patches: readonly string[]
  /** Names of its values files. */
  readonly values: readonly string[]
  /** Names of its addons. */
  readonly addons: readonly string[]
  /** Addons that folders above switch off, and that its release does not have. */
  readonly absent?: readonly string[]
  /** How its addons read fields of the running cluster. */
  readonly runtime: RenderedCluster['runtimeReads']
}

/** Which inputs a rendered cluster made use of. */
export function usedInputs({
  usedPatches,
  usedValues,
  addons,
  absentAddons,
  runtimeReads,
}: RenderedCluster): UsedInputs {
  return {
    patches: usedPatches.map(placeOf),
    values: usedValues.map(({ name }) => name),
    addons,
    ...(absentAddons.length > 0 && { absent: absentAddons }),
    runtime: runtimeReads,
  }
}

/** How much of the fleet unused inputs are looked for in. */
export interface LookedAt {
  /** `part`: other clusters may use what is shared. */
  readonly looked: 'whole' | 'part'
  /** Clusters that stay as they are: an input that may be of use to one of them is none that is unused. */
  readonly kept?: readonly KeptInputs[]
}

/**
 * Patches that match nothing, values files of addons that no cluster below them has, and addons switched off that none
 * of them has: typing errors that would otherwise pass unseen. A file in a shared folder must be of use to some
 * cluster, one that stays as it is committed too; in a run of a part only the files of its own clusters can be checked.
 * `results` are of `clusters`, in their
 * order; when there are fewer, some failed, and nothing can be said.
 */
export function unusedInputs(
  clusters: readonly Cluster[],
  results: readonly UsedInputs[],
  { looked, kept = [] }: LookedAt,
): readonly Diagnostic[] {
  if (results.length < clusters.length) return []
  const counts = (source: Source, cluster: Cluster): boolean => looked === 'whole' || isOwnInput(source.name, cluster)
  const usedPatches = new Set([
    ...results.flatMap(({ patches }) => patches),
    ...kept.flatMap(({ patches }) => patches.map(placeOf)),
  ])
  const usedValues = new Set(results.flatMap(({ values }) => values))
  const patches = clusters.flatMap((cluster) =>
    cluster.patches
      .filter((patch) => !patch.optional && !usedPatches.has(placeOf(patch)) && counts(patch.at.source, cluster))
      .map(unusedPatch),
  )
  const isFor = (cluster: Cluster | undefined, addon: string, { name }: Source): boolean =>
    cluster?.values.get(addon)?.some(({ source }) => source.name === name) === true
  /** The addons of those that the file is for. */
  const addonsBelow = (addon: string, source: Source): readonly string[] =>
    [
      ...results.filter((_, index) => isFor(clusters[index], addon, source)),
      ...kept.filter(({ cluster }) => isFor(cluster, addon, source)),
    ].flatMap(({ addons }) => [...addons])
  const isOfKept = (addon: string, source: Source): boolean =>
    kept.some((one) => isFor(one.cluster, addon, source) && mayHave(one, addon))
  const values = clusters.flatMap((cluster) =>
    [...cluster.values].flatMap(([addon, files]) =>
      files
        .filter(
          ({ source }) =>
            !usedValues.has(source.name) &&
            counts(source, cluster) &&
            !isSwitchedOff(cluster, addon) &&
            !isOfKept(addon, source),
        )
        .map(({ source }) => unusedValues(addon, source, addonsBelow(addon, source))),
    ),
  )
  return [...patches, ...values, ...(looked === 'whole' ? absentAddons(clusters, results, kept) : [])]
}

/** True if a cluster that stays as it is has the addon, or had it before it was switched off. */
function mayHave({ cluster, addons, isReleaseKnown }: KeptInputs, addon: string): boolean {
  return addons.has(addon) || (!isReleaseKnown && isSwitchedOff(cluster, addon))
}

/** Of folders above clusters; that of a cluster itself is told when it is rendered. */
function absentAddons(
  clusters: readonly Cluster[],
  results: readonly UsedInputs[],
  kept: readonly KeptInputs[],
): readonly Diagnostic[] {
  const found = new Map<string, { readonly entry: AddonEntry; readonly below: string[]; isKnown: boolean }>()
  for (const [index, result] of results.entries()) {
    const cluster = clusters[index]
    for (const entry of cluster?.addons ?? []) {
      if (cluster === undefined || entry.enabled || isOwnInput(entry.at.source.name, cluster)) continue
      const known = found.get(placeOf(entry)) ?? { entry, below: [], isKnown: false }
      found.set(placeOf(entry), known)
      known.below.push(...result.addons)
      known.isKnown ||= result.absent?.includes(entry.name) !== true
    }
  }
  for (const one of kept)
    for (const entry of one.cluster.addons) {
      const known = found.get(placeOf(entry))
      known?.below.push(...one.addons)
      if (known !== undefined) known.isKnown ||= mayHave(one, entry.name)
    }
  return [...found.values()].filter(({ isKnown }) => !isKnown).map(({ entry, below }) => absentAddon(entry, below))
}

function absentAddon({ name, at }: AddonEntry, below: readonly string[]): Diagnostic {
  const near = nearestName(name, [...new Set(below)])
  return {
    code: 'CONFIG_REFERENCE',
    severity: 'error',
    message: `"${name}" is switched off, which is an addon of no cluster here`,
    at,
    hint:
      near === undefined ? 'Correct the name, or remove the entry.' : `Did you mean ${near}? Else remove the entry.`,
  }
}

/** The place of an entry, as a key. */
export function placeOf({ at }: Pick<Patch, 'at'>): string {
  return `${at.source.name}:${String(at.start)}`
}

function unusedPatch({ target, at }: Patch): Diagnostic {
  return {
    code: 'PATCH_TARGET_NOT_FOUND',
    severity: 'error',
    message: `no object matches the patch's target ${describeTarget(target)}`,
    at,
    hint: 'Correct the target, or set `optional: true`.',
  }
}

function describeTarget(target: Readonly<Record<string, string | undefined>>): string {
  return `{${Object.entries(target)
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}`]))
    .join(', ')}}`
}

function unusedValues(addon: string, source: Source, below: readonly string[]): Diagnostic {
  return {
    code: 'CONFIG_REFERENCE',
    severity: 'error',
    message: `these are values for an addon "${addon}", which no cluster here has`,
    at: { source, start: 0, end: 0 },
    hint: wayToAddon(addon, below),
  }
}

function wayToAddon(addon: string, below: readonly string[]): string {
  const known = [...new Set(below)].toSorted(compareBytes)
  if (known.length === 0) return 'Remove the file: no cluster here has an addon.'
  const near = nearestName(addon, known)
  const named = `Name the file after an addon of the release, or of addons.yaml: ${known.length === 1 ? '' : 'one of '}`
  return `${near === undefined ? '' : `Did you mean ${near}? `}${named}${known.join(', ')}.`
}

function isSwitchedOff(cluster: Cluster, addon: string): boolean {
  return cluster.addons.some((entry) => entry.name === addon && !entry.enabled)
}
