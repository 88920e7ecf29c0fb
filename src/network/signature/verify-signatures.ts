import { StackmasonError } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import type { Span } from '../../model/source.ts'
import type { OciDescriptor } from '../registry/manifest.ts'
import type { Registry } from '../registry/registry.ts'
import { canonicalName, formatName, formatReference } from '../registry/repository-name.ts'
import type { NetworkContext } from '../network-context.ts'
import type { PublicKey } from './public-keys.ts'
import { SignatureError } from './signature-error.ts'
import type { SignatureRecords } from './signature-records.ts'
import { SIGN_PREDICATE, checkBundle } from './sigstore-bundle.ts'
import { checkSignature, SIGNATURE } from './simple-signing.ts'

/** The manifest to verify, and its keys. */
export interface SignatureCheck {
  readonly registry: Registry
  /** Of the release's manifest. */
  readonly digest: string
  readonly tag: string
  /** The signed name, `host/path`, where the registry is a mirror of it. Default: the registry's own repository. */
  readonly repository?: string
  /** At least one; a good signature of any of them is enough. */
  readonly keys: readonly PublicKey[]
  /** The source. */
  readonly at: Span
  /** What to do about a refusal, where it is no release of a source. */
  readonly advice?: SignatureAdvice
}

/** The next step for each code. */
export type SignatureAdvice = Readonly<Record<'SIGNATURE_MISSING' | 'SIGNATURE_INVALID', string>>

/** The context for verifying besides the check itself. */
export interface SignatureContext extends Pick<NetworkContext, 'ports' | 'offline'> {
  readonly signatures: SignatureRecords
}

const SIGNATURE_ARTIFACT = 'application/vnd.dev.cosign.artifact.sig.v1+json'
const EMPTY_CONFIG = 'application/vnd.oci.empty.v1+json'
/** Followed by a version. */
const BUNDLE = 'application/vnd.dev.sigstore.bundle'
const MAX_PAYLOAD = 64 * 1024
/** Of one release under its tag, and as many among its referrers; each of them costs a request. */
const MAX_SIGNATURES = 50
const SHOWN_REASONS = 3
const damaged: ReadonlySet<Code> = new Set<Code>([
  'FETCH_TOO_LARGE',
  'FETCH_INVALID',
  'FETCH_NOT_FOUND',
  'FETCH_DIGEST_MISMATCH',
])

/**
 * Verifies that a release was signed with cosign by one of the keys. Signatures are looked for where one was good
 * before (see {@link SignatureRecords}: no network is needed then), under cosign's tag `sha256-<hex>.sig`, and among
 * the referrers of the manifest, where cosign 3 puts bundles. What is signed is a digest, and the tag only where a
 * signature names it: that a tag leads to another signed release is found by the names and the version in that release
 * (`isSigned` of its assets), not here.
 * @throws SignatureError SIGNATURE_MISSING, SIGNATURE_INVALID
 * @throws StackmasonError FETCH_*
 */
export async function verifySignatures(check: SignatureCheck, context: SignatureContext): Promise<void> {
  const { digest } = check
  const recorded = await context.signatures.read(digest)
  let trial = begin(check, context)
  if (recorded !== undefined && (await isGood(recorded, trial))) return
  // without the network nothing else can be looked at, so what the record led to decides
  if (recorded === undefined || !context.offline) {
    trial = begin(check, context)
    for await (const found of candidates(trial)) {
      if (!(await isGood(found, trial))) continue
      await context.signatures.write(digest, found)
      return
    }
  }
  throw refusal(trial)
}

interface Trial {
  readonly check: SignatureCheck
  readonly context: SignatureContext
  /** Why signatures were no good so far. */
  readonly problems: string[]
  /** How many signatures were too many to be looked at. */
  unseen: number
  /** With as many problems no more is looked at. */
  limit: number
}

function begin(check: SignatureCheck, context: SignatureContext): Trial {
  return { check, context, problems: [], unseen: 0, limit: MAX_SIGNATURES }
}

/**
 * Digests of manifests that may hold signatures, the likeliest first; the next is looked for only when it is asked for.
 */
