import { build } from 'esbuild'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { tempFolderForFile } from '../support/temp-folder.ts'

/** The subject as JavaScript, so that no process that is started has to load what translates TypeScript. */
let subject = ''
beforeAll(async () => {
  const outfile = join(tempFolderForFile(), 'run-compiled.mjs')
  const entry = join(import.meta.dirname, '../../src/system/run-compiled.ts')
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', target: 'node20', format: 'esm' })
  subject = pathToFileURL(outfile).href
})

describe('a program that is run from what an earlier run compiled', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stackmason-compiled-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** Makes program and start file; the program prints what it was given, or does something else. */
  function install(answer: string, body?: string): void {
    const tell = `const { basename } = require('node:path')
      require('node:process').stdout.write(${JSON.stringify(answer)} + ' ' + basename(importMetaUrl) + ' ' + (process.argv[2] ?? ''))`
    const program = `(async function (require, importMetaUrl) {
      ${body ?? tell}
    })`
    writeFileSync(join(folder, 'program.cjs'), program)
    const sha256 = createHash('sha256').update(program).digest('hex')
    writeFileSync(
      join(folder, 'start.mjs'),
      `import { runCompiled } from ${JSON.stringify(subject)}
runCompiled({
  file: new URL('program.cjs', import.meta.url),
  start: import.meta.url,
  sha256: '${sha256}',
  digest: '${sha256}',
  commands: ['render', 'template', 'controller'],
})`,
    )
  }

  function run(command: string, env: NodeJS.ProcessEnv = {}): string {
    const { stdout, stderr, error } = spawnSync(process.execPath, [join(folder, 'start.mjs'), command], {
      encoding: 'utf8',
      timeout: 20_000,
      killSignal: 'SIGKILL',
      env: { ...process.env, XDG_CACHE_HOME: join(folder, 'cache'), ...env },
    })
    return stdout + stderr + (error?.message ?? '')
  }

  const cache = (): string => join(folder, 'cache', 'stackmason', 'compiled')
  const stored = (): readonly string[] => (existsSync(cache()) ? readdirSync(cache()).sort() : [])

  test('leaves compiled code for each command, and uses it', () => {
    install('one')
    expect(run('template')).toBe('one start.mjs template')
    const [first = ''] = stored()
    const { mtimeMs } = statSync(join(cache(), first))
    expect(run('template')).toBe('one start.mjs template')
    expect(statSync(join(cache(), first)).mtimeMs).toBe(mtimeMs)
    expect(run('render')).toBe('one start.mjs render')
    expect(run('../../escape')).toBe('one start.mjs ../../escape')
    expect(run('rendr')).toBe('one start.mjs rendr')
    expect(stored().map((name) => name.split('-').at(-1))).toEqual(['render.compiled', 'template.compiled'])
    expect(readdirSync(folder).sort()).toEqual(['cache', 'program.cjs', 'start.mjs'])
  })

  test('leaves the code that a long run began with, and has not used since', () => {
    const parts = Array.from(
      { length: 300 },
      (_, index) => `(x) => { let y = x + ${String(index)}; return 'text' + y }`,
    )
    // each array takes so much that those before it are collected, and old code with them
    const body = (arrays: number): string => `
      const begin = () => [${parts.join()}].map((part) => part(1))
      begin()
      let kept
      for (let count = 0; count < ${String(arrays)}; count++) {
        kept = new Array(500_000).fill(count)
        await new Promise((resolve) => setImmediate(resolve))
      }`
    const after = (arrays: number): { readonly size: number; readonly ino: number } => {
      install('', body(arrays))
      expect(run('render')).toBe('')
      const [name = ''] = stored()
      return statSync(join(cache(), name))
    }
    const short = after(0)
    rmSync(cache(), { recursive: true, force: true })
    const long = after(300)
    expect(long.size).toBeGreaterThan(short.size * 0.9)
    // and it is used: what it is checked for is as in any other run
    expect(after(300).ino).toBe(long.ino)
  })

  test('never takes code of another program for it, of the same length even', () => {
    install('one')
    run('render')
    install('two')
    expect(run('render')).toBe('two start.mjs render')
  })

  test('compiles anew what is damaged, wherever it is', () => {
    install('one')
    run('render')
    const [name = ''] = stored()
    const path = join(cache(), name)
    const sound = readFileSync(path)
    for (const at of [0, 40, 60, 100, Math.floor(sound.length / 2), sound.length - 1]) {
      const damaged = Buffer.from(sound)
      damaged[at] = (damaged[at] ?? 0) ^ 0xff
      writeFileSync(path, damaged)
      expect(run('render')).toBe('one start.mjs render')
      expect(readFileSync(path).subarray(0, 32)).toEqual(
        createHash('sha256').update(readFileSync(path).subarray(32)).digest(),
      )
    }
    writeFileSync(path, 'damaged')
    expect(run('render')).toBe('one start.mjs render')
    expect(statSync(path).size).toBeGreaterThan(100)
  })

  test.runIf(process.getuid !== undefined)('takes and leaves nothing where others may write', () => {
    install('one')
    mkdirSync(cache(), { recursive: true })
    chmodSync(cache(), 0o777)
    expect(run('render')).toBe('one start.mjs render')
    expect(stored()).toEqual([])
    rmSync(cache(), { recursive: true })
    mkdirSync(join(folder, 'elsewhere'))
    symlinkSync(join(folder, 'elsewhere'), cache())
    expect(run('render')).toBe('one start.mjs render')
    expect(stored()).toEqual([])
  })

  test.runIf(process.platform === 'linux')('ends where no folder can be made', () => {
    install('one')
    for (const place of [{ XDG_CACHE_HOME: '/proc/x' }, { XDG_CACHE_HOME: '', HOME: '/proc' }])
      expect(run('render', place)).toBe('one start.mjs render')
  })

  test('throws away what is old', () => {
    install('one')
    run('template')
    const old = join(cache(), '0123-v1.0.0-x64-render.compiled')
    writeFileSync(old, '')
    utimesSync(old, new Date(0), new Date(0))
    run('render')
    expect(stored().map((name) => name.split('-').at(-1))).toEqual(['render.compiled', 'template.compiled'])
  })

  test('makes room for new objects once it takes long, and never where it runs for weeks', () => {
    install(
      '',
      `const { getHeapSpaceStatistics } = require('node:v8')
      const { Worker } = require('node:worker_threads')
      const kept = []
      const room = (objects) => {
        for (let index = 0; index < objects; index++) if (kept.push({ text: 'x' + index }) > 20_000) kept.length = 0
        const { space_size: size } = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
        return size / 1024 / 1024
      }
      const said = (size) => (size <= 6 ? 'little' : size <= 20 ? 'some' : 'much')
      const first = room(300_000)
      // another heap: to make one gives this one the default of V8 back, which the run takes away again
      if (process.argv[2] === 'render') new Worker('', { eval: true })
      const until = Date.now() + 1500
      let last = 0
      while (Date.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, 10))
        last = room(10_000)
      }
      require('node:process').stdout.write(said(first) + ', then ' + said(last))`,
    )
    // 2 MiB, with threads that collect on a busy machine up to 5, then 8, or twice that where the machine is busy; by itself Node makes it 32
    expect([run('controller'), run('render')]).toEqual(['little, then little', 'little, then some'])
  })

  test('stores nothing when Node is told not to', () => {
    install('one')
    expect(run('render', { NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('one start.mjs render')
    expect(stored()).toEqual([])
  })
})
