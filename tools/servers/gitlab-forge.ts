import {
  closeHeld,
  commitOf,
  createForgeState,
  type ForgeServer,
  type ForgeState,
  forgeTokens,
  headCommitOf,
  type HeldComment,
  type HeldPullRequest,
  type HeldStatus,
  hold,
  holdStatus,
  knownUsers,
  pageOf,
} from './forge-state.ts'
import { gitlabProblems } from './gitlab-description.ts'
import { startWebServer, type WebAnswer, type WebRequest } from './web-server.ts'

type Json = Readonly<Partial<Record<string, unknown>>>

interface Question {
  readonly state: ForgeState
  readonly url: string
  readonly method: string
  /** Below the project. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Json
}

const base = '/api/v4'
const root = '/projects/acme%2Ffleet'
/** GitLab's 1 MiB; a title has 255 characters. */
const MAX_DESCRIPTION = 1_048_576

/**
 * Starts a server that answers as GitLab's API does for merge requests and what belongs to them. Each request and each
 * answer is held against what its documentation says; the messages of refusals are those that GitLab gives.
 */
export async function startGitLabForge(): Promise<ForgeServer> {
  let url = ''
  const problems: string[] = []
  const state = createForgeState()
  const server = await startWebServer((request) => {
    const { pathname, searchParams: query } = new URL(request.path, 'http://gitlab')
    const path = pathname.slice(base.length)
    const text = new TextDecoder().decode(request.body)
    const body: Json | null = text === '' ? null : JSON.parse(text)
    const { method } = request
    const question = { state, url, method, path: path.slice(root.length), query, body: body ?? {} }
    const refused = refusalOfToken(request)
    const found = refused ?? (path === '/users' ? findUsers(query, url) : answerProject(question))
    const { status = 200 } = found
    const answer: unknown = JSON.parse(JSON.stringify(found.body ?? null))
    problems.push(
      ...gitlabProblems({ method, path, query, body, status, answer }).map(
        (what) => `${method} ${path} ${status}: ${what}`,
      ),
    )
    return found
  })
  url = server.url
  return { url, state, problems, close: server.close }
}

function refusalOfToken(request: WebRequest): WebAnswer | undefined {
  const authorization = request.headers.get('authorization')
  const isWrite = request.method !== 'GET'
  if (authorization === undefined) return isWrite ? refuse(401, '401 Unauthorized') : undefined
  if (authorization === `Bearer ${forgeTokens.write}`) return undefined
  if (authorization !== `Bearer ${forgeTokens.read}`)
    return { status: 401, body: { error: 'invalid_token', error_description: 'Token was revoked.' } }
  return isWrite
    ? {
        status: 403,
        body: { error: 'insufficient_scope', error_description: 'The request requires higher privileges.' },
      }
    : undefined
}

function refuse(status: number, message: string | readonly string[] | object): WebAnswer {
  return { status, body: { message } }
}

function textOf(body: Json, field: string): string | undefined {
  const value = body[field]
  return typeof value === 'string' ? value : undefined
}

function answerProject(question: Question): WebAnswer {
  const { state, url, method, path, query } = question
  if (path === '')
    return {
      body: { id: 1, path_with_namespace: 'acme/fleet', default_branch: 'main', web_url: `${url}/acme/fleet` },
    }
  if (path === '/merge_requests') return method === 'GET' ? list(question) : create(question)
  const commit = /^\/repository\/commits\/(\w+)\/statuses$/.exec(path)?.[1]
  if (commit !== undefined) {
    const found = state.statuses.filter(
      (status) => status.commit === commit && status.context === (query.get('name') ?? status.context),
    )
    // the newest of each name, where not all are asked for
    const newest = new Map(found.map((status) => [status.context, status]))
    return paged([...newest.values()].map(statusBody), question)
  }
  const written = /^\/statuses\/(\w+)$/.exec(path)?.[1]
  if (written !== undefined) return writeStatus(written, question)
  const [, number, rest = ''] = /^\/merge_requests\/(\d+)(\/.*)?$/.exec(path) ?? []
  const held = state.pullRequests[Number(number) - 1]
  if (held === undefined) return refuse(404, '404 Not found')
  if (rest === '') {
    const refused = method === 'GET' ? undefined : edit(held, question)
    return refused ?? { body: mergeRequestBody(held, question) }
  }
  return rest === '/merge' ? mergeLater(held, question) : answerNotes(held, rest, question)
}

function paged(items: readonly object[], { url, path, query }: Question): WebAnswer {
  const { items: shown, link } = pageOf(items, { url: `${url}${base}${root}${path}`, query })
  return { body: shown, ...(link !== undefined && { headers: { link } }) }
}

function list(question: Question): WebAnswer {
  const { state, query } = question
  const wanted = query.get('state') ?? 'all'
  const branch = query.get('source_branch')
  const found = state.pullRequests.filter(
    (held) => (wanted === 'all' || held.state === 'open') && (branch === null || held.head === branch),
  )
  const sorted = query.get('sort') === 'asc' ? found : found.toReversed()
  return paged(
    sorted.map((held) => {
      const { head_pipeline: _pipeline, ...listed } = mergeRequestBody(held, question)
      return listed
    }),
    question,
  )
}

function create(question: Question): WebAnswer {
  const { state, body } = question
  const [head = '', into = ''] = [textOf(body, 'source_branch'), textOf(body, 'target_branch')]
  const refused = refuseTexts(body)
  if (refused !== undefined) return refused
  if (!state.branches.has(head)) return refuse(400, { source_branch: ['does not exist'] })
  const open = state.pullRequests.find(
    (held) => held.state === 'open' && held.head === head && held.base === into && !held.isFromFork,
  )
  if (open !== undefined)
    return refuse(409, [`Another open merge request already exists for this source branch: !${open.number}`])
  const held = hold(state, {
    ...titleOf(textOf(body, 'title') ?? ''),
    body: textOf(body, 'description') ?? '',
    head,
    base: into,
  })
  return { status: 201, body: mergeRequestBody(held, question) }
}

function refuseTexts(body: Json): WebAnswer | undefined {
  if ((textOf(body, 'title') ?? '').length > 255)
    return refuse(400, { title: ['is too long (maximum is 255 characters)'] })
  if (Buffer.byteLength(textOf(body, 'description') ?? '') > MAX_DESCRIPTION)
    return refuse(400, { description: ['is too long (2 MiB). The maximum size is 1 MiB.'] })
  return undefined
}

/** The title makes the draft. */
function titleOf(title: string): Pick<HeldPullRequest, 'title' | 'isDraft'> {
  return { title, isDraft: /^(?:draft:|\[draft\]|\(draft\))/i.test(title) }
}

function edit(held: HeldPullRequest, { state, body }: Question): WebAnswer | undefined {
  const refused = refuseTexts(body)
  if (refused !== undefined) return refused
  if (textOf(body, 'target_branch') !== undefined && held.state !== 'open')
    return refuse(400, { base: ['cannot be changed'] })
  const title = textOf(body, 'title')
  if (title !== undefined) Object.assign(held, titleOf(title))
  held.body = textOf(body, 'description') ?? held.body
  held.base = textOf(body, 'target_branch') ?? held.base
  // what is merged stays so
  if (body['state_event'] === 'close' && held.state === 'open') closeHeld(state, held)
  for (const name of (textOf(body, 'add_labels') ?? '').split(','))
    if (name !== '' && !held.labels.includes(name)) held.labels.push(name)
  replace(held.assignees, body['assignee_ids'])
  replace(held.reviewers, body['reviewer_ids'])
  return undefined
}

function replace(names: string[], ids: unknown): void {
  if (Array.isArray(ids)) names.splice(0, names.length, ...ids.flatMap((id) => knownUsers[Number(id) - 1] ?? []))
}

/** Without anything to wait for it merges at once. */
function mergeLater(held: HeldPullRequest, question: Question): WebAnswer {
  const { state, body } = question
  if (held.state !== 'open' || held.isDraft) return refuse(405, '405 Method Not Allowed')
  if (body['sha'] !== headCommitOf(state, held)) return refuse(409, 'SHA does not match HEAD of source branch')
  if (state.required === undefined) held.state = 'merged'
  held.mergesItself = true
  return { body: mergeRequestBody(held, question) }
}

function answerNotes(held: HeldPullRequest, rest: string, question: Question): WebAnswer {
  const { method, body, url } = question
  const id = /^\/notes\/(\d+)$/.exec(rest)?.[1]
  if (id !== undefined) {
    const found = held.comments.find((comment) => String(comment.id) === id)
    if (found === undefined) return refuse(404, '404 Not found')
    found.body = textOf(body, 'body') ?? ''
    return { body: noteBody(found, held, url) }
  }
  if (method === 'GET') {
    const of = (id: number, text: string, at?: string): object => ({
      ...noteBody({ id, body: text }, held, url),
      system: true,
      ...(at !== undefined && { created_at: at }),
    })
    const deletions = held.events.filter(({ kind, wasOpen }) => kind === 'branchDeleted' && wasOpen)
    const notes = [
      of(1, 'added 1 commit'),
      ...held.comments.map((comment) => noteBody(comment, held, url)),
      ...deletions.map(({ at }, index) => of(index + 2, `deleted source branch \`${held.head}\``, at)),
    ]
    return paged(question.query.get('sort') === 'desc' ? notes.toReversed() : notes, question)
  }
  const comment = { id: held.number * 1000 + held.comments.length, body: textOf(body, 'body') ?? '' }
  held.comments.push(comment)
  return { status: 201, body: noteBody(comment, held, url) }
}

function writeStatus(commit: string, { state, body }: Question): WebAnswer {
  const status = holdStatus(state, {
    commit,
    context: textOf(body, 'name') ?? textOf(body, 'context') ?? 'default',
    state: textOf(body, 'state') ?? '',
    text: textOf(body, 'description') ?? '',
    url: textOf(body, 'target_url') ?? '',
  })
  return { status: 201, body: statusBody(status) }
}

function findUsers(query: URLSearchParams, url: string): WebAnswer {
  const name = query.get('username') ?? ''
  return { body: knownUsers.includes(name) ? [userBody(name, url)] : [] }
}

function userBody(username: string, url: string): object {
  const id = knownUsers.indexOf(username) + 1
  return { id, username, name: username, state: 'active', web_url: `${url}/${username}` }
}

function noteBody({ id, body }: HeldComment, { number }: HeldPullRequest, url: string): object {
  const created_at = '2026-11-23T10:00:00Z'
  return { id, body, author: userBody('bot', url), created_at, system: false, noteable_iid: number }
}

function statusBody({ id, commit, context, state, text, url }: HeldStatus): object {
  return {
    id,
    sha: commit,
    ref: 'main',
    status: state,
    name: context,
    target_url: url || null,
    description: text || null,
    allow_failure: false,
  }
}

function mergeRequestBody(
  held: HeldPullRequest,
  { state, url }: Question,
): Readonly<Record<string, unknown>> & { readonly head_pipeline: object | null } {
  const sha = state.branches.get(held.head) === undefined ? commitOf('gone') : headCommitOf(state, held)
  const awaits = state.required !== undefined && held.state === 'open'
  return {
    id: held.number + 1000,
    iid: held.number,
    project_id: 1,
    title: held.title,
    description: held.body,
    state: held.state === 'open' ? 'opened' : held.state,
    target_branch: held.base,
    source_branch: held.head,
    source_project_id: held.isFromFork ? 2 : 1,
    target_project_id: 1,
    draft: held.isDraft,
    sha,
    merge_when_pipeline_succeeds: held.mergesItself,
    detailed_merge_status: awaits ? 'ci_still_running' : 'mergeable',
    labels: held.labels,
    assignees: held.assignees.map((name) => userBody(name, url)),
    reviewers: held.reviewers.map((name) => userBody(name, url)),
    closed_at: held.state === 'closed' ? (held.events.findLast(({ kind }) => kind === 'closed')?.at ?? null) : null,
    web_url: `${url}/acme/fleet/-/merge_requests/${held.number}`,
    head_pipeline: awaits
      ? { id: 9, sha, ref: held.head, status: 'running', web_url: `${url}/acme/fleet/-/pipelines/9` }
      : null,
  }
}
