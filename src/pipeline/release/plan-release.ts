import { hashComponents, type ComponentHashes } from '../../build/component-hashes.ts'
import { makeAssets, type MadeAssets, type SharedSteps, type StackFolder } from '../../build/make-assets.ts'
import { planVersions } from '../../build/plan-versions.ts'
import { FIRST_VERSION, hashVersion, sameVersions, type ReleaseVersions } from '../../build/release-versions.ts'
import { joinPath } from '../../codec/path.ts'
import type { Chart, ChartFile } from '../../model/chart.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import { formatTag, formatVersion, matchVersion, parseVersion } from '../../model/release-name.ts'
import type { Ports } from '../../model/ports.ts'
import type { Release, ReleaseName, ReleaseVersion } from '../../model/release.ts'
import type { ReleaseSource } from '../../model/release-source.ts'
import type { Source } from '../../model/source.ts'
import { applyHelmIgnore } from '../../sources/chart/helm-ignore.ts'
import type { Registry } from '../../network/registry/registry.ts'
import { applyBuildTemplate } from '../../sources/release/build-template.ts'
import { ADDON_VALUES } from '../../sources/release/cluster-addon.ts'
import { contentHash } from '../../sources/release/content-hash.ts'
import { buildFolderChart, filesBelow } from '../../sources/release/folder-chart.ts'
import { readAssets } from '../../sources/release/read-assets.ts'
import { repositoryKind } from '../../sources/dependency/repository-kind.ts'
import type { SourceContext } from '../../sources/source-context.ts'
import { diagnosticsOf } from '../diagnostics.ts'
import { dependencyRequests } from '../resolve/dependency-requests.ts'
import { readNewest } from './newest-release.ts'
import { lookUp, type PushOutcome } from './push.ts'
import { compareFolder, type FolderState } from './release-folder.ts'
import { tryRelease } from './try-release.ts'

/** How the version is found; an explicit one is that of all components but those that have their own. */
export type WantedVersion =
  | { readonly mode: 'stable' }
  | { readonly mode: 'hash' }
  | {
      readonly mode: 'explicit'
      readonly clusterStack: string
      readonly clusterAddon?: string | undefined
      readonly nodeImage?: string | undefined
    }

/** A release that is made, and not written yet. */
export interface PlannedRelease {
  readonly folder: StackFolder
  readonly name: ReleaseName
  readonly versions: ReleaseVersions
  readonly hashes: ComponentHashes
  readonly assets: readonly ChartFile[]
  /** The folder that it goes to, absolute. */
  readonly target: string
  readonly state: FolderState
  /** How the registry that it goes to compares; absent without one. */
  readonly remote?: PushOutcome
}

/** The release since which nothing has changed. */
export interface UnchangedRelease {
  readonly folder: StackFolder
  readonly name: ReleaseName
  readonly versions: ReleaseVersions
  readonly hashes: ComponentHashes
}

/** The inputs of planning besides the provider directory. */
export interface Planning {
  readonly options: { readonly version: WantedVersion; readonly output: string; readonly overwrite: boolean }
  readonly context: SourceContext
  /** Where the newest release is looked up; undefined when there is nothing yet. */
  readonly newestAt: ReleaseSource | undefined
  /** Where it will be pushed. */
  readonly registry: Registry | undefined
  /** Gets what a person should look at. */
  readonly findings: Diagnostic[]
}

/**
 * Makes a release, reads it back as any user of it would, and compares it with what is at its places already.
 * @throws StackmasonError BUILD_*, RELEASE_*, CHART_INVALID, CHART_VALUES_INVALID, DEPENDENCY_UNSUPPORTED, ARCHIVE_*,
 * FILE_*, FETCH_*, GIT_FAILED
 */
export async function planRelease(folder: StackFolder, planning: Planning): Promise<PlannedRelease | UnchangedRelease> {
  const { options, context, registry, findings } = planning
  const { crypto } = context.ports
  const hashes = hashComponents(folder.files, (files) => contentHash(files, crypto), crypto)
  const make = (wanted: ReleaseVersions): MadeAssets =>
    makeAssets(folder, { versions: wanted, hashes }, stepsFor(folder))
  const found = await chooseVersions({ folder, hashes, make }, planning)
  if ('unchanged' in found) return { folder, hashes, ...found.unchanged }
  const { versions } = found
  const name = { ...folder.name, version: versions.clusterStack }
  const made = make(versions)
  const byName = new Map(made.assets.map(({ path, bytes }) => [path, bytes]))
  const read = async (file: string): Promise<Uint8Array> => byName.get(file) ?? new Uint8Array()
  const { release: packed, findings: noted } = await readAssets(
    { origin: folder.path, names: [...byName.keys()], read },
    name,
    context.ports,
  )
  const written = unpacked(packed, { folder, versions }, context.ports)
  refuseUnreachable(written, context.ports)
  const tried = await tryRelease(written, context.ports)
  findings.push(...made.findings, ...noted, ...tried)
  const tag = formatTag(name)
  const target = joinPath(options.output, tag)
  const state = await compareFolder(target, made.assets, context.ports.files)
  if (state === 'other' && !options.overwrite) throw new StackmasonError(folderExists(target))
  const release = { tag, kubernetesVersion: folder.kubernetesVersion, hash: hashes.clusterStack, assets: made.assets }
  const remote = registry && (await lookUp(release, registry, context.ports))
  return { folder, name, versions, hashes, assets: made.assets, target, state, remote }
}

