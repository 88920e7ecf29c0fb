import { digestOf } from '../../codec/bytes/digest.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { LocalSourceConfig, SourceConfig } from '../../model/fleet.ts'
import { lockName, type LockedRelease, wayToLock } from '../../model/lock.ts'
import { formatTag } from '../../model/release-name.ts'
import type { LocatedRelease, ReleaseAsset, ReleaseSource } from '../../model/release-source.ts'
import type { Release, ReleaseName } from '../../model/release.ts'
import { readLocatedRelease } from '../../sources/release/read-located-release.ts'
import { readRelease } from '../../sources/release/read-release.ts'
import type { ReadRelease } from '../../sources/release/read-result.ts'
import type { SourceContext } from '../../sources/source-context.ts'

/** A release that was read, and what a lock says of it. */
export interface FetchedRelease extends ReadRelease {
  readonly from: string
  readonly revision?: string | undefined
  /** The full name of a tag of git that leads there, which must not move. */
  readonly ref?: string | undefined
  /** `sha256:<hex>` of every asset by name, sorted; empty for a provider directory. */
  readonly assets: ReadonlyMap<string, string>
}

/** A source of the fleet, opened. */
export interface OpenedSource {
  readonly config: SourceConfig
  readonly source: ReleaseSource
}

/** How the assets of a locked release are reached. */
export interface LockedAccess {
  /** The name in the lock. */
  readonly name: ReleaseName
  readonly context: SourceContext
  /** Opens the source; called only when something is not in the cache. */
  readonly open: () => Promise<ReleaseSource>
}

/** The versions of a release's addons for people who review the lock; a wrapper has that of the chart that it wraps. */
export function addonVersions({ addons }: Release): ReadonlyMap<string, string> {
  return new Map(
    addons.map(({ name, chart: { metadata } }) => {
      const [only, other] = metadata.dependencies
      return [name, only !== undefined && other === undefined ? only.version : metadata.version]
    }),
  )
}

/** True if the source lies on this machine. */
export function isLocal(config: SourceConfig): config is LocalSourceConfig {
  return config.type === 'directory' || config.type === 'providerDirectory'
}

/**
 * Reads a release as its source offers it now. What comes over the network is kept in the cache.
 * Gives undefined when the source does not have it.
 * @throws StackmasonError FETCH_*, GIT_FAILED, SIGNATURE_*, CACHE_FAILED and all that reading a release can raise
 */
export async function fetchRelease(
  { config, source }: OpenedSource,
  name: ReleaseName,
  context: SourceContext,
): Promise<FetchedRelease | undefined> {
  if (config.type === 'providerDirectory') {
    if ((await source.locate(name)) === undefined) return undefined
    const read = await readRelease(config, name, context.ports)
    return { ...read, from: config.path, assets: new Map() }
  }
  const located = await source.locate(name)
  if (located === undefined) return undefined
  const digests = new Map<string, string>()
  const readAsset = async (asset: ReleaseAsset): Promise<Uint8Array> => {
    const bytes = asset.digest === undefined || isLocal(config) ? undefined : await context.cache.get(asset.digest)
    if (bytes !== undefined) return bytes
    const fetched = await source.fetch(located, asset)
    const digest = isLocal(config) ? digestOf(fetched, context.ports.crypto) : await context.cache.put(fetched)
    if (asset.digest !== undefined && asset.digest !== digest) throw wrongDigest(asset, located)
    digests.set(asset.name, digest)
    return fetched
  }
  const byName = new Map(located.assets.map((asset) => [asset.name, asset]))
  const read = await readLocatedRelease(
    {
      origin: located.from,
      names: [...byName.keys()],
      read: async (file) => {
        const asset = byName.get(file)
        if (asset === undefined) throw new Error(`${located.from} has no ${file}`)
        return readAsset(asset)
      },
      isSigned: isSigned(config),
    },
    name,
    context.ports,
  )
  for (const asset of located.assets) {
    // also what reading does not need: a lock that was just written must do offline
    const isKept = isLocal(config) && asset.digest !== undefined
    if (!digests.has(asset.name) && !isKept) await readAsset(asset)
    if (asset.digest !== undefined) digests.set(asset.name, asset.digest)
  }
  return {
    ...read,
    from: located.from,
    revision: located.revision,
    ref: located.ref,
    assets: new Map([...digests].sort(([a], [b]) => compareBytes(a, b))),
  }
}

/**
 * Reads a release exactly as the lock pins it: from the cache, and what is not there from the source, unless offline.
 * @throws StackmasonError LOCK_MISMATCH when the content is not the pinned one, FETCH_OFFLINE, and as
 * {@link fetchRelease}
 */
