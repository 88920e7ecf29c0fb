import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dealt } from '../../vitest.config.ts'
import { packageFolder } from '../cli/run-cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A checkout with nothing but its CI. */
async function checkout(): Promise<string> {
  const folder = join(await tempFolder(), 'checkout')
  mkdirSync(join(folder, '.ci'), { recursive: true })
  const own = join(packageFolder, '.ci')
  for (const name of readdirSync(own)) copyFileSync(join(own, name), join(folder, '.ci', name))
  return folder
}

const environment = (more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => {
  const { STACKMASON_SHARED: _, STACKMASON_CI_MINUTES: __, STACKMASON_CI_SHARD: ___, ...inherited } = process.env
  return { ...inherited, ...more }
}

/** What the reporter writes of one test file. */
type Line = Readonly<Record<string, unknown>>
const good: readonly Line[] = [
  { event: 'start', files: 1 },
  { event: 'begin', file: 'a.test.ts' },
  { event: 'end', file: 'a.test.ts', ok: true, passed: 7, failed: 0 },
  { event: 'stop', errors: [] },
]
const ended = (more: Line): readonly Line[] =>
  good.map((line) => (line['event'] === 'end' ? { ...line, ...more } : line))

interface Case {
  readonly name: string
  /** Lines of results by run. */
  readonly results?: Readonly<Record<string, readonly Line[]>>
  readonly problems?: readonly string[]
  readonly shared?: 'used' | 'unused' | 'missing'
  readonly want: { readonly status: number; readonly lines: readonly string[] }
}

const cases: readonly Case[] = [
  { name: 'all is well', results: { tests: good }, want: { status: 0, lines: ['7 passed, 0 failed'] } },
  {
    name: 'the shared data was used',
    results: { tests: good },
    shared: 'used',
    want: { status: 0, lines: ['7 passed, 0 failed'] },
  },
  {
    name: 'no test used the shared data',
    results: { tests: good },
    shared: 'unused',
    want: { status: 1, lines: ['FAILED the shared data in ../shared was used by no test', '7 passed, 1 failed'] },
  },
  {
    name: 'the shared data that was named is not there',
    results: { tests: good },
    shared: 'missing',
    want: { status: 1, lines: ['FAILED the shared data in /nowhere was used by no test', '7 passed, 1 failed'] },
  },
  {
    name: 'a test failed',
    results: { tests: [...ended({ ok: false, failed: 2 }), { event: 'status', status: 1 }] },
    want: { status: 1, lines: ['7 passed, 2 failed'] },
  },
  {
    name: 'a test file could not be run',
    results: { tests: [...ended({ ok: false, passed: 0 }), { event: 'status', status: 1 }] },
    want: { status: 1, lines: ['FAILED tests: a.test.ts could not be run', '0 passed, 1 failed'] },
  },
  {
    name: 'a test file did not end, others were not begun',
    results: { tests: [{ event: 'start', files: 5 }, ...good.slice(1, 3), { event: 'begin', file: 'b.test.ts' }] },
    problems: ['tests: took longer than its 30 minutes'],
    want: {
      status: 1,
      lines: [
        'FAILED tests: took longer than its 30 minutes',
        'FAILED tests: b.test.ts did not end',
        'FAILED tests: 3 of 5 test files were not run',
        '7 passed, 3 failed',
      ],
    },
  },
  {
    name: 'an error that no test has caught',
    results: {
      tests: [...good.slice(0, 3), { event: 'stop', errors: ['a worker died'] }, { event: 'status', status: 1 }],
    },
    want: { status: 1, lines: ['FAILED tests: a worker died', '7 passed, 1 failed'] },
  },
  {
    name: 'tests end badly, and nothing says why',
    results: { tests: [...good, { event: 'status', status: 1 }] },
    want: { status: 1, lines: ['FAILED tests: ended with status 1', '7 passed, 1 failed'] },
  },
  {
    name: 'no test was begun',
    results: { tests: [{ event: 'status', status: 1 }] },
    want: { status: 1, lines: ['FAILED tests: no test was run', '0 passed, 1 failed'] },
  },
  {
    name: 'a check failed',
    results: { tests: good },
    problems: ['checks: ended with status 1'],
    want: { status: 1, lines: ['FAILED checks: ended with status 1', '7 passed, 1 failed'] },
  },
  {
    name: 'nothing was installed',
    problems: ['npm ci: ended with status 1'],
    want: {
      status: 1,
      lines: ['FAILED npm ci: ended with status 1', 'FAILED no test was run', '0 passed, 2 failed'],
    },
  },
  {
    name: 'runs on other versions of Node count',
    results: { 'tests-on-LTS': ended({ ok: false, failed: 1 }), tests: good },
    want: { status: 1, lines: ['14 passed, 1 failed'] },
  },
  {
    name: 'a run on another version of Node was not made',
    results: { 'tests-on-LTS': [], tests: good },
    want: { status: 1, lines: ['FAILED tests-on-LTS: no test was run', '7 passed, 1 failed'] },
  },
]

test.each(cases)('the summary when $name', async ({ results = {}, problems = [], shared, want }) => {
  const folder = await checkout()
  mkdirSync(join(folder, '.cache/ci'), { recursive: true })
  if (shared === 'used' || shared === 'unused') mkdirSync(join(folder, '../shared'))
  if (shared === 'used') writeFileSync(join(folder, '.cache/shared-used'), '')
  for (const [run, lines] of Object.entries(results))
    writeFileSync(join(folder, `.cache/ci/${run}.results`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  if (problems.length > 0) writeFileSync(join(folder, '.cache/ci/problems'), `${problems.join('\n')}\n`)
  const { status, stdout } = spawnSync(process.execPath, ['.ci/summary.mjs'], {
    cwd: folder,
    encoding: 'utf8',
    env: environment(shared === 'missing' ? { STACKMASON_SHARED: '/nowhere' } : {}),
  })
  expect({ status, lines: stdout.trimEnd().split('\n') }).toEqual(want)
})

/** A part that runs a test file with one good test, by a shell that then goes on with this. */
const passes = (then: string): object => ({
  name: 'tests',
  minutes: 1,
  command: `echo '${good.map((line) => JSON.stringify(line)).join('\n')}' >> "$CI_RESULTS"; ${then}`,
  hasTests: true,
})
const part = (name: string, command: string, more: object = {}): object => ({ name, minutes: 1, command, ...more })

/** Waits for longer than any test. */
const forever = 'sleep 1000'

interface Run {
  readonly name: string
  readonly steps: readonly (readonly object[])[]
  readonly minutes?: string
  readonly lines: readonly string[]
}

const runs: readonly Run[] = [
  { name: 'all is well', steps: [[part('npm ci', 'true')], [passes('true')]], lines: ['7 passed, 0 failed'] },
  {
    name: 'a server cannot be built',
    steps: [[part('tools/kube.ts', 'echo "go: no network" >&2; exit 3')], [passes('true')]],
    lines: ['FAILED tools/kube.ts: ended with status 3', '7 passed, 1 failed'],
  },
  {
    name: 'nothing can be installed',
    steps: [[part('npm ci', 'exit 1', { isNeeded: true })], [passes('true')]],
    lines: ['FAILED npm ci: ended with status 1', 'FAILED no test was run', '0 passed, 2 failed'],
  },
  {
    name: 'a part hangs, with what it has started',
    steps: [[part('tools/argocd.ts', `${forever} & ${forever}`, { minutes: 0.005 })], [passes('true')]],
    lines: ['FAILED tools/argocd.ts: took longer than its 0.005 minutes', '7 passed, 1 failed'],
  },
  {
    name: 'a part hangs that does not end when it is told to',
    steps: [[part('tools/argocd.ts', `trap '' TERM; ${forever}; ${forever}`, { minutes: 0.005 })], [passes('true')]],
    lines: ['FAILED tools/argocd.ts: took longer than its 0.005 minutes', '7 passed, 1 failed'],
  },
  {
    name: 'a part is killed',
    steps: [[part('tools/gates.ts', 'kill -KILL $$')], [passes('true')]],
    lines: ['FAILED tools/gates.ts: was stopped by SIGKILL', '7 passed, 1 failed'],
  },
  {
    name: 'the tests are killed',
    steps: [[passes('kill -KILL $$')]],
    lines: ['FAILED tests: was stopped by SIGKILL', '7 passed, 1 failed'],
  },
  {
    name: 'the tests are killed while they write',
    steps: [[passes(`printf '{"event":"end","fi' >> "$CI_RESULTS"; kill -KILL $$`)]],
    lines: [
      'FAILED tests: was stopped by SIGKILL',
      'FAILED tests.results: its run was stopped while it wrote',
      '7 passed, 2 failed',
    ],
  },
  {
    name: 'a part leaves something running',
    steps: [[part('tools/helm.ts', `${forever} & true`)], [passes('true')]],
    lines: ['7 passed, 0 failed'],
  },
  {
    name: 'a part beside the tests fails',
    steps: [[passes('true'), part('checks', 'exit 1', { isBeside: true })]],
    lines: ['FAILED checks: ended with status 1', '7 passed, 1 failed'],
  },
  {
    name: 'the whole takes too long',
    steps: [[part('tools/kube.ts', forever)], [passes('true')]],
    minutes: '0.02',
    lines: [
      'FAILED tools/kube.ts: took longer than what it had left of the 0.02 minutes of the whole',
      'FAILED tests: was not run, the whole took its 0.02 minutes',
      'FAILED no test was run',
      '0 passed, 3 failed',
    ],
  },
  {
    name: 'a server takes what is left for the tests',
    steps: [[part('tools/kube.ts', forever, { leaves: 1.98 })], [passes('true')]],
    minutes: '2',
    lines: [
      'FAILED tools/kube.ts: took longer than what it had left of the 2 minutes of the whole',
      '7 passed, 1 failed',
    ],
  },
  {
    name: 'what runs the parts is killed',
    steps: [[part('tools/kube.ts', `kill -KILL $PPID; ${forever}`)], [passes('true')]],
    lines: ['FAILED the run itself ended with status 137', 'FAILED no test was run', '0 passed, 2 failed'],
  },
]

/** Lines of the end, from the first that tells a failure. */
const lastLines = (text: string): readonly string[] => {
  const lines = text.trimEnd().split('\n')
  return lines.slice(lines.findIndex((line) => /^FAILED |^\d+ passed, /.test(line)))
}

async function planted(steps: readonly (readonly object[])[]): Promise<string> {
  const folder = await checkout()
  writeFileSync(join(folder, '.ci/parts.mjs'), `export const steps = ${JSON.stringify(steps)}\n`)
  return folder
}

describe('.ci/run ends with its line', () => {
  const program = '.ci/run'

  test.each(runs)('when $name', async ({ steps, minutes, lines }) => {
    const { status, stdout } = spawnSync('bash', [program], {
      cwd: await planted(steps),
      encoding: 'utf8',
      env: environment(minutes === undefined ? {} : { STACKMASON_CI_MINUTES: minutes }),
    })
    expect({ status, lines: lastLines(stdout) }).toEqual({ status: lines.length > 1 ? 1 : 0, lines })
  })

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('when it is stopped by %s', async (signal) => {
    const folder = await planted([[passes(`echo begun; ${forever}`)], [part('checks', 'true')]])
    const child = spawn('bash', [program], { cwd: folder, env: environment(), stdio: ['ignore', 'pipe', 'inherit'] })
    const closed = once(child, 'close')
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (text.endsWith('begun\n')) child.kill(signal)
    })
    await closed
    expect({ status: child.exitCode, lines: lastLines(text) }).toEqual({
      status: 1,
      lines: ['FAILED tests: CI was stopped', 'FAILED checks: was not run, CI was stopped', '7 passed, 2 failed'],
    })
  })

  test.each(['true', 'kill -KILL $PPID'])('and leaves nothing in memory: %s', async (then) => {
    const { stdout } = spawnSync('bash', [program], {
      cwd: await planted([
        [passes(`mkdir -p "\${CI_MEMORY:-$TMPDIR}/a"; echo "made \${CI_MEMORY:-$TMPDIR}"; ${then}`)],
      ]),
      encoding: 'utf8',
      env: environment({ CI_MEMORY: '', TMPDIR: await tempFolder() }),
    })
    const [, made = ''] = /^made (.*)$/m.exec(stdout) ?? []
    expect(made).toMatch(/^\//)
    expect({ made, isLeft: made.startsWith('/dev/shm/') && existsSync(made) }).toEqual({ made, isLeft: false })
  })

  test('where Node is missing', async () => {
    const folder = await checkout()
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'node'), '#!/bin/sh\nexit 127\n', { mode: 0o755 })
    const { status, stdout } = spawnSync('bash', [program], {
      cwd: folder,
      encoding: 'utf8',
      env: environment({ PATH: `${bin}:${process.env['PATH'] ?? ''}` }),
    })
    expect({ status, lines: lastLines(stdout) }).toEqual({
      status: 1,
      lines: [
        'FAILED there is no summary: node cannot be run, or what was left for it cannot be read',
        '0 passed, 1 failed',
      ],
    })
  })
})

