import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import { errorCodes } from '../../model/error-codes.ts'
import { environmentCodes } from '../../model/environment-codes.ts'
import type { ClusterStack, FleetRepository, SourceConfig } from '../../model/fleet.ts'
import type { Lock } from '../../model/lock.ts'
import { compareVersions, formatTag, parseReleaseTag } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import {
  nothingOffered,
  selectReleases,
  type NeededRelease,
  type ReleaseSelection,
} from '../../render/stack/select-releases.ts'
import type { SourceContext } from '../../sources/source-context.ts'
import type { Catalogue } from '../resolve/catalogue.ts'
import { diagnosticsOf, distinct } from '../diagnostics.ts'
import type { FetchedRelease } from '../resolve/fetch-release.ts'
import { fetchOrKeep } from './fetch-or-keep.ts'
import { tryClass } from './try-class.ts'
import { belongsTo, offeredFor, severalSources, sourceFor, sourcesOf, stackKey } from '../resolve/stack-sources.ts'

/** A release that a source offers and a ClusterStack does not take, and why. */
export interface NotTaken {
  /** `namespace/name` of the ClusterStack. */
  readonly stack: string
  readonly release: string
  /** One phrase. */
  readonly reason: string
}

/** A release as its source has it now. */
export interface ChosenRelease {
  readonly config: SourceConfig
  readonly fetched: FetchedRelease
}

/** Which releases a fleet wants now. */
export interface ChosenReleases {
  readonly selection: ReleaseSelection
  /**
   * Reads a needed release from its source, once. @throws StackmasonError as `fetchOrKeep`, RELEASE_NOT_FOUND,
   * CONFIG_CONFLICT
   */
  readonly read: (needed: NeededRelease) => Promise<ChosenRelease>
  readonly notTaken: readonly NotTaken[]
  /** Tags of what is newer than what subscriptions were kept at, the newest of each ClusterStack first. */
  readonly newer: readonly string[]
  readonly findings: readonly Diagnostic[]
}

/** The inputs of choosing releases. */
export interface Choice {
  readonly repository: FleetRepository
  readonly lock: Lock
  /** The ClusterStacks whose releases move; the others keep what the lock gives them. */
  readonly moving: ReadonlySet<ClusterStack>
  /** Tags that alone may move; all when empty. */
  readonly only: ReadonlySet<string>
  /** `keep`: ClusterStacks that the lock has a release for do not move to a newer one. */
  readonly subscriptions: 'follow' | 'keep'
  readonly catalogue: Catalogue
  readonly context: SourceContext
}

/**
 * Chooses the releases of a fleet: each ClusterStack's versions, the newest stable one that can be read, and whose
 * class can be rendered, where it subscribes, and those that clusters use.
 * @throws StackmasonError what listing a source raises, where a choice depends on it
 */
