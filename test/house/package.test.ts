import { execFile, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInThisContext } from 'node:vm'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { packageFolder, type ProgramUnderTest, programUnderTest } from '../cli/run-cli.ts'
import { brokenFleets, goldenOfMistake, seenOf } from '../cli/broken-fleets.ts'
import { goldenOfFault, seenOfFault, serverFaults } from '../cli/server-faults.ts'
import type { program } from '../../src/program.ts'
import { commandEntries } from '../../src/cli/command-table.ts'
import { filesOfCommands } from '../../tools/bundle.ts'
import { withSharedShapes } from '../../tools/shared-shapes.ts'
import { startWebServer } from '../../tools/servers/web-server.ts'
import { installedOfOtherNode, keepInstalled } from '../support/installed-package.ts'
import { tempFolder, tempFolderForFile } from '../support/temp-folder.ts'

let folder = ''
let packed: readonly string[] = []

function call(
  command: string,
  words: readonly string[],
  cwd: string,
): { readonly status: number | null; readonly stdout: string } {
  const { status, stdout, stderr } = spawnSync(command, words, { cwd, encoding: 'utf8', maxBuffer: 1e8 })
  return { status, stdout: status === 0 ? stdout : `${stdout}${stderr}` }
}

function binary(): string {
  return join(folder, 'node_modules/.bin/stackmason')
}

/** The installed command. */
function stackmason(
  words: readonly string[],
  cwd: string,
): { readonly status: number | null; readonly stdout: string } {
  return call(binary(), words, cwd)
}

/** The installed command, while servers of this process go on answering. */
function whileServed(
  words: readonly string[],
  cwd: string,
): Promise<{ readonly status: number; readonly stdout: string }> {
  return new Promise((resolve) => {
    execFile(binary(), words, { cwd, encoding: 'utf8' }, (error, stdout) => {
      resolve({ status: typeof error?.code === 'number' ? error.code : 0, stdout })
    })
  })
}

/** The installed program, evaluated in this process. */
let installed: ProgramUnderTest

type Evaluate = (
  require: NodeJS.Require,
  importMetaUrl: string,
  use: (found: { readonly program: typeof program }) => void,
) => void

/** A file of the program. */
function loadFile(root: string, name: string): ProgramUnderTest {
  const file = join(root, 'dist/bundle', name)
  const evaluate: Evaluate = runInThisContext(readFileSync(file, 'latin1'), { filename: file })
  let found: ProgramUnderTest | undefined
  const url = pathToFileURL(join(root, 'dist/main.js')).href
  evaluate(createRequire(file), url, (parts) => {
    found = programUnderTest(parts.program)
  })
  if (found === undefined) throw new Error('the bundle handed nothing over')
  return found
}

/** The program, each command from the file that it is started from. */
function load(root: string): ProgramUnderTest {
  const whole = loadFile(root, 'program.cjs')
  const parts = [...filesOfCommands].flatMap(([name, commands]) => {
    const part = loadFile(root, name)
    return commands.map((command) => [command, part] as const)
  })
  const byCommand = new Map(parts)
  return {
    createNodePorts: whole.createNodePorts,
    runCli: (words, options) => (byCommand.get(words[0] ?? '') ?? whole).runCli(words, options),
  }
}

const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']

/** What the README gives npm to install the packed program. */
function wordsOfReadme(): string {
  const readme = readFileSync(join(packageFolder, 'README.md'), 'utf8')
  return /^npm ci && npm pack && npm (install --global \S+) /m.exec(readme)?.[1] ?? ''
}

/** Packs and installs, into the folder and by the line of the README into `global` there. */
function install(): void {
  const calls: readonly (readonly [string, readonly string[], string])[] = [
    ['npm', ['pack', '--json', '--pack-destination', folder], packageFolder],
    ['sh', ['-c', `npm install ${flags.join(' ')} ./*.tgz`], folder],
    ['sh', ['-c', `npm ${wordsOfReadme()} --prefix ./global ${flags.join(' ')}`], folder],
  ]
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  for (const [command, words, cwd] of calls) {
    const { status, stdout } = call(command, words, cwd)
    if (status !== 0) throw new Error(stdout)
  }
}

/** The files below a folder, by their paths from there. */
function filesBelow(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(path, join(parentPath, name)))
}

/** Bytes of all files below a folder. */
function sizeBelow(path: string): number {
  return filesBelow(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0)
}

beforeAll(() => {
  folder = tempFolderForFile()
  if (!installedOfOtherNode(folder)) keepInstalled(folder, install)
  packed = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  installed = load(join(folder, 'node_modules/stackmason'))
  // two installs, on a machine that has more to do
}, 300_000)

