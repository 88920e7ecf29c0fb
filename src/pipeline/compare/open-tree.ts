import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { formatHex } from '../../codec/bytes/hex.ts'
import { joinPath } from '../../codec/path.ts'
import type { FileIds } from '../../diff/plan-reading.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { listedProblem } from '../../model/file-problem.ts'
import { GitError } from '../../model/git.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { CLUSTERS, HANDOFF, STACKS } from '../../model/tree-path.ts'
import { gitProblem } from '../../sources/committed/tree-files.ts'
import { CONTROL_FOLDER } from '../../write/control-folder.ts'
import { mapConcurrently } from '../../write/map-concurrently.ts'

/** A rendered tree, of which files are read when they are asked for. */
export interface OpenTree {
  /** Its name for people. */
  readonly label: string
  /** Ids of all files, as git has them. */
  readonly files: FileIds
  /** Texts by path. */
  readonly read: (paths: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>
}

/** Those files of a tree that lie in some of its folders; `''` is all of it. */
export function partOfTree(tree: OpenTree, folders: readonly string[]): OpenTree {
  if (folders.includes('')) return tree
  const starts = folders.map((folder) => `${folder}/`)
  const files = new Map([...tree.files].filter(([path]) => starts.some((start) => path.startsWith(start))))
  return { ...tree, files }
}

/** The hash by which a repository names its blobs. */
export type BlobHash = 'sha1' | 'sha256'

/** Hexadecimal digits of an id. */
const ID_LENGTH: Readonly<Record<BlobHash, number>> = { sha1: 40, sha256: 64 }

type TreePorts = Pick<Ports, 'files' | 'git' | 'crypto'>

/**
 * Opens the tree in a folder (absolute) as a commit has it that people name: HEAD has to be one, or to be told apart.
 * @throws StackmasonError BASE_UNKNOWN also where there is no repository, GIT_FAILED
 */
export async function openNamedRevision(output: string, revision: string, ports: TreePorts): Promise<OpenTree> {
  if (!(await asking(output, ports.git.isInRepository(output)))) throw noRepository(revision)
  const opened = await openRevision(output, revision, ports)
  const isBorn = revision !== 'HEAD' || opened.files.size > 0 || (await asking(output, hasCommit(output, ports)))
  return isBorn ? opened : { ...opened, label: 'nothing committed yet' }
}

/** The part of a commit's tree that is opened: what lies in some folders, and files of which it is known. */
interface TreePart {
  readonly within: readonly string[]
  readonly known: FileIds
}

/**
 * Opens the tree in a folder (absolute) as a commit has it, or a part of that; HEAD is empty where nothing is
 * committed.
 * @throws StackmasonError BASE_UNKNOWN, GIT_FAILED
 */
export async function openRevision(
  output: string,
  revision: string,
  ports: TreePorts,
  part?: TreePart,
): Promise<OpenTree> {
  // without a revision, a folder without a commit has no files
  const commit = revision === 'HEAD' ? undefined : revision
  const listed = await asking(output, ports.git.listCommitted(output, commit, part?.within))
  const files = part === undefined ? listed : new Map([...part.known, ...listed])
  return {
    label: revision,
    files,
    read: async (paths) => {
      const ids = new Map(
        [...paths].flatMap((path) => {
          const id = files.get(path)
          return id === undefined ? [] : [[path, id] as const]
        }),
      )
      const blobs = await asking(output, ports.git.readBlobs(output, [...new Set(ids.values())]))
      const texts = new Map<string, string>()
      for (const [id, bytes] of blobs) texts.set(id, decodeUtf8(bytes))
      return new Map([...ids].map(([path, id]) => [path, texts.get(id) ?? '']))
    },
  }
}

async function asking<Result>(output: string, asked: Promise<Result>): Promise<Result> {
  try {
    return await asked
  } catch (error) {
    throw error instanceof GitError ? gitProblem(error, output) : error
  }
}

/** True if the repository around a folder has a last commit. */
async function hasCommit(output: string, { git }: TreePorts): Promise<boolean> {
  try {
    await git.listCommitted(output, 'HEAD')
    return true
  } catch (error) {
    if (error instanceof GitError && error.reason === 'no-such-ref') return false
    throw error
  }
}

function noRepository(revision: string): StackmasonError {
  return new StackmasonError({
    code: 'BASE_UNKNOWN',
    severity: 'error',
    message: `there is no revision ${JSON.stringify(revision)}: the folder is in no git repository`,
    hint: 'Compare two folders, such as `stackmason diff ../before/rendered ./rendered`, or put the fleet under git (`git init`).',
  })
}

/**
 * Opens the tree on disk in a folder (absolute). What git's index knows of files that nobody has touched is believed,
 * as git believes it; all others are read.
 * @throws StackmasonError FILE_UNREADABLE
 */
export async function openFolder(
  output: string,
  { label, hash, ports }: { readonly label: string; readonly hash: BlobHash; readonly ports: TreePorts },
): Promise<OpenTree> {
  const bytesOf = async (path: string): Promise<Uint8Array> => reading(joinPath(output, path), ports.files.read)
  // git answers while the folder is listed
  const [unchanged, paths] = await Promise.all([ports.git.listUnchanged(output), filesBelow(output, ports)])
  const others = paths.filter((path) => unchanged.get(path)?.length !== ID_LENGTH[hash])
  const ids = await mapConcurrently(others, async (path) => blobId(await bytesOf(path), { hash, ports }))
  const own = new Map(others.map((path, index) => [path, ids[index] ?? '']))
  const files = new Map(paths.map((path) => [path, own.get(path) ?? unchanged.get(path) ?? '']))
  return {
    label,
    files,
    read: async (wanted) => {
      const list = [...wanted].filter((path) => files.has(path))
      const texts = await mapConcurrently(list, async (path) => decodeUtf8(await bytesOf(path)))
      return new Map(list.map((path, index) => [path, texts[index] ?? '']))
    },
  }
}

/** The hash of the repository that a tree is of; a tree of no repository has any. */
export function hashOf(files: FileIds): BlobHash {
  const [first = ''] = files.values()
  return first.length === 64 ? 'sha256' : 'sha1'
}

/** The id that git gives a blob: of a head with its size, and the content. */
export function blobId(
  bytes: Uint8Array,
  { hash, ports }: { readonly hash: BlobHash; readonly ports: Pick<Ports, 'crypto'> },
): string {
  const head = encodeUtf8(`blob ${String(bytes.length)}\0`)
  const whole = new Uint8Array(head.length + bytes.length)
  whole.set(head)
  whole.set(bytes, head.length)
  return formatHex(ports.crypto.hash(hash, whole))
}

/** True if a folder of the tree's own layout is there. */
export async function looksLikeTree(output: string, { files }: Pick<Ports, 'files'>): Promise<boolean> {
  const found = await Promise.all([CLUSTERS, STACKS, HANDOFF].map((folder) => files.stat(joinPath(output, folder))))
  return found.some((stat) => stat?.type === 'directory')
}

/** All files of the tree's layout, sorted; links are not followed. */
async function filesBelow(output: string, ports: Pick<Ports, 'files'>): Promise<readonly string[]> {
  const paths: string[] = []
  const walk = async (below: string): Promise<void> => {
    for (const { name, type } of await reading(joinPath(output, below), ports.files.entries)) {
      const path = below === '' ? name : `${below}/${name}`
      if (type === 'directory' && name !== '.git' && name !== CONTROL_FOLDER) await walk(path)
      else if (type === 'file') paths.push(path)
    }
  }
  if ((await ports.files.stat(output)) !== undefined) await walk('')
  return paths
}

/** @throws StackmasonError FILE_UNREADABLE */
async function reading<Result>(path: string, read: (path: string) => Promise<Result>): Promise<Result> {
  try {
    return await read(path)
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    const { reason, hint } = listedProblem(error)
    throw new StackmasonError(
      { code: 'FILE_UNREADABLE', severity: 'error', message: `the file cannot be read: ${reason}`, file: path, hint },
      { cause: error },
    )
  }
}
