import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Ports } from '../../src/model/ports.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'

type Tree = Readonly<Record<string, string>>

async function write(files: Tree): Promise<string> {
  const folder = await tempFolder()
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}

function cluster(className: string): string {
  return `apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nspec:\n  topology:\n    class: ${className}\n`
}

function stack(namespace: string, name: string, versions: readonly string[] = []): string {
  const spec = `provider: docker\n  name: scs\n  kubernetesVersion: "1.34"\n  versions: [${versions.join(', ')}]`
  return `kind: ClusterStack\nmetadata:\n  name: ${name}\n  namespace: ${namespace}\nspec:\n  ${spec}\n`
}

const fleet: Tree = {
  'stackmason.yaml': 'kind: Fleet\nspec:\n  sources:\n    - name: registry\n    - name: disk\n',
  'clusters/team-a/web/cluster.yaml': cluster('docker-scs-1-34-v2'),
  'clusters/team-a/edge/cluster.yaml': cluster('docker-scs-1-34-v0-sha.abc'),
  'clusters/team-b/web/cluster.yaml': cluster('nothing'),
  'clusters/team-b/unfinished/notes.txt': '',
  'clusters/values/cni.yaml': '{}',
  'stacks/a.yaml': `${stack('platform', 'scs-1-34', ['v3', 'v0-git.1'])}---\n${stack('lab', 'scs-1-34')}`,
  'deep/below/x': '',
}

const ports: Ports = {
  ...createNodePorts(),
  http: { exchange: () => Promise.reject(new Error('the network was asked')) },
}

async function offered(folder: string, words: readonly string[]): Promise<readonly string[]> {
  const { status, stdout, stderr } = await runCli(['__complete', ...words], { cwd: folder, ports })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.split('\n').slice(0, -1)
}

describe('names of a fleet, for a shell', () => {
  test.each([
    { words: ['clusters'], want: ['team-a/edge', 'team-a/web', 'team-b/web'] },
    {
      words: ['clusters', '--', 'stackmason', 'render', '--cluster', ''],
      want: ['team-a/edge', 'team-a/web', 'team-b/web'],
    },
    { words: ['clusters', '--', 'stackmason', 'render', '--cluster', 'team-b'], want: ['team-b/web'] },
    { words: ['clusters', '--', 'stackmason', 'render', '--cluster', 'w'], want: ['web'] },
    { words: ['clusters', '--', 'stackmason', 'render', '--cluster=e'], want: ['edge'] },
    {
      words: ['clusters', '--', 'stackmason', 'render', '--cluster', '='],
      want: ['team-a/edge', 'team-a/web', 'team-b/web'],
    },
    { words: ['clusters', '--', 'stackmason', 'render', '--cluster', '=', 'e'], want: ['edge'] },
    { words: ['clusters', '--', 'stackmason', 'render', '--cluster', 'x'], want: [] },
    { words: ['stacks'], want: ['lab/scs-1-34', 'platform/scs-1-34'] },
    { words: ['stacks', '--', 's'], want: ['scs-1-34'] },
    {
      words: ['releases'],
      want: ['docker-scs-1-34-v0-git-1', 'docker-scs-1-34-v0-sha-abc', 'docker-scs-1-34-v2', 'docker-scs-1-34-v3'],
    },
    {
      words: ['classes', '--', 'stackmason', 'variables', 'docker-scs-1-34-v2'],
      want: ['docker-scs-1-34-v2'],
    },
    { words: ['classes', '--', 'team-b'], want: ['team-b/web'] },
    { words: ['classes', '--', 'e'], want: ['edge'] },
    { words: ['sources'], want: ['disk', 'registry'] },
    { words: ['sources', '--', 'r'], want: ['registry'] },
  ])('$words', async ({ words, want }) => {
    expect(await offered(await write(fleet), words)).toEqual(want)
  })

  test('releases are those of the lock, where there is one, and those that ClusterStacks list', async () => {
    const locked = await write({ ...fleet, 'stackmason.lock': 'releases:\n  - name: docker-scs-1-33-v9\n' })
    const want = ['docker-scs-1-33-v9', 'docker-scs-1-34-v0-git-1', 'docker-scs-1-34-v3']
    expect(await offered(locked, ['releases'])).toEqual(want)
  })

  test('the fleet is found above the working folder, or where --fleet says', async () => {
    const folder = await write(fleet)
    const below = await offered(join(folder, 'deep/below'), ['sources'])
    const elsewhere = await tempFolder()
    const named = [['--fleet', folder], [`--fleet=${folder}`], ['--fleet', '=', folder]].map((option) =>
      offered(elsewhere, ['sources', '--', 'stackmason', 'list', ...option, '--source', '']),
    )
    for (const names of [below, ...(await Promise.all(named))]) expect(names).toEqual(['disk', 'registry'])
    expect(await offered(elsewhere, ['sources'])).toEqual([])
    expect(await offered(elsewhere, ['sources', '--', '--fleet', '/no/such', ''])).toEqual([])
  })

  test('what is broken or would mean something to a shell is left out', async () => {
    const broken = await write({
      ...fleet,
      'stackmason.yaml':
        'spec:\n  sources:\n    - name: good\n    - name: "$(rm -rf ~)"\n    - name: "a\\nb"\n    - 7\n',
      'stackmason.lock': '<<<<<<< HEAD\n:\n',
      'stacks/b.yaml': '{[',
      'stacks/c.yaml': '',
      'clusters/team-a/-x; reboot/cluster.yaml': '',
    })
    await mkdir(join(broken, 'clusters/team-c/folder/cluster.yaml'), { recursive: true })
    await symlink('/', join(broken, 'clusters/outside'))
    expect(await offered(broken, ['sources'])).toEqual(['good'])
    expect(await offered(broken, ['clusters'])).toEqual(['team-a/edge', 'team-a/web', 'team-b/web'])
    expect(await offered(broken, ['stacks'])).toEqual(['lab/scs-1-34', 'platform/scs-1-34'])
    expect(await offered(broken, ['releases'])).toEqual(['docker-scs-1-34-v0-git-1', 'docker-scs-1-34-v3'])
  })

  test.each(['clusters', 'stacks', 'releases', 'sources'])('%s of an empty fleet', async (kind) => {
    expect(await offered(await write({ 'stackmason.yaml': '' }), [kind])).toEqual([])
  })

  test('no help names the command, and another kind is wrong usage', async () => {
    const { stdout } = await runCli(['--help'])
    expect(stdout).not.toContain('__complete')
    expect((await runCli(['__complete', 'secrets'])).status).toBe(2)
    expect(await offered(packageFolder, ['clusters', '--', '--fleet', 'examples/fleet', 'team-b'])).toEqual([
      'team-b/batch',
    ])
  })
})
