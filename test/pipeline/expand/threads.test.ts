import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Thread } from '../../../src/model/ports.ts'
import { createNodeThreads } from '../../../src/system/node-threads.ts'
import type { FleetFolder } from '../../../tools/fleets/fleet-folder.ts'
import { runCli } from '../../cli/run-cli.ts'
import { bundled } from '../../../tools/bundled.ts'
import { ENDLESS, fates, fleetOf, plantedPorts, SOON, soundFates } from './fated-fleet.ts'

/** A thread with the same faults as this one, and one more. */
function threadProgram(fault: string): Promise<string> {
  return bundled({
    text: `
import { createExpandingThread } from './src/pipeline/expand/expanding-thread.ts'
import { answerMessages } from './src/system/answer-messages.ts'
import { nodeCrypto } from './src/system/node-crypto.ts'
import { nodeDeadline } from './src/system/node-deadline.ts'
const planted = Buffer.from(${JSON.stringify(ENDLESS)})
let count = 0
const hash = (algorithm, bytes) => {
  if (planted.equals(bytes)) for (;;);
  return nodeCrypto.hash(algorithm, bytes)
}
const answer = createExpandingThread({
  crypto: { ...nodeCrypto, hash },
  deadline: { ...nodeDeadline, within: (_, work) => nodeDeadline.within(${String(SOON)}, work) },
  elapsed: () => 0,
})
answerMessages((message) => {
  count++
  ${fault}
  return answer(message)
})
`,
  })
}

interface Outcome {
  /** The status, the report, and what was said meanwhile. */
  readonly told: readonly unknown[]
  readonly tree: Readonly<Record<string, string>>
}

interface ThreadedRun extends Outcome {
  /** How many messages threads answered. */
  readonly answers: number
}

async function renderIn(fleet: FleetFolder, threads: number, program: string): Promise<ThreadedRun> {
  if (fleet.has('rendered')) fleet.remove('rendered')
  let answers = 0
  const counted = ({ ask, end }: Thread): Thread => ({
    end,
    ask: async (message) => {
      const answer = await ask(message)
      answers++
      return answer
    },
  })
  const node = createNodeThreads({ file: pathToFileURL(program) })
  const start = (): Thread | undefined => {
    const thread = node.start()
    return thread && counted(thread)
  }
  const ports = { ...plantedPorts, threads: { ...node, start } }
  const words = ['render', '--threads', String(threads), '-o', 'json']
  const { status, stdout, stderr } = await runCli(words, { cwd: fleet.folder, ports })
  const told = [status, stdout.replace(/"milliseconds": \d+/, ''), stderr]
  const tree = Object.fromEntries(fleet.filesBelow('rendered').map((path) => [path, fleet.read(`rendered/${path}`)]))
  return { told, tree, answers }
}

const outcomeOf = ({ told, tree }: ThreadedRun): Outcome => ({ told, tree })

describe('threads', () => {
  test('change nothing: no file, no finding, no order, no status', { timeout: 300_000 }, async () => {
    const program = await threadProgram('')
    const fleets = fc.record({
      tool: fc.constantFrom('flux' as const, 'argocd' as const, undefined),
      clusters: fc.oneof(
        fc.array(fc.constantFrom(...soundFates), { minLength: 9, maxLength: 14 }),
        fc.array(fc.constantFrom(...Object.keys(fates)), { minLength: 9, maxLength: 14 }),
      ),
    })
    let answers = 0
    await fc.assert(
      fc.asyncProperty(fleets, async ({ tool, clusters }) => {
        const fleet = await fleetOf(tool, clusters)
        const alone = await renderIn(fleet, 0, program)
        expect(alone.answers).toBe(0)
        for (const threads of [1, 2, 5]) {
          const run = await renderIn(fleet, threads, program)
          answers += run.answers
          expect(outcomeOf(run)).toEqual(outcomeOf(alone))
        }
      }),
      { numRuns: process.env['STACKMASON_LONG'] === undefined ? 3 : 20, seed: 15 },
    )
    expect(answers).toBeGreaterThan(40)
  })

  const mixed = [...Object.keys(fates), 'sound', 'with values']
  const sound = Array.from({ length: 10 }, () => soundFates)
    .flat()
    .slice(0, 12)

  test.each([
    { name: 'ends by itself', fault: 'if (count > 2) process.exit(3)' },
    { name: 'fails at once', fault: 'throw new Error("planted")' },
    { name: 'throws what is no error', fault: 'if (count > 3) throw null' },
  ])('a thread that $name changes nothing', { timeout: 120_000 }, async ({ fault }) => {
    const program = await threadProgram(fault)
    for (const clusters of [sound, mixed]) {
      const fleet = await fleetOf('flux', clusters)
      const alone = await renderIn(fleet, 0, program)
      expect(outcomeOf(await renderIn(fleet, 2, program))).toEqual(outcomeOf(alone))
    }
  })

  test('a thread that comes to something else is seen', { timeout: 120_000 }, async () => {
    const program = await threadProgram('')
    const other = await threadProgram(
      `if (count === 3) message = { ...message, text: message.text.replace('web', 'wab').replace('example.com', 'example.org') }`,
    )
    const fleet = await fleetOf('flux', sound)
    const alone = outcomeOf(await renderIn(fleet, 0, program))
    expect(outcomeOf(await renderIn(fleet, 2, program))).toEqual(alone)
    expect(outcomeOf(await renderIn(fleet, 2, other))).not.toEqual(alone)
  })

  test('are none where the program is no bundle', async () => {
    expect(plantedPorts.threads.start()).toBeUndefined()
  })
})
