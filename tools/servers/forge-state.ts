import { createHash } from 'node:crypto'

/** A pull request on a stand-in for a forge. */
export interface HeldPullRequest {
  readonly number: number
  title: string
  body: string
  readonly head: string
  base: string
  isDraft: boolean
  state: 'open' | 'closed' | 'merged'
  readonly isFromFork: boolean
  readonly labels: string[]
  readonly assignees: string[]
  readonly reviewers: string[]
  readonly teams: string[]
  mergesItself: boolean
  /** What ended it, oldest first. */
  readonly events: HeldEvent[]
  readonly comments: HeldComment[]
}

/** Something that ended a pull request. */
export interface HeldEvent {
  readonly kind: 'closed' | 'branchDeleted'
  /** RFC 3339. */
  readonly at: string
  /** True if it was open until then. */
  readonly wasOpen: boolean
}

/** A comment on it. */
export interface HeldComment {
  readonly id: number
  body: string
}

/** A commit status; the newest is the last. */
export interface HeldStatus {
  readonly id: number
  readonly commit: string
  readonly context: string
  readonly state: string
  readonly text: string
  readonly url: string
}

/** A repository on a stand-in for a forge: `acme/fleet`. */
export interface ForgeState {
  readonly branches: Map<string, string>
  /** Branches of the fork. */
  readonly forkBranches: Map<string, string>
  readonly pullRequests: HeldPullRequest[]
  readonly statuses: HeldStatus[]
  /** The status that `main` requires. */
  required: string | undefined
  readonly nextId: () => number
  /** The time, RFC 3339: each time some seconds later. */
  readonly now: () => string
}

/** People whom the stand-ins know. */
export const knownUsers: readonly string[] = ['bot', 'alice']
/** The token of `bot`, and the one that may only read. */
export const forgeTokens = { write: 'bot_hunter2_may_write', read: 'bot_hunter2_may_read' } as const

/** An empty repository with the branch `main`. */
export function createForgeState(): ForgeState {
  let id = 100
  let minute = 0
  return {
    branches: new Map([['main', commitOf('main')]]),
    forkBranches: new Map(),
    pullRequests: [],
    statuses: [],
    required: undefined,
    nextId: () => ++id,
    now: () => new Date(Date.UTC(2026, 10, 23, 10, ++minute)).toISOString(),
  }
}

/** A commit that a name stands for. */
export function commitOf(name: string): string {
  return createHash('sha1').update(name).digest('hex')
}

/** Adds one that is open. */
export function hold(
  state: ForgeState,
  given: Pick<HeldPullRequest, 'title' | 'body' | 'head' | 'base' | 'isDraft'>,
  isFromFork = false,
): HeldPullRequest {
  const held: HeldPullRequest = {
    ...given,
    number: state.pullRequests.length + 1,
    state: 'open',
    isFromFork,
    labels: [],
    assignees: [],
    reviewers: [],
    teams: [],
    mergesItself: false,
    events: [],
    comments: [],
  }
  state.pullRequests.push(held)
  return held
}

/** Somebody closes one. */
export function closeHeld(state: ForgeState, held: HeldPullRequest, at: string = state.now()): void {
  held.state = 'closed'
  held.events.push({ kind: 'closed', at, wasOpen: true })
}

/** Somebody deletes a branch: open pull requests of it are closed, in the same second. */
export function deleteBranch(state: ForgeState, name: string): void {
  state.branches.delete(name)
  const at = state.now()
  for (const held of state.pullRequests) {
    if (held.head !== name || held.isFromFork) continue
    const wasOpen = held.state === 'open'
    if (wasOpen) closeHeld(state, held, at)
    held.events.push({ kind: 'branchDeleted', at, wasOpen })
  }
}

/** The commit at its head. */
export function headCommitOf(state: ForgeState, { head, isFromFork }: HeldPullRequest): string {
  return (isFromFork ? state.forkBranches : state.branches).get(head) ?? commitOf('gone')
}

/** Writes a status, and merges what waited for it. */
export function holdStatus(state: ForgeState, status: Omit<HeldStatus, 'id'>): HeldStatus {
  const held = { ...status, id: state.nextId() }
  state.statuses.push(held)
  for (const waiting of state.pullRequests) {
    const isIt = held.context === state.required && headCommitOf(state, waiting) === held.commit
    if (isIt && held.state === 'success' && waiting.mergesItself && waiting.state === 'open') waiting.state = 'merged'
  }
  return held
}

/** A page of a list, and the header that tells of the others; the server gives five at most, whatever is asked for. */
export function pageOf<Item>(
  items: readonly Item[],
  { url, query }: { readonly url: string; readonly query: URLSearchParams },
): { readonly items: readonly Item[]; readonly link?: string } {
  const size = Math.min(Number(query.get('per_page') ?? '30'), 5)
  const page = Number(query.get('page') ?? '1')
  const last = Math.max(Math.ceil(items.length / size), 1)
  const other = new URLSearchParams(query)
  other.set('page', String(page + 1))
  return {
    items: items.slice((page - 1) * size, page * size),
    ...(page < last && { link: `<${url}?${other.toString()}>; rel="next", <${url}?page=${last}>; rel="last"` }),
  }
}

/** What a stand-in for a forge offers to tests. */
export interface ForgeServer {
  readonly url: string
  readonly state: ForgeState
  /** What was asked or answered otherwise than the API's description says. */
  readonly problems: readonly string[]
  readonly close: () => Promise<void>
}
