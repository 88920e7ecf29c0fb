import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LocalSourceConfig } from '../../../src/model/fleet.ts'
import { formatClassName, parseReleaseTag } from '../../../src/model/release-name.ts'
import type { ReadRelease } from '../../../src/sources/release/read-result.ts'
import { listReleases, readRelease } from '../../../src/sources/release/read-release.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import {
  archiveOf,
  at,
  changed,
  chartYaml,
  configMap,
  singleFolder,
  stagesFolder,
  writeFiles,
  type FileMap,
} from '../../../tools/fleets/stack-folder.ts'
import { formatDiagnostic, problemsOf } from './support.ts'

const ports = createNodePorts()

const BY_CONTENT = 'by content'

function sourceOf(path: string, version: string): LocalSourceConfig {
  return { name: 'demo', type: 'providerDirectory', path, at, ...(version === BY_CONTENT ? {} : { version }) }
}

/** Reads whatever release the folder holds. */
async function read(folder: string, version: string = 'v3'): Promise<ReadRelease> {
  const source = sourceOf(folder, version)
  const [name] = (await listReleases(source, ports)).releases
  if (name === undefined) throw new Error('no release')
  return readRelease(source, name, ports)
}

async function folderOf(files: FileMap): Promise<string> {
  const folder = await tempFolder()
  await writeFiles(folder, files)
  return folder
}

/** Findings and problems without the temp folder's name. */
async function reportOf(files: FileMap, version?: string): Promise<readonly string[]> {
  const folder = await folderOf(files)
  let findings: readonly string[] = []
  const problems = await problemsOf(async () => {
    findings = (await read(folder, version)).findings.map(formatDiagnostic)
  })
  return [...problems, ...findings].map((line) => line.replaceAll(folder, 'DIR'))
}

