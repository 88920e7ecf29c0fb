import { compareBytes } from '../../codec/text/text-order.ts'
import { joinPath } from '../../codec/path.ts'
import { ARTIFACTS, type ArtifactUnit, artifactUnitOf } from '../../model/artifact-unit.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import type { Registry } from '../../network/registry/registry.ts'
import { formatName } from '../../network/registry/repository-name.ts'
import { type Artifact, type ArtifactOrigin, makeArtifact, packArtifact, typesFor } from '../../publish/oci/artifact.ts'
import { branchTag, commitTag } from '../../publish/oci/artifact-tags.ts'
import { mapConcurrently } from '../../write/map-concurrently.ts'
import { type PlannedUnit, planUnits, readUnit, type UnitTree, writePins } from './oci-pins.ts'
import { openArtifactRegistry, pushArtifact } from './oci-registry.ts'
import {
  actionOf,
  type ArtifactEnd,
  asWarning,
  type ArtifactRun,
  originOf,
  signingKeyOf,
  tellTaken,
} from './oci-run.ts'
import { askingGit } from './publish-problem.ts'
import type { SourceChange } from './source-change.ts'

/** Registries and their proxies limit how much comes at once. */
const PUSHES = 8

/** A tree that was rendered, and the branch that carries the change already. */
export interface RenderedChange {
  readonly change: SourceChange
  /** The root of its work tree; absolute. */
  readonly root: string
  /** The commit of the branch of ours, if there is one. */
  readonly head: string | undefined
  /** Paths in the tree that the branch carries; absent: all that differ. */
  readonly part?: ReadonlySet<string> | undefined
}

/** The artifacts that a tree is to pin. */
export interface PinnedTree {
  readonly output: string
  readonly units: readonly PlannedUnit[]
}

/**
 * Adds to what rendering changed the pins of what it made.
 * @throws StackmasonError OUTPUT_FOREIGN, HANDOFF_TEMPLATE, WRITE_NOT_OWNED, GIT_FAILED
 */
export async function pinArtifacts(
  run: ArtifactRun,
  { change, root, head, part }: RenderedChange,
  ports: Ports,
): Promise<PinnedTree & { readonly change: SourceChange }> {
  const { checkout, prepared, config } = run
  const { output } = change.result
  const isPin = (path: string): boolean => path.startsWith(`${ARTIFACTS}/`)
  const known =
    head === undefined
      ? new Map<string, Uint8Array>()
      : await askingGit(checkout.remote.url, () => ports.git.readCommitted(joinPath(root, prepared.path), isPin, head))
  const only = part === undefined ? {} : { only: carriedUnits(change, part) }
  const tree: UnitTree = { checkout, config, root, output, origin: await unitOrigin(run, ports), known, ...only }
  const units = await planUnits(tree, ports)
  const pins = await writePins(tree, units, ports)
  const files = [...change.files, ...pins].toSorted((a, b) => compareBytes(a.path, b.path))
  return { output, units, change: { ...change, files } }
}

/** Clusters and stacks all of whose changes a part carries, by their folders: what is pinned must be on the branch. */
function carriedUnits({ files }: SourceChange, part: ReadonlySet<string>): ReadonlyMap<string, ArtifactUnit> {
  const units = new Map<string, ArtifactUnit>()
  const others = new Set<string>()
  for (const { path } of files) {
    const unit = artifactUnitOf(path)
    if (unit === undefined) continue
    if (part.has(path)) units.set(unit.folder, unit)
    else others.add(unit.folder)
  }
  for (const folder of others) units.delete(folder)
  return units
}

/**
 * Pushes the artifacts that a tree pins and its branch does not yet. In a plan nothing is written.
 * @throws StackmasonError PUBLISH_KEY, FETCH_*
 */
export function pushPinned(run: ArtifactRun, { output, units }: PinnedTree, ports: Ports): Promise<ArtifactEnd> {
  return pushUnits(run, { output, units: units.filter(({ isPinned }) => !isPinned), branch: undefined }, ports)
}

