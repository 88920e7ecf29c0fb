import { parentPort } from 'node:worker_threads'
import type { ThreadMessage } from '../model/ports.ts'

/** Answers the messages of whoever started this thread, one after the other. What it throws ends the thread. */
export function answerMessages(answer: (message: ThreadMessage) => ThreadMessage): void {
  parentPort?.on('message', (message: ThreadMessage) => {
    const { text, parts } = answer(message)
    const buffers = parts.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer)
    parentPort?.postMessage({ text, parts }, buffers)
  })
}