/**
 * Refuses charts that depend on what no user of the release could fetch: a folder of this machine, or a repository that
 * only the configuration of somebody's Helm knows. Nothing is asked of the others.
 * @throws StackmasonError DEPENDENCY_UNSUPPORTED
 */
function refuseUnreachable({ clusterClass, addons }: Release, { crypto }: Pick<Ports, 'crypto'>): void {
  const problems: Diagnostic[] = []
  for (const chart of [clusterClass, ...addons.map((addon) => addon.chart)]) {
    for (const { name, repository, request, file } of dependencyRequests(chart, crypto).wanted) {
      try {
        repositoryKind({ name, repository, request, file })
      } catch (error) {
        problems.push(...diagnosticsOf(error))
      }
    }
  }
  if (problems.length > 0) throw new StackmasonError(problems)
}

/** The release with its charts where people write them, and not in the archives that are made of them. */
function unpacked(
  { clusterClass, addons, ...release }: Release,
  { folder, versions }: { readonly folder: StackFolder; readonly versions: ReleaseVersions },
  ports: Pick<Ports, 'compression'>,
): Release {
  const files = stepsFor(folder).applyTemplate(
    folder.files.filter(({ path }) => /^cluster-(?:class|addon)\/|^cluster-addon-values\.yaml$/.test(path)),
    versions,
  )
  const chartAt = (path: string, { metadata }: Chart): Chart => ({
    ...buildFolderChart(filesBelow(files, path), joinPath(folder.path, path), ports),
    metadata,
  })
  const overwriteAt = (path: string, text: string): Source => ({ name: joinPath(folder.path, path), text })
  return {
    ...release,
    clusterClass: chartAt('cluster-class', clusterClass),
    addons: addons.map(({ name, chart, overwrite }) => {
      const isSingle = release.form === 'single'
      const place = isSingle ? 'cluster-addon' : `cluster-addon/${name}`
      const values = isSingle ? ADDON_VALUES : `${place}/overwrite.yaml`
      return {
        name,
        chart: chartAt(place, chart),
        ...(overwrite && { overwrite: overwriteAt(values, overwrite.text) }),
      }
    }),
  }
}

/** The problem of a release folder that holds another release. */
export function folderExists(file: string): Diagnostic {
  const message = 'the folder is there already with other content'
  const hint = 'Build the next version; if it was not published yet, pass --overwrite or remove the folder.'
  return { code: 'BUILD_TAG_EXISTS', severity: 'error', message, file, hint }
}

interface Choice {
  readonly folder: StackFolder
  readonly hashes: ComponentHashes
  readonly make: (versions: ReleaseVersions) => MadeAssets
}

async function chooseVersions(
  { folder, hashes, make }: Choice,
  { options: { version }, newestAt }: Planning,
): Promise<
  | { readonly versions: ReleaseVersions }
  | { readonly unchanged: { readonly name: ReleaseName; readonly versions: ReleaseVersions } }
> {
  if (version.mode === 'hash') return { versions: sameVersions(hashVersion(hashes.clusterStack)) }
  if (version.mode === 'explicit') {
    const { clusterStack, clusterAddon = clusterStack, nodeImage = clusterStack } = version
    return {
      versions: {
        clusterStack: parseOption('version', clusterStack),
        clusterAddon: parseOption('addon-version', clusterAddon),
        nodeImage: parseOption('node-image-version', nodeImage),
      },
    }
  }
  const before = newestAt && (await readNewest(folder.name, newestAt))
  if (before === undefined) return { versions: sameVersions(FIRST_VERSION) }
  const versions = planVersions(hashes, before, (wanted) => make(wanted).assets)
  return versions === undefined ? { unchanged: { name: before.name, versions: before.versions } } : { versions }
}

/** The version that an option gives. @throws StackmasonError RELEASE_NAME_INVALID, with one that may be meant */
function parseOption(option: string, text: string): ReleaseVersion {
  const meant = [`v${text}`, `v${/^v?(\d+)/i.exec(text)?.[1] ?? ''}`].find((near) => 'value' in matchVersion(near))
  return parseVersion(text, { hint: `Write it like \`--${option} ${meant ?? 'v3'}\`.` })
}

function stepsFor({ path: folder }: StackFolder): SharedSteps {
  return {
    applyTemplate: (files, { clusterStack, clusterAddon, nodeImage }) =>
      applyBuildTemplate(
        files,
        {
          ClusterClassVersion: formatVersion(clusterStack, 'dot'),
          ClusterAddonVersion: formatVersion(clusterAddon, 'dot'),
          NodeImageVersion: formatVersion(nodeImage, 'dot'),
        },
        (path) => joinPath(folder, path),
      ),
    applyHelmIgnore,
  }
}
