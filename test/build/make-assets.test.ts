import { describe, expect, test } from 'vitest'
import { makeAssets, type MadeAssets, type SharedSteps } from '../../src/build/make-assets.ts'
import { sameVersions } from '../../src/build/release-versions.ts'
import { decodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { formatVersion, parseVersion } from '../../src/model/release-name.ts'
import { applyHelmIgnore } from '../../src/sources/chart/helm-ignore.ts'
import { applyBuildTemplate } from '../../src/sources/release/build-template.ts'
import { changed, configMap, type FileMap, singleFolder, stagesFolder } from '../../tools/fleets/stack-folder.ts'
import { formatDiagnostic, problemsOf } from '../sources/release/support.ts'
import { stackFolder, unpacked } from './stack-files.ts'

const hashes = { clusterStack: 'h', clusterAddonDir: 'a', clusterAddonValues: '', nodeImageDir: '' }
const steps: SharedSteps = {
  applyTemplate: (files, { clusterStack, clusterAddon, nodeImage }) =>
    applyBuildTemplate(
      files,
      {
        ClusterClassVersion: formatVersion(clusterStack, 'dot'),
        ClusterAddonVersion: formatVersion(clusterAddon, 'dot'),
        NodeImageVersion: formatVersion(nodeImage, 'dot'),
      },
      (path) => `dir/${path}`,
    ),
  applyHelmIgnore,
}

const versions = {
  clusterStack: parseVersion('v0-sha.abc1234'),
  clusterAddon: parseVersion('v2'),
  nodeImage: parseVersion('v7'),
}

function make(files: FileMap, tag = 'docker-demo-1-30-v1'): MadeAssets {
  return makeAssets(stackFolder(files, tag), { versions, hashes }, steps)
}

function asset({ assets }: MadeAssets, path: string): Uint8Array | undefined {
  return assets.find((file) => file.path === path)?.bytes
}

function names({ assets }: MadeAssets): readonly string[] {
  return assets.map(({ path }) => path)
}

describe('a release of the multi-stage form', () => {
  const made = make(stagesFolder)

  test('has these files', () => {
    expect(names(made)).toEqual([
      'clusteraddon.yaml',
      'docker-demo-1-30-cluster-addon-v2.tgz',
      'docker-demo-1-30-cluster-class-v0-sha.abc1234.tgz',
      'hashes.json',
      'metadata.yaml',
    ])
    expect(made.findings).toEqual([])
  })

  test('its addons are folders without one around them, with placeholders replaced', () => {
    expect(unpacked(asset(made, 'docker-demo-1-30-cluster-addon-v2.tgz'))).toEqual({
      'cni/Chart.yaml': 'apiVersion: v2\nname: CNI\nversion: v2\n',
      'cni/templates/a.yaml': configMap('cni-v7'),
      'metrics/Chart.yaml': 'apiVersion: v2\nname: metrics\nversion: v1\n',
      'metrics/overwrite.yaml': 'values: |\n  version: v0-sha.abc1234\n',
      'metrics/values.yaml': 'version: none\n',
    })
  })

  test('its class is a chart of that name and version', () => {
    expect(unpacked(asset(made, 'docker-demo-1-30-cluster-class-v0-sha.abc1234.tgz'))).toEqual({
      'docker-demo-1-30-cluster-class/Chart.yaml':
        'apiVersion: v2\nname: docker-demo-1-30-cluster-class\nversion: v0-sha.abc1234\n',
      'docker-demo-1-30-cluster-class/templates/class.yaml': configMap('{{ .Release.Name }}-{{ .Chart.Version }}'),
    })
  })
})

test('a release of the multi-stage form leaves out the values of the old form, and says so', () => {
  const made = make(changed(stagesFolder, { 'cluster-addon-values.yaml': 'values: a' }))
  expect(names(made)).not.toContain('cluster-addon-values.yaml')
  expect(made.findings).toEqual([
    {
      code: 'RELEASE_FILE_IGNORED',
      severity: 'warning',
      message:
        'cluster-addon-values.yaml is not in the release, because clusteraddon.yaml selects the multi-stage form',
      file: 'dir/cluster-addon-values.yaml',
      hint: "Move each addon's values to cluster-addon/<addon>/overwrite.yaml, then remove the file.",
    },
  ])
})

describe('a release of the old form', () => {
  const made = make(
    changed(singleFolder, { 'cluster-addon/Chart.yaml': 'name: other # wrong\nversion: "v1"\n' }),
    'docker-old-1-27-v1',
  )

  test('has these files', () => {
    expect(names(made)).toEqual([
      'cluster-addon-values.yaml',
      'docker-old-1-27-cluster-addon-v2.tgz',
      'docker-old-1-27-cluster-class-v0-sha.abc1234.tgz',
      'hashes.json',
      'metadata.yaml',
    ])
  })

  test('its addons are a chart of their own version, its values a template', () => {
    const addon = unpacked(asset(made, 'docker-old-1-27-cluster-addon-v2.tgz'))
    expect(addon['docker-old-1-27-cluster-addon/Chart.yaml']).toBe(
      'name: docker-old-1-27-cluster-addon # wrong\nversion: "v2"\n',
    )
    expect(decodeUtf8(asset(made, 'cluster-addon-values.yaml') ?? new Uint8Array())).toBe('values: |\n  v: v2\n')
  })
})

describe('what csctl gets wrong', () => {
  const binary = new Uint8Array([0x3c, 0x3c, 0x20, 0x2e, 0x78, 0x20, 0x3e, 0x3e, 0xff, 0])
  const heredoc = 'script: |\n  cat << EOF\n  << .ClusterClassVersion >>\n  EOF\n'
  const made = make(
    changed(stagesFolder, {
      'cluster-class/Chart.yaml':
        '# of 1.29\nname: docker-demo-1-29-cluster-class\nversion: v1\ndescription: "a\n\n  b"\n',
      'cluster-class/templates/script.yaml': heredoc,
      'cluster-class/logo.png': binary,
      'cluster-class/.helmignore': 'notes.txt\n',
      'cluster-class/notes.txt': 'x',
      'cluster-addon/cni/.helmignore': 'notes.txt\n',
      'cluster-addon/cni/notes.txt': 'x',
      'cluster-addon/cni/charts/cilium-1.0.0.tgz': binary,
    }),
  )
  const chart = unpacked(asset(made, 'docker-demo-1-30-cluster-class-v0-sha.abc1234.tgz'))
  const addons = unpacked(asset(made, 'docker-demo-1-30-cluster-addon-v2.tgz'))

  test('a chart gets its name, and Chart.yaml keeps its text', () => {
    expect(chart['docker-demo-1-30-cluster-class/Chart.yaml']).toBe(
      '# of 1.29\nname: docker-demo-1-30-cluster-class\nversion: v0-sha.abc1234\ndescription: "a\n\n  b"\n',
    )
  })

  test('binary files stay as they are, vendored charts too', () => {
    expect(chart['docker-demo-1-30-cluster-class/logo.png']).toBe(decodeUtf8(binary))
    expect(addons['cni/charts/cilium-1.0.0.tgz']).toBe(decodeUtf8(binary))
  })

  test('a shell heredoc is not a placeholder', () => {
    expect(chart['docker-demo-1-30-cluster-class/templates/script.yaml']).toBe(
      'script: |\n  cat << EOF\n  v0-sha.abc1234\n  EOF\n',
    )
  })

  test('.helmignore applies to what Helm packs, and stays for what it reads later', () => {
    expect(Object.keys(chart)).not.toContain('docker-demo-1-30-cluster-class/notes.txt')
    expect(Object.keys(addons)).toContain('cni/notes.txt')
  })
})

describe('node images', () => {
  const plugin = (config: string): string =>
    `apiVersion: csctl.clusterstack.x-k8s.io/v1alpha1\nconfig: {clusterStackName: demo, kubernetesVersion: v1.30.4, provider: {type: docker, config: ${config}}}\n`
  const rows: readonly {
    readonly name: string
    readonly files: FileMap
    readonly want: string | undefined
    readonly findings: readonly string[]
  }[] = [
    {
      name: 'node-images.yaml ships as it is',
      files: { 'node-images.yaml': '<< .NodeImageVersion >>' },
      want: '<< .NodeImageVersion >>',
      findings: [],
    },
    {
      name: 'method get takes the configuration',
      files: { 'csctl.yaml': plugin('{method: get}'), 'node-images/config.yaml': 'images' },
      want: 'images',
      findings: [],
    },
    {
      name: 'a plugin that builds is not run',
      files: { 'csctl.yaml': plugin('{method: build}'), 'node-images/config.yaml': 'images' },
      want: undefined,
      findings: [
        'BUILD_INPUT_INVALID dir/csctl.yaml csctl.yaml asks a plugin of csctl for node images, which is not run here; the release has no node-images.yaml',
      ],
    },
    {
      name: 'no plugin',
      files: { 'csctl.yaml': plugin('{}'), 'node-images/config.yaml': 'images' },
      want: undefined,
      findings: [],
    },
  ]
  test.each(rows)('$name', ({ files, want, findings }) => {
    const made = make(changed(stagesFolder, files))
    const found = asset(made, 'node-images.yaml')
    expect(found === undefined ? undefined : decodeUtf8(found)).toBe(want)
    expect(made.findings.map(formatDiagnostic)).toEqual(findings)
  })
})

test('a placeholder in clusteraddon.yaml stays, and is told', () => {
  const text = 'apiVersion: x\n# << .ClusterAddonVersion >>\n'
  const made = make(changed(stagesFolder, { 'clusteraddon.yaml': text }))
  expect(decodeUtf8(asset(made, 'clusteraddon.yaml') ?? new Uint8Array())).toBe(text)
  expect(made.findings.map(formatDiagnostic)).toEqual([
    'RELEASE_BUILD_TEMPLATE dir/clusteraddon.yaml:2:3 clusteraddon.yaml is shipped as it is, so << .ClusterAddonVersion >> is not replaced',
  ])
})

describe('refused', () => {
  test.each([
    {
      name: 'no class',
      files: { 'cluster-class/Chart.yaml': undefined },
      want: ['BUILD_INPUT_INVALID dir the provider directory lacks cluster-class/Chart.yaml'],
    },
    {
      name: 'no addons',
      files: { 'cluster-addon/cni/Chart.yaml': undefined, 'cluster-addon/metrics/Chart.yaml': undefined },
      want: ['BUILD_INPUT_INVALID dir the provider directory lacks cluster-addon/<addon>/Chart.yaml'],
    },
    {
      name: 'no stages',
      files: { 'clusteraddon.yaml': undefined },
      want: ['BUILD_INPUT_INVALID dir the provider directory lacks clusteraddon.yaml'],
    },
    {
      name: 'a misspelt placeholder',
      files: { 'cluster-class/templates/class.yaml': 'a: << .ClusterVersion >>\n' },
      want: [
        'RELEASE_BUILD_TEMPLATE dir/cluster-class/templates/class.yaml:1:4 unknown build placeholder .ClusterVersion',
      ],
    },
    {
      name: 'a chart without a version',
      files: { 'cluster-class/Chart.yaml': 'name: a\n' },
      want: ['BUILD_INPUT_INVALID dir/cluster-class/Chart.yaml:1:1 version is missing'],
    },
    {
      name: 'a chart that ignores itself',
      files: { 'cluster-class/.helmignore': 'Chart.yaml\n' },
      want: ['BUILD_INPUT_INVALID dir/cluster-class .helmignore leaves out Chart.yaml'],
    },
  ])('$name', async ({ files, want }) => {
    expect(await problemsOf(() => make(changed(stagesFolder, files)))).toEqual(want)
  })

  test('neither form', async () => {
    const folder = stackFolder({ 'csctl.yaml': '', 'cluster-class/Chart.yaml': 'name: a\nversion: v1\n' })
    expect(
      await problemsOf(() => makeAssets(folder, { versions: sameVersions(parseVersion('v1')), hashes }, steps)),
    ).toEqual([
      'BUILD_INPUT_INVALID dir the provider directory lacks cluster-addon/Chart.yaml, cluster-addon-values.yaml',
    ])
  })
})
