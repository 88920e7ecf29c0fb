import { afterEach, describe, expect, test } from 'vitest'
import { ListenError, type Listening } from '../../src/model/listener.ts'
import { nodeListener } from '../../src/system/node-listener.ts'

const open: Listening[] = []

async function start(port: number = 0): Promise<Listening> {
  const listening = await nodeListener.listen({ host: '127.0.0.1', port }, (path) => ({
    status: 503,
    text: `${path}\n`,
  }))
  open.push(listening)
  return listening
}

afterEach(async () => {
  for (const listening of open.splice(0)) await listening.close()
})

describe('a listener', () => {
  test.each([
    { method: 'GET', path: '/healthz?verbose=1', want: [503, '/healthz\n'] },
    { method: 'HEAD', path: '/healthz', want: [503, ''] },
    { method: 'POST', path: '/healthz', want: [405, 'only GET is answered here\n'] },
  ])('answers $method', async ({ method, path, want }) => {
    const { port } = await start()
    const answer = await fetch(`http://127.0.0.1:${String(port)}${path}`, { method })
    expect([answer.status, await answer.text()]).toEqual(want)
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  })

  test('says why it cannot listen', async () => {
    const { port } = await start()
    const error = await start(port).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ListenError)
    expect(error).toHaveProperty('message', 'another program listens there')
  })

  test('answers nobody after it was closed', async () => {
    const { port, close } = await start()
    await close()
    open.length = 0
    await expect(fetch(`http://127.0.0.1:${String(port)}/`)).rejects.toThrow('fetch failed')
  })
})
