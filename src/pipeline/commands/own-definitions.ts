import { compareBytes } from '../../codec/text/text-order.ts'
import type { TreeChange } from '../../write/folder-steps.ts'
import type { FolderOutline } from '../../write/known-unit.ts'

/** A kind of stackmason's own API that the tree holds, so that the management cluster must know it. */
export interface OwnDefinition {
  readonly kind: string
  /** `new`: this run writes the first objects of it. */
  readonly state: 'new' | 'known'
}

/** The kinds of stackmason's own API in a tree, noted folder by folder. */
export class OwnDefinitions {
  /** Paths of files by kind. */
  readonly #files = new Map<string, string[]>()

  note({ path, own = new Map<string, readonly string[]>() }: FolderOutline): void {
    for (const [kind, names] of own) {
      const files = this.#files.get(kind) ?? []
      this.#files.set(kind, files)
      for (const name of names) files.push(`${path}/${name}`)
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