describe('the package, installed into an empty folder', () => {
  test('holds what it should and no more', () => {
    expect(packed).toHaveLength(1)
    const installed = join(folder, 'node_modules/stackmason')
    expect(readdirSync(installed).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'NOTICE',
      'README.md',
      'SECURITY.md',
      'dist',
      'docs',
      'man',
      'package.json',
      'schemas',
      'templates',
    ])
    const pages = filesBelow(join(installed, 'docs')).filter((name) => name.endsWith('.md'))
    for (const page of ['README.md', 'CHANGELOG.md', 'SECURITY.md', ...pages.map((name) => `docs/${name}`)]) {
      const links = readFileSync(join(installed, page), 'utf8')
        .replaceAll(/`[^`]*`/g, '')
        .matchAll(/\]\((?!https?:)([^)#\s]+)/g)
      const missing = [...links]
        .map(([, link = '']) => link)
        // what is for those who change the program is in the repository only
        .filter((link) => link !== 'CONTRIBUTING.md' && !existsSync(join(installed, dirname(page), link)))
      expect({ page, missing }).toEqual({ page, missing: [] })
    }
    expect(readdirSync(join(folder, 'node_modules')).sort()).toEqual(['.bin', '.package-lock.json', 'stackmason'])
    expect(sizeBelow(installed)).toBeLessThan(25e6)
    expect(filesBelow(installed).length).toBeLessThan(230)
    const own = filesBelow(join(installed, 'dist')).filter((name) => dirname(name) === '.')
    expect(own.toSorted()).toEqual(['THIRD-PARTY-NOTICES.txt', 'index.d.ts', 'index.js', 'main.js'])
    expect(
      filesBelow(join(installed, 'dist')).filter(
        (name) => !/^(?:index|main|THIRD-PARTY-NOTICES|bundle.[a-z0-9-]+\.cjs)\b/.test(name),
      ),
    ).toEqual([])
  })

  test('runs', () => {
    const { version }: { readonly version: string } = JSON.parse(
      readFileSync(join(packageFolder, 'package.json'), 'utf8'),
    )
    expect(stackmason(['version'], folder)).toEqual({ status: 0, stdout: `${version}\n` })
    expect(stackmason(['help', 'render'], folder).stdout).toContain('Usage: stackmason render')
    expect(stackmason(['rendr'], folder).status).toBe(2)
  })

  test('is installed by the line of the README', () => {
    // the command itself ran before all tests, and must have ended well
    expect(wordsOfReadme()).toBe('install --global ./stackmason-*.tgz')
    const command = join(folder, 'global/bin/stackmason')
    expect(call(command, ['init', 'tour'], folder).status).toBe(0)
    expect(call(command, ['render'], join(folder, 'tour'))).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Rendered 1 cluster, /m),
    })
  })

  test.each([
    { kind: 'http', status: 0, code: 'FETCH_NOT_FOUND' },
    { kind: 'git', status: 2, code: 'GIT_FAILED' },
    { kind: 'github', status: 1, code: 'FETCH_NOT_FOUND' },
  ])(
    'loads what speaks to $kind sources, also from code that V8 stored',
    async ({ kind, ...want }) => {
      // an answer that is final: where nobody listens, each run would try for seconds
      const server = await startWebServer({})
      onTestFinished(server.close)
      const fleet = join(folder, `fleet-${kind}`)
      mkdirSync(join(fleet, 'stacks'), { recursive: true })
      const sources: Readonly<Record<string, string>> = {
        http: `{url: "${server.url}/x", plainHttp: true}`,
        git: '{url: "file:///nonexistent/x.git"}',
        github: `{owner: o, repository: r, apiUrl: "${server.url}", plainHttp: true}`,
      }
      writeFileSync(
        join(fleet, 'stackmason.yaml'),
        `apiVersion: stackmason.dev/v1alpha1\nkind: Fleet\nmetadata: {name: x}\nspec: {sources: [{name: s, ${kind}: ${sources[kind] ?? ''}}]}\n`,
      )
      // the first run leaves compiled code, the others run from it
      for (const run of [1, 2, 3]) {
        const { status, stdout } = await whileServed(['list', '-o', 'json'], fleet)
        const { findings }: { readonly findings: readonly { readonly code: string }[] } = JSON.parse(stdout)
        expect({ run, status, codes: findings.map(({ code }) => code) }).toEqual({
          run,
          status: want.status,
          codes: [want.code],
        })
      }
    },
    120_000,
  )

  test('renders the example fleet to what is committed', () => {
    const copy = join(folder, 'copy')
    mkdirSync(copy)
    cpSync(join(packageFolder, 'examples'), join(copy, 'examples'), { recursive: true })
    const { status, stdout } = stackmason(['render', '--fleet', 'examples/fleet'], copy)
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^Rendered 3 clusters, /m) })
    cpSync(join(packageFolder, 'rendered'), join(copy, 'rendered'), { recursive: true })
    expect(stackmason(['render', '--check', '--fleet', 'examples/fleet'], copy)).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^rendered is current: /),
    })
  })

  test('scaffolds a fleet that renders', () => {
    const fleet = join(folder, 'fleet')
    expect(stackmason(['init', fleet], folder).status).toBe(0)
    expect(stackmason(['render'], fleet)).toEqual({ status: 0, stdout: expect.stringMatching(/^Rendered 1 cluster, /) })
    expect(stackmason(['render', '--check'], fleet).status).toBe(0)
  })

  test('evaluates expressions that call functions on texts', () => {
    const fleet = join(folder, 'policies')
    stackmason(['init', fleet], folder)
    const meta = (kind: string): string =>
      `apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy${kind}\nmetadata: {name: short}\nspec: `
    mkdirSync(join(fleet, 'policies'))
    writeFileSync(
      join(fleet, 'policies/short.yaml'),
      `${meta('')}{matchConstraints: {resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE], resources: ["*"]}]}, validations: [{expression: "object.metadata.name.size() < 100 && object.metadata.name.lowerAscii() != 'a'"}]}
---
${meta('Binding')}{policyName: short, validationActions: [Deny]}
`,
    )
    expect(stackmason(['check', '--quiet'], fleet)).toEqual({ status: 0, stdout: '' })
  })

  test('starts some commands from files of their own, and others not', async () => {
    const copy = await tempFolder()
    cpSync(join(folder, 'node_modules/stackmason'), copy, { recursive: true })
    rmSync(join(copy, 'dist/bundle/program.cjs'))
    const main = join(copy, 'dist/main.js')
    const words = [...commandEntries.map(({ spec }) => spec.name), '--help', '-h', '--version', '-v']
    const started = words.filter((word) => call(main, [word, '--help'], copy).status === 0)
    expect(started.toSorted()).toEqual([...filesOfCommands.values()].flat().toSorted())
  })

  test.each(['render.cjs', 'thread.cjs'])('has objects of shared shapes in %s', (name) => {
    const text = readFileSync(join(folder, 'node_modules/stackmason/dist/bundle', name), 'latin1')
    expect(withSharedShapes(text) === text).toBe(true)
  })

  test('runs without being installed by name', () => {
    const archive = join(folder, packed[0] ?? '')
    const words = ['--yes', ...flags, `--package=${archive}`, 'stackmason', 'version']
    const { version }: { readonly version: string } = JSON.parse(
      readFileSync(join(packageFolder, 'package.json'), 'utf8'),
    )
    expect(call('npx', words, tempFolderForFile())).toEqual({ status: 0, stdout: `${version}\n` })
  })

  test.each([
    { moduleResolution: 'node16', module: 'node16' },
    { moduleResolution: 'bundler', module: 'esnext' },
  ])('has types for a program that finds modules like $moduleResolution', (resolution) => {
    const [, program = ''] =
      /```ts\n(.*?)```/s.exec(readFileSync(join(packageFolder, 'docs/08-library.md'), 'utf8')) ?? []
    const consumer = join(folder, `consumer-${resolution.moduleResolution}`)
    mkdirSync(consumer)
    writeFileSync(join(consumer, 'package.json'), '{"private":true,"type":"module"}\n')
    writeFileSync(join(consumer, 'program.ts'), program)
    const compilerOptions = {
      ...resolution,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
      target: 'es2022',
      lib: ['es2022'],
      types: ['node'],
      typeRoots: [join(packageFolder, 'node_modules/@types')],
    }
    writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    const compiler = join(packageFolder, 'node_modules/.bin/tsc')
    expect(call(compiler, ['-p', '.'], consumer)).toEqual({ status: 0, stdout: '' })
  })

  test('can be used from a program', () => {
    const program =
      "import { errorCodes, render } from 'stackmason'; console.log(typeof render, errorCodes.USAGE.summary)"
    expect(call(process.execPath, ['--input-type=module', '-e', program], folder)).toEqual({
      status: 0,
      stdout: 'function The command line is not valid.\n',
    })
    const schema =
      "import { createRequire } from 'node:module'; console.log(createRequire('/')(createRequire(process.cwd() + '/').resolve('stackmason/schemas/fleet.json')).title)"
    expect(call(process.execPath, ['--input-type=module', '-e', schema], folder).stdout).toBe('Fleet\n')
  })

  test('is well-formed by the judgement of publint', () => {
    const lint = join(packageFolder, 'node_modules/.bin/publint')
    const { status, stdout } = call(lint, ['--strict', '--pack', 'false'], join(folder, 'node_modules/stackmason'))
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('All good!') })
  })
})

describe('the installed program says the same as that of src', () => {
  test.each(Object.entries(brokenFleets))('for %s', async (name, files) => {
    await expect(await seenOf(files, installed.runCli)).toMatchFileSnapshot(goldenOfMistake(name))
  })

  test.each(Object.entries(serverFaults))('of %s', async (name, fault) => {
    await expect(await seenOfFault(fault, installed)).toMatchFileSnapshot(goldenOfFault(name))
  })

  test('also where it runs as a process', async () => {
    const folder = await tempFolder()
    await installed.runCli(['init'], { cwd: folder })
    writeFileSync(join(folder, 'stackmason.yaml'), 'spec: {sourcs: []}\n')
    const { status, stderr } = spawnSync(binary(), ['render', '-q'], { cwd: folder, encoding: 'utf8' })
    const inProcess = await installed.runCli(['render', '-q'], { cwd: folder })
    expect({ status, stderr }).toEqual({ status: inProcess.status, stderr: inProcess.stderr })
  })
})
