import { lstatSync, type Stats } from 'node:fs'

/** True of a folder, or a file, that is the user's own and that nobody else can write; links are neither. */
export function isPrivate(stat: Stats, type: 'folder' | 'file'): boolean {
  if (type === 'folder' ? !stat.isDirectory() : !stat.isFile()) return false
  const own = process.getuid?.()
  return own === undefined || (stat.uid === own && (stat.mode & 0o022) === 0)
}

/** The same of what lies at a path; false where nothing does. */
export function isPrivateAt(path: string, type: 'folder' | 'file'): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat !== undefined && isPrivate(stat, type)
}
