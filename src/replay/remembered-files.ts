import { type DirectoryEntry, type Files, SIGNATURE_LENGTH } from '../model/ports.ts'
import { parseEntries } from './entry-text.ts'
import type { PathRange } from './observations.ts'
import type { RunRecord } from './run-record.ts'
import { isYoung, signatureAt } from './signature.ts'

/** The contents of files and folders that nobody has changed since an earlier run. */
export interface RememberedFiles {
  /** The signature that a path has now, where it is the one that was noted. */
  readonly signatureOf: (path: string) => Float64Array | undefined
  /** sha256 of a file, hex; undefined where nothing is known of it as it is now. */
  readonly hashOf: (path: string, signature: Float64Array) => string | undefined
  /** The entries of a folder; undefined where nothing is known of its present state. */
  readonly entriesOf: (path: string, signature: Float64Array) => readonly DirectoryEntry[] | undefined
  /** The digest of a tree, and the paths that say so; undefined where any of them is another one now. */
  readonly treeAt: (
    key: string,
    root: string,
  ) => { readonly digest: string; readonly paths: readonly PathRange[] } | undefined
  /** True if the digest of a tree was kept. */
  readonly hasTree: (key: string) => boolean
  /** Something is changed: what was looked at before says nothing any more. */
  readonly forget: () => void
}

/** Nothing is known. */
export const nothingRemembered: RememberedFiles = {
  signatureOf: () => undefined,
  hashOf: () => undefined,
  entriesOf: () => undefined,
  treeAt: () => undefined,
  hasTree: () => false,
  forget: () => undefined,
}

/** Paths that are looked at before anybody else has a turn. */
const AT_ONCE = 4096

/** Says of each path of a record whether it has the signature that was noted: 1 where it has. */
export async function comparePaths(
  { paths, signatures }: Pick<RunRecord, 'paths' | 'signatures'>,
  files: Pick<Files, 'signatures'>,
): Promise<Uint8Array> {
  const same = new Uint8Array(paths.length)
  if (signatures.length !== paths.length * SIGNATURE_LENGTH) return same
  for (let from = 0; from < paths.length; from += AT_ONCE) {
    const some = paths.slice(from, from + AT_ONCE)
    const now = await files.signatures(some)
    for (let index = 0; index < some.length; index++) same[from + index] = isSame(now, index, signatures, from + index)
  }
  return same
}

function isSame(one: Float64Array, at: number, other: Float64Array, otherAt: number): 0 | 1 {
  const [from, otherFrom] = [at * SIGNATURE_LENGTH, otherAt * SIGNATURE_LENGTH]
  for (let part = 0; part < SIGNATURE_LENGTH; part++) if (one[from + part] !== other[otherFrom + part]) return 0
  return 1
}

/** Reads the record of a run. A signature that was young then tells nothing. */
export function rememberFiles(record: RunRecord, same: Uint8Array): RememberedFiles {
  const { paths, signatures, hashes, entries, trees, started } = record
  let isForgotten = false
  const isSettled = (index: number): boolean => same[index] === 1 && !isYoung(signatureAt(record, index), started)
  const isKnown = (path: string, signature: Float64Array): boolean => {
    const index = paths.indexOf(path)
    return index !== undefined && isSame(signature, 0, signatures, index) === 1 && !isYoung(signature, started)
  }
  return {
    signatureOf: (path) => {
      const index = isForgotten ? undefined : paths.indexOf(path)
      return index === undefined || same[index] !== 1 ? undefined : signatureAt(record, index)
    },
    hashOf: (path, signature) => (isKnown(path, signature) ? hashes.get(path) : undefined),
    entriesOf: (path, signature) => {
      const listed = entries.get(path)
      return listed === undefined || !isKnown(path, signature) ? undefined : parseEntries(listed)
    },
    treeAt: (key, root) => {
      const digest = isForgotten ? undefined : trees.get(key)
      const own = paths.indexOf(root)
      if (digest === undefined || own === undefined) return undefined
      const ranges: readonly PathRange[] = [[own, own + 1], paths.below(root)]
      for (const [from, to] of ranges)
        for (let index = from; index < to; index++) if (!isSettled(index)) return undefined
      return { digest, paths: ranges }
    },
    hasTree: (key) => trees.has(key),
    forget: () => {
      isForgotten = true
    },
  }
}
