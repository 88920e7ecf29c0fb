import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Ports, Thread } from '../../../src/model/ports.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { createNodeThreads } from '../../../src/system/node-threads.ts'
import { copyExample, exampleConfig, fixedEndpoint, handoffs } from '../../../tools/fleets/example-fleet.ts'
import { FleetFolder } from '../../../tools/fleets/fleet-folder.ts'
import { runCli } from '../../cli/run-cli.ts'
import { bundled } from '../../../tools/bundled.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** What the planted hash never comes back from. */
const ENDLESS = 'work-without-end'
/** Milliseconds that a chart may take here; enough on a machine under load. */
const SOON = 3000

const chart = 'providers/docker/demo/cluster-addon/dns-cache/templates'
const patch = (spec: string): string => `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n${spec}`

/** What becomes of a cluster. */
const fates: Readonly<Record<string, (fleet: FleetFolder, folder: string) => void>> = {
  sound: () => undefined,
  'with values': (fleet, folder) => {
    fleet.write(`${folder}/values/dns-cache.yaml`, `clusterDomain: ${folder.slice(-2)}.example\n`)
  },
  'known later': (fleet, folder) => {
    fleet.edit(`${folder}/cluster.yaml`, fixedEndpoint, '')
  },
  'patched in vain': (fleet, folder) => {
    fleet.write(
      `${folder}/patches/broken.yaml`,
      patch('  target: {kind: Cluster}\n  jsonPatch:\n    - {op: remove, path: /spec/none}\n'),
    )
  },
  'with a patch of nothing': (fleet, folder) => {
    fleet.write(
      `${folder}/patches/unused.yaml`,
      patch('  target: {kind: None}\n  jsonPatch:\n    - {op: remove, path: /spec}\n'),
    )
  },
  'with a template that ends never': (fleet, folder) => {
    fleet.write(`${folder}/values/dns-cache.yaml`, `clusterDomain: ${ENDLESS}\n`)
  },
  'with values of another type': (fleet, folder) => {
    fleet.write(`${folder}/values/dns-cache.yaml`, 'localAddress: {}\nclusterDomain: [a]\n')
  },
}
const soundFates = ['sound', 'with values', 'known later']

async function fleetOf(tool: keyof typeof handoffs | undefined, clusters: readonly string[]): Promise<FleetFolder> {
  const fleet = new FleetFolder(await tempFolder())
  const shape = { clusters: ['team-a/web'], ...(tool !== undefined && { handoff: [handoffs[tool]] }) } as const
  copyExample(fleet, shape)
  fleet.write('stackmason.yaml', exampleConfig(shape))
  // a warning for each cluster, and a hash of what its values say
  fleet.edit(`${chart}/configmap.yaml`, 'data:\n', 'data:\n  sum: {{ .Values.clusterDomain | toString | sha256sum }}\n')
  fleet.write(
    `${chart}/monitor.yaml`,
    '{{ if .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" }}\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: dns}\n{{ end }}\n',
  )
  for (const [index, fate] of clusters.entries()) {
    // one takes long
    if (fate === 'with a template that ends never' && clusters.indexOf(fate) < index) continue
    const name = `c${String.fromCharCode(97 + index)}`
    const folder = `clusters/team-a/${name}`
    fleet.copy(fleet.path('clusters/team-a/web'), folder)
    fleet.edit(`${folder}/cluster.yaml`, 'name: web\n', `name: ${name}\n`)
    fates[fate]?.(fleet, folder)
  }
  fleet.git('init', '-q', '--template=')
  return fleet
}

const own = createNodePorts()
const hash: Ports['crypto']['hash'] = (algorithm, bytes) => {
  if (Buffer.from(ENDLESS).equals(bytes)) for (;;);
  return own.crypto.hash(algorithm, bytes)
}
const planted: Ports = {
  ...own,
  crypto: { ...own.crypto, hash },
  deadline: { ...own.deadline, within: (_, work) => own.deadline.within(SOON, work) },
}

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
  const ports = { ...planted, threads: { ...node, start } }
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
      { numRuns: 4, seed: 15 },
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
    expect(own.threads.start()).toBeUndefined()
  })
})
