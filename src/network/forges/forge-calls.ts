import type {
  AutoMerge,
  AutoMergeOutcome,
  CommitStatus,
  FindingsReport,
  Forge,
  NamedStatus,
  NewPullRequest,
  PullRequest,
  PullRequestChange,
  ReportedFindings,
} from '../../model/forge.ts'

/** A comment as it stands. */
export interface ForgeComment {
  readonly id: number
  readonly body: string
}

/** A commit status as it stands. */
export interface StatusEntry {
  readonly state: Exclude<CommitStatus, 'missing'>
  /** A line. */
  readonly text: string
  /** '' for none. */
  readonly url: string
}

/** A commit status that is to be. */
export interface NewStatus extends StatusEntry {
  readonly state: FindingsReport['conclusion']
}

/** A comment and where it belongs. */
export interface CommentKey {
  /** Of the pull request. */
  readonly number: number
  readonly id: number
}

/** A status and where it belongs. */
export interface StatusKey {
  readonly commit: string
  readonly context: string
}

/** When a pull request that was not merged came to its end: the newest of each, RFC 3339. */
export interface PullRequestEnding {
  readonly closed: string | undefined
  readonly branchDeleted: string | undefined
  /** A deletion that took place between so many seconds before and after the closing is what closed it. */
  readonly window: { readonly before: number; readonly after: number }
}

/** The single steps of one kind of forge; what follows from what is `composeForge`'s. */
export interface ForgeCalls extends Pick<
  Forge,
  'defaultBranch' | 'pullRequest' | 'addLabels' | 'addAssignees' | 'requestReviewers'
> {
  /** Also of forks. */
  readonly openPullRequests: () => Promise<readonly PullRequest[]>
  readonly latestPullRequest: Forge['latestPullRequest']
  readonly createPullRequest: (wanted: NewPullRequest) => Promise<PullRequest>
  readonly updatePullRequest: (current: PullRequest, changed: PullRequestChange) => Promise<PullRequest>
  readonly closePullRequest: (number: number, body: string | undefined) => Promise<void>
  /** Undefined where the forge does not tell. */
  readonly ending: (number: number) => Promise<PullRequestEnding | undefined>
  readonly enableAutoMerge: (current: PullRequest, wanted: AutoMerge) => Promise<AutoMergeOutcome>
  readonly comments: (number: number) => Promise<readonly ForgeComment[]>
  readonly createComment: (number: number, body: string) => Promise<ForgeComment>
  readonly editComment: (key: CommentKey, body: string) => Promise<void>
  /** Undefined when nobody has written it. */
  readonly readStatus: (key: StatusKey) => Promise<StatusEntry | undefined>
  /** The newest status of each name, and the check runs that count: neither hides the other. */
  readonly readStatuses: (commit: string) => Promise<readonly NamedStatus[]>
  readonly writeStatus: (key: StatusKey, entry: NewStatus) => Promise<void>
  /** The state of the newest check run of this name; absent where there are none. */
  readonly readCheckRun?: (key: StatusKey) => Promise<CommitStatus>
  /** Undefined when the token may not write check runs; absent where there are none. */
  readonly writeCheckRun?: (report: FindingsReport) => Promise<ReportedFindings | undefined>
}
