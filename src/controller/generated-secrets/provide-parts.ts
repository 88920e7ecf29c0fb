import { holdsOnlyCertificates } from '../../generate/certificates/read-certificate.ts'
import { derivedFunctions } from '../../generate/derived-values.ts'
import { GenerateError } from '../../generate/generate-error.ts'
import { argumentsOf, makeGenerators } from '../../generate/make-generators.ts'
import type { MakePorts, Parts } from '../../generate/make-parts.ts'
import { isPublicPart } from '../../generate/published-value.ts'
import { renewCertificates } from '../../generate/renew-certificates.ts'
import { referencesOf } from '../../generate/value-template.ts'
import { isRefusal, isRejection } from '../../kube/api-error.ts'
import type { ApiServer } from '../../kube/api-server.ts'
import { listField, textField } from '../../kube/json-field.ts'
import type { KubeObject } from '../../kube/kube-object.ts'
import { readSurely } from '../../kube/read-object.ts'
import { secrets } from '../../kube/resource.ts'
import type { ExistingSecret, Generator } from '../../model/binding.ts'
import { messageOf } from '../log.ts'
import { applyObject } from '../objects/apply-object.ts'
import { isOfCluster } from '../objects/ownership.ts'
import { quietly } from '../objects/quiet-refusal.ts'
import type { ReconcilerTools } from '../reconciler.ts'
import type { RuntimeValuesSpec } from '../runtime-values/read-spec.ts'
import { isControlPlaneInitialized } from '../workload-cluster/control-plane-initialized.ts'
import { WorkloadClusterError, type WorkloadClusters } from '../workload-cluster/workload-clusters.ts'
import { deliveredGenerators } from './delivered-secret.ts'
import { knownCertificates, recipeHash } from './due-certificates.ts'
import { isKeptFor, keptKey, type KeptParts, keptSecret, nothingKept, readKept, ROTATE } from './kept-secret.ts'
import { keepNext, stepRotation, trusted } from './rotate-parts.ts'
import { liveText, piecesOf } from './secret-data.ts'
import type { NotMade } from './secret-reasons.ts'
import { type LiveSecret, TakeOverError, takeOverParts } from './take-over-parts.ts'

/** The requested parts, and those that are known. */
export interface PartsRequest {
  readonly owner: KubeObject
  readonly spec: RuntimeValuesSpec
  readonly cluster: KubeObject | undefined
  /** The texts of values, by their names; those that are known. */
  readonly values: ReadonlyMap<string, string>
}

/** Where that is done. */
export interface PartsContext {
  readonly tools: Pick<ReconcilerTools, 'api' | 'onWrite' | 'tell'> & {
    readonly workloadClusters: Pick<WorkloadClusters, 'within'>
  } & MakePorts
  readonly signal: AbortSignal
  /** Constant, or fields that are no longer wanted would stay. */
  readonly manager: string
}

/** Thrown inside: nothing is made. */
class NotMadeError extends Error {
  readonly notMade: NotMade

  constructor(notMade: NotMade) {
    super(notMade.message)
    this.notMade = notMade
  }
}

/** Milliseconds until a workload cluster is looked at again of which nothing tells. */
const LOOK_AGAIN = 30_000

/**
 * Gives the parts of all generators, each made once: those that are kept, else those that the cluster has already,
 * else new ones. They are kept before anybody uses them. Certificates that end soon, or are asked for with other names,
 * are made anew where we hold the key of their authority.
 * @throws ApiError, HttpError of the management cluster
 */
