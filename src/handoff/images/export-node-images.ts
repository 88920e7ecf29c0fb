import { encodeBase64 } from '../../codec/bytes/base64.ts'
import { emitYaml, type EmitRules } from '../../codec/go-yaml/go-yaml-emit.ts'
import { analyzeScalar, readsAsText, writeDoubleQuoted } from '../../codec/go-yaml/go-yaml-style.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { fieldAt, textAt, copyDict } from '../../model/field.ts'
import { positionAt } from '../../model/source.ts'
import { Dict, dict, type Value } from '../../model/value.ts'
import { checkManagerEntry, DEMANDED_FIELDS } from './check-manager-entry.ts'
import { type ManagerEntry, isYamlDate } from './read-manager-entries.ts'

/** A node image that openstack-image-manager is to upload. */
export interface ExportedImage {
  /** The name that machines look for in the cloud. */
  readonly name: string
  /** Entries of its name, of whatever release. */
  readonly entries: readonly ManagerEntry[]
  /** Image objects of its name, and where each is said. */
  readonly objects: readonly { readonly object: Dict; readonly origin: Pick<Diagnostic, 'at' | 'file'> }[]
}

/** A file for openstack-image-manager, and what is wrong with it; with an error it is of no use. */
export interface ManagerExport {
  readonly text: string
  readonly findings: readonly Diagnostic[]
}

/**
 * Writes images as a file for openstack-image-manager, which then gives them exactly these names. Only its own entries
 * are written: an Image object lacks fields that the manager demands, and none is invented.
 */
export function exportNodeImages(images: readonly ExportedImage[]): ManagerExport {
  const findings: Diagnostic[] = []
  const chosen: ManagerEntry[] = []
  for (const image of images) {
    const [entry] = image.entries
    if (entry === undefined) {
      findings.push(undescribed(image))
      continue
    }
    findings.push(...checkManagerEntry(entry), ...disagreements(entry, image))
    chosen.push(entry)
  }
  return { text: formatManagerDocument(chosen), findings }
}

/** Where an Image object says what the manager has a field for. Rule: ORC api/v1alpha1 image_types.go. */
const SAID_BY_OBJECT: readonly (readonly [field: string, ...path: readonly string[]])[] = [
  ['name', 'metadata', 'name'],
  ['version', 'metadata', 'name'],
  ['format', 'content', 'diskFormat'],
  ['visibility', 'visibility'],
  ['min_disk', 'properties', 'minDiskGB'],
  ['min_ram', 'properties', 'minMemoryMB'],
  ['url', 'content', 'download', 'url'],
  ['meta.architecture', 'properties', 'architecture'],
  ['meta.hw_disk_bus', 'properties', 'hardware', 'diskBus'],
  ['meta.hypervisor_type', 'properties', 'hypervisorType'],
  ['meta.os_distro', 'properties', 'operatingSystem', 'distro'],
]

function undescribed({ name, objects: [first] }: ExportedImage): Diagnostic {
  const hint =
    'Describe it as an entry of openstack-image-manager: in kubernetes.yaml beside the stack, or in a file that spec.nodeImages of stackmason.yaml names.'
  if (first === undefined) {
    const message = `nothing says what node image "${name}" is, so it cannot be exported`
    return { code: 'NODE_IMAGE_EXPORT', severity: 'error', message, hint }
  }
  const { object, origin } = first
  const said = SAID_BY_OBJECT.filter(([, ...path]) => fieldAt(object, ...inObject(path)) !== undefined)
  const missing = DEMANDED_FIELDS.filter((field) => !said.some(([known]) => known === field))
  return {
    code: 'NODE_IMAGE_EXPORT',
    severity: 'error',
    message: `openstack-image-manager demands of node image "${name}" what nothing says: ${missing.join(', ')}`,
    ...origin,
    hint,
  }
}

function inObject(path: readonly string[]): readonly string[] {
  return path[0] === 'metadata' ? path : ['spec', 'resource', ...path]
}

