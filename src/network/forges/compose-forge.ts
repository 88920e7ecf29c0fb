import { StackmasonError } from '../../model/diagnostic.ts'
import {
  type AutoMerge,
  type AutoMergeOutcome,
  type CommitStatus,
  type CreatedPullRequest,
  type FindingsReport,
  type Forge,
  type MarkedComment,
  type NewPullRequest,
  type PullRequest,
  type PullRequestChange,
  type ReportedFindings,
  type UpsertOutcome,
} from '../../model/forge.ts'
import { isOutweighed, type KnownVerdict, rankOf, type VerdictRank, verdictRanks } from './findings-weight.ts'
import type { ForgeCalls, ForgeComment, StatusEntry } from './forge-calls.ts'
import { type ForgeClient, refusalOf, requireLength } from './forge-client.ts'
import { backoff } from '../transport/retry.ts'
import { writeOnce } from './write-once.ts'

/** As often a forge is asked that has the repository, and no pull requests of it: some seconds. */
const LIST_ATTEMPTS = 6

/** As often it is looked whether it knows of a push. */
const HEAD_ATTEMPTS = 5

interface Composed {
  readonly client: ForgeClient
  readonly calls: ForgeCalls
}

/** Makes a forge of its single steps: what follows from what is the same on all of them. */
export function composeForge(client: ForgeClient, calls: ForgeCalls): Forge {
  const composed = { client, calls }
  return {
    abilities: client.abilities,
    defaultBranch: calls.defaultBranch,
    openPullRequests: (prefix) => openPullRequests(composed, prefix),
    pullRequest: calls.pullRequest,
    latestPullRequest: calls.latestPullRequest,
    createPullRequest: (wanted) => createPullRequest(composed, wanted),
    updatePullRequest: (number, changed) => updatePullRequest(composed, number, changed),
    closePullRequest: (number, body) => closePullRequest(composed, number, body),
    isClosedByDeletion: (number) => isClosedByDeletion(calls, number),
    addLabels: async (number, labels) => {
      if (labels.length > 0) await calls.addLabels(number, labels)
    },
    addAssignees: async (number, users) => (users.length > 0 ? calls.addAssignees(number, users) : []),
    requestReviewers: async (number, reviewers) =>
      reviewers.users.length + reviewers.teams.length > 0 ? calls.requestReviewers(number, reviewers) : [],
    enableAutoMerge: (number, wanted) => enableAutoMerge(composed, number, wanted),
    upsertComment: (number, comment) => upsertComment(composed, number, comment),
    statusOf: (commit, context) => statusOf(calls, { commit, context }),
    statusesOf: (commit) => calls.readStatuses(commit),
    reportFindings: (report) => reportFindings(composed, report),
  }
}

/** A branch of a fork may have any name: it is never ours. */
async function openPullRequests(composed: Composed, prefix: string): Promise<readonly PullRequest[]> {
  const open = await listOpen(composed)
  return open
    .filter(({ head, isFromFork, state }) => !isFromFork && state === 'open' && head.startsWith(prefix))
    .toSorted((a, b) => a.number - b.number)
}

