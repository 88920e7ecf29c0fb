import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { digestOf } from '../../src/codec/bytes/digest.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { parseReleaseTag } from '../../src/model/release-name.ts'
import { build, type BuildOptions, type BuildResult } from '../../src/pipeline/commands/build.ts'
import { readRelease } from '../../src/sources/release/read-release.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { packageFolder } from '../cli/run-cli.ts'
import {
  at,
  changed,
  chartYaml,
  configMap,
  type FileMap,
  singleFolder,
  stagesFolder,
  writeFiles,
} from '../../tools/fleets/stack-folder.ts'
import { formatDiagnostic, problemsOf } from '../sources/release/support.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ports = createNodePorts()

interface Place {
  readonly folder: string
  readonly run: (options?: Partial<BuildOptions>) => Promise<BuildResult>
  readonly write: (files: FileMap) => Promise<void>
}

/** A provider directory `stack` in a temp folder, and how it is built into `out` beside it. */
async function place(files: FileMap = stagesFolder): Promise<Place> {
  const folder = await tempFolder()
  await writeFiles(join(folder, 'stack'), files)
  const defaults: BuildOptions = {
    directory: join(folder, 'stack'),
    output: join(folder, 'out'),
    version: { mode: 'stable' },
    rows: 'none',
    push: false,
    index: false,
    overwrite: false,
    dryRun: false,
    network: 'offline',
    start: folder,
    plainHttp: false,
  }
  return {
    folder,
    run: (options) => build({ ...defaults, ...options }, ports),
    write: (more) => writeFiles(join(folder, 'stack'), more),
  }
}

/** `status tag stack addon image` of every release. */
function shown({ releases }: BuildResult): readonly string[] {
  return releases.map(({ status, tag, versions }) =>
    [status, tag, versions.clusterStack, versions.clusterAddon, versions.nodeImage].join(' '),
  )
}

function codes({ findings }: BuildResult): readonly string[] {
  return findings.map(({ code, severity }) => `${severity} ${code}`)
}

describe('the first release', () => {
  test('is v1, lies in a folder of its tag, and is read back without a finding', async () => {
    const { folder, run } = await place()
    const result = await run()
    expect(shown(result)).toEqual(['built docker-demo-1-30-v1 v1 v1 v1'])
    expect(result.findings).toEqual([])
    expect(await readdir(join(folder, 'out'))).toEqual(['docker-demo-1-30-v1'])
    const release = await readRelease(
      { type: 'directory', name: 'built', path: join(folder, 'out'), at },
      parseReleaseTag('docker-demo-1-30-v1'),
      ports,
    )
    expect(release.findings).toEqual([])
    expect(release.release).toMatchObject({
      kubernetesVersion: 'v1.30.4',
      components: { clusterAddon: 'v1', nodeImage: 'v1' },
      form: 'multi-stage',
      clusterClass: { metadata: { name: 'docker-demo-1-30-cluster-class', version: 'v1' } },
    })
    expect(release.release.addons.map(({ name }) => name)).toEqual(['cni', 'metrics'])
  })

  test('of the old form too', async () => {
    const { folder, run } = await place(singleFolder)
    expect(shown(await run())).toEqual(['built docker-old-1-27-v1 v1 v1 v1'])
    const { findings, release } = await readRelease(
      { type: 'directory', name: 'built', path: join(folder, 'out'), at },
      parseReleaseTag('docker-old-1-27-v1'),
      ports,
    )
    expect(findings).toEqual([])
    expect(release.addons[0]?.chart.metadata).toMatchObject({ name: 'docker-old-1-27-cluster-addon', version: 'v1' })
    expect(release.addons[0]?.overwrite?.text).toBe('values: |\n  v: v1\n')
  })
})

