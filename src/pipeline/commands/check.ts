import { joinPath } from '../../codec/path.ts'
import { beginCheck } from '../../check/begin-check.ts'
import type { CheckInputs } from '../../check/check-inputs.ts'
import type { Rule } from '../../check/rule.ts'
import { originOf, type UnitOrigin } from '../../check/unit-origin.ts'
import { comparingCodes, renderRules } from '../../check/render-rules.ts'
import { rules } from '../../check/rules.ts'
import { setLevels, wantedRules } from '../../check/set-levels.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { type Code, errorCodes } from '../../model/error-codes.ts'
import { type ObjectName, objectPath } from '../../model/object-name.ts'
import type { Crypto, Ports } from '../../model/ports.ts'
import type { RuleLevels } from '../../model/rule-level.ts'
import type { CheckedUnit } from '../../check/checked-unit.ts'
import type { RenderedFolder } from '../../model/manifest.ts'
import type { CheckExceptions } from '../../model/check-exception.ts'
import type { TreeChange } from '../../model/tree-change.ts'
import { CLUSTERS } from '../../model/tree-path.ts'
import { collectTree } from '../compare/collect-tree.ts'
import { compareOpenTrees } from '../compare/compare-open-trees.ts'
import { createFolderDigests, digestOfFiles } from '../compare/folder-digests.ts'
import { createOriginFinder, hasOther } from '../compare/find-origins.ts'
import { type JudgedCluster, type JudgedUnit, keepJudgements } from '../compare/kept-judgements.ts'
import { locateChanges } from '../compare/locate-changes.ts'
import { type BlobHash, hashOf, openRevision, partOfTree } from '../compare/open-tree.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'
import { expandFleet, type OnProgress, type OpenedRun } from '../expand/expand-fleet.ts'
import type { ExpandedFolders } from '../expand/expanded-unit.ts'
import { findReadable } from '../expand/find-readable.ts'
import { unitsOf } from '../expand/checked-units.ts'
import { createDigests } from '../expand/digest-unit.ts'
import type { KeptUnits } from '../expand/reuse-units.ts'
import { replayRun, type Reuse } from '../reuse/replay-run.ts'
import { findExceptions, standingExceptions, withExceptions } from '../fleet/find-exceptions.ts'
import { selectPart } from '../fleet/fleet-part.ts'
import { openFleet } from '../fleet/open-fleet.ts'
import { readCheckInputs } from '../fleet/read-check-inputs.ts'
import type { Network } from '../resolve/open-source.ts'

/** The options of `stackmason check`. */
export interface CheckOptions {
  /** Folder to search from, upwards, for stackmason.yaml. */
  readonly start: string
  /** stackmason.yaml or its folder, instead of searching. */
  readonly fleet?: string
  /** `name` or `namespace/name`; empty = all. */
  readonly clusters: readonly string[]
  /** ClusterStack names, `name` or `namespace/name`; empty = all. */
  readonly stacks: readonly string[]
  /** Revision whose tree the GitOps tool has, instead of the last commit. */
  readonly base?: string | undefined
  /** Reports whether steps of upgrades are applied; absent: committed steps count as applied. */
  readonly awaited?: TreeRevision['awaited'] | undefined
  /** Default: online. */
  readonly network?: Network
  /** Set: what an earlier run said of clusters, and rules of them, is not found out again. */
  readonly reuses?: Reuse
  /** `whole`: what cannot be rendered stops the run, instead of leaving out what it concerns. Default: `sound`. */
  readonly needs?: 'whole' | 'sound'
}

/** The scope and findings of a check. */
export interface CheckResult {
  readonly fleet: string
  /** stackmason.yaml; absolute. */
  readonly file: string
  readonly clusters: number
  readonly objects: number
  /** Milliseconds. */
  readonly duration: number
  /** Those of rendering, too, at the levels that the fleet gives them. */
  readonly findings: readonly Diagnostic[]
  /** Those that were applied, at the levels that the fleet gives them. */
  readonly rules: readonly RuleDescription[]
  /** The exceptions of the fleet, and those that are new against the base. */
  readonly exceptions: CheckExceptions
  /** Set where something could not be rendered: what was not judged. */
  readonly incomplete?: IncompleteCheck
}

/** The part that a check left out. Rules that need the whole fleet, or compare it with the base, were not asked. */
export interface IncompleteCheck {
  /** Clusters that were asked for and not judged. */
  readonly clusters: readonly ObjectName[]
}

/** Sees what a check goes through, and forgets. */
export interface CheckObserver {
  readonly unit: (unit: CheckedUnit, expanded: ExpandedFolders, run: OpenedRun) => void
  /** Gets the difference from the base, where the whole fleet is judged and there is a base. */
  readonly change: (change: TreeChange, labels: { readonly before: string; readonly after: string }) => void
}

/**
 * Renders a fleet into memory and judges it by all rules, unit by unit.
 * @throws StackmasonError with every diagnostic found, where it cannot be rendered
 */