/** Gitea has none, and says that there is no such thing, until it has learned of the first push to a repository. */
async function listOpen({ client, calls }: Composed): Promise<readonly PullRequest[]> {
  const { clock, random } = client.ports
  for (let attempt = 1; ; attempt++) {
    try {
      return await calls.openPullRequests()
    } catch (error) {
      if (!isMissing(error) || attempt >= LIST_ATTEMPTS) throw error
      // where the repository itself is missing this says so
      await calls.defaultBranch()
    }
    await clock.sleep(backoff(attempt, random))
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof StackmasonError && error.diagnostics.some(({ code }) => code === 'FETCH_NOT_FOUND')
}

/**
 * A forge has one open pull request for a branch and its base at most: so a try that comes too late is refused, and
 * what is there is found.
 */
async function createPullRequest(composed: Composed, wanted: NewPullRequest): Promise<CreatedPullRequest> {
  const { client, calls } = composed
  requireTexts(client, wanted)
  const { item, outcome } = await writeOnce(
    {
      write: () => calls.createPullRequest(wanted),
      // Gitea learns of a push after git was told that it went well, and may not know the branch yet
      passing: ['FETCH_NOT_FOUND'],
      look: async () => {
        const open = await openPullRequests(composed, wanted.head)
        return open.find(({ head, base }) => head === wanted.head && base === wanted.base)
      },
    },
    client.ports,
  )
  return { pullRequest: item, outcome }
}

async function updatePullRequest(composed: Composed, number: number, changed: PullRequestChange): Promise<PullRequest> {
  const { client, calls } = composed
  requireTexts(client, changed)
  const current = await existing(composed, number)
  if (current.state !== 'open' || !differs(current, changed)) return current
  try {
    return await calls.updatePullRequest(current, changed)
  } catch (error) {
    if (refusalOf(error) === undefined) throw error
    // somebody may have merged or closed it since
    const now = await calls.pullRequest(number)
    if (now === undefined || now.state === 'open') throw error
    return now
  }
}

async function closePullRequest(composed: Composed, number: number, body: string | undefined): Promise<void> {
  const { client, calls } = composed
  if (body !== undefined) requireTexts(client, { body })
  const current = await calls.pullRequest(number)
  if (current?.state !== 'open') return
  try {
    await calls.closePullRequest(number, body === current.body ? undefined : body)
  } catch (error) {
    if (refusalOf(error) === undefined) throw error
    const now = await calls.pullRequest(number)
    if (now?.state === 'open') throw error
  }
}

/** A forge may learn of a push after git was told that it went well. */
async function enableAutoMerge(
  { client, calls }: Composed,
  number: number,
  wanted: AutoMerge,
): Promise<AutoMergeOutcome> {
  const { clock, random } = client.ports
  for (let attempt = 1; ; attempt++) {
    const current = await calls.pullRequest(number)
    if (current?.state !== 'open') return 'notOpen'
    if (current.headCommit === wanted.headCommit)
      return current.isDraft ? 'notAllowed' : calls.enableAutoMerge(current, wanted)
    if (attempt >= HEAD_ATTEMPTS) return 'outdated'
    await clock.sleep(backoff(attempt, random))
  }
}

/** In doubt somebody has closed it: what nobody wants must not come back. */
async function isClosedByDeletion(calls: ForgeCalls, number: number): Promise<boolean> {
  const ending = await unlessForbidden(() => calls.ending(number))
  if (ending === undefined || ending instanceof StackmasonError) return false
  const { closed, branchDeleted, window } = ending
  if (closed === undefined || branchDeleted === undefined) return false
  const seconds = (Date.parse(branchDeleted) - Date.parse(closed)) / 1000
  return -window.before <= seconds && seconds <= window.after
}

async function existing({ client, calls }: Composed, number: number): Promise<PullRequest> {
  const found = await calls.pullRequest(number)
  if (found !== undefined) return found
  const { abilities, config } = client
  throw new StackmasonError({
    code: 'FETCH_NOT_FOUND',
    severity: 'error',
    message: `${config.repository} has no ${abilities.pullRequest} ${number}`,
    at: config.at,
  })
}

function differs(current: PullRequest, { title, body, base, isDraft }: PullRequestChange): boolean {
  return (
    (title !== undefined && title !== current.title) ||
    (body !== undefined && !isSameText(body, current.body)) ||
    (base !== undefined && base !== current.base) ||
    (isDraft !== undefined && isDraft !== current.isDraft)
  )
}

/** Forms of browsers send the line ends of Windows, and forges trim. */
function isSameText(a: string, b: string): boolean {
  const plain = (text: string): string => text.replaceAll('\r\n', '\n').trim()
  return plain(a) === plain(b)
}

function requireTexts(client: ForgeClient, { title, body }: PullRequestChange): void {
  const { maxTitle, hardMaxBody, draftPrefix = '', pullRequest } = client.abilities
  if (title !== undefined)
    requireLength(client, draftPrefix + title, { what: `the title of the ${pullRequest}`, most: maxTitle })
  if (body !== undefined) requireLength(client, body, { what: `the body of the ${pullRequest}`, most: hardMaxBody })
}

async function upsertComment(
  { client, calls }: Composed,
  number: number,
  { marker, body }: MarkedComment,
): Promise<UpsertOutcome> {
  const text = `${marker}\n${body}`
  requireLength(client, text, { what: 'the comment', most: client.abilities.maxComment })
  const look = async (): Promise<readonly ForgeComment[]> =>
    (await calls.comments(number)).filter((comment) => comment.body.startsWith(marker))
  const found = await look()
  if (found.some((comment) => isSameText(comment.body, text))) return 'unchanged'
  const foreign = new Set<number>()
  for (const { id } of found) {
    const edited = await unlessForbidden(() => calls.editComment({ number, id }, text))
    if (!(edited instanceof StackmasonError)) return 'updated'
    // whoever copies our marker keeps his comment
    foreign.add(id)
  }
  await writeOnce(
    {
      write: () => calls.createComment(number, text),
      look: async () => (await look()).find(({ id }) => !foreign.has(id)),
    },
    client.ports,
  )
  return 'created'
}

/** The problem where the token may not. */
async function unlessForbidden<Result>(work: () => Promise<Result>): Promise<Result | StackmasonError> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StackmasonError && error.diagnostics.some(({ code }) => code === 'PUBLISH_PERMISSION'))
      return error
    throw error
  }
}

