import type { ServerAccess } from './credentials.ts'
import type { Span } from './source.ts'

/** The kinds of forges; `gitea` is Forgejo, too. */
export const forgeKinds = ['github', 'gitea', 'gitlab'] as const

/** One of {@link forgeKinds}. */
export type ForgeKind = (typeof forgeKinds)[number]

/** A repository on a forge, and how the forge is reached. */
export interface ForgeConfig extends ServerAccess {
  readonly kind: ForgeKind
  /** The address for browsers, without a slash at the end: `https://github.com`, `https://example.org/gitea`. */
  readonly url: string
  /** `owner/name`; on GitLab groups may lie in each other. */
  readonly repository: string
  /** Where the fleet names it. */
  readonly at?: Span | undefined
}

/** An operation on a forge that tokens need a permission for. */
export type ForgeOperation =
  | 'pushBranches'
  | 'readPullRequests'
  | 'writePullRequests'
  | 'addLabels'
  | 'requestReviewers'
  | 'enableAutoMerge'
  | 'writeComments'
  | 'readStatuses'
  | 'reportFindings'

/** The unit that texts are measured in: characters of Unicode, or bytes of UTF-8. */
export type TextUnit = 'characters' | 'bytes'

/** The abilities and limits of a kind of forge. Code, documentation and tests read it. */
export interface ForgeAbilities {
  readonly kind: ForgeKind
  /** As people call it. */
  readonly name: string
  /** Its word for a pull request. */
  readonly pullRequest: string
  readonly unit: TextUnit
  readonly maxTitle: number
  /** The longest body that we write: it leaves room for what people add to it. */
  readonly maxBody: number
  /** The longest body that the forge takes. */
  readonly hardMaxBody: number
  /** The longest comment that the forge takes. */
  readonly maxComment: number
  /** The longest text beside a commit status. */
  readonly maxStatusText: number
  /** The beginning of a title that makes it a draft; absent: drafts are a state of their own. */
  readonly draftPrefix?: string
  /** True if it has draft pull requests in some form. */
  readonly canDraft: boolean
  /** True if it merges by itself once checks have passed. */
  readonly canAutoMerge: boolean
  /** True if teams can be asked for reviews. */
  readonly canAskTeams: boolean
  /** True if findings can stand at their lines, in a check run. */
  readonly canCheckRuns: boolean
  /** Branches that are pushed together: the forge does all for each of them that it does for one pushed alone. */
  readonly branchesPerPush: number
  /** Annotations of one call; 0 without check runs. */
  readonly annotationsPerCall: number
  /** Annotations that we write at most. */
  readonly maxAnnotations: number
  /** The permission that a token needs, in the forge's own words. */
  readonly permissions: Readonly<Record<ForgeOperation, string>>
}

/**
 * The table. Limits: GitHub's are what its API says when it refuses (422, "maximum is 65536 characters"; 256 for
 * titles), and those of "Create a check run" and "Create a commit status" in its OpenAPI description; GitLab's are
 * `Issuable::DESCRIPTION_LENGTH_MAX`, `TITLE_LENGTH_MAX` and the limit of notes; Gitea has none for texts, but for
 * titles. Branches of one push: above `push_event_hooks_limit`, which is 3, GitLab fires no webhooks, and above four it
 * starts no pipelines for branches; GitHub Actions goes on up to 5,000.
 */
