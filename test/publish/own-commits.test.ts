import { describe, expect, it } from 'vitest'
import { commitMessage } from '../../src/publish/commit-message.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { countOwn, findForeign, isOwnCommit, trailerOf } from '../../src/publish/own-commits.ts'

const { crypto } = createNodePorts()
const message = (text: string, more: object = {}): string => commitMessage(text, { ...facts, ...more }, crypto)
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
    expect(message('Title\u0007\n\n\n\nText  \nStackmason-Tree: forged\n')).toBe(
      'Title\n\nText\n\nStackmason-Source: s\nStackmason-Fleet: a/stackmason.yaml\nStackmason-Lock: sha256:d\nStackmason-Message: 31586ba146d166fd\nStackmason-Tree: t\n',
    )
    expect(message('Title', { digest: undefined })).toBe(
      'Title\n\nStackmason-Source: s\nStackmason-Fleet: a/stackmason.yaml\nStackmason-Message: 7e8cd2056da73a7f\nStackmason-Tree: t\n',
    )
  })

  it('is ours as long as nobody has changed it', () => {
    const own = message('Title')
    expect(isOwnCommit(commit(own), crypto)).toBe(true)
    expect(isOwnCommit(commit(own, 'other'), crypto)).toBe(false)
    expect(isOwnCommit(commit('Title\n'), crypto)).toBe(false)
    expect(isOwnCommit(commit(`${own}Stackmason-Tree: other\n`), crypto)).toBe(false)
    // reworded, and wrapped anew
    const long = message('Title\n\nSome words that say ü 😀 \udc80 much')
    expect(isOwnCommit(commit(long.replace('\udc80', '\ufffd').replace('words that', 'words\n  that')), crypto)).toBe(
      true,
    )
    expect(isOwnCommit(commit(long.replace('words', 'Words')), crypto)).toBe(false)
    expect(isOwnCommit(commit(own.replace('Title', 'Title, of mine')), crypto)).toBe(false)
    // of a program that wrote no digest of it
    expect(isOwnCommit(commit(own.replace(/Stackmason-Message: .*\n/, '').replace('Title', 'Other')), crypto)).toBe(
      true,
    )
    // quoted, as a merge or a squash does
    expect(isOwnCommit(commit(`Merge\n\n${own}\nmore text\n`), crypto)).toBe(false)
    expect(trailerOf(own, 'Stackmason-Lock')).toBe('sha256:d')
  })

  it('is counted up to the first of somebody else', () => {
    const [own, other] = [commit(message('Title')), commit('Mine')]
    expect([[], [own], [own, own, other, own], [other, own]].map((commits) => countOwn(commits, crypto))).toEqual([
      0, 1, 2, 0,
    ])
    expect(findForeign([own, other], crypto)).toBe(other)
    expect(findForeign([own], crypto)).toBeUndefined()
  })
})
