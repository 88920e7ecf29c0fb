import { joinPath, relativePath } from '../codec/path.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { RenderedTree } from '../model/manifest.ts'
import type { Ports } from '../model/ports.ts'
import type { StepPlan } from '../model/steps.ts'
import { createChartRenderer } from '../render/stack/chart-renderer.ts'
import type { TreeRevision } from '../sources/committed/tree-files.ts'
import { findFleet } from '../sources/fleet/find-fleet.ts'
import { readFleet } from '../sources/fleet/read-fleet.ts'
import { checkTree, writeTree, type WriteResult } from '../write/write-tree.ts'
import { handOver } from './hand-over.ts'
import { keepFindings } from './keep-findings.ts'
import { loadReleases } from './load-releases.ts'
import { selectPart } from './fleet-part.ts'
import { openInputs } from './open-inputs.ts'
import type { Network } from './open-source.ts'
import { checkOutputLocation } from './output-location.ts'
import { type OwnDefinition, ownDefinitions } from './own-definitions.ts'
import { renderFleet, type OnProgress } from './render-fleet.ts'
import { supplyRuntimeValues } from './runtime-values-file.ts'
import { checkTool } from './tool-change.ts'

/** What `stackmason render` is asked for. */
export interface RenderOptions {
  /** Folder to search from, upwards, for stackmason.yaml. */
  readonly start: string
  /** stackmason.yaml or its folder, instead of searching. */
  readonly fleet?: string
  /** A file with values of running clusters; absolute. */
  readonly runtimeValues?: string
  /** `name` or `namespace/name`; empty = all. */
  readonly clusters: readonly string[]
  /** ClusterStack names, `name` or `namespace/name`; empty = all. */
  readonly stacks: readonly string[]
  /** Compare only, write nothing. */
  readonly check: boolean
  /** Revision whose tree the tool has: steps follow on it, instead of on the last commit. With `check`: the tree must be one step away from it. */
  readonly base?: string
  readonly allowEmpty: boolean
  readonly overwriteEdited: boolean
  /** `off`: every chart of every cluster is rendered as if it were the only one; the same result, for measuring and doubting. Default `on`. */
  readonly reuse?: 'on' | 'off'
  /** Default: online. */
  readonly network?: Network
}

/** One file of the output that differs. `path` is relative to the output folder. */
export interface FileChange {
  readonly path: string
  readonly change: 'added' | 'changed' | 'removed'
}

/** What a run did, or with `check` would do. */
export interface RenderResult {
  readonly mode: 'write' | 'check'
  readonly fleet: string
  /** Absolute. */
  readonly output: string
  readonly clusters: number
  /** Charts rendered; equal renders count once. */
  readonly charts: number
  readonly objects: number
  readonly files: { readonly written: number; readonly unchanged: number; readonly pruned: number }
  readonly changes: readonly FileChange[]
  /** Kinds of stackmason's own API in the tree, whose definitions the management cluster needs. */
  readonly definitions: readonly OwnDefinition[]
  /** Clusters that are on their way: upgraded, frozen, decommissioned. */
  readonly steps?: readonly StepPlan[]
  /** Warnings. */
  readonly findings: readonly Diagnostic[]
  readonly recovered?: 'completed' | 'rolled-back'
  /** Milliseconds. */
  readonly duration: number
}

/**
 * Reads a fleet repository, renders it, and writes (or with `check` compares) the output tree.
 * @throws StackmasonError with every diagnostic found; then nothing was written
 */
export async function render(options: RenderOptions, ports: Ports, onProgress: OnProgress): Promise<RenderResult> {
  const started = ports.clock.monotonic()
  const file = await findFleet(options.fleet ?? options.start, ports)
  const findings = keepFindings()
  const { repository: read } = await findings.of(readFleet(file, ports))
  findings.acknowledge(read.fleet.acknowledged)
  const repository =
    options.runtimeValues === undefined ? read : await supplyRuntimeValues(read, options.runtimeValues, ports)
  const part = selectPart(repository, options)
  const inputs = await openInputs(repository.fleet, options.network ?? 'online', ports)
  const place: TreeRevision = {
    from: options.check ? 'disk' : 'commit',
    ...(options.base === undefined ? {} : { base: options.base }),
  }
  await findings.of(checkTool(repository, place, ports))
  await findings.of(checkOutputLocation(repository.fleet, { file, place }, ports))
  const loaded = await findings.of(loadReleases(repository, part, inputs, place))
  const { reuse = 'on' } = options
  const charts = createChartRenderer(ports.crypto, {
    elapsed: () => ports.clock.monotonic(),
    deadline: ports.deadline,
    reuse,
  })
  const rendered = await findings.of(
    renderFleet({ repository, part, loaded, complete: inputs.complete, charts, ports, onProgress }),
  )
  const handoff = await findings.of(handOver(rendered, { repository, part: part, ports, tree: loaded.lifecycle?.tree }))
  const output = joinPath(repository.fleet.root, repository.fleet.output)
  const tree: RenderedTree = { folders: handoff.folders, scopes: part.folders(loaded.needed) }
  const owner = { name: repository.fleet.name, file: relativePath(output, file) }
  const writeOptions = { output, owner, allowEmpty: options.allowEmpty, overwriteEdited: options.overwriteEdited }
  const written: WriteResult = await findings.of(
    options.check ? checkTree(tree, writeOptions, ports) : writeTree(tree, writeOptions, ports),
  )
  const pruned = written.changes.filter(({ change }) => change === 'removed').length
  return {
    mode: options.check ? 'check' : 'write',
    fleet: repository.fleet.name,
    output,
    clusters: part.clusters.length,
    charts: charts.runs(),
    objects: tree.folders.reduce((sum, folder) => sum + folder.manifests.length, 0),
    files: { written: written.changes.length - pruned, unchanged: written.unchanged, pruned },
    changes: written.changes,
    definitions: ownDefinitions(tree.folders, addedPaths(written), ports.crypto),
    findings: findings.all(part.isWhole ? 'whole' : 'part'),
    steps: handoff.steps,
    ...(written.recovered === undefined ? {} : { recovered: written.recovered }),
    duration: ports.clock.monotonic() - started,
  }
}

function addedPaths({ changes }: WriteResult): ReadonlySet<string> {
  return new Set(changes.filter(({ change }) => change === 'added').map(({ path }) => path))
}