async function* candidates(trial: Trial): AsyncGenerator<string> {
  const { problems } = trial
  const { registry, digest } = trial.check
  const tagged = await attempt(() => registry.getManifest(`${digest.replace(':', '-')}.sig`), problems)
  if (tagged !== undefined) yield tagged.digest
  trial.limit = problems.length + MAX_SIGNATURES
  const referrers = (await attempt(() => registry.getReferrers(digest), problems)) ?? []
  const signatures = referrers.filter((one) => maySign(one) && one.digest !== tagged?.digest)
  for (const { digest: referrer } of fromBothEnds(signatures).slice(0, MAX_SIGNATURES)) yield referrer
  trial.unseen += Math.max(0, signatures.length - MAX_SIGNATURES)
}

/** Referrers have no order: registries list the newest first, or last. */
function fromBothEnds<Item>(items: readonly Item[]): readonly Item[] {
  const last = items.toReversed()
  return items.flatMap((first, index) => [last[index] ?? first, first]).slice(0, items.length)
}

/**
 * True if a referrer may be a signature. The specification has its type here; cosign, where the registry has no
 * referrers API, writes the type of the config instead, and then only the manifest itself tells more.
 */
function maySign({ artifactType, annotations }: OciDescriptor): boolean {
  const isKnown = artifactType === SIGNATURE_ARTIFACT || artifactType.startsWith(BUNDLE)
  return (isKnown || artifactType === '' || artifactType === EMPTY_CONFIG) && statesSignature(annotations)
}

/** A bundle that says of itself that it states something else (provenance, for one) is not looked at. */
function statesSignature(annotations: ReadonlyMap<string, string>): boolean {
  return (annotations.get('dev.sigstore.bundle.predicateType') ?? SIGN_PREDICATE) === SIGN_PREDICATE
}

async function isGood(reference: string, trial: Trial): Promise<boolean> {
  const { check, context, problems } = trial
  const { registry, digest, tag, keys } = check
  const { crypto } = context.ports
  const release = { digest, tag, repository: check.repository ?? formatName(canonicalName(registry)) }
  const manifest = (await attempt(() => registry.getManifest(reference), problems))?.manifest
  if (manifest === undefined || !statesSignature(manifest.annotations)) return false
  // cosign puts each new signature last
  for (const { annotations, digest: blob, size, mediaType } of manifest.layers.toReversed()) {
    const signature = annotations.get(SIGNATURE)
    if (signature === undefined && !mediaType.startsWith(BUNDLE)) continue
    if (problems.length >= trial.limit) {
      trial.unseen++
      continue
    }
    const purpose = `a signature of ${formatReference(registry, tag)}`
    const bytes = await attempt(() => registry.getBlob(blob, { purpose, size, maxBytes: MAX_PAYLOAD }), problems)
    if (bytes === undefined) continue
    const problem =
      signature === undefined
        ? checkBundle(bytes, digest, { keys, crypto })
        : checkSignature({ payload: bytes, signature }, release, { keys, crypto })
    if (problem === undefined) return true
    problems.push(problem)
  }
  return false
}

/** Tries one signature: a problem with it must not keep another one from being good. */
async function attempt<Result>(
  work: () => Promise<Result | undefined>,
  problems: string[],
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StackmasonError) || !error.diagnostics.every(({ code }) => damaged.has(code))) throw error
    problems.push(`cannot be read: ${error.message}`)
    return undefined
  }
}

function refusal({ check, problems, unseen }: Trial): SignatureError {
  const { registry, digest, tag, keys, at, advice } = check
  const refuse = (code: keyof SignatureAdvice, message: string): SignatureError =>
    new SignatureError({ code, severity: 'error', message, at, hint: advice?.[code] }, { digest, tag })
  const shown = `${formatReference(registry, tag)} (${digest})`
  if (problems.length === 0) {
    return refuse('SIGNATURE_MISSING', `${shown} has no cosign signature`)
  }
  const files = [...new Set(keys.map(({ file }) => file))].join(', ')
  const reasons = [...new Set(problems)].slice(0, SHOWN_REASONS).map((reason) => `one ${reason}`)
  const looked = unseen === 0 ? '' : `the ${problems.length} that were looked at of `
  const message =
    problems.length === 1
      ? `${shown}: its only signature ${problems[0] ?? ''} (accepted: ${files})`
      : `${shown}: none of ${looked}its ${problems.length + unseen} signatures is good (accepted: ${files}): ${reasons.join('; ')}`
  return refuse('SIGNATURE_INVALID', message)
}
