import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { gitTestEnvironment } from '../../tools/servers/git-server.ts'
import { fieldOf } from '../../tools/servers/kube-client.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'

const objectsOf = (text: string): readonly unknown[] =>
  parseAllDocuments(text).map((document) => document.toJS() as unknown)

/** Where the fleet file and objects for a GitOps tool look for the tree and the controller. */
function pathsOf(object: unknown): readonly unknown[] {
  return ['spec.path', 'spec.source.path', 'spec.handoff.flux.path', 'spec.handoff.argocd.path']
    .map((path) => fieldOf(object, path))
    .filter((path) => path !== undefined)
}

/** The first YAML block of a page that holds `marker`. */
async function snippet(page: string, marker: string): Promise<string> {
  const text = await readFile(join(packageFolder, 'docs', page), 'utf8')
  const blocks = Array.from(text.matchAll(/^( *)```yaml\n(.*?)^ *```/gms), ([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )
  return blocks.find((block) => block.includes(marker)) ?? ''
}

const other =
  'If the management cluster has a fleet already, begin again with --name NAME: the objects of both would be called fleet.'

describe('stackmason init --name', () => {
  const identityOf = (object: unknown): unknown => {
    const { kind, metadata } = object as { readonly kind: string; readonly metadata: Readonly<Record<string, unknown>> }
    return [kind, metadata['namespace'], metadata['name']]
  }

  test.each(['flux', 'argocd'])('%s: two fleets share no object', async (engine) => {
    const cwd = await tempFolder()
    const seen: string[] = []
    for (const name of [undefined, 'blue', 'true']) {
      const folder = name ?? 'fleet'
      const words = ['init', folder, '--engine', engine, ...(name === undefined ? [] : ['--name', name])]
      const { status, stdout } = await runCli(words, { cwd })
      expect([status, stdout.includes(other)]).toEqual([0, name === undefined])
      const texts = await Promise.all(
        ['stackmason.yaml', `bootstrap/${engine}.yaml`].map((file) => readFile(join(cwd, folder, file), 'utf8')),
      )
      expect(texts.map((text) => text.split('name: fleet').length - 1)).toEqual(
        name !== undefined ? [0, 0] : engine === 'flux' ? [2, 4] : [1, 1],
      )
      const [fleet, ...objects] = texts.flatMap(objectsOf)
      expect(fleet).toMatchObject({ metadata: { name: folder } })
      seen.push(...objects.map((object) => JSON.stringify(identityOf(object))))
      expect((await runCli(['render', '-q'], { cwd: join(cwd, folder) })).stderr).toBe('')
      const projects = (await readdir(join(cwd, folder, 'rendered/handoff'))).filter((file) =>
        /^appproject-[^.]+\.yaml$/.test(file),
      )
      expect(projects).toEqual(engine === 'flux' ? [] : [`appproject-${name ?? 'handoff'}.yaml`])
    }
    expect(new Set(seen).size).toBe(seen.length)
  })

  test('names what the controller follows, too', async () => {
    const cwd = await tempFolder()
    await runCli(['init', '--name', 'blue', '--engine', 'flux', '--controller-image', 'r.example/a:1'], { cwd })
    const objects = objectsOf(await readFile(join(cwd, 'bootstrap/flux.yaml'), 'utf8'))
    expect(objects).toMatchObject([
      { metadata: { name: 'blue' } },
      { metadata: { name: 'blue' }, spec: { sourceRef: { name: 'blue' } } },
      { metadata: { name: 'stackmason-controller' }, spec: { sourceRef: { name: 'blue' } } },
    ])
  })

  const taken = (name: string, engine: string): string =>
    `--name ${name} is taken: with --engine ${engine} something else has that name`
  const form =
    '--name takes the name of a fleet: a-z, 0-9 and -, first and last a letter or digit, 63 characters at most'
  test.each([
    { words: ['--name', 'Blue'], want: form },
    { words: ['--name', 'a.b'], want: form },
    { words: ['--name', 'a'.repeat(64)], want: form },
    { words: ['--name', 'flux-system', '--engine', 'flux'], want: taken('flux-system', 'flux') },
    { words: ['--name', 'default', '--engine', 'argocd'], want: taken('default', 'argocd') },
  ])('2 for $words', async ({ words, want }) => {
    const cwd = await tempFolder()
    const { status, stderr } = await runCli(['init', ...words], { cwd })
    expect([status, stderr.split('\n')[0], await readdir(cwd)]).toEqual([2, `error USAGE ${want}`, []])
  })
})

describe('stackmason init --engine', () => {
  test.each([
    {
      engine: 'flux',
      repository: 'ssh://git@git.example.org:2222/team/my-fleet.git',
      page: '15-flux.md',
      marker: 'kind: GitRepository\nmetadata',
    },
    {
      engine: 'argocd',
      repository: 'git@git.example.org:team/my-fleet.git',
      page: '18-argocd.md',
      marker: 'kind: Application\n',
    },
  ])('$engine: a tree that is applied, and what applies it', async ({ engine, repository, page, marker }) => {
    const cwd = await tempFolder()
    const { status, stdout } = await runCli(['init', 'f', '--engine', engine, '--repository', repository], { cwd })
    const name = engine === 'flux' ? 'Flux' : 'Argo CD'
    expect([status, stdout.split('\n').slice(-4)]).toEqual([
      0,
      [
        `Next: cd f && stackmason render`,
        `Then commit and push; bootstrap/${engine}.yaml says how to point ${name} at it.`,
        other,
        '',
      ],
    ])
    const rendered = await runCli(['render', '-q'], { cwd: join(cwd, 'f') })
    expect([rendered.status, rendered.stderr]).toEqual([0, ''])
    const bootstrap = await readFile(join(cwd, `f/bootstrap/${engine}.yaml`), 'utf8')
    expect(bootstrap).toContain(`${engine === 'flux' ? '  url' : '    repoURL'}: ${repository}\n`)
    const inPage = (await snippet(page, marker)).replaceAll('https://git.example.com/fleet.git', repository)
    expect(objectsOf(bootstrap)).toEqual(objectsOf(inPage))
    await expect(readFile(join(cwd, 'f/rendered/handoff/kustomization.yaml'), 'utf8')).resolves.toContain('resources:')
    // Applications make their namespaces by themselves
    for (const namespace of ['platform', 'team-a'])
      expect(existsSync(join(cwd, `f/rendered/handoff/${namespace}/namespace-${namespace}.yaml`))).toBe(
        engine === 'flux',
      )
  })

  test.each([
    { engine: 'flux', name: 'Flux', files: ['bootstrap/flux.yaml'] },
    { engine: 'argocd', name: 'Argo CD', files: ['stackmason.yaml', 'bootstrap/argocd.yaml'] },
  ])('$engine: without --repository the address is the example, which is to be replaced', async (given) => {
    const { engine, name, files } = given
    const cwd = await tempFolder()
    const { status, stdout } = await runCli(['init', '--engine', engine], { cwd })
    expect([status, stdout.split('\n').slice(-5)]).toEqual([
      0,
      [
        `First write the address of your repository in place of https://git.example.com/fleet.git into ${files.join(' and ')}.`,
        'Next: stackmason render',
        `Then commit and push; bootstrap/${engine}.yaml says how to point ${name} at it.`,
        other,
        '',
      ],
    ])
    const all = await readdir(cwd, { recursive: true, withFileTypes: true })
    const texts = all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    const holding = await Promise.all(
      texts.map(async (file) => ((await readFile(file, 'utf8')).includes('git.example.com/fleet.git') ? [file] : [])),
    )
    expect(holding.flat().toSorted()).toEqual(files.map((file) => join(cwd, file)).toSorted())
  })

  test.each([
    {
      engine: 'flux',
      name: 'Flux',
      paths: ['rendered', 'rendered/handoff', 'bootstrap/controller'].map((path) => `./fleets/my blue/${path}`),
    },
    {
      engine: 'argocd',
      name: 'Argo CD',
      paths: ['rendered', 'rendered/handoff', 'bootstrap/controller'].map((path) => `fleets/my blue/${path}`),
    },
  ])('$engine: in a folder of a repository, paths count from its root', async ({ engine, name, paths }) => {
    const cwd = await tempFolder()
    execFileSync('git', ['init', '-q'], { cwd, env: gitTestEnvironment })
    const repository = 'https://git.example.org/all.git'
    const words = ['--engine', engine, '--repository', repository, '--controller-image', 'r.example/a:1']
    const { status, stdout } = await runCli(['init', 'fleets/my blue', ...words], { cwd })
    expect([status, stdout.split('\n').slice(-5)[0]]).toEqual([
      0,
      `The fleet lies in a folder of its git repository, so ${name} looks for the tree in "fleets/my blue/rendered", counted from the root.`,
    ])
    const folder = join(cwd, 'fleets/my blue')
    const texts = await Promise.all(
      ['stackmason.yaml', `bootstrap/${engine}.yaml`].map((file) => readFile(join(folder, file), 'utf8')),
    )
    expect(texts.flatMap(objectsOf).flatMap(pathsOf)).toEqual(paths)
    const rendered = await runCli(['render', '-q'], { cwd: folder })
    expect([rendered.status, rendered.stderr]).toEqual([0, ''])
    // at the root nothing changes
    const atRoot = await runCli(['init', '.', '--empty', '--engine', engine], { cwd })
    expect([atRoot.status, atRoot.stdout.includes('counted from the root')]).toEqual([0, false])
    expect(await readFile(join(cwd, `bootstrap/${engine}.yaml`), 'utf8')).toMatch(/path: (?:\.\/)?rendered\/handoff\n/)
  })

  test.each([
    { words: ['--controller-image', 'a/b:1'], want: '--controller-image needs --engine' },
    {
      words: ['--engine', 'flux', '--controller-image', 'a/b'],
      want: '--controller-image needs a tag or a digest: without, what runs changes by itself',
    },
    { words: ['--repository', 'https://git.example.com/a.git'], want: '--repository needs --engine' },
    {
      words: ['--engine', 'flux', '--repository', 'https://me:hunter2@git.example.com/a.git'],
      want: '--repository takes an address with https:// or ssh://, and without a password',
    },
    {
      words: ['--engine', 'flux', '--repository', 'git@git.example.com:a.git'],
      want: '--repository takes an address with https:// or ssh://, and without a password',
    },
    {
      words: ['--engine', 'argocd', '--repository', 'https://git.example.com/a.git # x: y'],
      want: '--repository takes an address with https://, ssh:// or user@host:path, and without a password',
    },
  ])('2 for $words', async ({ words, want }) => {
    const cwd = await tempFolder()
    const { status, stderr } = await runCli(['init', ...words], { cwd })
    expect([status, stderr.split('\n')[0]]).toEqual([2, `error USAGE ${want}`])
    expect(stderr).not.toContain('hunter2')
  })
})

test.each([
  { name: 'a link within the repository', link: 'repo/link', to: 'real', folder: 'repo/link/x' },
  { name: 'a link from outside', link: 'out', to: 'repo/real/x', folder: 'out' },
  { name: 'a link into another repository', link: 'other/link', to: '../repo/real', folder: 'other/link/x' },
])('the tool looks for the tree where git has it: $name', async ({ link, to, folder }) => {
  const cwd = await tempFolder()
  for (const name of ['repo', 'other']) execFileSync('git', ['init', '-q', name], { cwd, env: gitTestEnvironment })
  await mkdir(join(cwd, 'repo/real/x'), { recursive: true })
  await symlink(to, join(cwd, link))
  const { stdout } = await runCli(['init', folder, '--engine', 'flux'], { cwd })
  expect(stdout).toContain('looks for the tree in "real/x/rendered"')
  expect(await readFile(join(cwd, folder, 'bootstrap/flux.yaml'), 'utf8')).toContain(
    'path: "./real/x/rendered/handoff"\n',
  )
  const { status, stderr } = await runCli(['render', '-q'], { cwd: join(cwd, folder) })
  expect([status, stderr]).toEqual([0, ''])
})

test('the next command is one that a shell takes', async () => {
  const { stdout } = await runCli(['init', 'sp ace/x'], { cwd: await tempFolder() })
  expect(stdout).toContain("Next: cd 'sp ace/x' && stackmason render\n")
})

test.each(['flux', 'argocd'])(
  'a folder that %s cannot be pointed at is refused, and nothing is written',
  async (engine) => {
    const cwd = await tempFolder()
    execFileSync('git', ['init', '-q'], { cwd, env: gitTestEnvironment })
    const { status, stderr } = await runCli(['init', String.raw`back\slash`, '--engine', engine], { cwd })
    expect([status, stderr.split('\n')[0]]).toEqual([2, expect.stringContaining('has a backslash')])
    expect(await readdir(cwd)).toEqual(['.git'])
  },
)

test.each([
  { engine: 'flux', left: 'argocd' },
  { engine: 'argocd', left: 'flux' },
])('a link to nothing stops no run of $engine where only $left would read it', async ({ engine, left }) => {
  const cwd = await tempFolder()
  execFileSync('git', ['init', '-q'], { cwd, env: gitTestEnvironment })
  await runCli(['init', '--engine', engine], { cwd })
  await symlink('../gone.yaml', join(cwd, `bootstrap/${left}.yaml`))
  for (const run of ['first', 'second']) {
    const { status, stderr } = await runCli(['render', '-q'], { cwd })
    expect([run, status, stderr]).toEqual([run, 0, ''])
  }
})

describe('stackmason init --controller-image', () => {
  const image = 'registry.example.com/stackmason:1.2.3'

  test.each([
    { engine: 'flux', options: [] },
    { engine: 'argocd', options: ['--argocd-namespace', 'argocd'] },
  ])('$engine: the fleet holds what installs the controller', async ({ engine, options }) => {
    const cwd = await tempFolder()
    const repository = 'https://git.example.org/my-fleet.git'
    const words = ['init', 'f', '--engine', engine, '--repository', repository, '--controller-image', image]
    expect((await runCli(words, { cwd })).status).toBe(0)
    await runCli(['controller', 'manifests', '--image', image, ...options, '--out', 'same'], { cwd })
    const texts = async (folder: string): Promise<readonly (readonly [string, string])[]> =>
      Promise.all(
        (await readdir(folder))
          .toSorted()
          .map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
      )
    expect(await texts(join(cwd, 'f/bootstrap/controller'))).toEqual(await texts(join(cwd, 'same')))
    expect((await runCli(['render', '-q'], { cwd: join(cwd, 'f') })).stderr).toBe('')
    expect(await readFile(join(cwd, `f/bootstrap/${engine}.yaml`), 'utf8')).not.toContain('controller definitions')
  })

  test('Flux applies the definitions before the fleet, and waits for no pod', async () => {
    const cwd = await tempFolder()
    await runCli(['init', '--engine', 'flux', '--controller-image', image], { cwd })
    const objects = objectsOf(await readFile(join(cwd, 'bootstrap/flux.yaml'), 'utf8'))
    expect(objects).toMatchObject([
      { kind: 'GitRepository' },
      { metadata: { name: 'fleet' }, spec: { dependsOn: [{ name: 'stackmason-controller' }] } },
      { metadata: { name: 'stackmason-controller' }, spec: { path: './bootstrap/controller' } },
    ])
    expect(JSON.stringify(objects)).not.toContain('"wait"')
  })

  test('Argo CD has an Application for it', async () => {
    const cwd = await tempFolder()
    const repository = 'git@git.example.org:team/my-fleet.git'
    await runCli(['init', '--engine', 'argocd', '--repository', repository, '--controller-image', image], { cwd })
    const objects = objectsOf(await readFile(join(cwd, 'bootstrap/argocd.yaml'), 'utf8'))
    expect(objects).toMatchObject([
      { metadata: { name: 'fleet' } },
      {
        metadata: { name: 'stackmason-controller' },
        spec: { source: { repoURL: repository, path: 'bootstrap/controller' } },
      },
    ])
  })

  test('writes nothing where one of its files is there', async () => {
    const cwd = await tempFolder()
    await mkdir(join(cwd, 'bootstrap/controller'), { recursive: true })
    await writeFile(join(cwd, 'bootstrap/controller/rbac.yaml'), 'mine')
    const { status, stderr } = await runCli(['init', '--engine', 'flux', '--controller-image', image], { cwd })
    expect([status, stderr.split('\n')[0]]).toEqual([
      1,
      'error INIT_FILE_EXISTS bootstrap/controller/rbac.yaml: the file is there already',
    ])
    expect(existsSync(join(cwd, 'stackmason.yaml'))).toBe(false)
  })
})

test('stackmason init pins the version that renders the fleet, and other versions refuse', async () => {
  const cwd = await tempFolder()
  await runCli(['init', 'f'], { cwd })
  const file = join(cwd, 'f/stackmason.yaml')
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as { version: string }
  const text = await readFile(file, 'utf8')
  expect(text).toContain(`\n  requiredVersion: ~${version}\n`)
  expect((await runCli(['render', '-q'], { cwd: join(cwd, 'f') })).status).toBe(0)
  await writeFile(file, text.replace(`~${version}`, '~99.1.0'))
  const refused = await runCli(['render', '-q'], { cwd: join(cwd, 'f') })
  expect([refused.status, refused.stderr.split('\n')[0]]).toEqual([
    1,
    `error VERSION_REFUSED stackmason.yaml:13:20: this is stackmason ${version}, and the fleet requires ~99.1.0`,
  ])
  for (const words of [['version'], ['--version'], ['help'], ['completion', 'bash'], ['init', 'g']])
    expect([words, (await runCli(words, { cwd: join(cwd, 'f') })).status]).toEqual([words, 0])
})

describe('what is there already', () => {
  const kept = (path: string, ...lines: readonly string[]): string =>
    `Kept ${path} as it is. Add these lines to it:\n${lines.map((line) => `  ${line}\n`).join('')}`

  test.each([
    {
      name: 'nothing of ours',
      text: 'node_modules/\n',
      said: kept('.gitignore', '.stackmason/', '.stackmason.lock.*', '.release/'),
    },
    { name: 'a part', text: '# mine\n/.release\n  .stackmason.lock.*\n', said: kept('.gitignore', '.stackmason/') },
    { name: 'all of it', text: '.stackmason\n/.stackmason.lock.*\n/.release/\n', said: '' },
  ])('a .gitignore with $name is kept, and what it lacks is told', async ({ text, said }) => {
    const cwd = await tempFolder()
    await writeFile(join(cwd, '.gitignore'), text)
    const { status, stdout } = await runCli(['init', '--empty'], { cwd })
    expect([status, stdout]).toEqual([
      0,
      `Wrote a fleet repository to .:\n  .gitattributes\n  stackmason.yaml\n${said}Next: stackmason new stack PROVIDER/STACK, or a source in stackmason.yaml\n`,
    ])
    expect(await readFile(join(cwd, '.gitignore'), 'utf8')).toBe(text)
  })

  test('a .gitattributes is kept, and what it lacks is told', async () => {
    const cwd = await tempFolder()
    await writeFile(join(cwd, '.gitattributes'), 'rendered/**  text eol=lf\n')
    const { stdout } = await runCli(['init', '--empty'], { cwd })
    expect(stdout).toContain(
      kept(
        '.gitattributes',
        '* -text',
        '/rendered/**/kustomization.yaml text eol=lf merge=union',
        '/stackmason.lock text eol=lf merge=union',
      ),
    )
  })

  test('nothing is written through a folder that is a link out of the fleet', async () => {
    const cwd = await tempFolder()
    await mkdir(join(cwd, 'elsewhere'))
    await mkdir(join(cwd, 'f'))
    await symlink('../elsewhere', join(cwd, 'f/clusters'))
    const { status, stderr } = await runCli(['init', 'f'], { cwd })
    expect([status, stderr]).toEqual([
      1,
      'error FILE_OUTSIDE f/clusters: clusters leads out of the fleet repository\n' +
        '  → Put a copy of what it leads to in its place.\n',
    ])
    expect([await readdir(join(cwd, 'elsewhere')), await readdir(join(cwd, 'f'))]).toEqual([[], ['clusters']])
  })
})

test('inputs of a new fleet have the same bytes in every clone', async () => {
  const cwd = await tempFolder()
  await runCli(['init'], { cwd })
  await writeFile(join(cwd, 'chart.tgz'), '\x1f\x8b\r\n\n')
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'core.autocrlf=true', ...args], { cwd, env: gitTestEnvironment, encoding: 'utf8' })
  git('init', '-q')
  git('add', '.')
  const converted = git('ls-files', '--eol')
    .split('\n')
    .filter((line) => !line.includes('attr/-text'))
  expect(converted.filter((line) => line !== '')).toEqual([])
  await rm(join(cwd, 'chart.tgz'))
  await rm(join(cwd, 'stackmason.yaml'))
  git('checkout', '.')
  expect(await readFile(join(cwd, 'chart.tgz'), 'utf8')).toBe('\x1f\x8b\r\n\n')
  expect(await readFile(join(cwd, 'stackmason.yaml'), 'utf8')).not.toContain('\r')
})

test('releases that build makes are not for git', async () => {
  const cwd = await tempFolder()
  await runCli(['init'], { cwd })
  expect((await readFile(join(cwd, '.gitignore'), 'utf8')).split('\n')).toContain('.release/')
})