describe('.ci/run on several machines', () => {
  const program = `import { steps } from ${JSON.stringify(join(packageFolder, '.ci/parts.mjs'))}
process.stdout.write('\\n' + JSON.stringify(steps.flat()))`
  const partsOf = (shard: string): readonly { readonly name: string; readonly command: string }[] => {
    const words = ['--input-type=module', '-e', program]
    const { stdout } = spawnSync(process.execPath, words, {
      encoding: 'utf8',
      env: environment({ STACKMASON_CI_SHARD: shard }),
    })
    return JSON.parse(stdout.slice(stdout.lastIndexOf('\n'))) as ReturnType<typeof partsOf>
  }
  const onLts = process.platform === 'linux' && process.arch === 'x64'

  test.each([
    { shard: '1/1', words: undefined, own: ['checks', 'package on LTS'] },
    { shard: '1/3', words: '--shard=1/3', own: ['checks'] },
    { shard: '2/3', words: '--shard=2/3', own: [] },
    { shard: '3/3', words: '--shard=3/3', own: ['package on LTS'] },
  ])('$shard', ({ shard, words, own }) => {
    const parts = partsOf(shard)
    const divided = parts.filter(({ name }) => ['tests', 'tests on LTS'].includes(name))
    expect(divided.map(({ command }) => /--shard=\S+/.exec(command)?.[0])).toEqual(
      (onLts ? ['tests', 'tests on LTS'] : ['tests']).map(() => words),
    )
    const once = parts.map(({ name }) => name).filter((name) => ['checks', 'package on LTS'].includes(name))
    expect(once).toEqual(onLts ? own : own.filter((name) => name === 'checks'))
  })

  test.each(['0/3', '4/3', '2', '10/12', '', '1/3 --help'])('not as %j', async (shard) => {
    const { status, stdout } = spawnSync('bash', ['.ci/run'], {
      cwd: await checkout(),
      encoding: 'utf8',
      env: environment({ STACKMASON_CI_SHARD: shard }),
    })
    expect({ status, lines: lastLines(stdout) }).toEqual({
      status: 1,
      lines: ['FAILED the run itself ended with status 1', 'FAILED no test was run', '0 passed, 2 failed'],
    })
  })

  test('each file of tests runs on one of them, and of each kind all have as many', () => {
    const files = readdirSync(join(packageFolder, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name, index) => ({ moduleId: `/test/${name}`, project: { config: { isolate: index % 9 === 0 } } }))
    expect(files.length).toBeGreaterThan(500)
    const machines = [1, 2, 3].map((index) => dealt(files, { index, count: 3 }))
    expect(machines.flat().toSorted(byName)).toEqual(files.toSorted(byName))
    const kinds = {
      isolated: ({ project }: (typeof files)[0]) => project.config.isolate,
      system: ({ project, moduleId }: (typeof files)[0]) =>
        !project.config.isolate && moduleId.startsWith('/test/system/'),
    }
    for (const [kind, isOfKind] of Object.entries(kinds)) {
      const counts = machines.map((own) => own.filter(isOfKind).length)
      expect({ kind, isEven: Math.max(...counts) - Math.min(...counts) <= 2, isSome: Math.min(...counts) > 5 }).toEqual(
        {
          kind,
          isEven: true,
          isSome: true,
        },
      )
    }
  })
})

