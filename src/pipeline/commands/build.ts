import { applyRow } from '../../build/apply-row.ts'
import { inputProblem } from '../../build/build-input.ts'
import type { StackFolder } from '../../build/make-assets.ts'
import { parseVersionTable, selectRows } from '../../build/version-table.ts'
import { digestOf } from '../../codec/bytes/digest.ts'
import { baseName, dirName, joinPath } from '../../codec/path.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { formatTag, formatVersion, releasePrefix } from '../../model/release-name.ts'
import type { ReleaseSource } from '../../model/release-source.ts'
import { findRepository } from '../../sources/committed/find-repository.ts'
import { openDirectorySource } from '../../sources/directory/source.ts'
import type { Registry } from '../../network/registry/registry.ts'
import type { SourceContext } from '../../sources/source-context.ts'
import { diagnosticsOf, distinct } from '../diagnostics.ts'
import { createSourceContext, type Network } from '../resolve/open-source.ts'
import { leadsOut, leadsOutOf } from '../deliver/leads-out.ts'
import { openStackFolder } from '../release/open-stack-folder.ts'
import {
  folderExists,
  planRelease,
  type PlannedRelease,
  type UnchangedRelease,
  type WantedVersion,
} from '../release/plan-release.ts'
import { push, type PushOutcome } from '../release/push.ts'
import { writeReleaseFolder } from '../release/release-folder.ts'
import { writeReleaseIndex } from '../release/release-index.ts'
import {
  findLocation,
  openLocationRegistry,
  type LocationOptions,
  type ReleaseLocation,
} from '../release/release-location.ts'

/** The options of `stackmason build`. Paths are absolute. */
export interface BuildOptions extends LocationOptions {
  /** The provider directory. */
  readonly directory: string
  /** Folder that gets a folder for each release. */
  readonly output: string
  /** True if nobody named it: then no link may lead out of the repository. */
  readonly isDefaultOutput?: boolean
  /** How the version is found; an explicit one has all components at that version unless they have their own. */
  readonly version: WantedVersion
  /** The version table; versions.yaml in the provider directory without one. */
  readonly table?: string | undefined
  /** Which rows of the table are built: none (the directory as it is), those of these Kubernetes versions, or all. */
  readonly rows: 'none' | 'all' | readonly string[]
  readonly push: boolean
  /** Write index.json, for a web server that serves the output folder. */
  readonly index: boolean
  /** Replace a release folder with other content. */
  readonly overwrite: boolean
  readonly dryRun: boolean
  /** Default: online. */
  readonly network?: Network
}

/** A file of a release. */
export interface BuiltFile {
  readonly name: string
  readonly size: number
  /** `sha256:<hex>` */
  readonly digest: string
}

/** The result for one release. */
export interface BuiltRelease {
  /** `unchanged`: nothing has changed since `tag`. `exists`: the same is in the output folder already. */
  readonly status: 'built' | 'exists' | 'unchanged'
  readonly tag: string
  /** With `v`. */
  readonly kubernetesVersion: string
  /** In dot form. */
  readonly versions: { readonly clusterStack: string; readonly clusterAddon: string; readonly nodeImage: string }
  /** Of the provider directory, as csctl takes it. */
  readonly hash: string
  /** Absolute; absent when nothing has changed. */
  readonly folder?: string
  /** Sorted by name; none when nothing has changed. */
  readonly files: readonly BuiltFile[]
  readonly pushed?: PushOutcome | undefined
}

/** The result of a build, or with `dryRun` its preview. */
export interface BuildResult {
  readonly mode: 'write' | 'dry-run'
  readonly output: string
  readonly releases: readonly BuiltRelease[]
  /** The path of index.json, when it was asked for. */
  readonly index?: string | undefined
  readonly findings: readonly Diagnostic[]
}

/**
 * Builds releases from a provider directory, reads each back as any user of it would, and then writes and pushes them.
 * Nothing is written or pushed when one of them has an error.
 * @throws StackmasonError BUILD_*, RELEASE_*, CHART_INVALID, CHART_VALUES_INVALID, ARCHIVE_*, CONFIG_*, FILE_*,
 * FETCH_*, GIT_FAILED, WRITE_FAILED
 */
export async function build(options: BuildOptions, ports: Ports): Promise<BuildResult> {
  try {
    return await buildAll(options, ports)
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    throw new StackmasonError(
      error.diagnostics.map((problem) => (problem.code === 'FETCH_OFFLINE' ? { ...problem, hint: OFFLINE } : problem)),
      { cause: error },
    )
  }
}

/** No fetch can bring what others may publish at any time. */
const OFFLINE =
  'The place is asked for its newest release, and pushed to: run it without `--offline`, or without `--registry`, `--source` and `--push`.'