export async function check(
  options: CheckOptions,
  ports: Ports,
  onProgress: OnProgress,
  observer?: CheckObserver,
): Promise<CheckResult> {
  const started = ports.clock.monotonic()
  const { start, fleet, base, network, needs, clusters, stacks, reuses } = options
  // whoever looks at units needs all of them, and a part of a fleet costs a part
  const isReplayed = observer === undefined && options.awaited === undefined && clusters.length + stacks.length === 0
  const result = await replayRun<CheckResult>(
    {
      asked: ['check', start, fleet ?? '', base ?? '', network ?? '', needs ?? ''],
      isOwn: () => false,
      run: (observed, known) => checkNow(options, observed, { onProgress, observer, kept: known?.units }),
      settled: () => [],
      keep: (kept) => (kept.incomplete === undefined ? kept : undefined),
      restore: (kept) => (isResult(kept) ? kept : undefined),
      partly: {
        partsOf: () => Promise.resolve(undefined),
        find: () => undefined,
        run: () => Promise.resolve(undefined),
      },
    },
    isReplayed ? reuses : undefined,
    ports,
  )
  return { ...result, duration: ports.clock.monotonic() - started }
}

function isResult(kept: unknown): kept is CheckResult {
  return typeof kept === 'object' && kept !== null && 'findings' in kept && 'exceptions' in kept
}

interface CheckRun {
  readonly onProgress: OnProgress
  readonly observer: CheckObserver | undefined
  readonly kept: KeptUnits | undefined
}

async function checkNow(
  options: CheckOptions,
  ports: Ports,
  { onProgress, observer, kept }: CheckRun,
): Promise<CheckResult> {
  const started = ports.clock.monotonic()
  const opened = await openFleet(options, ports)
  const { file, repository, findings } = opened
  const { base, network = 'online' } = options
  const wanted = wantedRules(rules, repository.fleet.ruleLevels)
  const checkInputs = await readCheckInputs(repository.fleet, ports)
  const judge = beginCheck(wanted, checkInputs)
  const found: Diagnostic[] = []
  const output = joinPath(repository.fleet.root, repository.fleet.output)
  // first what is asked of all of the commit: what it has below the output folder is then known
  const added = await findExceptions(file, { before: { revision: base ?? 'HEAD' }, after: 'disk' }, ports)
  const before = await openRevision(output, base ?? 'HEAD', ports)
  const after = collectTree({ label: 'render', hash: hashOf(before.files), base: before, ports })
  const isCompared = before.files.size > 0
  const isOther = ({ path }: Pick<RenderedFolder, 'path'>): boolean => hasOther(after.filesOf(path), before.files)
  const ofBase = createFolderDigests(before.files, ports.crypto)
  const origins = createOriginFinder(repository.fleet.root, isOther)
  let objects = 0
  let needed: OpenedRun['needed'] = []
  const judged = new Set<string>()
  const takeJudged = (
    { units, readable, objects: count }: Pick<JudgedCluster, 'units' | 'readable' | 'objects'>,
    unitOrigins: readonly UnitOrigin[],
  ): void => {
    found.push(...readable)
    objects += count
    for (const [index, origin] of unitOrigins.entries()) {
      const judgement = units[index]?.judgement
      if (judgement !== undefined) found.push(...judge.take(judgement, origin))
    }
  }
  const keeping =
    kept &&
    keepJudgements({
      kept,
      basis: digestOfRules(wanted, checkInputs, { hash: hashOf(before.files), crypto: ports.crypto }),
      // what changes is asked for, and explained, by its objects
      base: isCompared
        ? {
            state: `${output} ${await ports.git.stateOf(output, base)}`,
            has: (folders) => [...folders].every(([folder, digest]) => ofBase.of(folder) === digest),
          }
        : undefined,
      takeKnown: (known, of) => {
        for (const folder of known.folders.keys()) after.addKnown(ofBase.filesIn(folder))
        judged.add(known.cluster)
        takeJudged(known, known.units.map(of))
      },
      ports,
    })
  const part = selectPart(repository, options)
  const rendering = expandFleet(
    opened,
    {
      selection: options,
      // without a GitOps tool the tree has no steps, and rendering has no use for a base
      revision: {
        from: 'commit',
        base: repository.fleet.handoff === undefined ? undefined : base,
        awaited: options.awaited,
      },
      network,
      treeOf: file,
      gives: 'sound',
      keeper: keeping?.keeper,
      onProgress,
    },
    {
      ports,
      take: (expanded, run) => {
        needed = run.needed
        for (const folder of expanded.folders) after.add(folder)
        if (isCompared) origins.keep(expanded)
        const hasChanged = isCompared && expanded.folders.some(isOther)
        const units = unitsOf(expanded)
        const judgements = units.map((unit): JudgedUnit => {
          observer?.unit(unit, expanded, run)
          const judgement = judge.judge(unit)
          if (hasChanged) judge.noteChanging(unit)
          return { subject: unit.subject, judgement }
        })
        const own = {
          units: judgements,
          readable: repository.fleet.handoff === undefined ? findReadable(expanded) : [],
          objects: units.flatMap(({ folders }) => folders).reduce((sum, { manifests }) => sum + manifests.length, 0),
        }
        takeJudged(own, units.map(keeping?.originOf ?? originOf))
        if (expanded.unit === undefined) return
        const cluster = objectPath(expanded.unit.cluster)
        judged.add(cluster)
        const digests = expanded.folders.map(
          ({ path }) => [path, digestOfFiles(after.filesOf(path), ports.crypto)] as const,
        )
        keeping?.note({ ...own, cluster, folders: new Map(digests) })
      },
    },
  )
  const problems = await problemsOf(rendering)
  found.push(...judge.between())
  // what cannot be judged in part is told as it is
  if (problems !== undefined && (judged.size === 0 || options.needs === 'whole')) throw problems
  if (problems !== undefined) found.unshift(...problems.diagnostics)
  else {
    if (part.isWhole) found.push(...judge.end())
    // without a commit everything is new
    if (isCompared) {
      const folders = part.folders(needed)
      const trees = [partOfTree(before, folders), partOfTree(after.tree, folders)] as const
      const change = await compareOpenTrees(...trees, repository.fleet.variableRenames)
      observer?.change(withExceptions(change, added), { before: before.label, after: after.tree.label })
      const inputs = joinPath(repository.fleet.root, CLUSTERS)
      found.push(
        ...(await locateChanges(judge.change(change, output), { origins, tree: after.tree, before, output, inputs })),
      )
    }
  }
  keeping?.settle()
  await findings.of(Promise.resolve({ findings: found }))
  const left = part.clusters.filter((cluster) => !judged.has(objectPath(cluster)))
  const isChecked = part.isWhole && problems === undefined
  return {
    fleet: repository.fleet.name,
    file,
    clusters: part.clusters.length - (problems === undefined ? 0 : left.length),
    objects,
    duration: ports.clock.monotonic() - started,
    findings: worstFirst(setLevels(findings.all(isChecked ? 'checked' : 'part'), repository.fleet.ruleLevels)),
    rules: appliedRules(repository.fleet.ruleLevels),
    exceptions: { ...standingExceptions(repository.fleet.ruleLevels), added },
    ...(problems !== undefined && { incomplete: { clusters: left.map(nameOf) } }),
  }
}

