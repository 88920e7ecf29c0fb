import { positionedFile } from '../../codec/yaml/positioned-file.ts'
import type { ReadDocument } from '../../codec/yaml/positioned-yaml.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { copyValue, dictAt, fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import type { NodeImageConfig } from '../../model/fleet.ts'
import type { Source, Span } from '../../model/source.ts'
import { isItemList } from '../../model/item-list.ts'
import { dict, Dict, GoInt, type Value } from '../../model/value.ts'

/** API of the OpenStack resource controller's images. */
export const IMAGE_API = 'openstack.k-orc.cloud/v1alpha1'

/** A node image that a file describes, as an Image object without a namespace. */
export interface DescribedImage {
  /** Of the object; what the cloud calls it can differ, where that is no name of an object. */
  readonly name: string
  readonly object: Dict
  readonly source: Source
  readonly at: Span
  /** `entry`: of the cluster-stack-provider-openstack, which took every image of a release's file. */
  readonly form: 'object' | 'manager' | 'entry'
  /** Options without a field in the object, and missing ones; one clause each. */
  readonly notes: readonly string[]
}

/** The images in files, and the entries that give no image. */
export interface ReadImages {
  readonly images: readonly DescribedImage[]
  readonly findings: readonly Diagnostic[]
}

/**
 * Reads what files beside a stack say about node images, whatever form they have: Image objects (image.yaml), entries
 * of openstack-image-manager (kubernetes.yaml), of the cluster-stack-provider-openstack (node-images.yaml). Documents
 * of other kinds are passed over.
 * @throws StackmasonError RELEASE_METADATA_INVALID
 */
export function readImageFiles(files: readonly Source[], credentials: NodeImageConfig['credentials']): ReadImages {
  const problems: Diagnostic[] = []
  const images: DescribedImage[] = []
  const findings: Diagnostic[] = []
  for (const source of files) {
    const { documents, problems: found } = positionedFile(source)
    problems.push(...found)
    for (const document of documents) {
      for (const entry of readDocument(document, credentials)) {
        if ('reason' in entry) findings.push(skippedImage(entry))
        else images.push({ ...entry, source })
      }
    }
  }
  if (problems.length > 0) throw new StackmasonError(problems)
  return { images, findings }
}

/** The warning for an image that a file describes and that is not taken. */
export function skippedImage({ reason, at }: SkippedEntry): Diagnostic {
  return { code: 'NODE_IMAGE_SKIPPED', severity: 'warning', message: reason, at }
}

/** An entry that gives no image, and why. */
export interface SkippedEntry {
  readonly reason: string
  readonly at: Span
}

type ReadEntry = Omit<DescribedImage, 'source'> | SkippedEntry
type Credentials = NodeImageConfig['credentials']

function readDocument({ value, spanOf }: ReadDocument, credentials: Credentials): readonly ReadEntry[] {
  if (!(value instanceof Dict)) return []
  if (textAt(value, 'kind') === 'Image' && textAt(value, 'apiVersion').startsWith('openstack.k-orc.cloud/')) {
    const name = textAt(value, 'metadata', 'name')
    const at = spanOf(['metadata', 'name'])
    if (name === '') return [{ reason: 'an Image object without metadata.name gives no node image', at }]
    if (isItemList(value))
      return [{ reason: 'an Image object with a list of items gives no node image', at: spanOf(['items']) }]
    const isManaged = (textAt(value, 'spec', 'managementPolicy') || 'managed') === 'managed'
    const hash = textAt(value, 'spec', 'resource', 'content', 'download', 'hash', 'value')
    return [{ name, object: value, at, form: 'object', notes: isManaged && hash === '' ? [UNCHECKED] : [] }]
  }
  return [
    ...itemsAt(value, 'images').flatMap((entry, index) =>
      managedImages(entry, credentials, (...path) => spanOf(['images', index, ...path])),
    ),
    ...itemsAt(value, 'openStackNodeImages').map((entry, index) =>
      providerImage(entry, credentials, spanOf(['openStackNodeImages', index])),
    ),
  ]
}

const UNCHECKED = 'it has no checksum, so nobody would notice that its address gives something else'

/**
 * An entry of openstack-image-manager: one image per version, `<name><separator><version>`. Its `enable: false` holds
 * here too.
 */
