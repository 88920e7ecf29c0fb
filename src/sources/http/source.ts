import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { HttpSourceConfig } from '../../model/fleet.ts'
import type { HttpRequest, HttpResponse } from '../../model/http.ts'
import { formatTag } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import type {
  LocatedRelease,
  OfferedRelease,
  OfferedReleases,
  ReleaseAsset,
  ReleaseSource,
} from '../../model/release-source.ts'
import type { Secret } from '../../model/secret.ts'
import { lazyAuthorization } from '../../network/credentials/lazy-authorization.ts'
import { kubernetesVersionIn, METADATA } from '../release/kubernetes-version.ts'
import { demandsOf, isAssetName, MAX_ASSET_BYTES } from '../release/published-asset.ts'
import { sortTags } from '../release/sort-tags.ts'
import type { SourceContext } from '../source-context.ts'
import { openTransport } from '../../network/transport/open-transport.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import type { Transport, TransportRequest } from '../../network/transport/transport.ts'
import { possibleAssets } from './probe-assets.ts'
import { parseIndexedReleases, type IndexedRelease } from './indexed-releases.ts'

/** Ten thousand releases of ten assets. */
const MAX_INDEX_BYTES = 16 * 1024 * 1024
const MAX_METADATA_BYTES = 1024 * 1024
const NOT_THERE = [404, 410]
/** Servers that do not know HEAD. */
const NO_HEAD = [405, 501]

/** One web server at work. */
interface Opened {
  readonly config: HttpSourceConfig
  readonly context: SourceContext
  readonly transport: Transport
  readonly authorization: () => Promise<Secret | undefined>
  /** By tag; undefined when the server has no index. Read once. */
  index?: Promise<ReadonlyMap<string, IndexedRelease> | undefined>
  /** The releases that probing found, by tag. */
  readonly probed: Map<string, LocatedRelease>
  /** The metadata that probing fetched, by tag. */
  readonly metadata: Map<string, Uint8Array>
}

/**
 * Opens the releases of a web server, `<url>/<tag>/<asset>`; nothing is asked yet. `<url>/index.json` says what there
 * is; without one nothing is listed, and a release that is asked for by name is probed for the files that it may have.
 * @throws StackmasonError FILE_UNREADABLE, FETCH_TLS for the file of certificate authorities
 */
export async function openHttpSource(config: HttpSourceConfig, context: SourceContext): Promise<ReleaseSource> {
  const { ports, offline } = context
  const authorization = lazyAuthorization(
    {
      host: new URL(config.url).host,
      kind: 'http',
      variables: config.credentials,
      at: config.at,
    },
    ports,
  )
  const opened: Opened = {
    config,
    context,
    transport: await openTransport(config, { offline, at: config.at }, ports),
    authorization: () => (offline ? Promise.resolve(undefined) : authorization()),
    probed: new Map(),
    metadata: new Map(),
  }
  return {
    list: () => list(opened),
    describe: (release) => describe(opened, release),
    locate: (name) => locate(opened, name),
    fetch: (release, asset) => fetchAsset(opened, release, asset),
  }
}

async function list(opened: Opened): Promise<OfferedReleases> {
  const { config } = opened
  const index = await indexOf(opened)
  if (index === undefined) return { releases: [], findings: [noIndex(config)] }
  const { releases, findings } = sortTags(index, config)
  return {
    releases: releases.map(({ name, content: { kubernetesVersion, published } }) => ({
      name,
      kubernetesVersion,
      published,
    })),
    findings,
  }
}

async function describe(opened: Opened, release: OfferedRelease): Promise<OfferedRelease> {
  if (release.kubernetesVersion !== undefined) return release
  const located = await locate(opened, release.name)
  const metadata = located?.assets.find(({ name }) => name === METADATA)
  if (located === undefined || metadata === undefined) return release
  const kubernetesVersion = kubernetesVersionIn(await fetchAsset(opened, located, metadata))
  return kubernetesVersion === undefined ? release : { ...release, kubernetesVersion }
}

async function locate(opened: Opened, name: ReleaseName): Promise<LocatedRelease | undefined> {
  const tag = formatTag(name)
  const index = await indexOf(opened)
  if (index === undefined) return probe(opened, name)
  const release = index.get(tag)
  return release && { name, from: folderOf(opened, tag), assets: release.assets }
}

/** @throws StackmasonError FETCH_INVALID with every problem */
function indexOf(opened: Opened): Promise<ReadonlyMap<string, IndexedRelease> | undefined> {
  opened.index ??= readIndex(opened)
  return opened.index
}

