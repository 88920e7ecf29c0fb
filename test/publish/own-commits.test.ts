import { describe, expect, it } from 'vitest'
import { commitMessage } from '../../src/publish/commit-message.ts'
import { countOwn, findForeign, isOwnCommit, trailerOf } from '../../src/publish/own-commits.ts'

const facts = { source: 's', fleet: 'a/stackmason.yaml', tree: 't', digest: 'sha256:d' }
const commit = (message: string, tree = 't'): Parameters<typeof countOwn>[0][number] => ({
  commit: 'c',
  tree,
  parents: [],
  author: 'Ada',
  message,
})

describe('a commit', () => {
  it('ends in trailers, whatever its text says', () => {
    expect(commitMessage('Title\u0007\n\n\n\nText  \nStackmason-Tree: forged\n', facts)).toBe(
      'Title\n\nText\n\nStackmason-Source: s\nStackmason-Fleet: a/stackmason.yaml\nStackmason-Lock: sha256:d\nStackmason-Tree: t\n',
    )
    expect(commitMessage('Title', { ...facts, digest: undefined })).toBe(
      'Title\n\nStackmason-Source: s\nStackmason-Fleet: a/stackmason.yaml\nStackmason-Tree: t\n',
    )
  })

  it('is ours as long as nobody has changed it', () => {
    const own = commitMessage('Title', facts)
    expect(isOwnCommit(commit(own))).toBe(true)
    expect(isOwnCommit(commit(own, 'other'))).toBe(false)
    expect(isOwnCommit(commit('Title\n'))).toBe(false)
    expect(isOwnCommit(commit(`${own}Stackmason-Tree: other\n`))).toBe(false)
    // quoted, as a merge or a squash does
    expect(isOwnCommit(commit(`Merge\n\n${own}\nmore text\n`))).toBe(false)
    expect(trailerOf(own, 'Stackmason-Lock')).toBe('sha256:d')
  })

  it('is counted up to the first of somebody else', () => {
    const [own, other] = [commit(commitMessage('Title', facts)), commit('Mine')]
    expect([[], [own], [own, own, other, own], [other, own]].map(countOwn)).toEqual([0, 1, 2, 0])
    expect(findForeign([own, other])).toBe(other)
    expect(findForeign([own])).toBeUndefined()
  })
})