describe('multi-stage form', () => {
  it('is built as csctl builds it', async () => {
    const folder = await folderOf(stagesFolder)
    const { release, findings } = await read(folder)
    expect(findings).toEqual([])
    expect(formatClassName(release.name)).toBe('docker-demo-1-30-v3')
    expect(release).toMatchObject({
      kubernetesVersion: 'v1.30.4',
      components: { clusterAddon: 'v3', nodeImage: 'v3' },
      form: 'multi-stage',
      origin: folder,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const { clusterClass } = release
    expect([clusterClass.metadata.name, clusterClass.metadata.version, clusterClass.origin]).toEqual([
      'docker-demo-1-30-cluster-class',
      'v3',
      `${folder}/cluster-class`,
    ])
    const [cni, metrics] = release.addons
    expect([cni?.name, cni?.chart.metadata.version, cni?.overwrite]).toEqual(['cni', 'v3', undefined])
    expect(cni?.chart.templates).toEqual([
      { name: 'templates/a.yaml', text: configMap('cni-v3'), path: `${folder}/cluster-addon/cni/templates/a.yaml` },
    ])
    expect([metrics?.name, metrics?.chart.metadata.version]).toEqual(['metrics', 'v1'])
    expect(metrics?.overwrite).toEqual({
      name: `${folder}/cluster-addon/metrics/overwrite.yaml`,
      text: 'values: |\n  version: v3\n',
    })
    expect(release.stages.AfterControlPlaneInitialized?.map(({ addon }) => addon)).toEqual(['cni', 'metrics'])
  })

  // the hash is that of sha256sum and base64 over the same files
  it('takes its version from the content where the fleet gives none', async () => {
    const folder = await folderOf(stagesFolder)
    const { release } = await read(folder, BY_CONTENT)
    expect(formatClassName(release.name)).toBe('docker-demo-1-30-v0-sha.dkr2pix')
    expect(release.clusterClass.metadata.version).toBe('v0-sha.dkr2pix')
    expect(release.addons[0]?.chart.metadata.version).toBe('v0-sha.dkr2pix')
    expect(release.components).toEqual({ clusterAddon: 'v0-sha.dkr2pix', nodeImage: 'v0-sha.dkr2pix' })
  })

  it.each(['a file', 'a link to a folder', 'a link out of it'])('leaves .release out, %s', async (what) => {
    const folder = await folderOf(stagesFolder)
    const { release } = await read(folder, BY_CONTENT)
    if (what === 'a file') await writeFiles(folder, { '.release/docker-demo-1-30-v1/metadata.yaml': 'versions: {}\n' })
    else await symlink(what === 'a link out of it' ? '/' : 'cluster-class', join(folder, '.release'))
    expect((await read(folder, BY_CONTENT)).release.digest).toBe(release.digest)
    await writeFiles(folder, { 'cluster-class/.release/a': 'no such folder' })
    expect((await read(folder, 'v1')).release.digest).not.toBe(
      (await read(await folderOf(stagesFolder), 'v1')).release.digest,
    )
  })

  it('has a digest of content and version, not of place', async () => {
    const digestOf = async (files: FileMap, version: string): Promise<string> =>
      (await read(await folderOf(files), version)).release.digest
    const first = await digestOf(stagesFolder, 'v3')
    expect(await digestOf(stagesFolder, 'v3')).toBe(first)
    expect(await digestOf(stagesFolder, 'v4')).not.toBe(first)
    expect(await digestOf(changed(stagesFolder, { 'cluster-addon/cni/values.yaml': 'a: 1' }), 'v3')).not.toBe(first)
  })

  it('leaves vendored archives as they are', async () => {
    const inner = archiveOf({ 'sub/Chart.yaml': chartYaml('sub'), 'sub/templates/x.yaml': 'x: << .Foo\n' })
    const folder = await folderOf(changed(stagesFolder, { 'cluster-addon/cni/charts/sub-1.tgz': inner }))
    const { release } = await read(folder)
    expect(release.addons[0]?.chart.dependencies[0]?.templates[0]?.text).toBe('x: << .Foo\n')
  })

  it('applies .helmignore to charts and not to the addon folder', async () => {
    const folder = await folderOf(
      changed(stagesFolder, {
        'cluster-addon/.helmignore': 'cni/\nmetrics/\n',
        'cluster-class/.helmignore': '*.bak\n',
        'cluster-class/templates/x.bak': 'x',
        'cluster-addon/cni/.helmignore': 'notes.txt\n',
        'cluster-addon/cni/notes.txt': 'x',
      }),
    )
    const { release } = await read(folder)
    expect(release.clusterClass.templates.map(({ name }) => name)).toEqual(['templates/class.yaml'])
    expect(release.addons.map(({ name }) => name)).toEqual(['cni', 'metrics'])
    expect(release.addons[0]?.chart.files.map(({ path }) => path)).toEqual(['.helmignore'])
  })

  it('does not ask for dependencies that are not vendored', async () => {
    const yaml = `${chartYaml('CNI')}dependencies: [{name: cilium, version: 1.18.9, repository: https://helm.cilium.io/}]\n`
    const folder = await folderOf(changed(stagesFolder, { 'cluster-addon/cni/Chart.yaml': yaml }))
    expect((await read(folder)).release.addons[0]?.chart.dependencies).toEqual([])
  })
})

describe('old form', () => {
  it('is one chart with its values', async () => {
    const folder = await folderOf(singleFolder)
    const { release, findings } = await read(folder, 'v0-sha-abc')
    expect(findings).toEqual([])
    expect(formatClassName(release.name)).toBe('docker-old-1-27-v0-sha.abc')
    expect([release.form, release.stages, release.clusterClass.metadata.version]).toEqual(['single', {}, 'v0-sha.abc'])
    expect(release.addons).toHaveLength(1)
    const [addon] = release.addons
    expect([addon?.name, addon?.chart.metadata.version, addon?.chart.metadata.name]).toEqual([
      'cluster-addon',
      'v0-sha.abc',
      'docker-old-1-27-cluster-addon',
    ])
    expect(addon?.overwrite).toEqual({
      name: `${folder}/cluster-addon-values.yaml`,
      text: 'values: |\n  v: v0-sha.abc\n',
    })
  })
})

describe('reports', () => {
  const rows: readonly {
    readonly name: string
    readonly files: FileMap
    readonly version?: string
    readonly want: readonly string[]
  }[] = [
    {
      name: 'nothing there',
      files: { 'README.md': 'x' },
      want: ['RELEASE_INCOMPLETE DIR DIR lacks csctl.yaml'],
    },
    {
      name: 'everything missing at once',
      files: changed(singleFolder, {
        'cluster-class/Chart.yaml': undefined,
        'cluster-addon/Chart.yaml': undefined,
        'cluster-addon-values.yaml': undefined,
      }),
      want: [
        'RELEASE_INCOMPLETE DIR DIR lacks cluster-class/Chart.yaml, cluster-addon/Chart.yaml, cluster-addon-values.yaml',
      ],
    },
    {
      name: 'a multi-stage folder without its stages',
      files: changed(stagesFolder, { 'clusteraddon.yaml': undefined }),
      want: ['RELEASE_INCOMPLETE DIR DIR lacks clusteraddon.yaml'],
    },
    {
      name: 'stages without addons',
      files: changed(singleFolder, { 'clusteraddon.yaml': String(stagesFolder['clusteraddon.yaml']) }),
      want: ['RELEASE_INCOMPLETE DIR DIR lacks cluster-addon/<addon>/Chart.yaml'],
    },
    {
      name: 'a class chart of another release',
      files: changed(stagesFolder, { 'cluster-class/Chart.yaml': chartYaml('docker-demo-1-29-cluster-class') }),
      want: [
        'RELEASE_MISMATCH DIR/cluster-class/Chart.yaml:2:7 the cluster-class chart of docker-demo-1-30-v3 is called docker-demo-1-29-cluster-class instead of docker-demo-1-30-cluster-class',
      ],
    },
    {
      name: 'an addon chart of another release',
      files: changed(singleFolder, { 'cluster-addon/Chart.yaml': chartYaml('addons') }),
      want: [
        'RELEASE_MISMATCH DIR/cluster-addon/Chart.yaml:2:7 the cluster-addon chart of docker-old-1-27-v3 is called addons instead of docker-old-1-27-cluster-addon',
      ],
    },
    {
      name: 'two configurations',
      files: changed(stagesFolder, { 'csmctl.yaml': 'x' }),
      want: ['RELEASE_FILE_IGNORED DIR/csmctl.yaml csmctl.yaml is not read, because csctl.yaml is there'],
    },
    {
      name: 'values of the old form beside stages',
      files: changed(stagesFolder, { 'cluster-addon-values.yaml': 'values: a' }),
      want: [
        'RELEASE_FILE_IGNORED DIR/cluster-addon-values.yaml cluster-addon-values.yaml is not read, because clusteraddon.yaml selects the multi-stage form',
      ],
    },
    {
      name: 'build placeholders of all files',
      files: changed(stagesFolder, {
        'cluster-class/values.yaml': 'a: << .ClusterVersion >>',
        'cluster-addon/cni/values.yaml': 'a:\n  b: << .NodeImageVersion',
        'README.md': '<< .Anything',
        'clusteraddon.yaml': `# << .NotBuilt >>\n${String(stagesFolder['clusteraddon.yaml'])}`,
      }),
      want: [
        'RELEASE_BUILD_TEMPLATE DIR/cluster-addon/cni/values.yaml:2:6 the build placeholder << .NodeImageVersion is not closed by " >>" on its line',
        'RELEASE_BUILD_TEMPLATE DIR/cluster-class/values.yaml:1:4 unknown build placeholder .ClusterVersion',
      ],
    },
    {
      name: 'problems of all charts and the stages of an addon that is not there',
      files: changed(stagesFolder, {
        'cluster-class/Chart.yaml': 'apiVersion: v2\nversion: v1\n',
        'cluster-addon/cni/Chart.yaml': undefined,
      }),
      want: [
        'CHART_INVALID DIR/cluster-class/Chart.yaml:1:1 chart.metadata.name is required',
        'RELEASE_METADATA_INVALID DIR/clusteraddon.yaml:5:14 the stage names the addon "cni", whose folder has no Chart.yaml',
      ],
    },
    {
      name: 'a version that does not parse',
      files: stagesFolder,
      version: 'v1-alpha',
      want: [
        'RELEASE_NAME_INVALID stackmason.yaml:1:1 version "v1-alpha" is not valid: a version is v<number> or v<number>-<channel>.<patch> (or with a dash for the dot), such as v3 or v0-sha.abc1234',
      ],
    },
    {
      name: 'a damaged vendored chart',
      files: changed(stagesFolder, { 'cluster-addon/cni/charts/sub-1.tgz': 'no archive' }),
      want: [
        'ARCHIVE_INVALID DIR/cluster-addon/cni/charts/sub-1.tgz DIR/cluster-addon/cni/charts/sub-1.tgz is not a gzipped archive',
      ],
    },
  ]
  it.each(rows)('$name', async ({ files, version, want }) => {
    expect(await reportOf(files, version)).toEqual(want)
  })

  it('refuses a link out of the folder', async () => {
    const folder = await folderOf(stagesFolder)
    await symlink('/etc/hosts', join(folder, 'cluster-addon/cni/values.yaml'))
    expect(await problemsOf(() => read(folder))).toEqual([
      `FILE_OUTSIDE ${folder}/cluster-addon/cni/values.yaml ${folder}/cluster-addon/cni/values.yaml is a link that leads out of ${folder}`,
    ])
  })

  it('says that the folder is not there, at its place in the fleet', async () => {
    const folder = join(await tempFolder(), 'none')
    const want = [`FILE_UNREADABLE stackmason.yaml:1:1 ${folder} cannot be read: it is not there`]
    expect(await problemsOf(() => listReleases(sourceOf(folder, 'v1'), ports))).toEqual(want)
    expect(await problemsOf(() => listReleases(sourceOf(folder, BY_CONTENT), ports))).toEqual(want)
  })
})

describe('choosing', () => {
  it('tells a built release from a provider directory', async () => {
    const folder = await folderOf({ 'metadata.yaml': 'x' })
    for (const version of ['v1', BY_CONTENT]) {
      await expect(listReleases(sourceOf(folder, version), ports)).rejects.toMatchObject({
        diagnostics: [
          {
            code: 'RELEASE_INCOMPLETE',
            message: `${folder} lacks csctl.yaml`,
            hint: 'It holds a release that is built already: write directory instead of providerDirectory for it.',
          },
        ],
      })
    }
  })

  it('names the one release there is when another one is asked for', async () => {
    const folder = await folderOf(stagesFolder)
    const wanted = parseReleaseTag('docker-demo-1-30-v4')
    await expect(readRelease(sourceOf(folder, 'v3'), wanted, ports)).rejects.toMatchObject({
      diagnostics: [
        {
          code: 'RELEASE_NOT_FOUND',
          severity: 'error',
          message: 'source "demo" has no release docker-demo-1-30-v4',
          at,
          hint: 'It offers docker-demo-1-30-v3.',
        },
      ],
    })
  })

  it('needs only csctl.yaml to list, once the version is given', async () => {
    const config = String(stagesFolder['csctl.yaml'])
    const folder = await folderOf({ 'csctl.yaml': config })
    const { releases } = await listReleases(sourceOf(folder, 'v3'), ports)
    expect(releases).toEqual([parseReleaseTag('docker-demo-1-30-v3')])
  })
})
