import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { builtProgram } from '../built-program.ts'
import { gitTestEnvironment } from '../servers/git-server.ts'
import type { FleetFolder } from './fleet-folder.ts'
import { labCluster } from './lab-fleet.ts'
import { portsWith, type PublishedFleet, publishFrom, stateOfClone } from './published-fleet.ts'
import { openTrialPlace, type TrialForm, type TrialPlace } from './trial-place.ts'
import { runWatched, type WatchedProgram } from './watched-program.ts'

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
  /** Where the tree goes; default: straight into the branch. */
  readonly form?: TrialForm
  /** No round begins after so many; default: all do. */
  readonly seconds?: number
}

/** What a trial has come to; `faults` in words. */
export interface TrialResult {
  readonly faults: readonly string[]
  /** How often a run ended so. */
  readonly ends: Readonly<Record<string, number>>
  /** How many rounds there were. */
  readonly rounds: number
}

/**
 * Lets publishers, each in a clone of its own, publish at once while authors push to the same branch and pull requests are
 * merged, and looks at what came of it: every change of an author is there, once, and rendered, once.
 */
export async function racePublishers({
  root,
  rounds,
  seed,
  publishers,
  form = 'branch',
  seconds = Infinity,
}: TrialOptions & { readonly publishers: number }): Promise<TrialResult> {
  const random = createRandom(seed)
  const last = performance.now() + seconds * 1000
  const place = await openTrialPlace(root, form)
  const { fleet } = place
  const faults: string[] = []
  const ends = new Map<string, number>()
  try {
    const names = Array.from({ length: publishers }, (_, index) => `c${String(index)}`)
    for (const name of names) fleet.author.write(`clusters/team/${name}/cluster.yaml`, clusterFile(name))
    await fleet.push()
    const clones: FleetFolder[] = []
    for (const name of names) clones.push(await cloneOf(fleet, name))
    const states = clones.map(stateOfClone)
    const [first] = clones
    if (first !== undefined && form !== 'branch') await publishAll(place, first, random)
    let round = 0
    for (; round < rounds && performance.now() < last; round++) {
      const told = (what: string): number => faults.push(`round ${String(round)}: ${what}`)
      let running = names.length
      const runs = names.map(async (name, index) => {
        try {
          await sleep(random() * 500)
          const clone = clones[index]
          commitValue(fleet, name, valueOf(name, round))
          if (clone === undefined) return
          const { status, attempts } = await publishFrom(clone, {}, portsWith(place.variables))
          count(ends, `${status} after ${String(attempts)}`)
        } finally {
          running--
        }
      })
      const merging = (async () => {
        while (running > 0) {
          await sleep(random() * 4000)
          place.mergeOne(random)
        }
      })()
      for (const run of await Promise.allSettled([...runs, merging]))
        if (run.status === 'rejected') told(String(run.reason))
      for (const fault of place.faults()) told(fault)
      place.mergeAll(random)
      for (const name of names) for (const fault of arrivalFaults(fleet, valueOf(name, round))) told(fault)
    }
    faults.push(...(await faultsOf(place, clones, { states, form })))
    return { faults, ends: Object.fromEntries(ends), rounds: round }
  } finally {
    await place.close()
  }
}

/** Clusters of a fleet whose publisher is killed; several, so that it is killed between their pull requests, too. */
const killed = ['c0', 'c1', 'c2'] as const

/** A kill comes at most so long after the step that it is meant for. Milliseconds. */
const LATEST_KILL = 30

/**
 * Kills the program, as a process, at a random step of publishing, then publishes once more, and looks at what the killed
 * run left: nothing, after the next. `from`: no step before the first of these. The ends say at which steps it was killed.
 */