export async function provideParts(
  request: PartsRequest,
  context: PartsContext,
): Promise<ReadonlyMap<string, Parts> | NotMade> {
  try {
    return await provide(request, context)
  } catch (error) {
    if (error instanceof NotMadeError) return error.notMade
    if (error instanceof WorkloadClusterError) {
      const { reason, message, again } = error
      return { reason, message, ...(again > 0 && { again }) }
    }
    if (error instanceof TakeOverError)
      return { reason: 'NotTakenOver', message: `${error.message}. ${TAKE_OVER_HINT}` }
    if (error instanceof GenerateError) return { reason: 'GeneratorFailed', message: error.message }
    // values that need no Secret are published all the same
    if (isRejection(error)) return { reason: 'Rejected', message: messageOf(error) }
    if (isRefusal(error, 403)) return { reason: 'Forbidden', message: messageOf(error) }
    throw error
  }
}

const TAKE_OVER_HINT = 'Delete what is there, and it is made anew; or name it under existingSecrets'

async function provide(request: PartsRequest, context: PartsContext): Promise<ReadonlyMap<string, Parts>> {
  const { spec, values, owner } = request
  const { tools } = context
  const made = spec.generators.filter(({ function: called }) => !derivedFunctions.has(called))
  if (made.length === 0) {
    requireValues(request)
    return makeGenerators({ generators: spec.generators, values, kept: new Map() }, tools)
  }
  const live = await readKeptSecret(owner, context)
  const before = live === undefined ? nothingKept : readKept(live)
  const asked = (owner.annotations.get(ROTATE) ?? '').slice(0, LONGEST_REQUEST)
  const settledSince = readySince(owner)
  const kept = stepRotation(before, { generators: made, asked, settledSince, now: tools.clock.now() })
  const existing = made.flatMap((generator) =>
    generator.existing === undefined ? [] : [{ ...generator, existing: generator.existing }],
  )
  const isMissing = ({ name, existing: there }: Generator): boolean => there === undefined && !before.parts.has(name)
  const missing = new Set(made.filter(isMissing).map(({ name }) => name))
  requireValues(request)
  const found = await lookAtCluster(request, context, {
    existing,
    missing,
    kept: before.parts,
    isNew: live === undefined,
  })
  const { generators } = spec
  const next = await makeNext({ generators, values, parts: new Map([...kept.parts, ...found]), next: kept.next }, tools)
  const raw = keepNext(kept.parts, next)
  const known = new Map([...trusted(raw), ...found])
  const parts = await makeGenerators({ generators, values, kept: known }, tools)
  const { parts: all, recipes } = await renew({ generators, values, parts, recipes: before.recipes }, tools)
  const names = new Set(made.filter(({ existing: there }) => there === undefined).map(({ name }) => name))
  const rotating = [...raw].filter(([, of]) => of.size > (trusted(new Map([['', of]])).get('')?.size ?? 0))
  const toKeep = new Map([...raw, ...[...all].filter(([name]) => names.has(name)), ...rotating])
  await keep(request, { live, before, kept: { ...kept, parts: toKeep, recipes } }, context)
  return all
}

/** Since when the object has been ready. */
function readySince({ content }: KubeObject): number {
  const ready = listField(content, 'status', 'conditions').find((condition) => textField(condition, 'type') === 'Ready')
  const since = Date.parse(textField(ready, 'lastTransitionTime') ?? '')
  return textField(ready, 'status') === 'True' && !Number.isNaN(since) ? since : Infinity
}

/** Of an annotation. */
const LONGEST_REQUEST = 256

/** Makes other pairs for authorities. */
async function makeNext(
  { generators, values, parts, next }: Omit<Renewal, 'recipes'> & { readonly next: readonly string[] },
  ports: MakePorts,
): Promise<ReadonlyMap<string, Parts>> {
  if (next.length === 0) return new Map()
  const others = new Map([...parts].filter(([name]) => !next.includes(name)))
  const made = await makeGenerators({ generators, values, kept: others }, ports)
  return new Map([...made].filter(([name]) => next.includes(name)))
}

