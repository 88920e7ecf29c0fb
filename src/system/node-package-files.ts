import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PackageFiles } from '../model/ports.ts'

/** The files of the package that this code belongs to, wherever in it the code lies (`src`, `dist`, a bundle). */
export function createNodePackageFiles(): PackageFiles {
  let found: string | undefined
  const root = (): string => (found ??= findRoot(dirname(fileURLToPath(import.meta.url))))
  return {
    names: async (folder) => {
      const entries = await readdir(join(root(), folder), { withFileTypes: true })
      return entries
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        .sort()
    },
    below: async (folder) => {
      const top = join(root(), folder)
      const entries = await readdir(top, { withFileTypes: true, recursive: true })
      return entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => relative(top, join(parentPath, name)).replaceAll('\\', '/'))
        .sort()
    },
    read: async (path) => new Uint8Array(await readFile(join(root(), path))),
  }
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'templates/handoff'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('the package has no templates')
  return findRoot(parent)
}
