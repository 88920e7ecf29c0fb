import { formatManifestYaml } from '../codec/manifest-yaml.ts'
import { compareBytes } from '../codec/text-order.ts'
import { encodeUtf8 } from '../codec/utf8.ts'
import type { Manifest, RenderedFolder } from '../model/manifest.ts'
import type { Crypto } from '../model/ports.ts'
import { dict, type Value } from '../model/value.ts'
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
 * Turns a folder's manifests into files: one per object, a kustomization.yaml that lists them in byte order and then the folders it includes in theirs
 * (kustomize and Flux apply what is listed, nothing else), and the inventory. A folder with neither gets no files: kustomize refuses an empty kustomization.
 * @throws StackmasonError WRITE_PATH_CONFLICT
 */
export function serializeFolder(
  folder: RenderedFolder,
  crypto: Crypto,
  known: KnownFiles = new WeakMap(),
): FolderContent {
  const files = layoutFolder(folder.path, folder.manifests, crypto)
    .toSorted((a, b) => compareBytes(a.fileName, b.fileName))
    .map(({ fileName, manifest }) => objectFile(fileName, manifest, { crypto, known }))
  const { includes = [] } = folder
  if (files.length + includes.length > 0) {
    const resources = [...files.map((file) => file.entry.path), ...includes]
    files.push(
      fileContent('kustomization.yaml', formatKustomization(resources, folder.kustomization), { crypto, about: {} }),
    )
    files.sort((a, b) => compareBytes(a.entry.path, b.entry.path))
  }
  return {
    path: folder.path,
    files: new Map(files.map((file) => [file.entry.path, file])),
    inventory: encodeUtf8(formatInventory({ files: files.map((file) => file.entry) })),
    objects: folder.manifests.length,
  }
}

/** A manifest that stands in many folders, mostly under one name, is written and hashed once. */
export type KnownFiles = WeakMap<Manifest, FileContent>

function objectFile(
  path: string,
  manifest: Manifest,
  { crypto, known }: { readonly crypto: Crypto; readonly known: KnownFiles },
): FileContent {
  const before = known.get(manifest)
  if (before?.entry.path === path) return before
  if (before !== undefined) return { ...before, entry: { ...before.entry, path } }
  const about = { object: objectId(manifest), template: manifest.origin.template }
  const file = fileContent(path, formatManifestYaml(manifest.object), { crypto, about })
  known.set(manifest, file)
  return file
}

interface FileOptions {
  readonly crypto: Crypto
  readonly about: Pick<InventoryEntry, 'object' | 'template'>
}

function fileContent(path: string, text: string, { crypto, about }: FileOptions): FileContent {
  const bytes = encodeUtf8(text)
  return { bytes, entry: { path, sha256: sha256(bytes, crypto), ...about } }
}

function formatKustomization(resources: readonly string[], more: Iterable<readonly [string, Value]> = []): string {
  return formatOwnFile(
    dict([
      ['apiVersion', 'kustomize.config.k8s.io/v1beta1'],
      ['kind', 'Kustomization'],
      ['resources', [...resources]],
      ...more,
    ]),
  )
}

function objectId(manifest: Manifest): string {
  const name = manifest.namespace === undefined ? manifest.name : `${manifest.namespace}/${manifest.name}`
  return `${manifest.apiVersion} ${manifest.kind} ${name}`
}
