/**
 * Kills the real program with SIGKILL at random moments while it writes, then runs it once more and compares the tree
 * with the one that a run makes that has nothing of any run before: no cache, no thread, no shard.
 *
 *   npx tsx bench/kill-during-write.ts [rounds] [seed] [cache|threads|no-cache|shards]        (default: cache)
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeFleet } from './support/make-fleet.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const rounds = Number(process.argv[2] ?? 50)
const random = createRandom(Number(process.argv[3] ?? 1))
const way = readWay(process.argv[4] ?? 'cache')
const work = mkdtempSync(join(tmpdir(), 'stackmason-kill-'))
const program = buildProgram()
/** A cache that no other run has written. */
const environment = { ...process.env, XDG_CACHE_HOME: join(work, 'cache') }

/** How the runs that are killed do their work. */
type Way = 'cache' | 'threads' | 'no-cache' | 'shards'

function readWay(word: string): Way {
  if (word === 'cache' || word === 'threads' || word === 'no-cache' || word === 'shards') return word
  throw new Error(`${word} is none of cache, threads, no-cache, shards`)
}

const shardFolder = join(work, 'shards')
const shardOf = (share: string): readonly string[] => ['--shard', share, '--shard-folder', shardFolder]

/** What is rendered before the run that writes: shards, where those of the state before still lie. */
const shards = way === 'shards' ? [shardOf('1/2'), shardOf('2/2')] : []
/** What the run that writes is told. */
const writing = { cache: [], threads: ['--threads', '2'], 'no-cache': ['--no-cache'], shards: ['--join', shardFolder] }[
  way
]

/**
 * A build of its own: somebody may build the project meanwhile. It lies inside of the project to find the dependencies.
 */