describe('the next stable release', () => {
  test('is not built when nothing changed', async () => {
    const { run } = await place()
    await run()
    const second = await run()
    expect(shown(second)).toEqual(['unchanged docker-demo-1-30-v1 v1 v1 v1'])
    expect(codes(second)).toEqual(['warning BUILD_NO_CHANGE'])
  })

  test('is not built for a file that does not ship', async () => {
    const { run, write } = await place()
    await run()
    await write({ 'README.md': 'more words\n' })
    expect(shown(await run())).toEqual(['unchanged docker-demo-1-30-v1 v1 v1 v1'])
  })

  test('counts each part by itself, and the release as a whole', async () => {
    const { run, write } = await place()
    const steps: readonly (readonly [FileMap, string])[] = [
      [{}, 'v1 v1 v1'],
      [{ 'cluster-class/templates/class.yaml': configMap('two') }, 'v2 v2 v1'],
      [{ 'cluster-addon/cni/templates/a.yaml': configMap('three') }, 'v3 v3 v1'],
      [{ 'cluster-addon/metrics/overwrite.yaml': 'values: |\n  a: 1\n' }, 'v4 v4 v1'],
      // no addon holds the version of the class any more
      [{ 'cluster-class/templates/class.yaml': configMap('five') }, 'v5 v4 v1'],
      [{ 'node-image/Dockerfile': 'FROM x\n', 'cluster-class/values.yaml': 'a: 6\n' }, 'v6 v4 v2'],
      [{ 'node-images.yaml': 'images: []\n' }, 'v7 v4 v3'],
      [{ 'clusteraddon.yaml': String(stagesFolder['clusteraddon.yaml']).replace('apply', 'delete') }, 'v8 v5 v3'],
      [{ 'cluster-addon/cni/values.yaml': 'a: 9\n', 'cluster-class/values.yaml': 'a: 9\n' }, 'v9 v6 v3'],
      [{ 'cluster-class/values.yaml': 'a: 10\n' }, 'v10 v6 v3'],
      [{ 'cluster-class/values.yaml': 'a: 11\n' }, 'v11 v6 v3'],
    ]
    for (const [files, want] of steps) {
      await write(files)
      const [version] = want.split(' ')
      expect(shown(await run())).toEqual([`built docker-demo-1-30-${version ?? ''} ${want}`])
    }
  })

  test('follows one that another program built: everything counts, and equal content by its hash', async () => {
    const { folder, run, write } = await place()
    const { releases } = await run()
    const release = join(folder, 'out/docker-demo-1-30-v1')
    for (const name of await readdir(release)) {
      if (name.endsWith('.tgz')) await writeFile(join(release, name), 'packed otherwise')
    }
    expect(releases[0]?.hash).toMatch(/^[a-z0-9]{30,43}$/)
    expect(shown(await run())).toEqual(['unchanged docker-demo-1-30-v1 v1 v1 v1'])
    await write({ 'cluster-class/values.yaml': 'a: 2\n' })
    expect(shown(await run())).toEqual(['built docker-demo-1-30-v2 v2 v2 v1'])
  })
})

describe('versions', () => {
  test('of hash mode come from the content', async () => {
    const { folder, run } = await place()
    const { releases } = await run({ version: { mode: 'hash' } })
    const patch = releases[0]?.hash.slice(0, 7) ?? ''
    expect(await readdir(join(folder, 'out'))).toEqual([`docker-demo-1-30-v0-sha-${patch}`])
    expect(releases[0]?.versions).toEqual({
      clusterStack: `v0-sha.${patch}`,
      clusterAddon: `v0-sha.${patch}`,
      nodeImage: `v0-sha.${patch}`,
    })
    expect((await run({ version: { mode: 'hash' } })).releases[0]?.status).toBe('exists')
  })

  test('can be given, each', async () => {
    const { run } = await place()
    const version = { mode: 'explicit', clusterStack: 'v0-custom.x', clusterAddon: 'v7' } as const
    expect(shown(await run({ version }))).toEqual(['built docker-demo-1-30-v0-custom-x v0-custom.x v7 v0-custom.x'])
    // neither that nor hashes have an order: the first stable one comes
    expect(shown(await run())).toEqual(['built docker-demo-1-30-v1 v1 v1 v1'])
  })

  test.each([
    { given: '3', meant: 'v3' },
    { given: '0-sha.abc', meant: 'v0-sha.abc' },
    { given: 'v1.2.3', meant: 'v1' },
    { given: 'latest', meant: 'v3' },
  ])('are told as they may be meant: $given', async ({ given, meant }) => {
    const { run } = await place()
    const hintOf = async (version: BuildOptions['version']): Promise<readonly (string | undefined)[]> =>
      (await diagnosticsOf(run({ version }))).map(({ hint }) => hint)
    expect(await hintOf({ mode: 'explicit', clusterStack: given })).toEqual([`Write it like \`--version ${meant}\`.`])
    expect(await hintOf({ mode: 'explicit', clusterStack: 'v1', clusterAddon: given })).toEqual([
      `Write it like \`--addon-version ${meant}\`.`,
    ])
  })

  test('that a registry is to be asked for need the network, and no fetch helps', async () => {
    const { run } = await place()
    const offline = run({ registry: 'oci://registry.example/kaas/stacks', network: 'offline' })
    expect((await diagnosticsOf(offline)).map(({ code, hint }) => [code, hint])).toEqual([
      [
        'FETCH_OFFLINE',
        'The place is asked for its newest release, and pushed to: run it without `--offline`, or without `--registry`, `--source` and `--push`.',
      ],
    ])
  })

  test('are checked', async () => {
    const { run } = await place()
    expect(await problemsOf(() => run({ version: { mode: 'explicit', clusterStack: '1.2' } }))).toEqual([
      'RELEASE_NAME_INVALID version "1.2" is not valid: a version is v<number> or v<number>-<channel>.<patch> (or with a dash for the dot), such as v3 or v0-sha.abc1234',
    ])
  })
})

