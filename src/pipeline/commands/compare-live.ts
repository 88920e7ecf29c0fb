import { compareCluster, type ClusterComparison } from '../../adopt/compare-clusters.ts'
import type { LiveObject } from '../../adopt/live-object.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { objectPath } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { parseTreeFolder } from '../../model/tree-path.ts'
import { expandFleet } from '../expand/expand-fleet.ts'
import type { ExpandedFolders } from '../expand/expanded-unit.ts'
import { keepFindings } from '../fleet/keep-findings.ts'
import { type ObjectPath, readObjectFiles } from './object-files.ts'
import type { Network } from '../resolve/open-source.ts'
import { withFleet } from '../fleet/with-fleet.ts'

/** The options of `stackmason adopt --compare`. */
export interface CompareOptions {
  /** Folder to search from, upwards, for stackmason.yaml. */
  readonly start: string
  /** stackmason.yaml or its folder, instead of searching. */
  readonly fleet?: string
  /** Files with the objects that run. */
  readonly inputs: readonly ObjectPath[]
  readonly network: Network
}

/** The result of a comparison. */
export interface CompareResult {
  readonly fleet: string
  /** The clusters of which objects were given; the management cluster, if it is among them, first. */
  readonly clusters: readonly ClusterComparison[]
  /** Those of which none were given. */
  readonly notCompared: readonly string[]
  /** Warnings of rendering, and of what cannot be compared. */
  readonly findings: readonly Diagnostic[]
}

/**
 * Renders the fleet in memory and compares it with exported objects, field by field: what would change if a GitOps tool
 * applied it.
 * @throws StackmasonError ADOPT_INPUT_INVALID for a cluster that the fleet does not have, and what reading and
 * rendering raise
 */
export async function compareLive(options: CompareOptions, ports: Ports): Promise<CompareResult> {
  const lives = await readObjectFiles(options.inputs, ports)
  return withFleet(options, ports, (repository) => compareWith(lives, repository, { options, ports }))
}

async function compareWith(
  lives: readonly LiveObject[],
  repository: FleetRepository,
  { options, ports }: { readonly options: CompareOptions; readonly ports: Ports },
): Promise<CompareResult> {
  const given = new Set(options.inputs.map(({ clusterKey }) => clusterKey))
  refuseUnknown(given, repository)
  const manifests = new Map<string, readonly Manifest[]>()
  const findings = keepFindings()
  await expandFleet(
    { repository, findings },
    { selection: { clusters: [], stacks: [] }, revision: { from: 'disk' }, network: options.network },
    {
      ports,
      take: (expanded) => {
        for (const { path, manifests: own } of withDeferred(expanded)) {
          const clusterKey = clusterKeyOf(path)
          if (clusterKey !== undefined && given.has(clusterKey))
            manifests.set(clusterKey, [...(manifests.get(clusterKey) ?? []), ...own])
        }
      },
    },
  )
  const clusterKeys = ['', ...repository.clusters.map(objectPath).toSorted(compareBytes)]
  const clusters = clusterKeys
    .filter((clusterKey) => given.has(clusterKey))
    .map((clusterKey) => {
      const cluster = repository.clusters.find((one) => objectPath(one) === clusterKey)
      return compareCluster(
        { clusterKey, manifests: manifests.get(clusterKey) ?? [], existing: cluster?.existingSecrets ?? [] },
        lives,
      )
    })
  return {
    fleet: repository.fleet.name,
    clusters,
    notCompared: clusterKeys.filter((clusterKey) => !given.has(clusterKey)),
    findings: [...findings.all('part'), ...clusters.flatMap(({ unknown }) => unknown)],
  }
}

function refuseUnknown(given: ReadonlySet<string>, { clusters }: FleetRepository): void {
  const known = new Set(clusters.map(objectPath))
  const unknown = [...given].filter((clusterKey) => clusterKey !== '' && !known.has(clusterKey))
  if (unknown.length === 0) return
  throw new StackmasonError(
    unknown.map((clusterKey) => ({
      code: 'ADOPT_INPUT_INVALID',
      severity: 'error',
      message: `the fleet has no cluster ${clusterKey}`,
      hint: hintOn(clusterKey, [...known]),
    })),
  )
}

function hintOn(clusterKey: string, known: readonly string[]): string {
  const near = nearestName(clusterKey, known)
  if (near !== undefined) return `Did you mean ${near}?`
  return `It has: ${known.join(', ')}. Write the files of workload clusters as <namespace>/<cluster>=<file>.`
}

/** The written folders with the fields that are known only later: only the rendered ones say which they are. */
function withDeferred({ folders, rendered }: ExpandedFolders): readonly RenderedFolder[] {
  const deferred = new Map(
    rendered.flatMap(({ path, manifests }) =>
      manifests.map((manifest) => [keyOf(path, manifest), manifest.deferred] as const),
    ),
  )
  return folders.map(({ path, manifests }) => ({
    path,
    manifests: manifests.map((manifest) => {
      const known = deferred.get(keyOf(path, manifest))
      return known === undefined ? manifest : { ...manifest, deferred: known }
    }),
  }))
}

function keyOf(path: string, { apiVersion, kind, namespace = '', name }: Manifest): string {
  return JSON.stringify([path, apiVersion, kind, namespace, name])
}

/**
 * Where a folder is applied: classes and Clusters in the management cluster, addons in their own; the tool's own
 * objects are no part of what runs today.
 */
function clusterKeyOf(path: string): string | undefined {
  const folder = parseTreeFolder(path)
  if (folder === undefined || folder.kind === 'handoff') return undefined
  return folder.kind === 'addons' ? objectPath(folder) : ''
}
