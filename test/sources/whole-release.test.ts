import { describe, expect, onTestFinished, test } from 'vitest'
import type { SourceConfig } from '../../src/model/fleet.ts'
import { formatTag, parseReleaseTag } from '../../src/model/release-name.ts'
import type { ReleaseName } from '../../src/model/release.ts'
import { addonVersions, fetchLockedRelease, fetchRelease } from '../../src/pipeline/resolve/fetch-release.ts'
import { openSource } from '../../src/pipeline/resolve/open-source.ts'
import { writeReleaseIndex } from '../../src/pipeline/release/release-index.ts'
import { startGitHubServer } from '../../tools/servers/github-server.ts'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import type { OfferedReleases, ReleaseSource } from '../../src/model/release-source.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'
import { sourceContext } from '../support/source-context.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startWebServer } from '../../tools/servers/web-server.ts'
import { at, singleRelease, stagesRelease, writeFiles, type FileMap } from '../../tools/fleets/stack-folder.ts'
import { readFile } from 'node:fs/promises'

/** Serves a release in one way; gives what a fleet says about the source. */
type Publish = (tag: string, files: FileMap) => Promise<SourceConfig>

async function writeRelease(tag: string, files: FileMap): Promise<string> {
  const folder = await tempFolder()
  await writeFiles(folder, Object.fromEntries(Object.entries(files).map(([path, bytes]) => [`${tag}/${path}`, bytes])))
  return folder
}

async function serveFiles(tag: string, files: FileMap, index?: string): Promise<SourceConfig> {
  const routes = Object.entries(files).map(([path, body]) => [`/${tag}/${path}`, { body }] as const)
  const server = await startWebServer({
    ...Object.fromEntries(routes),
    ...(index !== undefined && { '/index.json': { body: index } }),
  })
  onTestFinished(server.close)
  return { type: 'http', name: 'published', at, url: server.url, plainHttp: true }
}

const ways: readonly { readonly way: string; readonly publish: Publish }[] = [
  {
    way: 'GitHub',
    publish: async (tag, files) => {
      const server = await startGitHubServer({
        releases: [{ tag, files: Object.entries(files).map(([name, content]) => ({ name, content })) }],
      })
      onTestFinished(server.close)
      const where = { owner: 'acme', repository: 'stacks', apiUrl: server.apiUrl }
      return { type: 'github', name: 'published', at, ...where, plainHttp: true }
    },
  },
  {
    way: 'GitHub as it was before it knew digests',
    publish: async (tag, files) => {
      const server = await startGitHubServer({
        releases: [{ tag, files: Object.entries(files).map(([name, content]) => ({ name, content, digest: null })) }],
      })
      onTestFinished(server.close)
      const where = { owner: 'acme', repository: 'stacks', apiUrl: server.apiUrl }
      return { type: 'github', name: 'published', at, ...where, plainHttp: true }
    },
  },
  {
    way: 'a web server with the index that build writes',
    publish: async (tag, files) => {
      const folder = await writeRelease(tag, files)
      const path = await writeReleaseIndex(folder, await sourceContext())
      return serveFiles(tag, files, await readFile(path, 'utf8'))
    },
  },
  { way: 'a web server without an index', publish: serveFiles },
]

const releases: readonly { readonly name: ReleaseName; readonly files: FileMap }[] = [
  { name: parseReleaseTag('docker-demo-1-30-v3'), files: stagesRelease },
  { name: parseReleaseTag('docker-old-1-27-v0-sha-abc1234'), files: singleRelease },
]

