import { type DirectoryEntry, type FileType, SIGNATURE_LENGTH } from '../model/ports.ts'
import type { RunRecord } from './run-record.ts'
import { isYoung } from './signature.ts'

/** What an earlier run found in files and folders that nobody has changed since. */
export interface RememberedFiles {
  /** sha256 of a file, hex; undefined where nothing is known of it as it is now. */
  readonly hashOf: (path: string, signature: Float64Array) => string | undefined
  /** What lies in a folder; undefined where nothing is known of it as it is now. */
  readonly entriesOf: (path: string, signature: Float64Array) => readonly DirectoryEntry[] | undefined
}

/** Nothing is known. */
export const nothingRemembered: RememberedFiles = { hashOf: () => undefined, entriesOf: () => undefined }

/** What the record of a run knows. A signature that was young then tells nothing. */
export function rememberFiles({ paths, signatures, hashes, entries, started }: RunRecord): RememberedFiles {
  const places = new Map(paths.map((path, index) => [path, index]))
  const isSame = (index: number, signature: Float64Array): boolean => {
    const from = index * SIGNATURE_LENGTH
    for (let part = 0; part < SIGNATURE_LENGTH; part++) if (signature[part] !== signatures[from + part]) return false
    return !isYoung(signature, started)
  }
  return {
    hashOf: (path, signature) => {
      const index = places.get(path)
      if (index === undefined || !isSame(index, signature)) return undefined
      return hashes.get(path)
    },
    entriesOf: (path, signature) => {
      const index = places.get(path)
      const listed = entries.get(path)
      return index === undefined || listed === undefined || !isSame(index, signature) ? undefined : parseEntries(listed)
    },
  }
}

/** The names in a folder and their kinds, as one text. */
export function formatEntries(entries: readonly DirectoryEntry[]): string {
  return entries.map(({ name, type }) => `${type}/${name}`).join('\0')
}

/** The inverse of {@link formatEntries}. */
function parseEntries(text: string): readonly DirectoryEntry[] {
  if (text === '') return []
  return text.split('\0').map((line) => {
    const at = line.indexOf('/')
    return { name: line.slice(at + 1), type: typeOf(line.slice(0, at)) }
  })
}

const types: readonly FileType[] = ['file', 'directory', 'link', 'pipe', 'socket', 'device', 'other']

function typeOf(text: string): FileType {
  return types.find((type) => type === text) ?? 'other'
}
