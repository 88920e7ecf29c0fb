import { expect, it } from 'vitest'
import { commitMessage } from '../../src/publish/commit-message.ts'
import { type AskedBranch, keptBranch } from '../../src/publish/kept-branch.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'

const { crypto } = createNodePorts()
const facts = { source: 's', fleet: 'b/stackmason.yaml', tree: 't', digest: undefined }
const commit = (message: string): AskedBranch['commits'][number] => ({
  commit: 'c',
  tree: 't',
  parents: [],
  author: 'Ada',
  message,
})
const ours = commit(commitMessage('Title', facts, crypto))
const authors = commit('Title\n')
const publish = { branchPrefix: 'stackmason/' }

it.each<[name: string, asked: Partial<AskedBranch>, want: ReturnType<typeof keptBranch>]>([
  ["an author's", {}, undefined],
  ["an author's with a commit of ours on top", { commits: [ours, authors] }, undefined],
  ['one without a commit', { commits: [] }, undefined],
  ['the default branch, into another one', { head: 'main', base: 'stable' }, 'base'],
  ["the fleet's base", { head: 'env/dev', publish: { ...publish, base: 'env/dev' } }, 'base'],
  ['the default branch of a fleet on another', { head: 'main', publish: { ...publish, base: 'env/dev' } }, undefined],
  ['the branch of the tree', { head: 'env/prod', publish: { ...publish, branch: 'env/prod' } }, 'base'],
  [
    'one of the name of a branch elsewhere',
    { head: 'prod', publish: { ...publish, branch: 'prod', repository: 'https://example.com/trees.git' } },
    undefined,
  ],
  ['the proposal of the fleet', { head: 'stackmason/lab/main' }, 'proposal'],
  ['the proposal of a cluster', { head: 'stackmason/lab/main--cluster.team.one' }, 'proposal'],
  ['the proposal of another fleet', { head: 'stackmason/other/main--shared' }, 'proposal'],
  ['a proposal that somebody has moved to another base', { head: 'stackmason/lab/main', base: 'stable' }, 'proposal'],
  ['a proposal into another base', { head: 'stackmason/lab/env-dev', base: 'env/dev' }, 'proposal'],
  ['one of that prefix that is none', { head: 'stackmason/docs' }, undefined],
  ['one below that prefix that is none', { head: 'stackmason/docs/typo' }, undefined],
  ['a proposal with another prefix', { head: 'b-lab/main', commits: [ours, ours] }, 'proposal'],
])('tells whose a branch is: %s', (_, asked, want) => {
  const branch: AskedBranch = {
    head: 'feature',
    base: 'main',
    defaultBranch: 'main',
    publish,
    commits: [authors],
    ...asked,
  }
  expect(keptBranch(branch, crypto)).toBe(want)
})
