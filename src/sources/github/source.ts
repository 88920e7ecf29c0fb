import { StackmasonError } from '../../model/diagnostic.ts'
import type { GitHubSourceConfig } from '../../model/fleet.ts'
import { formatTag } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import type {
  LocatedRelease,
  OfferedRelease,
  OfferedReleases,
  ReleaseAsset,
  ReleaseSource,
} from '../../model/release-source.ts'
import { lazyAuthorization } from '../../network/credentials/lazy-authorization.ts'
import { kubernetesVersionIn, METADATA } from '../release/kubernetes-version.ts'
import { demandsOf, isAssetName, MAX_ASSET_BYTES } from '../release/published-asset.ts'
import { sortTags } from '../release/sort-tags.ts'
import type { SourceContext } from '../source-context.ts'
import { openTransport } from '../../network/transport/open-transport.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import type { GitHubAsset, GitHubRelease } from '../../network/github/github-release.ts'
import {
  createGitHubApi,
  githubHeaders,
  invalidAnswer,
  type GitHubApi,
  type GitHubConnection,
} from '../../network/github/github-api.ts'
import { releasePage } from './release-page.ts'

/** A release may come with fewer assets than it has, but not with fewer than the smallest page of them. */
const SURELY_ALL = 29

/** One GitHub source at work. */
interface Opened {
  readonly config: GitHubSourceConfig
  readonly context: SourceContext
  readonly connection: GitHubConnection
  readonly api: GitHubApi
  /** By tag, as listed or asked for. */
  readonly releases: Map<string, GitHubRelease>
  /** All assets of a release, by tag. */
  readonly assets: Map<string, readonly GitHubAsset[]>
  /** Set once the repository was read. */
  isReadable: boolean
}

/**
 * Opens the releases of a GitHub repository; nothing is asked yet. A release is told by its tag, never by its title
 * (the cluster stack operator takes the title: github.com/SovereignCloudStack/cluster-stack-operator
 * pkg/assetsclient/github); prereleases count, drafts do not. There is no `revision`: nothing GitHub has names the
 * content (assets can be replaced below the same tag, commit and release id), but the assets' digests do.
 * @throws StackmasonError FILE_UNREADABLE, FETCH_TLS for the file of certificate authorities
 */
export async function openGitHubSource(config: GitHubSourceConfig, context: SourceContext): Promise<ReleaseSource> {
  const { ports, offline } = context
  const transport = await openTransport(config, { offline, at: config.at }, ports)
  const authorization = lazyAuthorization(
    {
      host: new URL(config.apiUrl).host,
      kind: 'github',
      variables: config.credentials,
      at: config.at,
    },
    ports,
  )
  const connection: GitHubConnection = {
    transport,
    clock: ports.clock,
    authorization: () => (offline ? Promise.resolve(undefined) : authorization()),
  }
  const opened: Opened = {
    config,
    context,
    connection,
    api: createGitHubApi(config, connection),
    releases: new Map(),
    assets: new Map(),
    isReadable: false,
  }
  return {
    list: () => list(opened),
    describe: (release) => describe(opened, release),
    locate: (name) => locate(opened, name),
    fetch: (release, asset) => fetchAsset(opened, release, asset),
  }
}

async function list(opened: Opened): Promise<OfferedReleases> {
  const { api, config } = opened
  const published = await api.releases()
  if (published === undefined) throw await unreadable(opened)
  opened.isReadable = true
  const { releases, findings } = sortTags(
    published.filter(({ isDraft }) => !isDraft).map((release) => [release.tag, release] as const),
    config,
  )
  for (const { tag, content } of releases) opened.releases.set(tag, content)
  return { releases: releases.map(({ name, content }) => offer(name, content)), findings }
}

function offer(name: ReleaseName, { published }: GitHubRelease): OfferedRelease {
  return { name, published }
}

async function describe(opened: Opened, release: OfferedRelease): Promise<OfferedRelease> {
  const located = await locate(opened, release.name)
  const found = opened.releases.get(formatTag(release.name))
  if (located === undefined || found === undefined) return release
  const described = { ...release, ...offer(release.name, found) }
  const metadata = located.assets.find(({ name }) => name === METADATA)
  if (metadata === undefined) return described
  const kubernetesVersion = kubernetesVersionIn(await fetchCached(opened, located, metadata))
  return kubernetesVersion === undefined ? described : { ...described, kubernetesVersion }
}