export async function killPublishers({
  root,
  rounds,
  seed,
  form = 'branch',
  from,
  seconds = Infinity,
}: TrialOptions & { readonly from?: string }): Promise<TrialResult> {
  const random = createRandom(seed)
  const last = performance.now() + seconds * 1000
  const place = await openTrialPlace(root, form)
  const { fleet } = place
  const faults: string[] = []
  const ends = new Map<string, number>()
  const main = await builtProgram()
  try {
    for (const name of killed) fleet.author.write(`clusters/team/${name}/cluster.yaml`, clusterFile(name))
    await fleet.push()
    const clone = await cloneOf(fleet, 'killed')
    const program: WatchedProgram = {
      words: [main, 'publish', '--yes', '--quiet'],
      cwd: clone.folder,
      env: { ...gitTestEnvironment, ...place.variables, STACKMASON_CACHE: join(tmpdir(), 'stackmason-test-cache') },
      scratch: join(root, 'watched'),
      requests: place.forge?.requests ?? [],
    }
    const refs = (): string => fleet.repository.git(['for-each-ref'])
    if (form !== 'branch') await publishAll(place, clone, random)
    const change = (round: number): void => {
      for (const name of killed) commitValue(fleet, name, valueOf(name, round))
    }
    change(rounds)
    const { steps: whole, failure: unkilled } = await runWatched(program)
    if (unkilled !== undefined) faults.push(`a run that nobody kills failed: ${unkilled}`)
    if (!whole.includes('git push')) faults.push(`a run that nobody kills does not push: ${whole.join(', ')}`)
    const first = from === undefined ? 0 : whole.indexOf(from)
    if (first === -1) faults.push(`no run comes to ${from ?? ''}: ${whole.join(', ')}`)
    place.mergeAll(random)
    const state = stateOfClone(clone)
    let round = 0
    for (; round < rounds && performance.now() < last; round++) {
      const told = (what: string): number => faults.push(`round ${String(round)}: ${what}`)
      change(round)
      const before = refs()
      const kill = {
        step: Math.floor(random() * (whole.length + 1 - first)),
        ...(from !== undefined && { from }),
        later: random() * LATEST_KILL,
        whom: random() < 0.5 ? ('process' as const) : ('group' as const),
      }
      const { isKilled, steps, failure } = await runWatched(program, kill)
      if (failure !== undefined) told(`a run failed by itself: ${failure}`)
      count(ends, isKilled ? killedAt(steps, refs() !== before) : 'ended before it was killed')
      const next = await publishFrom(clone, {}, portsWith(place.variables)).catch((error: unknown) => error)
      if (next instanceof Error) told(String(next))
      for (const fault of place.faults()) told(fault)
      place.mergeAll(random)
      for (const name of killed) for (const fault of arrivalFaults(fleet, valueOf(name, round))) told(fault)
      const now = stateOfClone(clone)
      for (const name of Object.keys({ ...state, ...now }))
        if (state[name] !== now[name]) told(`${name} is another after ${steps.at(-1) ?? ''}: ${now[name] ?? 'gone'}`)
    }
    faults.push(...(await faultsOf(place, [clone], { states: [state], form })))
    const sorted = Object.fromEntries([...ends].sort(([a], [b]) => (a < b ? -1 : 1)))
    return { faults, ends: sorted, rounds: round }
  } finally {
    await place.close()
  }
}

/** What a program was at when it was killed: how far it had come, and what it did last. */
function killedAt(steps: readonly string[], isPushed: boolean): string {
  const last = steps.at(-1) ?? 'nothing yet'
  const isAsking = steps.some((step) => /^(?:POST|PATCH|PUT|DELETE) /.test(step))
  const far = isAsking
    ? '5 after a write of the API'
    : isPushed
      ? '4 a branch has moved'
      : steps.includes('git push')
        ? '3 push begun'
        : steps.includes('git commit-tree')
          ? '2 commit made'
          : steps.includes('git read-tree')
            ? '1 rendering'
            : '0 fetching'
  return `killed, ${far}, at ${last}`
}

/** Publishes and merges until nothing is left to do. */
async function publishAll(place: TrialPlace, clone: FleetFolder, random: () => number): Promise<void> {
  while ((await publishFrom(clone, {}, portsWith(place.variables))).status === 'published') place.mergeAll(random)
}

/** What is wrong with how a change of an author arrived: in the inputs and in the tree, once in each. */
function arrivalFaults(fleet: PublishedFleet, value: string): readonly string[] {
  const [inputs = 0, outputs = 0] = ['clusters', 'rendered'].map((folder) => commitsWith(fleet, value, folder))
  return inputs === 1 && outputs === 1
    ? []
    : [`${value} is in ${String(inputs)} commits of the inputs and ${String(outputs)} of the tree`]
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
  { fleet, variables }: TrialPlace,
  clones: readonly FleetFolder[],
  { states, form }: { readonly states: readonly Readonly<Record<string, string>>[]; readonly form: TrialForm },
): Promise<readonly string[]> {
  const { git } = fleet.repository
  const faults: string[] = []
  const broken = git(['fsck', '--strict', '--no-dangling'])
  if (broken !== '') faults.push(`git fsck: ${broken}`)
  if (form === 'branch' && git(['rev-list', '--merges', 'main']) !== '') faults.push('there are merges')
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
    const { status } = await publishFrom(clone, {}, portsWith(variables))
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