describe('the output folder', () => {
  const version = { mode: 'explicit', clusterStack: 'v5' } as const

  test('keeps a release that is there with other content, unless told', async () => {
    const { folder, run, write } = await place()
    await run({ version })
    await write({ 'cluster-class/values.yaml': 'a: 2\n' })
    const target = join(folder, 'out/docker-demo-1-30-v5')
    const before = await readFile(join(target, 'hashes.json'), 'utf8')
    expect(await problemsOf(() => run({ version }))).toEqual([
      `BUILD_TAG_EXISTS ${target} the folder is there already with other content`,
    ])
    expect(await readFile(join(target, 'hashes.json'), 'utf8')).toBe(before)
    await writeFile(join(target, 'stray.txt'), 'x')
    expect(shown(await run({ version, overwrite: true }))).toEqual(['built docker-demo-1-30-v5 v5 v5 v5'])
    expect(await readFile(join(target, 'hashes.json'), 'utf8')).not.toBe(before)
    expect(await readdir(target)).not.toContain('stray.txt')
  })

  test('gets nothing in a dry run', async () => {
    const { folder, run } = await place()
    const result = await run({ dryRun: true, index: true })
    expect(result).toMatchObject({ mode: 'dry-run', releases: [{ status: 'built', tag: 'docker-demo-1-30-v1' }] })
    expect(await readdir(folder)).toEqual(['stack'])
  })

  test('may lie inside of the provider directory without counting', async () => {
    const { folder, run } = await place()
    const output = join(folder, 'stack/.release')
    const first = await run({ output })
    expect(shown(await run({ output }))).toEqual(['unchanged docker-demo-1-30-v1 v1 v1 v1'])
    expect((await run({ output: join(folder, 'elsewhere') })).releases[0]?.hash).toBe(first.releases[0]?.hash)
    expect(await problemsOf(() => run({ output: join(folder, 'stack') }))).toEqual([
      `BUILD_INPUT_INVALID ${folder}/stack the output folder cannot be the provider directory`,
    ])
  })

  test('is cleaned of what a killed run left, and not of what another one writes', async () => {
    const { folder, run } = await place()
    const [old, fresh] = ['00', '01'].map((end) => join(folder, `out/docker-demo-1-30-v1.part-${end}`))
    for (const path of [old, fresh]) {
      await mkdir(join(path ?? '', 'deep'), { recursive: true })
      await writeFile(join(path ?? '', 'deep/half.tgz'), 'half')
    }
    await utimes(old ?? '', 1, 1)
    expect(shown(await run())).toEqual(['built docker-demo-1-30-v1 v1 v1 v1'])
    expect(await readdir(join(folder, 'out'))).toEqual(['docker-demo-1-30-v1', 'docker-demo-1-30-v1.part-01'])
  })

  test('gets the whole release of one of two runs at once, and the other one is told', async () => {
    const one = await place()
    const other = await place({ ...stagesFolder, 'cluster-class/values.yaml': 'a: 2\n' })
    const output = join(one.folder, 'out')
    const results = await Promise.allSettled([one, other].map(({ run }) => run({ version, output })))
    const done = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    const told = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
    expect(done).toHaveLength(1)
    expect(told).toEqual([expect.stringContaining('the folder is there already with other content')])
    const [release] = done[0]?.releases ?? []
    for (const { name, digest } of release?.files ?? []) {
      const bytes = await readFile(join(output, 'docker-demo-1-30-v5', name))
      expect([name, digestOf(bytes, ports.crypto)]).toEqual([name, digest])
    }
    expect(await readdir(output)).toEqual(['docker-demo-1-30-v5'])
  })

  test('gets an index of all its releases on demand, the same each time', async () => {
    const { folder, run, write } = await place()
    await run()
    await write({ 'cluster-class/values.yaml': 'a: 2\n' })
    const result = await run({ index: true })
    const text = await readFile(join(folder, 'out/index.json'), 'utf8')
    expect(result.index).toBe(join(folder, 'out/index.json'))
    const schema = await readFile(join(packageFolder, 'schemas/release-index.json'), 'utf8')
    expect(compileSchema(parseGoJson(schema)).validate(parseGoJson(text))).toEqual([])
    const index: { readonly releases: readonly { readonly name: string; readonly assets: readonly object[] }[] } =
      JSON.parse(text)
    expect(index.releases).toMatchObject([
      { name: 'docker-demo-1-30-v1', kubernetesVersion: 'v1.30.4' },
      { name: 'docker-demo-1-30-v2', kubernetesVersion: 'v1.30.4', assets: result.releases[0]?.files },
    ])
    await run({ index: true })
    expect(await readFile(join(folder, 'out/index.json'), 'utf8')).toBe(text)
  })
})

