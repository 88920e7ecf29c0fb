import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseArguments } from '../../src/cli/arguments/parse-arguments.ts'
import { readOptions } from '../../src/cli/controller-command/options.ts'
import { controllerSpec } from '../../src/cli/controller-command/spec.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

describe('stackmason controller run --concurrency', () => {
  test.each([
    { words: [], want: 4 },
    { words: ['--concurrency', '7'], want: 7 },
    { words: ['--concurrency=RuntimeValues=8', '--concurrency', '2'], want: 8, others: 2 },
  ])('$words', ({ words, want, others = want }) => {
    const parsed = parseArguments(['run', ...words], controllerSpec)
    expect(readOptions(parsed).concurrency).toEqual({
      RuntimeValues: want,
      NodeImageGate: others,
      StorageMigration: others,
    })
  })

  test.each(['0', 'many', '100000', 'Cluster=2', 'RuntimeValues=', '=2', 'constructor=2'])(
    'refuses %j',
    async (text) => {
      const { status, stdout, stderr } = await runCli(['controller', 'run', '--concurrency', text])
      expect([status, stdout]).toEqual([2, ''])
      expect(stderr).toContain(
        `option --concurrency takes a number from 1, or such as RuntimeValues=8, NodeImageGate=8 or StorageMigration=8, not ${JSON.stringify(text)}`,
      )
    },
  )
})

test.each([
  { words: [], want: 60_000 },
  { words: ['--migration-settle', '5s'], want: 5000 },
])(
  'stackmason controller run $words waits for API servers longer than a write may last, if not told otherwise',
  (row) => {
    const { words, want } = row
    expect(readOptions(parseArguments(['run', ...words], controllerSpec)).storageMigration.settle).toBe(want)
  },
)

describe('stackmason controller manifests', () => {
  const image = 'registry.example.com:5000/stackmason:1.2.3'

  test.each([
    [[], 'manifests needs --image IMAGE'],
    [['--image', 'stackmason'], '--image needs a tag or a digest'],
    [['--image', 'host:5000/stackmason'], '--image needs a tag or a digest'],
    [['--image', 'a b:1'], 'option --image takes the name of an image, not "a b:1"'],
    [['--image', image, '--no-lease'], '--no-lease is an option of run'],
    [['--image', image, '--kubeconfig', 'a'], '--kubeconfig is an option of run'],
    [['--image', image, '--replicas', '0'], 'option --replicas takes a number from 1 to 9, not "0"'],
    [['--image', image, '--source', 'clusters'], 'option --source takes RESOURCE.GROUP, not "clusters"'],
    [['--image', image, '--kind', 'NodeImageGate', '--source', 'a.b.c'], '--source is for --kind RuntimeValues'],
    [['--image', image, '--kind', 'NodeImageGate', '--migrate', 'a.b.c'], '--migrate is for --kind StorageMigration'],
    [['--image', image, '--shard', 'EU_1'], 'option --shard takes lower case letters, digits and dashes'],
    [['--image', image, '--log-level', 'loud'], 'loud'],
  ])('refuses %j', async (words, want) => {
    const { status, stdout, stderr } = await runCli(['controller', 'manifests', ...words])
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(want)
  })

  test('says nothing of a variable that it refuses', async () => {
    const { status, stderr } = await runCli(['controller', 'manifests', '--image', image, '--env', 'hunter2'])
    expect(status).toBe(2)
    expect(stderr).toContain('option --env takes NAME=VALUE')
    expect(stderr).not.toContain('hunter2')
  })

  test('are no options of run', async () => {
    const { status, stderr } = await runCli(['controller', 'run', '--image', image])
    expect(status).toBe(2)
    expect(stderr).toContain('--image is an option of manifests')
  })

  test('definitions are also written alone, and take no options', async () => {
    const { status, stdout } = await runCli(['controller', 'definitions'])
    expect(status).toBe(0)
    const kinds = ['nodeimagegates', 'runtimevalues', 'storagemigrations']
    expect(Array.from(stdout.matchAll(/^  name: (\S+)$/gm), ([, name]) => name)).toEqual(
      kinds.map((name) => `${name}.stackmason.dev`),
    )
    const all = await runCli(['controller', 'manifests', '--image', image])
    for (const text of stdout.split('---\n')) expect(all.stdout).toContain(text)
    const refused = await runCli(['controller', 'definitions', '--out', 'a', '--kind', 'RuntimeValues'])
    expect([refused.status, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toContain('--kind is no option of definitions')
    expect(refused.stderr).toContain('--out is no option of definitions')
  })

  test('writes one text, or the same as files', async () => {
    const words = [
      'controller',
      'manifests',
      '--image',
      image,
      '--env',
      'HTTPS_PROXY=http://proxy.example.com:3128',
      '--qps',
      '20',
    ]
    const { status, stdout } = await runCli(words)
    expect(status).toBe(0)
    expect(stdout).toContain(`image: ${image}\n`)
    expect(stdout).toContain('- --qps=20\n')
    expect(stdout.match(/^kind: CustomResourceDefinition$/gm)).toHaveLength(3)
    const folder = tempFolderForFile()
    const written = await runCli([...words, '--out', folder])
    const names = [
      'nodeimagegates.yaml',
      'runtimevalues.yaml',
      'storagemigrations.yaml',
      'namespace.yaml',
      'rbac.yaml',
      'controller.yaml',
    ]
    expect(written.stdout).toBe([...names, 'kustomization.yaml'].map((name) => `${join(folder, name)}\n`).join(''))
    expect(names.map((name) => readFileSync(join(folder, name), 'utf8')).join('---\n')).toBe(stdout)
    expect(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')).toContain(
      `resources:\n${names.map((name) => `  - ${name}\n`).join('')}patches:\n`,
    )
  })
})

describe('stackmason controller run --metrics-address', () => {
  test.each([
    [
      ['--metrics-address', '9441'],
      'option --metrics-address takes an address such as :9440 or 127.0.0.1:9440, not "9441"',
    ],
    [
      ['--metrics-address', ':9441', '--metrics-tls-key', 'a'],
      '--metrics-tls-cert and --metrics-tls-key belong together',
    ],
    [
      ['--metrics-tls-cert', 'a', '--metrics-tls-key', 'b'],
      '--metrics-tls-cert is for --metrics-address, which is not given',
    ],
  ])('refuses %j', async (words, want) => {
    const { status, stderr } = await runCli(['controller', 'run', ...words])
    expect(status).toBe(2)
    expect(stderr).toContain(want)
  })
})

describe('stackmason controller run --health-address', () => {
  test.each(['9440', 'localhost', ':65536', ':port', '[::1', 'a b:1', ''])('refuses %j', async (text) => {
    const { status, stdout, stderr } = await runCli(['controller', 'run', `--health-address=${text}`])
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(
      `option --health-address takes an address such as :9440 or 127.0.0.1:9440, not ${JSON.stringify(text)}`,
    )
  })

  test.each([':9440', 'localhost:0', '127.0.0.1:65535', '[::1]:9440'])('takes %j', async (text) => {
    const { status, stderr } = await runCli(['controller', 'run', '--health-address', text, '--kubeconfig', 'none'])
    expect(status).toBe(2)
    expect(stderr).toContain('CONTROLLER_FAILED')
  })
})
