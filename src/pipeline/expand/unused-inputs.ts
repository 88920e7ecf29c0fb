import { compareBytes } from '../../codec/text/text-order.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { AddonEntry, Cluster, Patch } from '../../model/fleet.ts'
import { isOwnInput } from '../../model/input-path.ts'
import { nearestName } from '../../model/nearest-name.ts'
import type { Source } from '../../model/source.ts'
import type { RenderedCluster } from '../../render/stack/render-cluster.ts'

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

/**
 * Patches that match nothing, values files of addons that no cluster below them has, and addons switched off that none
 * of them has: typing errors that would otherwise pass unseen. A file in a shared folder must be of use to some
 * cluster; in a run of a part only the files of its own clusters can be checked. `results` are of `clusters`, in their
 * order; when there are fewer, some failed, and nothing can be said.
 */
export function unusedInputs(
  clusters: readonly Cluster[],
  results: readonly UsedInputs[],
  looked: 'whole' | 'part',
): readonly Diagnostic[] {
  if (results.length < clusters.length) return []
  const counts = (source: Source, cluster: Cluster): boolean => looked === 'whole' || isOwnInput(source.name, cluster)
  const usedPatches = new Set(results.flatMap(({ patches }) => patches))
  const usedValues = new Set(results.flatMap(({ values }) => values))
  const patches = clusters.flatMap((cluster) =>
    cluster.patches
      .filter((patch) => !patch.optional && !usedPatches.has(placeOf(patch)) && counts(patch.at.source, cluster))
      .map(unusedPatch),
  )
  /** Those that the file is for. */
  const readersOf = (addon: string, source: Source): readonly UsedInputs[] =>
    results.filter((_, index) => clusters[index]?.values.get(addon)?.some((file) => file.source.name === source.name))
  const values = clusters.flatMap((cluster) =>
    [...cluster.values].flatMap(([addon, files]) =>
      files
        .filter(
          ({ source }) => !usedValues.has(source.name) && counts(source, cluster) && !isSwitchedOff(cluster, addon),
        )
        .map(({ source }) => unusedValues(addon, source, readersOf(addon, source))),
    ),
  )
  return [...patches, ...values, ...(looked === 'whole' ? absentAddons(clusters, results) : [])]
}

/** Of folders above clusters; that of a cluster itself is told when it is rendered. */
function absentAddons(clusters: readonly Cluster[], results: readonly UsedInputs[]): readonly Diagnostic[] {
  const found = new Map<string, { readonly entry: AddonEntry; readonly below: UsedInputs[]; isKnown: boolean }>()
  for (const [index, result] of results.entries()) {
    const cluster = clusters[index]
    for (const entry of cluster?.addons ?? []) {
      if (cluster === undefined || entry.enabled || isOwnInput(entry.at.source.name, cluster)) continue
      const known = found.get(placeOf(entry)) ?? { entry, below: [], isKnown: false }
      found.set(placeOf(entry), known)
      known.below.push(result)
      known.isKnown ||= result.absent?.includes(entry.name) !== true
    }
  }
  return [...found.values()].filter(({ isKnown }) => !isKnown).map(({ entry, below }) => absentAddon(entry, below))
}

function absentAddon({ name, at }: AddonEntry, below: readonly UsedInputs[]): Diagnostic {
  const near = nearestName(name, [...new Set(below.flatMap(({ addons }) => addons))])
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

function unusedValues(addon: string, source: Source, results: readonly UsedInputs[]): Diagnostic {
  return {
    code: 'CONFIG_REFERENCE',
    severity: 'error',
    message: `these are values for an addon "${addon}", which no cluster here has`,
    at: { source, start: 0, end: 0 },
    hint: wayToAddon(addon, results),
  }
}

function wayToAddon(addon: string, results: readonly UsedInputs[]): string {
  const known = [...new Set(results.flatMap(({ addons }) => addons))].toSorted(compareBytes)
  if (known.length === 0) return 'Remove the file: no cluster here has an addon.'
  const near = nearestName(addon, known)
  const named = `Name the file after an addon of the release, or of addons.yaml: ${known.length === 1 ? '' : 'one of '}`
  return `${near === undefined ? '' : `Did you mean ${near}? `}${named}${known.join(', ')}.`
}

function isSwitchedOff(cluster: Cluster, addon: string): boolean {
  return cluster.addons.some((entry) => entry.name === addon && !entry.enabled)
}
