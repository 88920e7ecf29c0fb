import { beginCheck, type FleetCheck } from '../../check/begin-check.ts'
import type { CheckedUnit } from '../../check/checked-unit.ts'
import type { CheckInputs } from '../../check/check-inputs.ts'
import type { Rule } from '../../check/rule.ts'
import { originOf, type UnitOrigin } from '../../check/unit-origin.ts'
import { joinPath } from '../../codec/path.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import type { RenderedFolder } from '../../model/manifest.ts'
import { objectPath } from '../../model/object-name.ts'
import type { Crypto, Ports } from '../../model/ports.ts'
import { CLUSTERS } from '../../model/tree-path.ts'
import type { TreeChange } from '../../model/tree-change.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'
import { collectTree } from '../compare/collect-tree.ts'
import { compareOpenTrees } from '../compare/compare-open-trees.ts'
import { createOriginFinder, hasOther } from '../compare/find-origins.ts'
import { createFolderDigests, digestOfFiles } from '../compare/folder-digests.ts'
import { locateChanges } from '../compare/locate-changes.ts'
import { type BlobHash, type OpenTree, partOfTree } from '../compare/open-tree.ts'
import { unitsOf } from '../expand/checked-units.ts'
import { createDigests } from '../expand/digest-unit.ts'
import {
  expandFleet,
  type OnProgress,
  type OpenedRun,
  type RestOfFleet,
  type SharedFacts,
} from '../expand/expand-fleet.ts'
import type { ExpandedFolders } from '../expand/expanded-unit.ts'
import { findReadable } from '../expand/find-readable.ts'
import type { KeptUnits } from '../expand/reuse-units.ts'
import { type Selection, selectPart } from '../fleet/fleet-part.ts'
import type { OpenFleet } from '../fleet/open-fleet.ts'
import type { Network } from '../resolve/open-source.ts'
import { type JudgedCluster, type JudgedUnit, keepJudgements } from './kept-judgements.ts'

/** Sees what a check goes through, and forgets. */
export interface CheckObserver {
  readonly unit: (unit: CheckedUnit, expanded: ExpandedFolders, run: OpenedRun) => void
  /** Gets the difference from the base, where there is one. */
  readonly change: (change: TreeChange, labels: { readonly before: string; readonly after: string }) => void
}

/** The tree that a fleet is compared with. */
export interface ComparedTree {
  /** A commit. */
  readonly tree: OpenTree
  /** False where it has nothing: then all is new, and nothing a change. */
  readonly isCompared: boolean
  readonly hash: BlobHash
  /** Files of it that no unit of this run brings: the new tree has them, too. */
  readonly others: Iterable<string>
}

/** The part of a fleet to judge, and by what. */
export interface JudgeRun {
  readonly fleet: Pick<OpenFleet, 'file' | 'repository' | 'findings'>
  readonly rules: readonly Rule[]
  readonly inputs: CheckInputs
  readonly selection: Selection
  readonly before: ComparedTree
  /** Revision of that, instead of the last commit. */
  readonly base: string | undefined
  readonly awaited: TreeRevision['awaited'] | undefined
  readonly network: Network
  readonly kept: KeptUnits | undefined
  /** True: facts for later runs of some clusters are wanted. */
  readonly shares: boolean
  /** Set: the rest of the fleet is as it was, and this was said of it that is said once in a run. */
  readonly rest: (RestOfFleet & Pick<FleetCheck, 'said'>) | undefined
  /** `whole`: problems are thrown; else only where nothing can be judged. */
  readonly needs: 'whole' | 'sound'
  readonly observer: CheckObserver | undefined
  readonly onProgress: OnProgress
}

/** What judging came to. */
export interface JudgedFleet {
  readonly findings: readonly Diagnostic[]
  /** By their keys: those that were judged. */
  readonly clusters: ReadonlyMap<string, JudgedPart>
  /** Of clusters, stacks and the GitOps tool. */
  readonly objects: number
  /** Why some could not be expanded; their reasons are among the findings. */
  readonly problems: StackmasonError | undefined
  readonly shared: SharedFacts | undefined
  /** The new tree. */
  readonly tree: OpenTree
  /** True if so much work was done for a unit that others may have a share in what is said. */
  readonly isCostly: boolean
  /** What is said once in a run, by the cluster of which it was said. */
  readonly said: FleetCheck['said']
  /** Codes of rules that say of no cluster anything that it alone tells. */
  readonly crossing: ReadonlySet<Code>
}

/** What judging one cluster came to. */
export type JudgedPart = Pick<JudgedCluster, 'units' | 'objects'>

/**
 * Renders a fleet, or a part of it, into memory and judges it, unit by unit, and its difference from a commit.
 * @throws StackmasonError with every diagnostic found, where it cannot be rendered
 */
