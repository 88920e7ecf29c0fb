import type { Crypto } from '../model/ports.ts'
import { type FolderHashes, noHashes } from './folder-hashes.ts'
import type { WrittenRecord } from './written-record.ts'

/** Facts about the disk that need no reading. */
export interface KnownDisk {
  /** True if a file (absolute) holds bytes of this sha256, hex. */
  readonly holds: (path: string, sha256: string) => Promise<boolean>
  /**
   * sha256, hex, of one line for each file at or below a folder of another one (absolute), as the record of written
   * files has them; undefined where anything else lies there, or not all is known.
   */
  readonly below: (base: string, folder: string) => string | undefined
  /** The folder for which it can say {@link below}, and in which this one lies; undefined where there is none. */
  readonly treeAround: (base: string, folder: string) => string | undefined
}

/** The facts that say what lies in a tree. */
interface TreeFacts {
  readonly known?: KnownDisk | undefined
  readonly output: string
  readonly crypto: Crypto
  readonly written: () => Promise<WrittenRecord>
  /** True if something else is in the way of a folder. */
  readonly isBlocked: (path: string) => Promise<boolean>
}

/** Trees on disk of which the record of written files says all: none of their files has to be looked at. */
export class KnownTrees {
  readonly #facts: TreeFacts
  readonly #digests = new Map<string, Promise<string | undefined>>()
  readonly #asWritten = new Set<string>()

  constructor(facts: TreeFacts) {
    this.#facts = facts
  }

  /** sha256 of the lines of a tree's files; undefined where these are not just those of the record. */
  digestOf(tree: string): Promise<string | undefined> {
    const digest = this.#digests.get(tree) ?? this.#compare(tree)
    this.#digests.set(tree, digest)
    return digest
  }

  /** The files that lie in a folder; undefined where somebody has to look. */
  async filesIn(path: string): Promise<FolderHashes | undefined> {
    const { known, output, written } = this.#facts
    const tree = known?.treeAround(output, path)
    if (tree === undefined || (await this.digestOf(tree)) === undefined) return undefined
    return (await written()).get(path) ?? noHashes
  }

  /** The trees in which no folder has files but these. */
  async holdingOnly(isPlanned: (folder: string) => boolean): Promise<ReadonlySet<string>> {
    const trees = new Set(this.#asWritten)
    if (trees.size === 0) return trees
    const { known, output, written } = this.#facts
    for (const folder of (await written()).foldersBelow(this.#asWritten)) {
      if (isPlanned(folder)) continue
      const tree = known?.treeAround(output, folder)
      if (tree !== undefined) trees.delete(tree)
    }
    return trees
  }

  async #compare(tree: string): Promise<string | undefined> {
    const { known, output, crypto, written, isBlocked } = this.#facts
    if (known === undefined || (await isBlocked(tree))) return undefined
    const digest = known.below(output, tree)
    if (digest === undefined || (await written()).digestBelow(tree, crypto) !== digest) return undefined
    this.#asWritten.add(tree)
    return digest
  }
}
