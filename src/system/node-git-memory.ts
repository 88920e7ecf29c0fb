import type { GitListing } from './node-git-listing.ts'
import { NamedCommits } from './node-git-names.ts'

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
  readonly listed: GitListing
}

/** A run reads the tree of one commit, sometimes of two, in its few top folders. */
const MAX_LISTINGS = 8
const MAX_BYTES = 32 * 1024 * 1024
/** Of a tree of so few files all are read when one is asked for: the others are asked for soon. */
const MAX_BESIDE = 200

/**
 * What git told of commits and blobs, which never changes: their ids are made of it. A run asks for a folder and then
 * for those below, and for some twice; each time is a process, and to start one takes longer the larger this one is.
 */
export class GitMemory {
  #listings: readonly Listing[] = []
  #lastListing: Promise<void> = Promise.resolve()
  /** Commits that a repository has: its root, a zero byte, the whole id. */
  readonly commits: Set<string> = new Set<string>()
  readonly names: NamedCommits = new NamedCommits()
  readonly #bytes = new Map<string, Uint8Array>()
  readonly #printing = new Map<string, Promise<Uint8Array>>()
  #size = 0

  /**
   * The files of a folder: those that were listed of it or of one that it lies in, else what `list` gives in git's
   * order, which is kept if `isStill` says that the commit is the right one. One after another, as a run asks for a
   * folder and those below at once.
   */
  files(place: CommitFolder, list: () => Promise<GitListing>, isStill: () => boolean): Promise<GitListing> {
    const known = this.#known(place)
    if (known !== undefined) return Promise.resolve(known)
    const listed = this.#lastListing.then(async () => {
      const meanwhile = this.#known(place)
      if (meanwhile !== undefined) return meanwhile
      const files = await list()
      if (isStill()) this.#note({ ...place, listed: files })
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
    if (known !== undefined) {
      this.#keep(key, known)
      return known
    }
    // what is asked at once waits for one answer
    const printing = this.#printing.get(key) ?? print().finally(() => this.#printing.delete(key))
    this.#printing.set(key, printing)
    const bytes = await printing
    if (isStill()) this.#keep(key, bytes)
    return bytes
  }

  /** What was listed before of folders in this one is no longer needed. */
  #note(listing: Listing): void {
    const others = this.#listings.filter((other) => !isPartOf(other, listing))
    this.#listings = [listing, ...others].slice(0, MAX_LISTINGS)
  }

  #known(place: CommitFolder): GitListing | undefined {
    for (const listing of this.#listings) {
      const { folder, listed } = listing
      if (isPartOf(place, listing))
        return place.folder === folder ? listed : listed.below(place.folder.slice(folder.length + 1))
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
    for (const { listed, ...place } of this.#listings) {
      if (place.root !== root || listed.paths.length > MAX_BESIDE) continue
      const objects = listed.paths.map((_, index) => listed.objectAt(index))
      if (!objects.some((object) => ids.has(object))) continue
      const others = objects.filter(
        (object, index) =>
          listed.paths[index]?.endsWith('.yaml') === true && !ids.has(object) && !this.#bytes.has(object),
      )
      return [...new Set(others)]
    }
    return []
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

function isPartOf(one: CommitFolder, other: CommitFolder): boolean {
  return (
    one.commit === other.commit &&
    one.root === other.root &&
    (one.folder === other.folder || one.folder.startsWith(`${other.folder}/`))
  )
}
