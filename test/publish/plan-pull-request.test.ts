import { describe, expect, it } from 'vitest'
import type { PullRequest } from '../../src/model/forge.ts'
import { type KnownPullRequest, planPullRequest } from '../../src/publish/plan-pull-request.ts'

const wanted = { title: 't', body: 'b', head: 'bot', base: 'main', isDraft: false, fingerprint: 'now' }

function known(fingerprint: string | undefined, change: Partial<PullRequest> = {}): KnownPullRequest {
  const pullRequest: PullRequest = {
    number: 7,
    url: 'https://forge/7',
    title: 'of somebody',
    body: '',
    head: 'bot',
    headCommit: 'c',
    isFromFork: false,
    base: 'main',
    isDraft: true,
    state: 'open',
    labels: [],
    ...change,
  }
  return { pullRequest, fingerprint }
}

const created = { action: 'create', wanted: { title: 't', body: 'b', head: 'bot', base: 'main', isDraft: false } }

describe('the pull request of a branch', () => {
  it.each([
    ['is opened', { open: undefined, last: undefined }, created],
    [
      'that says what is wanted is left, also its title and draft',
      { open: known('now') },
      { action: 'leave', reason: 'current' },
    ],
    [
      'that says something else is updated',
      { open: known('old') },
      { action: 'update', number: 7, changed: { title: 't', body: 'b' } },
    ],
    [
      'becomes a draft when nobody should merge it any more',
      { open: known('old', { isDraft: false }), wanted: { ...wanted, isDraft: true, isBad: true } },
      { action: 'update', number: 7, changed: { title: 't', body: 'b', isDraft: true } },
    ],
    [
      'that nobody should merge stays as people made it while it says the same',
      { open: known('now', { isDraft: false }), wanted: { ...wanted, isDraft: true, isBad: true } },
      { action: 'leave', reason: 'current' },
    ],
    [
      'is no draft any more when what it proposes is good again',
      { open: { ...known('old'), isOurDraft: true } },
      { action: 'update', number: 7, changed: { title: 't', body: 'b', isDraft: false } },
    ],
    [
      'stays a draft where the fleet wants drafts',
      { open: { ...known('old'), isOurDraft: true }, wanted: { ...wanted, isDraft: true } },
      { action: 'update', number: 7, changed: { title: 't', body: 'b' } },
    ],
    [
      'that lost our marks is updated',
      { open: known(undefined) },
      { action: 'update', number: 7, changed: { title: 't', body: 'b' } },
    ],
    [
      'that lacks what belongs to it loses the mark that says so',
      { open: { ...known('now'), isUnfinished: true } },
      { action: 'update', number: 7, changed: { body: 'b' } },
    ],
    [
      'for another base is moved',
      { open: known('now', { base: 'old' }) },
      { action: 'update', number: 7, changed: { base: 'main' } },
    ],
    [
      'that somebody closed stays closed',
      { last: known('now', { state: 'closed' }) },
      { action: 'leave', reason: 'declined' },
    ],
    ['that somebody closed comes back with something else', { last: known('old', { state: 'closed' }) }, created],
    ['that was merged is followed by another', { last: known('now', { state: 'merged' }) }, created],
    ['is closed when nothing is left', { open: known('now'), wanted: undefined }, { action: 'close', number: 7 }],
    ['is not opened for nothing', { wanted: undefined }, { action: 'leave', reason: 'nothing' }],
    [
      'is left to whoever has put commits there',
      { open: known('old'), isForeign: true },
      { action: 'leave', reason: 'foreign' },
    ],
    [
      'is not closed where somebody has put commits',
      { open: known('old'), wanted: undefined, isForeign: true },
      { action: 'leave', reason: 'foreign' },
    ],
  ])('%s', (_what, given, plan) => {
    expect(planPullRequest({ open: undefined, last: undefined, wanted, isForeign: false, ...given })).toEqual(plan)
  })
})