async function statusOf(
  calls: ForgeCalls,
  key: { readonly commit: string; readonly context: string },
): Promise<CommitStatus> {
  const status = await calls.readStatus(key)
  return status?.state ?? (await calls.readCheckRun?.(key)) ?? 'missing'
}

/** Of a status and a comment each is of use without the other: what the token may write is written. */
async function reportFindings(composed: Composed, report: FindingsReport): Promise<ReportedFindings> {
  const { calls } = composed
  const inCheckRun = report.form === 'check' ? await calls.writeCheckRun?.(report) : undefined
  if (inCheckRun !== undefined) return inCheckRun
  const { pullRequest, annotations } = report
  const status = await unlessForbidden(() => keepStatus(composed, report))
  if (status === 'left') return { as: 'status', outcome: 'unchanged', leftOut: annotations.length }
  const comment =
    pullRequest === undefined ? status : await unlessForbidden(() => commentFindings(composed, report, pullRequest))
  if (status instanceof StackmasonError && comment instanceof StackmasonError) throw status
  const outcomes = [status, comment].filter((outcome) => !(outcome instanceof StackmasonError))
  const isNew = status === 'created' || (status instanceof StackmasonError && comment === 'created')
  const isUnchanged = outcomes.every((outcome) => outcome === 'unchanged')
  return {
    as: status instanceof StackmasonError ? 'comment' : 'status',
    outcome: isNew ? 'created' : isUnchanged ? 'unchanged' : 'updated',
    leftOut: annotations.length,
  }
}

const WORDS = {
  publish: 'publish',
  alone: 'no base',
  compared: '',
  never: 'fails on nothing',
  error: '',
  warning: 'fails on warnings',
} as const

/** How the text of a status ends: ` (no base, fails on warnings)`. */
function endOf({ weight, failOn }: VerdictRank): string {
  const words = [WORDS[weight], WORDS[failOn]].filter((word) => word !== '')
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

/** `left` where another status counts more. */
async function keepStatus(
  { client, calls }: Composed,
  { commit, context, conclusion, title, url = '', ...report }: FindingsReport,
): Promise<UpsertOutcome | 'left'> {
  const key = { commit, context }
  const end = endOf(rankOf(report))
  const text = cut(title, client.abilities.maxStatusText - end.length) + end
  const current = await calls.readStatus(key)
  if (current !== undefined && isOutweighed({ ...report, conclusion }, knownVerdict(current))) return 'left'
  if (current?.state === conclusion && current.text === text) return 'unchanged'
  await calls.writeStatus(key, { state: conclusion, text, url })
  return current === undefined ? 'created' : 'updated'
}

function knownVerdict({ text, state }: StatusEntry): KnownVerdict {
  const rank = verdictRanks.find((one) => endOf(one) !== '' && text.endsWith(endOf(one)))
  return { ...(rank ?? rankOf({})), state }
}

/** Where nothing was found, and no earlier comment says otherwise, there is none. */
async function commentFindings(
  composed: Composed,
  { context, conclusion, summary, annotations }: FindingsReport,
  number: number,
): Promise<UpsertOutcome> {
  const marker = `<!-- stackmason:findings ${context} -->`
  const isQuiet = conclusion === 'success' && annotations.length === 0
  if (isQuiet) {
    const comments = await composed.calls.comments(number)
    if (!comments.some(({ body }) => body.startsWith(marker))) return 'unchanged'
  }
  return upsertComment(composed, number, { marker, body: summary })
}

/** A line of that many characters at most. */
function cut(text: string, most: number): string {
  const characters = Array.from(text)
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}
