import { StackmasonError } from '../../../model/diagnostic.ts'
import type { HttpRequest } from '../../../model/http.ts'
import { createOctokit, type GitHubClient } from '../../github/octokit-client.ts'
import { type ForgeClient, type ForgePurpose, type ForgeRequest, invalidAnswer, notPermitted } from '../forge-client.ts'
import { ForgeShapeError, isMap, listOf, mapOf, textAt } from '../forge-shape.ts'
import { LIST_DEADLINE } from '../../transport/transport.ts'

/** A repository on GitHub. */
export interface GitHubRepository {
  readonly client: ForgeClient
  readonly owner: string
  readonly repo: string
}

/** A question to GitHub. */
export interface GitHubQuestion extends ForgePurpose {
  readonly accept?: 'not-found'
  readonly repeatable?: boolean
}

const MAX_PAGES = 100

/** An answer of GitHub. */
export interface GitHubAnswer {
  readonly data: unknown
}

/**
 * Asks GitHub through octokit, which knows routes and addresses; undefined for what is not there, if that was accepted.
 * @throws StackmasonError as `ForgeClient.send` does
 */
export async function askGitHub(
  client: ForgeClient,
  question: GitHubQuestion,
  ask: (octokit: GitHubClient) => Promise<GitHubAnswer>,
): Promise<unknown> {
  return (await unwrap(async () => ask(await openOctokit(client, question)))).data
}

/**
 * Reads a list of GitHub's, all pages.
 * @throws StackmasonError as `ForgeClient.send` does
 */
export async function listGitHub<Item>(
  client: ForgeClient,
  question: ForgePurpose,
  { ask, items = (data) => data, parse, isEnough }: GitHubList<Item>,
): Promise<readonly Item[]> {
  return unwrap(async () => {
    const all: Item[] = []
    let pages = 0
    const end = client.ports.clock.monotonic() + LIST_DEADLINE
    const octokit = await openOctokit(client, { ...question, end }, (value) => {
      client.read(question.purpose, () => {
        refuseOddPage(value)
      })
    })
    for await (const { data } of ask(octokit)) {
      if (++pages > MAX_PAGES) throw invalidAnswer(client, question.purpose, `there are more than ${MAX_PAGES} pages`)
      all.push(...client.read(question.purpose, () => listOf(items(data), 'the answer').map((item) => parse(item))))
      if (isEnough?.(all) === true) break
    }
    return all
  })
}

/** A list, and how it is read. */
export interface GitHubList<Item> {
  readonly ask: (octokit: GitHubClient) => AsyncIterable<GitHubAnswer>
  /** Where in a page the items are. */
  readonly items?: (data: unknown) => unknown
  /** @throws ForgeShapeError */
  readonly parse: (item: unknown) => Item
  readonly isEnough?: (items: readonly Item[]) => boolean
}

/**
 * Asks GitHub's GraphQL API: what drafts and auto-merge need is not in the other one.
 * @returns what went wrong in its own words; undefined when nothing did
 * @throws StackmasonError as `ForgeClient.send` does
 */
export async function askGraphql(
  client: ForgeClient,
  question: ForgePurpose,
  asked: { readonly query: string; readonly variables: Readonly<Record<string, string>> },
): Promise<string | undefined> {
  const { apiUrl } = client
  // GitHub Enterprise has it beside the other API, and not below
  const path = apiUrl.endsWith('/api/v3') ? apiUrl.replace(/v3$/, 'graphql') : `${apiUrl}/graphql`
  const { value } = await client.send({ ...question, method: 'POST', path, body: asked, repeatable: true })
  return client.read(question.purpose, () => {
    const answer = mapOf(value, 'the answer')
    const [first] = listOf(answer['errors'] ?? [], '"errors"')
    if (first === undefined) return undefined
    const error = mapOf(first, 'an error')
    const said = textAt(error, 'message')
    if (error['type'] === 'FORBIDDEN' || error['type'] === 'INSUFFICIENT_SCOPES')
      throw notPermitted(client, question, { said })
    return said
  })
}

function openOctokit(
  client: ForgeClient,
  question: GitHubQuestion & Partial<Pick<ForgeRequest, 'end'>>,
  check?: (value: unknown) => void,
): Promise<GitHubClient> {
  return createOctokit(client.apiUrl, async (url, request) => {
    const { value, headers } = await client.send({
      ...question,
      method: methodOf(request.method),
      path: url,
      body: request.body,
    })
    check?.(value)
    const link = headers.get('link')
    return {
      status: 200,
      url,
      headers: new Map(link === undefined ? [] : [['link', link]]),
      body: value,
      text: () => Promise.resolve(''),
    }
  })
}

function methodOf(name: string): HttpRequest['method'] {
  const known = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const
  const method = known.find((candidate) => candidate === name)
  if (method === undefined) throw new Error(`octokit sends ${name}`)
  return method
}

/** Beside these an answer that counts has the list as its first field. */
const COUNTS: readonly string[] = ['incomplete_results', 'repository_selection', 'total_count', 'total_commits']

/**
 * Octokit looks into each page first, and fails with a TypeError where there is nothing to look into.
 * @throws ForgeShapeError
 */
function refuseOddPage(value: unknown): void {
  if (Array.isArray(value)) return
  if (!isMap(value)) throw new ForgeShapeError('the answer is not a list')
  if ('url' in value || !('total_count' in value || 'total_commits' in value)) return
  const [first] = Object.keys(value).filter((key) => !COUNTS.includes(key))
  if (first === undefined) throw new ForgeShapeError('the answer is not a list')
  listOf(value[first], JSON.stringify(first))
}

/** Octokit wraps what `fetch` throws. */
async function unwrap<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Error && error.cause instanceof StackmasonError) throw error.cause
    throw error
  }
}
