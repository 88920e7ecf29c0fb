import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommittedFile, PlannedTree, TreeChange } from '../model/git-writer.ts'
import { checkTreePath } from './node-git-publish-tree.ts'
import { decode, type WriterGit } from './node-git-run.ts'

/** The entries of a folder, by name; a name need not be text, so each of its bytes is a character. */
type Folder = ReadonlyMap<string, FolderEntry>

interface FolderEntry {
  readonly mode: number
  readonly id: string
}

const [FILE, FOLDER] = [0o100644, 0o040000]
const EMPTY: Folder = new Map()

/**
 * Plans trees that differ in few files from those of commits, without a run of git for each: what git would make of
 * them is computed here, as its object format says, and nothing is written. No filter runs, and no line ending changes.
 * @throws GitWriteError unsafe-path
 */
export async function planTrees(git: WriterGit, changes: readonly TreeChange[]): Promise<readonly PlannedTree[]> {
  const folders = new KnownFolders(git)
  const contents = new Map<string, Promise<string>>()
  const planned: PlannedTree[] = []
  for (const { base, graft, files } of changes) {
    const format = await formatOf(git, base)
    const contentOf = (path: string): Promise<string> => {
      const known = contents.get(path) ?? readFile(path).then((bytes) => idOf('blob', bytes, format))
      contents.set(path, known)
      return known
    }
    const edits = new FolderEdits()
    if (graft !== undefined)
      edits.put(graft.folder, graft.tree === undefined ? 'nothing' : { mode: FOLDER, id: graft.tree })
    for (const { path, from } of removedFirst(files))
      edits.put(path, from === undefined ? 'no file' : { mode: FILE, id: await contentOf(from) })
    const made = new Map<string, Uint8Array>()
    const note = (folder: Folder): string => {
      const bytes = treeBytes(folder)
      const id = idOf('tree', bytes, format)
      if (!folders.has(id)) made.set(id, bytes)
      return id
    }
    const root = await edits.applyTo(base === undefined ? EMPTY : await folders.of(base), { folders, note })
    const blobs = new Map<string, string>()
    for (const { from } of files) if (from !== undefined) blobs.set(from, await contentOf(from))
    planned.push({ id: note(root), folders: made, blobs })
  }
  return planned
}

/** Puts removals first: they make room for new files. */
function removedFirst(files: readonly CommittedFile[]): readonly CommittedFile[] {
  return [...files.filter(({ from }) => from === undefined), ...files.filter(({ from }) => from !== undefined)]
}

/** Writes what planned trees have that the repository may lack; `scratch` is a folder for that. */
export async function writeTrees(git: WriterGit, trees: readonly PlannedTree[], scratch: string): Promise<void> {
  await writeObjects(git, 'blob', new Map(trees.flatMap(({ blobs }) => [...blobs])))
  const folders = new Map<string, string>()
  for (const [id, bytes] of new Map(trees.flatMap((tree) => [...tree.folders]))) {
    const file = join(scratch, String(folders.size))
    await writeFile(file, bytes)
    folders.set(file, id)
  }
  await writeObjects(git, 'tree', folders)
}

/** Keeps the content of files as objects. @throws Error when one is another than it was */
async function writeObjects(git: WriterGit, type: 'blob' | 'tree', files: ReadonlyMap<string, string>): Promise<void> {
  if (files.size === 0) return
  // objects are looked at by themselves: a partial clone has not all that they name
  const args = ['hash-object', '-w', '-t', type, '--no-filters', '--stdin-paths']
  const input = Array.from(files.keys(), (path) => `${path}\n`).join('')
  const written = decode((await git(args, { input })).out)
    .trimEnd()
    .split('\n')
  const wanted = [...files.values()]
  if (written.length !== wanted.length || written.some((id, index) => id !== wanted[index]))
    throw new Error(`git has made another ${type} of a file than was planned`)
}

/** Folders of commits, listed once. */
class KnownFolders {
  readonly #git: WriterGit
  readonly #folders = new Map<string, Folder>()
  readonly #listed = new Map<string, Promise<Folder>>()

  constructor(git: WriterGit) {
    this.#git = git
  }

  has(id: string): boolean {
    return this.#folders.has(id)
  }

  /** The folder of a tree, or the root of a commit. */
  async of(id: string): Promise<Folder> {
    const known = this.#folders.get(id)
    if (known !== undefined) return known
    const listed = this.#listed.get(id) ?? this.#list(id)
    this.#listed.set(id, listed)
    return listed
  }

