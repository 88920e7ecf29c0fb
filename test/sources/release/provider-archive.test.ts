import { describe, expect, it } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import type { ChartFile } from '../../../src/model/chart.ts'
import { formatTag, parseReleaseTag } from '../../../src/model/release-name.ts'
import { PROVIDER_ARCHIVE } from '../../../src/model/release-source.ts'
import { readProviderArchive, writeProviderArchive } from '../../../src/sources/release/provider-archive.ts'
import { readLocatedRelease } from '../../../src/sources/release/read-located-release.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { rawTar } from '../../support/raw-tar.ts'
import { changed, stagesFolder, stagesRelease, type FileMap } from '../../../tools/fleets/stack-folder.ts'
import { problemsOf } from './support.ts'

const ports = createNodePorts()
const origin = 'https://git.example/stacks.git//providers/demo'
const name = parseReleaseTag('docker-demo-1-30-v3')

function filesOf(map: FileMap): readonly ChartFile[] {
  return Object.entries(map).map(([path, content]) => ({
    path,
    bytes: typeof content === 'string' ? encodeUtf8(content) : content,
  }))
}

describe('a provider directory as one archive', () => {
  it('has equal bytes for equal files in any order', () => {
    const files = filesOf(stagesFolder)
    expect(writeProviderArchive(files.toReversed())).toEqual(writeProviderArchive(files))
    const edited = filesOf(changed(stagesFolder, { 'csctl.yaml': 'x' }))
    expect(writeProviderArchive(edited)).not.toEqual(writeProviderArchive(files))
  })

  it('is built in the version of its name, else in that of its content', async () => {
    const bytes = writeProviderArchive(filesOf(stagesFolder))
    const named = await readProviderArchive({ bytes, origin, name }, ports)
    expect([formatTag(named.release.name), named.release.clusterClass.metadata.version]).toEqual([
      'docker-demo-1-30-v3',
      'v3',
    ])
    expect(named.release.origin).toBe(origin)
    const byContent = await readProviderArchive({ bytes, origin }, ports)
    expect(formatTag(byContent.release.name)).toBe('docker-demo-1-30-v0-sha-dkr2pix')
  })

  it('that makes another release is refused', async () => {
    const bytes = writeProviderArchive(filesOf(stagesFolder))
    const other = parseReleaseTag('docker-demo-1-31-v3')
    expect(await problemsOf(() => readProviderArchive({ bytes, origin, name: other }, ports))).toEqual([
      `RELEASE_MISMATCH ${origin} ${origin} makes the release docker-demo-1-30-v3 instead of docker-demo-1-31-v3`,
    ])
  })

  it.each([
    {
      title: 'no tar',
      bytes: encodeUtf8('x'),
      want: `ARCHIVE_INVALID ${origin} ${origin} is damaged: it ends inside a header`,
    },
    {
      title: 'a path upwards',
      bytes: rawTar([{ name: '../x', data: 'x' }]),
      want: `ARCHIVE_PATH_TRAVERSAL ${origin} ${origin} has the entry "../x", whose path leads upwards`,
    },
    {
      title: 'a link',
      bytes: rawTar([{ name: 'x', flag: '2', link: '/etc/passwd' }]),
      want: `ARCHIVE_LINK ${origin} ${origin} has a symbolic link: x`,
    },
    {
      title: 'a file twice',
      bytes: rawTar([
        { name: 'x', data: '1' },
        { name: 'x', data: '2' },
      ]),
      want: `ARCHIVE_DUPLICATE_ENTRY ${origin} ${origin} holds x twice`,
    },
    {
      title: 'a file too large',
      bytes: rawTar([{ name: 'x', size: 65 * 1024 * 1024 }]),
      want: `ARCHIVE_TOO_LARGE ${origin} ${origin} is too large: it has 68157440 bytes (x)`,
    },
    { title: 'nothing', bytes: rawTar([]), want: `RELEASE_INCOMPLETE ${origin} ${origin} lacks csctl.yaml` },
  ])('that holds $title is refused', async ({ bytes, want }) => {
    expect(await problemsOf(() => readProviderArchive({ bytes, origin }, ports))).toEqual([want])
  })
})

describe('a located release', () => {
  const read = (map: FileMap) => async (asset: string) => {
    const content = map[asset]
    if (content === undefined) throw new Error(`no ${asset}`)
    return typeof content === 'string' ? encodeUtf8(content) : content
  }

  it('is read from its assets, and its files are named by their address', async () => {
    const assets = { origin: 'oci://registry.example/stacks:tag', names: Object.keys(stagesRelease).sort() }
    const { release } = await readLocatedRelease({ ...assets, read: read(stagesRelease) }, name, ports)
    expect(release.clusterClass.origin).toBe(
      'oci://registry.example/stacks:tag/docker-demo-1-30-cluster-class-v3.tgz!/docker-demo-1-30-cluster-class',
    )
    const broken = changed(stagesRelease, { 'metadata.yaml': 'a: [' })
    const [problem] = await problemsOf(() => readLocatedRelease({ ...assets, read: read(broken) }, name, ports))
    expect(problem).toMatch(/^RELEASE_METADATA_INVALID oci:\/\/registry.example\/stacks:tag\/metadata.yaml:1:/)
  })

  it('is built from the archive of a provider directory', async () => {
    const map = { [PROVIDER_ARCHIVE]: writeProviderArchive(filesOf(stagesFolder)) }
    const { release } = await readLocatedRelease({ origin, names: [PROVIDER_ARCHIVE], read: read(map) }, name, ports)
    expect(release).toEqual((await readProviderArchive({ bytes: map[PROVIDER_ARCHIVE], origin, name }, ports)).release)
  })
})
