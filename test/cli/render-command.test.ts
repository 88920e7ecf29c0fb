import { execFileSync } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { fieldAt } from '../../src/model/field.ts'
import { FileError } from '../../src/model/ports.ts'
import type { Value } from '../../src/model/value.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type CliRun, packageFolder, runCli } from './run-cli.ts'

const CONFIGMAP = 'rendered/clusters/team-a/web/addons/01-welcome/configmap-welcome.yaml'
const ports = createNodePorts()

/** A fleet as `stackmason init` writes it. */
async function makeFleet(): Promise<string> {
  const folder = await tempFolder()
  await runCli(['init'], { cwd: folder })
  return folder
}

async function makeRenderedFleet(): Promise<string> {
  const folder = await makeFleet()
  await runCli(['render'], { cwd: folder })
  return folder
}

async function greet(folder: string, message: string): Promise<void> {
  await writeFile(join(folder, 'clusters/team-a/web/values/welcome.yaml'), `message: ${message}\n`)
}

/** The time that a run took differs from run to run. */
function timeless({ status, stdout, stderr }: CliRun): CliRun {
  return { status, stdout: stdout.replace(/in \d+\.\d s/, 'in 0.0 s').replace(/("milliseconds": )\d+/, '$10'), stderr }
}

async function parseReport(text: string): Promise<Value> {
  const report = parseGoJson(text)
  const schema = compileSchema(parseGoJson(await readFile(join(packageFolder, 'schemas/render-report.json'), 'utf8')))
  expect(schema.validate(report)).toEqual([])
  return report
}

