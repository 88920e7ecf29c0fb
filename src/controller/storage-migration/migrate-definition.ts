import type { Clock, Crypto, Random } from '../../model/ports.ts'
import type { ApiServer } from '../../kube/api-server.ts'
import { readSurely } from '../../kube/read-object.ts'
import { type BackoffTimes, backoffAfter } from '../queue/backoff.ts'
import { type Definition, definitions, isPruned, readDefinition, resourceOf, spokenVersion } from './definition.ts'
import type { MigrationReason, MigrationState } from './migration-state.ts'
import type { Pace } from './pace.ts'
import { pruneStoredVersions } from './prune.ts'
import { possibleVersions } from './possible-versions.ts'
import { removableVersions } from './removable-versions.ts'
import { FIELD_MANAGER } from './rewrite-object.ts'
import { hasSettled } from './settle.ts'
import { Sweep, type SweepMode, type SweepProgress } from './sweep.ts'

/** How a migration takes its time, in milliseconds, and its steps. */
export interface MigrationOptions {
  /**
   * A definition must not have changed for so long: API servers learn of a change one by one, and writes that have
   * begun before are stored in the old version. Kubernetes ends a write, its webhooks included, after 34 seconds.
   */
  readonly settle: number
  /** How long one object is worked on before others have their turn, and progress is stated. */
  readonly slice: number
  /** After a migration in which objects failed. */
  readonly retry: BackoffTimes
  /** Before the server is asked again after trouble. */
  readonly pause: number
  /** Objects that are listed at once. */
  readonly page: number
}

/** The memory of a definition between passes: it may be lost at any time. */
export interface MigrationMemory {
  /** Since when the definition has been seen like this. */
  seen?: { readonly uid: string; readonly generation: number; readonly at: number; isSettled: boolean }
  sweep?: { readonly sweep: Sweep; readonly of: Definition; readonly mode: SweepMode }
  failures?: number
  /** Not before then, unless the definition changes, or what is asked for. */
  retryAt?: { readonly at: number; readonly generation: number; readonly isPreflight: boolean }
}

/** The tools of a definition's migration. */
export interface MigrationTools {
  /** Of the cluster that it is in. */
  readonly api: ApiServer
  readonly clock: Clock
  readonly random: Random
  readonly crypto: Pick<Crypto, 'hash'>
  readonly options: MigrationOptions
  readonly pace: Pace
  readonly isPreflight: boolean
  /** A definition with another storage version is left alone until it has this one. */
  readonly wantedVersion: string | undefined
  readonly isEnough: () => boolean
}

/** How far a definition is after a pass, and when it wants to be looked at again. */
export interface MigrationStep {
  readonly state: MigrationState
  /** Milliseconds; undefined: only when something changes. */
  readonly again?: number
}

/** Milliseconds until something is looked at again. */
const again = {
  /** There is more to do. */
  more: 1,
  /** The definition has changed. */
  changed: 1000,
  /** API servers that have not learned of the storage version. */
  settling: 5000,
  /** Somebody else has to do something. */
  obstacle: 60_000,
} as const

/**
 * Migrates a definition for a while. Its storedVersions are pruned only after one whole sweep of this process without
 * a failure, over the definition as it then still is.
 * @throws ApiError, HttpError, LeaseLostError
 */