export async function chooseReleases(choice: Choice): Promise<ChosenReleases> {
  const { repository, lock, moving, catalogue, context } = choice
  const { fleet, clusterStacks, clusters } = repository
  const findings: Diagnostic[] = []
  const notTaken: NotTaken[] = []
  await listAll(choice)
  for (const clusterStack of moving) findings.push(...(await listSources(clusterStack, choice)))
  const offers = catalogue.offers()
  const fetched = new Map<string, Promise<ChosenRelease>>()
  const read = (needed: NeededRelease): Promise<ChosenRelease> => {
    const tag = formatTag(needed.name)
    const found = fetched.get(tag) ?? fetchChosen(needed)
    fetched.set(tag, found)
    return found
  }
  const fetchChosen = async (needed: NeededRelease): Promise<ChosenRelease> => {
    const config = (await unlistedSource(needed, choice)) ?? sourceFor(needed, fleet, offers)
    const tag = formatTag(needed.name)
    const known = lock.releases.find(({ name, source }) => name === tag && source === config.name)
    const wanted = { name: needed.name, known, isAsked: choice.only.has(tag) }
    const release = await fetchOrKeep(await catalogue.open(config), wanted, context)
    if (release === undefined) throw vanished(needed, config)
    return { config, fetched: release }
  }
  const broken = new Set<string>()
  const newer = new Set<string>()
  for (const clusterStack of moving) {
    if (!clusterStack.autoSubscribe || choice.only.size > 0) continue
    const kept = keptAt(clusterStack, choice)
    if (kept !== undefined) {
      const isNewer = ({ version }: ReleaseName): boolean => compareVersions(version, kept) > 0
      const found = offeredFor(clusterStack, fleet, offers).filter(isStable).filter(isNewer)
      for (const name of found.toSorted((a, b) => compareVersions(b.version, a.version))) newer.add(formatTag(name))
      continue
    }
    const stable = offeredFor(clusterStack, fleet, offers)
      .filter(isStable)
      .toSorted((a, b) => compareVersions(b.version, a.version))
    const refused: NotTaken[] = []
    for (const name of stable) {
      const problems = await problemsOf(async () => {
        const { fetched: found } = await read({
          namespace: clusterStack.namespace,
          name,
          clusterStack,
          at: clusterStack.at,
        })
        tryClass(found.release, clusterStack.namespace, { fleet, ports: context.ports })
      })
      if (problems.length === 0) break
      const reason = `it cannot be used: ${problems.map(({ message }) => message).join('; ')}`
      refused.push({ stack: stackKey(clusterStack), release: formatTag(name), reason })
    }
    // where none can be used the newest is chosen all the same: reading it says what is wrong
    if (refused.length === stable.length) continue
    notTaken.push(...refused)
    for (const { release } of refused) broken.add(release)
  }
  const follows = (clusterStack: ClusterStack): boolean => moving.has(clusterStack) && choice.only.size === 0
  const offered = (clusterStack: ClusterStack): readonly ReleaseName[] =>
    follows(clusterStack)
      ? offeredFor(clusterStack, fleet, offers).filter((name) => {
          const tag = formatTag(name)
          return !broken.has(tag) && !newer.has(tag)
        })
      : lockedFor(clusterStack, lock)
  const selected = selectReleases(clusterStacks, clusters, offered)
  const selection = {
    ...selected,
    needed: [...selected.needed, ...askedFor(selected, choice)],
    // what others lack is for the run that moves them
    problems: [...selected.problems, ...selected.unserved.filter(follows).map(nothingOffered)],
  }
  // clusters that use one decide for themselves
  const isNeeded = new Set(selection.needed.map(({ name }) => formatTag(name)))
  for (const clusterStack of moving) notTaken.push(...skippedReleases(clusterStack, selection, choice))
  return { selection, read, notTaken, newer: [...newer].filter((tag) => !isNeeded.has(tag)), findings }
}

function isStable({ version }: ReleaseName): boolean {
  return version.channel === 'stable'
}

/** The newest release that the lock has for a ClusterStack that stays at it. */
function keptAt(clusterStack: ClusterStack, { subscriptions, lock }: Choice): ReleaseName['version'] | undefined {
  if (subscriptions === 'follow') return undefined
  const [newest] = lockedFor(clusterStack, lock)
    .filter(isStable)
    .toSorted((a, b) => compareVersions(b.version, a.version))
  return newest?.version
}

/** Releases asked for by tag, for ClusterStacks that subscribe; one that pins its versions takes them from there. */
function askedFor({ needed }: ReleaseSelection, { moving, only }: Choice): readonly NeededRelease[] {
  return [...moving].flatMap((clusterStack) => {
    const { namespace, at } = clusterStack
    const known = new Set(
      needed.filter((release) => release.clusterStack === clusterStack).map(({ name }) => formatTag(name)),
    )
    return [...only]
      .filter((tag) => clusterStack.autoSubscribe && !known.has(tag))
      .map((tag) => parseReleaseTag(tag))
      .filter((name) => belongsTo(name, clusterStack))
      .map((name) => ({ namespace, name, clusterStack, at }))
  })
}

/**
 * Lists all sources that the choice depends on at once, so that one that does not answer holds up no other; says the
 * problems of all.
 */
async function listAll({ moving, repository, lock, catalogue }: Choice): Promise<void> {
  const configs = [...new Set([...moving].flatMap((clusterStack) => sourcesOf(repository.fleet, clusterStack)))]
  const listed = await Promise.allSettled(configs.map((config) => catalogue.list(config)))
  const failed = configs.filter((_, index) => listed[index]?.status === 'rejected')
  const problems = listed.flatMap((end) => (end.status === 'rejected' ? diagnosticsOf(end.reason) : []))
  if (problems.length === 0) return
  const isStuck = (stack: ClusterStack): boolean =>
    sourcesOf(repository.fleet, stack).some((own) => failed.includes(own))
  // a ClusterStack that the lock has nothing for cannot wait
  const canWait = [...moving].filter(isStuck).every((stack) => lockedFor(stack, lock).length > 0)
  const movable = canWait ? [...moving].filter((stack) => !isStuck(stack)) : []
  throw new StackmasonError(distinct(problems.map((problem) => withMovable(problem, movable))))
}

/** Stacks that a command names. */
const MOST_NAMED = 5

