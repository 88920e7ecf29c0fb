import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Crypto } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import { packResult, unpackResult } from '../../replay/pack-result.ts'
import { sha256 } from '../../write/sha256.ts'
import { packContents, type PackedCluster, unpackContents } from '../expand/packed-contents.ts'
import type { ClusterContent } from '../expand/unit-results.ts'
import { isCarried, isPartClusters, type PartClusters } from './content-shape.ts'
import type { PortableText } from './portable-text.ts'

/** A cluster that was expanded, by the digest of its inputs. */
export interface DigestedCluster {
  readonly digest: string
  readonly content: ClusterContent
}

/** How files of this machine are named in a part. */
export interface PartTexts extends PortableText {
  /** Files that whoever joins has as well, by path: their texts stay out. */
  readonly sources: ReadonlyMap<string, Source>
}

/** Every text of a cluster's findings that people may get to see; undefined where it is of no form that is carried. */
export function shownOf(content: ClusterContent, { sources }: PartTexts): readonly string[] | undefined {
  const { summary, folders } = content
  if (!packContents([content]).clusters.every(isCarried)) return undefined
  const found = [summary.findings, summary.problems, folders.map(({ problems }) => problems)]
  return packResult(found, (path) => sources.has(path)).shown
}

/** The bytes of a part: the length of its text, the text, and the bytes of files. */
export function formatPart(units: readonly DigestedCluster[], { sources, leave }: PartTexts): readonly Uint8Array[] {
  const { clusters, bytes } = packContents(units.map(({ content }) => content))
  const part: PartClusters = { digests: units.map(({ digest }) => digest), clusters }
  const text = encodeUtf8(leave(packResult(part, (path) => sources.has(path)).text))
  return [encodeUtf8(`${String(text.length)}\n`), text, bytes]
}

/**
 * Reads what {@link formatPart} made, whoever wrote it: every file has the bytes that its hash says.
 * @throws Error for anything else
 */
export async function parsePart(
  whole: Uint8Array,
  { sources, arrive }: PartTexts,
  crypto: Crypto,
): Promise<ReadonlyMap<string, ClusterContent>> {
  const start = whole.subarray(0, 20).indexOf(0x0a) + 1
  const length = decodeUtf8(whole.subarray(0, Math.max(0, start - 1)))
  if (!/^[0-9]{1,16}$/.test(length)) throw wrong()
  const end = start + Number(length)
  const part = await unpackResult(arrive(decodeUtf8(whole.subarray(start, end))), (path) =>
    Promise.resolve(sources.get(path)?.text ?? ''),
  )
  if (!isPartClusters(part) || part.digests.length !== part.clusters.length) throw wrong()
  if (!part.clusters.every((cluster) => sourcesOf(cluster).every((source) => isAsNamed(source, sources)))) throw wrong()
  if (!part.clusters.every(({ folders }) => folders.every(hasPlainNames))) throw wrong()
  const contents = unpackContents({ clusters: part.clusters, bytes: whole.subarray(end) })
  const hashed = new Set<string>()
  for (const { folders } of contents)
    for (const { files } of folders)
      for (const file of files.values()) {
        if (!hashed.has(file.sha256) && sha256(file.bytes, crypto) !== file.sha256) throw wrong()
        hashed.add(file.sha256)
      }
  return new Map(contents.map((content, index) => [part.digests[index] ?? '', content]))
}

function sourcesOf({ summary: { findings, problems }, folders }: PackedCluster): readonly Source[] {
  const found: readonly Diagnostic[] = [
    ...[findings, problems].flatMap((byPart) => Object.values(byPart).flat()),
    ...folders.flatMap((folder) => folder.problems ?? []),
  ]
  return found.flatMap(({ at, trace = [] }) =>
    [at, ...trace.map((step) => step.at)].flatMap((span) => span?.source ?? []),
  )
}

/** True unless a file of the fleet goes by another name: it may say that there are values in it. */
function isAsNamed({ name, path, text, revision }: Source, sources: ReadonlyMap<string, Source>): boolean {
  const known = path === undefined || revision !== undefined ? undefined : sources.get(path)
  return known === undefined || (known.name === name && known.text === text)
}

/** True if a folder's files lie in it, each once. */
function hasPlainNames({ names, hashes, sizes, list }: PackedCluster['folders'][number]): boolean {
  const isCounted = hashes.length === names.length && sizes.length === names.length
  const includes = list?.includes ?? []
  return (
    isCounted &&
    new Set(names).size === names.length &&
    names.every((name) => FILE_NAME.test(name)) &&
    includes.every((name) => FOLDER_NAME.test(name))
  )
}

/** The names that `layoutFolder` gives to files, and those of folders of addons. */
const FILE_NAME = /^[a-z0-9~][a-z0-9._~@+-]*\.yaml$/
const FOLDER_NAME = /^[^./\\][^/\\]*$/

function wrong(): Error {
  return new Error('not a part of a shard')
}
