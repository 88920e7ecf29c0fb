import { isInside, joinPath } from '../../codec/path.ts'
import { isDefinitionFile } from '../../diff/list-schemas.ts'
import { type FileIds, isObjectFile } from '../../diff/plan-reading.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import type { Crypto } from '../../model/ports.ts'
import { CLUSTERS, KUSTOMIZATION_FILE } from '../../model/tree-path.ts'
import type { BlobHash } from '../compare/open-tree.ts'
import { createDigests } from '../expand/digest-unit.ts'
import type { SharedFacts } from '../expand/expand-fleet.ts'
import type { Declarations } from '../fleet/find-exceptions.ts'
import {
  clusterOf,
  type ClusterPlaces,
  factOf,
  findClusters,
  formatParts,
  isApart,
  type Parts,
  restIn,
} from '../reuse/cluster-parts.ts'
import type { PartChoice } from '../reuse/replay-run.ts'
import { filesOfPlaces } from '../reuse/rest-of-run.ts'
import type { JudgedFleet } from './judge-fleet.ts'

/** Facts about the rest of a fleet, for checks of some of its clusters. */
export interface CheckedRest extends ClusterPlaces {
  readonly imagesFrom: readonly (readonly [stack: string, tags: readonly string[]])[]
  readonly isCompared: boolean
  readonly hash: BlobHash
  /** What is said once in a run, by the cluster of which it was said. */
  readonly said: readonly (readonly [key: string, cluster: string])[]
  /** The clusters that are not as in the commit that they are compared with; all else is. */
  readonly differing: readonly string[]
  /**
   * Of the new tree, in its order, the first file of each content that defines kinds, and its id: lists of changed
   * objects are read by them.
   */
  readonly definitions: readonly (readonly [path: string, id: string])[]
}

/** Facts about a cluster: with the same ones, rules say the same of the rest of the fleet, and of all together. */
interface CheckedCluster {
  /** Its shares in the rest of the fleet. */
  readonly crossing: string
  /** Digest of what rules remember of it, and of what they say of it once in a run. */
  readonly noted: string
  /** API versions that its files declare as served, by file. */
  readonly declared: Declarations
  /** Digest of its files that define kinds. */
  readonly definitions: string
  readonly objects: number
}

/** What a check came to, as far as later checks of some clusters need it. */
export interface CheckedFacts {
  readonly repository: FleetRepository
  readonly judged: JudgedFleet
  /** Of all files of clusters that may declare some. */
  readonly declared: Declarations
  readonly before: { readonly files: FileIds; readonly isCompared: boolean; readonly hash: BlobHash }
  readonly crypto: Crypto
}

/** The facts for later checks of some clusters; undefined where others may depend on their files. */
export function partsOfCheck(facts: CheckedFacts): Parts | undefined {
  const { repository, judged, before } = facts
  const { fleet, clusters } = repository
  const inputs = joinPath(fleet.root, CLUSTERS)
  const { shared } = judged
  // all have a share in the work that a run may do for rules
  if (shared === undefined || judged.isCostly || !isApart(fleet, clusters, inputs)) return undefined
  const differing = differingIn(facts)
  if (differing === undefined) return undefined
  const rest: CheckedRest = {
    inputs,
    output: joinPath(fleet.root, fleet.output),
    imagesFrom: [...shared.imagesFrom],
    isCompared: before.isCompared,
    hash: before.hash,
    said: [...judged.said],
    differing,
    definitions: before.isCompared ? firstDefinitions(judged.tree.files) : [],
  }
  return formatParts(rest, clustersOf(facts, shared))
}

/** Facts about the rest. */
export function checkedRest(parts: Parts): CheckedRest | undefined {
  const rest = restIn(parts)
  return isRest(rest) ? rest : undefined
}

function isRest(value: unknown): value is CheckedRest {
  return typeof value === 'object' && value !== null && 'imagesFrom' in value && 'differing' in value
}

function isCluster(value: unknown): value is CheckedCluster {
  return typeof value === 'object' && value !== null && 'crossing' in value && 'noted' in value
}

/**
 * The clusters that changed paths belong to, and those that differ from the commit: what rules say of a change is said
 * of all that changes. Undefined where others may depend on a path.
 */
export function findChecked(
  changed: readonly string[],
  record: Parameters<typeof findClusters>[1],
): PartChoice | undefined {
  return findClusters(changed, record, checkedRest(record.parts)?.differing)
}

