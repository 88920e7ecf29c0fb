import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { parseReleaseTag } from '../../../src/model/release-name.ts'
import { PROVIDER_ARCHIVE } from '../../../src/model/release-source.ts'
import { writeProviderArchive } from '../../../src/sources/release/provider-archive.ts'
import { readLocatedRelease } from '../../../src/sources/release/read-located-release.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import {
  changed,
  metadataYaml,
  packagedChart,
  singleRelease,
  stagesFolder,
  stagesRelease,
  type FileMap,
} from '../../../tools/fleets/stack-folder.ts'
import { formatDiagnostic, problemsOf } from './support.ts'

const ports = createNodePorts()
const STAGES = 'docker-demo-1-30-v3'
const SINGLE = 'docker-old-1-27-v0-sha-abc1234'
const classChart = 'docker-demo-1-30-cluster-class-v3.tgz'
const addonArchive = 'docker-demo-1-30-cluster-addon-v2.tgz'
const oldAddon = 'docker-old-1-27-cluster-addon-v0-sha.abc1234.tgz'

/** What reading those files ends with, and what it notes. */
async function reportOf(tag: string, files: FileMap, isSigned: boolean): Promise<readonly string[]> {
  const read = async (file: string): Promise<Uint8Array> => {
    const content = files[file] ?? ''
    return typeof content === 'string' ? encodeUtf8(content) : content
  }
  const assets = { origin: 'ORIGIN', names: Object.keys(files).sort(), read, isSigned }
  const notes: string[] = []
  const problems = await problemsOf(async () => {
    const { findings } = await readLocatedRelease(assets, parseReleaseTag(tag), ports)
    notes.push(...findings.map((finding) => `${finding.severity} ${formatDiagnostic(finding)}`))
  })
  return [...problems.map((problem) => `error ${problem}`), ...notes]
}

/** A release of another stack, as it was built. */
const otherStack: FileMap = {
  'metadata.yaml': stagesRelease['metadata.yaml'] ?? '',
  'clusteraddon.yaml': stagesRelease['clusteraddon.yaml'] ?? '',
  'docker-mine-1-30-cluster-class-v3.tgz': packagedChart('docker-mine-1-30-cluster-class', 'v3'),
  'docker-mine-1-30-cluster-addon-v2.tgz': stagesRelease[addonArchive] ?? '',
}

