import { FileError, type Files, SIGNATURE_LENGTH } from '../../src/model/ports.ts'

/** Files in memory, read only: path to text. Folders exist where a file lies below them. */
export function memoryFiles(texts: ReadonlyMap<string, string | Uint8Array>): Files {
  const refuse = async (path: string): Promise<never> => {
    throw new FileError('not-permitted', path)
  }
  const isFolder = (path: string): boolean =>
    [...texts.keys()].some((name) => name.startsWith(path === '/' ? '/' : `${path}/`))
  const read = async (path: string): Promise<Uint8Array> => {
    const text = texts.get(path)
    if (text === undefined) throw new FileError('not-found', path)
    return typeof text === 'string' ? new TextEncoder().encode(text) : text
  }
  return {
    read,
    readKnown: read,
    async entries(path) {
      if (!isFolder(path)) throw new FileError('not-found', path)
      const names = new Set<string>()
      for (const name of texts.keys()) {
        const [first] = name.startsWith(`${path}/`) ? name.slice(path.length + 1).split('/') : []
        if (first !== undefined) names.add(first)
      }
      return [...names].sort().map((name) => ({ name, type: texts.has(`${path}/${name}`) ? 'file' : 'directory' }))
    },
    async stat(path) {
      if (texts.has(path)) return { type: 'file', size: texts.get(path)?.length ?? 0, modified: 0 }
      return isFolder(path) ? { type: 'directory', size: 0, modified: 0 } : undefined
    },
    async realPath(path) {
      if (!texts.has(path) && !isFolder(path)) throw new FileError('not-found', path)
      return path
    },
    signatures: async (paths) => new Float64Array(paths.length * SIGNATURE_LENGTH),
    write: refuse,
    keep: refuse,
    copyRights: refuse,
    rename: refuse,
    remove: refuse,
    removeEmptyDirectory: refuse,
    makeDirectory: refuse,
    touch: refuse,
    readOwn: refuse,
    replaceOwn: refuse,
    createExclusive: refuse,
  }
}