/**
 * The facts after a check of some clusters, and how many objects there are more; undefined where the rest may be judged
 * otherwise.
 */
export function checkedAfter(
  before: Parts,
  names: readonly string[],
  facts: Omit<CheckedFacts, 'repository'>,
): { readonly parts: Parts; readonly objects: number } | undefined {
  const rest = checkedRest(before)
  const { judged } = facts
  const differing = differingIn(facts)
  if (rest === undefined || judged.shared === undefined || judged.isCostly || differing === undefined) return undefined
  const now = clustersOf(facts, judged.shared)
  let objects = 0
  for (const name of names) {
    const [own, known] = [now.get(name), factOf(before, name)]
    if (own === undefined || !isCluster(known)) return undefined
    const isSame =
      own.crossing === known.crossing &&
      own.noted === known.noted &&
      own.definitions === known.definitions &&
      JSON.stringify(own.declared) === JSON.stringify(known.declared)
    if (!isSame) return undefined
    objects += own.objects - known.objects
  }
  const after: CheckedRest = { ...rest, differing }
  return { parts: formatParts(after, now), objects }
}

/**
 * Tells findings about some clusters that are as they were where all clusters share the same with each other: rules
 * that look at all together say them, and they stand in the files of other clusters.
 */
export function saidByAll(
  parts: Parts,
  names: readonly string[],
  { crossing }: Pick<JudgedFleet, 'crossing'>,
): (finding: Diagnostic) => boolean {
  const { inputs = '' } = checkedRest(parts) ?? {}
  const isOfOther = (path: string): boolean => {
    const key = isInside(inputs, path) ? clusterOf(`${CLUSTERS}/${path.slice(inputs.length + 1)}`) : undefined
    return key !== undefined && parts.has(key) && !names.includes(key)
  }
  return (finding) => {
    const places = filesOfPlaces(finding)
    const isSaidByAll = crossing.has(finding.code) && finding.isNew !== true
    return isSaidByAll && places.length > 0 && places.every(isOfOther)
  }
}

function clustersOf(
  { judged, declared, crypto }: Pick<CheckedFacts, 'judged' | 'declared' | 'crypto'>,
  { clusters }: SharedFacts,
): ReadonlyMap<string, CheckedCluster> {
  const digests = createDigests(crypto)
  const declaredBy = new Map<string, Declarations[number][]>()
  for (const one of declared) {
    const key = clusterOf(one[0]) ?? ''
    declaredBy.set(key, [...(declaredBy.get(key) ?? []), one])
  }
  const definitions = new Map<string, (readonly [path: string, id: string])[]>()
  for (const [path, id] of judged.tree.files) {
    const key = isDefinitionFile(path) ? clusterOf(path) : undefined
    if (key === undefined) continue
    const own = definitions.get(key) ?? []
    definitions.set(key, own)
    own.push([path, id])
  }
  const found = new Map<string, CheckedCluster>()
  for (const [key, { crossing }] of clusters) {
    const own = judged.clusters.get(key)
    if (own === undefined) continue
    const noted = digests.of(
      own.units.map(({ judgement: { notes, findings } }) => [
        notes,
        findings.flatMap(({ finding, once }) => (once === undefined ? [] : [[finding.code, once]])),
      ]),
    )
    found.set(key, {
      crossing,
      noted,
      declared: declaredBy.get(key) ?? [],
      definitions: digests.of(definitions.get(key) ?? []),
      objects: own.objects,
    })
  }
  return found
}

function firstDefinitions(files: FileIds): CheckedRest['definitions'] {
  const found = new Map<string, string>()
  for (const [path, id] of files) if (isDefinitionFile(path) && !found.has(id)) found.set(id, path)
  return Array.from(found, ([id, path]) => [path, id])
}

/** The clusters of which files differ that are compared; undefined where others do, too. */
function differingIn({ before, judged }: Pick<CheckedFacts, 'before' | 'judged'>): readonly string[] | undefined {
  if (!before.isCompared) return []
  const [old, now] = [before.files, judged.tree.files]
  const found = new Set<string>()
  for (const [files, others] of [
    [old, now],
    [now, old],
  ] as const)
    for (const [path, id] of files) {
      if (others.get(path) === id || !isCompared(path)) continue
      const key = clusterOf(path)
      if (key === undefined) return undefined
      found.add(key)
    }
  return [...found].toSorted()
}

function isCompared(path: string): boolean {
  return isObjectFile(path) || path.slice(path.lastIndexOf('/') + 1) === KUSTOMIZATION_FILE
}