export async function judgeFleet(run: JudgeRun, ports: Ports): Promise<JudgedFleet> {
  const { fleet, rules, inputs, selection, before, base, awaited, network, needs, observer, onProgress } = run
  const { file, repository } = fleet
  const { tree: old, isCompared, hash } = before
  const { root } = repository.fleet
  const output = joinPath(root, repository.fleet.output)
  const judge = beginCheck(rules, inputs, run.rest?.said)
  const found: Diagnostic[] = []
  const after = collectTree({ label: 'render', hash, base: old, ports })
  after.addKnown(before.others)
  const isOther = ({ path }: Pick<RenderedFolder, 'path'>): boolean => hasOther(after.filesOf(path), old.files)
  const origins = createOriginFinder(root, isOther)
  const clusters = new Map<string, JudgedPart>()
  let objects = 0
  let isCostly = false
  let needed: OpenedRun['needed'] = []
  const take = (judged: Omit<JudgedCluster, 'cluster' | 'folders'>, unitOrigins: readonly UnitOrigin[]): void => {
    found.push(...judged.readable)
    objects += judged.objects
    for (const [index, origin] of unitOrigins.entries()) {
      const judgement = judged.units[index]?.judgement
      isCostly ||= judgement?.isCostly === true
      if (judgement !== undefined) found.push(...judge.take(judgement, origin))
    }
  }
  const ofOld = createFolderDigests(old.files, ports.crypto)
  const keeping =
    run.kept &&
    keepJudgements({
      kept: run.kept,
      basis: digestOfRules(rules, inputs, { hash, crypto: ports.crypto }),
      // what changes is asked for, and explained, by its objects
      base: isCompared
        ? {
            state: `${output} ${await ports.git.stateOf(output, base)}`,
            has: (folders) => [...folders].every(([folder, digest]) => ofOld.of(folder) === digest),
          }
        : undefined,
      output,
      takeKnown: (known, of) => {
        for (const folder of known.folders.keys()) after.addKnown(ofOld.filesIn(folder))
        clusters.set(known.cluster, known)
        take(known, known.units.map(of))
      },
      ports,
    })
  const part = selectPart(repository, selection)
  const expanding = expandFleet(
    fleet,
    {
      selection,
      // without a GitOps tool the tree has no steps, and rendering has no use for a base
      revision: { from: 'commit', base: repository.fleet.handoff === undefined ? undefined : base, awaited },
      network,
      treeOf: file,
      gives: 'sound',
      keeper: keeping?.keeper,
      shares: run.shares,
      rest: run.rest,
      onProgress,
    },
    {
      ports,
      take: (expanded, opened) => {
        needed = opened.needed
        for (const folder of expanded.folders) after.add(folder)
        if (isCompared) origins.keep(expanded)
        const hasChanged = isCompared && expanded.folders.some(isOther)
        const units = unitsOf(expanded, output)
        const judgements = units.map((unit): JudgedUnit => {
          observer?.unit(unit, expanded, opened)
          const judgement = judge.judge(unit)
          if (hasChanged) judge.noteChanging(unit)
          return { subject: unit.subject, judgement }
        })
        const own = {
          units: judgements,
          readable: repository.fleet.handoff === undefined ? findReadable(expanded) : [],
          objects: units.flatMap(({ folders }) => folders).reduce((sum, { manifests }) => sum + manifests.length, 0),
        }
        take(own, units.map(keeping?.originOf ?? originOf))
        if (expanded.unit === undefined) return
        const cluster = objectPath(expanded.unit.cluster)
        clusters.set(cluster, own)
        const digests = expanded.folders.map(
          ({ path }) => [path, digestOfFiles(after.filesOf(path), ports.crypto)] as const,
        )
        keeping?.note({ ...own, cluster, folders: new Map(digests) })
      },
    },
  )
  const expanded = await orProblems(expanding)
  const problems = expanded instanceof StackmasonError ? expanded : undefined
  found.push(...judge.between())
  // what cannot be judged in part is told as it is
  if (problems !== undefined && (clusters.size === 0 || needs === 'whole')) throw problems
  if (problems !== undefined) found.unshift(...problems.diagnostics)
  else {
    if (part.isWhole) found.push(...judge.end())
    // without a commit everything is new
    if (isCompared) {
      // what of a part of a fleet is not asked for stays as it is
      const folders = run.rest === undefined ? part.folders(needed) : ['']
      const trees = [partOfTree(old, folders), partOfTree(after.tree, folders)] as const
      const change = await compareOpenTrees(...trees, repository.fleet.variableRenames)
      observer?.change(change, { before: old.label, after: after.tree.label })
      const places = { origins, tree: after.tree, before: old, output, inputs: joinPath(root, CLUSTERS) }
      found.push(...(await locateChanges(judge.change(change, output), places)))
    }
  }
  keeping?.settle()
  const shared = expanded instanceof StackmasonError ? undefined : expanded.shared
  const { said, crossing } = judge
  return { findings: found, clusters, objects, problems, shared, tree: after.tree, isCostly, said, crossing }
}

/** The digest of all that judgements depend on besides what is rendered, and the program. */
function digestOfRules(
  wanted: readonly Rule[],
  { managementMinor, definitions, withoutDefinitions, unreadDocuments = [], tool, renames, policies = [] }: CheckInputs,
  { hash, crypto }: { readonly hash: BlobHash; readonly crypto: Crypto },
): string {
  const codes = wanted.map(({ code }) => code)
  const given = policies.map(({ object, servers }) => ({ object, servers }))
  const unread = unreadDocuments.map(({ message, at }) => [message, at?.source.name, at?.start])
  const folders = [withoutDefinitions, unread]
  return createDigests(crypto).of([hash, codes, managementMinor, definitions, folders, tool, renames, given])
}

/** What an expansion comes to, or why it has stopped. */
async function orProblems<Result>(expanding: Promise<Result>): Promise<Result | StackmasonError> {
  try {
    return await expanding
  } catch (error) {
    if (error instanceof StackmasonError) return error
    throw error
  }
}
