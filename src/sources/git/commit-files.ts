import { isInside, joinPath } from '../../codec/path.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { GitFile } from '../../model/git.ts'
import { FileError, type DirectoryEntry, type FileType } from '../../model/ports.ts'
import type { FolderFiles } from '../release/read-folder.ts'

/** A commit to read from. */
export interface CommitContent {
  /** How messages call a path of the repository. */
  readonly addressOf: (path: string) => string
  readonly files: readonly GitFile[]
  readonly readBlobs: (objects: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>
}

/** The files of a commit, `/` being the repository's root. */
export interface CommitFiles extends FolderFiles {
  /**
   * Reads all files below the folder at once, as far as they are no larger than `maxBytes` together; for what follows.
   */
  readonly preload: (folder: string, maxBytes: number) => Promise<void>
}

const MAX_LINKS = 40
/** A path longer than this leads nowhere. */
const MAX_LINK_BYTES = 4096
const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1\n'

/**
 * Lets the files of a commit be read like those of a folder, with the same rules: links are followed inside the
 * repository, and refused where they lead out of it. Nothing is checked out, so no attribute, filter or hook of the
 * repository counts. What lies elsewhere is refused: submodules, and files kept by Git LFS.
 * @throws StackmasonError FILE_OUTSIDE for paths that lead out of the repository
 */
export function openCommitFiles({ addressOf, files, readBlobs }: CommitContent): CommitFiles {
  const byPath = new Map<string, GitFile>()
  const folders = new Map<string, Map<string, FileType>>([['/', new Map()]])
  const shown = (path: string): string => addressOf(path.replace(/^\/+/, ''))
  for (const file of files) {
    const parts = file.path.split('/')
    if (parts.some((part) => part === '' || part === '.' || part === '..'))
      throw outside(shown(JSON.stringify(file.path)))
    byPath.set(`/${file.path}`, file)
    addToFolders(folders, parts, typeOf(file))
  }
  const blobs = new Map<string, Uint8Array>()
  const blobOf = async ({ object }: GitFile): Promise<Uint8Array> => {
    const bytes = blobs.get(object) ?? (await readBlobs([object])).get(object)
    if (bytes === undefined) throw new Error(`git gave no content for ${object}`)
    return bytes
  }
  const resolve = async (path: string): Promise<string> => {
    let pending = path.split('/').filter((part) => part !== '')
    let at = '/'
    for (let links = 0; pending.length > 0;) {
      const [part = '', ...rest] = pending
      const next = joinPath(at, part)
      const file = byPath.get(next)
      pending = rest
      if (file?.mode === 'submodule') throw elsewhere(shown(next), 'submodule')
      if (file?.mode === 'link') {
        links++
        if (links > MAX_LINKS || file.size > MAX_LINK_BYTES)
          throw new FileError('wrong-type', shown(path), { found: 'link' })
        const target = decodeUtf8(await blobOf(file))
        if (leadsOut(at, target)) throw outside(shown(next))
        pending = [
          ...joinPath(at, target)
            .split('/')
            .filter((step) => step !== ''),
          ...rest,
        ]
        at = '/'
        continue
      }
      if (file !== undefined && rest.length > 0) throw new FileError('wrong-type', shown(path), { found: 'file' })
      if (file === undefined && !folders.has(next))
        throw new FileError('not-found', shown(path), links > 0 ? { found: 'link' } : {})
      at = next
    }
    return at
  }
  return {
    realPath: resolve,
    stat: async (path) => {
      const file = byPath.get(path)
      if (file !== undefined) return { type: typeOf(file), size: file.size, modified: 0 }
      return folders.has(path) ? { type: 'directory', size: 0, modified: 0 } : undefined
    },
    entries: async (path) => {
      const entries = folders.get(path)
      if (entries === undefined) throw new FileError('wrong-type', shown(path), { found: 'file' })
      return [...entries]
        .map(([name, type]): DirectoryEntry => ({ name, type }))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    read: async (path) => {
      const file = byPath.get(path)
      if (file === undefined) throw new FileError('not-found', shown(path))
      const bytes = await blobOf(file)
      if (isLfsPointer(bytes)) throw elsewhere(shown(path), 'lfs')
      return bytes
    },
    preload: async (folder, maxBytes) => {
      const inside = files.filter(({ path, mode }) => mode !== 'submodule' && isInside(folder, `/${path}`))
      if (inside.reduce((sum, { size }) => sum + size, 0) > maxBytes) return
      for (const [object, bytes] of await readBlobs(inside.map(({ object }) => object))) blobs.set(object, bytes)
    },
  }
}

function addToFolders(folders: Map<string, Map<string, FileType>>, parts: readonly string[], type: FileType): void {
  let folder = '/'
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1
    folders.get(folder)?.set(part, isLast ? type : 'directory')
    folder = joinPath(folder, part)
    if (!isLast && !folders.has(folder)) folders.set(folder, new Map())
  }
}

function typeOf({ mode }: GitFile): FileType {
  if (mode === 'link') return 'link'
  return mode === 'submodule' ? 'other' : 'file'
}

/** `joinPath` stops at the root, as the file system of a checkout would not. */
function leadsOut(folder: string, target: string): boolean {
  if (target.startsWith('/') || target.includes('\\') || target.includes('\0')) return true
  const relative = joinPath(folder.slice(1), target)
  return relative === '..' || relative.startsWith('../')
}

function isLfsPointer(bytes: Uint8Array): boolean {
  return bytes.length < 1024 && decodeUtf8(bytes.subarray(0, LFS_POINTER.length)) === LFS_POINTER
}

function outside(file: string): StackmasonError {
  return new StackmasonError({
    code: 'FILE_OUTSIDE',
    severity: 'error',
    message: `${file} leads out of the repository`,
    file,
    hint: 'Put a copy of what it leads to in its place.',
  })
}

const ELSEWHERE: Readonly<Record<'submodule' | 'lfs', Pick<Diagnostic, 'message' | 'hint'>>> = {
  submodule: {
    message: 'is a submodule: its files lie in another repository',
    hint: 'Commit the files themselves, or make the other repository a source.',
  },
  lfs: {
    message: 'is a pointer of Git LFS: the file itself lies on another server',
    hint: 'Commit the file itself, or publish the release in a registry.',
  },
}

function elsewhere(file: string, kind: 'submodule' | 'lfs'): StackmasonError {
  const { message, hint } = ELSEWHERE[kind]
  return new StackmasonError({
    code: 'FILE_UNREADABLE',
    severity: 'error',
    message: `${file} ${message}`,
    file,
    hint,
  })
}
