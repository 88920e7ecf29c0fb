import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageFolder } from '../cli/run-cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

interface Case {
  readonly name: string
  readonly checks: number
  readonly report?: object
  /** Results of runs on other versions of Node, by name; null: it left none. */
  readonly legs?: Readonly<Record<string, object | null>>
  readonly shared: 'none' | 'used' | 'unused' | 'missing'
  readonly want: { readonly status: number; readonly lines: readonly string[] }
}

const good = { numPassedTests: 7, numFailedTests: 0, testResults: [] }
const cases: readonly Case[] = [
  { name: 'all is well', checks: 0, report: good, shared: 'none', want: { status: 0, lines: ['7 passed, 0 failed'] } },
  {
    name: 'the shared data was used',
    checks: 0,
    report: good,
    shared: 'used',
    want: { status: 0, lines: ['7 passed, 0 failed'] },
  },
  {
    name: 'no test used the shared data',
    checks: 0,
    report: good,
    shared: 'unused',
    want: { status: 1, lines: ['FAILED the shared data in ../shared was used by no test', '7 passed, 1 failed'] },
  },
  {
    name: 'the shared data that was named is not there',
    checks: 0,
    report: good,
    shared: 'missing',
    want: { status: 1, lines: ['FAILED the shared data in /nowhere was used by no test', '7 passed, 1 failed'] },
  },
  {
    name: 'a test failed',
    checks: 1,
    report: { ...good, numFailedTests: 2 },
    shared: 'none',
    want: { status: 1, lines: ['7 passed, 2 failed'] },
  },
  {
    name: 'a test file could not be run',
    checks: 1,
    report: { ...good, testResults: [{ name: 'a.test.ts', status: 'failed', assertionResults: [] }] },
    shared: 'none',
    want: { status: 1, lines: ['FAILED a.test.ts could not be run', '7 passed, 1 failed'] },
  },
  {
    name: 'lint failed',
    checks: 1,
    shared: 'none',
    want: { status: 1, lines: ['FAILED no test was run', '0 passed, 1 failed'] },
  },
  {
    name: 'something after the tests failed',
    checks: 1,
    report: good,
    shared: 'none',
    want: { status: 1, lines: ['FAILED a check failed', '7 passed, 1 failed'] },
  },
  {
    name: 'runs on other versions of Node count',
    checks: 0,
    report: good,
    legs: { lts: { ...good, numFailedTests: 1 } },
    shared: 'none',
    want: { status: 1, lines: ['14 passed, 1 failed'] },
  },
  {
    name: 'a run on another version of Node was not made',
    checks: 0,
    report: good,
    legs: { lts: null },
    shared: 'none',
    want: { status: 1, lines: ['FAILED no test was run on Node lts', '7 passed, 1 failed'] },
  },
]

describe('.ci/summary.mjs', () => {
  test.each(cases)('$name', async ({ checks, report, legs = {}, shared, want }) => {
    const folder = join(await tempFolder(), 'checkout')
    mkdirSync(join(folder, '.cache'), { recursive: true })
    if (shared === 'used' || shared === 'unused') mkdirSync(join(folder, '../shared'))
    if (shared === 'used') writeFileSync(join(folder, '.cache/shared-used'), '')
    if (report !== undefined) writeFileSync(join(folder, '.cache/test-results.json'), JSON.stringify(report))
    for (const [leg, result] of Object.entries(legs)) {
      if (result !== null) writeFileSync(join(folder, `.cache/test-results-${leg}.json`), JSON.stringify(result))
    }
    const { STACKMASON_SHARED: _, ...environment } = process.env
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(packageFolder, '.ci/summary.mjs'), String(checks), ...Object.keys(legs)],
      {
        cwd: folder,
        encoding: 'utf8',
        env: { ...environment, ...(shared === 'missing' ? { STACKMASON_SHARED: '/nowhere' } : {}) },
      },
    )
    expect({ status, lines: stdout.trimEnd().split('\n') }).toEqual(want)
  })
})