export async function fetchLockedRelease(
  locked: LockedRelease,
  config: SourceConfig,
  { name, context, open }: LockedAccess,
): Promise<ReadRelease> {
  if (!isLocal(config) && context.offline) await demandCached(locked, context)
  if (isSigned(config)) await verifyLocked(locked, { name, context, open })
  const read = isLocal(config)
    ? await readRelease(config, name, context.ports)
    : await readLocatedRelease(
        {
          origin: locked.from,
          names: [...locked.assets.keys()],
          read: lockedAssets(locked, { name, context, open }),
          isSigned: isSigned(config),
        },
        name,
        context.ports,
      )
  const digest = `sha256:${read.release.digest}`
  if (digest !== locked.digest) throw changed(locked, { digest, isLocal: isLocal(config) })
  const difference = misdescription(locked, read.release)
  if (difference !== undefined) throw misdescribed(locked, difference)
  return read
}

/** True if every release of the source must carry a signature. */
export function isSigned(config: SourceConfig): boolean {
  return config.type === 'oci' && config.publicKeys.length > 0
}

/**
 * Locates a locked release again, which verifies its signature with the keys that count now; what the cache holds does,
 * offline too.
 * @throws StackmasonError SIGNATURE_*, LOCK_MISMATCH when the signed manifest holds other, more or fewer files than the
 * lock says, RELEASE_NOT_FOUND, FETCH_*
 */
export async function verifyLocked(locked: LockedRelease, { name, open }: LockedAccess): Promise<void> {
  const located = await locateLocked(locked, { name, source: await open() })
  const signed = new Map(located.assets.map((asset) => [asset.name, asset.digest]))
  // also what the lock leaves out is signed for: without it the release would be another one
  for (const file of new Set([...locked.assets.keys(), ...signed.keys()]))
    if (signed.get(file) !== locked.assets.get(file)) throw changed(locked, { file, digest: signed.get(file) })
}

/** Brings every asset of a locked release into the cache; says what was not there. */
export async function fetchLocked(
  locked: LockedRelease,
  { name, context, open }: LockedAccess,
): Promise<{ readonly files: number; readonly bytes: number }> {
  if (context.offline) await demandCached(locked, context)
  const read = lockedAssets(locked, { name, context, open })
  let files = 0
  let bytes = 0
  for (const file of locked.assets.keys()) {
    if (await context.cache.has(locked.assets.get(file) ?? '')) continue
    files++
    bytes += (await read(file)).length
  }
  return { files, bytes }
}

/** Where a source drops what a tag stood for before, the tag may stand for something else by now. */
async function locateLocked(
  locked: LockedRelease,
  { name, source }: { readonly name: ReleaseName; readonly source: ReleaseSource },
): Promise<LocatedRelease> {
  const found = await source.locate(name, locked.revision)
  if (found !== undefined) return found
  const other = locked.revision === undefined ? undefined : await locateNow(name, source)
  if (other?.revision !== undefined) throw changed(locked, { revision: other.revision })
  throw (await noRepository(source)) ?? gone(locked)
}

/** The problem of a source that has nothing at all where its address leads: it says nothing of one release. */
async function noRepository(source: ReleaseSource): Promise<StackmasonError | undefined> {
  try {
    await source.list()
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    if (error.diagnostics.every(({ code }) => code === 'FETCH_NOT_FOUND')) return error
  }
  return undefined
}

async function locateNow(name: ReleaseName, source: ReleaseSource): Promise<LocatedRelease | undefined> {
  try {
    return await source.locate(name)
  } catch (error) {
    // that it is gone is what counts
    if (error instanceof StackmasonError) return undefined
    throw error
  }
}

/**
 * Makes a reader of a locked release's assets: from the cache, else from the source, which is asked once where they
 * are.
 */
function lockedAssets(
  locked: LockedRelease,
  { name, context, open }: LockedAccess,
): (file: string) => Promise<Uint8Array> {
  const { cache, ports } = context
  let located: Promise<{ readonly source: ReleaseSource; readonly release: LocatedRelease }> | undefined
  const locate = async (): Promise<{ readonly source: ReleaseSource; readonly release: LocatedRelease }> => {
    const source = await open()
    return { source, release: await locateLocked(locked, { name, source }) }
  }
  return async (file) => {
    const digest = locked.assets.get(file)
    if (digest === undefined) throw new Error(`the lock has no ${file} of ${locked.name}`)
    const cached = await cache.get(digest)
    if (cached !== undefined) return cached
    if (context.offline) throw notCached(locked, [file])
    located ??= locate()
    const { source, release } = await located
    const asset = release.assets.find((offered) => offered.name === file)
    if (asset === undefined || (asset.digest !== undefined && asset.digest !== digest))
      throw changed(locked, { file, digest: asset?.digest })
    const bytes = await source.fetch(release, { ...asset, digest })
    const found = digestOf(bytes, ports.crypto)
    if (found !== digest) throw changed(locked, { file, digest: found })
    await cache.put(bytes)
    return bytes
  }
}

