import { formatManifestYaml } from '../codec/manifest-yaml.ts'
import { compareBytes } from '../codec/text-order.ts'
import { encodeUtf8 } from '../codec/utf8.ts'
import type { Manifest, RenderedFolder } from '../model/manifest.ts'
import type { Crypto } from '../model/ports.ts'
import { dict, type Dict } from '../model/value.ts'
import { formatInventory, formatOwnFile, type InventoryEntry } from './inventory.ts'
import { layoutFolder } from './layout-folder.ts'
import { sha256 } from './sha256.ts'

/** What one folder of the tree shall hold. */
export interface FolderContent {
  /** Relative to the output folder; `''` is the output folder itself. */
  readonly path: string
  /** By file name; without the inventory. */
  readonly files: ReadonlyMap<string, FileContent>
  readonly inventory: Uint8Array
  readonly objects: number
}

/** A file's bytes and its entry in the inventory. */
export interface FileContent {
  readonly bytes: Uint8Array
  readonly entry: InventoryEntry
}

/**
 * Turns a folder's manifests into files: one per object, a kustomization.yaml that lists them in byte order (kustomize and Flux apply what is
 * listed, nothing else), and the inventory. A folder without manifests gets no files: kustomize refuses an empty kustomization.
 * @throws StackmasonError WRITE_PATH_CONFLICT
 */
export function serializeFolder(
  folder: RenderedFolder,
  crypto: Crypto,
  texts: ObjectTexts = new WeakMap(),
): FolderContent {
  const files = layoutFolder(folder.path, folder.manifests, crypto)
    .toSorted((a, b) => compareBytes(a.fileName, b.fileName))
    .map(({ fileName, manifest }) => objectFile(fileName, manifest, { crypto, texts }))
  if (files.length > 0) {
    const resources = files.map((file) => file.entry.path)
    files.push(fileContent('kustomization.yaml', formatKustomization(resources), { crypto, about: {} }))
    files.sort((a, b) => compareBytes(a.entry.path, b.entry.path))
  }
  return {
    path: folder.path,
    files: new Map(files.map((file) => [file.entry.path, file])),
    inventory: encodeUtf8(formatInventory({ files: files.map((file) => file.entry) })),
    objects: folder.manifests.length,
  }
}

/** An object that stands in many folders is written and hashed once. */
export type ObjectTexts = WeakMap<Dict, HashedBytes>

interface HashedBytes {
  readonly bytes: Uint8Array
  readonly sha256: string
}

function objectFile(
  path: string,
  manifest: Manifest,
  { crypto, texts }: { readonly crypto: Crypto; readonly texts: ObjectTexts },
): FileContent {
  const known = texts.get(manifest.object)
  const content = known ?? hashed(formatManifestYaml(manifest.object), crypto)
  if (known === undefined) texts.set(manifest.object, content)
  const entry = { path, sha256: content.sha256, object: objectId(manifest), template: manifest.origin.template }
  return { bytes: content.bytes, entry }
}

function hashed(text: string, crypto: Crypto): HashedBytes {
  const bytes = encodeUtf8(text)
  return { bytes, sha256: sha256(bytes, crypto) }
}

interface FileOptions {
  readonly crypto: Crypto
  readonly about: Pick<InventoryEntry, 'object' | 'template'>
}

function fileContent(path: string, text: string, { crypto, about }: FileOptions): FileContent {
  const { bytes, sha256 } = hashed(text, crypto)
  return { bytes, entry: { path, sha256, ...about } }
}

function formatKustomization(resources: readonly string[]): string {
  return formatOwnFile(
    dict([
      ['apiVersion', 'kustomize.config.k8s.io/v1beta1'],
      ['kind', 'Kustomization'],
      ['resources', [...resources]],
    ]),
  )
}

function objectId(manifest: Manifest): string {
  const name = manifest.namespace === undefined ? manifest.name : `${manifest.namespace}/${manifest.name}`
  return `${manifest.apiVersion} ${manifest.kind} ${name}`
}
