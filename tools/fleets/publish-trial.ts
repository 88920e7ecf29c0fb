import { spawn } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gitTestEnvironment } from '../servers/git-server.ts'
import type { FleetFolder } from './fleet-folder.ts'
import { labCluster } from './lab-fleet.ts'
import { portsWith, type PublishedFleet, publishFrom, servePublishedFleet, stateOfClone } from './published-fleet.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** A random number from 0 up to 1, from a seed (mulberry32): the same trial can be made again. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** A trial. */
export interface TrialOptions {
  /** An empty folder. */
  readonly root: string
  readonly rounds: number
  readonly seed: number
}

/** What a trial has come to; `faults` in words. */
export interface TrialResult {
  readonly faults: readonly string[]
  /** How often a run ended so. */
  readonly ends: Readonly<Record<string, number>>
}

/**
 * Lets publishers, each in a clone of its own, publish at once while authors push to the same branch, and looks at what
 * came of it: every change of an author is there, once, and rendered, once.
 */
export async function racePublishers({
  root,
  rounds,
  seed,
  publishers,
}: TrialOptions & { readonly publishers: number }): Promise<TrialResult> {
  const random = createRandom(seed)
  const fleet = await servePublishedFleet(root, { spec: ['publish: {into: branch}'] })
  const faults: string[] = []
  const ends = new Map<string, number>()
  try {
    const names = Array.from({ length: publishers }, (_, index) => `c${String(index)}`)
    for (const name of names) fleet.author.write(`clusters/team/${name}/cluster.yaml`, clusterFile(name))
    await fleet.push()
    const clones: FleetFolder[] = []
    for (const name of names) clones.push(await cloneOf(fleet, name))
    const states = clones.map(stateOfClone)
    for (let round = 0; round < rounds; round++) {
      const runs = names.map(async (name, index) => {
        await sleep(random() * 500)
        const clone = clones[index]
        commitValue(fleet, name, valueOf(name, round))
        if (clone === undefined) return
        const { status, attempts } = await publishFrom(clone, {}, portsWith({ CI: 'true' }))
        count(ends, `${status} after ${String(attempts)}`)
      })
      for (const run of await Promise.allSettled(runs))
        if (run.status === 'rejected') faults.push(`round ${String(round)}: ${String(run.reason)}`)
      for (const name of names) {
        const value = valueOf(name, round)
        const [inputs, outputs] = ['clusters', 'rendered'].map((folder) => commitsWith(fleet, value, folder))
        if (inputs !== 1 || outputs !== 1)
          faults.push(`${value} is in ${String(inputs)} commits of the inputs and ${String(outputs)} of the tree`)
      }
    }
    faults.push(...(await faultsOf(fleet, clones, states)))
    return { faults, ends: Object.fromEntries(ends) }
  } finally {
    await fleet.server.close()
  }
}

/**
 * Kills the program, as a process, at a random moment of publishing, then publishes once more, and looks at what the
 * killed run left: nothing, after the next.
 */
export async function killPublishers({ root, rounds, seed }: TrialOptions): Promise<TrialResult> {
  const random = createRandom(seed)
  const fleet = await servePublishedFleet(root, { spec: ['publish: {into: branch}'] })
  const faults: string[] = []
  const ends = new Map<string, number>()
  try {
    fleet.author.write('clusters/team/c0/cluster.yaml', clusterFile('c0'))
    await fleet.push()
    const clone = await cloneOf(fleet, 'killed')
    const timed = async (kill: Kill | undefined): Promise<number | undefined> => {
      const started = performance.now()
      return (await runProgram(clone, kill)) ? undefined : performance.now() - started
    }
    // the fastest that came to its end: a busy machine makes others longer
    let whole = (await timed(undefined)) ?? 0
    const state = stateOfClone(clone)
    for (let round = 0; round < rounds; round++) {
      const value = valueOf('c0', round)
      commitValue(fleet, 'c0', value)
      const before = fleet.repository.git(['rev-parse', 'main'])
      const took = await timed({
        after: whole * (0.1 + 0.9 * random()),
        whom: random() < 0.5 ? 'process' : 'group',
      })
      const isKilled = took === undefined
      whole = Math.min(whole, took ?? whole)
      // what git had begun may end
      await sleep(100)
      const isPushed = fleet.repository.git(['rev-parse', 'main']) !== before
      count(ends, isKilled ? (isPushed ? 'killed after its push' : 'killed') : 'ended')
      const next = await publishFrom(clone, {}, portsWith({ CI: 'true' })).catch((error: unknown) => error)
      if (next instanceof Error) faults.push(`round ${String(round)}: ${String(next)}`)
      if (commitsWith(fleet, value, 'rendered') !== 1)
        faults.push(`round ${String(round)}: ${value} is not there, once`)
      if (JSON.stringify(stateOfClone(clone)) !== JSON.stringify(state))
        faults.push(`round ${String(round)}: the checkout is another, or something is left of a run`)
    }
    faults.push(...(await faultsOf(fleet, [clone], [state])))
    return { faults, ends: Object.fromEntries(ends) }
  } finally {
    await fleet.server.close()
  }
}

