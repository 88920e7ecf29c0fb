import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { missingBinaries } from '../../tools/complete-lock.ts'

test('the lock file names the binaries of every platform, so that npm ci works everywhere', () => {
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8'))
  expect([...missingBinaries(lock.packages).keys()]).toEqual([])
})

test('an entry that is missing is found and written from its name', () => {
  const owner = {
    version: '1.2.0',
    dev: true,
    license: 'MIT',
    optionalDependencies: { '@x/binding-linux-arm64-musl': '^1.2.0', other: '1' },
  }
  expect([...missingBinaries({ 'node_modules/x': owner })]).toEqual([
    [
      'node_modules/@x/binding-linux-arm64-musl',
      { version: '1.2.0', cpu: ['arm64'], dev: true, libc: ['musl'], license: 'MIT', optional: true, os: ['linux'] },
    ],
  ])
})
