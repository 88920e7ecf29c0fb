import { baseName } from '../../codec/path.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { SourceConfig } from '../../model/fleet.ts'
import type { DirectoryEntry, Ports } from '../../model/ports.ts'
import { formatTag, matchClassName, matchReleaseTag, type ParseOutcome } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import { parseMetadata } from './metadata.ts'
import { originPath } from './origin-path.ts'
import { readAssets } from './read-assets.ts'
import { listFolder, openFolder, openSubfolder, readFolderFile, type Folder, type FolderFiles } from './read-folder.ts'
import type { ReadRelease } from './read-result.ts'
import { CONFIG_NAMES } from './stack-config.ts'

/** A directory of releases as the fleet names it. */
export type DirectorySource = Extract<SourceConfig, { readonly type: 'directory' }>

/** A release and the folder its assets lie in. */
export interface LocatedRelease {
  readonly name: ReleaseName
  readonly folder: Folder
}

/** The releases in a folder. */
export interface LocatedReleases {
  readonly located: readonly LocatedRelease[]
  readonly findings: readonly Diagnostic[]
}

type NamedSource = Pick<SourceConfig, 'name' | 'at'>

/** Where the cluster stack operator puts what it downloads. */
const DOWNLOADS = 'cluster-stacks'
const METADATA = 'metadata.yaml'

/**
 * Finds the releases of a directory: folders named by tag (or class name), directly in it or below `cluster-stacks/`,
 * or the assets of one release. Folders that look like releases and are none are reported in one finding and skipped.
 * @throws StackmasonError FILE_*, RELEASE_TOO_LARGE, CONFIG_INVALID_VALUE for a provider directory; for the assets of
 * one release also RELEASE_METADATA_INVALID, RELEASE_INCOMPLETE
 */
export async function locateReleases(source: DirectorySource, files: FolderFiles): Promise<LocatedReleases> {
  return locateReleasesIn(await openFolder(source.path, files, source.at), source, files)
}

/** Like {@link locateReleases}, in a folder that is open. */
export async function locateReleasesIn(
  folder: Folder,
  source: NamedSource,
  files: FolderFiles,
): Promise<LocatedReleases> {
  const entries = await listFolder(folder, files)
  if (entries.some(({ name, type }) => name === METADATA && type !== 'directory')) {
    return { located: [{ name: await nameByContent(folder, entries, files), folder }], findings: [] }
  }
  const parents = [{ folder, entries }]
  if (entries.some(({ name, type }) => name === DOWNLOADS && type !== 'file')) {
    const downloads = await openSubfolder(folder, DOWNLOADS, files)
    parents.push({ folder: downloads, entries: await listFolder(downloads, files) })
  }
  const located = new Map<string, LocatedRelease>()
  const odd: string[] = []
  for (const parent of parents) {
    const folders = parent.entries.filter(({ name, type }) => type !== 'file' && !name.startsWith('.'))
    const matches = folders.map(({ name }) => ({ text: name, outcome: matchFolderName(name) }))
    // the canonical spelling first, so that it wins over another one of the same release
    for (const { text, outcome } of matches.toSorted((a, b) => rankOf(a) - rankOf(b))) {
      if ('reason' in outcome) {
        if (/-v\d/.test(text)) odd.push(`${text} (${outcome.reason})`)
        continue
      }
      const tag = formatTag(outcome.value)
      if (located.has(tag)) odd.push(`${originPath(parent.folder.path, text)} (${tag} was found before)`)
      else located.set(tag, { name: outcome.value, folder: await openSubfolder(parent.folder, text, files) })
    }
  }
  const config = entries.find(({ name }) => CONFIG_NAMES.includes(name))
  if (located.size === 0 && config !== undefined) throw providerDirectory(source, config.name)
  return { located: [...located.values()], findings: odd.length === 0 ? [] : [skipped(source, odd)] }
}

/**
 * Reads a release of a directory; undefined when it is not there.
 * @throws StackmasonError as {@link readAssets} and {@link locateReleases}
 */
export async function readDirectoryRelease(
  source: DirectorySource,
  wanted: ReleaseName,
  ports: Pick<Ports, 'files' | 'compression' | 'crypto'>,
): Promise<ReadRelease | undefined> {
  const { located } = await locateReleases(source, ports.files)
  const tag = formatTag(wanted)
  const found = located.find(({ name }) => formatTag(name) === tag)
  if (found === undefined) return undefined
  const { name, folder } = found
  const entries = await listFolder(folder, ports.files)
  // what is no file, such as a pipe, is refused when it is read: nobody would miss a file that lies there
  const names = entries.filter(({ type }) => type !== 'directory').map((entry) => entry.name)
  const read = (file: string): Promise<Uint8Array> => readFolderFile(folder, file, ports.files)
  return readAssets({ origin: folder.path, names, read }, name, ports)
}

interface FolderMatch {
  readonly text: string
  readonly outcome: ParseOutcome<ReleaseName>
}

function rankOf({ text, outcome }: FolderMatch): number {
  return 'value' in outcome && formatTag(outcome.value) === text ? 0 : 1
}

/** A folder is named by the tag, or by the class name: people use both. */
function matchFolderName(text: string): ParseOutcome<ReleaseName> {
  const asTag = matchReleaseTag(text)
  const asClass = 'value' in asTag ? asTag : matchClassName(text)
  return 'value' in asClass ? asClass : asTag
}

/**
 * The assets of one release in a folder of any name: the folder's name if it is a tag, else the class chart's file name
 * and metadata.yaml tell.
 */
async function nameByContent(
  folder: Folder,
  entries: readonly DirectoryEntry[],
  files: FolderFiles,
): Promise<ReleaseName> {
  const named = matchFolderName(baseName(folder.path))
  if ('value' in named) return named.value
  const stacks = new Map<string, Pick<ReleaseName, 'provider' | 'stack'>>()
  for (const entry of entries) {
    const [, provider, stack] = /^([a-z0-9]+)-([a-z0-9]+)-\d+-\d+-cluster-class-.*\.tgz$/.exec(entry.name) ?? []
    if (provider !== undefined && stack !== undefined) stacks.set(`${provider}-${stack}`, { provider, stack })
  }
  const [identity, other] = stacks.values()
  if (identity === undefined || other !== undefined) {
    throw new StackmasonError({
      code: 'RELEASE_NAME_INVALID',
      severity: 'error',
      message: `it cannot be told which release lies in ${folder.path}: ${identity === undefined ? 'no file' : 'more than one file'} is called <provider>-<stack>-<major>-<minor>-cluster-class-<version>.tgz`,
      file: folder.path,
      hint: "Name the folder after the release's tag.",
    })
  }
  const { kubernetes, version } = parseMetadata(
    await readFolderFile(folder, METADATA, files),
    originPath(folder.path, METADATA),
  )
  return { ...identity, kubernetes, version }
}

function providerDirectory(source: NamedSource, config: string): StackmasonError {
  return new StackmasonError({
    code: 'CONFIG_INVALID_VALUE',
    severity: 'error',
    message: `source "${source.name}" is a provider directory (it has ${config}), not a folder of releases`,
    at: source.at,
    hint: 'Write providerDirectory instead of directory for it.',
  })
}

function skipped(source: NamedSource, odd: readonly string[]): Diagnostic {
  const count = odd.length === 1 ? 'one folder that is' : `${odd.length} folders that are`
  return {
    code: 'RELEASE_NAME_INVALID',
    severity: 'warning',
    message: `source "${source.name}" has ${count} skipped: ${odd.join('; ')}`,
    at: source.at,
    hint: 'Rename or move them; a release is found by the name of its folder.',
  }
}