function count(ends: Map<string, number>, end: string): void {
  ends.set(end, (ends.get(end) ?? 0) + 1)
}

function clusterFile(name: string): string {
  return labCluster().replace('name: one', `name: ${name}`)
}

function valueOf(name: string, round: number): string {
  return `value-${name}-${String(round)}-end`
}

async function cloneOf(fleet: PublishedFleet, name: string): Promise<FleetFolder> {
  const clone = await fleet.clone(name)
  clone.git('config', 'user.name', 'Bot')
  clone.git('config', 'user.email', 'bot@example.org')
  clone.git('status')
  return clone
}

/** A change of an author, on top of whatever the branch has at that moment. */
function commitValue({ repository: { git, path } }: PublishedFleet, name: string, value: string): void {
  const blob = git(['hash-object', '-w', '--stdin'], `message: ${value}\n`)
  for (;;) {
    const parent = git(['rev-parse', 'main'])
    // the index of the bare repository is nobody else's
    git(['read-tree', parent])
    git(['update-index', '--add', '--cacheinfo', `100644,${blob},clusters/team/${name}/values/web.yaml`])
    const commit = git(['commit-tree', git(['write-tree']), '-p', parent, '-m', `Set ${value}`])
    rmSync(join(path, 'index'), { force: true })
    try {
      git(['update-ref', 'refs/heads/main', commit, parent])
      return
    } catch (error) {
      // a publisher was faster
      if (git(['rev-parse', 'main']) === parent) throw error
    }
  }
}

/** How many commits brought a text into a folder. */
function commitsWith({ repository: { git } }: PublishedFleet, text: string, folder: string): number {
  const lines = git(['log', '--format=%H', `-S${text}`, 'main', '--', folder])
  // a commit that takes the text out again changes it, too
  const brought = lines.split('\n').filter((commit) => commit !== '' && holds(git, { commit, text, folder }))
  return brought.length
}

function holds(
  git: PublishedFleet['repository']['git'],
  { commit, text, folder }: { readonly commit: string; readonly text: string; readonly folder: string },
): boolean {
  try {
    return git(['grep', '--files-with-matches', text, commit, '--', folder]) !== ''
  } catch {
    // git ends with 1 where there is none
    return false
  }
}

async function faultsOf(
  fleet: PublishedFleet,
  clones: readonly FleetFolder[],
  states: readonly Readonly<Record<string, string>>[],
): Promise<readonly string[]> {
  const { git } = fleet.repository
  const faults: string[] = []
  const broken = git(['fsck', '--strict', '--no-dangling'])
  if (broken !== '') faults.push(`git fsck: ${broken}`)
  if (git(['rev-list', '--merges', 'main']) !== '') faults.push('there are merges')
  if (git(['for-each-ref', '--format=%(refname)']) !== 'refs/heads/main') faults.push('there are other refs')
  for (const [index, clone] of clones.entries()) {
    if (JSON.stringify(stateOfClone(clone)) !== JSON.stringify(states[index]))
      faults.push(`${clone.folder} has changed`)
    if (clone.git('for-each-ref', 'refs/stackmason') !== '') faults.push(`${clone.folder} has private refs`)
  }
  const own = git(['log', '--format=%T %(trailers:key=Stackmason-Tree,valueonly,separator=)', 'main'])
  for (const line of own.split('\n')) {
    const [tree, said = ''] = line.split(' ')
    if (said !== '' && said !== tree) faults.push(`a commit says that it has tree ${said}, and has ${tree ?? ''}`)
  }
  const [clone] = clones
  if (clone !== undefined) {
    const { status } = await publishFrom(clone, {}, portsWith({ CI: 'true' }))
    if (status !== 'unchanged') faults.push(`the tree was not current: ${status}`)
  }
  const prefix = `stackmason-${String(process.pid)}-`
  const left = readdirSync(tmpdir()).filter((name) => name.startsWith('stackmason-publish-'))
  for (const name of left) {
    const inside = readdirSync(join(tmpdir(), name)).filter((part) => part.startsWith(prefix))
    if (inside.length > 0) faults.push(`${name} is left`)
  }
  return faults
}

interface Kill {
  /** Milliseconds. */
  readonly after: number
  /** The program alone, or with the programs that it has started. */
  readonly whom: 'process' | 'group'
}

/** Runs the program in a clone; says whether it was killed before it ended. */
async function runProgram(clone: FleetFolder, kill: Kill | undefined): Promise<boolean> {
  const child = spawn(process.execPath, ['--import', 'tsx', main, 'publish', '--yes', '--quiet'], {
    cwd: clone.folder,
    env: { ...gitTestEnvironment, STACKMASON_CACHE: join(tmpdir(), 'stackmason-test-cache') },
    stdio: 'ignore',
    detached: true,
  })
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('close', (_status, signal) => resolve(signal))
  })
  if (kill === undefined) return (await ended) !== null
  const timer = setTimeout(() => {
    if (child.pid === undefined) return
    process.kill(kill.whom === 'group' ? -child.pid : child.pid, 'SIGKILL')
  }, kill.after)
  const signal = await ended
  clearTimeout(timer)
  return signal !== null
}