async function readIndex(opened: Opened): Promise<ReadonlyMap<string, IndexedRelease> | undefined> {
  const { config } = opened
  const answer = await ask(opened, {
    method: 'GET',
    url: `${config.url}/index.json`,
    purpose: `index.json of ${shownUrl(config.url)}`,
    maxBytes: MAX_INDEX_BYTES,
    accept: NOT_THERE,
  })
  if (NOT_THERE.includes(answer.status)) return undefined
  const index = parseIndexedReleases(answer.body)
  if ('releases' in index) return new Map(index.releases.map((release) => [release.tag, release]))
  throw new StackmasonError(
    index.problems.map((problem) => ({
      code: 'FETCH_INVALID',
      severity: 'error',
      message: `${indexUrl(opened)} is not an index of releases: ${problem}`,
      at: config.at,
      hint: 'Its form is in the documentation of the source; remove it if it is something else.',
    })),
  )
}

async function probe(opened: Opened, name: ReleaseName): Promise<LocatedRelease | undefined> {
  const tag = formatTag(name)
  const known = opened.probed.get(tag)
  if (known !== undefined) return known
  const from = folderOf(opened, tag)
  const metadata = await ask(opened, {
    method: 'GET',
    url: assetUrl(opened, tag, METADATA),
    purpose: `${METADATA} of ${from}`,
    maxBytes: MAX_METADATA_BYTES,
    accept: NOT_THERE,
  })
  if (NOT_THERE.includes(metadata.status)) return undefined
  opened.metadata.set(tag, metadata.body)
  const found = [METADATA]
  for (const asset of possibleAssets(name, metadata.body, from)) {
    if (await isThere(opened, tag, asset)) found.push(asset)
  }
  const located = { name, from, assets: found.toSorted().map((asset) => ({ name: asset })) }
  opened.probed.set(tag, located)
  return located
}

async function isThere(opened: Opened, tag: string, asset: string): Promise<boolean> {
  const request = (method: HttpRequest['method'], accept: readonly number[]): Promise<HttpResponse> =>
    ask(opened, {
      method,
      url: assetUrl(opened, tag, asset),
      purpose: `${asset} of ${folderOf(opened, tag)}`,
      maxBytes: MAX_ASSET_BYTES,
      accept,
    })
  const head = await request('HEAD', [...NOT_THERE, ...NO_HEAD])
  const { status } = NO_HEAD.includes(head.status) ? await request('GET', NOT_THERE) : head
  return !NOT_THERE.includes(status)
}

async function fetchAsset(opened: Opened, release: LocatedRelease, asset: ReleaseAsset): Promise<Uint8Array> {
  const tag = formatTag(release.name)
  const probed = asset.name === METADATA && asset.digest === undefined ? opened.metadata.get(tag) : undefined
  if (probed !== undefined) return probed
  try {
    const { body } = await ask(opened, {
      method: 'GET',
      url: assetUrl(opened, tag, asset.name),
      purpose: `${asset.name} of ${release.from}`,
      maxBytes: MAX_ASSET_BYTES,
      ...demandsOf(asset),
    })
    return body
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    throw new StackmasonError(await withIndex(error.diagnostics, { opened, tag, asset }), { cause: error })
  }
}

/** The problems of an asset; of other content than the index says it is told, for the index may be the older one. */
async function withIndex(
  problems: readonly Diagnostic[],
  { opened, tag, asset }: { readonly opened: Opened; readonly tag: string; readonly asset: ReleaseAsset },
): Promise<readonly Diagnostic[]> {
  const indexed = (await opened.index)?.get(tag)?.assets.find(({ name }) => name === asset.name)
  if (indexed?.digest === undefined || indexed.digest !== asset.digest) return problems
  return problems.map((problem) =>
    problem.code === 'FETCH_DIGEST_MISMATCH'
      ? {
          ...problem,
          message: `${problem.message}; ${indexUrl(opened)} says what it has to be`,
          hint: 'Find out who replaced the file. If that was on purpose, write index.json anew (`stackmason build --index`), else put the file back.',
        }
      : problem,
  )
}

function indexUrl({ config }: Opened): string {
  return shownUrl(`${config.url}/index.json`)
}

async function ask(opened: Opened, request: Omit<TransportRequest, 'authorization'>): Promise<HttpResponse> {
  const authorization = await opened.authorization()
  return opened.transport.send(authorization === undefined ? request : { ...request, authorization })
}

function folderOf({ config }: Opened, tag: string): string {
  return `${shownUrl(config.url)}/${tag}`
}

function assetUrl({ config }: Opened, tag: string, asset: string): string {
  if (!isAssetName(asset)) {
    throw new StackmasonError({
      code: 'FETCH_INVALID',
      severity: 'error',
      message: `${JSON.stringify(asset.slice(0, 120))} is not a name of an asset of ${tag}`,
      at: config.at,
    })
  }
  return `${config.url}/${tag}/${encodeURIComponent(asset)}`
}

function noIndex(config: HttpSourceConfig): Diagnostic {
  return {
    code: 'FETCH_NOT_FOUND',
    severity: 'warning',
    message: `source "${config.name}" has no index.json, so nothing of what it offers is known`,
    at: config.at,
    hint: 'Put an index.json there, or name the versions in the ClusterStack: those are looked for.',
  }
}
