import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const hook = pathToFileURL(join(import.meta.dirname, '../support/git-starts.mjs')).href

/** Starts git in many ways and prints what is seen of each. */
const PROGRAM = `
import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const seen = {}
const started = (args, options) => new Promise((resolve) => {
  const events = []
  const child = spawn('git', args, options)
  const printed = ['', '']
  child.stdout?.on('data', (bytes) => { printed[0] += bytes })
  child.stderr?.on('data', (bytes) => { printed[1] += bytes })
  child.on('spawn', () => { events.push('spawn') })
  child.on('exit', (...ended) => { events.push('exit', ...ended) })
  child.on('error', ({ message, code, path }) => { events.push('error', message, code, path) })
  child.on('close', (...ended) => { resolve({ child: [child.exitCode, child.signalCode, child.killed], events: [...events, 'close', ...ended], printed }) })
  options.then?.(child)
})
const plain = (args, options) => new Promise((resolve) => {
  execFile('git', args, options, (error, out, err) => { resolve([error?.code, error?.signal, error?.killed, out.length, err]) })
})
const parentOf = () => new Promise((resolve) => {
  const alias = 'alias.parent=!cut -d" " -f4 /proc/$PPID/stat'
  execFile('git', ['-c', alias, 'parent'], (error, out) => { resolve(Number(out)) }).stdin.end()
})

seen.output = await started(['hash-object', '--stdin'], { then: ({ stdin }) => { stdin.end('a'.repeat(3_000_000)) } })
seen.failure = await started(['no-such-command'], {})
seen.noFolder = await started(['version'], { cwd: '/no/such/folder' })
seen.environment = await started(['var', 'GIT_EDITOR'], { env: { PATH: process.env.PATH, GIT_EDITOR: 'a=b é' } })
seen.noProgram = await started(['version'], { env: { PATH: '/no/such/folder' } })
seen.killed = await started(['hash-object', '--stdin'], { then: (child) => { child.once('spawn', () => child.kill('SIGKILL')) } })
seen.aborted = await started(['hash-object', '--stdin'], { signal: AbortSignal.timeout(100) })
seen.ignored = await started(['no-such-command'], { stdio: ['ignore', 'pipe', 'ignore'] })
seen.unread = await started(['hash-object', '--no-such-option'], { then: ({ stdin }) => { stdin.on('error', () => undefined); stdin.write('a'.repeat(300_000)) } })
seen.tooMuch = await plain(['help', '-a'], { maxBuffer: 10 })
seen.late = await plain(['hash-object', '--stdin'], { timeout: 100 })
seen.many = await Promise.all(Array.from({ length: 30 }, (_, at) => started(['check-ref-format', '--branch', 'b' + at], {})))
console.log(JSON.stringify({ isOwn: (await parentOf()) === process.pid, seen }))
`

interface Ran {
  readonly isOwn: boolean
  readonly seen: Readonly<Record<string, unknown>>
}

async function ran(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  const program = [...args, '--input-type=module', '--eval', PROGRAM]
  const { stdout } = await promisify(execFile)(process.execPath, program, { env: { ...process.env, ...env } })
  return JSON.parse(stdout) as Ran
}

test.skipIf(process.platform !== 'linux')('a test sees git as ever where a shell starts it', async () => {
  const [ever, small] = await Promise.all([ran([], {}), ran(['--import', hook], {})])
  expect([ever.isOwn, small.isOwn]).toEqual([true, false])
  expect(small.seen).toEqual(ever.seen)
  expect(ever.seen).toMatchObject({
    output: {
      events: ['spawn', 'exit', 0, null, 'close', 0, null],
      printed: ['ae9ea2ccdaed325e1d5cdc54eb010d6908b9ffe6\n', ''],
    },
    killed: { child: [null, 'SIGKILL', true] },
    noFolder: { events: ['error', 'spawn git ENOENT', 'ENOENT', 'git', 'close', -2, null] },
    aborted: { events: expect.arrayContaining(['ABORT_ERR']) as unknown },
    late: [null, 'SIGTERM', true, 0, ''],
  })
})