async function readKeptSecret(owner: KubeObject, { tools, signal }: PartsContext): Promise<KubeObject | undefined> {
  const key = keptKey(owner)
  const live = await quietly(`reading Secret ${key.name}`, () =>
    readSurely(tools.api, { resource: secrets, key }, signal),
  )
  if (live === undefined || isKeptFor(live, owner)) return live
  throw new NotMadeError({
    reason: 'NotOurs',
    message: `Secret ${key.name} is not the controller's, and has the name of the one in which it keeps what is generated`,
  })
}

/** @throws NotMadeError where a text needs a value that is not known */
function requireValues({ spec, values }: PartsRequest): void {
  const names = [
    ...spec.generators.flatMap(({ arguments: args }) => args.flatMap(referencesOf)),
    ...spec.secrets.flatMap(({ data }) => data.flatMap(piecesOf)),
  ].flatMap((piece) => ('name' in piece && piece.part === undefined ? [piece.name] : []))
  const unknown = names.find((name) => !values.has(name))
  if (unknown === undefined) return
  if (!spec.values.some(({ name }) => name === unknown)) throw new GenerateError(`there is no value ${unknown}`)
  throw new NotMadeError({ reason: 'WaitingForSource', message: `value ${unknown} is not known` })
}

interface Look {
  readonly existing: readonly (Generator & { readonly existing: ExistingSecret })[]
  readonly missing: ReadonlySet<string>
  readonly kept: KeptParts['parts']
  /** Nothing is kept at all: whatever we have delivered before is taken over. */
  readonly isNew: boolean
}

/** Reads what the cluster has already, where something is to be made or read there. */
async function lookAtCluster(
  { owner, spec, cluster, values }: PartsRequest,
  { tools, signal }: PartsContext,
  { existing, missing, kept, isNew }: Look,
): Promise<ReadonlyMap<string, Parts>> {
  if (existing.length === 0 && missing.size === 0) return new Map()
  const key = reachableCluster(cluster)
  // before anything is made it is looked whether the cluster has it already
  if ('reason' in key) throw new NotMadeError(key)
  return tools.workloadClusters.within(
    key,
    async (api) => {
      const found = new Map<string, Parts>()
      for (const generator of existing) found.set(generator.name, await readExisting(api, generator.existing, signal))
      if (missing.size === 0) return found
      const live: LiveSecret[] = []
      for (const asked of spec.secrets) {
        const secret = await readSecret(api, asked, signal)
        const isOurs = secret !== undefined && isOfCluster(secret, owner)
        // of what is asked for since then a Secret of ours has nothing yet
        live.push({ asked, live: secret, isOurs, holds: isOurs && !isNew ? deliveredGenerators(secret) : undefined })
      }
      const taken = takeOverParts(
        { generators: spec.generators, values: spec.values, texts: values, secrets: live, missing, kept },
        tools.crypto,
      )
      return new Map([...found, ...taken])
    },
    signal,
  )
}

/** The Cluster, where its API server can be asked; else why not. */
export function reachableCluster(cluster: KubeObject | undefined): KubeObject | NotMade {
  if (cluster === undefined) return { reason: 'ClusterNotFound', message: 'the Cluster is not there' }
  if (cluster.isBeingDeleted) return { reason: 'ClusterNotFound', message: 'the Cluster is being deleted' }
  if (isControlPlaneInitialized(cluster.content)) return cluster
  return { reason: 'ControlPlaneNotInitialized', message: 'the control plane of the Cluster has not answered yet' }
}

