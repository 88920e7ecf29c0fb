import { JsonError, parseGoJson } from '../../codec/json/go-json.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { ParseOutcome } from '../../model/release-name.ts'
import { Dict, type Value } from '../../model/value.ts'
import { isDigest } from './repository-name.ts'

/** The descriptor of a blob or another manifest in a manifest. */
export interface OciDescriptor {
  readonly mediaType: string
  /** `sha256:<hex>`. */
  readonly digest: string
  readonly size: number
  /** '' when it says none. */
  readonly artifactType: string
  readonly annotations: ReadonlyMap<string, string>
}

/** An image manifest of OCI or of Docker's schema 2. */
export interface OciManifest {
  /** '' when it says none. */
  readonly artifactType: string
  readonly config: OciDescriptor
  readonly layers: readonly OciDescriptor[]
  readonly annotations: ReadonlyMap<string, string>
}

/** An index of OCI, or a manifest list of Docker. */
export interface OciIndex {
  readonly manifests: readonly OciDescriptor[]
}

/** A manifest or an index, told apart by which of the two is set. */
export interface ParsedManifest {
  readonly mediaType: string
  readonly manifest?: OciManifest
  readonly index?: OciIndex
}

/** Media type of an image manifest of OCI. */
export const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
/** Media type of an index of OCI. */
export const OCI_INDEX = 'application/vnd.oci.image.index.v1+json'
const DOCKER_MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json'
const DOCKER_LIST = 'application/vnd.docker.distribution.manifest.list.v2+json'

/** The media types that are supported, for the Accept header. */
export const manifestTypes: readonly string[] = [OCI_MANIFEST, DOCKER_MANIFEST, OCI_INDEX, DOCKER_LIST]

/**
 * Reads a manifest or index (OCI image spec 1.1; Docker's schema 2). As the specification asks for, what could be read
 * as both, or calls itself something else than the registry did, is refused.
 */
export function parseManifest(bytes: Uint8Array, contentType: string): ParseOutcome<ParsedManifest> {
  const value = parseJsonObject(bytes)
  if ('reason' in value) return value
  const object = value.value
  const written = textAt(object, 'mediaType')
  const served = manifestTypes.includes(contentType) ? contentType : ''
  if (written !== '' && served !== '' && written !== served) {
    return { reason: `the registry calls it ${served}, and it calls itself ${shown(written)}` }
  }
  const version = fieldAt(object, 'schemaVersion')
  if (version === 1) return { reason: 'it is of schema 1 of Docker, which nothing has written for years' }
  if (version !== 2) return { reason: 'schemaVersion is not 2' }
  const hasLayers = fieldAt(object, 'layers') !== undefined || fieldAt(object, 'config') !== undefined
  const hasManifests = fieldAt(object, 'manifests') !== undefined
  const mediaType = written || served || (hasManifests ? OCI_INDEX : OCI_MANIFEST)
  const isIndex = mediaType === OCI_INDEX || mediaType === DOCKER_LIST
  if (!isIndex && mediaType !== OCI_MANIFEST && mediaType !== DOCKER_MANIFEST) {
    return { reason: `it is of the unknown kind ${shown(mediaType)}` }
  }
  if (isIndex ? hasLayers : hasManifests) return { reason: 'it could be read as a manifest and as an index' }
  const problems: string[] = []
  if (isIndex) {
    const index: OciIndex = { manifests: readDescriptors(object, 'manifests', problems) }
    return problems[0] === undefined ? { value: { mediaType, index } } : { reason: problems[0] }
  }
  const manifest: OciManifest = {
    artifactType: textAt(object, 'artifactType'),
    config: readDescriptor(fieldAt(object, 'config'), 'config', problems),
    layers: readDescriptors(object, 'layers', problems),
    annotations: readAnnotations(object),
  }
  return problems[0] === undefined ? { value: { mediaType, manifest } } : { reason: problems[0] }
}

/** Reads JSON that must be an object. */
export function parseJsonObject(bytes: Uint8Array): ParseOutcome<Dict> {
  try {
    const value = parseGoJson(decodeUtf8(bytes))
    return value instanceof Dict ? { value } : { reason: 'it is not a JSON object' }
  } catch (error) {
    if (error instanceof JsonError) return { reason: `it is not JSON: ${error.message}` }
    throw error
  }
}

function readDescriptors(object: Dict, key: string, problems: string[]): readonly OciDescriptor[] {
  if (!Array.isArray(fieldAt(object, key))) problems.push(`${key} is not a list`)
  return itemsAt(object, key).map((item, index) => readDescriptor(item, `${key}[${index}]`, problems))
}

function readDescriptor(value: Value | undefined, path: string, problems: string[]): OciDescriptor {
  const object = value instanceof Dict ? value : new Dict()
  const digest = textAt(object, 'digest')
  const size = fieldAt(object, 'size')
  if (!isDigest(digest)) problems.push(`${path}.digest is not a sha256 digest`)
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) problems.push(`${path}.size is not a size`)
  return {
    mediaType: textAt(object, 'mediaType'),
    digest,
    size: typeof size === 'number' ? size : 0,
    artifactType: textAt(object, 'artifactType'),
    annotations: readAnnotations(object),
  }
}

function readAnnotations(object: Dict): ReadonlyMap<string, string> {
  const annotations = new Map<string, string>()
  for (const [name, value] of dictAt(object, 'annotations') ?? []) {
    if (typeof value === 'string') annotations.set(name, value)
  }
  return annotations
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}
