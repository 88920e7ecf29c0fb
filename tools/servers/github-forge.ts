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
import { githubExample, githubProblems, githubRequestProblems } from './github-description.ts'
import { startWebServer, type WebAnswer, type WebRequest } from './web-server.ts'

interface HeldCheckRun {
  readonly id: number
  readonly name: string
  readonly commit: string
  readonly externalId: string
  status: string
  conclusion: string | null
  readonly title: string
  readonly summary: string
  readonly annotations: unknown[]
}

/** A stand-in for GitHub with the repository `acme/fleet`. */
export interface GitHubForge extends ForgeServer {
  readonly checkRuns: readonly HeldCheckRun[]
  /** Method and path of every request, below the API. */
  readonly requests: string[]
}

interface Served {
  readonly state: ForgeState
  readonly checkRuns: HeldCheckRun[]
  readonly url: () => string
  /** True if tokens are those of an app. */
  readonly isApp: boolean
}

interface Question {
  readonly served: Served
  readonly method: string
  /** Below the repository. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Json
}

type Json = Readonly<Partial<Record<string, unknown>>>

const base = '/api/v3'
const root = '/repos/acme/fleet'
const MAX_BODY = 65_536

/**
 * Starts a server that answers as GitHub's REST API does for pull requests and what belongs to them. Each request and
 * each answer is held against GitHub's own description of the API; the messages of refusals are those that GitHub gives.
 * Of GraphQL it knows the mutations that our client sends.
 */
export async function startGitHubForge({
  isApp = true,
  branches,
}: {
  readonly isApp?: boolean
  /** Those of a repository that is there; default: in memory. */
  readonly branches?: Map<string, string>
} = {}): Promise<GitHubForge> {
  let url = ''
  const problems: string[] = []
  const requests: string[] = []
  const state = { ...createForgeState(), ...(branches !== undefined && { branches }) }
  const served: Served = { state, checkRuns: [], url: () => url, isApp }
  const server = await startWebServer((request) => {
    const { pathname, searchParams: query } = new URL(request.path, 'http://github')
    const path = decodeURIComponent(pathname.slice(base.length))
    const text = new TextDecoder().decode(request.body)
    const body: Json = text === '' ? {} : JSON.parse(text)
    const refused = refusalOfToken(request)
    if (pathname === '/api/graphql') return refused ?? answerGraphql(body, served)
    const { method } = request
    requests.push(`${method} ${path}`)
    problems.push(...githubRequestProblems({ method, path, query, body }).map((what) => `${method} ${path}: ${what}`))
    const answer = refused ?? answerRepository({ served, method, path: path.slice(root.length), query, body })
    const { status = 200 } = answer
    // the description does not say everywhere that a token may be wrong
    if (status !== 401 && status !== 403)
      problems.push(
        ...githubProblems({ method, path, status, body: JSON.parse(JSON.stringify(answer.body ?? null)) }).map(
          (what) => `${method} ${path} ${status}: ${what}`,
        ),
      )
    return answer
  })
  url = server.url
  return { url, state, checkRuns: served.checkRuns, requests, problems, close: server.close }
}

function refusalOfToken(request: WebRequest): WebAnswer | undefined {
  const authorization = request.headers.get('authorization')
  const isWrite = request.method !== 'GET'
  if (authorization === undefined) return isWrite ? refuse(401, 'Requires authentication') : undefined
  if (authorization === `Bearer ${forgeTokens.write}`) return undefined
  if (authorization !== `Bearer ${forgeTokens.read}`) return refuse(401, 'Bad credentials')
  return isWrite ? refuse(403, 'Resource not accessible by personal access token') : undefined
}

function refuse(status: number, message: string): WebAnswer {
  return { status, body: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) } }
}

/** As GitHub words what is wrong with a field. */
function invalid(error: Json): WebAnswer {
  const body = { message: 'Validation Failed', errors: [error], documentation_url: 'https://docs.github.com/rest' }
  return { status: 422, body: { ...body, status: '422' } }
}

function textOf(body: Json, field: string): string {
  const value = body[field]
  return typeof value === 'string' ? value : ''
}

function textsOf(body: Json, field: string): readonly string[] {
  const value = body[field]
  return Array.isArray(value) ? value.map(String) : []
}