export const forgeAbilities: Readonly<Record<ForgeKind, ForgeAbilities>> = {
  github: {
    kind: 'github',
    name: 'GitHub',
    pullRequest: 'pull request',
    unit: 'characters',
    maxTitle: 256,
    maxBody: 58_000,
    hardMaxBody: 65_536,
    maxComment: 65_536,
    maxStatusText: 140,
    canDraft: true,
    canAutoMerge: true,
    canAskTeams: true,
    canCheckRuns: true,
    branchesPerPush: 50,
    annotationsPerCall: 50,
    maxAnnotations: 500,
    permissions: {
      pushBranches: 'contents: write',
      readPullRequests: 'pull-requests: read',
      writePullRequests: 'pull-requests: write',
      addLabels: 'pull-requests: write, and issues: write where a label has to be created',
      requestReviewers: 'pull-requests: write',
      enableAutoMerge: 'contents: write and pull-requests: write',
      writeComments: 'pull-requests: write',
      readStatuses: 'checks: read and statuses: read',
      reportFindings: 'checks: write in GitHub Actions or of an app; statuses: write and pull-requests: write else',
    },
  },
  gitea: {
    kind: 'gitea',
    name: 'Gitea or Forgejo',
    pullRequest: 'pull request',
    unit: 'characters',
    maxTitle: 255,
    maxBody: 1_000_000,
    hardMaxBody: 1_000_000,
    maxComment: 1_000_000,
    maxStatusText: 255,
    draftPrefix: 'WIP: ',
    canDraft: true,
    canAutoMerge: true,
    canAskTeams: true,
    canCheckRuns: false,
    branchesPerPush: 50,
    annotationsPerCall: 0,
    maxAnnotations: 0,
    permissions: {
      pushBranches: 'write:repository',
      readPullRequests: 'read:repository',
      writePullRequests: 'write:repository',
      addLabels: 'write:issue',
      requestReviewers: 'write:repository',
      enableAutoMerge: 'write:repository',
      writeComments: 'write:issue',
      readStatuses: 'read:repository',
      reportFindings: 'write:repository and write:issue',
    },
  },
  gitlab: {
    kind: 'gitlab',
    name: 'GitLab',
    pullRequest: 'merge request',
    unit: 'bytes',
    maxTitle: 255,
    maxBody: 1_000_000,
    hardMaxBody: 1_048_576,
    maxComment: 1_000_000,
    maxStatusText: 255,
    draftPrefix: 'Draft: ',
    canDraft: true,
    canAutoMerge: true,
    canAskTeams: false,
    canCheckRuns: false,
    branchesPerPush: 3,
    annotationsPerCall: 0,
    maxAnnotations: 0,
    permissions: {
      pushBranches: 'scope write_repository, role Developer',
      readPullRequests: 'scope read_api, role Reporter',
      writePullRequests: 'scope api, role Developer',
      addLabels: 'scope api, role Developer',
      requestReviewers: 'scope api, role Developer',
      enableAutoMerge: 'scope api, and the right to merge into the base branch',
      writeComments: 'scope api, role Reporter',
      readStatuses: 'scope read_api, role Reporter',
      reportFindings: 'scope api, role Developer',
    },
  },
}

/** The length of a text as a forge measures it. */
export function measureText(text: string, unit: TextUnit): number {
  let length = 0
  for (const character of text) length += unit === 'characters' ? 1 : bytesOf(character.codePointAt(0) ?? 0)
  return length
}

/** The bytes of a character in UTF-8 (RFC 3629); half a pair of surrogates is sent as U+FFFD. */
function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x1_0000 ? 3 : 4
}

/** A pull request or merge request of the repository. */
export interface PullRequest {
  readonly number: number
  /** For people. */
  readonly url: string
  /** Without what marks a draft. */
  readonly title: string
  readonly body: string
  /** The branch that it wants merged. */
  readonly head: string
  readonly headCommit: string
  /** True if that branch lies in another repository: never ours, whatever it is called. */
  readonly isFromFork: boolean
  readonly base: string
  readonly isDraft: boolean
  readonly state: 'open' | 'merged' | 'closed'
  readonly labels: readonly string[]
}

/** True for a pull request that is looked for; without one, any is. */
export type PullRequestTest = (found: PullRequest) => boolean

/** A pull request that is to be. */
export interface NewPullRequest {
  readonly title: string
  readonly body: string
  readonly head: string
  readonly base: string
  readonly isDraft: boolean
}

/**
 * The end of creating one: `found` where somebody else, or a try whose answer was lost, had opened one for the same
 * branch and base. Then it is as it was found, which may differ from what was wanted.
 */
export interface CreatedPullRequest {
  readonly pullRequest: PullRequest
  readonly outcome: 'created' | 'found'
}

/** Changes of a pull request; the rest stays. */
export type PullRequestChange = Partial<Pick<NewPullRequest, 'title' | 'body' | 'base' | 'isDraft'>>

/** Who is asked for a review. */
export interface Reviewers {
  /** User names. */
  readonly users: readonly string[]
  /** Names of teams of the organization that owns the repository. */
  readonly teams: readonly string[]
}

/** The ways to merge. */
export type MergeMethod = 'merge' | 'squash' | 'rebase'

/** Merging without a person. */
export interface AutoMerge {
  readonly method: MergeMethod
  /** The commit that may be merged, and no other. */
  readonly headCommit: string
}

/**
 * The end of asking for it. `nothingToWaitFor`: no check is required or under way, so it was left to people rather than
 * merged at once; `notAllowed`: the repository does not allow it; `outdated`: the branch has another commit by now.
 */
export type AutoMergeOutcome = 'enabled' | 'nothingToWaitFor' | 'notAllowed' | 'outdated' | 'notOpen'

/** The outcome of writing something that exists once. */
export type UpsertOutcome = 'created' | 'updated' | 'unchanged'

/**
 * The state of a commit status or check run: `skipped` where it ended without a result, as a job does when one that it
 * needs has failed; `missing` where nobody has written it.
 */
export type CommitStatus = 'success' | 'pending' | 'failure' | 'skipped' | 'missing'

/** A commit status or check run, by its name. */
export interface NamedStatus {
  readonly context: string
  readonly state: Exclude<CommitStatus, 'missing'>
}

/** A finding at its line. */
export interface FindingAnnotation {
  readonly level: 'failure' | 'warning' | 'notice'
  /** Relative to the repository's root. */
  readonly path: string
  /** From 1. */
  readonly line: number
  readonly title: string
  readonly message: string
}