export async function migrateDefinition(
  name: string,
  { memory, before: stated }: { readonly memory: MigrationMemory; readonly before: MigrationState | undefined },
  { tools, signal }: { readonly tools: MigrationTools; readonly signal: AbortSignal },
): Promise<MigrationStep> {
  const { api, clock, isPreflight } = tools
  const object = await readSurely(api, { resource: definitions, key: { namespace: '', name } }, signal)
  if (object === undefined) {
    forgetAll(memory)
    const message = 'the definition does not exist; its objects are migrated once it does'
    return { state: { name, migrated: false, reason: 'DefinitionNotFound', message }, again: again.obstacle }
  }
  const definition = readDefinition(object)
  const { uid, generation, storageVersion, obstacle } = definition
  const isElsewhere = stated !== undefined && isOfAnotherTime(stated, definition)
  const before = isElsewhere ? undefined : stated
  if (memory.seen?.uid !== uid || memory.seen.generation !== generation || isElsewhere) {
    forgetAll(memory)
    memory.seen = { uid, generation, at: clock.monotonic(), isSettled: false }
  }
  const possible = possibleVersions(definition, before)
  const of = { uid, generation, storageVersion, possibleVersions: possible }
  const state = (reason: MigrationReason, message: string): MigrationState => ({
    name,
    migrated: false,
    reason,
    message,
    definition: of,
  })
  const { wantedVersion = storageVersion } = tools
  if (wantedVersion !== storageVersion) {
    delete memory.sweep
    const message = `its storage version is ${storageVersion}: waits until it is ${wantedVersion}`
    return { state: state('WaitingForStorageVersion', message), again: again.obstacle }
  }
  const known = isOf(before, definition) ? before : undefined
  if (known !== undefined && isFinished(known, definition, isPreflight)) return { state: known }
  const spoken = spokenVersion(definition)
  if (obstacle !== undefined || spoken === undefined) {
    const { reason, message, migrator } = obstacle ?? { reason: 'NoServedVersion', message: 'no version is served' }
    delete memory.sweep
    // the server's own says nothing before it has come to its end
    if (migrator === 'ClusterAPI' && isPruned(definition)) {
      return {
        state: { ...state('Succeeded', message), migrated: true, migrator },
        again: again.obstacle,
      }
    }
    return { state: { ...state(reason, message), ...(migrator !== undefined && { migrator }) }, again: again.obstacle }
  }
  if (memory.retryAt?.generation !== generation || memory.retryAt.isPreflight !== isPreflight) delete memory.retryAt
  const waiting = (memory.retryAt?.at ?? -Infinity) - clock.monotonic()
  if (waiting > 0 && known !== undefined) return { state: known, again: waiting }
  // others may have shortened storedVersions: what counts is what a walk of ours has seen
  const mode = isPreflight ? 'preflight' : possible.length === 1 ? 'fields' : 'rewrite'
  if (mode === 'rewrite') {
    const left = await settlingTime(definition, spoken.name, { memory: memory.seen, tools, signal })
    if (left > 0) {
      const message = 'waits until all API servers must have learned of the storage version'
      return { state: { ...state('Settling', message), ...sinceOf(known) }, again: left }
    }
  }
  if (memory.sweep?.mode !== mode) delete memory.sweep
  const current = (memory.sweep ??= {
    of: definition,
    mode,
    sweep: new Sweep({
      ...tools,
      mode,
      resource: resourceOf(definition, spoken.name),
      hasStatus: spoken.hasStatus,
      isDryRun: isPreflight,
      otherVersions: definition.versions.flatMap(({ name: other, isServed }) =>
        isServed && other !== spoken.name ? [other] : [],
      ),
      storageVersion,
      served: {
        group: definition.group,
        served: new Set(definition.versions.flatMap((version) => (version.isServed ? [version.name] : []))),
        spoken: spoken.name,
        manager: FIELD_MANAGER,
      },
      since: (known?.definitionVersion === definition.resourceVersion ? known.since : undefined) ?? '',
      pause: tools.options.pause,
      page: tools.options.page,
    }),
  })
  const { sweep } = current
  let progress: SweepProgress
  try {
    progress = await sweep.run({ api, isEnough: tools.isEnough, signal })
  } catch (error) {
    // an object may have been left out
    delete memory.sweep
    throw error
  }
  const { fieldOwners, ...counts } = sweep.counts
  const found: Pick<MigrationState, 'definition' | 'migrator' | 'since' | 'definitionVersion' | 'counts'> = {
    definition: of,
    migrator: 'Stackmason',
    ...(mode === 'rewrite' &&
      sweep.since !== '' && { since: sweep.since, definitionVersion: current.of.resourceVersion }),
    counts,
  }
  if (progress === 'more') {
    return { state: { ...state('Progressing', progressMessage(counts, mode)), ...found }, again: again.more }
  }
  delete memory.sweep
  if (progress === 'gone' || progress === 'expired') {
    const message = progress === 'gone' ? 'the server no longer lists its objects' : 'the list is begun anew'
    return { state: { ...state('Progressing', message), ...sinceOf(found) }, again: again.changed }
  }
  const versions = removableVersions(definition, { fieldOwners, possible })
  const [failure] = counts.failures
  if (progress === 'broken' || counts.failed > 0) {
    // with it go its objects, and nothing that was refused then says anything
    const now = await readSurely(api, { resource: definitions, key: { namespace: '', name } }, signal)
    if (now?.uid !== uid) return { state: startsOver(memory, state), again: again.changed }
    const pause = pauseAfter(memory, { tools, generation })
    const end = progress === 'broken' ? ', and the rest has not been tried' : ''
    const what = isPreflight ? 'would be refused' : 'could not be rewritten'
    const first = failure === undefined ? '' : `: ${failedName(failure)}: ${failure.message}`
    const message = `${countOf(counts.failed)} ${what}${end}${first}`
    const reason = isPreflight ? 'PreflightRefused' : (failure?.reason ?? 'ServerError')
    return { state: { ...state(reason, message), ...found, ...(isPreflight && { versions }) }, again: pause }
  }
  if (isPreflight) {
    delete memory.failures
    const message = `${countOf(counts.alreadyCurrent + counts.rewritten)}, none of which would be refused`
    return { state: { ...state('PreflightPassed', message), ...found, versions } }
  }
  if (mode === 'rewrite') {
    const outcome = await pruneStoredVersions(current.of, api, signal)
    if (typeof outcome === 'object') {
      const pause = pauseAfter(memory, { tools, generation })
      const migrated = countOf(counts.rewritten + counts.alreadyCurrent)
      const message = `${migrated} migrated, but storedVersions stays as it is: ${outcome.message}`
      return { state: { ...state(outcome.reason, message), ...found }, again: pause }
    }
    if (outcome !== 'pruned') {
      return { state: startsOver(memory, state), again: again.changed }
    }
  }
  delete memory.failures
  const pruned = { ...definition, storedVersions: [storageVersion], isDoubtful: false }
  const message =
    mode === 'fields'
      ? `no object can be stored in another version than ${storageVersion}; ${fieldsMessage(counts)}`
      : `${countOf(counts.rewritten)} rewritten, ${String(counts.alreadyCurrent)} already in ${storageVersion}`
  return {
    state: {
      ...state('Succeeded', message),
      ...found,
      definition: { ...of, possibleVersions: [storageVersion] },
      migrated: true,
      versions: removableVersions(pruned, { fieldOwners, possible: [] }),
    },
  }
}

