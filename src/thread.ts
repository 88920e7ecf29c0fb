import { createExpandingThread } from './pipeline/expand/expanding-thread.ts'
import { answerMessages } from './system/answer-messages.ts'
import { nodeCrypto } from './system/node-crypto.ts'
import { nodeDeadline } from './system/node-deadline.ts'
import { monotonic } from './system/node-clock.ts'

answerMessages(createExpandingThread({ crypto: nodeCrypto, deadline: nodeDeadline, elapsed: monotonic }))