describe.each(ways)('published by $way', ({ publish }) => {
  test.each(releases)('a release is what it is on disk, and stays so offline by its lock', async ({ name, files }) => {
    const tag = formatTag(name)
    const context = await sourceContext()
    const disk: SourceConfig = { type: 'directory', name: 'disk', at, path: await writeRelease(tag, files) }
    const onDisk = await fetchRelease({ config: disk, source: await openSource(disk, context) }, name, context)
    const config = await publish(tag, files)
    const source = await openSource(config, context)
    const obtained = await fetchRelease({ config, source }, name, context)
    expect(obtained?.release.digest).toBe(onDisk?.release.digest)
    expect(obtained?.assets).toEqual(onDisk?.assets)
    expect(obtained?.findings).toEqual([])
    expect([...(obtained?.assets.keys() ?? [])]).toEqual(Object.keys(files).toSorted())
    const locked = {
      name: tag,
      source: config.name,
      from: obtained?.from ?? '',
      digest: `sha256:${obtained?.release.digest ?? ''}`,
      kubernetesVersion: obtained?.release.kubernetesVersion ?? '',
      stacks: [],
      addons: obtained === undefined ? new Map() : addonVersions(obtained.release),
      assets: obtained?.assets ?? new Map(),
    }
    const open = (): Promise<never> => Promise.reject(new Error('the network is not needed'))
    const again = await fetchLockedRelease(locked, config, { name, context: { ...context, offline: true }, open })
    expect(again.release.digest).toBe(onDisk?.release.digest)
    const described = await source.describe({ name })
    expect(described.kubernetesVersion).toBe(obtained?.release.kubernetesVersion)
  })
})

const GONE =
  'RELEASE_NOT_FOUND release docker-demo-1-30-v3 is gone from source "disk", and not all of it is in the cache | ' +
  'See whether the address of the source is right. If it is, publish the release again with the same content, or bring the cache of a machine that has it.'

const unasked = (): Promise<never> => Promise.reject(new Error('is not asked for'))

test.each([
  [
    'has another revision under the tag',
    (): Promise<string | undefined> => Promise.resolve('sha256:bbbb'),
    [
      'LOCK_MISMATCH release docker-demo-1-30-v3 of source "disk" is not what stackmason.lock says: it has revision sha256:bbbb, the lock says sha256:aaaa, which is gone | ' +
        'Find out who changed it at oci://registry.example/stacks:docker-demo-1-30-v3; `stackmason update --release docker-demo-1-30-v3` accepts it.',
    ],
  ],
  ['has nothing under the tag', (): Promise<string | undefined> => Promise.resolve(undefined), [GONE]],
  [
    'refuses what is under the tag',
    (): Promise<string | undefined> =>
      Promise.reject(new StackmasonError({ code: 'SIGNATURE_INVALID', severity: 'error', message: 'no' })),
    [GONE],
  ],
])('a source that lacks the locked revision, and %s', async (_, now, wanted) => {
  const tag = 'docker-demo-1-30-v3'
  const from = `oci://registry.example/stacks:${tag}`
  const context = await sourceContext()
  const config: SourceConfig = { type: 'http', name: 'disk', at, url: 'https://stacks.example', plainHttp: false }
  const locked = {
    name: tag,
    source: config.name,
    from,
    revision: 'sha256:aaaa',
    digest: 'sha256:1',
    kubernetesVersion: 'v1.30.1',
    stacks: [],
    addons: new Map(),
    assets: new Map(Object.keys(stagesRelease).map((file) => [file, `sha256:${'2'.repeat(64)}`])),
  }
  const source: Pick<ReleaseSource, 'locate'> = {
    locate: async (name, revision) => {
      const found = revision === undefined ? await now() : undefined
      return found === undefined ? undefined : { name, from, revision: found, assets: [] }
    },
  }
  const name = parseReleaseTag(tag)
  // that it has others, or none, says nothing of this one
  const other = (): Promise<OfferedReleases> => Promise.resolve({ releases: [], findings: [] })
  const open = (): Promise<ReleaseSource> =>
    Promise.resolve({ list: other, describe: unasked, fetch: unasked, ...source })
  const read = fetchLockedRelease(locked, config, { name, context, open })
  const found = await diagnosticsOf(read)
  expect([...new Set(found.map(({ code, message, hint }) => `${code} ${message} | ${hint ?? ''}`))]).toEqual(wanted)
})