describe('what was signed must be the release that is asked for', () => {
  test.each<{
    readonly name: string
    readonly tag?: string
    readonly files: FileMap
    /** `<file> <message>`: what unsigned assets are warned of, and signed ones are refused for. */
    readonly misnamed?: readonly string[]
    /** What stays a warning in either. */
    readonly warnings?: readonly string[]
  }>([
    { name: 'the release itself', files: stagesRelease },
    { name: 'the release itself in the old form', tag: SINGLE, files: singleRelease },
    {
      name: 'another stack',
      files: otherStack,
      misnamed: [
        `docker-mine-1-30-cluster-class-v3.tgz the cluster-class chart of ${STAGES} is called docker-mine-1-30-cluster-class instead of docker-demo-1-30-cluster-class`,
        `docker-mine-1-30-cluster-addon-v2.tgz the cluster-addon archive is called docker-mine-1-30-cluster-addon-v2.tgz instead of ${addonArchive}`,
      ],
    },
    {
      name: 'another provider',
      files: changed(stagesRelease, {
        [classChart]: undefined,
        'openstack-demo-1-30-cluster-class-v3.tgz': packagedChart('openstack-demo-1-30-cluster-class', 'v3'),
      }),
      misnamed: [
        `openstack-demo-1-30-cluster-class-v3.tgz the cluster-class chart of ${STAGES} is called openstack-demo-1-30-cluster-class instead of docker-demo-1-30-cluster-class`,
      ],
    },
    {
      name: 'a class chart of another stack in a file of the right name',
      files: changed(stagesRelease, { [classChart]: packagedChart('docker-mine-1-30-cluster-class', 'v3') }),
      misnamed: [
        `${classChart} the cluster-class chart of ${STAGES} is called docker-mine-1-30-cluster-class instead of docker-demo-1-30-cluster-class`,
      ],
    },
    {
      name: 'a class chart of the right name in a file of another stack',
      files: changed(stagesRelease, {
        [classChart]: undefined,
        'docker-mine-1-30-cluster-class-v3.tgz': packagedChart('docker-demo-1-30-cluster-class', 'v3'),
      }),
      misnamed: [
        `docker-mine-1-30-cluster-class-v3.tgz the cluster-class archive is called docker-mine-1-30-cluster-class-v3.tgz instead of ${classChart}`,
      ],
    },
    {
      name: 'a class chart whose name says no release',
      files: changed(stagesRelease, { [classChart]: packagedChart('my-cluster-class', 'v3') }),
      misnamed: [
        `${classChart} the cluster-class chart of ${STAGES} is called my-cluster-class instead of docker-demo-1-30-cluster-class`,
      ],
    },
    {
      name: 'an addon archive of another version',
      files: changed(stagesRelease, {
        [addonArchive]: undefined,
        'docker-demo-1-30-cluster-addon-v1.tgz': stagesRelease[addonArchive],
      }),
      misnamed: [
        `docker-demo-1-30-cluster-addon-v1.tgz the cluster-addon archive is called docker-demo-1-30-cluster-addon-v1.tgz instead of ${addonArchive}`,
      ],
    },
    {
      name: 'an addon chart of the old form of another stack and version',
      tag: SINGLE,
      files: changed(singleRelease, { [oldAddon]: packagedChart('docker-new-1-27-cluster-addon', 'v1') }),
      misnamed: [
        `${oldAddon} the cluster-addon chart of ${SINGLE} is called docker-new-1-27-cluster-addon instead of docker-old-1-27-cluster-addon`,
      ],
      warnings: [`${oldAddon} the cluster-addon chart has version v1, but metadata.yaml says v0-sha.abc1234`],
    },
    {
      name: 'versions that are written with dashes',
      tag: SINGLE,
      files: {
        'metadata.yaml': metadataYaml('v0-sha-abc1234', '1.27.7'),
        'cluster-addon-values.yaml': '',
        'docker-old-1-27-cluster-class-v0-sha-abc1234.tgz': packagedChart(
          'docker-old-1-27-cluster-class',
          'v0-sha.abc1234',
        ),
        [oldAddon]: packagedChart('docker-old-1-27-cluster-addon', 'v0-sha.abc1234'),
      },
      warnings: [
        'docker-old-1-27-cluster-class-v0-sha-abc1234.tgz the cluster-class archive is called docker-old-1-27-cluster-class-v0-sha-abc1234.tgz instead of docker-old-1-27-cluster-class-v0-sha.abc1234.tgz',
      ],
    },
  ])('$name', async ({ tag = STAGES, files, misnamed = [], warnings = [] }) => {
    const warned = [...misnamed, ...warnings].map((line) => `warning RELEASE_MISMATCH ORIGIN/${line}`)
    expect(await reportOf(tag, files, false)).toEqual(warned)
    const refused = misnamed.map((line) => `error RELEASE_MISMATCH ORIGIN/${line}: what was signed is not this release`)
    expect(await reportOf(tag, files, true)).toEqual(refused.length > 0 ? refused : warned)
  })

  test('a provider directory, whose version the tag alone says', async () => {
    const files = Object.entries(stagesFolder).map(([path, content]) => ({
      path,
      bytes: typeof content === 'string' ? encodeUtf8(content) : content,
    }))
    const assets = { [PROVIDER_ARCHIVE]: writeProviderArchive(files) }
    expect(await reportOf(STAGES, assets, false)).toEqual([])
    expect(await reportOf(STAGES, assets, true)).toEqual([
      `error RELEASE_MISMATCH ORIGIN ORIGIN holds a provider directory, which says no version: its signature is not for ${STAGES}`,
    ])
  })
})
