import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { isBranchName } from '../../src/model/branch-name.ts'

const good = ['main', 'feature/one', 'a.b', 'größe', '@a', 'a@b', 'a-', 'HEAD/a', 'refs/heads/main', 'x.locked', "it's"]
const parts = ['', '.a', 'a/.b', 'a..b', 'a.', 'a.lock', 'a.lock/b', '/a', 'a/', 'a//b', '../..', '.']
const characters = ['a b', 'a~1', 'a^', 'a:b', 'a?', 'a*', '[a', 'a\\b', 'a@{1}', 'a\tb', 'a\x7fb']
const bad = ['HEAD', '-a', '--force', ...parts, ...characters]

it.each([...good, ...bad])('judges %j as git does', (name) => {
  const { status } = spawnSync('git', ['check-ref-format', '--branch', name], { stdio: 'ignore' })
  expect(isBranchName(name)).toBe(status === 0)
  expect(good.includes(name)).toBe(status === 0)
})

it('takes no other name of HEAD', () => {
  expect(isBranchName('@')).toBe(false)
})