describe('stackmason render', () => {
  test('writes the tree and sums up on standard output; progress goes to standard error', async () => {
    const cwd = await makeFleet()
    expect(timeless(await runCli(['render'], { cwd }))).toEqual({
      status: 0,
      stdout:
        'Rendered 1 cluster, 2 charts, 7 objects into rendered: 11 files written, 0 unchanged, 0 pruned, in 0.0 s.\n',
      stderr: 'rendered 1/2 platform/docker-starter-1-34-v1\nrendered 2/2 team-a/web\n',
    })
    expect(await readFile(join(cwd, CONFIGMAP), 'utf8')).toContain('message: Hello from the web cluster\n')
    expect(timeless(await runCli(['render', '--quiet'], { cwd }))).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  test('finds the fleet from a folder inside of it, or by --fleet', async () => {
    const cwd = await makeRenderedFleet()
    const inside = await runCli(['render', '--check', '-q'], { cwd: join(cwd, 'clusters/team-a/web') })
    expect(inside).toEqual({ status: 0, stdout: '', stderr: '' })
    const elsewhere = await runCli(['render', '--check', '--fleet', join(cwd, 'stackmason.yaml')], { cwd: '/' })
    expect(elsewhere.stdout).toBe(`${cwd}/rendered is current: 11 files, 1 cluster.\n`)
  })

  test('--check never calls a tree current that a render would refuse', async () => {
    const cwd = await makeRenderedFleet()
    await writeFile(join(cwd, CONFIGMAP), 'edited')
    const edited = await runCli(['render', '--check'], { cwd })
    expect([edited.status, edited.stdout]).toEqual([1, `changed ${CONFIGMAP}\n`])
    const named = await makeRenderedFleet()
    await rm(join(named, CONFIGMAP))
    await mkdir(join(named, CONFIGMAP))
    const refused = await runCli(['render', '--check'], { cwd: named })
    expect([refused.status, refused.stdout]).toEqual([1, 'rendered is not as it is to be: see the errors.\n'])
  })

  test('--check lists what is stale and changes nothing', async () => {
    const cwd = await makeRenderedFleet()
    await greet(cwd, 'changed')
    const before = await readFile(join(cwd, CONFIGMAP), 'utf8')
    expect(await runCli(['render', '--check', '--cluster', 'web'], { cwd })).toEqual({
      status: 1,
      stdout: `changed ${CONFIGMAP}\n`,
      stderr:
        'rendered 1/2 platform/docker-starter-1-34-v1\nrendered 2/2 team-a/web\n' +
        'error RENDER_STALE rendered: 1 file differs from what the inputs render to\n' +
        '  → Run `stackmason render` and commit the result.\n',
    })
    expect(await readFile(join(cwd, CONFIGMAP), 'utf8')).toBe(before)
  })

  test('--check advises what writes the tree that it wants: with the base, and beside what stops no run', async () => {
    const cwd = await makeRenderedFleet()
    const git = (...words: readonly string[]): void => {
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd })
    }
    git('init', '-q', '--template=')
    await writeFile(join(cwd, 'rendered/x.yaml'), 'a: b\n')
    git('add', '-A')
    git('commit', '-qm', 'first')
    await greet(cwd, 'changed')
    const adviceOf = async (...words: readonly string[]): Promise<string | undefined> => {
      const { stderr } = await runCli(['render', '--check', '--quiet', ...words], { cwd })
      expect(stderr).toContain('error OUTPUT_FOREIGN rendered/x.yaml: ')
      return /RENDER_STALE .*\n {2}→ (.*)\n/.exec(stderr)?.[1]
    }
    expect(await adviceOf()).toBe('Run `stackmason render` and commit the result.')
    expect(await adviceOf('--base', 'HEAD')).toBe('Run `stackmason render --base HEAD`, and commit the result.')
  })

  test('--check of a preview says that nothing of it is to be committed', async () => {
    const cwd = await makeRenderedFleet()
    await greet(cwd, 'changed')
    await writeFile(join(cwd, 'preview.yaml'), '{}\n')
    const { status, stderr } = await runCli(['render', '--check', '--quiet', '--runtime-values', 'preview.yaml'], {
      cwd,
    })
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'error RENDER_STALE rendered: 1 file differs from what the inputs render to\n' +
        '  → It may be only the values of --runtime-values that differ: they never belong into git.\n',
    })
  })

  test('-o json is a report of a fixed form for each end', async () => {
    const cwd = await makeFleet()
    const statuses: Value[] = []
    const run = async (...words: readonly string[]): Promise<Value> => {
      const { stdout, stderr } = await runCli(['render', '-o', 'json', '-q', ...words], { cwd })
      expect(stderr).toBe('')
      const report = await parseReport(stdout)
      statuses.push(fieldAt(report, 'status') ?? null)
      return report
    }
    expect(fieldAt(await run(), 'summary', 'filesWritten')).toBe(11)
    await run('--check')
    await greet(cwd, 'changed')
    const stale = await run('--check')
    expect(fieldAt(stale, 'changes', 0, 'path')).toBe(CONFIGMAP.replace('rendered/', ''))
    await writeFile(join(cwd, CONFIGMAP), 'edited')
    const edited = await run('--check')
    expect([
      fieldAt(edited, 'changes', 0, 'path'),
      fieldAt(edited, 'findings', 0, 'code'),
      fieldAt(edited, 'findings', 1, 'code'),
    ]).toEqual([CONFIGMAP.replace('rendered/', ''), 'WRITE_HAND_EDITED', 'RENDER_STALE'])
    const failed = await run()
    expect([fieldAt(failed, 'findings', 0, 'code'), fieldAt(failed, 'findings', 0, 'file')]).toEqual([
      'WRITE_HAND_EDITED',
      CONFIGMAP,
    ])
    const fleet = await readFile(join(cwd, 'stackmason.yaml'), 'utf8')
    await writeFile(join(cwd, 'stackmason.yaml'), `${fleet}nonsense: true\n`)
    const invalid = await run()
    expect(fieldAt(invalid, 'findings', 0, 'line')).toBe(fleet.split('\n').length)
    expect(statuses).toEqual(['rendered', 'current', 'stale', 'stale', 'failed', 'failed'])
  })

  test('--overwrite-edited, and --force for short, give edits up', async () => {
    const cwd = await makeRenderedFleet()
    for (const flag of ['--overwrite-edited', '--force']) {
      await writeFile(join(cwd, CONFIGMAP), 'edited')
      expect((await runCli(['render', '-q'], { cwd })).status).toBe(1)
      expect((await runCli(['render', '-q', flag], { cwd })).status).toBe(0)
    }
    expect((await runCli(['render', '--check', '-q'], { cwd })).status).toBe(0)
  })

  test('--allow-empty lets go of what had objects', async () => {
    const cwd = await makeRenderedFleet()
    await rm(join(cwd, 'clusters'), { recursive: true })
    await rm(join(cwd, 'stacks'), { recursive: true })
    const refused = await runCli(['render', '-q'], { cwd })
    expect([refused.status, refused.stderr.split('\n')[0]]).toEqual([
      1,
      'error WRITE_EMPTY rendered: nothing is rendered here, where 7 objects were before',
    ])
    expect((await runCli(['render', '-q', '--allow-empty'], { cwd })).status).toBe(0)
  })

  test('says what happened to an interrupted run', async () => {
    const cwd = await makeFleet()
    await mkdir(join(cwd, 'rendered/.stackmason/staging'), { recursive: true })
    await writeFile(join(cwd, 'rendered/.stackmason/staging/new-0'), 'x')
    const check = await runCli(['render', '--check', '-q'], { cwd })
    expect([check.status, check.stderr]).toEqual([
      1,
      'error WRITE_INTERRUPTED rendered/.stackmason: an earlier run was interrupted while it wrote\n' +
        '  → Run `stackmason render`: it completes or rolls back that run first.\n',
    ])
    const { status, stderr } = await runCli(['render'], { cwd })
    expect([status, stderr.split('\n').at(-2)]).toEqual([
      0,
      'An earlier run was interrupted while it wrote; it was rolled back first.',
    ])
  })

  test('a bar and colours on a terminal, unless the environment says otherwise', async () => {
    const cwd = await makeFleet()
    const bar = await runCli(['render'], { cwd, isTerminal: true })
    expect(bar.stderr).toContain('\r\u001B[K████████████████████████ 2/2 team-a/web\r\u001B[K')
    for (const environment of [{ CI: 'true' }, { TERM: 'dumb' }]) {
      const { stderr } = await runCli(['render'], { cwd, isTerminal: true, environment })
      expect(stderr).toBe('rendered 1/2 platform/docker-starter-1-34-v1\nrendered 2/2 team-a/web\n')
    }
    await writeFile(join(cwd, CONFIGMAP), 'edited')
    const first = async (words: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> =>
      (await runCli(['render', '-q', ...words], { cwd, isTerminal: true, environment })).stderr.slice(0, 5)
    expect(await first([], {})).toBe('\u001B[1;3')
    expect(await first(['--no-color'], {})).toBe('error')
    expect(await first([], { NO_COLOR: '1' })).toBe('error')
    expect(await first([], { TERM: 'dumb' })).toBe('error')
  })
})