const withTable = changed(stagesFolder, {
  'csctl.yaml': `apiVersion: csctl.clusterstack.x-k8s.io/v1alpha1
config:
  clusterStackName: demo
  kubernetesVersion: v1.30.4
  provider: {type: docker}
`,
  'cluster-addon/cni/Chart.yaml': `${chartYaml('CNI')}dependencies:\n  - {name: openstack-cinder-csi, version: 2.30.1, repository: https://x.example}\n`,
  'versions.yaml': '- {kubernetes: 1.30.4, cinder_csi: 2.30.1}\n- {kubernetes: 1.31.9, cinder_csi: 2.31.0}\n',
})

describe('a version table', () => {
  test('makes a release for each row', async () => {
    const { run } = await place(withTable)
    const result = await run({ rows: 'all' })
    expect(shown(result)).toEqual(['built docker-demo-1-30-v1 v1 v1 v1', 'built docker-demo-1-31-v1 v1 v1 v1'])
    expect(result.releases.map(({ kubernetesVersion }) => kubernetesVersion)).toEqual(['v1.30.4', 'v1.31.9'])
    expect(result.findings).toEqual([])
  })

  test('counts each minor by itself; another row changes nothing of a release', async () => {
    const { run, write } = await place(withTable)
    await run({ rows: ['1.30'] })
    await write({
      'versions.yaml': `${String(withTable['versions.yaml'])}- {kubernetes: 1.32.1, cinder_csi: 2.32.0}\n`,
    })
    const result = await run({ rows: 'all' })
    expect(shown(result)).toEqual([
      'unchanged docker-demo-1-30-v1 v1 v1 v1',
      'built docker-demo-1-31-v1 v1 v1 v1',
      'built docker-demo-1-32-v1 v1 v1 v1',
    ])
    expect(codes(result)).toEqual(['warning BUILD_NO_CHANGE'])
  })

  test('gives the directory as it is the hash that it has without a table', async () => {
    const { run } = await place(withTable)
    const plain = await run({ version: { mode: 'hash' } })
    const row = await run({ version: { mode: 'hash' }, rows: ['1.30.4'] })
    expect(row.releases[0]).toMatchObject({ tag: plain.releases[0]?.tag, status: 'exists' })
  })

  test('may lie elsewhere', async () => {
    const { folder, run } = await place(changed(withTable, { 'versions.yaml': undefined }))
    await writeFile(join(folder, 'table.yaml'), '- kubernetes: 1.33.0\n')
    expect(shown(await run({ rows: 'all', table: join(folder, 'table.yaml') }))).toEqual([
      'built docker-demo-1-33-v1 v1 v1 v1',
    ])
    expect(await problemsOf(() => run({ rows: 'all' }))).toEqual([
      `BUILD_INPUT_INVALID ${folder}/stack the provider directory has no versions.yaml`,
    ])
    expect(await problemsOf(() => run({ rows: 'all', table: join(folder, 'no.yaml') }))).toEqual([
      `FILE_UNREADABLE ${folder}/no.yaml the file cannot be read: it is not there`,
    ])
  })

  test('writes nothing at all when one of its releases has an error', async () => {
    const { folder, run, write } = await place(withTable)
    await write({ 'versions.yaml': '- {kubernetes: 1.30.4}\n- {kubernetes: 1.31.9, occm: 1.0.0}\n' })
    expect(await problemsOf(() => run({ rows: 'all' }))).toEqual([
      `BUILD_INPUT_INVALID ${folder}/stack/versions.yaml:2:30 no addon depends on a chart "openstack-cloud-controller-manager"`,
    ])
    expect(await readdir(folder)).toEqual(['stack'])
  })
})

