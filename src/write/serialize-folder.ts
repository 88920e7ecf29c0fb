import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import { formatGeneratedHead } from '../codec/text/generated-head.ts'
import { compareBytes } from '../codec/text/text-order.ts'
import { formatManifestYaml } from '../codec/yaml/manifest-yaml.ts'
import { type Diagnostic, StackmasonError } from '../model/diagnostic.ts'
import type { Manifest, RenderedFolder } from '../model/manifest.ts'
import type { Crypto } from '../model/ports.ts'
import { KUSTOMIZATION_FILE } from '../model/tree-path.ts'
import type { Dict } from '../model/value.ts'
import { createCommittedFiles, type NamedText } from './committed-files.ts'
import { formatKustomization } from './kustomization-file.ts'
import { layoutFolder, type ManifestFile } from './layout-folder.ts'
import { sha256 } from './sha256.ts'

/**
 * One folder of the tree as it is to be written: plain data, which another thread may have made, or an earlier run;
 * then a file may be known by its hash alone.
 */
export interface FolderContent<File extends KnownContent = FileContent> {
  /** Relative to the output folder; `''` is the output folder itself. */
  readonly path: string
  /** By file name; without the kustomization.yaml of a folder that includes others. */
  readonly files: ReadonlyMap<string, File>
  /** How many objects it has. */
  readonly objects: number
  /** Of a folder that includes others: what these hold decides what its kustomization.yaml lists. */
  readonly list?: FolderList
  /** Names of the files with objects of stackmason's own API, by kind. */
  readonly own?: ReadonlyMap<string, readonly string[]>
  /** Why it cannot be written; then it has no files. */
  readonly problems?: readonly Diagnostic[]
}

/** The entries of a kustomization.yaml besides the files of its folder. */
export interface FolderList {
  /** Names of folders, in order. */
  readonly includes: readonly string[]
  /** The fields other than the list of resources. */
  readonly more?: Dict
  /** The committed text, which is written again if it says the same. */
  readonly committed?: string
}

/** A file by its hash, and its bytes where they are at hand. */
export interface KnownContent {
  readonly bytes?: Uint8Array
  readonly sha256: string
}

/** A file's bytes and their hash. */
export interface FileContent extends KnownContent {
  readonly bytes: Uint8Array
}

/**
 * Turns a folder's manifests into files: one per object, and a kustomization.yaml that lists them in byte order and
 * then the folders it includes in theirs (kustomize and Flux apply what is listed, nothing else). A folder with neither
 * gets no files: kustomize refuses an empty kustomization.
 * @throws StackmasonError WRITE_PATH_CONFLICT, OBJECT_TYPED_LOSS
 */
export function serializeFolder(
  folder: RenderedFolder,
  crypto: Crypto,
  known: KnownFiles = new WeakMap(),
): FolderContent {
  const content = serializeObjects(folder, crypto, known)
  const { list, ...open } = content
  return list === undefined ? content : addList(open, list, crypto)
}

/** The same of a folder by itself: the list of one that includes others is left open, and problems are a result. */
export function serializeApart(
  folder: RenderedFolder,
  crypto: Crypto,
  known: KnownFiles = new WeakMap(),
): FolderContent {
  const { path, manifests } = folder
  return withProblems({ path, files: new Map(), objects: manifests.length }, () =>
    serializeObjects(folder, crypto, known),
  )
}

/** A folder with its kustomization.yaml, unless that would list nothing. */
export function listFolder<File extends KnownContent>(
  content: FolderContent<File>,
  list: FolderList,
  crypto: Crypto,
): FolderContent<File | FileContent> {
  const { list: _open, ...folder } = content
  return withProblems({ ...folder, files: new Map() }, () => addList(folder, list, crypto))
}

function withProblems<File extends KnownContent>(
  empty: FolderContent<File>,
  work: () => FolderContent<File>,
): FolderContent<File> {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return { ...empty, problems: error.diagnostics }
  }
}

function serializeObjects(folder: RenderedFolder, crypto: Crypto, known: KnownFiles): FolderContent {
  const { path, manifests, includes = [], kustomization, committed } = folder
  const named = layoutFolder(path, manifests, crypto).toSorted((a, b) => compareBytes(a.fileName, b.fileName))
  const files =
    committed === undefined
      ? named.map(({ fileName, manifest }): readonly [string, FileContent] => [
          fileName,
          objectFile(manifest, { crypto, known, path: `${path}/${fileName}` }),
        ])
      : keptObjects(path, named, committed).map(({ name, text }): readonly [string, FileContent] => [
          name,
          fileContent(text, crypto),
        ])
  const own = ownKinds(named)
  const content: FolderContent = {
    path,
    files: new Map(files),
    objects: manifests.length,
    ...(own.size > 0 && { own }),
  }
  const before = committed?.get(KUSTOMIZATION_FILE)
  const list: FolderList = {
    includes,
    ...(kustomization !== undefined && { more: kustomization }),
    ...(before !== undefined && { committed: before }),
  }
  return includes.length > 0 ? { ...content, list } : addList(content, list, crypto)
}

function addList<File extends KnownContent>(
  content: FolderContent<File>,
  { includes, more, committed }: FolderList,
  crypto: Crypto,
): FolderContent<File | FileContent> {
  const files: (readonly [string, File | FileContent])[] = [...content.files]
  const resources = [...content.files.keys(), ...includes]
  if (resources.length > 0) {
    const written = { name: KUSTOMIZATION_FILE, text: formatKustomization(resources, more) }
    const kept = new Map(committed === undefined ? [] : [[KUSTOMIZATION_FILE, committed]])
    const { text } = createCommittedFiles(kept)(written) ?? written
    files.push([KUSTOMIZATION_FILE, fileContent(text, crypto)])
  }
  return { ...content, files: new Map(files.toSorted(([a], [b]) => compareBytes(a, b))) }
}

/** The objects of a folder that stays as it is committed: people may have given them another order, or comments. */
function keptObjects(
  folder: string,
  named: readonly ManifestFile[],
  committed: ReadonlyMap<string, string>,
): readonly NamedText[] {
  const findCommitted = createCommittedFiles(committed)
  return named.map(({ fileName, manifest }) => {
    const file = { name: fileName, text: objectText(manifest, `${folder}/${fileName}`) }
    return findCommitted(file) ?? file
  })
}

const OWN_GROUP = 'stackmason.dev/'

function ownKinds(named: readonly ManifestFile[]): ReadonlyMap<string, readonly string[]> {
  const kinds = new Map<string, string[]>()
  for (const { fileName, manifest } of named) {
    if (!manifest.apiVersion.startsWith(OWN_GROUP)) continue
    const names = kinds.get(manifest.kind) ?? []
    kinds.set(manifest.kind, names)
    names.push(fileName)
  }
  return kinds
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
