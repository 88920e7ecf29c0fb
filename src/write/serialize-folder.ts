import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import { formatGeneratedHead } from '../codec/text/generated-head.ts'
import { compareBytes } from '../codec/text/text-order.ts'
import { formatManifestYaml } from '../codec/yaml/manifest-yaml.ts'
import type { Manifest, RenderedFolder } from '../model/manifest.ts'
import type { Crypto } from '../model/ports.ts'
import { KUSTOMIZATION_FILE } from '../model/tree-path.ts'
import { createCommittedFiles, type NamedText } from './committed-files.ts'
import { formatKustomization } from './kustomization-file.ts'
import { layoutFolder, type PlacedManifest } from './layout-folder.ts'
import { sha256 } from './sha256.ts'

/** The wanted content of one folder of the tree. */
export interface FolderContent {
  /** Relative to the output folder; `''` is the output folder itself. */
  readonly path: string
  /** By file name. */
  readonly files: ReadonlyMap<string, FileContent>
}

/** A file's bytes and their hash. */
export interface FileContent {
  readonly bytes: Uint8Array
  readonly sha256: string
}

/**
 * Turns a folder's manifests into files: one per object, and a kustomization.yaml that lists them in byte order and
 * then the folders it includes in theirs (kustomize and Flux apply what is listed, nothing else). A folder with neither
 * gets no files: kustomize refuses an empty kustomization.
 * @throws StackmasonError WRITE_PATH_CONFLICT
 */
export function serializeFolder(
  folder: RenderedFolder,
  crypto: Crypto,
  known: KnownFiles = new WeakMap(),
): FolderContent {
  const placed = layoutFolder(folder.path, folder.manifests, crypto).toSorted((a, b) =>
    compareBytes(a.fileName, b.fileName),
  )
  const files =
    folder.committed === undefined
      ? placed.map(({ fileName, manifest }): readonly [string, FileContent] => [
          fileName,
          objectFile(manifest, { crypto, known, path: `${folder.path}/${fileName}` }),
        ])
      : keptObjects(folder.path, placed, folder.committed).map(({ name, text }): readonly [string, FileContent] => [
          name,
          fileContent(text, crypto),
        ])
  const resources = [...files.map(([name]) => name), ...(folder.includes ?? [])]
  if (resources.length > 0) {
    const list = { name: KUSTOMIZATION_FILE, text: formatKustomization(resources, folder.kustomization) }
    const { text } = createCommittedFiles(folder.committed ?? new Map())(list) ?? list
    files.push([KUSTOMIZATION_FILE, fileContent(text, crypto)])
  }
  return { path: folder.path, files: new Map(files.toSorted(([a], [b]) => compareBytes(a, b))) }
}

/** The objects of a folder that stays as it is committed: people may have given them another order, or comments. */
function keptObjects(
  folder: string,
  placed: readonly PlacedManifest[],
  committed: ReadonlyMap<string, string>,
): readonly NamedText[] {
  const findCommitted = createCommittedFiles(committed)
  return placed.map(({ fileName, manifest }) => {
    const file = { name: fileName, text: objectText(manifest, `${folder}/${fileName}`) }
    return findCommitted(file) ?? file
  })
}

/** A manifest that stands in many folders is written and hashed once. */
export type KnownFiles = WeakMap<Manifest, FileContent>

interface ObjectFile {
  readonly crypto: Crypto
  readonly known: KnownFiles
  readonly path: string
}

function objectFile(manifest: Manifest, { crypto, known, path }: ObjectFile): FileContent {
  const before = known.get(manifest)
  if (before !== undefined) return before
  const file = fileContent(objectText(manifest, path), crypto)
  known.set(manifest, file)
  return file
}

function objectText({ origin: { template }, object }: Manifest, path: string): string {
  // what was read back from a file without a source names the file itself
  return formatGeneratedHead(template === path ? '' : template) + formatManifestYaml(object)
}

/** A text as the content of a file. */
export function fileContent(text: string, crypto: Crypto): FileContent {
  const bytes = encodeUtf8(text)
  return { bytes, sha256: sha256(bytes, crypto) }
}
