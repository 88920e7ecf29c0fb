import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { moduleCache, pruneModuleCaches } from '../../tools/module-cache.ts'

const DAY = 24 * 60 * 60 * 1000
const now = Date.UTC(2026, 10, 30)
let root = ''

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'module-cache-'))
})

afterEach(() => {
  rmSync(root, { recursive: true })
})

/** Makes a folder of one cache, last changed some days ago. */
function folder(name: string, { files, days }: { readonly files: number; readonly days: number }): void {
  mkdirSync(join(root, name))
  for (let n = 0; n < files; n += 1) writeFileSync(join(root, name, String(n)), '')
  utimesSync(join(root, name), (now - days * DAY) / 1000, (now - days * DAY) / 1000)
}

test('each lock has a folder of its own', () => {
  const of = (lock: string): string => {
    writeFileSync(join(root, 'package-lock.json'), lock)
    return moduleCache(root, '/caches')
  }
  expect([of('one'), of('two'), of('one')]).toEqual([
    '/caches/7692c3ad3540',
    '/caches/3fc4ccfe7458',
    '/caches/7692c3ad3540',
  ])
})

test.each([
  ['one that is as large as it may be', 'own', { files: 3, days: 30 }, ['own']],
  ['one that is larger', 'own', { files: 4, days: 0 }, []],
  ['that of another lock, used this week', 'other', { files: 9, days: 6 }, ['other']],
  ['that of another lock, not used for a week', 'other', { files: 1, days: 8 }, []],
])('of what vitest made of modules, keeps or removes %s', (_, name, made, left) => {
  folder(name, made)
  pruneModuleCaches(join(root, 'own'), { now, maxFiles: 3 })
  expect(readdirSync(root)).toEqual(left)
})

test('removes nothing where there is nothing', () => {
  pruneModuleCaches(join(root, 'caches', 'own'), { now })
  expect(readdirSync(root)).toEqual([])
})