function answerRepository(question: Question): WebAnswer {
  const { served, method, path } = question
  if (path === '') {
    const unforked = { source: undefined, parent: undefined, language: null, name: 'fleet', default_branch: 'main' }
    return { body: { ...githubExample('full-repository-default-response'), ...unforked } }
  }
  if (path === '/pulls') return method === 'GET' ? listPulls(question) : createPull(question)
  const [, number, rest = ''] = /^\/(?:pulls|issues)\/(\d+)(\/.*)?$/.exec(path) ?? []
  if (number !== undefined) {
    const held = served.state.pullRequests[Number(number) - 1]
    return held === undefined ? refuse(404, 'Not Found') : answerPull(held, rest, question)
  }
  const comment = /^\/issues\/comments\/(\d+)$/.exec(path)?.[1]
  if (comment !== undefined) return editComment(Number(comment), question)
  const [, commit = '', list] = /^\/commits\/([^/]+)\/(status|check-runs)$/.exec(path) ?? []
  if (list === 'status') return combinedStatus(commit, question)
  if (list === 'check-runs') return listCheckRuns(commit, question)
  if (path.startsWith('/statuses/')) return createStatus(path.slice('/statuses/'.length), question)
  return writeCheckRun(question)
}

function listPulls({ served, query, path }: Question): WebAnswer {
  const { state } = served
  const wanted = query.get('state') ?? 'open'
  const head = query.get('head')
  const found = state.pullRequests.filter(
    (held) =>
      (wanted === 'all' || (wanted === 'open') === (held.state === 'open')) &&
      (head === null || head === `${held.isFromFork ? 'alice' : 'acme'}:${held.head}`),
  )
  const sorted = query.get('direction') === 'desc' ? found.toReversed() : found
  // GitHub names its repositories by number here
  const { items, link } = pageOf(sorted, { url: `${served.url()}${base}${root}${path}`, query })
  return {
    body: items.map((held) => pullBody(held, served, 'pull-request-simple')),
    ...(link !== undefined && { headers: { link } }),
  }
}

function createPull({ served, body }: Question): WebAnswer {
  const { state } = served
  const [head, into, text] = [textOf(body, 'head'), textOf(body, 'base'), textOf(body, 'body')]
  if (text.length > MAX_BODY) return tooLong('Issue')
  if (!state.branches.has(head)) return invalid({ resource: 'PullRequest', field: 'head', code: 'invalid' })
  if (!state.branches.has(into)) return invalid({ resource: 'PullRequest', field: 'base', code: 'invalid' })
  if (
    state.pullRequests.some(
      (held) => held.state === 'open' && held.head === head && held.base === into && !held.isFromFork,
    )
  )
    return custom(`A pull request already exists for acme:${head}.`)
  if (state.branches.get(head) === state.branches.get(into)) return custom(`No commits between ${into} and ${head}`)
  const held = hold(state, {
    title: textOf(body, 'title'),
    body: text,
    head,
    base: into,
    isDraft: body['draft'] === true,
  })
  return { status: 201, body: pullBody(held, served) }
}

function custom(message: string): WebAnswer {
  return invalid({ resource: 'PullRequest', code: 'custom', message })
}

function tooLong(resource: string): WebAnswer {
  const message = `body is too long (maximum is ${MAX_BODY} characters)`
  return invalid({ resource, code: 'custom', field: 'body', message })
}

function answerPull(held: HeldPullRequest, rest: string, question: Question): WebAnswer {
  const { served, method, body } = question
  switch (rest) {
    case '':
      return method === 'GET' ? { body: pullBody(held, served) } : editPull(held, question)
    case '/labels':
      for (const name of textsOf(body, 'labels')) if (!held.labels.includes(name)) held.labels.push(name)
      return { body: labelBodies(held) }
    case '/assignees':
      held.assignees.push(...textsOf(body, 'assignees').filter((name) => knownUsers.includes(name)))
      return { status: 201, body: issueBody(held) }
    case '/events':
      return listEvents(held, question)
    case '/requested_reviewers':
      return requestReviewers(held, question)
    default:
      return method === 'GET' ? listComments(held, question) : addComment(held, body)
  }
}

function editPull(held: HeldPullRequest, { served, body }: Question): WebAnswer {
  if (textOf(body, 'body').length > MAX_BODY) return tooLong('Issue')
  const into = body['base']
  if (typeof into === 'string' && held.state !== 'open')
    return custom('Cannot change the base branch of a closed pull request.')
  if (body['state'] === 'closed' && held.state === 'merged') return custom('Pull request is already merged')
  held.title = typeof body['title'] === 'string' ? body['title'] : held.title
  held.body = typeof body['body'] === 'string' ? body['body'] : held.body
  held.base = typeof into === 'string' ? into : held.base
  if (body['state'] === 'closed') closeHeld(served.state, held)
  return { body: pullBody(held, served) }
}

