import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stagesFolder, writeFiles } from '../../tools/fleets/stack-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type CliRun, runCli } from './run-cli.ts'

async function stack(): Promise<string> {
  const folder = await tempFolder()
  await writeFiles(join(folder, 'stack'), stagesFolder)
  return folder
}

function run(cwd: string, ...words: readonly string[]): Promise<CliRun> {
  return runCli(['build', ...words], { cwd })
}

/** Digests and the content hash, which other tests hold, replaced. */
function masked(text: string): string {
  return text
    .replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:…')
    .replaceAll(/hash [a-z0-9]{30,43}/g, 'hash …')
    .replaceAll(/(tgz +sha256:…) +\d+/g, '$1  …')
}

const listed = `  Kubernetes v1.30.4, addons v1, node images v1, hash …
  clusteraddon.yaml                      sha256:…  230
  docker-demo-1-30-cluster-addon-v1.tgz  sha256:…  …
  docker-demo-1-30-cluster-class-v1.tgz  sha256:…  …
  hashes.json                            sha256:…  155
  metadata.yaml                          sha256:…  170
`

describe('build', () => {
  test('tells what it built, then that nothing changed', async () => {
    const cwd = await stack()
    const first = await run(cwd, 'stack')
    expect({ ...first, stdout: masked(first.stdout) }).toEqual({
      status: 0,
      stdout: `built docker-demo-1-30-v1 in .release/docker-demo-1-30-v1\n${listed}`,
      stderr: '',
    })
    expect(await run(cwd, 'stack')).toEqual({
      status: 0,
      stdout: 'unchanged since docker-demo-1-30-v1\n',
      stderr: `warning BUILD_NO_CHANGE stack: nothing that docker-demo-1-30 ships has changed since docker-demo-1-30-v1
  → No action is needed; pass a version explicitly to build it anyway.
`,
    })
  })

  test('tells what it would build, and writes nothing', async () => {
    const cwd = await stack()
    const { status, stdout } = await run(cwd, 'stack', '--dry-run', '--out', 'elsewhere', '--version', 'v1')
    expect([status, masked(stdout)]).toEqual([
      0,
      `would build docker-demo-1-30-v1 in elsewhere/docker-demo-1-30-v1\n${listed}`,
    ])
    expect(await readdir(cwd)).toEqual(['stack'])
  })

  test.each([
    { name: 'of a repository', where: 'the repository', git: true },
    { name: 'of a folder without git', where: 'its folder', git: false },
  ])('follows no .release $name that leads out of it, unless somebody names it', async ({ where, git }) => {
    const cwd = await stack()
    const out = await tempFolder()
    if (git) await mkdir(join(cwd, '.git'))
    await symlink(out, join(cwd, '.release'))
    expect(await run(cwd, 'stack')).toEqual({
      status: 1,
      stdout: '',
      stderr: `error FILE_OUTSIDE .release is a link that leads out of ${where}
  → Remove the link, or name the folder with --out.
`,
    })
    expect(await readdir(out)).toEqual([])
    expect((await run(cwd, 'stack', '--out', '.release', '--index')).status).toBe(0)
    expect(await readdir(out)).toEqual(['docker-demo-1-30-v1', 'index.json'])
  })

  test('goes through a .release that leads to another folder of the repository', async () => {
    const cwd = await stack()
    await mkdir(join(cwd, '.git'))
    await mkdir(join(cwd, 'releases'))
    await symlink('releases', join(cwd, '.release'))
    expect((await run(cwd, 'stack')).status).toBe(0)
    expect(await readdir(join(cwd, 'releases'))).toEqual(['docker-demo-1-30-v1'])
  })

  test('writes no index through a link', async () => {
    const cwd = await stack()
    await writeFile(join(cwd, 'mine'), 'mine')
    await mkdir(join(cwd, '.release'))
    await symlink('../mine', join(cwd, '.release/index.json.part'))
    await symlink('../mine', join(cwd, '.release/index.json'))
    expect((await run(cwd, 'stack', '--index')).status).toBe(0)
    expect(await readFile(join(cwd, 'mine'), 'utf8')).toBe('mine')
    expect((await readdir(join(cwd, '.release'))).toSorted()).toEqual(['docker-demo-1-30-v1', 'index.json'])
  })

  test('reports for programs', async () => {
    const cwd = await stack()
    const { status, stdout, stderr } = await run(cwd, 'stack', '-o', 'json', '-m', 'hash', '--index')
    expect([status, stderr]).toEqual([0, ''])
    const report: { readonly releases: readonly { readonly hash: string; readonly tag: string }[] } = JSON.parse(stdout)
    const patch = report.releases[0]?.hash.slice(0, 7) ?? ''
    const version = `v0-sha.${patch}`
    expect(report).toEqual({
      apiVersion: 'stackmason.dev/v1alpha1',
      kind: 'BuildReport',
      mode: 'write',
      output: '.release',
      releases: [
        {
          status: 'built',
          tag: `docker-demo-1-30-v0-sha-${patch}`,
          kubernetesVersion: 'v1.30.4',
          versions: { clusterStack: version, clusterAddon: version, nodeImage: version },
          hash: expect.stringMatching(/^[a-z0-9]{30,43}$/),
          folder: `.release/docker-demo-1-30-v0-sha-${patch}`,
          files: [
            'clusteraddon.yaml',
            `docker-demo-1-30-cluster-addon-${version}.tgz`,
            `docker-demo-1-30-cluster-class-${version}.tgz`,
            'hashes.json',
            'metadata.yaml',
          ].map((name) => ({ name, size: expect.any(Number), digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) })),
        },
      ],
      index: '.release/index.json',
      findings: [],
    })
  })

  test('ends with 1 when a tag is taken', async () => {
    const cwd = await stack()
    await run(cwd, 'stack', '--version', 'v1')
    await writeFiles(join(cwd, 'stack'), { 'cluster-class/values.yaml': 'a: 1\n' })
    const { status, stdout, stderr } = await run(cwd, 'stack', '--version', 'v1')
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr)
      .toBe(`error BUILD_TAG_EXISTS .release/docker-demo-1-30-v1: the folder is there already with other content
  → Build the next version; if it was not published yet, pass --overwrite or remove the folder.
`)
  })

  test.each([
    { words: [], want: 'build needs DIRECTORY: the provider directory, with csctl.yaml' },
    { words: ['x', '--mode', 'hash', '--version', 'v1'], want: '--mode and --version cannot be used together' },
    { words: ['x', '--all', '-k', '1.34'], want: '--all and --kubernetes cannot be used together' },
    { words: ['x', '--registry', 'r', '--source', 's'], want: '--registry and --source cannot be used together' },
    { words: ['x', '--addon-version', 'v1'], want: '--addon-version needs --version' },
    { words: ['x', '--table', 't'], want: '--table needs --kubernetes or --all' },
    { words: ['x', '--plain-http'], want: '--plain-http needs --registry or --push' },
    { words: ['x', '--mode', 'custom'], want: 'option --mode takes stable or hash, not "custom"' },
  ])('refuses $words', async ({ words, want }) => {
    const { status, stderr } = await runCli(['build', ...words])
    expect([status, stderr.split('\n')[0]]).toEqual([2, `error USAGE ${want}`])
  })
})