async function readExisting(api: ApiServer, existing: ExistingSecret, signal: AbortSignal): Promise<Parts> {
  const { namespace, name, keys } = existing
  const named = `Secret ${namespace}/${name} of the cluster`
  const secret = await readSecret(api, existing, signal)
  const parts = new Map<string, string>()
  for (const { part, key } of keys) {
    const text = secret === undefined ? undefined : liveText(secret, { key })
    if (text === undefined) {
      const message = secret === undefined ? `${named} is not there` : `${named} has no key ${key}`
      throw new NotMadeError({ reason: 'SecretNotFound', message, again: LOOK_AGAIN })
    }
    if (isPublicPart(part) && !holdsOnlyCertificates(text)) {
      // everybody may read the part: whoever names a key must not get what only readers of Secrets see
      const message = `key ${key} of ${named} does not hold certificates in PEM alone: name a key that does, without private keys and other text`
      throw new NotMadeError({ reason: 'CertificateRefused', message, again: LOOK_AGAIN })
    }
    parts.set(part, text.startsWith('-----BEGIN ') ? text.replace(/\n$/, '') : text)
  }
  return parts
}

async function readSecret(
  api: ApiServer,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    return await readSurely(api, { resource: secrets, key: { namespace, name } }, signal)
  } catch (error) {
    if (isRefusal(error, 404)) {
      const message = `the API server of the Cluster answers 404, but not that Secret ${namespace}/${name} is not there`
      throw new NotMadeError({ reason: 'ClusterUnreachable', message, again: LOOK_AGAIN })
    }
    if (!isRefusal(error, 403)) throw error
    throw new NotMadeError({
      reason: 'Forbidden',
      message: `the kubeconfig of the Cluster does not allow to read Secret ${namespace}/${name} there`,
    })
  }
}

interface Renewal {
  readonly generators: readonly Generator[]
  readonly values: ReadonlyMap<string, string>
  readonly parts: ReadonlyMap<string, Parts>
  readonly recipes: ReadonlyMap<string, string>
}

/** Makes certificates anew that are due, with all that is computed from them. */
async function renew(
  { generators, values, parts, recipes }: Renewal,
  ports: MakePorts,
): Promise<{ readonly parts: ReadonlyMap<string, Parts>; readonly recipes: ReadonlyMap<string, string> }> {
  const hashes = new Map<string, string>()
  const due = new Set<string>()
  for (const { generator, renewAt, isRenewable } of knownCertificates(generators, parts)) {
    const { name } = generator
    if (!isRenewable) continue
    const hash = recipeHash(argumentsOf(generator, { values, made: parts }), ports.crypto)
    hashes.set(name, hash)
    // of what was taken over nobody knows what it was asked for
    const isOther = recipes.has(name) && recipes.get(name) !== hash
    if (isOther || renewAt <= ports.clock.now()) due.add(name)
  }
  const kept = new Map([...recipes, ...hashes])
  if (due.size === 0) return { parts, recipes: kept }
  const renewed = await renewCertificates({ generators, due, values, parts }, ports)
  return {
    parts: await makeGenerators({ generators, values, kept: new Map([...parts, ...renewed]) }, ports),
    recipes: kept,
  }
}

async function keep(
  { owner, spec }: PartsRequest,
  {
    live,
    before,
    kept,
  }: { readonly live: KubeObject | undefined; readonly before: KeptParts; readonly kept: KeptParts },
  { tools, signal, manager }: PartsContext,
): Promise<void> {
  const key = keptKey(owner)
  const wanted = keptSecret(owner, spec.clusterName, kept)
  const result = await quietly(`writing Secret ${key.name}`, () =>
    applyObject(tools.api, { resource: secrets, key, wanted, live, manager }, signal),
  )
  tools.onWrite('Secret', result)
  if (result === 'unchanged') return
  tools.tell(owner, live === undefined ? 'made generated Secrets' : deedOf(before, kept), { secret: key.name })
}

/** The reason of a change of kept parts. */
function deedOf(before: KeptParts, { rotation, rotated }: KeptParts): string {
  if (rotation?.phase !== before.rotation?.phase || rotated !== before.rotated) {
    if (rotation === undefined) return 'rotated generated Secrets'
    return rotation.phase === 'trust'
      ? 'began a rotation: new authorities are trusted beside the old ones'
      : 'went on with a rotation: new authorities sign'
  }
  return 'renewed or added generated Secrets'
}