describe('exit status', () => {
  test('2 without a fleet', async () => {
    const { status, stderr } = await runCli(['render'], { cwd: await tempFolder() })
    expect([status, stderr.split(' ')[1]]).toEqual([2, 'CONFIG_NOT_FOUND'])
  })

  test('2 when the tree cannot be written', async () => {
    const cwd = await makeFleet()
    const full = {
      ...ports,
      files: { ...ports.files, makeDirectory: (path: string) => Promise.reject(new FileError('no-space', path)) },
    }
    const { status, stderr } = await runCli(['render', '-q'], { cwd, ports: full })
    expect([status, stderr.split('\n')[0]]).toEqual([
      2,
      'error WRITE_FAILED rendered: the output could not be read or written: no space left; nothing was changed',
    ])
  })

  test('2 with the stack for a defect', async () => {
    const cwd = await makeFleet()
    const broken = { ...ports, files: { ...ports.files, makeDirectory: () => Promise.reject(new TypeError('oops')) } }
    const { status, stderr } = await runCli(['render', '-q'], { cwd, ports: broken })
    expect(status).toBe(2)
    expect(stderr).toMatch(
      /^error INTERNAL a defect in stackmason: TypeError\n {4}\| {5}at [\s\S]*\n {2}→ Please report it with the input that triggers it\.\n$/,
    )
  })

  test.each([
    { words: ['rendr'], want: 'error USAGE there is no command "rendr"; did you mean render?' },
    { words: ['frobnicate'], want: 'error USAGE there is no command "frobnicate"' },
    { words: ['--check'], want: 'error USAGE no option --check here; a command comes first; did you mean check?' },
    { words: ['help', 'rendr'], want: 'error USAGE there is no command "rendr"; did you mean render?' },
    { words: ['render', '--chek'], want: 'error USAGE render has no option --chek; did you mean --check?' },
    {
      words: ['render', '--threads', '65'],
      want: 'error USAGE option --threads takes a number from 0 to 64, not "65"',
    },
  ])('2 for $words', async ({ words, want }) => {
    const { status, stdout, stderr } = await runCli(words)
    expect([status, stdout, stderr.split('\n')[0]]).toEqual([2, '', want])
    expect(stderr).toMatch(/\n {2}→ See `stackmason (?:render )?--help`\.\n$/)
  })
})

