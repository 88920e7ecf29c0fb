/**
 * Kills the real program with SIGKILL at random moments of `update` and `fetch` and checks what it leaves: the lock is
 * the old one or the new one, every entry of the cache has the content that its name says, and the next run ends well.
 *
 *   npm run build && npx tsx bench/kill-during-update.ts [rounds] [seed]
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { FileMap } from '../tools/fleets/stack-folder.ts'
import { fixtureChart, startChartRepository } from '../tools/servers/chart-repository.ts'
import { answerReleases, clusterYaml, fleetYaml, releaseFiles, stackYaml } from '../tools/servers/release-server.ts'
import { startWebServer } from '../tools/servers/web-server.ts'
import { bundledProgram } from './support/bundled-program.ts'

const program = bundledProgram()
const rounds = Number(process.argv[2] ?? 50)
const random = createRandom(Number(process.argv[3] ?? 1))
const work = mkdtempSync(join(tmpdir(), 'stackmason-kill-'))
const fleet = join(work, 'fleet')
const cache = join(work, 'cache')
const lockFile = join(fleet, 'stackmason.lock')

const offered = new Map<string, FileMap>()
const charts = await startChartRepository([fixtureChart('agent', '1.0.0'), fixtureChart('agent', '1.2.0')])
const server = await startWebServer(({ path }) => answerReleases(path, offered))
const dependencies = `dependencies:\n  - {name: agent, version: 1.x, repository: "${charts.url}"}\n`

write('stackmason.yaml', fleetYaml(server.url, `  chartRepositories: [{url: "${charts.url}", plainHttp: true}]\n`))
write('stacks/demo.yaml', stackYaml('autoSubscribe: true'))
write('clusters/team-a/web/cluster.yaml', clusterYaml('v1'))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(fleet, path)), { recursive: true })
  writeFileSync(join(fleet, path), text)
}

/** The releases of a state; the second has one more, and another chart in it. */
function offer(state: 'a' | 'b'): void {
  offered.clear()
  offered.set('docker-demo-1-34-v1', releaseFiles('v1'))
  if (state === 'b') offered.set('docker-demo-1-34-v2', releaseFiles('v2', { dependencies }))
}

/** Runs the program; with `delay` it is killed after so many milliseconds. Gives how it ended and how long it took. */
async function run(
  command: string,
  delay?: number,
): Promise<{ readonly status: number | null; readonly time: number }> {
  const started = performance.now()
  const child = spawn(process.execPath, [program, command], {
    cwd: fleet,
    env: { ...process.env, STACKMASON_CACHE: cache },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let told = ''
  child.stderr.on('data', (text) => (told += String(text)))
  const timer = delay === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), delay)
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve))
  clearTimeout(timer)
  if (delay === undefined && status !== 0) throw new Error(`${command} ended with ${String(status)}: ${told}`)
  return { status, time: performance.now() - started }
}

/** What is wrong with the cache: entries whose content is not what their name says. */
function damaged(): readonly string[] {
  const blobs = join(cache, 'v1/blobs/sha256')
  const files =
    statSync(blobs, { throwIfNoEntry: false }) === undefined
      ? []
      : readdirSync(blobs, { recursive: true, encoding: 'utf8' })
  return files.filter((name) => {
    const hex = /^[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(name)?.[1]
    return (
      hex !== undefined &&
      createHash('sha256')
        .update(readFileSync(join(blobs, name)))
        .digest('hex') !== hex
    )
  })
}

function lock(): string {
  return readFileSync(lockFile, 'utf8')
}

offer('a')
await run('update')
const lockA = lock()
offer('b')
const { time } = await run('update')
const lockB = lock()
if (lockA === lockB) throw new Error('the two states have one lock')

let wrong = 0
const ends = new Map<string, number>()
for (let round = 0; round < rounds; round++) {
  const command = round % 2 === 0 ? 'update' : 'fetch'
  writeFileSync(lockFile, command === 'fetch' ? lockB : lockA)
  if (random() < 0.7) rmSync(cache, { recursive: true, force: true })
  const { status } = await run(command, time * (0.3 + random()))
  const after = lock()
  const isKnown = after === lockA || after === lockB
  const bad = damaged()
  const end = `${command} ${status === 0 ? 'was done' : after === lockB ? 'killed, new lock' : 'killed, old lock'}`
  ends.set(end, (ends.get(end) ?? 0) + 1)
  await run(command)
  const isRight = lock() === lockB && damaged().length === 0
  await run('render')
  if (isKnown && bad.length === 0 && isRight) continue
  wrong++
  console.log(
    `round ${round}: lock ${isKnown ? 'known' : 'unknown'}, ${bad.length} damaged, next run ${isRight ? 'right' : 'wrong'}`,
  )
}
await server.close()
await charts.close()
rmSync(work, { recursive: true, force: true })
console.log(
  `${rounds - wrong} of ${rounds} rounds right; ${[...ends].map(([end, count]) => `${count} ${end}`).join(', ')}`,
)
if (wrong > 0) process.exitCode = 1

function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