describe('the layout with a folder per Kubernetes minor', () => {
  const minor = changed(withTable, {
    'csctl.yaml': undefined,
    'versions.yaml': undefined,
    'stack.yaml': 'provider: docker\nclusterStackName: demo\nkubernetesVersion: 1.31.9\naddons: {cni: 2.31.x}\n',
  })

  test('is built by folder', async () => {
    const { folder, run } = await place(minor)
    expect(shown(await run())).toEqual(['built docker-demo-1-31-v1 v1 v1 v1'])
    const { release } = await readRelease(
      { type: 'directory', name: 'built', path: join(folder, 'out'), at },
      parseReleaseTag('docker-demo-1-31-v1'),
      ports,
    )
    expect(release.addons[0]?.chart.metadata.dependencies).toMatchObject([
      { name: 'openstack-cinder-csi', version: '2.31.x' },
    ])
  })

  test('says which folders there are', async () => {
    const { folder, run } = await place(
      Object.fromEntries(Object.entries(minor).map(([path, text]) => [`1-31/${path}`, text])),
    )
    await expect(run()).rejects.toMatchObject({
      diagnostics: [
        {
          code: 'BUILD_INPUT_INVALID',
          file: join(folder, 'stack'),
          hint: 'These below it are: 1-31. Build one of them.',
        },
      ],
    })
  })

  test('is no other folder', async () => {
    const { folder, run } = await place({ 'README.md': '' })
    expect(await problemsOf(() => run())).toEqual([
      `BUILD_INPUT_INVALID ${folder}/stack this is not a provider directory: it has none of csctl.yaml, csmctl.yaml, stack.yaml`,
    ])
  })
})

function dependsOn(repository: string): Readonly<Record<string, string>> {
  const dependency = `dependencies:\n  - {name: library, version: 1.0.0, repository: "${repository}"}\n`
  return { 'cluster-addon/cni/Chart.yaml': `${chartYaml('cni')}${dependency}` }
}

