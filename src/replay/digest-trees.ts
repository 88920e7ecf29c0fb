import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import { joinPath } from '../codec/path.ts'
import { compareBytes } from '../codec/text/text-order.ts'
import type { Crypto } from '../model/ports.ts'
import { digestOfBytes } from './digests.ts'
import type { Observations, ObservedTree } from './observations.ts'
import { parseEntries } from './entry-text.ts'

/** A tree among others of a record. */
export function treeKey({ base, folder }: Pick<ObservedTree, 'base' | 'folder'>): string {
  return `${base}\0${folder}`
}

/**
 * The trees that were asked for whose content is known, by their keys: as an earlier run knew them, or as this one read
 * them.
 */
export function digestTrees(observations: Observations, crypto: Crypto): ReadonlyMap<string, string> {
  const digests = new Map<string, string>()
  for (const [key, tree] of observations.trees) {
    const digest = tree.carried?.digest ?? digestOfTree(tree, observations, crypto)
    if (digest !== undefined) digests.set(key, digest)
  }
  return digests
}

/**
 * As sha256sum lists files: in the byte order of their paths. Undefined where anything is no file or folder, or was not
 * read.
 */
function digestOfTree({ base, folder }: ObservedTree, { paths }: Observations, crypto: Crypto): string | undefined {
  const lines: (readonly [path: string, line: string])[] = []
  const folders = [folder]
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const listed = paths.get(joinPath(base, at))?.entries
    if (listed === undefined) return undefined
    for (const { name, type } of parseEntries(listed)) {
      const path = `${at}/${name}`
      if (type === 'directory') {
        folders.push(path)
        continue
      }
      const hash = type === 'file' ? paths.get(joinPath(base, path))?.hash : undefined
      if (hash === undefined) return undefined
      lines.push([path, `${hash}  ${path}\n`])
    }
  }
  const sorted = lines.sort(([one], [other]) => compareBytes(one, other))
  return digestOfBytes(encodeUtf8(sorted.map(([, line]) => line).join('')), crypto)
}
