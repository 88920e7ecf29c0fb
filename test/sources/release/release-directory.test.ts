import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LocalSourceConfig } from '../../../src/model/fleet.ts'
import { formatClassName, formatTag, parseReleaseTag } from '../../../src/model/release-name.ts'
import { listReleases, readRelease } from '../../../src/sources/release/read-release.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import {
  archiveOf,
  at,
  changed,
  chartYaml,
  metadataYaml,
  packagedChart,
  singleRelease,
  stagesFolder,
  stagesRelease,
  writeFiles,
  type FileMap,
} from '../../../tools/fleets/stack-folder.ts'
import { formatDiagnostic, problemsOf } from './support.ts'

const ports = createNodePorts()
const sourceOf = (path: string): LocalSourceConfig => ({ name: 'disk', type: 'directory', path, at })
const STAGES = 'docker-demo-1-30-v3'
const SINGLE = 'docker-old-1-27-v0-sha-abc1234'

async function folderOf(releases: Readonly<Record<string, FileMap>>): Promise<string> {
  const folder = await tempFolder()
  for (const [path, files] of Object.entries(releases)) {
    await mkdir(join(folder, path), { recursive: true })
    await writeFiles(join(folder, path), files)
  }
  return folder
}

/** Findings and problems of one release without the temp folder's name. */
async function reportOf(tag: string, files: FileMap): Promise<readonly string[]> {
  const folder = await folderOf({ [tag]: files })
  let findings: readonly string[] = []
  const problems = await problemsOf(async () => {
    findings = (await readRelease(sourceOf(folder), parseReleaseTag(tag), ports)).findings.map(formatDiagnostic)
  })
  return [...problems, ...findings].map((line) => line.replaceAll(`${folder}/${tag}`, 'DIR'))
}

