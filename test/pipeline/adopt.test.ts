import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { runCli, type CliRun } from '../cli/run-cli.ts'
import { tempFolder, tempFolderForFile } from '../support/temp-folder.ts'
import { operatorPlace, type OperatorPlace } from './operator-export.ts'

let place: OperatorPlace

beforeAll(async () => {
  place = await operatorPlace(tempFolderForFile())
  await runCli(['adopt', place.management, '--out', 'fleet', '--directory', 'releases'], { cwd: place.folder })
}, 60_000)

async function treeOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(
      files.toSorted().map(async (path) => [path.slice(folder.length + 1), await readFile(path, 'utf8')] as const),
    ),
  )
}

/** Compares with what runs, some of it changed. */
async function compare(
  changes: Readonly<Record<string, (text: string) => string>>,
  more: readonly string[] = [],
): Promise<CliRun> {
  const folder = await tempFolder()
  const words: string[] = []
  for (const [where, file] of place.live) {
    const text = await readFile(file, 'utf8')
    const path = join(folder, `${where.replace('/', '-')}live.yaml`)
    const change = changes[where]
    const changed = change === undefined ? text : change(text)
    if (change !== undefined && changed === text) throw new Error(`nothing was changed in ${where}`)
    await writeFile(path, changed)
    words.push('--compare', where === '' ? path : `${where}=${path}`)
  }
  return runCli(['adopt', ...words, ...more], { cwd: join(place.folder, 'fleet') })
}

const footer =
  'Not compared: labels, annotations and fields that say who applies an object (clusterstack.x-k8s.io/instance, marks of Flux and Argo CD, managedFields).\n'

