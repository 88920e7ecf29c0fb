import { parsePositionedYaml } from '../../codec/positioned-yaml.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { copyValue, dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { NodeImageConfig } from '../../model/fleet.ts'
import type { Source } from '../../model/source.ts'
import { dict, Dict, GoInt, type Value } from '../../model/value.ts'

/** API of the OpenStack resource controller's images. */
export const IMAGE_API = 'openstack.k-orc.cloud/v1alpha1'

/** A node image that a file describes, as an Image object without a namespace. */
export interface DescribedImage {
  readonly name: string
  readonly object: Dict
  readonly source: Source
}

/**
 * Reads what files beside a stack say about node images, whatever form they have: Image objects (image.yaml), entries of openstack-image-manager
 * (kubernetes.yaml), of the cluster-stack-provider-openstack (node-images.yaml). Documents of other kinds are passed over.
 * @throws StackmasonError RELEASE_METADATA_INVALID
 */
export function readImageFiles(
  sources: readonly Source[],
  credentials: NodeImageConfig['credentials'],
): readonly DescribedImage[] {
  const problems: Diagnostic[] = []
  const images = sources.flatMap((source) => {
    const read = parsePositionedYaml(source)
    problems.push(...read.problems)
    return read.documents.flatMap(({ value }) =>
      readDocument(value, credentials).map((image) => ({ ...image, source })),
    )
  })
  if (problems.length > 0) throw new StackmasonError(problems)
  return images
}

type NamedImage = Pick<DescribedImage, 'name' | 'object'>
type Credentials = NodeImageConfig['credentials']

function readDocument(document: Value, credentials: Credentials): readonly NamedImage[] {
  if (!(document instanceof Dict)) return []
  if (textAt(document, 'kind') === 'Image' && textAt(document, 'apiVersion').startsWith('openstack.k-orc.cloud/')) {
    const name = textAt(document, 'metadata', 'name')
    return name === '' ? [] : [{ name, object: document }]
  }
  return [
    ...itemsAt(document, 'images').flatMap((entry) => managedImages(entry, credentials)),
    ...itemsAt(document, 'openStackNodeImages').flatMap((entry) => providerImage(entry, credentials)),
  ]
}

/** An entry of openstack-image-manager: one image per version, `<name><separator><version>`. Its `enable: false` holds here too. */
function managedImages(entry: Value, credentials: Credentials): readonly NamedImage[] {
  if (fieldAt(entry, 'enable') === false) return []
  const separator = textAt(entry, 'separator') || ' '
  return itemsAt(entry, 'versions').flatMap((version) => {
    const url = textAt(version, 'url')
    const [, algorithm = '', digest = ''] =
      /^(md5|sha1|sha256|sha512):([0-9a-f]+)$/.exec(textAt(version, 'checksum')) ?? []
    const name = `${textAt(entry, 'name')}${separator}${textAt(version, 'version')}`
    if (url === '' || !isObjectName(name)) return []
    const hash =
      digest === ''
        ? undefined
        : dict([
            ['algorithm', algorithm],
            ['value', digest],
          ])
    // the manager converts to `format`; the controller uploads what it finds
    const content = { url, diskFormat: /\.(qcow2|raw|iso|vmdk|vdi)\b/.exec(url)?.[1] ?? 'qcow2', hash }
    return [
      {
        name,
        object: imageObject(name, { credentials, visibility: 'private', content, properties: propertiesOf(entry) }),
      },
    ]
  })
}

function providerImage(entry: Value, credentials: Credentials): readonly NamedImage[] {
  const url = textAt(entry, 'url')
  const name = textAt(entry, 'createOpts', 'name')
  if (url === '' || !isObjectName(name)) return []
  const visibility = textAt(entry, 'createOpts', 'visibility') || 'private'
  const content = { url, diskFormat: textAt(entry, 'createOpts', 'disk_format') || 'qcow2', hash: undefined }
  return [{ name, object: imageObject(name, { credentials, visibility, content, properties: new Dict() }) }]
}

function isObjectName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)
}

interface ImageContent {
  readonly credentials: Credentials
  readonly visibility: string
  readonly content: { readonly url: string; readonly diskFormat: string; readonly hash: Dict | undefined }
  readonly properties: Dict
}

function imageObject(name: string, { credentials, visibility, content, properties }: ImageContent): Dict {
  const { url, diskFormat, hash } = content
  const download = dict([['url', url], ...(hash === undefined ? [] : [['hash', hash] as const])])
  return dict([
    ['apiVersion', IMAGE_API],
    ['kind', 'Image'],
    ['metadata', dict([['name', name]])],
    [
      'spec',
      dict([
        ['cloudCredentialsRef', credentialsRef(credentials)],
        ['managementPolicy', 'managed'],
        [
          'resource',
          dict([
            ['visibility', visibility],
            ...(properties.size === 0 ? [] : [['properties', properties] as const]),
            [
              'content',
              dict([
                ['diskFormat', diskFormat],
                ['download', download],
              ]),
            ],
          ]),
        ],
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

function propertiesOf(entry: Value): Dict {
  const hardware = new Dict()
  for (const [from, to] of HARDWARE)
    if (textAt(entry, 'meta', from) !== '') hardware.set(to, textAt(entry, 'meta', from))
  const system = new Dict()
  for (const [from, to] of [
    ['os_distro', 'distro'],
    ['os_version', 'version'],
  ] as const)
    if (textAt(entry, 'meta', from) !== '') system.set(to, textAt(entry, 'meta', from))
  const properties = new Dict()
  const put = (name: string, value: Value | undefined): void => {
    if (value !== undefined && value !== '') properties.set(name, copyValue(value))
  }
  put('architecture', textAt(entry, 'meta', 'architecture'))
  put('hypervisorType', textAt(entry, 'meta', 'hypervisor_type'))
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
