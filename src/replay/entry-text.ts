import type { DirectoryEntry, FileType } from '../model/ports.ts'

/** The names in a folder and their kinds, as one text. */
export function formatEntries(entries: readonly DirectoryEntry[]): string {
  return entries.map(({ name, type }) => `${type}/${name}`).join('\0')
}

/** The inverse of {@link formatEntries}. */
export function parseEntries(text: string): readonly DirectoryEntry[] {
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
