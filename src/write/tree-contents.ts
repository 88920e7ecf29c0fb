import { joinPath } from '../codec/path.ts'
import { type Diagnostic, StackmasonError } from '../model/diagnostic.ts'
import type { RenderedFolder } from '../model/manifest.ts'
import type { Crypto } from '../model/ports.ts'
import { type FileContent, type FolderContent, type KnownFiles, serializeFolder } from './serialize-folder.ts'
import { sha256 } from './sha256.ts'

/** The facts about a rendered folder that a plan needs besides its files. */
export interface FolderFacts {
  readonly path: string
  readonly manifests: number
  /** Names of folders in it that its kustomization.yaml names. */
  readonly includes: readonly string[]
}

/**
 * The files of a tree, folder by folder as they are rendered: objects are written as text at once, and equal texts kept
 * once, so that a tree takes little more room than what its folders do not share.
 */
export class TreeContents {
  readonly #crypto: Crypto
  readonly #contents = new Map<string, FolderContent>()
  readonly #facts = new Map<string, FolderFacts>()
  /** Folders that name others: what these hold decides what is written. */
  readonly #naming: RenderedFolder[] = []
  readonly #conflicts: Diagnostic[] = []
  readonly #known: KnownFiles = new WeakMap()
  readonly #bySum = new Map<string, FileContent>()
  readonly #names = new Map<string, string>()
  readonly #folders = new Map<string, FolderContent['files']>()
  #objects = 0

  constructor(crypto: Crypto) {
    this.#crypto = crypto
  }

  /** How many objects all folders hold. */
  get objects(): number {
    return this.#objects
  }

  add(folder: RenderedFolder): void {
    const { path, manifests, includes = [] } = folder
    if (this.#facts.has(path)) throw new Error(`folder ${path} is rendered twice`)
    this.#facts.set(path, { path, manifests: manifests.length, includes })
    this.#objects += manifests.length
    if (includes.length > 0) this.#naming.push(folder)
    else this.#serialize(folder)
  }

  /**
   * The files of every folder by its path, and what is known of each folder. Every conflict of every folder is
   * reported, not just the first; `display` says how the user would name a path of the tree.
   * @throws StackmasonError WRITE_PATH_CONFLICT
   */
  all(display: (path: string) => string): {
    readonly contents: Map<string, FolderContent>
    readonly facts: readonly FolderFacts[]
  } {
    const facts = [...this.#facts.values()].map((folder) => ({ ...folder, includes: this.#filled(folder) }))
    for (const folder of this.#naming.splice(0))
      this.#serialize({ ...folder, includes: this.#filled({ path: folder.path, includes: folder.includes ?? [] }) })
    if (this.#conflicts.length > 0)
      throw new StackmasonError(this.#conflicts.map((found) => ({ ...found, file: display(found.file ?? '') })))
    return { contents: new Map(this.#contents), facts }
  }

  /** A folder that stays without files must not be named: kustomize refuses one without a kustomization. */
  #filled({ path, includes }: Pick<FolderFacts, 'path' | 'includes'>): readonly string[] {
    return includes.filter((name) => {
      const folder = this.#facts.get(joinPath(path, name))
      return folder === undefined || folder.manifests > 0 || this.#filled(folder).length > 0
    })
  }

  #serialize(folder: RenderedFolder): void {
    try {
      const { path, files } = serializeFolder(folder, this.#crypto, this.#known)
      this.#contents.set(path, { path, files: this.#shared(files) })
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      this.#conflicts.push(...error.diagnostics.map((found) => ({ ...found, file: found.file ?? folder.path })))
    }
  }

  /**
   * The files with the names and texts that another folder has; those of a folder that is equal to another, if there is
   * one.
   */
  #shared(files: FolderContent['files']): FolderContent['files'] {
    const key = sha256(Array.from(files, ([name, file]) => `${name} ${file.sha256}\n`).join(''), this.#crypto)
    const known = this.#folders.get(key)
    if (known !== undefined) return known
    const shared = new Map(Array.from(files, ([name, file]) => [this.#name(name), this.#text(file)]))
    this.#folders.set(key, shared)
    return shared
  }

  #name(name: string): string {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    this.#names.set(name, name)
    return name
  }

  #text(file: FileContent): FileContent {
    const known = this.#bySum.get(file.sha256)
    if (known !== undefined) return known
    this.#bySum.set(file.sha256, file)
    return file
  }
}
