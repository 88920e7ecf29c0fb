import { compareBytes } from '../../codec/text/text-order.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import type { Crypto } from '../../model/ports.ts'
import type { TreeChange } from '../../write/folder-steps.ts'
import { layoutFolder } from '../../write/layout-folder.ts'

/** A kind of stackmason's own API that the tree holds, so that the management cluster must know it. */
export interface OwnDefinition {
  readonly kind: string
  /** `new`: this run writes the first objects of it. */
  readonly state: 'new' | 'known'
}

const GROUP = 'stackmason.dev/'

/** The kinds of stackmason's own API in a tree, noted folder by folder. */
export class OwnDefinitions {
  readonly #crypto: Crypto
  /** Paths of files by kind. */
  readonly #files = new Map<string, string[]>()

  constructor(crypto: Crypto) {
    this.#crypto = crypto
  }

  note({ path, manifests }: RenderedFolder): void {
    if (!manifests.some(isOwn)) return
    for (const { fileName, manifest } of layoutFolder(path, manifests, this.#crypto)) {
      if (!isOwn(manifest)) continue
      const files = this.#files.get(manifest.kind) ?? []
      this.#files.set(manifest.kind, files)
      files.push(`${path}/${fileName}`)
    }
  }

  /** All of them, in order of their names, given what the run changes. */
  all(changes: Iterable<TreeChange>): readonly OwnDefinition[] {
    const files = new Set([...this.#files.values()].flat())
    const added = new Set<string>()
    for (const { path, change } of changes) if (change === 'added' && files.has(path)) added.add(path)
    return Array.from(this.#files, ([kind, own]): OwnDefinition => ({
      kind,
      state: own.every((file) => added.has(file)) ? 'new' : 'known',
    })).toSorted((a, b) => compareBytes(a.kind, b.kind))
  }
}

function isOwn({ apiVersion }: Manifest): boolean {
  return apiVersion.startsWith(GROUP)
}
