import { Ajv, type ValidateFunction } from 'ajv'

/**
 * What GitLab's API takes and gives, as far as it is of use, written by hand after docs.gitlab.com/api: merge_requests,
 * notes, commits ("Commit status"), users, projects. Bodies list all fields that they may have; of answers it is those
 * that a client may rely on.
 */
interface Operation {
  readonly method: string
  readonly path: RegExp
  readonly query?: Schema
  readonly body?: Schema
  /** By status; every refusal is a {@link refusal}. */
  readonly answers: Readonly<Record<number, Schema>>
}

type Schema = Readonly<Record<string, unknown>>

const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }
const flag = { type: 'boolean' }
const optionalText = { type: ['string', 'null'] }
const listOf = (items: Schema): Schema => ({ type: 'array', items })
const oneOf = (...values: readonly string[]): Schema => ({ enum: values })
/** An object with these fields, all of them required. */
const record = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})
/** An object that has no other fields. */
const given = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const user = record({ id: count, username: text, name: text, state: text, web_url: text })
const project = record({ id: count, path_with_namespace: text, default_branch: optionalText, web_url: text })
const pipeline = { anyOf: [record({ id: count, sha: text, ref: text, status: text, web_url: text }), { type: 'null' }] }
const mergeRequestFields = {
  id: count,
  iid: { type: 'integer', minimum: 1 },
  project_id: count,
  title: { ...text, maxLength: 255 },
  description: optionalText,
  state: oneOf('opened', 'closed', 'locked', 'merged'),
  target_branch: text,
  source_branch: text,
  source_project_id: count,
  target_project_id: count,
  draft: flag,
  sha: optionalText,
  merge_when_pipeline_succeeds: flag,
  detailed_merge_status: text,
  labels: listOf(text),
  assignees: listOf(user),
  reviewers: listOf(user),
  closed_at: optionalText,
  web_url: text,
}
const listedMergeRequest = record(mergeRequestFields)
const mergeRequest = record({ ...mergeRequestFields, head_pipeline: pipeline })
const note = record({ id: count, body: text, author: user, created_at: text, system: flag, noteable_iid: count })
const statuses = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped']
const status = record({
  id: count,
  sha: text,
  ref: text,
  status: oneOf('created', 'waiting_for_resource', 'preparing', 'manual', 'scheduled', ...statuses),
  name: text,
  target_url: optionalText,
  description: optionalText,
  allow_failure: flag,
})
/** `message` may be a text, a list or lists by field; `error` is what the layer of parameters and tokens says. */
const refusal = {
  anyOf: [record({ message: { type: ['string', 'array', 'object'] } }), record({ error: text })],
}

const root = String.raw`/projects/acme%2Ffleet`
const below = (path: string): RegExp => new RegExp(`^${root}${path}$`)
const pages = { page: count, per_page: { type: 'integer', minimum: 1, maximum: 100 } }

const operations: readonly Operation[] = [
  { method: 'GET', path: below(''), answers: { 200: project } },
  {
    method: 'GET',
    path: below('/merge_requests'),
    query: given({
      ...pages,
      state: oneOf('opened', 'closed', 'locked', 'merged', 'all'),
      source_branch: text,
      order_by: oneOf('created_at', 'title', 'merged_at', 'updated_at'),
      sort: oneOf('asc', 'desc'),
    }),
    answers: { 200: listOf(listedMergeRequest) },
  },
  {
    method: 'POST',
    path: below('/merge_requests'),
    body: given(
      {
        source_branch: text,
        target_branch: text,
        title: text,
        description: text,
        remove_source_branch: flag,
        labels: text,
        assignee_ids: listOf(count),
        reviewer_ids: listOf(count),
        squash: flag,
      },
      ['source_branch', 'target_branch', 'title'],
    ),
    answers: { 201: mergeRequest },
  },
  { method: 'GET', path: below('/merge_requests/\\d+'), answers: { 200: mergeRequest } },
  {
    method: 'PUT',
    path: below('/merge_requests/\\d+'),
    body: given({
      target_branch: text,
      title: text,
      description: text,
      state_event: oneOf('close', 'reopen'),
      add_labels: text,
      remove_labels: text,
      labels: text,
      assignee_ids: listOf(count),
      reviewer_ids: listOf(count),
    }),
    answers: { 200: mergeRequest },
  },
  {
    method: 'PUT',
    path: below('/merge_requests/\\d+/merge'),
    body: given({
      sha: { ...text, minLength: 40 },
      squash: flag,
      should_remove_source_branch: flag,
      auto_merge: flag,
      merge_when_pipeline_succeeds: flag,
    }),
    answers: { 200: mergeRequest },
  },
  {
    method: 'GET',
    path: below('/merge_requests/\\d+/notes'),
    query: given({ ...pages, sort: oneOf('asc', 'desc'), order_by: oneOf('created_at', 'updated_at') }),
    answers: { 200: listOf(note) },
  },
  {
    method: 'POST',
    path: below('/merge_requests/\\d+/notes'),
    body: given({ body: text }, ['body']),
    answers: { 201: note },
  },
  {
    method: 'PUT',
    path: below('/merge_requests/\\d+/notes/\\d+'),
    body: given({ body: text }, ['body']),
    answers: { 200: note },
  },
  {
    method: 'GET',
    path: below('/repository/commits/[0-9a-f]{40}/statuses'),
    query: given({ ...pages, name: text, all: flag }),
    answers: { 200: listOf(status) },
  },
  {
    method: 'POST',
    path: below('/statuses/[0-9a-f]{40}'),
    body: given(
      {
        state: oneOf(...statuses),
        name: text,
        context: text,
        ref: text,
        target_url: { ...text, minLength: 1, maxLength: 255 },
        description: { ...text, maxLength: 255 },
      },
      ['state'],
    ),
    answers: { 201: status },
  },
  { method: 'GET', path: /^\/users$/, query: given({ username: text }), answers: { 200: listOf(user) } },
]

const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes: false })
/** Values of a query are texts. */
const ajvOfQueries = new Ajv({ strict: false, allErrors: true, coerceTypes: true })
const compiled = new Map<Schema, ValidateFunction>()

/** What is wrong with a request and its answer; `path` below the root of the API, as sent. */
export function gitlabProblems(exchange: {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
  readonly status: number
  readonly answer: unknown
}): readonly string[] {
  const { method, path, query, body, status: answered, answer } = exchange
  const operation = operations.find((candidate) => candidate.method === method && candidate.path.test(path))
  if (operation === undefined) return [`no ${method} ${path}`]
  const expected = answered >= 400 ? refusal : operation.answers[answered]
  return [
    ...check(operation.query ?? given({}), Object.fromEntries(query), ajvOfQueries),
    ...check(operation.body ?? { type: 'null' }, body, ajv),
    ...(expected === undefined ? [`it does not answer ${answered}`] : check(expected, answer, ajv)),
  ]
}

function check(schema: Schema, value: unknown, by: Ajv): readonly string[] {
  const validate = compiled.get(schema) ?? by.compile(schema)
  compiled.set(schema, validate)
  return validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`)
}