function wrongDigest(asset: ReleaseAsset, located: LocatedRelease): StackmasonError {
  return new StackmasonError({
    code: 'FETCH_DIGEST_MISMATCH',
    severity: 'error',
    message: `${asset.name} of ${formatTag(located.name)} does not have the digest that ${located.from} says`,
  })
}

function placeOf(locked: LockedRelease): Pick<Diagnostic, 'at'> {
  return locked.at === undefined ? {} : { at: locked.at }
}

/** The content that is there now. */
interface OtherContent {
  /** An asset of the release; absent: the release itself. */
  readonly file?: string
  /** Undefined when it has no such file. */
  readonly digest?: string | undefined
  /** Of the release, where only that is known. */
  readonly revision?: string
  readonly isLocal?: boolean
}

function changed(locked: LockedRelease, { file, digest, revision, isLocal = false }: OtherContent): StackmasonError {
  const wanted = file === undefined ? locked.digest : locked.assets.get(file)
  const difference =
    revision !== undefined
      ? `it has revision ${revision}, the lock says ${locked.revision ?? 'nothing'}, which is gone`
      : digest === undefined
        ? 'it is gone'
        : `it has ${digest}, the lock says ${wanted ?? 'nothing'}`
  return new StackmasonError({
    code: 'LOCK_MISMATCH',
    severity: 'error',
    message:
      file === undefined
        ? `release ${locked.name} of source "${locked.source}" is not what ${lockName(locked)} says: ${difference}`
        : `${file} of release ${locked.name} in source "${locked.source}" is not what ${lockName(locked)} says: ${difference}`,
    ...placeOf(locked),
    hint: wayToLock(
      locked,
      isLocal
        ? `Find out what has changed in ${locked.from}; \`stackmason update\` accepts it: files on this machine may change.`
        : `Find out who changed it at ${locked.from}; \`stackmason update --release ${locked.name}\` accepts it.`,
    ),
  })
}

/** The digest pins the content; people review the versions beside it, so they may not differ from the content. */
function misdescription(locked: LockedRelease, release: Release): string | undefined {
  if (locked.kubernetesVersion !== release.kubernetesVersion)
    return `Kubernetes ${locked.kubernetesVersion}, but it is for ${release.kubernetesVersion}`
  const versions = addonVersions(release)
  for (const name of new Set([...versions.keys(), ...locked.addons.keys()])) {
    const [said, found] = [locked.addons.get(name), versions.get(name)]
    if (said !== found)
      return said === undefined
        ? `no addon ${name}, but it has ${name} ${found ?? ''}`
        : `addon ${name} ${said}, but it has ${found === undefined ? 'no such addon' : `${name} ${found}`}`
  }
  return undefined
}

function misdescribed(locked: LockedRelease, difference: string): StackmasonError {
  return new StackmasonError({
    code: 'LOCK_MISMATCH',
    severity: 'error',
    message: `${lockName(locked)} says of release ${locked.name}: ${difference}`,
    ...placeOf(locked),
    hint: wayToLock(
      locked,
      `Find out who edited the lock; \`stackmason update --release ${locked.name}\` corrects it.`,
    ),
  })
}

function gone(locked: LockedRelease): StackmasonError {
  return new StackmasonError({
    code: 'RELEASE_NOT_FOUND',
    severity: 'error',
    message: `release ${locked.name} is gone from source "${locked.source}", and not all of it is in the cache`,
    ...placeOf(locked),
    hint: 'See whether the address of the source is right. If it is, publish the release again with the same content, or bring the cache of a machine that has it.',
  })
}

/** Says in one error all that is missing. */
async function demandCached(locked: LockedRelease, { cache }: SourceContext): Promise<void> {
  const missing: string[] = []
  for (const [file, digest] of locked.assets) if (!(await cache.has(digest))) missing.push(file)
  if (missing.length > 0) throw notCached(locked, missing)
}

function notCached(locked: LockedRelease, missing: readonly string[]): StackmasonError {
  return new StackmasonError({
    code: 'FETCH_OFFLINE',
    severity: 'error',
    message: `release ${locked.name} is not in the cache: ${missing.join(', ')}`,
    ...placeOf(locked),
    hint: 'Run `stackmason fetch` where the network can be reached, with this lock.',
  })
}
