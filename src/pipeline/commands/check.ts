import { joinPath } from '../../codec/path.ts'
import { comparingCodes, renderRules } from '../../check/render-rules.ts'
import { rules } from '../../check/rules.ts'
import { setLevels, wantedRules } from '../../check/set-levels.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { type Code, errorCodes } from '../../model/error-codes.ts'
import { type ObjectName, objectPath } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import type { RuleLevels } from '../../model/rule-level.ts'
import type { CheckExceptions } from '../../model/check-exception.ts'
import { clusterTree, HANDOFF, STACKS } from '../../model/tree-path.ts'
import { checkedAfter, checkedRest, findChecked, partsOfCheck, saidByAll } from '../checking/checked-parts.ts'
import { type CheckObserver, judgeFleet, type JudgeRun } from '../checking/judge-fleet.ts'
import { followMove } from '../compare/moved-tree.ts'
import { hashOf, openRevision } from '../compare/open-tree.ts'
import { findHalfCommitted } from '../../sources/committed/half-committed.ts'
import { findIgnored } from '../../sources/committed/ignored-sources.ts'
import { findUncommittedInputs } from '../../sources/committed/uncommitted-inputs.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'
import type { OnProgress } from '../expand/expand-fleet.ts'
import type { KeptUnits } from '../expand/reuse-units.ts'
import { type Parts, treesOf } from '../reuse/cluster-parts.ts'
import { type EarlierRun, type PartChoice, replayRun, type Reuse } from '../reuse/replay-run.ts'
import { toldAgain } from '../reuse/rest-of-run.ts'
import { findExceptions, readDeclarations, standingExceptions, withExceptions } from '../fleet/find-exceptions.ts'
import { selectPart } from '../fleet/fleet-part.ts'
import { type OpenFleet, openFleet } from '../fleet/open-fleet.ts'
import { readCheckInputs } from '../fleet/read-check-inputs.ts'
import { judgeOwnTemplates } from '../publishing/own-templates.ts'
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
  const { result } = await replayRun<CheckedRun>(
    {
      asked: ['check', start, fleet ?? '', base ?? '', network ?? '', needs ?? ''],
      isOwn: () => false,
      run: (observed, known) => checkNow(options, observed, { onProgress, observer, kept: known?.units }),
      settled: () => [],
      keep: ({ result: kept }) => (kept.incomplete === undefined ? kept : undefined),
      restore: (kept) => (isResult(kept) ? { result: kept } : undefined),
      partly: {
        partsOf: ({ partsOf }) => Promise.resolve(partsOf?.()),
        find: findChecked,
        run: (choice, earlier) => checkFew(options, { choice, earlier, onProgress }),
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

/** A check, and what later ones of some clusters must know of it. */
interface CheckedRun {
  readonly result: CheckResult
  readonly partsOf?: () => Parts | undefined
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
): Promise<CheckedRun> {
  const started = ports.clock.monotonic()
  const opened = await openFleet(options, ports)
  const { file, repository } = opened
  const { fleet } = repository
  const { base } = options
  await noteAround(opened, ports)
  // first what is asked of all of the commit: what it has below the output folder is then known
  const { added, declared } = await findExceptions(file, { before: { revision: base ?? 'HEAD' }, after: 'disk' }, ports)
  const revision = base ?? 'HEAD'
  const found = await openRevision(joinPath(fleet.root, fleet.output), revision, ports)
  const old = await followMove(found, { fleet, file, revision }, ports)
  const before = { tree: old, isCompared: old.files.size > 0, hash: hashOf(old.files), others: [] }
  const judged = await judgeFleet(
    {
      ...(await judging(opened, options, ports)),
      selection: options,
      before,
      kept,
      shares: kept !== undefined,
      rest: undefined,
      needs: options.needs ?? 'sound',
      observer: observer && {
        ...observer,
        change: (change, labels) => {
          observer.change(withExceptions(change, added), labels)
        },
      },
      onProgress,
    },
    ports,
  )
  const part = selectPart(repository, options)
  const left = part.clusters.filter((cluster) => !judged.clusters.has(objectPath(cluster)))
  const isSound = judged.problems === undefined
  const told = await findingsOf(opened, judged.findings, part.isWhole && isSound ? 'checked' : 'part')
  const result: CheckResult = {
    fleet: fleet.name,
    file,
    clusters: part.clusters.length - (isSound ? 0 : left.length),
    objects: judged.objects,
    duration: ports.clock.monotonic() - started,
    findings: told.findings,
    rules: appliedRules(fleet.ruleLevels),
    exceptions: { ...standingExceptions(fleet.ruleLevels), added },
    ...(!isSound && { incomplete: { clusters: left.map(nameOf) } }),
  }
  const compared = { files: old.files, isCompared: before.isCompared, hash: before.hash }
  return {
    result,
    // what is hidden counts where findings are counted, and for acknowledgements
    partsOf: () =>
      // of a tree that has moved a check of some clusters finds nothing
      told.isHiding || old !== found
        ? undefined
        : partsOfCheck({ repository, judged, declared, before: compared, crypto: ports.crypto }),
  }
}

/** Finds what lies here alone, and in no commit; and what is wrong with files that only publishing reads. */
async function noteAround({ repository, findings }: OpenFleet, ports: Ports): Promise<void> {
  const { fleet } = repository
  await findings.of(findIgnored(repository, ports))
  await findings.of(judgeOwnTemplates(fleet, ports))
  if (fleet.handoff === undefined) return
  await findings.of(findHalfCommitted({ repository, severity: 'warning' }, ports))
  await findings.of(findUncommittedInputs({ repository, severity: 'warning' }, ports))
}

type Judging = 'fleet' | 'rules' | 'inputs' | 'base' | 'awaited' | 'network'

/** What a fleet is judged by. */
async function judging(
  fleet: OpenFleet,
  { base, awaited, network = 'online' }: CheckOptions,
  ports: Ports,
): Promise<Pick<JudgeRun, Judging>> {
  const { repository } = fleet
  const wanted = wantedRules(rules, repository.fleet.ruleLevels)
  return { fleet, rules: wanted, inputs: await readCheckInputs(repository.fleet, ports), base, awaited, network }
}

/** What was found, with what was found before; and whether levels hide more. */
async function findingsOf(
  { repository, findings }: OpenFleet,
  found: readonly Diagnostic[],
  looked: 'checked' | 'part',
): Promise<{ readonly findings: readonly Diagnostic[]; readonly isHiding: boolean }> {
  await findings.of(Promise.resolve({ findings: found }))
  const all = findings.all(looked)
  const shown = setLevels(all, repository.fleet.ruleLevels)
  return { findings: worstFirst(shown), isHiding: shown.length < all.length }
}

/** A check of some clusters where the rest of the fleet is as it was. */
interface FewRun {
  readonly choice: PartChoice
  readonly earlier: EarlierRun<CheckedRun>
  readonly onProgress: OnProgress
}

/** Checks some clusters; undefined where all of the fleet has to be looked at. */
async function checkFew(options: CheckOptions, run: FewRun): Promise<CheckedRun | undefined> {
  try {
    return await checkFewNow(options, run)
  } catch (error) {
    // a run of all tells it, with what else is wrong
    if (error instanceof StackmasonError) return undefined
    throw error
  }
}

async function checkFewNow(
  options: CheckOptions,
  { choice: { names }, earlier, onProgress }: FewRun,
): Promise<CheckedRun | undefined> {
  const { ports, parts } = earlier
  const rest = checkedRest(parts)
  const opened = await openFleet(options, ports, { clusters: names })
  const { fleet, clusters } = opened.repository
  await noteAround(opened, ports)
  if (rest === undefined || clusters.length !== names.length) return undefined
  const { hash, isCompared, output } = rest
  const own = names.flatMap(treesOf).map((folder) => `${folder}/`)
  const isOwn = (path: string): boolean => own.some((folder) => path.startsWith(folder))
  const tree = await openRevision(output, options.base ?? 'HEAD', ports, {
    // what clusters have to do with stacks, and with the objects above their units, is compared with these
    within: isCompared ? [STACKS, HANDOFF, ...clusters.map(clusterTree)] : [],
    // as they are in the commit, but for their own
    known: new Map(rest.definitions.filter(([path]) => !isOwn(path))),
  })
  // the order of definitions counts: of two of one kind the first
  const others = [...rest.definitions.map(([path]) => path), ...[...tree.files.keys()].filter((path) => !isOwn(path))]
  // one that is new is compared with those that are like it
  const areCommitted = clusters.every((cluster) => {
    const folder = `${clusterTree(cluster)}/`
    return [...tree.files.keys()].some((path) => path.startsWith(folder))
  })
  if (isCompared && !areCommitted) return undefined
  const judged = await judgeFleet(
    {
      ...(await judging(opened, options, ports)),
      selection: { clusters: names, stacks: [] },
      before: { tree, isCompared, hash, others },
      kept: undefined,
      shares: true,
      rest: {
        imagesFrom: new Map(rest.imagesFrom),
        said: new Map(rest.said.filter(([, cluster]) => !names.includes(cluster))),
      },
      needs: 'whole',
      observer: undefined,
      onProgress,
    },
    ports,
  )
  const after = checkedAfter(parts, names, {
    judged,
    declared: await readDeclarations(fleet.root, clusters, ports),
    before: { files: tree.files, isCompared, hash },
    crypto: ports.crypto,
  })
  const { result } = earlier.result
  const now = await findingsOf(opened, judged.findings, 'part')
  const findings = toldAgain(names, now.findings, result.findings, saidByAll(parts, names, judged))
  if (after === undefined || findings === undefined || now.isHiding) return undefined
  return { result: { ...result, objects: result.objects + after.objects, findings }, partsOf: () => after.parts }
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