/**
 * Brings the registry to what the branch pins, and the tags that follow the branch. `unpinned`: how many clusters and
 * stacks of the branch it does not pin as they are. The work tree has what the branch has.
 * @throws StackmasonError PUBLISH_KEY, FETCH_*
 */
export async function followPins(run: ArtifactRun, ports: Ports): Promise<ArtifactEnd & { readonly unpinned: number }> {
  const { checkout, prepared, config } = run
  const root = prepared.tree.folder
  const output = joinPath(root, checkout.output)
  const origin = await unitOrigin(run, ports)
  const units = await planUnits({ checkout, config, root, output, origin, known: new Map() }, ports)
  const pinned = units.filter(({ isPinned }) => isPinned)
  const end = await pushUnits(run, { output, units: pinned, branch: prepared.branch }, ports)
  return { ...end, unpinned: units.length - pinned.length }
}

/** The artifacts of units that are to be in the registry. */
interface UnitPush extends PinnedTree {
  /** Set: what is pinned is on this branch, whose tag follows. */
  readonly branch: string | undefined
}

async function pushUnits(run: ArtifactRun, { output, units, branch }: UnitPush, ports: Ports): Promise<ArtifactEnd> {
  const { config, context, mode } = run
  const key = units.length === 0 ? undefined : await signingKeyOf(run, ports)
  const movingTag = branch !== undefined && config.tags.includes('branch') ? branchTag(branch) : undefined
  const versionTags = branch === undefined ? [] : run.versionTags
  const unasked: Diagnostic[] = []
  // a plan tells digests wherever it is made, also where no credentials are
  const lookUp = async (registry: Registry, digest: string): Promise<boolean> => {
    if (unasked.length > 0) return false
    try {
      return (await registry.findDigest(digest)) !== undefined
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      if (unasked.length === 0) unasked.push(...error.diagnostics.map(asWarning))
      return false
    }
  }
  const pushOne = async ({ unit, digest, origin }: PlannedUnit): Promise<ArtifactEnd> => {
    const registry = await openArtifactRegistry(config, unit.folder, context)
    const fixedTag = config.tags.includes('commit') ? commitTag(commitOf(origin)) : undefined
    const make = async (): Promise<Artifact> => {
      const packed = packArtifact(await readUnit(output, unit, ports), typesFor('flux'), ports.crypto)
      return makeArtifact(packed, origin, ports.crypto)
    }
    const about = {
      kind: unit.kind,
      of: `${unit.namespace}/${unit.name}`,
      repository: `oci://${formatName(registry)}`,
      digest,
      tags: [fixedTag, ...versionTags, movingTag].filter((tag) => tag !== undefined),
      revision: origin.revision,
    }
    if (mode === 'plan') {
      const isThere = await lookUp(registry, digest)
      return { artifacts: [{ ...about, action: isThere ? 'current' : 'planned' }], findings: [] }
    }
    const pushed = await pushArtifact({ registry, digest, make, fixedTag, versionTags, movingTag, key }, ports)
    if (pushed.isPushed) run.note()
    return { artifacts: [{ ...about, action: actionOf(pushed) }], findings: tellTaken(registry, pushed) }
  }
  const ends = await mapConcurrently(units, pushOne, PUSHES)
  return {
    artifacts: ends.flatMap(({ artifacts }) => artifacts),
    findings: [...unasked, ...ends.flatMap(({ findings }) => findings)],
  }
}

/** They are pinned by a commit that is not made yet: so they are of the commit that was rendered. */
function unitOrigin({ checkout, prepared, sourceRef }: ArtifactRun, ports: Ports): Promise<ArtifactOrigin> {
  const branch = sourceRef.replace(/^refs\/heads\//, '')
  return originOf({ remote: checkout.remote, branch, commit: prepared.source }, ports)
}

function commitOf({ revision }: ArtifactOrigin): string {
  return revision.slice(revision.lastIndexOf(':') + 1)
}
