import type { Manifest, RenderedFolder } from '../model/manifest.ts'
import type { Crypto } from '../model/ports.ts'
import { compareBytes } from '../codec/text/text-order.ts'
import { layoutFolder } from '../write/layout-folder.ts'

/** A kind of stackmason's own API that the tree holds, so that the management cluster must know it. */
export interface OwnDefinition {
  readonly kind: string
  /** `new`: this run writes the first objects of it. */
  readonly state: 'new' | 'known'
}

const GROUP = 'stackmason.dev/'

/** The kinds of stackmason's own API in a tree, in order of their names; `added` are the paths of files that the run adds. */
export function ownDefinitions(
  folders: readonly RenderedFolder[],
  added: ReadonlySet<string>,
  crypto: Crypto,
): readonly OwnDefinition[] {
  const states = new Map<string, OwnDefinition['state']>()
  for (const { path, manifests } of folders) {
    if (!manifests.some(isOwn)) continue
    for (const { fileName, manifest } of layoutFolder(path, manifests, crypto)) {
      if (!isOwn(manifest)) continue
      const state = added.has(`${path}/${fileName}`) ? 'new' : 'known'
      if (state === 'known' || !states.has(manifest.kind)) states.set(manifest.kind, state)
    }
  }
  return Array.from(states, ([kind, state]) => ({ kind, state })).toSorted((a, b) => compareBytes(a.kind, b.kind))
}

function isOwn({ apiVersion }: Manifest): boolean {
  return apiVersion.startsWith(GROUP)
}
