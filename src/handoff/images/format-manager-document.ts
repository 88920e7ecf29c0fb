import { encodeBase64 } from '../../codec/bytes/base64.ts'
import { emitYaml, type EmitRules } from '../../codec/go-yaml/go-yaml-emit.ts'
import { analyzeScalar, readsAsText, writeDoubleQuoted } from '../../codec/go-yaml/go-yaml-style.ts'
import { copyDict } from '../../model/field.ts'
import { dict, Dict, type Value } from '../../model/value.ts'
import { isYamlDate } from './is-yaml-date.ts'
import type { ManagerEntry } from './read-manager-entries.ts'

/**
 * Writes entries as one file for openstack-image-manager: images in the order given, those that agree in everything but their versions as one. Fields keep
 * what they say.
 */
export function formatManagerDocument(entries: readonly ManagerEntry[]): string {
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