describe('stackmason init', () => {
  test('writes a fleet and says what is next', async () => {
    const folder = await tempFolder()
    const { status, stdout } = await runCli(['init', 'my/fleet'], { cwd: folder })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^Wrote a fleet repository to my\/fleet:\n {2}\.gitattributes\n {2}\.gitignore\n/)
    expect(stdout).toMatch(/\nNext: cd my\/fleet && stackmason render\n$/)
    expect(await readFile(join(folder, 'my/fleet/.gitignore'), 'utf8')).toContain('.stackmason/')
    expect((await runCli(['render', '-q'], { cwd: join(folder, 'my/fleet') })).status).toBe(0)
  })

  test('touches nothing that is there; git files may be', async () => {
    const cwd = await tempFolder()
    await writeFile(join(cwd, '.gitignore'), 'mine')
    await mkdir(join(cwd, 'stacks'))
    await writeFile(join(cwd, 'stacks/starter.yaml'), 'mine')
    const { status, stderr } = await runCli(['init'], { cwd })
    expect([status, stderr.split('\n')]).toEqual([
      1,
      [
        'error INIT_FILE_EXISTS stacks/starter.yaml: the file is there already',
        '  → Choose an empty folder or another name, or move the file away.',
        '',
      ],
    ])
    await rm(join(cwd, 'stacks/starter.yaml'))
    expect((await runCli(['init'], { cwd })).status).toBe(0)
    expect(await readFile(join(cwd, '.gitignore'), 'utf8')).toBe('mine')
    await writeFile(join(cwd, 'blocked'), '')
    const failed = await runCli(['init', 'blocked/here'], { cwd })
    expect([failed.status, failed.stderr.split('\n')]).toEqual([
      2,
      [
        'error WRITE_FAILED blocked/here/README.md cannot be written: a part of its path is not a folder',
        '  → Correct the path.',
        '',
      ],
    ])
  })

  test('leaves a fleet alone, and says so once', async () => {
    const cwd = await tempFolder()
    await runCli(['init'], { cwd })
    expect(await runCli(['init'], { cwd })).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'error INIT_FILE_EXISTS stackmason.yaml: there is a fleet in this folder already\n' +
        '  → Render it with `stackmason render`, or name another folder: `stackmason init <folder>`.\n',
    })
  })

  test('writes a chart that template sends to the fleet', async () => {
    const cwd = await tempFolder()
    await runCli(['init'], { cwd })
    const chart = 'providers/docker/starter/cluster-addon/welcome'
    const { stderr } = await runCli(['template', chart], { cwd })
    expect(stderr.split('\n')[3]).toBe(
      '  → The chart is part of a stack, and `<< … >>` is filled in when a release is built: render a cluster that uses it, or try the stack with `stackmason build --dry-run`.',
    )
  })
})

describe('stackmason version', () => {
  test('as text and as JSON', async () => {
    for (const words of [['version'], ['--version'], ['-v']]) expect((await runCli(words)).stdout).toBe('1.2.3\n')
    expect(JSON.parse((await runCli(['version', '-o', 'json'])).stdout)).toEqual({
      apiVersion: 'stackmason.dev/v1alpha1',
      kind: 'Version',
      version: '1.2.3',
      helm: '4.1.4',
    })
  })
})

describe('stackmason template', () => {
  const chart = 'templates/fleet/providers/docker/starter/cluster-addon/welcome/templates'

  /** A chart that prints what it was given. */
  async function makeChart(): Promise<string> {
    const folder = await tempFolder()
    await mkdir(join(folder, 'c/templates'), { recursive: true })
    await writeFile(join(folder, 'c/Chart.yaml'), 'apiVersion: v2\nname: c\nversion: 1.0.0\n')
    await writeFile(join(folder, 'c/values.yaml'), 'a: 1\n')
    await writeFile(
      join(folder, 'c/templates/x.yaml'),
      'kind: {{ .Release.Name }}\nnamespace: {{ .Release.Namespace }}\nvalues: {{ .Values | toJson }}\nisUpgrade: {{ .Release.IsUpgrade }}\n',
    )
    return folder
  }

  test('writes what helm template would write', async () => {
    const cwd = await makeChart()
    const words = [
      'template',
      'rel',
      'c',
      '-n',
      'ns',
      '--set',
      'a=2,b=x',
      '--set-string',
      'a=3',
      '-f',
      '-',
      '--is-upgrade',
    ]
    expect(await runCli(words, { cwd, stdin: 'z: true\n' })).toEqual({
      status: 0,
      stdout:
        '---\n# Source: c/templates/x.yaml\nkind: rel\nnamespace: ns\nvalues: {"a":"3","b":"x","z":true}\nisUpgrade: true\n',
      stderr: '',
    })
    expect((await runCli(['template', './c'], { cwd })).stdout).toContain('kind: release-name\nnamespace: default\n')
  })

  test('refuses what makes no sense, with the reason', async () => {
    const cwd = await makeChart()
    const { status, stdout, stderr } = await runCli(['template', 'c', '--repo', 'https://example.com', '--validate'], {
      cwd,
    })
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr.split('\n').filter((line) => line.startsWith('error'))).toEqual([
      'error CHART_FLAG_UNSUPPORTED --validate is not supported: stackmason never asks a cluster',
      'error CHART_FLAG_UNSUPPORTED --repo is not supported: charts are read from disk; fetch the chart first',
    ])
  })

  test('says where a chart is wrong', async () => {
    const { status, stderr } = await runCli(['template', chart])
    expect([status, stderr.split(' ')[1]]).toEqual([1, 'CHART_INVALID'])
  })
})
