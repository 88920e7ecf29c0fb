import { baseName, isInside, joinPath, relativePath } from '../../codec/path.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import type { Ports } from '../../model/ports.ts'
import { objectPath } from '../../model/object-name.ts'
import type { StepPlan } from '../../model/steps.ts'
import { filesOf, type FolderOutline, type KnownUnit } from '../../write/known-unit.ts'
import { openTreeCheck, openTreeWriter, type WriteResult } from '../../write/write-tree.ts'
import { formatTag } from '../../model/release-name.ts'
import { clusterTree, stackFolder } from '../../model/tree-path.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'
import { findConvertedInputs } from '../../sources/committed/converted-inputs.ts'
import { findUncommittedInputs } from '../../sources/committed/uncommitted-inputs.ts'
import { findUncommittedOutput, type WrittenOutput } from '../../sources/committed/uncommitted-output.ts'
import { findUnreached, type WrittenPart } from '../../sources/committed/unreached-units.ts'
import { CONTROL_FOLDER, controlPaths } from '../../write/control-folder.ts'
import { findClusters, type Parts } from '../reuse/cluster-parts.ts'
import { ClusterTally, imagesIn, partsAfter, type PartsAfter, partsOfFleet } from '../reuse/fleet-parts.ts'
import { type EarlierRun, type KnownRun, type PartChoice, replayRun, type Reuse } from '../reuse/replay-run.ts'
import { findingsWithPart, linesOutside } from '../reuse/rest-of-run.ts'
import { expandFleet, type Expansion, type OnProgress } from '../expand/expand-fleet.ts'
import { followMoves } from '../fleet/follow-moves.ts'
import { mendBase } from '../fleet/mended-base.ts'
import { handoffFolders } from '../fleet/fleet-part.ts'
import { openFleet } from '../fleet/open-fleet.ts'
import { checkPins } from '../publishing/check-pins.ts'
import { joinShards } from '../shards/open-shards.ts'
import type { Network } from '../resolve/open-source.ts'
import { type OwnDefinition, OwnDefinitions } from './own-definitions.ts'
import { findEditedOutput } from './edited-output.ts'
import { judgeOutput, listOutput, RenderedPaths } from '../deliver/judge-output.ts'
import { removedStacks } from './removed-stacks.ts'

/** The options of `stackmason render`. */
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
  /**
   * Revision whose tree the tool has: steps follow on it, instead of on the last commit. With `check`: the tree must be
   * one step away from it.
   */
  readonly base?: string
  /** Reports whether steps of upgrades are applied; absent: committed steps count as applied. */
  readonly awaited?: TreeRevision['awaited']
  readonly allowEmpty: boolean
  readonly overwriteEdited: boolean
  /**
   * `off`: every chart of every cluster is rendered as if it were the only one; the same result, for measuring and
   * doubting. Default `on`.
   */
  readonly reuse?: 'on' | 'off'
  /** Default: online. */
  readonly network?: Network
  /** How many other threads render clusters, where there are many; the result is the same. Default: by the machine. */
  readonly threads?: number
  /** Set: clusters are not rendered, but taken from shards that other runs have rendered. */
  readonly join?: JoinOptions
  /** Warns of what a check refuses in the committed tree. */
  readonly judgesOutput?: true
  /** The place of the tree in another branch that takes it; '' is its root, where files of others may lie. */
  readonly publishedPath?: string | undefined
  /** Set: a run in which nothing is another than in the one before comes to the same, without doing it again. */
  readonly reuses?: Reuse
}

/** The shards to join. */
export interface JoinOptions {
  /** Where they lie; absolute. */
  readonly folders: readonly string[]
  /** The version that must have rendered them. */
  readonly program: string
}

/** One file of the output that differs. `path` is relative to the output folder. */
export interface FileChange {
  readonly path: string
  readonly change: 'added' | 'changed' | 'removed'
}

/** The files that differ, in path order, one by one: a change of a whole fleet has many. */
export interface FileChanges extends Iterable<FileChange> {
  readonly length: number
}