function requestReviewers(held: HeldPullRequest, { served, body }: Question): WebAnswer {
  const [users, teams] = [textsOf(body, 'reviewers'), textsOf(body, 'team_reviewers')]
  const isKnown = users.every((name) => knownUsers.includes(name)) && teams.every((name) => name === 'platform')
  if (!isKnown)
    return refuse(
      422,
      'Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the acme/fleet repository.',
    )
  held.reviewers.push(...users)
  held.teams.push(...teams)
  return { status: 201, body: pullBody(held, served, 'pull-request-simple') }
}

function listComments(held: HeldPullRequest, { served, query, path }: Question): WebAnswer {
  const { items, link } = pageOf(held.comments, { url: `${served.url()}${base}${root}${path}`, query })
  return { body: items.map(commentBody), ...(link !== undefined && { headers: { link } }) }
}

/** GitHub has those of the branch whatever state the pull request was in. */
function listEvents({ events }: HeldPullRequest, { served, query, path }: Question): WebAnswer {
  const examples: unknown = githubExample('issue-event-for-issue-items')
  const [example]: readonly unknown[] = Array.isArray(examples) ? examples : []
  const all = events.map(({ kind, at }, index) =>
    Object.assign({}, example, {
      id: index + 1,
      event: kind === 'closed' ? 'closed' : 'head_ref_deleted',
      commit_id: null,
      commit_url: null,
      created_at: at,
    }),
  )
  const { items, link } = pageOf(all, { url: `${served.url()}${base}${root}${path}`, query })
  return { body: items, ...(link !== undefined && { headers: { link } }) }
}

function addComment(held: HeldPullRequest, body: Json): WebAnswer {
  const comment = { id: held.number * 1000 + held.comments.length, body: textOf(body, 'body') }
  held.comments.push(comment)
  return { status: 201, body: commentBody(comment) }
}

function editComment(id: number, { served, body }: Question): WebAnswer {
  const found = served.state.pullRequests.flatMap(({ comments }) => comments).find((comment) => comment.id === id)
  if (found === undefined) return refuse(404, 'Not Found')
  found.body = textOf(body, 'body')
  return { body: commentBody(found) }
}

function createStatus(commit: string, { served, body }: Question): WebAnswer {
  const status = holdStatus(served.state, {
    commit,
    context: textOf(body, 'context') || 'default',
    state: textOf(body, 'state'),
    text: textOf(body, 'description'),
    url: textOf(body, 'target_url'),
  })
  return { status: 201, body: statusBody(status) }
}

function combinedStatus(commit: string, { served, query, path }: Question): WebAnswer {
  const latest = new Map<string, HeldStatus>()
  for (const status of served.state.statuses) if (status.commit === commit) latest.set(status.context, status)
  const { items, link } = pageOf([...latest.values()], { url: `${served.url()}${base}${root}${path}`, query })
  const example = githubExample('combined-commit-status')
  return {
    body: { ...example, sha: commit, total_count: latest.size, statuses: items.map(statusBody) },
    ...(link !== undefined && { headers: { link } }),
  }
}

function listCheckRuns(commit: string, { served, query, path }: Question): WebAnswer {
  const name = query.get('check_name')
  const found = served.checkRuns.filter((run) => run.commit === commit && run.name === (name ?? run.name))
  const latest = [...new Map(found.map((run) => [run.name, run])).values()]
  const { items, link } = pageOf(latest, { url: `${served.url()}${base}${root}${path}`, query })
  return {
    body: { total_count: items.length, check_runs: items.map(checkRunBody) },
    ...(link !== undefined && { headers: { link } }),
  }
}

function writeCheckRun({ served, path, body }: Question): WebAnswer {
  if (!served.isApp) return { status: 403, body: { message: 'You must authenticate via a GitHub App.' } }
  const id = /^\/check-runs\/(\d+)$/.exec(path)?.[1]
  const given = body['output']
  const output: Json = typeof given === 'object' && given !== null ? { ...given } : {}
  const { annotations } = output
  const added: readonly unknown[] = Array.isArray(annotations) ? annotations : []
  const conclusion = textOf(body, 'conclusion') || null
  const status = conclusion === null ? textOf(body, 'status') || 'queued' : 'completed'
  const held = served.checkRuns.find((run) => String(run.id) === id)
  if (held !== undefined) {
    held.annotations.push(...added)
    held.status = textOf(body, 'status') === '' ? held.status : status
    held.conclusion = conclusion ?? held.conclusion
    return { body: checkRunBody(held) }
  }
  const made: HeldCheckRun = {
    id: served.state.nextId(),
    name: textOf(body, 'name'),
    commit: textOf(body, 'head_sha'),
    externalId: textOf(body, 'external_id'),
    status,
    conclusion,
    title: textOf(output, 'title'),
    summary: textOf(output, 'summary'),
    annotations: [...added],
  }
  served.checkRuns.push(made)
  return { status: 201, body: checkRunBody(made) }
}