/** Other descriptions of the same name that mean other content. */
function disagreements(entry: ManagerEntry, { name, entries, objects }: ExportedImage): readonly Diagnostic[] {
  const first = entry.spanOf('version')
  const content = contentOfEntry(entry)
  const location = `${first.source.name}:${String(positionAt(first.source, first.start).line)}`
  const differing = (other: Pick<Diagnostic, 'at' | 'file'>): Diagnostic => ({
    code: 'NODE_IMAGE_MISMATCH',
    severity: 'warning',
    message: `node image "${name}" has another content here than in ${location}, which is exported`,
    ...other,
    hint: 'Content of an image never changes: give the other content another name, or make the two agree.',
  })
  return [
    ...entries
      .filter((other) => !isSame(contentOfEntry(other), content))
      .map((other) => differing({ at: other.spanOf('version') })),
    ...objects
      .filter(({ object }) => !isSame(contentOfObject(object), content))
      .map((other) => differing(other.origin)),
  ]
}

interface Content {
  /** `''` where it is not said. */
  readonly checksum: string
  readonly url: string
}

function contentOfEntry({ version }: ManagerEntry): Content {
  return { checksum: textAt(version, 'checksum'), url: textAt(version, 'url') }
}

function contentOfObject(object: Dict): Content {
  const text = (...path: readonly string[]): string =>
    textAt(object, 'spec', 'resource', 'content', 'download', ...path)
  const digest = text('hash', 'value')
  return { checksum: digest === '' ? '' : `${text('hash', 'algorithm')}:${digest}`, url: text('url') }
}

/**
 * One checksum is one content wherever it comes from; without two of one kind, the addresses are compared. What says
 * neither agrees with all.
 */
function isSame(a: Content, b: Content): boolean {
  const algorithm = ({ checksum }: Content): string => checksum.split(':')[0] ?? ''
  if (a.checksum !== '' && algorithm(a) === algorithm(b)) return a.checksum === b.checksum
  return a.url === '' || b.url === '' || a.url === b.url
}

/**
 * Writes entries as one file for openstack-image-manager: images in the order given, those that agree in everything but
 * their versions as one. Fields keep what they say.
 */
function formatManagerDocument(entries: readonly ManagerEntry[]): string {
  const images = new Map<string, { readonly image: Dict; readonly versions: Value[] }>()
  for (const entry of entries) {
    const image = withDates(entry.image)
    image.delete('versions')
    const key = emitYaml(image, rules)
    const known = images.get(key) ?? { image, versions: [] }
    known.versions.push(withDates(entry.version))
    images.set(key, known)
  }
  const items = [...images.values()].map(({ image, versions }) => dict([...image, ['versions', versions]]))
  return `---\n${emitYaml(dict([['images', items]]), rules)}`
}

/** Begins a text that is to be written as a date; no date begins so. */
const DATE = '\0'

/** A copy in which dates are marked: they must not be quoted, while a text that looks like one must. */
function withDates(object: Dict): Dict {
  const copy = copyDict(object)
  for (const [field, value] of object) {
    if (value instanceof Dict) copy.set(field, withDates(value))
    else if (DATES.has(field) && isYamlDate(value)) copy.set(field, `${DATE}${value}`)
  }
  return copy
}

const DATES: ReadonlySet<string> = new Set(['build_date', 'provided_until', 'uuid_validity'])

const FIRST: readonly string[] = ['name', 'version', 'url', 'checksum', 'build_date']

const rules: EmitRules = {
  // the fields that tell entries apart come first, versions last; the rest as written
  orderKeys: (mapping) => {
    const keys = [...mapping.keys()]
    return [
      ...FIRST.filter((key) => mapping.has(key)),
      ...keys.filter((key) => !FIRST.includes(key) && key !== 'versions'),
      ...keys.filter((key) => key === 'versions'),
    ]
  },
  writeKey: (key) => (isPlain(key) ? key : writeDoubleQuoted(key, { column: 0, indent: 0, width: Infinity })),
  writeString: (text, place) => {
    if (text.startsWith(DATE) && isYamlDate(text.slice(1))) return text.slice(1)
    return isPlain(text) ? text : writeDoubleQuoted(text, place)
  },
  writeNumber: String,
  replaceBytes: encodeBase64,
  width: Infinity,
  sequenceIndent: 2,
}

/** PyYAML, which the manager reads with, has types of their own for two texts. */
const SPECIAL: readonly string[] = ['=', '<<']

function isPlain(text: string): boolean {
  const { isPlainAllowed, isMultiline } = analyzeScalar(text, 'v2')
  return readsAsText(text) && isPlainAllowed && !isMultiline && !SPECIAL.includes(text)
}
