import { countAt, listOf, mapOf, optionalTextAt } from '../forge-shape.ts'
import type { GitLabProject } from './gitlab-project.ts'

/** People of a merge request. */
export interface GitLabPeople {
  readonly number: number
  readonly names: readonly string[]
  readonly as: 'reviewer' | 'assignee'
}

interface User {
  readonly id: number
  /** In lower case. */
  readonly name: string
}

/**
 * Adds people to those who are there.
 * @returns those whom GitLab does not know or does not take: without a licence it keeps one of them
 */
export async function addGitLabPeople(
  project: GitLabProject,
  { number, names, as }: GitLabPeople,
): Promise<readonly string[]> {
  const { client, shown, root } = project
  const purpose = `the ${as}s of merge request ${number} of ${shown}`
  const request = { path: `${root}/merge_requests/${number}`, purpose, operation: 'requestReviewers' } as const
  const { value } = await client.send({ ...request, method: 'GET' })
  const present = client.read(purpose, () => usersOf(mapOf(value, 'a merge request')[`${as}s`]))
  const wanted = names.filter((name) => !has(present, name))
  const found: User[] = []
  for (const name of wanted) found.push(...(await findUser(project, name)))
  if (found.length === 0) return wanted
  const ids = [...new Set([...present, ...found].map(({ id }) => id))]
  const { value: answer } = await client.send({ ...request, method: 'PUT', body: { [`${as}_ids`]: ids } })
  const now = client.read(purpose, () => usersOf(mapOf(answer, 'a merge request')[`${as}s`]))
  return wanted.filter((name) => !has(now, name))
}

async function findUser({ client }: GitLabProject, name: string): Promise<readonly User[]> {
  const purpose = `the user ${name}`
  const { value } = await client.send({
    method: 'GET',
    path: `/users?username=${encodeURIComponent(name)}`,
    purpose,
    operation: 'requestReviewers',
  })
  return client.read(purpose, () => usersOf(value).filter((user) => user.name === name.toLowerCase()))
}

function usersOf(value: unknown): readonly User[] {
  return listOf(value ?? [], 'the list of users').map((item) => {
    const map = mapOf(item, 'a user')
    return { id: countAt(map, 'id'), name: optionalTextAt(map, 'username').toLowerCase() }
  })
}

function has(users: readonly User[], name: string): boolean {
  return users.some((user) => user.name === name.toLowerCase())
}
