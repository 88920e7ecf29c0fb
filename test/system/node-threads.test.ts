import { describe, expect, test } from 'vitest'
import { type Thread, ThreadError, type ThreadMessage } from '../../src/model/ports.ts'
import { createNodeThreads } from '../../src/system/node-threads.ts'

const answering = (work: string): string =>
  `const { parentPort } = require('node:worker_threads'); parentPort.on('message', (message) => { ${work} })`

function started(text: string): Thread {
  const thread = createNodeThreads({ text }).start()
  if (thread === undefined) throw new Error('no thread')
  return thread
}

const question = (text: string): ThreadMessage => ({ text, parts: [Uint8Array.of(1, 2)] })

describe('threads', () => {
  test('answer in the order in which they are asked, and hand bytes over', async () => {
    const thread = started(
      answering(
        'message.parts[0][0] = message.text.length; parentPort.postMessage({ text: message.text + "!", parts: message.parts })',
      ),
    )
    const asked = question('b')
    const answers = await Promise.all([thread.ask(question('aaa')), thread.ask(asked), thread.ask(question('cc'))])
    expect(answers).toEqual([
      { text: 'aaa!', parts: [Uint8Array.of(3, 2)] },
      { text: 'b!', parts: [Uint8Array.of(1, 2)] },
      { text: 'cc!', parts: [Uint8Array.of(2, 2)] },
    ])
    expect(asked.parts[0]).toHaveLength(0)
    thread.end()
  })

  test.each([
    { name: 'ends', work: 'process.exit(0)' },
    { name: 'throws', work: 'throw new Error("planted")' },
    { name: 'throws later', work: 'setTimeout(() => { throw "planted" })' },
    { name: 'works without end, and is ended', work: 'for (;;);' },
  ])('that $name fail whoever waits, and whoever asks then', async ({ work }) => {
    const thread = started(answering(work))
    const waiting = [thread.ask(question('a')), thread.ask(question('b'))]
    if (work === 'for (;;);') thread.end()
    for (const answer of waiting) await expect(answer).rejects.toThrow(ThreadError)
    await expect(thread.ask(question('c'))).rejects.toThrow(ThreadError)
    thread.end()
  })

  test('that are no program fail whoever asks', async () => {
    await expect(started('not a program').ask(question('a'))).rejects.toThrow(ThreadError)
  })

  test('know nothing of the environment, and write nothing', async () => {
    const thread = started(
      answering(
        'console.log("out"); console.error("err"); parentPort.postMessage({ text: JSON.stringify(process.env), parts: [] })',
      ),
    )
    expect(await thread.ask(question('a'))).toEqual({ text: '{}', parts: [] })
    thread.end()
  })

  test('are none without a bundle', () => {
    expect(createNodeThreads().start()).toBeUndefined()
    expect(createNodeThreads().parallelism()).toBeGreaterThan(0)
  })
})