describe('what a user of the release would trip over', () => {
  test.each([
    {
      name: 'a stage without an addon',
      files: { 'clusteraddon.yaml': String(stagesFolder['clusteraddon.yaml']).replace('name: cni', 'name: cnl') },
      want: /^RELEASE_METADATA_INVALID DIR\/stack\/clusteraddon\.yaml:5:14 .*cnl/,
    },
    {
      name: 'an addon that is not a chart',
      files: { 'cluster-addon/cni/Chart.yaml': 'name: [\n' },
      want: /^CHART_INVALID DIR\/stack\/.*cluster-addon-v1\.tgz!\/cni\/Chart\.yaml:2:1 /,
    },
    {
      name: 'an addon that depends on a folder of this machine',
      files: dependsOn('file:///home/me/library'),
      want: /^DEPENDENCY_UNSUPPORTED DIR\/stack\/cluster-addon\/cni\/Chart\.yaml dependency library lies at file:\/\/\/home\/me\/library, which is not in the release$/,
    },
    {
      name: "an addon that depends on a repository of somebody's Helm",
      files: dependsOn('@mine'),
      want: /^DEPENDENCY_UNSUPPORTED DIR\/stack\/cluster-addon\/cni\/Chart\.yaml dependency library names the repository @mine, /,
    },
    {
      name: 'an addon that depends on what no repository has',
      files: dependsOn(''),
      want: /^DEPENDENCY_UNSUPPORTED DIR\/stack\/cluster-addon\/cni\/Chart\.yaml dependency library names no repository, /,
    },
  ])('$name', async ({ files, want }) => {
    const { folder, run } = await place(changed(stagesFolder, files))
    const [first = ''] = await problemsOf(() => run())
    expect(first.replaceAll(folder, 'DIR')).toMatch(want)
    expect(await readdir(folder)).toEqual(['stack'])
  })

  test.each(['https://charts.example.com', 'oci://registry.example.com/charts'])(
    'a dependency that they fetch from %s is none',
    async (repository) => {
      const { run } = await place(changed(stagesFolder, dependsOn(repository)))
      expect((await run()).findings).toEqual([])
    },
  )

  test('nor is one that is vendored', async () => {
    const vendored = { 'cluster-addon/cni/charts/library/Chart.yaml': chartYaml('library', '1.0.0') }
    const { run } = await place(changed(stagesFolder, { ...dependsOn('file://../library'), ...vendored }))
    expect((await run()).findings).toEqual([])
  })

  test('files that were left in a chart are told of, and what git keeps is not packed', async () => {
    const left = ['.env', '.env.local', '.DS_Store', 'files/id_ed25519']
    const { folder, run } = await place(
      changed(stagesFolder, {
        ...Object.fromEntries(left.map((path) => [`cluster-addon/cni/${path}`, 'x\n'])),
        'cluster-addon/cni/.env.example': 'x\n',
        'cluster-addon/cni/.gitignore': 'x\n',
        'cluster-class/.helmignore': '.env\n',
        'cluster-class/.env': 'x\n',
        'cluster-class/.netrc': 'x\n',
        '.env': 'x\n',
      }),
    )
    const clean = await run({ dryRun: true })
    const packed = [
      'cluster-addon/cni/.DS_Store',
      ...['.env', '.env.local', 'files/id_ed25519'].map((path) => `cluster-addon/cni/${path}`),
      'cluster-class/.netrc',
    ]
    expect(clean.findings.map(({ code, severity, message }) => `${severity} ${code} ${message}`)).toEqual(
      packed.map(
        (path) =>
          `warning BUILD_INPUT_INVALID ${path} is packed into the release, and everybody who can read that can read it`,
      ),
    )
    for (const place of ['stack', 'stack/cluster-addon/cni', 'stack/cluster-class']) {
      await mkdir(join(folder, place, '.git'), { recursive: true })
      await writeFile(join(folder, place, '.git/config'), 'url = https://a:b@example.com\n')
    }
    await writeFile(join(folder, 'stack/cluster-addon/metrics/.git'), 'gitdir: elsewhere\n')
    const { releases } = await run({ dryRun: true })
    expect(releases).toEqual(clean.releases)
  })

  test('a file whose name is not UTF-8 is refused, with that reason', async () => {
    const { folder, run } = await place()
    await writeFile(Buffer.concat([Buffer.from(join(folder, 'stack/cluster-addon/cni/bad')), Buffer.from([0xff])]), 'x')
    expect(
      (await diagnosticsOf(run())).map(({ code, message }) => `${code} ${message.replace(folder, 'DIR')}`),
    ).toEqual(['FILE_UNREADABLE DIR/stack/cluster-addon/cni/bad\ufffd cannot be read: its name is not UTF-8'])
  })

  test('an addon that no stage applies is told', async () => {
    const { run } = await place(changed(stagesFolder, { 'cluster-addon/extra/Chart.yaml': chartYaml('extra') }))
    const result = await run()
    expect(result.findings.map(formatDiagnostic).join('\n')).toContain('RELEASE_UNUSED_ADDON')
    expect(codes(result)).toEqual(['warning RELEASE_UNUSED_ADDON'])
  })
})

test('a source of the fleet says what is newest', async () => {
  const { folder, run, write } = await place()
  await run({ output: join(folder, 'published') })
  const fleet = join(folder, 'fleet')
  await writeFiles(fleet, {
    'stackmason.yaml':
      'apiVersion: stackmason.dev/v1alpha1\nkind: Fleet\nmetadata: {name: f}\nspec:\n  sources:\n    - name: published\n      directory: {path: ../published}\n',
  })
  expect(shown(await run({ source: 'published', start: fleet }))).toEqual(['unchanged docker-demo-1-30-v1 v1 v1 v1'])
  await write({ 'cluster-class/values.yaml': 'a: 2\n' })
  expect(shown(await run({ source: 'published', start: fleet }))).toEqual(['built docker-demo-1-30-v2 v2 v2 v1'])
  expect(await problemsOf(() => run({ source: 'publishd', fleet: join(fleet, 'stackmason.yaml') }))).toEqual([
    `BUILD_INPUT_INVALID ${fleet}/stackmason.yaml the fleet has no source "publishd"`,
  ])
  expect(await problemsOf(() => run({ source: 'published', push: true, fleet }))).toEqual([
    `BUILD_INPUT_INVALID stackmason.yaml:6:13 source "published" is not a registry, so nothing can be pushed to it`,
  ])
})