async function locate(opened: Opened, name: ReleaseName): Promise<LocatedRelease | undefined> {
  const release = await findRelease(opened, formatTag(name))
  if (release === undefined) return undefined
  const assets = opened.assets.get(release.tag) ?? (await readAssets(opened, release))
  opened.assets.set(release.tag, assets)
  return {
    name,
    from: releasePage(opened.config, release.tag),
    assets: assets
      .map(({ name: asset, digest, size }) => ({ name: asset, digest, size }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

async function findRelease(opened: Opened, tag: string): Promise<GitHubRelease | undefined> {
  const { api, releases } = opened
  const known = releases.get(tag)
  if (known !== undefined) return known
  const release = await api.releaseByTag(tag)
  if (release === undefined && !opened.isReadable && !(await api.isReadable())) throw await unreadable(opened)
  opened.isReadable = true
  if (release?.tag !== tag || release.isDraft) return undefined
  releases.set(tag, release)
  return release
}

async function readAssets(opened: Opened, release: GitHubRelease): Promise<readonly GitHubAsset[]> {
  const all = release.assets.length <= SURELY_ALL ? release.assets : ((await opened.api.assets(release.id)) ?? [])
  const assets = all.filter(({ isComplete }) => isComplete)
  const names = new Set<string>()
  for (const { name } of assets) {
    if (!isAssetName(name)) throw invalid(opened, `an asset of ${release.tag} is called ${quote(name)}`)
    if (names.has(name)) throw invalid(opened, `two assets of ${release.tag} are called ${quote(name)}`)
    names.add(name)
  }
  return assets
}

/** metadata.yaml is small and asked for by every listing. */
async function fetchCached(opened: Opened, release: LocatedRelease, asset: ReleaseAsset): Promise<Uint8Array> {
  const { cache } = opened.context
  const known = asset.digest === undefined ? undefined : await cache.get(asset.digest)
  if (known !== undefined) return known
  const bytes = await fetchAsset(opened, release, asset)
  await cache.put(bytes)
  return bytes
}

/**
 * With a token from the API's own address, whose redirect goes elsewhere without the token; anonymously from the
 * address for browsers, which does not count against the 60 requests an hour that the API allows.
 */
async function fetchAsset(opened: Opened, release: LocatedRelease, asset: ReleaseAsset): Promise<Uint8Array> {
  const { config, connection } = opened
  const tag = formatTag(release.name)
  if (!opened.assets.has(tag)) await locate(opened, release.name)
  const found = opened.assets.get(tag)?.find(({ name }) => name === asset.name)
  if (found === undefined) {
    throw new StackmasonError({
      code: 'FETCH_NOT_FOUND',
      severity: 'error',
      message: `${release.from} has no asset ${asset.name}`,
      at: config.at,
    })
  }
  const credentials = await connection.authorization()
  const api = `${config.apiUrl}/repos/${config.owner}/${config.repository}/releases/assets/${String(found.id)}`
  const { body } = await connection.transport.send({
    method: 'GET',
    url: credentials === undefined ? found.downloadUrl : api,
    purpose: `${asset.name} of ${release.from}`,
    headers: githubHeaders('application/octet-stream'),
    authorization: credentials,
    maxBytes: MAX_ASSET_BYTES,
    ...demandsOf(asset, found),
  })
  return body
}

function invalid({ config }: Opened, what: string): StackmasonError {
  return invalidAnswer(config, `releases of ${config.owner}/${config.repository}`, what)
}

function quote(name: string): string {
  return JSON.stringify(name.length > 120 ? `${name.slice(0, 120)}…` : name)
}

/** GitHub says 404 to those who may not know that a repository exists. */
async function unreadable({ config, connection }: Opened): Promise<StackmasonError> {
  const isAnonymous = (await connection.authorization()) === undefined
  const shown = `${config.owner}/${config.repository}`
  // the only host that is shown what the environment holds without being told
  const isGitHub = new URL(config.apiUrl).host === 'api.github.com'
  const way = `${isGitHub ? 'set GITHUB_TOKEN or GIT_ACCESS_TOKEN, or ' : ''}name a variable with a token under credentialsFrom of the source`
  return new StackmasonError({
    code: 'FETCH_NOT_FOUND',
    severity: 'error',
    message: `${shownUrl(config.apiUrl)} has no repository ${shown}, or it may not be read ${isAnonymous ? 'without a token' : 'with the token that was sent'}`,
    at: config.at,
    hint: isAnonymous
      ? `Check owner and repository; if it is private, ${way}.`
      : 'Check owner and repository; if it is private, the token must be allowed to read its contents.',
  })
}
