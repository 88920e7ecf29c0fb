import { createHash } from 'node:crypto'
import { GitError, type GitFile } from '../model/git.ts'

/** An object as git prints it. */
export interface GitObject {
  readonly type: string
  readonly bytes: Uint8Array
}

type ReadObjects = (ids: readonly string[]) => Promise<ReadonlyMap<string, GitObject>>

/**
 * The objects by their ids, each one checked: git itself believes what lies under an id, and others may write to a
 * cache. @throws GitError other
 */
export function verified<Objects extends ReadonlyMap<string, GitObject>>(objects: Objects): Objects {
  for (const [id, { type, bytes }] of objects) {
    const hash = createHash(id.length === 64 ? 'sha256' : 'sha1')
    hash.update(`${type} ${String(bytes.length)}\0`).update(bytes)
    if (hash.digest('hex') !== id) throw damaged(id, 'its content is that of another')
  }
  return objects
}

/** The objects that a commit holds as git says, to be checked. */
interface Listed {
  readonly commit: string
  /** Ids of all folders but the root. */
  readonly trees: Iterable<string>
  /** By the ids of blobs. */
  readonly sizes: ReadonlyMap<string, number>
}

/**
 * The files of a commit as its own objects name them, from its id down; git's listing only says what to read.
 * @throws GitError other when an object is damaged
 */
export async function verifiedFiles({ commit, trees, sizes }: Listed, read: ReadObjects): Promise<readonly GitFile[]> {
  const heads = verified(await read([commit]))
  const head = heads.get(commit)
  const root = head?.type === 'commit' ? treeOf(head.bytes) : undefined
  if (root === undefined) throw damaged(commit, 'it is no commit')
  const objects = verified(await read([...new Set([root, ...trees])]))
  const files: GitFile[] = []
  const walk = (id: string, prefix: string): void => {
    const tree = objects.get(id)
    if (tree?.type !== 'tree') throw damaged(id, 'it is no folder')
    for (const { mode, name, object } of entriesOf(tree.bytes, id)) {
      const path = `${prefix}${name}`
      if (mode === '40000') {
        walk(object, `${path}/`)
        continue
      }
      const size = mode === '160000' ? 0 : sizes.get(object)
      if (size === undefined) throw damaged(object, 'it is not there')
      files.push({ path, mode: modeOf(mode), size, object })
    }
  }
  walk(root, '')
  return files
}

interface TreeEntry {
  readonly mode: string
  readonly name: string
  readonly object: string
}

/** `<mode> <name>`, a zero byte, and the id in bytes; for each. */
function entriesOf(bytes: Uint8Array, id: string): readonly TreeEntry[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const entries: TreeEntry[] = []
  for (let at = 0; at < buffer.length;) {
    const space = buffer.indexOf(0x20, at)
    const end = buffer.indexOf(0, space)
    const next = end + 1 + id.length / 2
    if (space === -1 || end === -1 || next > buffer.length) throw damaged(id, 'it is cut off')
    const mode = buffer.toString('latin1', at, space)
    entries.push({ mode, name: buffer.toString('utf8', space + 1, end), object: buffer.toString('hex', end + 1, next) })
    at = next
  }
  return entries
}

function treeOf(commit: Uint8Array): string | undefined {
  return /^tree ([0-9a-f]{40,64})\n/.exec(Buffer.from(commit.subarray(0, 80)).toString('latin1'))?.[1]
}

function modeOf(mode: string): GitFile['mode'] {
  if (mode === '120000') return 'link'
  if (mode === '160000') return 'submodule'
  return mode === '100755' ? 'executable' : 'file'
}

function damaged(id: string, reason: string): GitError {
  return new GitError('other', `the object ${id} of the cached repository is damaged: ${reason}`)
}
