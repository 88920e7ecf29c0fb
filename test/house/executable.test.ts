import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { builtProgram } from '../../tools/built-program.ts'
import { buildExecutable } from '../../tools/executable.ts'
import { portsWith, servePublishedFleet } from '../../tools/fleets/published-fleet.ts'
import { gitTestEnvironment } from '../../tools/servers/git-server.ts'
import { startWebServer } from '../../tools/servers/web-server.ts'
import { packageFolder, runCli } from '../cli/run-cli.ts'
import { tempFolder, tempFolderForFile } from '../support/temp-folder.ts'

const isHere = `${process.platform}-${process.arch}` === 'linux-x64'
if (!isHere) console.warn('SKIPPED, npm ships the Node in use for Linux on x64: tests of the executable')

let root = ''
let executable = ''
/** A machine that has git, and neither Node nor anything else. */
let machine: Readonly<Record<string, string>> = {}

interface Run {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

function start(
  command: string,
  words: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>>,
): Promise<Run> {
  return new Promise((resolve) => {
    execFile(command, words, { cwd, encoding: 'utf8', env: { ...machine, ...variables } }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ status, stdout, stderr })
    })
  })
}

function run(words: readonly string[], cwd: string, variables: Readonly<Record<string, string>> = {}): Promise<Run> {
  return start(executable, words, cwd, variables)
}

/** The program of the package, run by Node. */
function byNode(words: readonly string[], cwd: string, variables: Readonly<Record<string, string>> = {}): Promise<Run> {
  return start(process.execPath, [join(root, 'dist/main.js'), ...words], cwd, variables)
}

/** Times are of the run. */
function timeless({ status, stdout, stderr }: Run): Run {
  return { status, stdout: stdout.replaceAll(/in [\d.]+ s\b|"(?:duration|milliseconds)": ?\d+/g, 'in time'), stderr }
}

function filesOf(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort()
  // what the program remembers for itself is no output
  const committed = paths.filter((path) => !path.includes('/.stackmason/'))
  return new Map(committed.map((path) => [relative(folder, path), readFileSync(path, 'latin1')]))
}

const policy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: short
spec:
  matchConstraints:
    resourceRules:
      - apiGroups: ['cluster.x-k8s.io']
        apiVersions: ['*']
        operations: [CREATE, UPDATE]
        resources: [clusters]
  validations:
    - expression: size(object.metadata.name) < 4
      message: the name is long
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: short
spec:
  policyName: short
  validationActions: [Deny]
