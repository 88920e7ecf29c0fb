const [TAB, SPACE] = [0x09, 0x20]

/** The files of a folder of a commit. A tree has tens of thousands, so that each takes little more than its path. */
export class GitListing {
  /** Relative to the folder, in git's order: that of their bytes. A submodule ends with `/`. */
  readonly paths: readonly string[]
  /** Ids of the blobs, and of the commits of submodules, side by side. */
  readonly #ids: Buffer
  readonly #idLength: number

  private constructor(
    paths: readonly string[],
    { ids, idLength }: { readonly ids: Buffer; readonly idLength: number },
  ) {
    this.paths = paths
    this.#ids = ids
    this.#idLength = idLength
  }

  /** No files. */
  static readonly nothing: GitListing = new GitListing([], { ids: Buffer.alloc(0), idLength: 0 })

  /**
   * Reads what `git ls-tree -r -z` prints: `<mode> <kind> <id>`, a tab, the path, a zero byte; for each file. Of each
   * path the first `prefix` bytes are left out.
   */
  static parse(bytes: Uint8Array, prefix: number): GitListing {
    const printed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const paths: string[] = []
    const ids: string[] = []
    for (let at = 0, end = printed.indexOf(0); end !== -1; at = end + 1, end = printed.indexOf(0, at)) {
      const tab = printed.indexOf(TAB, at)
      const space = printed.lastIndexOf(SPACE, tab)
      const kind = printed.toString('latin1', at, space)
      // each is decoded for itself: a part of a text that is kept keeps the whole
      const path = printed.toString('utf8', tab + 1 + prefix, end)
      if (kind.endsWith(' blob')) paths.push(path)
      else if (kind.endsWith(' commit')) paths.push(`${path}/`)
      else continue
      ids.push(printed.toString('latin1', space + 1, tab))
    }
    const idLength = (ids[0]?.length ?? 0) / 2
    const packed = Buffer.alloc(ids.length * idLength)
    for (const [index, id] of ids.entries()) packed.write(id, index * idLength, 'hex')
    return new GitListing(paths, { ids: packed, idLength })
  }

  /** The id of the file at this place of {@link paths}. */
  objectAt(index: number): string {
    return this.#ids.toString('hex', index * this.#idLength, (index + 1) * this.#idLength)
  }

  /** The files of a folder in this one, by their path relative to it. */
  below(folder: string): GitListing {
    const path = `${folder}/`
    const bytes = Buffer.from(path)
    const start = this.#firstAt(0, (one) => Buffer.compare(Buffer.from(one), bytes) >= 0)
    const end = this.#firstAt(start, (one) => !one.startsWith(path))
    return new GitListing(
      this.paths.slice(start, end).map((one) => one.slice(path.length)),
      { ids: this.#ids.subarray(start * this.#idLength, end * this.#idLength), idLength: this.#idLength },
    )
  }

  /** The index of the first path, from `start` on, of which this is true; it is true of all that follow. */
  #firstAt(start: number, isBehind: (path: string) => boolean): number {
    let [low, high] = [start, this.paths.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const path = this.paths[middle]
      if (path === undefined || isBehind(path)) high = middle
      else low = middle + 1
    }
    return low
  }
}