/** The next step also says how to move what other sources have, meanwhile. */
function withMovable(problem: Diagnostic, movable: readonly ClusterStack[]): Diagnostic {
  if (movable.length === 0) return problem
  const names = movable.length > MOST_NAMED ? ['NAMESPACE/NAME'] : movable.map(stackKey)
  const command = ['stackmason update', ...names.map((name) => `--stack ${name}`)].join(' ')
  const { hint = errorCodes[problem.code].fix } = problem
  return { ...problem, hint: `${hint} Meanwhile \`${command}\` moves what other sources offer.` }
}

/** Lists the sources of a ClusterStack. One that cannot be listed is an error only if the choice depends on it. */
async function listSources(clusterStack: ClusterStack, choice: Choice): Promise<readonly Diagnostic[]> {
  const findings: Diagnostic[] = []
  for (const config of sourcesOf(choice.repository.fleet, clusterStack)) {
    findings.push(...(await choice.catalogue.list(config)).findings)
  }
  return findings
}

/**
 * A web server without an index lists nothing; whether it has a release must be asked: that of the locked one always,
 * so that it stays there, others only where no listing has it. Undefined when a listing has it, or no such server does.
 * @throws StackmasonError CONFIG_CONFLICT when several have it and none is that of the locked one
 */
async function unlistedSource(
  needed: NeededRelease,
  { repository, lock, catalogue }: Choice,
): Promise<SourceConfig | undefined> {
  const tag = formatTag(needed.name)
  const candidates = sourcesOf(repository.fleet, needed.clusterStack)
  const offers = catalogue.offers()
  const lists = (config: SourceConfig): boolean =>
    offers.get(config)?.some((offered) => formatTag(offered) === tag) === true
  const isLocked = ({ name }: SourceConfig): boolean =>
    lock.releases.some((locked) => locked.name === tag && locked.source === name)
  const isListed = candidates.some(lists)
  const having: SourceConfig[] = []
  for (const config of candidates.toSorted((a, b) => Number(isLocked(b)) - Number(isLocked(a)))) {
    if (config.type !== 'http' || lists(config) || (isListed && !isLocked(config))) continue
    const { source } = await catalogue.open(config)
    if ((await source.locate(needed.name)) === undefined) continue
    if (isLocked(config)) return config
    having.push(config)
  }
  if (having.length > 1) throw severalSources(needed, having)
  return having[0]
}

function lockedFor(clusterStack: ClusterStack, { releases }: Lock): readonly ReleaseName[] {
  return releases
    .filter(({ stacks }) => stacks.includes(stackKey(clusterStack)))
    .map(({ name }) => parseReleaseTag(name))
    .filter((name) => belongsTo(name, clusterStack))
}

/** The releases newer than what a ClusterStack takes, each with its reason. */
function skippedReleases(
  clusterStack: ClusterStack,
  { needed }: ReleaseSelection,
  { repository, catalogue }: Choice,
): readonly NotTaken[] {
  const { fleet } = repository
  const stack = stackKey(clusterStack)
  const taken = needed.filter((release) => release.clusterStack === clusterStack).map(({ name }) => name)
  const takenTags = new Set(taken.map(formatTag))
  const newest = Math.max(-1, ...taken.map(({ version }) => (version.channel === 'stable' ? version.major : -1)))
  const offered = offeredFor(clusterStack, fleet, catalogue.offers()).filter((name) => !takenTags.has(formatTag(name)))
  const newer = offered.filter(({ version }) => version.channel === 'stable' && version.major > newest)
  const unordered = offered.filter(({ version }) => version.channel !== 'stable')
  const result: NotTaken[] = []
  if (!clusterStack.autoSubscribe) {
    for (const name of newer) {
      result.push({
        stack,
        release: formatTag(name),
        reason: 'the ClusterStack pins its versions: add this one to spec.versions',
      })
    }
  }
  if (clusterStack.channel === 'custom') {
    for (const name of unordered) {
      const reason = 'versions off the stable channel have no order: pin it in spec.versions to use it'
      result.push({ stack, release: formatTag(name), reason })
    }
  }
  return result
}

async function problemsOf(run: () => Promise<unknown>): Promise<readonly Diagnostic[]> {
  try {
    await run()
    return []
  } catch (error) {
    const problems = diagnosticsOf(error)
    // a server that is down must not decide what clusters run
    if (problems.some(({ code }) => environmentCodes.has(code))) throw error
    return problems
  }
}

function vanished({ name, at }: NeededRelease, config: SourceConfig): StackmasonError {
  return new StackmasonError({
    code: 'RELEASE_NOT_FOUND',
    severity: 'error',
    message: `source "${config.name}" lists release ${formatTag(name)}, but does not have it`,
    at,
    hint: 'It may have been removed just now: run again.',
  })
}
