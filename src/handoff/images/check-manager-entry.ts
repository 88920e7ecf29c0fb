import type { Diagnostic } from '../../model/diagnostic.ts'
import { fieldAt } from '../../model/field.ts'
import { GoInt, type Value } from '../../model/value.ts'
import { isYamlDate, type ManagerEntry } from './read-manager-entries.ts'

/** The demand on a field: the test, and the words for it. */
interface Demand {
  readonly field: readonly [string, ...string[]]
  readonly is: (value: Value) => boolean
  readonly words: string
}

const text = (...field: Demand['field']): Demand => ({ field, is: (value) => typeof value === 'string', words: 'text' })
const flag = (...field: Demand['field']): Demand => ({
  field,
  is: (value) => typeof value === 'boolean',
  words: 'true or false',
})
const count = (...field: Demand['field']): Demand => ({
  field,
  is: (value) => value instanceof GoInt && value.value >= 0n,
  words: 'a whole number from 0',
})
const choice = (field: string, words: readonly string[]): Demand => ({
  field: [field],
  is: (value) => typeof value === 'string' && words.includes(value),
  words: `one of ${words.join(', ')}`,
})

/**
 * The demands of openstack-image-manager on an image. Rule: its etc/schema.yaml; what it takes for the fields of `meta`
 * grows with its versions, so that is left to it.
 */
const IMAGE: readonly Demand[] = [
  text('name'),
  flag('enable'),
  choice('format', ['aki', 'ari', 'ami', 'raw', 'iso', 'vhd', 'vdi', 'qcow2', 'vmdk']),
  text('login'),
  count('min_disk'),
  count('min_ram'),
  { field: ['multi'], is: (value) => value === false, words: 'false, else the image gets another name in the cloud' },
  choice('status', ['active', 'deactivated']),
  choice('visibility', ['public', 'private', 'community', 'shared']),
  { field: ['tags'], is: (value) => isTexts(value), words: 'a list of texts' },
  text('meta', 'architecture'),
  {
    field: ['meta', 'hw_disk_bus'],
    is: (value) => value === null || typeof value === 'string',
    words: 'text or null',
  },
  text('meta', 'hypervisor_type'),
  text('meta', 'os_distro'),
  text('meta', 'os_purpose'),
  text('meta', 'provided_until'),
  text('meta', 'replace_frequency'),
  text('meta', 'uuid_validity'),
]

const URL = /^(?:(?:http|ftp)s?:\/\/|file:(?:\/\/\/)?)\w/
const CHECKSUM = /^\w+:(?:[a-f0-9]{32}|[a-f0-9]{40}|[a-f0-9]{64}|[a-f0-9]{128})$/

/** The same of a version. */
const VERSION: readonly Demand[] = [
  text('version'),
  { field: ['url'], is: (value) => typeof value === 'string' && URL.test(value), words: 'an address' },
  { field: ['build_date'], is: isYamlDate, words: 'a date such as 2026-03-20' },
]

/** The demands of openstack-image-manager on an image and on a version of it, in the words of its format. */
export const DEMANDED_FIELDS: readonly string[] = [...IMAGE, ...VERSION].map(({ field }) => field.join('.'))

/**
 * The problems that keep openstack-image-manager from accepting an entry, each with its position. A missing checksum is
 * a warning: nothing would notice other content.
 */
export function checkManagerEntry(entry: ManagerEntry): readonly Diagnostic[] {
  const { version, name } = entry
  const problem = (of: 'image' | 'version', { field, words }: Pick<Demand, 'field' | 'words'>): Diagnostic => {
    const isMissing = fieldAt(entry[of], ...field) === undefined
    const shown = field.join('.')
    return {
      code: 'NODE_IMAGE_EXPORT',
      severity: 'error',
      message: isMissing
        ? `node image "${name}" has no \`${shown}\`, which openstack-image-manager demands`
        : `\`${shown}\` of node image "${name}" must be ${words}`,
      at: entry.spanOf(of, ...(isMissing ? [] : field)),
      hint: `Write \`${shown}\` into this entry: ${words}.`,
    }
  }
  const failed = (of: 'image' | 'version', demands: readonly Demand[]): readonly Diagnostic[] =>
    demands
      .filter(({ field, is }) => {
        const value = fieldAt(entry[of], ...field)
        return value === undefined || !is(value)
      })
      .map((demand) => problem(of, demand))
  const checksum = version.get('checksum')
  const unchecked: Diagnostic = {
    code: 'NODE_IMAGE_EXPORT',
    severity: 'warning',
    message: `node image "${name}" has no \`checksum\`, so nobody would notice that its address gives something else`,
    at: entry.spanOf('version'),
    hint: 'Write `checksum: "sha256:…"` into this entry.',
  }
  const isChecksum = typeof checksum === 'string' && CHECKSUM.test(checksum)
  return [
    ...failed('image', IMAGE),
    ...failed('version', VERSION),
    ...(checksum === undefined
      ? [unchecked]
      : isChecksum
        ? []
        : [problem('version', { field: ['checksum'], words: '`sha256:` and 64 lower-case hexadecimal digits' })]),
  ]
}

function isTexts(value: Value): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