describe('adopt', () => {
  test('writes the fleet repository that the operator runs', async () => {
    const { '.gitattributes': attributes, '.gitignore': ignore, ...files } = await treeOf(join(place.folder, 'fleet'))
    expect(ignore).toContain('.stackmason/')
    expect(attributes).toContain('stackmason.lock')
    await expect(
      Object.entries(files)
        .map(([path, text]) => `# === ${path}\n${text}`)
        .join('')
        .replace(/requiredVersion: ~\d+\.\d+\.\d+\S*/, 'requiredVersion: ~VERSION'),
    ).toMatchFileSnapshot('../golden/adopt/fleet.yaml')
  })

  test('what it renders to differs in nothing from what runs', async () => {
    expect(await compare({})).toEqual({
      status: 0,
      stdout: [
        'management cluster: 12 objects compared, nothing would change',
        'team-a/web: 8 objects compared, nothing would change',
        'team-b/batch: 1 object compared, nothing would change',
        footer,
      ].join('\n'),
      stderr: '',
    })
  })

  test('a fleet for Flux does not differ either', async () => {
    const file = join(place.folder, 'fleet/stackmason.yaml')
    const before = await readFile(file, 'utf8')
    await writeFile(
      file,
      before.replace('spec:\n', 'spec:\n  handoff:\n    flux:\n      source: {kind: GitRepository, name: fleet}\n'),
    )
    const { status, stdout } = await compare({})
    await writeFile(file, before)
    expect({ status, changes: stdout.split('\n').filter((line) => line.includes('would')) }).toEqual({
      status: 0,
      changes: [
        'management cluster: 12 objects compared, nothing would change',
        'team-a/web: 8 objects compared, nothing would change',
        'team-b/batch: 1 object compared, nothing would change',
      ],
    })
  })

  test.each([
    {
      name: 'a field with another value',
      changes: { 'team-a/web': (text: string) => text.replace(/image: (\S+)/, 'image: registry.example.com/other:v9') },
      want: /\.image is "registry\.example\.com\/other:v9", and would become "/,
    },
    {
      name: 'a field that is not there',
      changes: { '': (text: string) => text.replace(/\n +environment: production/, '') },
      want: /Cluster team-a\/web\n {4}metadata\.labels\.environment would be added as "production"/,
    },
    {
      name: 'an object that is not there',
      changes: { 'team-b/batch': (text: string) => text.replace(/kind: ConfigMap/, 'kind: OtherMap') },
      want: /ConfigMap \S+\n {4}is not in the files: it would be made/,
    },
    {
      name: 'an object of another version',
      changes: {
        '': (text: string) =>
          text.replace(/cluster\.x-k8s\.io\/v1beta1\n(\s+kind: Cluster\n)/, 'cluster.x-k8s.io/v1beta2\n$1'),
      },
      want: /Cluster team-b\/batch\n {4}apiVersion was exported as cluster\.x-k8s\.io\/v1beta2; export it with `kubectl get Cluster\.v1beta1\.cluster\.x-k8s\.io`/,
    },
  ])('finds $name', async ({ changes, want }) => {
    const { status, stdout, stderr } = await compare(changes)
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
    expect(stdout).toMatch(want)
    expect(stdout.split('\n').filter((line) => line.includes('1 object would change'))).toHaveLength(1)
  })

  test('names what the operator applied and nothing renders', async () => {
    const { status, stdout } = await compare({
      'team-b/batch': (text) =>
        `${text}---\napiVersion: v1\nkind: Secret\nmetadata: {name: old, namespace: kube-system, labels: {clusterstack.x-k8s.io/instance: owned}}\n`,
    })
    expect(status).toBe(0)
    expect(stdout).toContain(
      '  applied by the operator, rendered by nothing; they stay as they are:\n    Secret kube-system/old\n',
    )
  })

  test('says which clusters were not compared, and refuses those that the fleet does not have', async () => {
    const cwd = join(place.folder, 'fleet')
    const file = place.live.get('team-a/web') ?? ''
    const one = await runCli(['adopt', '--compare', `team-a/web=${file}`], { cwd })
    expect(one.stdout).toContain('not compared, no objects given: management cluster, team-b/batch\n')
    const other = await runCli(['adopt', '--compare', `team-a/wob=${file}`], { cwd })
    expect(other.status).toBe(1)
    expect(other.stderr).toContain(
      'error ADOPT_INPUT_INVALID the fleet has no cluster team-a/wob\n  → Did you mean team-a/web?\n',
    )
    const far = await runCli(['adopt', '--compare', `x/none=${file}`], { cwd })
    expect(far.stderr).toContain(
      '  → It has: team-a/web, team-b/batch. Write the files of workload clusters as <namespace>/<cluster>=<file>.\n',
    )
  })

  test('never overwrites a file', async () => {
    const before = await treeOf(join(place.folder, 'fleet'))
    const { status, stdout, stderr } = await runCli(
      ['adopt', place.management, '--out', 'fleet', '--directory', 'releases'],
      {
        cwd: place.folder,
      },
    )
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr.match(/ADOPT_FILE_EXISTS \S+/g)).toEqual([
      'ADOPT_FILE_EXISTS fleet/stackmason.yaml:',
      'ADOPT_FILE_EXISTS fleet/stacks/classic-1-33.yaml:',
      'ADOPT_FILE_EXISTS fleet/stacks/demo-1-34.yaml:',
      'ADOPT_FILE_EXISTS fleet/clusters/team-a/web/cluster.yaml:',
      'ADOPT_FILE_EXISTS fleet/clusters/team-b/batch/cluster.yaml:',
    ])
    expect(await treeOf(join(place.folder, 'fleet'))).toEqual(before)
  })

  test('takes a folder of files, and gives the same in whatever order', async () => {
    const cwd = await tempFolder()
    await mkdir(join(cwd, 'export'))
    const text = await readFile(place.management, 'utf8')
    const [head = '', ...items] = text.split(/^- (?=apiVersion)/m)
    const [last = '', ...rest] = items.toReversed()
    const [end = '', kind = ''] = last.split(/^(?=kind: List)/m)
    await writeFile(join(cwd, 'export/a.yml'), `${head}${[end, ...rest].map((item) => `- ${item}`).join('')}${kind}`)
    await writeFile(join(cwd, 'export/readme.txt'), 'not read')
    const { status } = await runCli(
      ['adopt', 'export', '--out', 'fleet', '--directory', join(place.folder, 'releases')],
      { cwd },
    )
    expect(status).toBe(0)
    const [want, got] = [await treeOf(join(place.folder, 'fleet')), await treeOf(join(cwd, 'fleet'))]
    expect({ ...got, 'stackmason.yaml': '' }).toEqual({ ...want, 'stackmason.yaml': '' })
  })

  test("takes the source from options, else from the operator's variables, and marks it when nothing says it", async () => {
    const ports = createNodePorts()
    const sourceFor = async (
      words: readonly string[],
      variables: Readonly<Record<string, string>> = {},
    ): Promise<{ readonly source: string; readonly isUnknown: boolean }> => {
      const out = await tempFolder()
      const environment = { get: (name: string) => variables[name] }
      const { stdout, stderr } = await runCli(['adopt', place.management, '--out', join(out, 'fleet'), ...words], {
        ports: { ...ports, environment },
      })
      const text = await readFile(join(out, 'fleet/stackmason.yaml'), 'utf8')
      expect(/^(\d+) things to settle/m.exec(stdout)?.[1]).toBe(stderr.includes('ADOPT_SOURCE_UNKNOWN') ? '4' : '3')
      expect(/^Next: \w+/m.exec(stdout)?.[0]).toBe(stderr.includes('ADOPT_SOURCE_UNKNOWN') ? 'Next: name' : 'Next: cd')
      return {
        source: text.slice(text.indexOf('sources:')),
        isUnknown: stderr.includes('warning ADOPT_SOURCE_UNKNOWN '),
      }
    }
    const oci = 'sources:\n  - name: releases\n    oci:\n      repository: registry.example.com/kaas/stacks\n'
    const github = 'sources:\n  - github:\n      owner: example\n      repository: stacks\n    name: releases\n'
    const git = { GIT_ORG_NAME: 'example', GIT_REPOSITORY_NAME: 'stacks' }
    expect(await sourceFor(['--oci', 'oci://registry.example.com/kaas/stacks'], git)).toEqual({
      source: oci,
      isUnknown: false,
    })
    expect(await sourceFor(['--github', 'example/stacks'])).toEqual({ source: github, isUnknown: false })
    expect(await sourceFor([], { OCI_REGISTRY: 'registry.example.com', OCI_REPOSITORY: 'kaas/stacks' })).toEqual({
      source: oci,
      isUnknown: false,
    })
    expect(await sourceFor([], git)).toEqual({ source: github, isUnknown: false })
    const placeholder = oci.replace('registry.example.com/kaas/stacks', 'registry.invalid/replace-me/cluster-stacks')
    expect(await sourceFor([])).toEqual({ source: placeholder, isUnknown: true })
  })

  test('refuses Secrets of a cluster that no file has, and writes nothing', async () => {
    const cwd = await tempFolder()
    const secrets = join(cwd, 'secrets.yaml')
    await writeFile(secrets, 'apiVersion: v1\nkind: Secret\nmetadata: {name: one, namespace: default}\n')
    const words = ['adopt', place.management, `team-a/wob=${secrets}`, '--out', 'fleet', '--directory', 'releases']
    const { status, stderr } = await runCli(words, { cwd })
    expect(status).toBe(1)
    expect(stderr).toBe(
      `error ADOPT_INPUT_INVALID the files of the management cluster hold no Cluster team-a/wob
  → Write the file of a workload cluster as <namespace>/<cluster>=<file>. They hold team-a/web, team-b/batch.
`,
    )
    expect(await readdir(cwd)).toEqual(['secrets.yaml'])
  })

  test.each([
    { directory: 'releases', what: 'is not there' },
    { directory: 'file', what: 'is not a folder' },
  ])('refuses a folder of releases that $what, and writes nothing', async ({ directory, what }) => {
    const cwd = await tempFolder()
    await writeFile(join(cwd, 'file'), '')
    const words = ['adopt', place.management, '--out', 'fleet', '--directory', directory]
    expect(await runCli(words, { cwd })).toEqual({
      status: 1,
      stdout: '',
      stderr: `error ADOPT_INPUT_INVALID ${directory}: the folder of --directory ${what}
  → Name the folder that holds the releases, one folder each.
`,
    })
    expect(await readdir(cwd)).toEqual(['file'])
  })

  test('writes nothing when there is nothing to take', async () => {
    const cwd = await tempFolder()
    await writeFile(join(cwd, 'pods.yaml'), 'apiVersion: v1\nkind: Pod\nmetadata: {name: one}\n')
    const { status, stderr } = await runCli(['adopt', 'pods.yaml', '--out', 'fleet'], { cwd })
    expect(status).toBe(1)
    expect(stderr).toContain(
      'error ADOPT_INPUT_INVALID the files hold no ClusterStack and no Cluster that could be taken over\n',
    )
    expect(await readdir(cwd)).toEqual(['pods.yaml'])
  })

  test('counts a running cluster without its ClusterStack, and a source without a name, among the things to settle', async () => {
    const cwd = await tempFolder()
    const cluster = (name: string): string =>
      `apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: ${name}, namespace: team-a}\nspec: {topology: {class: docker-${name}-1-34-v3, version: v1.34.7}}\n`
    const stack = `apiVersion: clusterstack.x-k8s.io/v1alpha1\nkind: ClusterStack\nmetadata: {name: other, namespace: team-a}\nspec: {provider: docker, name: other, kubernetesVersion: "1.34", versions: [v1]}\n`
    const left =
      'ADOPT_NOT_READY web.yaml: Cluster team-a/web: it was left out: no ClusterStack in namespace team-a offers its class\n'
    await writeFile(join(cwd, 'web.yaml'), cluster('web'))
    const alone = await runCli(['adopt', 'web.yaml', '--out', 'fleet'], { cwd })
    expect({ status: alone.status, isTold: alone.stderr.includes(left) }).toEqual({ status: 1, isTold: true })
    await writeFile(join(cwd, 'web.yaml'), `${cluster('web')}---\n${stack}`)
    const { status, stdout, stderr } = await runCli(['adopt', 'web.yaml', '--out', 'fleet'], { cwd })
    expect({ status, isTold: stderr.includes(left) }).toEqual({ status: 0, isTold: true })
    expect(stdout).toContain('\n2 things to settle before moving; see below.\n')
  })
})
