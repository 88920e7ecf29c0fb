/** A file that git lists. */
export interface ListedFile {
  /** Relative to the folder that is listed. */
  readonly path: string
  /** Id of the blob. */
  readonly object: string
}

/** A folder as a commit has it. */
export interface CommitFolder {
  /** The root of the repository, its links followed like those of `folder`. */
  readonly root: string
  /** The whole id. */
  readonly commit: string
  /** Absolute. */
  readonly folder: string
}

interface Listing extends CommitFolder {
  /** In git's order: that of the bytes of their paths. */
  readonly files: readonly ListedFile[]
}

/** A run reads the tree of one commit, sometimes of two, in its few top folders. */
const MAX_LISTINGS = 8
const MAX_BYTES = 32 * 1024 * 1024
/** Of a tree of so few files all are read when one is asked for: the others are asked for soon. */
const MAX_BESIDE = 200

/**
 * What git told of commits and blobs, which never changes: their ids are made of it. A run asks for a folder and then
 * for those below, and for some twice; each time is a process, and to start one takes the longer the larger this one is.
 */
export class GitMemory {
  #listings: readonly Listing[] = []
  #lastListing: Promise<void> = Promise.resolve()
  /** Commits that a repository has: its root, a zero byte, the whole id. */
  readonly commits: Set<string> = new Set<string>()
  readonly #bytes = new Map<string, Uint8Array>()
  #size = 0

  /**
   * The files of a folder: those that were listed of it or of one that it lies in, else what `list` gives in git's order,
   * which is kept if `isStill` says that the commit is the right one. One after another, as a run asks for a folder and
   * those below at once.
   */
  files(
    place: CommitFolder,
    list: () => Promise<readonly ListedFile[]>,
    isStill: () => boolean,
  ): Promise<readonly ListedFile[]> {
    const known = this.#known(place)
    if (known !== undefined) return Promise.resolve(known)
    const listed = this.#lastListing.then(async () => {
      const meanwhile = this.#known(place)
      if (meanwhile !== undefined) return meanwhile
      const files = await list()
      if (isStill()) this.#listings = [{ ...place, files }, ...this.#listings].slice(0, MAX_LISTINGS)
      return files
    })
    this.#lastListing = listed.then(
      () => undefined,
      () => undefined,
    )
    return listed
  }

  /** What git prints of commits that never change; the key says for what it was asked. */
  async printed(key: string, print: () => Promise<Uint8Array>, isStill: () => boolean): Promise<Uint8Array> {
    const known = this.#bytes.get(key)
    const bytes = known ?? (await print())
    if (known !== undefined || isStill()) this.#keep(key, bytes)
    return bytes
  }

  #known({ root, commit, folder }: CommitFolder): readonly ListedFile[] | undefined {
    for (const listing of this.#listings) {
      if (listing.commit !== commit || listing.root !== root) continue
      if (listing.folder === folder) return listing.files
      if (!folder.startsWith(`${listing.folder}/`)) continue
      const below = `${folder.slice(listing.folder.length + 1)}/`
      const [start, end] = placeOf(listing.files, below)
      return listing.files.slice(start, end).map(({ path, object }) => ({ path: path.slice(below.length), object }))
    }
    return undefined
  }

  /** Blobs of a repository by their ids; `read` gets those that are not kept, and what may be asked for next. */
  async blobs(
    ids: readonly string[],
    root: string | undefined,
    read: (missing: readonly string[], beside: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>,
  ): Promise<ReadonlyMap<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>()
    const missing = new Set<string>()
    for (const id of new Set(ids)) {
      const bytes = this.#bytes.get(id)
      if (bytes === undefined) missing.add(id)
      else found.set(id, bytes)
    }
    if (missing.size > 0)
      for (const [id, bytes] of await read([...missing], this.#beside(missing, root)))
        if (missing.has(id)) found.set(id, bytes)
        else this.#keep(id, bytes)
    for (const [id, bytes] of found) this.#keep(id, bytes)
    return found
  }

  /** Objects of a small tree in which some blobs lie, but for these and those that are kept. */
  #beside(ids: ReadonlySet<string>, root: string | undefined): readonly string[] {
    const listing = this.#listings.find(
      (one) => one.root === root && one.files.length <= MAX_BESIDE && one.files.some(({ object }) => ids.has(object)),
    )
    const others = (listing?.files ?? []).filter(
      ({ path, object }) => path.endsWith('.yaml') && !ids.has(object) && !this.#bytes.has(object),
    )
    return [...new Set(others.map(({ object }) => object))]
  }

  /** Those asked for last stay. */
  #keep(id: string, bytes: Uint8Array): void {
    if (this.#bytes.delete(id)) this.#size -= bytes.length
    if (bytes.length > MAX_BYTES) return
    this.#bytes.set(id, bytes)
    this.#size += bytes.length
    for (const [oldest, { length }] of this.#bytes) {
      if (this.#size <= MAX_BYTES) return
      this.#bytes.delete(oldest)
      this.#size -= length
    }
  }
}

/** Where the files of a folder start and end; its path has a `/` behind. */
function placeOf(files: readonly ListedFile[], folder: string): readonly [number, number] {
  const bytes = Buffer.from(folder)
  const start = firstAt(files, 0, ({ path }) => Buffer.compare(Buffer.from(path), bytes) >= 0)
  return [start, firstAt(files, start, ({ path }) => !path.startsWith(folder))]
}

/** The index of the first file, from `start` on, of which this is true; it is true of all that follow. */
function firstAt(files: readonly ListedFile[], start: number, isBehind: (file: ListedFile) => boolean): number {
  let [low, high] = [start, files.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const file = files[middle]
    if (file === undefined || isBehind(file)) high = middle
    else low = middle + 1
  }
  return low
}
