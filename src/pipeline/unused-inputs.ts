import type { Diagnostic } from '../model/diagnostic.ts'
import type { Cluster } from '../model/fleet.ts'
import { inputPath } from '../model/input-path.ts'
import type { Source } from '../model/source.ts'
import type { RenderedCluster } from '../render/stack/render-cluster.ts'

/** A patch in a shared folder must match in some cluster; in a run of a part only the patches of its own clusters can be checked. */
export function unusedPatches(
  clusters: readonly Cluster[],
  results: readonly RenderedCluster[],
  isWhole: boolean,
): readonly Diagnostic[] {
  if (results.length < clusters.length) return []
  const place = (patch: { readonly at: { readonly source: Source; readonly start: number } }): string =>
    `${patch.at.source.name}:${patch.at.start}`
  const used = new Set(results.flatMap((result) => result.usedPatches).map(place))
  return clusters
    .flatMap((cluster) => cluster.patches.map((patch) => ({ cluster, patch })))
    .filter(
      ({ cluster, patch }) =>
        !patch.optional && !used.has(place(patch)) && (isWhole || isOwnFile(patch.at.source, cluster)),
    )
    .map(({ patch }) => ({
      code: 'PATCH_TARGET_NOT_FOUND',
      severity: 'error',
      message: `no object matches the patch's target ${describeTarget(patch.target)}`,
      at: patch.at,
      hint: 'Correct the target, or set `optional: true`.',
    }))
}

function describeTarget(target: Readonly<Record<string, string | undefined>>): string {
  return `{${Object.entries(target)
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}`]))
    .join(', ')}}`
}

/** values/<addon>.yaml for an addon that no cluster below it has is a typing error that would otherwise pass unseen. */
export function unusedValues(
  clusters: readonly Cluster[],
  results: readonly RenderedCluster[],
  isWhole: boolean,
): readonly Diagnostic[] {
  if (results.length < clusters.length) return []
  const used = new Set(results.flatMap((result) => result.usedValues).map((source) => source.name))
  return clusters
    .flatMap((cluster) =>
      [...cluster.values].flatMap(([addon, files]) => files.map((file) => ({ cluster, addon, source: file.source }))),
    )
    .filter(
      ({ cluster, addon, source }) =>
        !used.has(source.name) && (isWhole || isOwnFile(source, cluster)) && !isSwitchedOff(cluster, addon),
    )
    .map(({ addon, source }) => ({
      code: 'CONFIG_REFERENCE',
      severity: 'error',
      message: `these are values for an addon "${addon}", which no cluster here has`,
      at: { source, start: 0, end: 0 },
      hint: 'Name the file after an addon of the release, or of addons.yaml.',
    }))
}

function isSwitchedOff(cluster: Cluster, addon: string): boolean {
  return cluster.addons.some((entry) => entry.name === addon && !entry.enabled)
}

function isOwnFile(source: Source, cluster: Cluster): boolean {
  return source.name.includes(`${inputPath(cluster)}/`)
}