/** The digest of all that judgements depend on besides what is rendered, and the program. */
function digestOfRules(
  wanted: readonly Rule[],
  { managementMinor, definitions, withoutDefinitions, tool, renames, policies = [] }: CheckInputs,
  { hash, crypto }: { readonly hash: BlobHash; readonly crypto: Crypto },
): string {
  const codes = wanted.map(({ code }) => code)
  const given = policies.map(({ object, servers }) => ({ object, servers }))
  return createDigests(crypto).of([hash, codes, managementMinor, definitions, withoutDefinitions, tool, renames, given])
}

/** Why a rendering has stopped; undefined where it has not. */
async function problemsOf(rendering: Promise<unknown>): Promise<StackmasonError | undefined> {
  try {
    await rendering
    return undefined
  } catch (error) {
    if (error instanceof StackmasonError) return error
    throw error
  }
}

function nameOf({ namespace, name }: ObjectName): ObjectName {
  return { namespace, name }
}

const severities: readonly Diagnostic['severity'][] = ['error', 'warning', 'note']

/** Errors first, and of each level first what is new against the base. */
function worstFirst(findings: readonly Diagnostic[]): readonly Diagnostic[] {
  const marked = findings.map((finding) =>
    comparingCodes.has(finding.code) ? { ...finding, isNew: true as const } : finding,
  )
  const rankOf = ({ severity, isNew }: Diagnostic): number =>
    2 * severities.indexOf(severity) + (isNew === true ? 0 : 1)
  return marked.toSorted((one, other) => rankOf(one) - rankOf(other))
}

/** A rule, as lists and explanations show it. */
export interface RuleDescription {
  readonly code: Code
  readonly severity: Diagnostic['severity']
  /** True if it is off until the fleet gives it a level. */
  readonly isOptIn?: true
  /** One sentence each. */
  readonly summary: string
  readonly advice: string
  /** Paragraphs. */
  readonly explanation: readonly string[]
}

/** All rules in their order, then those of rendering. */
export function describeRules(): readonly RuleDescription[] {
  return [...rules, ...renderRules].map(({ code, severity, isOptIn, explanation }) => {
    const { summary, fix } = errorCodes[code]
    return { code, severity, ...(isOptIn === true && { isOptIn }), summary, advice: fix, explanation }
  })
}

function appliedRules(levels: RuleLevels): readonly RuleDescription[] {
  return describeRules().flatMap((rule) => {
    const severity = levels.get(rule.code) ?? (rule.isOptIn === true ? 'off' : rule.severity)
    return severity === 'off' ? [] : [{ ...rule, severity }]
  })
}
