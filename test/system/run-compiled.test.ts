import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const subject = pathToFileURL(join(import.meta.dirname, '../../src/system/run-compiled.ts')).href

describe('a program that is run from what an earlier run compiled', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stackmason-compiled-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** Makes program and start file; the program prints what it was given. */
  function install(answer: string): void {
    const program = `(async function (require, importMetaUrl, importModule) {
      const { basename } = await importModule('node:path')
      require('node:process').stdout.write(${JSON.stringify(answer)} + ' ' + basename(importMetaUrl) + ' ' + (process.argv[2] ?? ''))
    })`
    writeFileSync(join(folder, 'program.cjs'), program)
    const sha256 = createHash('sha256').update(program).digest('hex')
    writeFileSync(
      join(folder, 'start.mjs'),
      `import { runCompiled } from ${JSON.stringify(subject)}
runCompiled({
  file: new URL('program.cjs', import.meta.url),
  start: import.meta.url,
  importModule: (name) => import(name),
  sha256: '${sha256}',
})`,
    )
  }

  function run(command: string, env: NodeJS.ProcessEnv = {}): string {
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', join(folder, 'start.mjs'), command], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    })
    return stdout + stderr
  }

  const stored = (): readonly string[] => readdirSync(folder).filter((name) => name.endsWith('.compiled'))

  test('leaves compiled code for each command, and uses it', () => {
    install('one')
    expect(run('template')).toBe('one start.mjs template')
    const [first = ''] = stored()
    const { mtimeMs } = statSync(join(folder, first))
    expect(run('template')).toBe('one start.mjs template')
    expect(statSync(join(folder, first)).mtimeMs).toBe(mtimeMs)
    expect(run('render')).toBe('one start.mjs render')
    expect(run('../../escape')).toBe('one start.mjs ../../escape')
    expect(stored().map((name) => name.split('-').at(-1))).toEqual([
      'other.compiled',
      'render.compiled',
      'template.compiled',
    ])
  })

  test('never takes code of another program for it, of the same length even', () => {
    install('one')
    run('render')
    install('two')
    expect(run('render')).toBe('two start.mjs render')
  })

  test('compiles anew what is damaged', () => {
    install('one')
    run('render')
    for (const name of stored()) writeFileSync(join(folder, name), 'damaged')
    expect(run('render')).toBe('one start.mjs render')
    expect(stored().every((name) => statSync(join(folder, name)).size > 100)).toBe(true)
  })

  test('throws away what is old', () => {
    install('one')
    const old = join(folder, '0123-v1.0.0-x64-render.compiled')
    writeFileSync(old, '')
    utimesSync(old, new Date(0), new Date(0))
    run('render')
    expect(stored()).toHaveLength(1)
  })

  test('stores nothing when Node is told not to', () => {
    install('one')
    expect(run('render', { NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('one start.mjs render')
    expect(stored()).toEqual([])
  })
})