function managedImages(
  entry: Value,
  credentials: Credentials,
  spanOf: (...path: readonly PathStep[]) => Span,
): readonly ReadEntry[] {
  if (fieldAt(entry, 'enable') === false) return []
  const separator = textAt(entry, 'separator') || ' '
  return itemsAt(entry, 'versions').map((version, index): ReadEntry => {
    const at = spanOf('versions', index)
    const cloud = `${textAt(entry, 'name')}${separator}${textAt(version, 'version')}`
    const url = textAt(version, 'url')
    const unfit = unfitReason(cloud, url)
    if (unfit !== undefined) return { reason: unfit, at }
    const checksum = textAt(version, 'checksum')
    const [, algorithm = '', digest = ''] = /^(md5|sha1|sha256|sha512):([0-9a-f]+)$/.exec(checksum) ?? []
    const notes = [
      ...(digest === '' ? [checksum === '' ? UNCHECKED : 'its checksum is not of a form that can be checked'] : []),
      ...visibilityNotes(textAt(entry, 'visibility')),
      ...keysOf(entry, 'meta')
        .filter((key) => key.startsWith('hw_') && !MAPPED.has(key))
        .map(withoutField),
    ]
    const hash =
      digest === ''
        ? undefined
        : dict([
            ['algorithm', algorithm],
            ['value', digest],
          ])
    // the manager converts to `format`; the controller uploads what it finds
    const content = { url, diskFormat: /\.(qcow2|raw|iso|vmdk|vdi)\b/.exec(url)?.[1] ?? 'qcow2', hash }
    const properties = propertiesOf({ entry, meta: 'meta' })
    const image = { cloud, visibility: 'private', content, properties, tags: tagsOf(entry), isProtected: false }
    return { ...named(image, credentials), at, form: 'manager', notes }
  })
}

/** A project has for itself the images that the operator of a cloud publishes for all projects. */
function visibilityNotes(visibility: string): readonly string[] {
  return visibility === '' || visibility === 'private'
    ? []
    : [
        `\`visibility: ${visibility}\` is for the operator of the cloud; a project that uploads the image itself has it as private`,
      ]
}

function providerImage(entry: Value, credentials: Credentials, at: Span): ReadEntry {
  const cloud = textAt(entry, 'createOpts', 'name')
  const url = textAt(entry, 'url')
  const unfit = unfitReason(cloud, url)
  if (unfit !== undefined) return { reason: unfit, at }
  const options = fieldAt(entry, 'createOpts') ?? null
  const content = { url, diskFormat: textAt(options, 'disk_format') || 'qcow2', hash: undefined }
  const lost = [
    ...keysOf(options).filter((key) => !TAKEN.has(key)),
    ...(['', 'bare'].includes(textAt(options, 'container_format')) ? [] : ['container_format']),
    ...keysOf(options, 'properties')
      .filter((key) => !MAPPED.has(key))
      .map((key) => `properties.${key}`),
  ]
  const image = {
    cloud,
    visibility: textAt(options, 'visibility') || 'private',
    content,
    properties: propertiesOf({ entry: options, meta: 'properties' }),
    tags: tagsOf(options),
    isProtected: fieldAt(options, 'protected') === true,
  }
  return { ...named(image, credentials), at, form: 'entry', notes: [UNCHECKED, ...lost.map(withoutField)] }
}

/** Fields of createOpts that the object has a place for, or that say nothing. */
const TAKEN: ReadonlySet<string> = new Set([
  'name',
  'disk_format',
  'container_format',
  'visibility',
  'tags',
  'protected',
  'min_disk',
  'min_ram',
  'properties',
])

function withoutField(field: string): string {
  return `\`${field}\` has no field in an Image object`
}

/** Why an entry cannot give an image. Rule: ORC's CRD, OpenStackName. */
function unfitReason(cloud: string, url: string): string | undefined {
  const shown = JSON.stringify(cloud)
  if (cloud.trim() === '') return 'a node image without a name is not taken'
  if (url === '') return `node image ${shown} has no url, so it is not taken`
  if (cloud.includes(',') || cloud.length > 253)
    return `node image ${shown} is not taken: an Image object cannot have that name in the cloud`
  return undefined
}

function named(image: ImageContent, credentials: Credentials): Pick<DescribedImage, 'name' | 'object'> {
  const name = objectName(image.cloud)
  return { name, object: imageObject(name, image, credentials) }
}