function buildProgram(): string {
  const folder = join(root, '.cache/kill-during-write')
  rmSync(folder, { recursive: true, force: true })
  const calls = [
    ['tsc', '-p', 'tools/tsconfig.build.json'],
    ['tsx', 'tools/bundle.ts', join(folder, 'dist')],
  ]
  for (const words of calls) {
    const { status, stdout, stderr } = spawnSync('npx', words, { cwd: root, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${stdout}${stderr}`)
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module","version":"0.0.0"}\n')
  return join(folder, 'dist/main.js')
}

type State = 'a' | 'b'

/** Inputs of two states: other values for every cluster, and a cluster more or less. */
function setInputs(fleet: string, state: State): void {
  writeFileSync(
    join(fleet, 'clusters/values/metrics.yaml'),
    `metrics-agent: {replicas: ${state === 'a' ? '2' : '3'}}\n`,
  )
  const extra = join(fleet, 'clusters/fleet/cluster-extra')
  rmSync(extra, { recursive: true, force: true })
  if (state === 'a') return
  cpSync(join(fleet, 'clusters/fleet/cluster-001'), extra, { recursive: true })
  const file = join(extra, 'cluster.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('cluster-001', 'cluster-extra'))
}

function makeInputs(name: string): string {
  const fleet = join(work, name)
  makeFleet(fleet, {
    providerDirectory: join(root, 'examples/fleet/providers/docker/demo'),
    provider: 'docker',
    stack: 'demo',
    kubernetesVersion: 'v1.34.7',
    clusters: 40,
  })
  cpSync(join(root, 'examples/fleet/clusters/values'), join(fleet, 'clusters/values'), { recursive: true })
  return fleet
}

/** Runs the program to its end. */
function run(
  fleet: string,
  ...words: readonly string[]
): { readonly status: number | null; readonly report: { readonly recovered?: string } } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'render', '-q', '-o', 'json', ...words], {
    cwd: fleet,
    env: environment,
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(`the program says nothing: ${stderr}`)
  return { status, report: JSON.parse(stdout) }
}

/** Runs all that makes the tree. */
function runAll(fleet: string): ReturnType<typeof run> {
  for (const shard of shards) if (run(fleet, ...shard).status !== 0) throw new Error('a shard does not render')
  return run(fleet, ...writing)
}

/** Every file of the output as one text, with or without the control folder. */
function treeOf(fleet: string, files: 'all' | 'visible' = 'all'): string {
  const folder = join(fleet, 'rendered')
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => files === 'all' || !path.startsWith(join(folder, '.stackmason/')))
  return paths
    .sort()
    .map((path) => `${path.slice(folder.length)}\n${readFileSync(path, 'utf8')}`)
    .join('\n')
}

/** What shows how far a run is: it holds the lock and reads; it stages; it has decided and moves files. */
const marks = ['.stackmason/lock.json', '.stackmason/staging', '.stackmason/journal.json'] as const

interface StartedRun {
  readonly child: ChildProcess
  readonly ended: Promise<void>
}

/** Starts a run and waits until the mark is there, or until it ends. */
async function startUntil(fleet: string, mark: string, words: readonly string[]): Promise<StartedRun> {
  const options = { cwd: fleet, env: environment, stdio: 'ignore' } as const
  const child = spawn(process.execPath, [program, 'render', '-q', ...words], options)
  let hasEnded = false
  const ended = new Promise<void>((resolve) => {
    child.on('exit', () => {
      hasEnded = true
      resolve()
    })
  })
  while (!hasEnded && !existsSync(join(fleet, 'rendered', mark))) await pause(0)
  return { child, ended }
}

/** How far a killed run had come. */
function phaseOf(fleet: string): string {
  const control = join(fleet, 'rendered/.stackmason')
  if (!existsSync(join(control, 'lock.json'))) return 'was done'
  if (existsSync(join(control, 'journal.json'))) return 'moving files'
  return existsSync(join(control, 'staging')) ? 'staging' : 'reading'
}

async function pause(milliseconds: number): Promise<void> {
  await new Promise<void>((resolve) => {
    if (milliseconds < 1) setImmediate(resolve)
    else setTimeout(resolve, milliseconds)
  })
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const expected: Record<State, string> = { a: '', b: '' }
/** The same without the record of what was written. */
const visible: Record<State, string> = { a: '', b: '' }
for (const state of ['a', 'b'] as const) {
  const fleet = makeInputs(state)
  setInputs(fleet, state)
  const { status } = run(fleet, '--no-cache', '--threads', '0')
  if (status !== 0) throw new Error(`state ${state} does not render`)
  expected[state] = treeOf(fleet)
  visible[state] = treeOf(fleet, 'visible')
}

const fleet = makeInputs('fleet')
setInputs(fleet, 'a')
runAll(fleet)
/** Milliseconds from each mark to the end of an undisturbed run. */
const spans: number[] = []
for (const [index, mark] of marks.entries()) {
  setInputs(fleet, index % 2 === 0 ? 'b' : 'a')
  for (const shard of shards) run(fleet, ...shard)
  const { ended } = await startUntil(fleet, mark, writing)
  const start = performance.now()
  await ended
  spans.push(performance.now() - start)
}
const start = performance.now()
for (const shard of shards) run(fleet, ...shard)
const shardSpan = (performance.now() - start) / Math.max(1, shards.length)

/** Kills a shard of a state: a join then refuses what is there, and leaves the tree; or all of it is there. */
async function killShard(state: State): Promise<Round> {
  const [other, victim] = random() < 0.5 ? shards : [...shards].reverse()
  if (other === undefined || victim === undefined) throw new Error('no shards')
  run(fleet, ...other)
  const before = treeOf(fleet)
  const { child, ended } = await startUntil(fleet, '', victim)
  const after = random() * shardSpan
  await pause(after)
  child.kill('SIGKILL')
  await ended
  const joined = run(fleet, ...writing)
  const isRefused = joined.status === 2 && treeOf(fleet) === before
  const isWhole = joined.status === 0 && treeOf(fleet) === expected[state]
  const next = runAll(fleet)
  return {
    told: `killed ${after.toFixed(1).padStart(6)} ms after the start of a shard`,
    phase: isWhole ? 'shard was done' : 'in a shard',
    isRight: (isRefused || isWhole) && next.status === 0 && treeOf(fleet) === expected[state],
  }
}

/** Kills the run that writes, at a moment of its choice after a mark. */
async function killWriter(state: State): Promise<Round> {
  for (const shard of shards) run(fleet, ...shard)
  const from = Math.floor(random() * marks.length)
  const mark = marks[from] ?? marks[0]
  const { child, ended } = await startUntil(fleet, mark, writing)
  const after = random() * (spans[from] ?? 0)
  await pause(after)
  child.kill('SIGKILL')
  await ended
  const phase = phaseOf(fleet)
  const isDone = phase !== 'moving files' && treeOf(fleet, 'visible') === visible[state]
  const isStaleToCheck = run(fleet, '--check').status === 1
  const next = runAll(fleet)
  return {
    told: `killed ${after.toFixed(1).padStart(6)} ms after ${mark.padEnd(24)} next run: ${next.report.recovered ?? 'nothing to recover'}`,
    phase,
    isRight: next.status === 0 && treeOf(fleet) === expected[state] && isStaleToCheck !== isDone,
  }
}

interface Round {
  readonly told: string
  readonly phase: string
  readonly isRight: boolean
}

let right = 0
const phases = new Map<string, number>()
for (let round = 1; round <= rounds; round++) {
  const state = round % 2 === 1 ? 'a' : 'b'
  setInputs(fleet, state)
  const { told, phase, isRight } = await (shards.length > 0 && random() < 0.5 ? killShard(state) : killWriter(state))
  phases.set(phase, (phases.get(phase) ?? 0) + 1)
  if (isRight) right++
  console.log(`${String(round).padStart(3)}  ${phase.padEnd(14)}  ${told}  ${isRight ? 'right' : 'WRONG'}`)
}
rmSync(work, { recursive: true, force: true })
console.log(Array.from(phases, ([phase, count]) => `${phase}: ${String(count)}`).join(', '))
console.log(`${String(right)} of ${String(rounds)}`)
process.exitCode = right === rounds ? 0 : 1
