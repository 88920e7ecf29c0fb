import { compareBytes } from '../../codec/text/text-order.ts'
import type { ParseOutcome } from '../../model/release-name.ts'
import type { OciManifest } from '../../network/registry/manifest.ts'

/** A file of a release, as a layer holds it. */
export interface ReleaseLayer {
  readonly name: string
  readonly digest: string
  readonly size: number
}

/** Real releases have six; one that was published with every node image still has fewer than this. */
const MAX_LAYERS = 1000
/** Of one file, as for releases in folders. */
export const MAX_LAYER_BYTES: number = 64 * 1024 * 1024
const MAX_TOTAL_BYTES = 256 * 1024 * 1024
const TITLE = 'org.opencontainers.image.title'
const HELM_CHART = 'application/vnd.cncf.helm.config.v1+json'
const imageConfigs: readonly string[] = [
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
]

/**
 * The files of a release: the layers that have a title, sorted by it. Media types tell nothing (csctl and the oras
 * program write different ones), and what has no title is no file. Titles become file names, so they may not be paths.
 */
export function releaseLayers(manifest: OciManifest): ParseOutcome<readonly ReleaseLayer[]> {
  const { config, layers } = manifest
  if (config.mediaType === HELM_CHART) return { reason: 'it is a Helm chart, not a release' }
  const files = new Map<string, ReleaseLayer>()
  let total = 0
  for (const { annotations, digest, size } of layers) {
    const name = annotations.get(TITLE)
    if (name === undefined) continue
    const shown = JSON.stringify(name.slice(0, 100))
    if (!isFileName(name)) return { reason: `the title ${shown} of a layer is not a file name` }
    if (files.has(name)) return { reason: `two layers have the title ${shown}` }
    if (size > MAX_LAYER_BYTES)
      return { reason: `the layer ${shown} has ${size} bytes; at most ${MAX_LAYER_BYTES} are allowed` }
    total += size
    files.set(name, { name, digest, size })
  }
  if (files.size > MAX_LAYERS) return { reason: `it has more than ${MAX_LAYERS} layers` }
  if (total > MAX_TOTAL_BYTES) return { reason: `its layers have more than ${MAX_TOTAL_BYTES} bytes together` }
  if (files.size > 0) return { value: [...files.values()].sort((a, b) => compareBytes(a.name, b.name)) }
  const what = imageConfigs.includes(config.mediaType)
    ? 'it is a container image, not a release'
    : 'it is not a release'
  return { reason: `${what}: no layer has a title (${TITLE})` }
}

function isFileName(title: string): boolean {
  return (
    title.length <= 255 &&
    title !== '.' &&
    title !== '..' &&
    !/[/\\\p{Cc}\p{Cf}\p{Surrogate}]/u.test(title) &&
    title !== ''
  )
}
