import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { LockedRelease } from '../../model/lock.ts'
import type { ReleaseName } from '../../model/release.ts'
import { SignatureError } from '../../network/signature/signature-error.ts'
import type { SourceContext } from '../../sources/source-context.ts'
import { fetchLockedRelease, fetchRelease, type FetchedRelease, type OpenedSource } from '../resolve/fetch-release.ts'

/** A release to read, and what the lock has of it. */
export interface WantedRelease {
  readonly name: ReleaseName
  /** The entry of the same source. */
  readonly known: LockedRelease | undefined
  /** True if its content may change: it was named. */
  readonly isAsked: boolean
}

/**
 * Reads a release as its source offers it now, and as it is locked where other content took its place that cannot be
 * used, or that nobody accepted has signed: who only hears of the missing signature would sign what somebody else put
 * there.
 * @throws StackmasonError as `fetchRelease`; for a release that was named the error tells both
 */
export async function fetchOrKeep(
  opened: OpenedSource,
  { name, known, isAsked }: WantedRelease,
  context: SourceContext,
): Promise<FetchedRelease | undefined> {
  try {
    return await fetchRelease(opened, name, context)
  } catch (error) {
    if (known === undefined) throw error
    const finding = replacedBy(error, known)
    if (finding === undefined) throw error
    if (isAsked) throw error instanceof SignatureError ? refusal(known, error) : error
    const read = await readKept(opened, { name, known, finding }, context)
    const { from, revision, ref, assets } = known
    return { ...read, findings: [...read.findings, finding], from, revision, ref, assets }
  }
}

/** @throws StackmasonError with the finding before what keeps the locked content from being read */
async function readKept(
  { config, source }: OpenedSource,
  { name, known, finding }: { readonly name: ReleaseName; readonly known: LockedRelease; readonly finding: Diagnostic },
  context: SourceContext,
): ReturnType<typeof fetchLockedRelease> {
  try {
    return await fetchLockedRelease(known, config, { name, context, open: () => Promise.resolve(source) })
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    throw new StackmasonError([{ ...finding, severity: 'error' }, ...error.diagnostics], { cause: error })
  }
}

/** Content that can be no release of its name; the network says nothing of it. */
const UNUSABLE = /^(?:RELEASE_(?!NOT_FOUND)|ARCHIVE_|CHART_)/

/** The warning where other content took the place of the locked one; undefined where nothing tells that. */
function replacedBy(error: unknown, known: LockedRelease): Diagnostic | undefined {
  if (error instanceof SignatureError)
    return known.revision === undefined || known.revision === error.digest ? undefined : replacedUnsigned(known, error)
  if (!(error instanceof StackmasonError) || known.assets.size === 0) return undefined
  return error.diagnostics.every(({ code }) => UNUSABLE.test(code)) ? replacedUnusable(known, error) : undefined
}

function replacedUnusable({ name, source, at }: LockedRelease, error: StackmasonError): Diagnostic {
  return {
    code: 'LOCK_MISMATCH',
    severity: 'warning',
    message: `source "${source}" now has other content under tag ${name}; the locked content was kept: ${error.message}`,
    at,
    hint: `Find out who replaced it and why. \`stackmason update --release ${name}\` says all that is wrong with it.`,
  }
}

function replacedUnsigned({ name, source, at, revision }: LockedRelease, error: SignatureError): Diagnostic {
  return {
    code: 'LOCK_MISMATCH',
    severity: 'warning',
    message:
      `source "${source}" now has other content under tag ${name}; the locked content was kept: it has ` +
      `${error.digest}, the lock says ${revision ?? ''}; ${error.message}`,
    at,
    hint: `Find out who replaced it and why, before anybody signs it; \`stackmason update --release ${name}\` accepts it once it is signed.`,
  }
}

function refusal({ name, source, revision }: LockedRelease, error: SignatureError): StackmasonError {
  const changed = `source "${source}" now has other content under tag ${name}: it has ${error.digest}, the lock says ${revision ?? ''}`
  return new StackmasonError(
    error.diagnostics.map((diagnostic) => ({
      ...diagnostic,
      message: `${changed}; ${diagnostic.message}`,
      hint: 'Find out who replaced it and why, before anybody signs it.',
    })),
    { cause: error },
  )
}
