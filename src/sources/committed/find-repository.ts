import { dirName, joinPath } from '../../codec/path.ts'
import type { Ports } from '../../model/ports.ts'

/** The folder above, or this one, that a git repository lies in; undefined if there is none. */
export async function findRepository(folder: string, ports: Pick<Ports, 'files'>): Promise<string | undefined> {
  if ((await ports.files.stat(joinPath(folder, '.git'))) !== undefined) return folder
  const parent = dirName(folder)
  return parent === folder || parent === '' ? undefined : findRepository(parent, ports)
}