/**
 * The ways to show findings: at their lines in a check run where the forge has such and the token may write it, else as
 * `comment`; a commit status, and one comment on the pull request.
 */
export const findingsForms = ['check', 'comment'] as const

/** One of {@link findingsForms}. */
export type FindingsForm = (typeof findingsForms)[number]

/**
 * How much a verdict goes by, least first: what `publish` asks beside its work, a check of a commit by itself, and one
 * that also compares it with another.
 */
export const findingsWeights = ['publish', 'alone', 'compared'] as const

/** One of {@link findingsWeights}. */
export type FindingsWeight = (typeof findingsWeights)[number]

/** The findings that a check fails on, least strict first. */
export const failOnLevels = ['never', 'error', 'warning'] as const

/** One of {@link failOnLevels}. */
export type FailOn = (typeof failOnLevels)[number]

/** Findings for people who look at a commit or its pull request. */
export interface FindingsReport {
  readonly form: FindingsForm
  readonly commit: string
  /** The name of the check run or status, the same in each run. */
  readonly context: string
  /** Leaves what is there of that name and commit, and weighs more. Default: `compared`. */
  readonly weight?: FindingsWeight
  /** The level that fails it; a verdict that is less strict passes none that has failed. Default: `error`. */
  readonly failOn?: FailOn
  readonly conclusion: 'success' | 'failure'
  /** A line. */
  readonly title: string
  /** Markdown. */
  readonly summary: string
  readonly annotations: readonly FindingAnnotation[]
  /** Where all of it can be read; alone no reason to write anew. */
  readonly url?: string | undefined
  /** Gets a comment where there is no check run. */
  readonly pullRequest?: number | undefined
}

/** How findings were reported; `comment` where the token may write no status. */
export interface ReportedFindings {
  readonly as: 'checkRun' | 'status' | 'comment'
  readonly outcome: UpsertOutcome
  /** Annotations that do not stand at their lines: there were too many, or the forge shows none. */
  readonly leftOut: number
}

/**
 * A repository on a forge. Each call may throw StackmasonError: FETCH_* where the forge cannot be asked,
 * FETCH_INVALID where its answer has another shape than its API describes, PUBLISH_PERMISSION where the token may not,
 * PUBLISH_TOO_LONG where a text is too long, PUBLISH_REFUSED where the forge refuses for another reason.
 */
export interface Forge {
  readonly abilities: ForgeAbilities
  readonly defaultBranch: () => Promise<string>
  /** Those whose branch lies in this repository and begins so; all pages, by number. */
  readonly openPullRequests: (headPrefix: string) => Promise<readonly PullRequest[]>
  /** Undefined when there is none. */
  readonly pullRequest: (number: number) => Promise<PullRequest | undefined>
  /** The newest of a branch of this repository that is wanted, whatever its state; undefined when there was none. */
  readonly latestPullRequest: (head: string, isWanted?: PullRequestTest) => Promise<PullRequest | undefined>
  /** Never opens a second one for the same branch and base. */
  readonly createPullRequest: (wanted: NewPullRequest) => Promise<CreatedPullRequest>
  /** Gives it as it stands then; one that was closed or merged meanwhile is given back as it is. */
  readonly updatePullRequest: (number: number, changed: PullRequestChange) => Promise<PullRequest>
  /** Fine when it is not open; `body` is what it says afterwards. */
  readonly closePullRequest: (number: number, body?: string) => Promise<void>
  /**
   * True if it was closed because its branch was deleted, and by nobody who closed it: the forge has to say so. False
   * where it does not, or the token may not know.
   */
  readonly isClosedByDeletion: (number: number) => Promise<boolean>
  /** Adds labels; what the repository does not know is created. */
  readonly addLabels: (number: number, labels: readonly string[]) => Promise<void>
  /** Gives the names of those who cannot be assigned. */
  readonly addAssignees: (number: number, users: readonly string[]) => Promise<readonly string[]>
  /** Gives the names of those who cannot be asked. */
  readonly requestReviewers: (number: number, reviewers: Reviewers) => Promise<readonly string[]>
  readonly enableAutoMerge: (number: number, wanted: AutoMerge) => Promise<AutoMergeOutcome>
  /** Keeps one comment that begins with `marker`, which is put before `body`. */
  readonly upsertComment: (number: number, comment: MarkedComment) => Promise<UpsertOutcome>
  /** The newest status or check run of this name. */
  readonly statusOf: (commit: string, context: string) => Promise<CommitStatus>
  /** The newest status of each name, and the check runs that count: a name may come twice. */
  readonly statusesOf: (commit: string) => Promise<readonly NamedStatus[]>
  readonly reportFindings: (report: FindingsReport) => Promise<ReportedFindings>
}

/** A comment that is found again by what it begins with. */
export interface MarkedComment {
  /** An HTML comment. */
  readonly marker: string
  readonly body: string
}