describe('reading', () => {
  it('reads the multi-stage form', async () => {
    const folder = await folderOf({ [STAGES]: stagesRelease })
    const { release, findings } = await readRelease(sourceOf(folder), parseReleaseTag(STAGES), ports)
    expect(findings).toEqual([])
    expect(release).toMatchObject({
      kubernetesVersion: 'v1.30.4',
      components: { clusterAddon: 'v2', nodeImage: 'v1' },
      form: 'multi-stage',
      origin: `${folder}/${STAGES}`,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(formatTag(release.name)).toBe(STAGES)
    const classArchive = `${folder}/${STAGES}/docker-demo-1-30-cluster-class-v3.tgz`
    expect(release.clusterClass.origin).toBe(`${classArchive}!/docker-demo-1-30-cluster-class`)
    expect(release.clusterClass.templates.map(({ name }) => name)).toEqual(['templates/class.yaml'])
    const archive = `${folder}/${STAGES}/docker-demo-1-30-cluster-addon-v2.tgz`
    expect(release.addons.map(({ name, chart, overwrite }) => [name, chart.origin, overwrite?.name])).toEqual([
      ['cni', `${archive}!/cni`, undefined],
      ['metrics', `${archive}!/metrics`, `${archive}!/metrics/overwrite.yaml`],
    ])
    expect(release.addons[0]?.chart.files.map(({ path }) => path)).toEqual(['.helmignore'])
    expect(release.stages.AfterControlPlaneInitialized?.map(({ addon }) => addon)).toEqual(['cni', 'metrics'])
  })

  it('reads the old form', async () => {
    const folder = await folderOf({ [SINGLE]: singleRelease })
    const { release, findings } = await readRelease(sourceOf(folder), parseReleaseTag(SINGLE), ports)
    expect(findings).toEqual([])
    expect([release.form, release.stages, release.kubernetesVersion]).toEqual(['single', {}, 'v1.27.7'])
    expect(formatClassName(release.name)).toBe('docker-old-1-27-v0-sha.abc1234')
    expect(release.clusterClass.metadata.version).toBe('v0-sha.abc1234')
    expect(release.addons.map(({ name, chart, overwrite }) => [name, chart.metadata.name, overwrite])).toEqual([
      [
        'cluster-addon',
        'docker-old-1-27-cluster-addon',
        { name: `${folder}/${SINGLE}/cluster-addon-values.yaml`, text: 'values: |\n  a: 1\n' },
      ],
    ])
  })

  it('takes dashes in versions and file names', async () => {
    const chart = (kind: string): Uint8Array => packagedChart(`docker-old-1-27-${kind}`, 'v0-sha.abc1234')
    expect(
      await reportOf(SINGLE, {
        'metadata.yaml': metadataYaml('v0-sha-abc1234', '1.27.7'),
        'cluster-addon-values.yaml': '',
        'docker-old-1-27-cluster-class-v0-sha-abc1234.tgz': chart('cluster-class'),
        'docker-old-1-27-cluster-addon-v0-sha-abc1234.tgz': chart('cluster-addon'),
      }),
    ).toEqual(
      ['class', 'addon'].map(
        (kind) =>
          `RELEASE_MISMATCH DIR/docker-old-1-27-cluster-${kind}-v0-sha-abc1234.tgz the cluster-${kind} archive is called docker-old-1-27-cluster-${kind}-v0-sha-abc1234.tgz instead of docker-old-1-27-cluster-${kind}-v0-sha.abc1234.tgz`,
      ),
    )
  })

  it('has a digest of what makes the release', async () => {
    const digestOf = async (files: FileMap): Promise<string> => {
      const folder = await folderOf({ [STAGES]: files })
      return (await readRelease(sourceOf(folder), parseReleaseTag(STAGES), ports)).release.digest
    }
    const first = await digestOf(stagesRelease)
    expect(await digestOf(stagesRelease)).toBe(first)
    expect(await digestOf(changed(stagesRelease, { 'README.md': 'x', '.DS_Store': 'x' }))).toBe(first)
    for (const file of ['image.yaml', 'kubernetes.yaml', 'node-images.yaml']) {
      expect(await digestOf(changed(stagesRelease, { [file]: 'x' }))).not.toBe(first)
    }
    const config = `# more\n${String(stagesRelease['clusteraddon.yaml'])}`
    expect(await digestOf(changed(stagesRelease, { 'clusteraddon.yaml': config }))).not.toBe(first)
  })
})

describe('listing', () => {
  const listed = async (folder: string): Promise<{ tags: readonly string[]; findings: readonly string[] }> => {
    const { releases, findings } = await listReleases(sourceOf(folder), ports)
    return {
      tags: releases.map(formatTag),
      findings: findings.map((finding) => formatDiagnostic(finding).replaceAll(folder, 'DIR')),
    }
  }

  it('finds folders by tag or class name and skips odd ones, saying so once', async () => {
    const folder = await folderOf({
      [STAGES]: {},
      'docker-old-1-27-v0-sha.abc1234': {},
      'openstack-scs-v5': {},
      'openstack-scs-1-29-v2-test': {},
      'openstack-csp-helper-v0.2.0': {},
      docs: {},
      '.git': {},
    })
    await writeFiles(folder, { 'docker-demo-1-30-v9': 'a file' })
    expect(await listed(folder)).toEqual({
      tags: [STAGES, SINGLE],
      findings: [
        'RELEASE_NAME_INVALID stackmason.yaml:1:1 source "disk" has 3 folders that are skipped: ' +
          'openstack-csp-helper-v0.2.0 (it has 4 parts between dashes instead of 5 or 7, as in <provider>-<stack>-<major>-<minor>-<version>); ' +
          'openstack-scs-1-29-v2-test (it has 6 parts between dashes instead of 5 or 7, as in <provider>-<stack>-<major>-<minor>-<version>); ' +
          'openstack-scs-v5 (it has 3 parts between dashes instead of 5 or 7, as in <provider>-<stack>-<major>-<minor>-<version>)',
      ],
    })
  })

  it('finds what the operator downloaded, and prefers the canonical spelling', async () => {
    const folder = await folderOf({
      [`cluster-stacks/${STAGES}`]: stagesRelease,
      'cluster-stacks/docker-demo-1-30-v1-stable-3': {},
      'docker-demo-1-30-v03': {},
      'cluster-stacks/docker-demo-1-30-v1': {},
    })
    expect(await listed(folder)).toEqual({
      tags: [STAGES, 'docker-demo-1-30-v1'],
      findings: [
        'RELEASE_NAME_INVALID stackmason.yaml:1:1 source "disk" has 2 folders that are skipped: ' +
          'DIR/cluster-stacks/docker-demo-1-30-v3 (docker-demo-1-30-v3 was found before); ' +
          'DIR/cluster-stacks/docker-demo-1-30-v1-stable-3 (docker-demo-1-30-v1 was found before)',
      ],
    })
  })

  it('reads from the folder that the operator downloaded to', async () => {
    const folder = await folderOf({ [`cluster-stacks/${STAGES}`]: stagesRelease })
    const { release } = await readRelease(sourceOf(folder), parseReleaseTag(STAGES), ports)
    expect(release.origin).toBe(`${folder}/cluster-stacks/${STAGES}`)
  })

  it('takes the assets of one release: by the folder name, else by the files', async () => {
    const folder = await folderOf({ [STAGES]: stagesRelease, assets: stagesRelease, old: singleRelease })
    expect((await listed(join(folder, STAGES))).tags).toEqual([STAGES])
    expect((await listed(join(folder, 'assets'))).tags).toEqual([STAGES])
    expect((await listed(join(folder, 'old'))).tags).toEqual([SINGLE])
    const { release } = await readRelease(sourceOf(join(folder, 'old')), parseReleaseTag(SINGLE), ports)
    expect(release.addons).toHaveLength(1)
  })

  it('cannot name assets without a class chart, or with two', async () => {
    const folder = await folderOf({
      none: { 'metadata.yaml': metadataYaml('v3', 'v1.30.4') },
      two: {
        'metadata.yaml': metadataYaml('v3', 'v1.30.4'),
        'docker-a-1-30-cluster-class-v3.tgz': '',
        'docker-b-1-30-cluster-class-v3.tgz': '',
      },
    })
    const form = 'is called <provider>-<stack>-<major>-<minor>-cluster-class-<version>.tgz'
    expect(await problemsOf(() => listed(join(folder, 'none')))).toEqual([
      `RELEASE_NAME_INVALID ${folder}/none it cannot be told which release lies in ${folder}/none: no file ${form}`,
    ])
    expect(await problemsOf(() => listed(join(folder, 'two')))).toEqual([
      `RELEASE_NAME_INVALID ${folder}/two it cannot be told which release lies in ${folder}/two: more than one file ${form}`,
    ])
  })

  it('offers nothing from an empty folder', async () => {
    const folder = await folderOf({ docs: {} })
    expect(await listed(folder)).toEqual({ tags: [], findings: [] })
    await expect(readRelease(sourceOf(folder), parseReleaseTag(STAGES), ports)).rejects.toMatchObject({
      diagnostics: [
        {
          code: 'RELEASE_NOT_FOUND',
          hint: `It offers none: ${folder} has no folder called <provider>-<stack>-<major>-<minor>-<version>.`,
        },
      ],
    })
  })

  it('tells a provider directory from a folder of releases', async () => {
    const folder = await folderOf({ demo: stagesFolder })
    await expect(listReleases(sourceOf(join(folder, 'demo')), ports)).rejects.toMatchObject({
      diagnostics: [
        {
          code: 'CONFIG_INVALID_VALUE',
          message: `source "disk" is a provider directory (it has csctl.yaml), not a folder of releases`,
          at,
          hint: 'Write providerDirectory instead of directory for it.',
        },
      ],
    })
  })

  it('names what there is, nearest first', async () => {
    const tags = [1, 2, 4, 5, 6, 7, 8, 9, 10].map((version) => `docker-demo-1-30-v${version}`)
    const folder = await folderOf(Object.fromEntries(['docker-x-1-30-v3', ...tags].map((tag) => [tag, {}])))
    await expect(readRelease(sourceOf(folder), parseReleaseTag(STAGES), ports)).rejects.toMatchObject({
      diagnostics: [
        {
          code: 'RELEASE_NOT_FOUND',
          message: `source "disk" has no release ${STAGES}`,
          at,
          hint: `It offers ${[2, 4, 1, 5, 6, 7, 8, 9].map((version) => `docker-demo-1-30-v${version}`).join(', ')} and 2 more.`,
        },
      ],
    })
  })

  it('refuses a release or a file that is a link out of the folder, and follows one inside', async () => {
    const folder = await folderOf({ out: stagesRelease, in: {}, 'in/.store/a': stagesRelease })
    await symlink('.store/a', join(folder, 'in', STAGES))
    const { release } = await readRelease(sourceOf(join(folder, 'in')), parseReleaseTag(STAGES), ports)
    expect(release.origin).toBe(`${folder}/in/${STAGES}`)
    await symlink('../out', join(folder, 'in/docker-demo-1-30-v4'))
    expect(await problemsOf(() => listReleases(sourceOf(join(folder, 'in')), ports))).toEqual([
      `FILE_OUTSIDE ${folder}/in/docker-demo-1-30-v4 ${folder}/in/docker-demo-1-30-v4 is a link that leads out of ${folder}/in`,
    ])
    const other = await folderOf({ [STAGES]: changed(stagesRelease, { 'clusteraddon.yaml': undefined }) })
    await symlink('/etc/hosts', join(other, STAGES, 'clusteraddon.yaml'))
    expect((await problemsOf(() => readRelease(sourceOf(other), parseReleaseTag(STAGES), ports)))[0]).toMatch(
      /^FILE_OUTSIDE .*\/clusteraddon\.yaml /,
    )
  })
})

describe('reports', () => {
  const classChart = 'docker-demo-1-30-cluster-class-v3.tgz'
  const addonArchive = 'docker-demo-1-30-cluster-addon-v2.tgz'
  const rows: readonly {
    readonly name: string
    readonly tag?: string
    readonly files: FileMap
    readonly want: readonly string[]
  }[] = [
    {
      name: 'everything missing at once',
      files: { 'README.md': 'x' },
      want: [
        'RELEASE_INCOMPLETE DIR DIR lacks metadata.yaml, docker-demo-1-30-cluster-class-v3.tgz, docker-demo-1-30-cluster-addon-v3.tgz, cluster-addon-values.yaml (or clusteraddon.yaml, if it is a multi-stage release)',
      ],
    },
    {
      name: 'missing archives of the multi-stage form, by the versions of metadata.yaml',
      files: changed(stagesRelease, { [classChart]: undefined, [addonArchive]: undefined }),
      want: [
        'RELEASE_INCOMPLETE DIR DIR lacks docker-demo-1-30-cluster-class-v3.tgz, docker-demo-1-30-cluster-addon-v2.tgz',
      ],
    },
    {
      name: 'a multi-stage release whose clusteraddon.yaml got lost',
      files: changed(stagesRelease, { 'clusteraddon.yaml': undefined }),
      want: ['RELEASE_INCOMPLETE DIR DIR lacks clusteraddon.yaml'],
    },
    {
      name: 'an old release without its values',
      tag: SINGLE,
      files: changed(singleRelease, { 'cluster-addon-values.yaml': undefined }),
      want: [
        'RELEASE_INCOMPLETE DIR DIR lacks cluster-addon-values.yaml (or clusteraddon.yaml, if it is a multi-stage release)',
      ],
    },
    {
      name: 'a class chart that kept the name of the minor before (cluster-stacks PR 264)',
      files: changed(stagesRelease, {
        [classChart]: undefined,
        'docker-demo-1-29-cluster-class-v3.tgz': packagedChart('docker-demo-1-29-cluster-class', 'v3'),
      }),
      want: [
        'RELEASE_MISMATCH DIR/docker-demo-1-29-cluster-class-v3.tgz the cluster-class chart of docker-demo-1-30-v3 is called docker-demo-1-29-cluster-class instead of docker-demo-1-30-cluster-class',
      ],
    },
    {
      name: 'of several class charts the one with the version',
      files: changed(stagesRelease, {
        [classChart]: undefined,
        'a.tgz': packagedChart('docker-demo-1-29-cluster-class', 'v2'),
        'b.tgz': packagedChart('docker-demo-1-30-cluster-class', 'v3'),
        'c.tgz': 'damaged',
      }),
      want: [
        'RELEASE_MISMATCH DIR/b.tgz the cluster-class archive is called b.tgz instead of docker-demo-1-30-cluster-class-v3.tgz',
      ],
    },
    {
      name: 'two class charts that could be meant',
      files: changed(stagesRelease, {
        [classChart]: undefined,
        'a.tgz': packagedChart('docker-demo-1-29-cluster-class', 'v3'),
        'b.tgz': packagedChart('docker-demo-1-28-cluster-class', 'v3'),
      }),
      want: [
        'RELEASE_MISMATCH DIR DIR has no docker-demo-1-30-cluster-class-v3.tgz, and several others could be it: a.tgz, b.tgz',
      ],
    },
    {
      name: 'a damaged file that may have been the class chart',
      files: changed(stagesRelease, { [classChart]: undefined, 'class.tgz': 'damaged' }),
      want: ['ARCHIVE_INVALID DIR/class.tgz DIR/class.tgz is not a gzipped archive'],
    },
    {
      name: 'a class chart of another version',
      files: changed(stagesRelease, { [classChart]: packagedChart('docker-demo-1-30-cluster-class', 'v2') }),
      want: [
        'RELEASE_MISMATCH DIR/docker-demo-1-30-cluster-class-v3.tgz the cluster-class chart of docker-demo-1-30-v3 has version v2 instead of v3',
      ],
    },
    {
      name: 'metadata of another release',
      files: changed(stagesRelease, { 'metadata.yaml': metadataYaml('v4', 'v1.31.2', 'v2') }),
      want: [
        'RELEASE_MISMATCH DIR/metadata.yaml:2:26 metadata.yaml says version v4, but the release is docker-demo-1-30-v3',
        'RELEASE_MISMATCH DIR/metadata.yaml:2:42 metadata.yaml says Kubernetes v1.31.2, but the release is docker-demo-1-30-v3',
      ],
    },
    {
      name: 'an addon archive under another name',
      files: changed(stagesRelease, {
        [addonArchive]: undefined,
        'docker-demo-1-29-cluster-addon-v1.tgz': stagesRelease[addonArchive],
      }),
      want: [
        'RELEASE_MISMATCH DIR/docker-demo-1-29-cluster-addon-v1.tgz the cluster-addon archive is called docker-demo-1-29-cluster-addon-v1.tgz instead of docker-demo-1-30-cluster-addon-v2.tgz',
      ],
    },
    {
      name: 'an addon chart of the old form with other name and version',
      tag: SINGLE,
      files: changed(singleRelease, {
        'docker-old-1-27-cluster-addon-v0-sha.abc1234.tgz': packagedChart('docker-old-1-26-cluster-addon', 'v1'),
      }),
      want: [
        'RELEASE_MISMATCH DIR/docker-old-1-27-cluster-addon-v0-sha.abc1234.tgz the cluster-addon chart of docker-old-1-27-v0-sha-abc1234 is called docker-old-1-26-cluster-addon instead of docker-old-1-27-cluster-addon',
        'RELEASE_MISMATCH DIR/docker-old-1-27-cluster-addon-v0-sha.abc1234.tgz the cluster-addon chart has version v1, but metadata.yaml says v0-sha.abc1234',
      ],
    },
    {
      name: 'values of the old form beside stages',
      files: changed(stagesRelease, { 'cluster-addon-values.yaml': 'a' }),
      want: [
        'RELEASE_FILE_IGNORED DIR/cluster-addon-values.yaml cluster-addon-values.yaml is not read, because clusteraddon.yaml selects the multi-stage form',
      ],
    },
    {
      name: 'hashes.json that is not JSON',
      files: changed(stagesRelease, { 'hashes.json': '{"clusterStack": ' }),
      want: [
        'RELEASE_METADATA_INVALID DIR/hashes.json:1:18 hashes.json is not valid JSON: unexpected end of JSON input',
      ],
    },
    {
      name: 'hashes.json of another form',
      files: changed(stagesRelease, { 'hashes.json': '{"__proto__": {"x": 1}, "nodeImageDir": 1}' }),
      want: [
        'RELEASE_METADATA_INVALID DIR/hashes.json:1:1 hashes.json must hold strings only, which these are not: "__proto__", "nodeImageDir"',
      ],
    },
    {
      name: 'problems of metadata, class and addons in one go',
      files: changed(stagesRelease, {
        'metadata.yaml': 'versions: {clusterStack: v3, kubernetes: v1.30.4, components: {clusterAddon: v2}}',
        [classChart]: 'damaged',
        [addonArchive]: 'damaged',
        'docker-demo-1-30-cluster-addon-v3.tgz': 'damaged',
      }),
      want: [
        'RELEASE_METADATA_INVALID DIR/metadata.yaml:1:63 versions.components.nodeImage is missing',
        'ARCHIVE_INVALID DIR/docker-demo-1-30-cluster-class-v3.tgz DIR/docker-demo-1-30-cluster-class-v3.tgz is not a gzipped archive',
        'ARCHIVE_INVALID DIR/docker-demo-1-30-cluster-addon-v3.tgz DIR/docker-demo-1-30-cluster-addon-v3.tgz is not a gzipped archive',
      ],
    },
    {
      name: 'a stage whose addon is not in the archive',
      files: changed(stagesRelease, { [addonArchive]: archiveOf({ 'cni/Chart.yaml': chartYaml('cni') }) }),
      want: [
        'RELEASE_METADATA_INVALID DIR/clusteraddon.yaml:6:14 the stage names the addon "metrics", which is not in the release',
      ],
    },
    {
      name: 'an addon archive that leads outside',
      files: changed(stagesRelease, { [addonArchive]: archiveOf({ '../cni/Chart.yaml': chartYaml('cni') }) }),
      want: [
        'ARCHIVE_PATH_TRAVERSAL DIR/docker-demo-1-30-cluster-addon-v2.tgz DIR/docker-demo-1-30-cluster-addon-v2.tgz has the entry "../cni/Chart.yaml", whose path leads upwards',
      ],
    },
    {
      name: 'a huge metadata.yaml',
      files: changed(stagesRelease, { 'metadata.yaml': '#'.repeat(1024 * 1024 + 1) }),
      want: [
        'RELEASE_TOO_LARGE DIR/metadata.yaml DIR/metadata.yaml holds more than 1048576 bytes, which no release does',
      ],
    },
    {
      name: 'a provider directory in place of a release',
      files: changed(stagesFolder, {}),
      want: [
        'RELEASE_INCOMPLETE DIR DIR lacks metadata.yaml, docker-demo-1-30-cluster-class-v3.tgz, docker-demo-1-30-cluster-addon-v3.tgz',
      ],
    },
  ]
  it.each(rows)('$name', async ({ tag = STAGES, files, want }) => {
    expect(await reportOf(tag, files)).toEqual(want)
  })
})
