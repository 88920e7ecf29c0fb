import { describe, expect, test } from 'vitest'
import { ApiServer } from '../../src/kube/api-server.ts'
import { listItems, listObjects } from '../../src/kube/list-objects.ts'
import { configMaps } from '../../src/kube/resource.ts'
import { TokenBucket } from '../../src/kube/token-bucket.ts'
import { FakeClock } from '../support/fake-clock.ts'

/** A page with these names, and the token of the next one; a number is a refusal. */
type Answer = readonly [names: readonly string[], next?: string] | number

function serverOf(answers: readonly Answer[]): { readonly api: ApiServer; readonly asked: readonly string[] } {
  const asked: string[] = []
  const left = [...answers]
  const api = new ApiServer(
    {
      host: 'test',
      exchange: async ({ path, headers }) => {
        asked.push(
          `${path} ${headers.get('accept')?.includes('PartialObjectMetadataList') === true ? 'metadata' : 'all'}`,
        )
        const answer = left.shift() ?? 500
        const [status, body] =
          typeof answer === 'number'
            ? [answer, { message: 'no' }]
            : [
                200,
                {
                  metadata: { continue: answer[1] ?? '' },
                  items: answer[0].map((name) => ({ metadata: { name, namespace: 'a' } })),
                },
              ]
        return { status, headers: new Map(), body: new TextEncoder().encode(JSON.stringify(body)) }
      },
      follow: () => Promise.reject(new Error('no watch')),
      reopen: () => Promise.reject(new Error('one is enough')),
      close: async () => undefined,
    },
    {
      timeout: 8000,
      userAgent: 'test',
      limit: new TokenBucket({ perSecond: 100, burst: 100 }, new FakeClock()),
      count: () => undefined,
    },
  )
  return { api, asked }
}

const { signal } = new AbortController()

describe('a list', () => {
  test('is read page by page, and its objects say what they are', async () => {
    const { api, asked } = serverOf([[['x'], 'more'], [['y']]])
    const found = await listObjects(api, { resource: configMaps, namespace: 'a' }, signal)
    expect(found.map(({ apiVersion, kind, name }) => [apiVersion, kind, name])).toEqual([
      ['v1', 'ConfigMap', 'x'],
      ['v1', 'ConfigMap', 'y'],
    ])
    expect(asked).toEqual([
      '/api/v1/namespaces/a/configmaps?limit=500 all',
      '/api/v1/namespaces/a/configmaps?limit=500&continue=more all',
    ])
  })

  test.each([
    ['is begun anew when it is too old', [[['x'], 'more'], 410, [['z']]], ['z']],
    ['ends with a refusal', [403], 'no'],
    ['does not begin for ever', [410], 'no'],
  ] as const)('that %s', async (_, answers, want) => {
    const { api, asked } = serverOf(answers)
    const request = {
      resource: configMaps,
      namespace: '',
      content: 'metadataList',
      read: (item: unknown): readonly unknown[] => [item],
    } as const
    const found = await listItems(api, request, signal).then(
      (items) => items.map((item) => JSON.stringify(item).replace(/.*"name":"(.)".*/, '$1')),
      (error: unknown) => (error instanceof Error && error.message.includes('no') ? 'no' : error),
    )
    expect(found).toEqual(want)
    expect(asked.every((request) => request.endsWith(' metadata'))).toBe(true)
  })
})