function answerGraphql(body: Json, { state }: Served): WebAnswer {
  const [, mutation = ''] = /\{\s*(\w+)\(input:/.exec(textOf(body, 'query')) ?? []
  const variables = body['variables']
  const given: Json = typeof variables === 'object' && variables !== null ? { ...variables } : {}
  const held = state.pullRequests.find((candidate) => nodeId(candidate) === given['id'])
  const fail = (message: string): WebAnswer => ({
    body: { data: { [mutation]: null }, errors: [{ type: 'UNPROCESSABLE', path: [mutation], message }] },
  })
  if (held === undefined) return fail(`Could not resolve to a node with the global id of '${String(given['id'])}'`)
  switch (mutation) {
    case 'convertPullRequestToDraft':
      held.isDraft = true
      break
    case 'markPullRequestReadyForReview':
      held.isDraft = false
      break
    case 'enablePullRequestAutoMerge':
      if (state.required === undefined) return fail('Pull request Pull request is in clean status')
      held.mergesItself = true
      break
    default:
      return fail(`no mutation ${mutation}`)
  }
  return { body: { data: { [mutation]: { clientMutationId: null } } } }
}

function nodeId({ number }: HeldPullRequest): string {
  return `PR_kwDO${number}`
}

function pullBody(held: HeldPullRequest, { state, url }: Served, example = 'pull-request'): object {
  const api = `${url()}${base}${root}/pulls/${held.number}`
  const given = githubExample(example)
  const [head, into] = [branchBody(given['head']), branchBody(given['base'])]
  const autoMerge = { enabled_by: given['user'], merge_method: 'merge', commit_title: '', commit_message: '' }
  return {
    ...given,
    url: api,
    html_url: `${url()}/acme/fleet/pull/${held.number}`,
    node_id: nodeId(held),
    number: held.number,
    title: held.title,
    body: held.body === '' ? null : held.body,
    draft: held.isDraft,
    state: held.state === 'open' ? 'open' : 'closed',
    merged_at: held.state === 'merged' ? '2026-11-23T10:00:00Z' : null,
    ...(example === 'pull-request' && { merged: held.state === 'merged' }),
    auto_merge: held.mergesItself ? autoMerge : null,
    labels: labelBodies(held),
    requested_reviewers: [],
    requested_teams: [],
    head: {
      ...head,
      ref: held.head,
      sha: headCommitOf(state, held),
      repo: { ...head.repo, id: held.isFromFork ? 2 : 1 },
    },
    base: {
      ...into,
      ref: held.base,
      sha: state.branches.get(held.base) ?? commitOf('gone'),
      repo: { ...into.repo, id: 1 },
    },
  }
}

function branchBody(example: unknown): { readonly repo: object } {
  return Object.assign({ repo: {} }, example)
}

/** Labels of examples have the shape of those of pull requests. */
function labelBodies({ labels }: HeldPullRequest): readonly object[] {
  const examples: unknown = githubExample('label-items')
  const [example]: readonly unknown[] = Array.isArray(examples) ? examples : []
  return labels.map((name) => Object.assign({}, example, { name }))
}

function issueBody(held: HeldPullRequest): object {
  const example = githubExample('issue')
  const user = example['user']
  return {
    ...example,
    number: held.number,
    assignees: [...new Set(held.assignees)].map((login) => Object.assign({}, user, { login })),
  }
}

function commentBody({ id, body }: HeldComment): object {
  return { ...githubExample('issue-comment'), id, body }
}

function statusBody({ id, context, state, text, url }: HeldStatus): object {
  return { ...githubExample('status'), id, context, state, description: text || null, target_url: url || null }
}

function checkRunBody({ id, name, commit, externalId, status, conclusion }: HeldCheckRun): object {
  const completed = status === 'completed' ? '2026-11-23T10:00:00Z' : null
  return {
    ...githubExample('check-run-example-of-completed-conclusion'),
    id,
    name,
    head_sha: commit,
    external_id: externalId,
    status,
    conclusion,
    completed_at: completed,
  }
}
