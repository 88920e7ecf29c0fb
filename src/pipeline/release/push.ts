import { EMPTY_CONFIG, formatManifest, MANIFEST_MEDIA_TYPE } from '../../build/release-manifest.ts'
import { digestOf } from '../../codec/bytes/digest.ts'
import type { ChartFile } from '../../model/chart.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import type { Registry, RegistryManifest } from '../../network/registry/registry.ts'
import { releaseLayers } from '../../sources/oci/release-layers.ts'

/** A release to publish. */
export interface PushedRelease {
  readonly tag: string
  readonly kubernetesVersion: string
  /** Of the provider directory. */
  readonly hash: string
  readonly assets: readonly ChartFile[]
}

/** The result of a push. */
export interface PushOutcome {
  /** `oci://host/repository:tag` */
  readonly reference: string
  /** `exists`: the same release was there already. `missing`: it would be pushed. */
  readonly result: 'pushed' | 'exists' | 'missing'
  /** Of the manifest; absent when it would be pushed. */
  readonly digest?: string
}

/**
 * Looks whether a registry has the tag of a release.
 * @throws StackmasonError BUILD_TAG_EXISTS when it has the tag with other content, FETCH_*
 */
export async function lookUp(
  release: PushedRelease,
  registry: Registry,
  ports: Pick<Ports, 'crypto'>,
): Promise<PushOutcome> {
  const found = await registry.getManifest(release.tag)
  const reference = `oci://${registry.host}/${registry.repository}:${release.tag}`
  if (found === undefined) return { reference, result: 'missing' }
  if (!isSame(found, release, ports)) throw new StackmasonError(tagExists(reference))
  return { reference, result: 'exists', digest: found.digest }
}

/**
 * Pushes a release unless the registry has it. A tag that is there is never replaced.
 * @throws StackmasonError BUILD_TAG_EXISTS, FETCH_*
 */
export async function push(
  release: PushedRelease,
  registry: Registry,
  ports: Pick<Ports, 'crypto' | 'clock'>,
): Promise<PushOutcome> {
  const before = await lookUp(release, registry, ports)
  if (before.result === 'exists') return before
  for (const { bytes } of release.assets) await registry.pushBlob(bytes)
  await registry.pushBlob(EMPTY_CONFIG)
  const manifest = formatManifest(release.assets, { ...release, created: ports.clock.now() }, ports.crypto)
  const { digest, result } = await registry.pushManifest(
    release.tag,
    { bytes: manifest, mediaType: MANIFEST_MEDIA_TYPE },
    { ifAbsent: true },
  )
  return result === 'exists' ? lookUp(release, registry, ports) : { ...before, result, digest }
}

function tagExists(reference: string): Diagnostic {
  const message = `${reference} is there already with other content`
  return { code: 'BUILD_TAG_EXISTS', severity: 'error', message, hint: 'Build the next version.' }
}

/** Annotations do not count: they say when it was pushed. */
function isSame({ manifest }: RegistryManifest, { assets }: PushedRelease, { crypto }: Pick<Ports, 'crypto'>): boolean {
  const layers = releaseLayers(manifest)
  if ('reason' in layers || layers.value.length !== assets.length) return false
  const digests = new Map(layers.value.map(({ name, digest }) => [name, digest]))
  return assets.every(({ path, bytes }) => digests.get(path) === digestOf(bytes, crypto))
}
