import type { NewPullRequest, PullRequest, PullRequestChange } from '../model/forge.ts'

/** A pull request that the forge has, and what its body says of itself. */
export interface KnownPullRequest {
  readonly pullRequest: PullRequest
  /** Of what it was written from; undefined: none of our marks is left, or we have closed it ourselves. */
  readonly fingerprint: string | undefined
  /** True if it is a draft because nobody should merge what it proposed. */
  readonly isOurDraft?: boolean
  /** True if it was opened by a run that did not come to give it what belongs to it. */
  readonly isUnfinished?: boolean
}

/** The inputs of planning a pull request. */
export interface PullRequestSituation {
  /** The open one of the branch. */
  readonly open: KnownPullRequest | undefined
  /** The newest of the branch that is not open. */
  readonly last: KnownPullRequest | undefined
  /** Its wanted state; undefined: nothing is left to propose. */
  readonly wanted:
    | (NewPullRequest & {
        readonly fingerprint: string
        /** True if it changes no file and only tells something. */
        readonly isNotice?: boolean
        /** True if nobody should merge it: it is a draft whatever people have made of the one before. */
        readonly isBad?: boolean
      })
    | undefined
  /** True if somebody else has put commits on the branch. */
  readonly isForeign: boolean
}

/** The next action for a pull request. */
export type PullRequestPlan =
  | { readonly action: 'create'; readonly wanted: NewPullRequest }
  | { readonly action: 'update'; readonly number: number; readonly changed: PullRequestChange }
  | { readonly action: 'close'; readonly number: number }
  /** `declined`: somebody closed the same proposal, or merged one without a change, and it stays so. */
  | { readonly action: 'leave'; readonly reason: 'current' | 'declined' | 'foreign' | 'nothing' }

/**
 * Plans what is done about the pull request of a branch. One that says what is wanted is left alone, whatever people
 * have written around it; one that was closed without merging is opened again only for something else.
 */
export function planPullRequest({ open, last, wanted, isForeign }: PullRequestSituation): PullRequestPlan {
  if (isForeign) return { action: 'leave', reason: 'foreign' }
  if (wanted === undefined)
    return open === undefined
      ? { action: 'leave', reason: 'nothing' }
      : { action: 'close', number: open.pullRequest.number }
  const { title, body, head, base, isDraft, fingerprint, isNotice = false, isBad = false } = wanted
  if (open === undefined) {
    // what changes no file was read when somebody merged it
    const isSeen = last?.pullRequest.state === 'closed' || (isNotice && last?.pullRequest.state === 'merged')
    if (isSeen && last.fingerprint === fingerprint) return { action: 'leave', reason: 'declined' }
    return { action: 'create', wanted: { title, body, head, base, isDraft } }
  }
  const { pullRequest, isOurDraft = false, isUnfinished = false } = open
  const isOther = open.fingerprint !== fingerprint
  // people may take it out of draft or make it one, and may have given it another title: until it proposes something
  // else
  const turnsBad = isOther && isBad && !pullRequest.isDraft
  const turnsGood = isOther && isOurDraft && !isDraft && pullRequest.isDraft
  const changed: PullRequestChange = {
    ...(pullRequest.base !== base && { base }),
    ...(isOther && { title }),
    ...((isOther || isUnfinished) && { body }),
    ...((turnsBad || turnsGood) && { isDraft: turnsBad }),
  }
  return Object.keys(changed).length === 0
    ? { action: 'leave', reason: 'current' }
    : { action: 'update', number: pullRequest.number, changed }
}
