import { expect, test } from 'vitest'
import type { PullRequestConfig } from '../../src/model/publish-config.ts'
import { keepPullRequest } from '../../src/pipeline/publishing/keep-pull-request.ts'
import { fakeForge } from './fake-forge.ts'

const config: PullRequestConfig = {
  labels: [],
  reviewers: [],
  teams: [],
  assignees: [],
  isDraft: false,
  autoMerge: 'squash',
  grouping: 'fleet',
}
const head = 'stackmason/lab/main'
const proposed = { title: 'one', body: 'one', head, base: 'main', isDraft: false }

const rows: readonly (readonly [
  what: string,
  was: 'draft' | 'open',
  becomes: 'draft' | 'open',
  ...writes: string[],
])[] = [
  ['stays open', 'open', 'open', 'merge 1 by squash', 'update 1: body, title'],
  ['becomes a draft', 'open', 'draft', 'update 1: isDraft', 'update 1: body, isDraft, title'],
  ['is a draft no longer', 'draft', 'open', 'update 1: isDraft', 'merge 1 by squash', 'update 1: body, isDraft, title'],
]

test.each(rows)(
  'one that lacks what belongs to it and %s is merged by itself if it may',
  async (_, was, becomes, ...want) => {
    const { forge, writes } = fakeForge(() => 'c')
    const isOurDraft = was === 'draft'
    const { pullRequest } = await forge.createPullRequest({ ...proposed, isDraft: isOurDraft })
    writes.splice(0)
    const isBad = becomes === 'draft'
    const wanted = {
      ...proposed,
      title: 'two',
      body: 'two',
      isDraft: isBad,
      fingerprint: 'after',
      isNotice: false,
      isBad,
    }
    await keepPullRequest({
      forge,
      open: { pullRequest, fingerprint: 'before', isOurDraft, isUnfinished: true },
      last: undefined,
      wanted,
      headCommit: 'c',
      isPushed: false,
      isForeign: false,
      config,
    })
    expect(writes).toEqual(want)
  },
)