/** Forgets what was seen of a definition that is another one now. */
function startsOver(
  memory: MigrationMemory,
  state: (reason: MigrationReason, message: string) => MigrationState,
): MigrationState {
  forgetAll(memory)
  return state('StorageVersionChanged', 'the definition has changed meanwhile, so the migration starts over')
}

/** Notes a failure, and gives the milliseconds until the next try. */
function pauseAfter(
  memory: MigrationMemory,
  {
    tools: { clock, random, options, isPreflight },
    generation,
  }: { readonly tools: MigrationTools; readonly generation: number },
): number {
  memory.failures = (memory.failures ?? 0) + 1
  const pause = options.retry.first / 2 + backoffAfter(memory.failures, options.retry, random)
  memory.retryAt = { at: clock.monotonic() + pause, generation, isPreflight }
  return pause
}

/** Milliseconds that are left until the API servers can be trusted to write in the storage version. */
async function settlingTime(
  definition: Definition,
  version: string,
  {
    memory,
    tools,
    signal,
  }: { readonly memory: MigrationMemory['seen']; readonly tools: MigrationTools; readonly signal: AbortSignal },
): Promise<number> {
  if (memory === undefined || memory.isSettled) return 0
  const left = memory.at + tools.options.settle - tools.clock.monotonic()
  if (left > 0) return left
  if (!(await hasSettled(definition, { ...tools, version }, signal)))
    return Math.min(again.settling, tools.options.settle)
  memory.isSettled = true
  return 0
}

function isOf(state: MigrationState | undefined, { uid, generation, storageVersion }: Definition): boolean {
  const of = state?.definition
  return of?.uid === uid && of.generation === generation && of.storageVersion === storageVersion
}

/**
 * True if the state says that storedVersions was shortened, and it is not: nobody makes it longer again but the server,
 * with a change that counts as one. So the definition, and its objects, have come back from a backup, and been changed
 * as before: uid and generation are the same, and nothing that was seen of it holds.
 */
function isOfAnotherTime(state: MigrationState, definition: Definition): boolean {
  return isOf(state, definition) && state.migrated && state.migrator === 'Stackmason' && !isPruned(definition)
}

/** True if the stated result leaves nothing to do. */
function isFinished(state: MigrationState, definition: Definition, isPreflight: boolean): boolean {
  if (isPreflight) return state.reason === 'PreflightPassed'
  return state.migrated && state.migrator === 'Stackmason' && isPruned(definition) && definition.obstacle === undefined
}

type Since = Pick<MigrationState, 'since' | 'definitionVersion'>

function sinceOf({ since, definitionVersion }: Since = {}): Since {
  return since === undefined || definitionVersion === undefined ? {} : { since, definitionVersion }
}

type Counts = NonNullable<MigrationState['counts']>

function progressMessage(all: Counts, mode: SweepMode): string {
  const { rewritten, alreadyCurrent, failed, remaining } = all
  const counts = [
    ...(mode === 'fields'
      ? [fieldsMessage(all)]
      : [`${countOf(rewritten)} rewritten`, `${String(alreadyCurrent)} already current`]),
    ...(failed > 0 ? [`${String(failed)} failed`] : []),
    ...(remaining === undefined ? [] : [`${String(remaining)} to go`]),
  ]
  return counts.join(', ')
}

function fieldsMessage({ alreadyCurrent }: Counts): string {
  return `managedFields of ${countOf(alreadyCurrent)} looked at`
}

/** An object for people. */
function failedName({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  if (name === '') return 'an object'
  return namespace === '' ? name : `${namespace}/${name}`
}

function forgetAll(memory: MigrationMemory): void {
  delete memory.seen
  delete memory.sweep
  delete memory.failures
  delete memory.retryAt
}

function countOf(objects: number): string {
  return objects === 1 ? '1 object' : `${String(objects)} objects`
}
