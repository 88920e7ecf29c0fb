import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { SourceConfig } from '../../model/fleet.ts'
import type { LockedRelease } from '../../model/lock.ts'
import { isLocal } from '../resolve/fetch-release.ts'

/** A release as a source has it now. */
export interface FoundRelease {
  readonly config: SourceConfig
  readonly digest: string
  /** The full name of the tag of git that leads there. */
  readonly ref: string | undefined
  /** The sources that those who want it may take it from. */
  readonly allowed: readonly SourceConfig[]
}

/**
 * Tells that other content than the locked one is there, which has to be accepted; the locked one stays. Undefined
 * where the content is the same, or may change.
 * @throws StackmasonError LOCK_MISMATCH where the locked one cannot stay: its source is not used any more
 */
export function replacedRelease(known: LockedRelease, found: FoundRelease): Diagnostic | undefined {
  if (known.digest === found.digest) return undefined
  if (known.source === found.config.name) return mayMove(known, found) ? undefined : otherContent(known, found)
  // a folder of this machine that is the only one stands in stackmason.yaml for it
  if (found.allowed.length === 1 && isLocal(found.config)) return undefined
  const finding = otherSource(known, found)
  if (found.allowed.some(({ name }) => name === known.source)) return finding
  throw new StackmasonError({ ...finding, severity: 'error' })
}

/** The tag that a locked release is bound to, also where another kind of ref has its name by now. */
export function boundRef(known: LockedRelease | undefined, { config, ref }: FoundRelease): string | undefined {
  if (ref !== undefined || known === undefined || known.source !== config.name) return ref
  return isOfTag(known, config) ? known.ref : undefined
}

/**
 * True for sources whose content may change: folders on this machine, and branches and commits, which stackmason.yaml
 * names. A published tag must not, nor may what takes its name.
 */
function mayMove(known: LockedRelease, { config, ref }: FoundRelease): boolean {
  return isLocal(config) || (config.type === 'git' && ref === undefined && !isOfTag(known, config))
}

/** True if the fleet still names the tag that has led to the locked release. */
function isOfTag({ ref }: LockedRelease, config: SourceConfig): boolean {
  return config.type === 'git' && config.ref !== undefined && ref === `refs/tags/${config.ref}`
}

function otherContent(
  { name, source, at, digest, ref: tag }: LockedRelease,
  { config, digest: found, ref }: FoundRelease,
): Diagnostic {
  const named = config.type === 'git' ? (config.ref ?? '') : ''
  const isBranch = tag !== undefined && ref === undefined
  return {
    code: 'LOCK_MISMATCH',
    severity: 'warning',
    message:
      `source "${source}" now has other content under tag ${name}; the locked content was kept: it has ${found}, the ` +
      `lock says ${digest}${isBranch ? `; its ref "${named}" was a tag, and is a branch now` : ''}`,
    at,
    hint: `Find out who replaced it and why; \`stackmason update --release ${name}\` accepts it.`,
  }
}

function otherSource(
  { name, source, at, digest }: LockedRelease,
  { config, digest: found, allowed }: FoundRelease,
): Diagnostic {
  const isUsed = allowed.some((one) => one.name === source)
  const accept = `ind out which of the two is right${isUsed ? ';' : ':'} \`stackmason update --release ${name}\` takes that of "${config.name}".`
  return {
    code: 'LOCK_MISMATCH',
    severity: 'warning',
    message:
      `source "${config.name}" has other content for release ${name} than source "${source}", from which ` +
      `stackmason.lock has it: it has ${found}, the lock says ${digest}${isUsed ? '; the locked content was kept' : ''}`,
    at,
    hint: isUsed ? `F${accept}` : `Put source "${source}" back; or f${accept}`,
  }
}