`

/** The example fleet, rendered, as two commits of a repository. */
async function exampleFleet(): Promise<string> {
  const folder = join(await tempFolder(), 'copy')
  for (const name of ['examples', 'rendered'])
    cpSync(join(packageFolder, name), join(folder, name), { recursive: true })
  const git = (...words: readonly string[]): void => {
    execFileSync('git', words, { cwd: folder, env: gitTestEnvironment, stdio: 'ignore' })
  }
  git('init', '--initial-branch=main')
  git('add', '.')
  git('commit', '--message=Start')
  return folder
}

beforeAll(async () => {
  if (!isHere) return
  root = tempFolderForFile()
  for (const name of ['package.json', 'schemas', 'templates']) symlinkSync(join(packageFolder, name), join(root, name))
  cpSync(dirname(await builtProgram()), join(root, 'dist'), { recursive: true })
  executable = join(root, 'stackmason')
  writeFileSync(executable, await buildExecutable('x64', join(root, 'dist')), { mode: 0o755 })
  const [path, home] = [join(root, 'path'), join(root, 'home')]
  for (const folder of [path, home]) mkdirSync(folder)
  symlinkSync(execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim(), join(path, 'git'))
  machine = { PATH: path, HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
})

describe.runIf(isHere)('the executable', () => {
  test.each([
    { name: 'the executable', runs: run },
    { name: 'the package', runs: byNode },
  ])('$name renders in threads, which live until all is rendered', async ({ runs }) => {
    const folder = await exampleFleet()
    const words = ['render', '--fleet', 'examples/fleet', '--check', '--threads', '2']
    const { status, stderr } = await runs(words, folder, { NODE_DEBUG: 'worker' })
    const said = stderr.match(/(?:created|terminates) Worker with ID \d|hears end event for Worker \d/g) ?? []
    expect({ status, said: said.slice(0, 4) }).toEqual({
      status: 0,
      said: [
        'created Worker with ID 1',
        'created Worker with ID 2',
        'terminates Worker with ID 1',
        'terminates Worker with ID 2',
      ],
    })
  })

  test('renders the example fleet to what is committed, and says of it what the package says', async () => {
    const folder = await exampleFleet()
    const anew = join(await tempFolder(), 'copy')
    cpSync(join(folder, 'examples'), join(anew, 'examples'), { recursive: true })
    expect(await run(['render', '--fleet', 'examples/fleet'], anew)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Rendered 3 clusters, /m),
    })
    expect(filesOf(join(anew, 'rendered'))).toEqual(filesOf(join(folder, 'rendered')))
    mkdirSync(join(folder, 'examples/fleet/policies'))
    writeFileSync(join(folder, 'examples/fleet/policies/names.yaml'), policy)
    for (const { words, has } of [
      { words: ['check', '-o', 'json'], has: 'the name is long' },
      { words: ['diff', 'HEAD'], has: '' },
      { words: ['containers', '-o', 'cyclonedx'], has: '"bomFormat": "CycloneDX"' },
      { words: ['variables', '-o', 'schema'], has: '"$schema"' },
      { words: ['report', '-o', 'html'], has: '<!doctype html>' },
    ]) {
      const all = [...words, '--fleet', 'examples/fleet']
      const [own, packaged] = [await run(all, folder), await byNode(all, folder)]
      expect({ words, ...timeless(own) }).toEqual({ words, ...timeless(packaged) })
      expect([own.stdout, own.status === 2]).toEqual([expect.stringContaining(has), false])
    }
  })

  test('publishes by git', async () => {
    const fleet = await servePublishedFleet(await tempFolder(), { spec: ['publish: {into: branch}'] })
    onTestFinished(() => fleet.server.close())
    const { folder } = await fleet.clone('ci')
    const words = ['publish', '--dry-run']
    const expected = await runCli(words, { cwd: folder, ports: portsWith({}) })
    expect(await run(words, folder)).toEqual(expected)
    expect(expected.stdout).toMatch(/^Would publish 11 files from main /)
    const bot = Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) => [
        [`GIT_${who}_NAME`, 'Bot'],
        [`GIT_${who}_EMAIL`, 'bot@example.org'],
      ]),
    )
    expect((await run(['publish', '--yes'], folder, bot)).stdout).toMatch(/^Published 11 files from main /)
  })

  test.each([
    { kind: 'http', code: 'FETCH_NOT_FOUND' },
    { kind: 'git', code: 'GIT_FAILED' },
    { kind: 'github', code: 'FETCH_NOT_FOUND' },
  ])('has what speaks to $kind sources', async ({ kind, code }) => {
    const server = await startWebServer({})
    onTestFinished(server.close)
    const folder = await tempFolder()
    const sources: Readonly<Record<string, string>> = {
      http: `{url: "${server.url}/x", plainHttp: true}`,
      git: '{url: "file:///nonexistent/x.git"}',
      github: `{owner: o, repository: r, apiUrl: "${server.url}", plainHttp: true}`,
    }
    writeFileSync(
      join(folder, 'stackmason.yaml'),
      `apiVersion: stackmason.dev/v1alpha1\nkind: Fleet\nmetadata: {name: x}\nspec: {sources: [{name: s, ${kind}: ${sources[kind] ?? ''}}]}\n`,
    )
    const { stdout } = await run(['list', '-o', 'json'], folder)
    const { findings }: { readonly findings: readonly { readonly code: string }[] } = JSON.parse(stdout)
    expect(findings.map((finding) => finding.code)).toEqual([code])
  })

  test('scaffolds, completes, and installs the controller', async () => {
    const folder = await tempFolder()
    for (const words of [
      ['version'],
      ['init', 'fleet', '--engine', 'argocd', '--controller-image', 'registry.example.com/stackmason:1.0.0'],
      ['completion', 'bash'],
      ['controller', 'definitions'],
      ['controller', '--help'],
    ]) {
      const own = await run(words, folder)
      if (words[0] === 'init') continue
      expect({ words, ...own }).toEqual({ words, ...(await byNode(words, folder)) })
      expect({ words, status: own.status }).toEqual({ words, status: 0 })
    }
    await byNode(
      ['init', 'other', '--engine', 'argocd', '--controller-image', 'registry.example.com/stackmason:1.0.0'],
      folder,
    )
    expect(filesOf(join(folder, 'fleet'))).toEqual(filesOf(join(folder, 'other')))
    expect((await run(['__complete', 'clusters'], join(folder, 'fleet'))).stdout).toContain('team-a/web')
  })

  test('runs the controller', async () => {
    const folder = await tempFolder()
    const named = (kind: string, value: object): readonly object[] => [{ name: 'a', [kind]: value }]
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: named('cluster', { server: 'https://127.0.0.1:1' }),
      users: named('user', { token: 'a' }),
      contexts: named('context', { cluster: 'a', user: 'a' }),
      'current-context': 'a',
    }
    writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(config))
    const words = ['controller', 'run', '--kubeconfig', 'kubeconfig', '--no-lease', '--metrics-address', '127.0.0.1:0']
    const child = spawn(executable, words, { cwd: folder, env: machine, stdio: ['ignore', 'ignore', 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    let log = ''
    while (!log.includes('\n')) log += String((await once(child.stderr, 'data'))[0])
    child.kill('SIGTERM')
    expect([(await once(child, 'exit'))[0], JSON.parse(log.split('\n')[0] ?? '')]).toEqual([
      0,
      expect.objectContaining({ level: expect.anything() }),
    ])
  })

  test('keeps compiled code in the cache of the user, and nothing that is meant for another Node reaches it', async () => {
    const folder = await tempFolder()
    const home = { HOME: folder, NODE_OPTIONS: '--require=/nonexistent.js' }
    const { status } = await run(['init', 'fleet'], folder, home)
    expect(status).toBe(0)
    const kept = join(folder, '.cache/stackmason/compiled')
    expect(readdirSync(kept)).toEqual([expect.stringMatching(/-init\.compiled$/)])
    // none of its parts is unpacked
    expect(readdirSync(folder).sort()).toEqual(['.cache', 'fleet'])
    expect(existsSync(join(folder, '.cache/stackmason/templates'))).toBe(false)
    writeFileSync(join(folder, 'fleet/stackmason.yaml'), '')
    mkdirSync(join(root, 'node_modules/ajv'), { recursive: true })
    writeFileSync(join(root, 'node_modules/ajv/index.js'), 'throw new Error("of the machine")')
    expect((await run(['init', 'second'], folder, home)).status).toBe(0)
  })
})
