import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { fileProblem } from '../../model/file-problem.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import type { ArtifactConfig } from '../../model/publish-config.ts'
import { Secret } from '../../model/secret.ts'
import type { NetworkContext } from '../../network/network-context.ts'
import { openRegistry } from '../../network/registry/open-registry.ts'
import type { Registry } from '../../network/registry/registry.ts'
import { signArtifact } from '../../network/signature/sign-artifact.ts'
import { readSigningKey, type SigningKey } from '../../network/signature/signing-key.ts'
import type { Artifact } from '../../publish/oci/artifact.ts'

/** Opens the repository of artifacts, or one below it. @throws StackmasonError FETCH_TLS, FILE_UNREADABLE */
export function openArtifactRegistry(
  { host, repository, plainHttp, caFile, credentials, at }: ArtifactConfig,
  below: string,
  context: NetworkContext,
): Promise<Registry> {
  const access = { plainHttp, settings: { field: 'spec.publish.oci of stackmason.yaml' }, caFile, credentials }
  return openRegistry(
    { host, repository: below === '' ? repository : `${repository}/${below}`, at, ...access },
    context,
  )
}

/** How an artifact gets into its repository. */
export interface ArtifactPush {
  readonly registry: Registry
  readonly digest: string
  /** Made only where the registry lacks it. */
  readonly make: () => Promise<Artifact>
  /** The tag of its commit. */
  readonly fixedTag: string | undefined
  /** Tags of versions: those that are taken stay as they are. */
  readonly versionTags: readonly string[]
  /** A tag that follows a branch; it moves last, so that nobody who follows it meets something unsigned. */
  readonly movingTag: string | undefined
  /** Undefined: it is not signed. */
  readonly key: SigningKey | undefined
}

/** The artifact that was written. */
export interface ArtifactPushed {
  /** Tags of versions that lead to another artifact. */
  readonly taken: readonly string[]
  readonly isPushed: boolean
  readonly isTagged: boolean
  readonly isSigned: boolean
}

/**
 * Brings an artifact into a registry as far as it is not there: layer, configuration, manifest, signature, then the tag
 * that others follow. Nothing refers to what a killed run leaves behind, and the next run goes on from it.
 * @throws StackmasonError FETCH_*
 */
export async function pushArtifact(push: ArtifactPush, { crypto }: Pick<Ports, 'crypto'>): Promise<ArtifactPushed> {
  const { registry, digest, fixedTag, versionTags, movingTag, key } = push
  const followed = movingTag === undefined ? undefined : await registry.findDigest(movingTag)
  const isThere = followed === digest || (await registry.findDigest(digest)) !== undefined
  const makeOnce = once(push.make)
  const put = async (reference: string): Promise<void> => {
    const { manifest, mediaType } = await makeOnce()
    await registry.pushManifest(reference, { bytes: manifest.bytes, mediaType })
  }
  if (!isThere) {
    const { layer, config } = await makeOnce()
    await registry.pushBlob(layer.bytes)
    await registry.pushBlob(config.bytes)
    await put(fixedTag ?? digest)
  }
  const isSigned = key !== undefined && (await signArtifact({ registry, digest, key }, crypto)) === 'signed'
  const missing = new Set<string>()
  const taken: string[] = []
  for (const tag of versionTags) {
    const found = await registry.findDigest(tag)
    if (found === undefined) missing.add(tag)
    else if (found !== digest) taken.push(tag)
  }
  if (movingTag !== undefined && followed !== digest) missing.add(movingTag)
  for (const tag of missing) await put(tag)
  return { isPushed: !isThere, isTagged: missing.size > 0, isSigned, taken }
}

function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/**
 * Reads the key that artifacts are signed with; undefined where the fleet does not ask for signatures.
 * @throws StackmasonError PUBLISH_KEY
 */
export async function openSigningKey(
  { signing, at }: ArtifactConfig,
  { files, environment, crypto }: Pick<Ports, 'files' | 'environment' | 'crypto'>,
): Promise<SigningKey | undefined> {
  if (signing === undefined) return undefined
  const { keyFile, keyVariable = '', passwordVariable } = signing
  const place = keyFile ?? `the variable ${keyVariable}`
  const refuse = (reason: string, cause?: unknown): StackmasonError =>
    new StackmasonError(
      {
        code: 'PUBLISH_KEY',
        severity: 'error',
        message: `the key that artifacts are signed with (${place}) cannot be used: ${reason}`,
        at,
        hint: `Give the job the key that \`cosign generate-key-pair\` wrote, and its password in ${passwordVariable}.`,
      },
      { cause },
    )
  let text: string
  try {
    text = keyFile === undefined ? (environment.get(keyVariable) ?? '') : decodeUtf8(await files.read(keyFile))
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    throw refuse(fileProblem(error).reason, error)
  }
  if (text === '') throw refuse(keyFile === undefined ? 'it is not set' : 'it is empty')
  const key = readSigningKey(new Secret(text), new Secret(environment.get(passwordVariable) ?? ''), crypto)
  if ('reason' in key) throw refuse(key.reason)
  return key.value
}