const byName = (a: { readonly moduleId: string }, b: { readonly moduleId: string }): number =>
  a.moduleId < b.moduleId ? -1 : 1

test('the reporter counts what vitest runs, file by file', async () => {
  const folder = await tempFolder()
  const files: Readonly<Record<string, string>> = {
    good: "test('a', () => {}); test.skip('b', () => {})",
    bad: "test('a', () => { throw new Error('x') })",
    broken: "throw new Error('x')",
    hook: "beforeAll(() => { throw new Error('x') }); test('a', () => {})",
    dying: "test('a', () => { process.kill(process.pid, 'SIGKILL') })",
  }
  const from = `import { beforeAll, test } from ${JSON.stringify(join(packageFolder, 'node_modules/vitest/dist/index.js'))}\n`
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.test.js`), from + text)
  const results = join(folder, 'results')
  const vitest = join(packageFolder, 'node_modules/vitest/vitest.mjs')
  const words = [vitest, 'run', '--root', folder, `--reporter=${join(packageFolder, '.ci/reporter.mjs')}`]
  const { status } = spawnSync(process.execPath, words, { cwd: folder, env: environment({ CI_RESULTS: results }) })
  expect(status).toBe(1)
  expect(existsSync(results)).toBe(true)
  const lines: readonly Line[] = readFileSync(results, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const of = (event: string): readonly Line[] => lines.filter((line) => line['event'] === event)
  expect(of('start')).toEqual([{ event: 'start', files: 5 }])
  expect(of('begin')).toContainEqual({ event: 'begin', file: 'dying.test.js' })
  expect(of('end').toSorted((a, b) => (String(a['file']) < String(b['file']) ? -1 : 1))).toEqual([
    { event: 'end', file: 'bad.test.js', ok: false, passed: 0, failed: 1 },
    { event: 'end', file: 'broken.test.js', ok: false, passed: 0, failed: 0 },
    { event: 'end', file: 'good.test.js', ok: true, passed: 1, failed: 0 },
    { event: 'end', file: 'hook.test.js', ok: false, passed: 0, failed: 0 },
  ])
  expect(of('stop')).toEqual([{ event: 'stop', errors: [expect.stringMatching(/./)] }])
})

test.each([
  { shard: '1/2', files: 2 },
  { shard: '2/2', files: 1 },
])('the reporter counts what one of several machines runs: $shard', async ({ shard, files }) => {
  const folder = await tempFolder()
  const from = `import { test } from ${JSON.stringify(join(packageFolder, 'node_modules/vitest/dist/index.js'))}\n`
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, `${name}.test.js`), `${from}test('a', () => {})`)
  const results = join(folder, 'results')
  const vitest = join(packageFolder, 'node_modules/vitest/vitest.mjs')
  const reporter = `--reporter=${join(packageFolder, '.ci/reporter.mjs')}`
  const words = [vitest, 'run', '--root', folder, reporter, `--shard=${shard}`]
  const { status } = spawnSync(process.execPath, words, { cwd: folder, env: environment({ CI_RESULTS: results }) })
  expect(status).toBe(0)
  const events = readFileSync(results, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Line => JSON.parse(line) as Line)
  expect(events.filter(({ event }) => event === 'start')).toEqual([{ event: 'start', files }])
  expect(events.filter(({ event }) => event === 'end')).toHaveLength(files)
})
