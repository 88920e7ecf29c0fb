import { expect, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import type { HttpRequest, HttpResponse } from '../../../src/model/http.ts'
import { openForge } from '../../../src/network/forges/open-forge.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'

/** A Gitea with a pull request that is assigned to alice, which fails as the real one does for somebody without access. */
async function assign(users: readonly string[], readStatus = 200): Promise<unknown> {
  let assigned: readonly string[] = ['alice']
  const answer = ({ method, body }: HttpRequest): Pick<HttpResponse, 'status'> & { readonly json: object } => {
    if (method === 'GET') return { status: readStatus, json: { assignees: assigned.map((login) => ({ login })) } }
    const { assignees } = JSON.parse(new TextDecoder().decode(body)) as { readonly assignees: readonly string[] }
    if (assignees.includes('outsider')) return { status: 500, json: { message: '' } }
    if (assignees.includes('nobody')) return { status: 422, json: { message: 'user does not exist' } }
    assigned = assignees
    return { status: 201, json: {} }
  }
  const ports = createNodePorts()
  const forge = await openForge(
    { kind: 'gitea', url: 'http://forge.example', repository: 'acme/fleet', plainHttp: true },
    {
      ports: {
        ...ports,
        environment: { get: () => undefined },
        clock: { ...ports.clock, sleep: () => Promise.resolve() },
        http: {
          exchange: (request) => {
            const { status, json } = answer(request)
            return Promise.resolve({ status, headers: new Map(), body: encodeUtf8(JSON.stringify(json)) })
          },
        },
      },
      offline: false,
    },
  )
  const refused = await forge
    .addAssignees(1, users)
    .catch((error: unknown) =>
      error instanceof StackmasonError
        ? error.diagnostics.map(({ message, hint }) => `${message} | ${hint}`).join()
        : error,
    )
  return { refused, assigned }
}

test.each([
  { users: ['bob'], refused: [], assigned: ['alice', 'bob'] },
  { users: ['bob', 'nobody', 'carol'], refused: ['nobody'], assigned: ['alice', 'bob', 'carol'] },
  { users: ['bob', 'outsider', 'carol'], refused: ['outsider'], assigned: ['alice', 'bob', 'carol'] },
  { users: ['outsider'], refused: ['outsider'], assigned: ['alice'] },
])('Gitea assigns $users but $refused', async ({ users, refused, assigned }) => {
  expect(await assign(users)).toEqual({ refused, assigned })
})

test('a Gitea that fails on its own is no refusal of a person', async () => {
  expect(await assign(['bob'], 500)).toEqual({ refused: expect.stringContaining('500'), assigned: ['alice'] })
})

test('what a Gitea hides from those who show no token tells which variables may hold one', async () => {
  const variables =
    'FORGEJO_TOKEN with FORGEJO_SERVER_URL or GITEA_TOKEN with GITEA_SERVER_URL or GITHUB_TOKEN with GITHUB_SERVER_URL'
  expect(await assign(['bob'], 404)).toMatchObject({
    refused: expect.stringContaining(`none was found for forge.example: set ${variables}, or spec.publish.forge`),
  })
})
