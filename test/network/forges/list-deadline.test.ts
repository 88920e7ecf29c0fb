import { expect, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { createForgeClient, readPages } from '../../../src/network/forges/forge-client.ts'
import { listGitHub } from '../../../src/network/forges/github/github-client.ts'
import { createGitHubApi } from '../../../src/network/github/github-api.ts'
import type { Transport, TransportRequest } from '../../../src/network/transport/transport.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'

type ForgeConfig = Parameters<typeof createForgeClient>[0]['config']
type GitHubConfig = Parameters<typeof createGitHubApi>[0]

const purpose = 'the list'
const apiUrl = 'https://forge.example/api/v3'
const ports = createNodePorts()

/** Three pages that take 100 seconds each. */
function slowPages(item: string): {
  readonly transport: Transport
  readonly clock: typeof ports.clock
  readonly sent: TransportRequest[]
} {
  const sent: TransportRequest[] = []
  const clock = { ...ports.clock, monotonic: () => 5_000 + sent.length * 100_000 }
  const send: Transport['send'] = async (request) => {
    sent.push(request)
    const link = sent.length < 3 ? `<${apiUrl}/next?page=${sent.length + 1}>; rel="next"` : ''
    return { status: 200, headers: new Map([['link', link]]), body: encodeUtf8(`[${item}]`) }
  }
  return { transport: { send }, clock, sent }
}

const config = { kind: 'github', url: 'https://forge.example', apiUrl, owner: 'acme', repository: 'fleet' } as const

test.each([
  {
    name: 'a forge',
    item: '{}',
    read: async ({ transport, clock }: ReturnType<typeof slowPages>): Promise<unknown> => {
      const forge = { ...config, kind: 'gitea' } as unknown as ForgeConfig
      const client = createForgeClient({
        config: forge,
        transport,
        authorization: async () => undefined,
        ports: { ...ports, clock },
      })
      const path = (page: number): string => `/list?page=${page}`
      return readPages(client, { purpose, operation: 'readPullRequests', path, parse: (one: unknown) => one })
    },
  },
  {
    name: 'GitHub as a forge',
    item: '{}',
    read: async ({ transport, clock }: ReturnType<typeof slowPages>): Promise<unknown> => {
      const client = createForgeClient({
        config: config as unknown as ForgeConfig,
        transport,
        authorization: async () => undefined,
        ports: { ...ports, clock },
      })
      return listGitHub(
        client,
        { purpose, operation: 'readPullRequests' },
        {
          ask: (octokit) =>
            octokit.paginate.iterator('GET /repos/{owner}/{repo}/pulls', { owner: 'acme', repo: 'fleet' }),
          parse: (item) => item,
        },
      )
    },
  },
  {
    name: 'GitHub as a source',
    item: '',
    read: async ({ transport, clock }: ReturnType<typeof slowPages>): Promise<unknown> =>
      createGitHubApi(config as unknown as GitHubConfig, {
        transport,
        clock,
        authorization: async () => undefined,
      }).assets(1),
  },
])('all pages of a list of $name have one deadline', async ({ read, item }) => {
  const pages = slowPages(item)
  await read(pages)
  expect(pages.sent.map(({ end }) => end)).toEqual([605_000, 605_000, 605_000])
})