  async #list(id: string): Promise<Folder> {
    const { out } = await this.#git(['ls-tree', '-r', '-t', '-z', '--full-tree', id])
    const printed = Buffer.from(out.buffer, out.byteOffset, out.byteLength)
    const byPath = new Map<string, Map<string, FolderEntry>>([['', new Map()]])
    for (let at = 0, end = printed.indexOf(0); end !== -1; at = end + 1, end = printed.indexOf(0, at)) {
      const tab = printed.indexOf(0x09, at)
      const [mode = '', , object = ''] = printed.toString('latin1', at, tab).split(' ')
      const path = printed.toString('latin1', tab + 1, end)
      const cut = path.lastIndexOf('/')
      const entry = { mode: Number.parseInt(mode, 8), id: object }
      byPath.get(cut === -1 ? '' : path.slice(0, cut))?.set(path.slice(cut + 1), entry)
      if (entry.mode !== FOLDER) continue
      const below = new Map<string, FolderEntry>()
      byPath.set(path, below)
      this.#folders.set(object, below)
    }
    return byPath.get('') ?? EMPTY
  }
}

interface EditContext {
  readonly folders: KnownFolders
  /** Takes a folder that may be new, and gives its id. */
  readonly note: (folder: Folder) => string
}

/** The entry that a path is to have; `no file`: a folder may stay. */
type NewEntry = FolderEntry | 'no file' | 'nothing'

/** The changes in a folder and below. */
class FolderEdits {
  readonly #entries = new Map<string, NewEntry>()
  readonly #below = new Map<string, FolderEdits>()

  /** Puts an entry at a path. @throws GitWriteError unsafe-path */
  put(path: string, entry: NewEntry): void {
    const bytes = Buffer.from(path)
    checkTreePath(bytes)
    const names = bytes.toString('latin1').split('/')
    const [last = ''] = names.splice(-1)
    names.reduce<FolderEdits>((edits, name) => edits.#in(name), this).#entries.set(last, entry)
  }

  #in(name: string): FolderEdits {
    const known = this.#below.get(name) ?? new FolderEdits()
    this.#below.set(name, known)
    return known
  }

  async applyTo(folder: Folder, context: EditContext): Promise<Folder> {
    const changed = new Map(folder)
    for (const [name, entry] of this.#entries) {
      if (typeof entry !== 'string') changed.set(name, entry)
      else if (entry === 'nothing' || folder.get(name)?.mode !== FOLDER) changed.delete(name)
    }
    for (const [name, edits] of this.#below) {
      const there = changed.get(name)
      const was = there?.mode === FOLDER ? await context.folders.of(there.id) : EMPTY
      const below = await edits.applyTo(was, context)
      // a file in whose place something comes goes; where nothing comes it stays
      if (below.size > 0) changed.set(name, { mode: FOLDER, id: context.note(below) })
      else if (there?.mode === FOLDER) changed.delete(name)
    }
    return changed
  }
}

/** The content of a tree object: `<mode> <name>`, a zero byte, the id as bytes; in git's order. */
function treeBytes(folder: Folder): Uint8Array {
  const key = (name: string, { mode }: FolderEntry): Buffer =>
    Buffer.from(mode === FOLDER ? `${name}/` : name, 'latin1')
  const sorted = Array.from(folder, ([name, entry]) => ({ name, entry, key: key(name, entry) }))
  sorted.sort((a, b) => Buffer.compare(a.key, b.key))
  return Buffer.concat(
    sorted.flatMap(({ name, entry: { mode, id } }) => [
      Buffer.from(`${mode.toString(8)} ${name}\0`, 'latin1'),
      Buffer.from(id, 'hex'),
    ]),
  )
}

type ObjectFormat = 'sha1' | 'sha256'

async function formatOf(git: WriterGit, known: string | undefined): Promise<ObjectFormat> {
  const format =
    known === undefined
      ? decode((await git(['rev-parse', '--show-object-format'])).out).trim()
      : known.length === 64
        ? 'sha256'
        : 'sha1'
  return format === 'sha256' ? 'sha256' : 'sha1'
}

function idOf(type: 'blob' | 'tree', bytes: Uint8Array, format: ObjectFormat): string {
  return createHash(format)
    .update(`${type} ${String(bytes.length)}\0`)
    .update(bytes)
    .digest('hex')
}