async function buildAll(options: BuildOptions, ports: Ports): Promise<BuildResult> {
  const context = createSourceContext(ports, options.network ?? 'online')
  const { directory, output } = options
  if (options.isDefaultOutput === true) await refuseWayOut(output, ports)
  const opened = await openStackFolder(directory, output, ports.files)
  const findings: Diagnostic[] = [...opened.findings]
  const problems: Diagnostic[] = []
  const location = await findLocation(options, context)
  const registry = options.push ? await registryOf(location, context) : undefined
  const newestAt = options.version.mode === 'stable' ? await openNewest(options, location, context) : undefined
  const releases: (PlannedRelease | UnchangedRelease)[] = []
  for (const variant of await variantsOf(opened.folder, options, ports)) {
    try {
      const { folder, findings: found } = variant()
      findings.push(...found)
      releases.push(await planRelease(folder, { options, context, newestAt, registry, findings }))
    } catch (error) {
      problems.push(...diagnosticsOf(error))
    }
  }
  if (problems.length > 0) throw new StackmasonError(distinct(problems))
  const built: BuiltRelease[] = []
  for (const release of releases) built.push(await finishRelease(release, { options, registry, ports }))
  const index = options.index && !options.dryRun ? await writeReleaseIndex(output, context) : undefined
  return {
    mode: options.dryRun ? 'dry-run' : 'write',
    output,
    releases: built,
    index,
    findings: distinct([...findings, ...releases.filter((release) => !('assets' in release)).map(noChange)]),
  }
}

async function refuseWayOut(output: string, ports: Ports): Promise<void> {
  const folder = dirName(output)
  const isHome = (await findRepository(folder, ports)) !== undefined
  if (!(await (isHome ? leadsOut(output, ports) : leadsOutOf(folder, output, ports)))) return
  throw new StackmasonError({
    code: 'FILE_OUTSIDE',
    severity: 'error',
    message: `${baseName(output)} is a link that leads out of ${isHome ? 'the repository' : 'its folder'}`,
    file: output,
    hint: 'Remove the link, or name the folder with --out.',
  })
}

interface Variant {
  readonly folder: StackFolder
  readonly findings: readonly Diagnostic[]
}

/** The directory as it is, or once for each row of the table. */
async function variantsOf(
  folder: StackFolder,
  { rows, table }: BuildOptions,
  { files }: Ports,
): Promise<readonly (() => Variant)[]> {
  if (rows === 'none') return [() => ({ folder, findings: [] })]
  const name = table ?? joinPath(folder.path, 'versions.yaml')
  const bytes =
    table === undefined
      ? folder.files.find(({ path }) => path === 'versions.yaml')?.bytes
      : await readTable(table, files)
  if (bytes === undefined) {
    const hint = 'Name a version table with --table, or build the directory as it is.'
    throw inputProblem('the provider directory has no versions.yaml', { file: folder.path, hint })
  }
  const selected = selectRows(parseVersionTable({ name, bytes }), rows === 'all' ? [] : rows, name)
  return selected.map((row) => () => applyRow(folder, row))
}

async function readTable(table: string, files: Ports['files']): Promise<Uint8Array> {
  try {
    return await files.read(table)
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    throw new StackmasonError(diagnosticsOf(error), { cause: error })
  }
}

async function registryOf(location: ReleaseLocation | undefined, context: SourceContext): Promise<Registry> {
  if (location === undefined) throw new Error('the options name no registry to push to')
  return openLocationRegistry(location, context)
}

/** Where the newest release is looked up: the location that was named, else the output folder. */
async function openNewest(
  { output }: BuildOptions,
  location: ReleaseLocation | undefined,
  context: SourceContext,
): Promise<ReleaseSource | undefined> {
  if (location !== undefined) return location.open()
  if ((await context.ports.files.stat(output)) === undefined) return undefined
  const at = { source: { name: output, text: '' }, start: 0, end: 0 }
  return openDirectorySource({ type: 'directory', name: 'output', path: output, at }, context)
}

interface Finishing {
  readonly options: BuildOptions
  readonly registry: Registry | undefined
  readonly ports: Ports
}

async function finishRelease(
  release: PlannedRelease | UnchangedRelease,
  { options, registry, ports }: Finishing,
): Promise<BuiltRelease> {
  const { folder, name, versions, hashes } = release
  const tag = formatTag(name)
  const common = {
    tag,
    kubernetesVersion: folder.kubernetesVersion,
    versions: {
      clusterStack: formatVersion(versions.clusterStack, 'dot'),
      clusterAddon: formatVersion(versions.clusterAddon, 'dot'),
      nodeImage: formatVersion(versions.nodeImage, 'dot'),
    },
    hash: hashes.clusterStack,
  }
  if (!('assets' in release)) return { status: 'unchanged', ...common, files: [] }
  const { assets, target, state, remote } = release
  if (state !== 'same' && !options.dryRun) {
    const { overwrite } = options
    const written = await writeReleaseFolder(target, assets, { overwrite, ports })
    if (written === 'other') throw new StackmasonError(folderExists(target))
  }
  const pushed =
    registry === undefined || options.dryRun
      ? remote
      : await push(
          { tag, kubernetesVersion: folder.kubernetesVersion, hash: hashes.clusterStack, assets },
          registry,
          ports,
        )
  return {
    status: state === 'same' ? 'exists' : 'built',
    ...common,
    folder: target,
    files: assets.map(({ path, bytes }) => ({ name: path, size: bytes.length, digest: digestOf(bytes, ports.crypto) })),
    pushed,
  }
}

function noChange({ folder, name }: PlannedRelease | UnchangedRelease): Diagnostic {
  const message = `nothing that ${releasePrefix(name)} ships has changed since ${formatTag(name)}`
  return { code: 'BUILD_NO_CHANGE', severity: 'warning', message, file: folder.path }
}
