import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, readlink, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { type CliRun, packageFolder, runCli } from './run-cli.ts'

async function emptyFleet(): Promise<{
  readonly cwd: string
  readonly run: (...words: readonly string[]) => Promise<CliRun>
}> {
  const cwd = await tempFolder()
  const run = (...words: readonly string[]): Promise<CliRun> => runCli(words, { cwd })
  await run('init', '--empty')
  return { cwd, run }
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

const listFiles = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

describe('stackmason init --empty', () => {
  test.each([[], ['--engine', 'flux'], ['--engine', 'argocd']])('renders, with %j %j', async (...words) => {
    const cwd = await tempFolder()
    const { status, stdout } = await runCli(['init', '--empty', ...words], { cwd })
    const tool = words[1]
    const bootstrap = tool === undefined ? [] : [`bootstrap/${tool}.yaml`]
    expect([status, await listFiles(cwd)]).toEqual([
      0,
      ['.gitattributes', '.gitignore', ...bootstrap, 'stackmason.yaml'],
    ])
    expect(stdout).toContain('Next: stackmason new stack PROVIDER/STACK, or a source in stackmason.yaml\n')
    const text = await readFile(join(cwd, 'stackmason.yaml'), 'utf8')
    expect(text).toContain('  sources: []\n')
    const rendered = await runCli(['render', '-q'], { cwd })
    expect([rendered.status, rendered.stderr]).toEqual([0, ''])
  })
})

describe('stackmason new stack', () => {
  test('leaves the rights of stackmason.yaml as they are, and a link to it', async () => {
    const { cwd, run } = await emptyFleet()
    const config = join(cwd, 'stackmason.yaml')
    await mkdir(join(cwd, '.git'))
    await mkdir(join(cwd, 'config'))
    await rename(config, join(cwd, 'config/fleet.yaml'))
    await symlink('config/fleet.yaml', config)
    await chmod(join(cwd, 'config/fleet.yaml'), 0o600)
    expect(await run('new', 'stack', 'docker/mine')).toMatchObject({ status: 0 })
    const { mode } = await stat(join(cwd, 'config/fleet.yaml'))
    expect([(mode & 0o777).toString(8), await readlink(config)]).toEqual(['600', 'config/fleet.yaml'])
    expect(await readFile(config, 'utf8')).toContain('docker-mine')
  })

  test.each([
    { words: ['stack', 'docker/mine'], link: 'providers' },
    { words: ['stack', 'docker/mine'], link: 'providers/docker' },
    { words: ['stack', 'docker/mine', '--dry-run'], link: 'providers' },
    { words: ['stack', 'docker/mine', '--no-fleet'], link: 'providers' },
  ])('writes nothing through $link, a link out of the fleet: $words', async ({ words, link }) => {
    const { cwd, run } = await emptyFleet()
    const elsewhere = await tempFolder()
    const before = await readFile(join(cwd, 'stackmason.yaml'), 'utf8')
    await mkdir(dirname(join(cwd, link)), { recursive: true })
    await symlink(elsewhere, join(cwd, link))
    const { status, stderr } = await run('new', ...words)
    expect([status, stderr]).toEqual([
      1,
      `error FILE_OUTSIDE ${link} leads out of the fleet repository\n  → Put a copy of what it leads to in its place.\n`,
    ])
    expect([await listFiles(elsewhere), await readFile(join(cwd, 'stackmason.yaml'), 'utf8')]).toEqual([[], before])
    expect(await readdir(cwd)).not.toContain('.stackmason.yaml.partial')
  })

  test('writes nothing while another run changes the file, and nothing through a link', async () => {
    const { cwd, run } = await emptyFleet()
    const before = await readFile(join(cwd, 'stackmason.yaml'), 'utf8')
    await write(join(cwd, 'mine'), 'mine')
    await symlink('mine', join(cwd, '.stackmason.yaml.partial'))
    const { status, stderr } = await run('new', 'stack', 'docker/mine')
    expect([status, stderr.split('\n').slice(0, 2)]).toEqual([
      2,
      [
        'error WRITE_FAILED stackmason.yaml: another run is changing the file, or was stopped while it did',
        '  → Run it again when the other one has ended; if there is none, remove .stackmason.yaml.partial first.',
      ],
    ])
    expect(await readFile(join(cwd, 'mine'), 'utf8')).toBe('mine')
    expect(await readFile(join(cwd, 'stackmason.yaml'), 'utf8')).toBe(before)
    expect(existsSync(join(cwd, 'providers'))).toBe(false)
  })

  test('several at once lose no source', async () => {
    const { cwd, run } = await emptyFleet()
    const names = ['aa', 'bb', 'cc', 'dd']
    const runs = await Promise.all(names.map((name) => run('new', 'stack', `docker/${name}`)))
    const added = names.filter((_, index) => runs[index]?.status === 0)
    const text = await readFile(join(cwd, 'stackmason.yaml'), 'utf8')
    expect(added.length).toBeGreaterThan(0)
    expect(names.filter((name) => text.includes(`docker-${name}`))).toEqual(added)
    expect(names.filter((name) => existsSync(join(cwd, 'providers/docker', name)))).toEqual(added)
  })

  test.each(['docker', 'openstack'])('%s: a stack that builds, renders and passes check', async (provider) => {
    const { cwd, run } = await emptyFleet()
    const made = await run('new', 'stack', `${provider}/mine`, '-k', 'v1.33.5')
    expect([made.status, made.stderr]).toEqual([0, ''])
    expect(made.stdout.split('\n').slice(-4)).toEqual([
      `  stacks/${provider}-mine-1-33.yaml`,
      'Added the source to stackmason.yaml.',
      `Next: stackmason render; to release it: stackmason build providers/${provider}/mine`,
      '',
    ])
    const built = await run('build', `providers/${provider}/mine`, '--out', 'releases')
    expect([built.status, built.stdout.split('\n').slice(0, 2)]).toEqual([
      0,
      [
        `built ${provider}-mine-1-33-v1 in releases/${provider}-mine-1-33-v1`,
        expect.stringContaining('Kubernetes v1.33.5, addons v1'),
      ],
    ])
    const cluster = ['new', 'cluster', 'team-a/web', '--class', `${provider}-mine-1-33-v1`, '--pods', '10.244.0.0/16']
    expect(await run(...cluster)).toMatchObject({
      status: 0,
      stdout: 'Wrote:\n  clusters/team-a/web/cluster.yaml\nNext: stackmason check\n',
    })
    expect((await run('render', '-q')).status).toBe(0)
    const checked = await run('check', '-q', '-o', 'json')
    const { findings }: { readonly findings: readonly { readonly severity: string; readonly code: string }[] } =
      JSON.parse(checked.stdout)
    expect(findings.filter(({ severity }) => severity !== 'note').map(({ code }) => code)).toEqual(
      provider === 'openstack' ? ['CREDENTIALS_MISSING'] : [],
    )
    expect(await listFiles(join(cwd, 'rendered/clusters/team-a/web'))).toContain('cluster/cluster-web.yaml')
  })

  test('outside of a fleet: the provider directory alone', async () => {
    const cwd = await tempFolder()
    const { status, stdout } = await runCli(['new', 'stack', 'docker/mine', '--no-fleet'], { cwd })
    expect([status, stdout.split('\n').at(-2)]).toEqual([0, 'Next: stackmason build providers/docker/mine'])
    expect((await listFiles(cwd)).every((path) => path.startsWith('providers/docker/mine/'))).toBe(true)
    expect((await runCli(['build', 'providers/docker/mine'], { cwd })).status).toBe(0)
  })

  test('--dry-run writes nothing and shows every file', async () => {
    const { cwd, run } = await emptyFleet()
    const before = await listFiles(cwd)
    const { status, stdout } = await run('new', 'stack', 'docker/mine', '--dry-run')
    expect(status).toBe(0)
    expect(stdout).toContain('Would add the source to stackmason.yaml.\n')
    expect(stdout).toContain(
      '\n--- providers/docker/mine/cluster-addon/welcome/values.yaml\ncluster: unknown\nmessage: Hello\n',
    )
    expect(stdout).toContain('\n--- stackmason.yaml\napiVersion: stackmason.dev/v1alpha1\n')
    expect(await listFiles(cwd)).toEqual(before)
  })
})

const variable = `  variables:
    - name: flavor
      required: true
      schema:
        openAPIV3Schema:
          type: string
          enum: [small, large]
          description: The size of the nodes.
    - name: zones
      required: true
      schema:
        openAPIV3Schema:
          type: array
          items: {type: string}
`

describe('stackmason new cluster', () => {
  test('from a class: its required variables, given or to be filled in', async () => {
    const { cwd, run } = await emptyFleet()
    await run('new', 'stack', 'docker/mine')
    const file = join(cwd, 'providers/docker/mine/cluster-class/templates/cluster-class.yaml')
    await writeFile(file, (await readFile(file, 'utf8')) + variable)
    const made = await run(
      'new',
      'cluster',
      'team-a/web',
      '--class',
      'docker-mine-1-34-v1',
      '--set',
      'zones=[a, b]',
      '--endpoint',
      'web.example.com',
    )
    expect(made).toMatchObject({
      status: 0,
      stdout: [
        'Wrote:',
        '  clusters/team-a/web/cluster.yaml',
        'Review:',
        '  clusters/team-a/web/cluster.yaml the variable flavor needs a value',
        '  clusters/team-a/web/cluster.yaml spec.clusterNetwork is not set: give --pods where the class or the CNI wants one',
        'Next: stackmason check',
        '',
      ].join('\n'),
    })
    const written = join(cwd, 'clusters/team-a/web/cluster.yaml')
    expect(await readFile(written, 'utf8')).toBe(`apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata:
  name: web
  namespace: team-a
spec:
  controlPlaneEndpoint:
    host: web.example.com
    port: 6443
  topology:
    classRef:
      name: docker-mine-1-34-v1
      namespace: platform
    version: v1.34.7
    controlPlane:
      replicas: 1
    workers:
      machineDeployments:
        - class: default-worker
          name: md-0
          replicas: 1
    # all of them: stackmason variables docker-mine-1-34-v1
    variables:
      - name: zones
        value:
          - a
          - b
      # The size of the nodes.
      - name: flavor
        value: # required: string, one of small, large
`)
    // what is still to be filled in is an error, and at its place
    const unfilled = await run('check')
    expect([unfilled.status, unfilled.stdout]).toEqual([
      1,
      expect.stringContaining('clusters/team-a/web/cluster.yaml:30:15: variable "flavor"'),
    ])
    await writeFile(written, (await readFile(written, 'utf8')).replace('value: # required', 'value: small # required'))
    expect(await run('check')).toMatchObject({ status: 0 })
  })

  test.each([
    ['version=1.34', '"1.34"'],
    ['version="1.34"', '"1.34"'],
    ['version=', '""'],
    ['version=yes', '"yes"'],
    ['version=2026-01-01', '"2026-01-01"'],
    ['version=[1]', '\n          - 1'],
    ['count=3', '3'],
    ['either=3', '3'],
  ])('--set %s: a text where the class wants one', async (word, want) => {
    const { cwd, run } = await emptyFleet()
    await run('new', 'stack', 'docker/mine')
    const file = join(cwd, 'providers/docker/mine/cluster-class/templates/cluster-class.yaml')
    const schema = (name: string, type: string): string =>
      `    - {name: ${name}, required: false, schema: {openAPIV3Schema: {${type}}}}\n`
    const classText = await readFile(file, 'utf8')
    const either = schema('either', 'x-kubernetes-int-or-string: true')
    await writeFile(
      file,
      `${classText}  variables:\n${schema('version', 'type: string')}${schema('count', 'type: integer')}${either}`,
    )
    expect(await run('new', 'cluster', 'a/b', '--class', 'docker-mine-1-34-v1', '--set', word)).toMatchObject({
      status: 0,
    })
    const [, written] = (await readFile(join(cwd, 'clusters/a/b/cluster.yaml'), 'utf8')).split(/value: ?/)
    expect(written).toBe(`${want}\n`)
  })

  test('from a class that no ClusterStack offers: says what to add', async () => {
    const { run } = await emptyFleet()
    for (const name of ['docker-mine-1-34-v1', 'docker-mine-1-34-v1.yaml'])
      expect((await run('new', 'cluster', 'team-a/web', '--class', name)).stderr.split('\n  → ')).toEqual([
        `error USAGE the fleet has no release and no cluster "${name}"`,
        name.endsWith('v1')
          ? 'No ClusterStack offers it: add one to stacks/ with provider docker, name mine, kubernetesVersion "1.34" and version v1, or write a stack with `stackmason new stack`.\n'
          : 'No release of it is rendered.\n',
      ])
  })

  test('like another one, in another namespace: it renders and passes check', async () => {
    const { cwd, run } = await emptyFleet()
    await run('new', 'stack', 'docker/mine')
    await run('new', 'cluster', 'team-a/web', '--class', 'docker-mine-1-34-v1', '--pods', '10.1.0.0/16')
    const model = join(cwd, 'clusters/team-a/web')
    await write(join(model, 'values/welcome.yaml'), '# for people\nmessage: The web cluster # greets\n')
    await write(
      join(model, 'options.yaml'),
      'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {suspend: true}\n',
    )
    await write(join(cwd, 'clusters/team-a/values/welcome.yaml'), 'cluster: all of team-a\n')
    const made = await run('new', 'cluster', 'team-b/shop', '--like', 'web', '--pods', '10.2.0.0/16')
    expect(made).toMatchObject({
      status: 0,
      stdout: [
        'Wrote:',
        '  clusters/team-b/shop/cluster.yaml',
        '  clusters/team-b/shop/values/welcome.yaml',
        'Left out, because it must be unique:',
        '  clusters/team-a/web/options.yaml the file: it says what is done with the model',
        'Review:',
        '  clusters/team-b/shop/values/welcome.yaml:2 message names web',
        '  clusters/team-a/values holds for the model, and not in the other namespace',
        'Next: stackmason check',
        '',
      ].join('\n'),
    })
    expect(await readFile(join(cwd, 'clusters/team-b/shop/values/welcome.yaml'), 'utf8')).toBe(
      '# for people\nmessage: The web cluster # greets\n',
    )
    const text = (name: string): Promise<string> => readFile(join(cwd, 'clusters', name, 'cluster.yaml'), 'utf8')
    expect(await text('team-b/shop')).toBe(
      (await text('team-a/web'))
        .replace('name: web', 'name: shop')
        .replace('namespace: team-a', 'namespace: team-b')
        .replace('10.1.0.0/16', '10.2.0.0/16'),
    )
    expect((await run('render', '-q')).status).toBe(0)
    expect(await run('check')).toMatchObject({ status: 0 })
  })

  test('like another one whose files are links: what they lead to is copied', async () => {
    const { cwd, run } = await emptyFleet()
    await run('new', 'stack', 'docker/mine')
    await run('new', 'cluster', 'team-a/web', '--class', 'docker-mine-1-34-v1', '--pods', '10.1.0.0/16')
    await write(join(cwd, 'shared/values/welcome.yaml'), 'message: hello\n')
    await rename(join(cwd, 'clusters/team-a/web/cluster.yaml'), join(cwd, 'shared/cluster.yaml'))
    await symlink('../../../shared/cluster.yaml', join(cwd, 'clusters/team-a/web/cluster.yaml'))
    await symlink('../../../shared/values', join(cwd, 'clusters/team-a/web/values'))
    // one that leads back has no end
    await write(join(cwd, 'clusters/team-a/web/notes/a.md'), 'of people')
    await symlink('..', join(cwd, 'clusters/team-a/web/notes/again'))
    expect(await run('new', 'cluster', 'team-a/two', '--like', 'web', '--pods', '10.2.0.0/16')).toMatchObject({
      status: 0,
      stdout:
        'Wrote:\n  clusters/team-a/two/cluster.yaml\n  clusters/team-a/two/notes/a.md\n  clusters/team-a/two/values/welcome.yaml\nNext: stackmason check\n',
    })
    expect(await readFile(join(cwd, 'clusters/team-a/two/values/welcome.yaml'), 'utf8')).toBe('message: hello\n')
    const folder = await tempFolder()
    await write(join(folder, 'secret.txt'), 'hunter22')
    await symlink(join(folder, 'secret.txt'), join(cwd, 'clusters/team-a/web/notes.txt'))
    const refused = await run('new', 'cluster', 'team-a/three', '--like', 'web')
    expect(refused.status).not.toBe(0)
    expect(refused.stderr).toContain('clusters/team-a/web/notes.txt leads out of the fleet repository')
    expect(refused.stderr).not.toContain('hunter22')
  })

  test('every cluster of the example fleet can be copied', async () => {
    const cwd = await tempFolder()
    const fleet = join(packageFolder, 'examples/fleet')
    for (const like of ['team-a/web', 'team-a/edge', 'team-b/batch']) {
      const { status, stdout } = await runCli(
        ['new', 'cluster', 'team-c/copy', '--like', like, '--dry-run', '--fleet', fleet],
        { cwd },
      )
      expect([like, status]).toEqual([like, 0])
      expect(stdout).toContain('metadata:\n  name: copy\n  namespace: team-c\n')
      expect(stdout).not.toMatch(/^ {2}controlPlaneEndpoint:/m)
      expect(stdout).not.toContain('the file')
    }
  })

  test.each([
    { words: ['cluster', 'web'], want: 'a new cluster needs either --like or --class', status: 2 },
    { words: ['cluster', 'web', '--like', 'team-a/web'], want: '"web" names no cluster', status: 2 },
    {
      words: ['cluster', 'a/B', '--like', 'team-a/web'],
      want: '"B" is no name for a namespace or a cluster',
      status: 2,
    },
    {
      words: ['cluster', '../x', '--like', 'team-a/web'],
      want: '".." is no name for a namespace or a cluster',
      status: 2,
    },
    { words: ['cluster', 'a/b', '--like', 'team-a/weg'], want: 'the fleet has no cluster "team-a/weg"', status: 2 },
    {
      words: ['cluster', 'team-a/edge', '--like', 'team-a/web'],
      want: 'there is a cluster team-a/edge already',
      status: 1,
      code: 'INIT_FILE_EXISTS',
    },
    {
      words: ['cluster', 'a/b', '--like', 'team-a/web', '--pods', '10.0.0.0'],
      want: '--pods "10.0.0.0" is no range of addresses',
      status: 2,
    },
    {
      words: ['cluster', 'a/b', '--like', 'team-a/web', '--endpoint', 'http://x'],
      want: '--endpoint "http://x" is no host',
      status: 2,
    },
    { words: ['cluster', 'a/b', '--like', 'team-a/web', '--set', 'a=1'], want: '--set needs --class', status: 2 },
    {
      words: ['cluster', 'a/b', '--like', 'team-a/web', '--no-fleet'],
      want: '--no-fleet is for a new stack',
      status: 2,
    },
    {
      words: ['cluster', 'a/b', '--class', 'docker-demo-1-34-v3', '--set', 'x=1'],
      want: 'docker-demo-1-34-v3 has no variable "x"',
      status: 2,
    },
    { words: ['stack', 'aws/x'], want: 'there is no template for "aws": begin with docker or openstack', status: 2 },
    { words: ['stack', 'docker/my-stack'], want: '"docker/my-stack" names no stack', status: 2 },
    { words: ['stack', 'docker/x', '-k', '1.34'], want: '--kubernetes "1.34" is no full version', status: 2 },
  ])('$status for $words', async ({ words, want, status, code = 'USAGE' }) => {
    const fleet = join(packageFolder, 'examples/fleet')
    const cwd = await tempFolder()
    const run = await runCli(['new', ...words, '--dry-run', '--fleet', fleet], { cwd })
    expect(run.stderr.split('\n')[0]?.replace(/(?<=FILE_EXISTS )\S+: /, '')).toBe(`error ${code} ${want}`)
    expect(run.status).toBe(status)
  })

  test("a folder without files is nobody's, and one with others is named", async () => {
    const cwd = await tempFolder()
    await runCli(['init'], { cwd })
    const add = async (name: string): Promise<readonly [number, string]> => {
      const { status, stderr } = await runCli(['new', 'cluster', name, '--like', 'team-a/web'], { cwd })
      return [status, (stderr.split('\n')[0] ?? '').replace(/(?<=FILE_EXISTS )\S+: /, '')]
    }
    await mkdir(join(cwd, 'clusters/team-a/empty'))
    expect((await add('team-a/empty'))[0]).toBe(0)
    await write(join(cwd, 'clusters/team-a/notes/notes.md'), 'of somebody\n')
    expect(await add('team-a/notes')).toEqual([
      1,
      'error INIT_FILE_EXISTS the folder of cluster team-a/notes has files already, and no cluster.yaml',
    ])
  })
})