/** A name that an object can have: the same where it is one. */
function objectName(cloud: string): string {
  const parts = cloud
    .toLowerCase()
    .split('.')
    .map((part) => (part.match(/[a-z0-9]+/g) ?? []).join('-'))
  const name = parts.filter((part) => part !== '').join('.')
  return isObjectName(cloud) ? cloud : name || 'image'
}

function tagsOf(entry: Value): readonly string[] {
  return [
    ...new Set(itemsAt(entry, 'tags').filter((tag) => typeof tag === 'string' && tag !== '')),
  ] as readonly string[]
}

function isObjectName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)
}

interface ImageContent {
  /** Its name in the cloud. */
  readonly cloud: string
  readonly visibility: string
  readonly content: { readonly url: string; readonly diskFormat: string; readonly hash: Dict | undefined }
  readonly properties: Dict
  readonly tags: readonly string[]
  readonly isProtected: boolean
}

function imageObject(name: string, image: ImageContent, credentials: Credentials): Dict {
  const { url, diskFormat, hash } = image.content
  const resource = new Dict()
  if (image.cloud !== name) resource.set('name', image.cloud)
  resource.set('visibility', image.visibility)
  if (image.tags.length > 0) resource.set('tags', [...image.tags])
  if (image.isProtected) resource.set('protected', true)
  if (image.properties.size > 0) resource.set('properties', image.properties)
  const download = dict([['url', url], ...(hash === undefined ? [] : [['hash', hash] as const])])
  resource.set(
    'content',
    dict([
      ['diskFormat', diskFormat],
      ['download', download],
    ]),
  )
  return dict([
    ['apiVersion', IMAGE_API],
    ['kind', 'Image'],
    ['metadata', dict([['name', name]])],
    [
      'spec',
      dict([
        ['cloudCredentialsRef', credentialsRef(credentials)],
        ['managementPolicy', 'managed'],
        ['resource', resource],
      ]),
    ],
  ])
}

/** `spec.cloudCredentialsRef` of an Image. */
export function credentialsRef({ cloudName, secretName }: Credentials): Dict {
  return dict([
    ['cloudName', cloudName],
    ['secretName', secretName],
  ])
}

/** Properties of Glance that Image objects have a field for. Rule: ORC api/v1alpha1 image_types.go. */
const HARDWARE: readonly (readonly [string, string])[] = [
  ['hw_disk_bus', 'diskBus'],
  ['hw_rng_model', 'rngModel'],
  ['hw_scsi_model', 'scsiModel'],
  ['hw_vif_model', 'vifModel'],
]

/** Keys of Glance's properties that {@link propertiesOf} takes. */
const MAPPED: ReadonlySet<string> = new Set([
  ...HARDWARE.map(([from]) => from),
  'os_distro',
  'os_version',
  'architecture',
  'hypervisor_type',
])

/** `meta` names the field of the entry that has Glance's properties. */
function propertiesOf({ entry, meta }: { readonly entry: Value; readonly meta: string }): Dict {
  const hardware = new Dict()
  for (const [from, to] of HARDWARE) if (textAt(entry, meta, from) !== '') hardware.set(to, textAt(entry, meta, from))
  const system = new Dict()
  for (const [from, to] of [
    ['os_distro', 'distro'],
    ['os_version', 'version'],
  ] as const)
    if (textAt(entry, meta, from) !== '') system.set(to, textAt(entry, meta, from))
  const properties = new Dict()
  const put = (name: string, value: Value | undefined): void => {
    if (value !== undefined && value !== '') properties.set(name, copyValue(value))
  }
  put('architecture', textAt(entry, meta, 'architecture'))
  put('hypervisorType', textAt(entry, meta, 'hypervisor_type'))
  put('minDiskGB', positiveAt(entry, 'min_disk'))
  put('minMemoryMB', positiveAt(entry, 'min_ram'))
  if (hardware.size > 0) properties.set('hardware', hardware)
  if (system.size > 0) properties.set('operatingSystem', system)
  return properties
}

function positiveAt(entry: Value, field: string): GoInt | undefined {
  const value = dictAt(entry)?.get(field)
  return value instanceof GoInt && value.value > 0n ? value : undefined
}

function keysOf(value: Value, ...path: readonly string[]): readonly string[] {
  const found = fieldAt(value, ...path)
  return found instanceof Dict ? [...found.keys()] : []
}