/** The result of a run, or with `check` its preview. */
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
  readonly changes: FileChanges
  /** Kinds of stackmason's own API in the tree, whose definitions the management cluster needs. */
  readonly definitions: readonly OwnDefinition[]
  /** Clusters that are on their way: upgraded, frozen, decommissioned. */
  readonly steps?: readonly StepPlan[]
  /** Reasons by `namespace/name` of clusters that are on hold. */
  readonly holds: ReadonlyMap<string, string>
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
  // a check believes only what it has read, and a part of a fleet costs a part
  const isReplayed = !options.check && options.awaited === undefined && options.join === undefined && isAll(options)
  // known once the fleet is read; nothing of it is asked for before
  let control: string | undefined
  const onOutput = (output: string): void => {
    control = joinPath(output, CONTROL_FOLDER)
  }
  const { result } = await replayRun<RenderedRun>(
    {
      asked: asked(options),
      // but what was written last is read, and decides what counts as edited
      isOwn: (path) => control !== undefined && isInside(control, path) && baseName(path) !== WRITTEN,
      run: (observed, known) => renderNow(options, { ports: observed, known, onProgress, onOutput }),
      settled: ({ result: { output } }) => [joinPath(output, CONTROL_FOLDER)],
      keep: ({ result: { changes, ...kept } }) =>
        changes.length > 0 || kept.recovered !== undefined ? undefined : kept,
      restore: (kept) => (isKept(kept) ? { result: { ...kept, changes: [] } } : undefined),
      partly: {
        partsOf: async ({ partsOf }, plain) => partsOf?.(plain),
        find: findClusters,
        run: (choice, earlier, known) =>
          renderFew(options, { choice, earlier, known, ports: earlier.ports, onProgress, onOutput }),
      },
    },
    isReplayed ? options.reuses : undefined,
    ports,
  )
  return { ...result, duration: ports.clock.monotonic() - started }
}

const WRITTEN = baseName(controlPaths.written)

/** The options that the result of a run depends on. */
function asked({
  start,
  fleet,
  runtimeValues,
  base,
  allowEmpty,
  overwriteEdited,
  reuse,
  network,
}: RenderOptions): readonly string[] {
  const flags = [allowEmpty && 'allow-empty', overwriteEdited && 'overwrite-edited', reuse, network]
  return ['render', start, fleet ?? '', runtimeValues ?? '', base ?? '', flags.join(' ')]
}

/** A result without what each run has of its own. */
type KeptResult = Omit<RenderResult, 'changes'>

function isKept(kept: unknown): kept is KeptResult {
  return (
    typeof kept === 'object' && kept !== null && 'mode' in kept && 'findings' in kept && Array.isArray(kept.findings)
  )
}

function isAll({ clusters, stacks }: Pick<RenderOptions, 'clusters' | 'stacks'>): boolean {
  return clusters.length + stacks.length === 0
}

/** A run, and what later ones of parts must know of it. */
interface RenderedRun {
  readonly result: RenderResult
  readonly partsOf?: (ports: Ports) => Promise<Parts | undefined>
}

/** A run of some clusters where the rest of the fleet is as it was. */
interface FewRun extends RenderRun {
  readonly choice: PartChoice
  readonly earlier: EarlierRun<RenderedRun>
}

/** Codes of findings that only people can mend: another run would find something else. */
const HALF_WRITTEN: readonly Code[] = ['WRITE_FAILED', 'WRITE_INTERRUPTED']

/** Renders some clusters; undefined, with nothing written, where all of the fleet has to be looked at. */
async function renderFew(options: RenderOptions, run: FewRun): Promise<RenderedRun | undefined> {
  try {
    return await renderNow({ ...options, clusters: run.choice.names }, run)
  } catch (error) {
    // a run of all tells it, with what else is wrong
    if (error instanceof RestChanged) return undefined
    const found = error instanceof StackmasonError ? error.diagnostics : []
    if (found.length === 0 || found.some(({ code }) => HALF_WRITTEN.includes(code))) throw error
    return undefined
  }
}

/** Thrown where some clusters cannot be rendered without the rest of the fleet. */
class RestChanged extends Error {}

interface RenderRun {
  readonly ports: Ports
  readonly known: KnownRun | undefined
  readonly onProgress: OnProgress
  /** Told as soon as it is known. */
  readonly onOutput: (output: string) => void
}

