import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const kept = join(root, '.cache/installed-package')

/** The digest of all that is packed, and of what makes it. */
function digestOfInputs(): string {
  const { files }: { readonly files: readonly string[] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const made = ['src', 'tools', 'tsconfig.json', 'package.json', 'package-lock.json']
  const hash = createHash('sha256')
  for (const top of [...files.filter((name) => name !== 'dist' && !name.startsWith('!')), ...made]) {
    const path = join(root, top)
    const below = statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }).sort() : ['']
    for (const name of below) {
      const file = join(path, name)
      if (!statSync(file).isFile()) continue
      const bytes = readFileSync(file)
      hash.update(`${top}/${name} ${String(bytes.length)}\n`).update(bytes)
    }
  }
  return hash.digest('hex')
}

function tar(words: readonly string[]): boolean {
  return spawnSync('tar', words, { stdio: 'ignore' }).status === 0
}

/**
 * Puts into the folder what another version of Node packed and installed from the same tree, and tells whether there
 * was such. What the same version made is never taken, so a run that starts with it always packs and installs.
 */
export function installedOfOtherNode(folder: string): boolean {
  if (!existsSync(kept)) return false
  const digest = digestOfInputs()
  const own = `${digest}-${process.version}.tar`
  const name = readdirSync(kept).find((each) => each.startsWith(`${digest}-`) && each.endsWith('.tar') && each !== own)
  return name !== undefined && tar(['-xf', join(kept, name), '-C', folder])
}

/**
 * Fills the folder, and keeps what then lies in it for other versions of Node: as an archive, because a program that is
 * installed inside of the tree would find the packages of the tree.
 */
export function keepInstalled(folder: string, fill: () => void): void {
  rmSync(kept, { recursive: true, force: true })
  const digest = digestOfInputs()
  fill()
  mkdirSync(kept, { recursive: true })
  const partial = join(kept, 'partial')
  // without tar, the other version packs again
  if (tar(['-cf', partial, '-C', folder, '.']) && digestOfInputs() === digest)
    renameSync(partial, join(kept, `${digest}-${process.version}.tar`))
}
