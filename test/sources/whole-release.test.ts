import { describe, expect, onTestFinished, test } from 'vitest'
import type { SourceConfig } from '../../src/model/fleet.ts'
import { formatTag, parseReleaseTag } from '../../src/model/release-name.ts'
import type { ReleaseName } from '../../src/model/release.ts'
import { addonVersions, fetchLockedRelease, fetchRelease } from '../../src/pipeline/resolve/fetch-release.ts'
import { openSource } from '../../src/pipeline/resolve/open-source.ts'
import { writeReleaseIndex } from '../../src/pipeline/release/release-index.ts'
import { startGitHubServer } from '../../tools/servers/github-server.ts'
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