async function renderNow(
  options: RenderOptions,
  { ports, known, onProgress, onOutput, choice, earlier }: RenderRun & Partial<FewRun>,
): Promise<RenderedRun> {
  const started = ports.clock.monotonic()
  const isOfClusters = options.clusters.length > 0 && options.stacks.length === 0 && options.join === undefined
  const fleet = await openFleet(options, ports, isOfClusters ? options : undefined)
  const { file, repository, findings } = fleet
  const output = joinPath(repository.fleet.root, repository.fleet.output)
  onOutput(output)
  const owner = { name: repository.fleet.name, file: relativePath(output, file) }
  const writeOptions = {
    output,
    owner,
    allowEmpty: options.allowEmpty,
    overwriteEdited: options.overwriteEdited,
    publishedPath: options.publishedPath,
    known: known?.disk,
  }
  const tree = options.check ? openTreeCheck(writeOptions, ports) : openTreeWriter(writeOptions, ports)
  const definitions = new OwnDefinitions()
  const tally = new ClusterTally()
  const planned: (readonly string[] | undefined)[] = []
  const rendered =
    options.check || options.judgesOutput === true
      ? new RenderedPaths(options.base === undefined ? 'paths' : 'hashes')
      : undefined
  const committed = rendered && isAll(options) ? await listOutput(output, ports) : undefined
  let objects = 0
  const note = (folders: readonly FolderOutline[]): void => {
    for (const folder of folders) {
      objects += folder.objects
      definitions.note(folder)
      tally.note(folder)
    }
  }
  const takeKnown = async (unit: KnownUnit): Promise<void> => {
    note(unit.outline)
    await tree.addKnown(unit)
  }
  const expansion = await expandFleet(
    fleet,
    {
      selection: options,
      revision: {
        from: options.check ? 'disk' : 'commit',
        base: options.base,
        awaited: options.awaited,
      },
      network: options.network ?? 'online',
      treeOf: file,
      reuse: options.reuse ?? 'on',
      threads: options.threads,
      shards:
        options.join &&
        joinShards(
          options.join.folders,
          { program: options.join.program, mode: options.check ? 'check' : 'write' },
          ports,
        ),
      kept: known && { ...known.units, takeKnown },
      shares: known !== undefined,
      rest: earlier && { imagesFrom: imagesIn(earlier.parts) },
      onProgress,
    },
    {
      ports,
      takeFiles: async (folders) => {
        note(folders)
        rendered?.add(folders)
        if (earlier !== undefined) planned.push(filesOf(folders, ports.crypto))
        await tree.add(folders)
      },
    },
  ).catch(async (error: unknown) => {
    const notes = await tree.abandon()
    throw error instanceof StackmasonError && notes.length > 0
      ? new StackmasonError([...error.diagnostics, ...notes], { cause: error })
      : error
  })
  const { part, shared } = expansion
  let after: PartsAfter | undefined
  let told: readonly Diagnostic[] | undefined
  if (choice !== undefined && earlier !== undefined) {
    after = partsAfter(earlier.parts, choice.names, { shared, tally })
    const files = planned.includes(undefined) ? undefined : planned.flatMap((some) => some ?? [])
    const before = { ...earlier, findings: earlier.result.result.findings }
    told = await findingsWithPart(choice, { files, findings: findings.all('part') }, { before, ports })
    if (after === undefined || told === undefined) {
      await tree.abandon()
      throw new RestChanged()
    }
  }
  for (const cluster of part.clusters)
    for (const tree of [clusterTree(cluster), ...handoffFolders([cluster])]) known?.disk.noteTree(output, tree)
  const written: WriteResult = await findings.of(tree.end(part.folders(expansion.needed)))
  if (rendered !== undefined) {
    const folders = part.isWhole ? undefined : part.folders(expansion.needed)
    const lying = committed ?? (await listOutput(output, ports, folders))
    const judged = await judgeOutput({ committed: lying, rendered, changes: written.changes, folders }, ports)
    await findings.of(Promise.resolve(options.check ? judged : { findings: judged.findings.map(asWarning) }))
    const { check, base, network = 'online', reuse = 'on', threads } = options
    if (check && base !== undefined && repository.fleet.handoff !== undefined) {
      const expanding = { selection: options, network, reuse, threads }
      const differing = new Set(Array.from(written.changes, ({ path }) => path))
      const edit = { fleet, committed: lying, rendered, differing, base, options: expanding }
      const mended = mendBase(repository, base, followMoves(repository, ports))
      await findings.of(findEditedOutput(edit, mended).then((edited) => ({ findings: edited })))
    }
  }
  const mode = options.check ? 'check' : 'write'
  // where all is as it was, they make no difference
  const converted =
    written.changes.length === 0 ? { findings: [] } : await findConvertedInputs(repository, { mode, ...ports })
  const pruned = countRemoved(written)
  const files = { written: written.changes.length - pruned, unchanged: written.unchanged, pruned }
  const duration = ports.clock.monotonic() - started
  if (earlier !== undefined && after !== undefined && told !== undefined) {
    const { parts, charts, objects: more } = after
    const { result } = earlier.result
    return {
      result: {
        ...result,
        charts,
        objects: result.objects + more,
        files: { ...files, unchanged: result.files.unchanged - files.written },
        changes: written.changes,
        findings: [...told, ...written.findings, ...converted.findings],
        ...(written.recovered !== undefined && { recovered: written.recovered }),
        duration,
      },
      partsOf: () => Promise.resolve(parts),
    }
  }
  await findings.of(Promise.resolve(converted))
  // where a check finds nothing, git ignores no more than the traces of an earlier run
  const isThere = !options.check || written.unchanged > 0 || !isAllAdded(written)
  const isGreen = rendered !== undefined && part.isWhole && [...written.changes].length === 0
  if (repository.fleet.handoff !== undefined && isThere) {
    // git answers while the lists are read
    const [uncommitted, inputs, unreached] = await Promise.all([
      // publishing commits what it has rendered, whatever git ignores
      options.judgesOutput === true
        ? NOTHING
        : findUncommittedOutput(
            { repository, ...writtenOutput(expansion, { written, isCheck: options.check }) },
            ports,
          ),
      options.check
        ? findUncommittedInputs({ repository, severity: 'error', ...(isGreen && { tree: rendered.all }) }, ports)
        : NOTHING,
      // a run that writes all leaves nothing that a GitOps tool stumbles over
      part.isWhole ? NOTHING : findUnreached(output, writtenPart(expansion), ports),
    ])
    await findings.of(
      Promise.resolve({ findings: [...uncommitted.findings, ...inputs.findings, ...unreached.findings] }),
    )
  }
  if (options.check && part.isWhole) await findings.of(checkPins({ ...repository, output, base: options.base }, ports))
  const removed = options.check || repository.fleet.handoff === undefined ? [] : removedStacks(written.changes, output)
  const result: RenderResult = {
    mode,
    fleet: repository.fleet.name,
    output,
    clusters: part.clusters.length,
    charts: expansion.charts,
    objects,
    files,
    changes: written.changes,
    definitions: definitions.all(written.changes),
    findings: [...findings.all(part.isWhole ? 'whole' : 'part'), ...removed],
    steps: expansion.steps,
    holds: new Map(
      repository.clusters.flatMap((cluster) => {
        const hold = cluster.options?.hold
        return hold === undefined ? [] : [[objectPath(cluster), hold] as const]
      }),
    ),
    ...(written.recovered === undefined ? {} : { recovered: written.recovered }),
    duration,
  }
  const partsOf = async (plain: Ports): Promise<Parts | undefined> => {
    const lines = await linesOutside(output, shared?.clusters.keys() ?? [], plain)
    return lines === undefined ? undefined : partsOfFleet({ repository, output, shared, tally }, lines)
  }
  return part.isWhole ? { result, partsOf } : { result }
}

function writtenPart({ part, needed }: Expansion): WrittenPart {
  const stacks = needed.filter(part.renderStacks).map(({ namespace, name }) => ({
    namespace,
    path: stackFolder(namespace, formatTag(name)),
  }))
  return { clusters: part.clusters, stacks }
}

function writtenOutput(
  { part, needed, steps }: Expansion,
  { written: { changes }, isCheck }: { readonly written: WriteResult; readonly isCheck: boolean },
): Omit<WrittenOutput, 'repository'> {
  const added = new Set<string>()
  for (const { path, change } of changes) if (change === 'added') added.add(path)
  const folders = part.isWhole ? undefined : part.folders(needed)
  return { added, isWaiting: steps.some(({ due }) => due.action === 'wait'), folders, isCheck }
}

const NOTHING = { findings: [] }

function isAllAdded({ changes }: WriteResult): boolean {
  for (const { change } of changes) if (change !== 'added') return false
  return true
}

function countRemoved({ changes }: WriteResult): number {
  let count = 0
  for (const { change } of changes) if (change === 'removed') count++
  return count
}

/** A run that writes leaves it alone, and goes on. */
function asWarning(finding: Diagnostic): Diagnostic {
  return { ...finding, severity: 'warning' }
}
