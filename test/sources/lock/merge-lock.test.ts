import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import type { Lock } from '../../../src/model/lock.ts'
import { formatLock } from '../../../src/sources/lock/format-lock.ts'
import { parseLock } from '../../../src/sources/lock/parse-lock.ts'
import { FleetFolder } from '../../../tools/fleets/fleet-folder.ts'
import { gitTestEnvironment } from '../../../tools/servers/git-server.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { fakeDigest, lockedDependency, lockedRelease, lockOf } from './locks.ts'

/** What `stackmason init` writes for git. */
const attributes = join(import.meta.dirname, '../../../templates/fleet/gitattributes')

interface Branches {
  readonly base: Lock
  readonly ours: Lock
  readonly theirs: Lock
}

interface Merge {
  readonly isClean: boolean
  readonly text: string
}

/** Merges two branches of a real repository. */
async function merge({ base, ours, theirs }: Branches, how: 'plain' | 'union'): Promise<Merge> {
  const fleet = new FleetFolder(await tempFolder())
  const commit = (lock: Lock): void => {
    fleet.write('stackmason.lock', formatLock(lock))
    fleet.commit('lock')
  }
  fleet.git('init', '-q', '-b', 'ours')
  if (how === 'union') fleet.copy(attributes, '.gitattributes')
  commit(base)
  fleet.git('checkout', '-qb', 'theirs')
  commit(theirs)
  fleet.git('checkout', '-q', 'ours')
  commit(ours)
  const { status } = spawnSync('git', ['merge', '-q', 'theirs', '-m', 'merge'], {
    cwd: fleet.folder,
    env: gitTestEnvironment,
  })
  return { isClean: status === 0, text: fleet.read('stackmason.lock') }
}

/** What the text says, written anew; what is wrong with it when it says nothing. */
function canonical(text: string): string {
  try {
    return formatLock(parseLock({ name: 'stackmason.lock', text }))
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return error.diagnostics.map(({ code, message }) => `${code}: ${message}`).join('\n')
  }
}

const names = ['aws-x-1-33-v1', 'docker-demo-1-34-v1', 'openstack-scs2-1-33-v1', 'openstack-scs2-1-34-v1']
const charts = ['ccm', 'cilium', 'metrics-server']
const releases = names.map((name) => lockedRelease(name))
const dependencies = charts.map((name) => lockedDependency(name, '1.18.4'))
const base = lockOf(releases, dependencies)
const moved = {
  digest: fakeDigest('moved'),
  revision: fakeDigest('moved too'),
  addons: new Map([['cilium', '1.19.0']]),
}

function withReleases(...more: readonly string[]): Lock {
  return lockOf([...releases, ...more.map((name) => lockedRelease(name))], dependencies)
}

function withChanged(...changed: readonly string[]): Lock {
  const change = (name: string): ReturnType<typeof lockedRelease> =>
    changed.includes(name) ? lockedRelease(name, moved) : lockedRelease(name)
  return lockOf(names.map(change), dependencies)
}

function withDependencies(...more: readonly (readonly [name: string, version: string])[]): Lock {
  return lockOf(releases, [...dependencies, ...more.map(([name, version]) => lockedDependency(name, version))])
}

function without(...gone: readonly string[]): Lock {
  return lockOf(
    releases.filter(({ name }) => !gone.includes(name)),
    dependencies.filter(({ name }) => !gone.includes(name)),
  )
}

/** All that either branch has added to the base, minus what either has removed; changes win. */
function both({ ours, theirs }: Branches): string {
  const pick = <Item extends { readonly name: string }>(kind: (lock: Lock) => readonly Item[]): readonly Item[] => {
    const text = (item: Item): string => JSON.stringify(item, (_, value) => (value instanceof Map ? [...value] : value))
    const known = new Set(kind(base).map(text))
    const added = [...kind(ours), ...kind(theirs)].filter((item) => !known.has(text(item)))
    const kept = kind(base).filter((item) =>
      [ours, theirs].every((lock) => kind(lock).some((other) => text(other) === text(item))),
    )
    return [...new Map([...kept, ...added].map((item) => [text(item), item])).values()]
  }
  return formatLock(
    lockOf(
      pick((lock) => lock.releases),
      pick((lock) => lock.dependencies),
    ),
  )
}

const separate: readonly { readonly name: string; readonly ours: Lock; readonly theirs: Lock }[] = [
  {
    name: 'add releases of two stacks',
    ours: withReleases('aws-x-1-33-v2'),
    theirs: withReleases('docker-demo-1-34-v2'),
  },
  { name: 'add a first and a last release', ours: withReleases('a-a-1-33-v1'), theirs: withReleases('z-z-1-34-v1') },
  {
    name: 'add releases of two minors',
    ours: withReleases('openstack-scs2-1-33-v2'),
    theirs: withReleases('openstack-scs2-1-34-v2'),
  },
  { name: 'change two neighbours', ours: withChanged('aws-x-1-33-v1'), theirs: withChanged('docker-demo-1-34-v1') },
  {
    name: 'change two neighbours at the end',
    ours: withChanged('openstack-scs2-1-33-v1'),
    theirs: withChanged('openstack-scs2-1-34-v1'),
  },
  {
    name: 'change an entry and add its neighbours',
    ours: withChanged('docker-demo-1-34-v1'),
    theirs: withReleases('aws-x-1-33-v2', 'docker-demo-1-34-v2'),
  },
  {
    name: 'change the last release and add one behind it',
    ours: withChanged('openstack-scs2-1-34-v1'),
    theirs: withReleases('openstack-scs2-1-34-v2'),
  },
  {
    name: 'add the last release and the first dependency',
    ours: withReleases('openstack-scs2-1-34-v2'),
    theirs: withDependencies(['aaa', '1.0.0']),
  },
  {
    name: 'change the last dependency and add one behind it',
    ours: lockOf(releases, [
      ...dependencies.slice(0, -1),
      lockedDependency('metrics-server', '1.18.4', { digest: fakeDigest('x') }),
    ]),
    theirs: withDependencies(['velero', '1.0.0']),
  },
  {
    name: 'remove one and add another',
    ours: without('aws-x-1-33-v1'),
    theirs: withReleases('openstack-scs2-1-34-v2'),
  },
  {
    name: 'remove two that are not neighbours',
    ours: without('aws-x-1-33-v1', 'ccm'),
    theirs: without('openstack-scs2-1-33-v1', 'metrics-server'),
  },
]

/** Two branches add at one place: by lines this is a conflict, so git has to be told to take both. */
const samePlace: readonly { readonly name: string; readonly ours: Lock; readonly theirs: Lock }[] = [
  {
    name: 'add two versions of one stack',
    ours: withReleases('openstack-scs2-1-34-v2'),
    theirs: withReleases('openstack-scs2-1-34-v3'),
  },
  {
    name: 'add two stacks between the same two',
    ours: withReleases('hcloud-x-1-34-v1'),
    theirs: withReleases('metal-x-1-34-v1'),
  },
  {
    name: 'add several releases each',
    ours: withReleases('hcloud-x-1-33-v1', 'hcloud-x-1-34-v1'),
    theirs: withReleases('hcloud-x-1-33-v2', 'hcloud-x-1-34-v2', 'metal-x-1-34-v1'),
  },
  {
    name: 'add releases without assets',
    ours: lockOf(
      [...releases, lockedRelease('hcloud-x-1-33-v1', { assets: new Map(), from: 'providers/x/1' })],
      dependencies,
    ),
    theirs: lockOf(
      [...releases, lockedRelease('hcloud-x-1-34-v1', { assets: new Map(), from: 'providers/x/2' })],
      dependencies,
    ),
  },
  {
    name: 'add two versions of one chart',
    ours: withDependencies(['cilium', '1.18.5']),
    theirs: withDependencies(['cilium', '1.18.6']),
  },
  { name: 'add two charts', ours: withDependencies(['kured', '1.0.0']), theirs: withDependencies(['k8up', '1.0.0']) },
  {
    name: 'add two charts at the end',
    ours: withDependencies(['velero', '1.0.0']),
    theirs: withDependencies(['vault', '2.0.0'], ['zot', '1.0.0']),
  },
  {
    name: 'add a last release and a first dependency',
    ours: lockOf([...releases, lockedRelease('p-a-1-34-v1')], [lockedDependency('a', '1.0.0'), ...dependencies]),
    theirs: lockOf([...releases, lockedRelease('p-b-1-34-v1')], [lockedDependency('b', '1.0.0'), ...dependencies]),
  },
  {
    name: 'add the same and another one',
    ours: withReleases('openstack-scs2-1-34-v2'),
    theirs: withReleases('openstack-scs2-1-34-v2', 'openstack-scs2-1-34-v3'),
  },
]

describe('two branches', () => {
  it.each(separate)('that $name merge as they are', async ({ ours, theirs }) => {
    const merged = await merge({ base, ours, theirs }, 'plain')
    expect(merged.isClean).toBe(true)
    expect(merged.text).toBe(both({ base, ours, theirs }))
  })

  it.each([...separate, ...samePlace])('that $name merge with the attributes of init', async ({ ours, theirs }) => {
    const merged = await merge({ base, ours, theirs }, 'union')
    expect(merged.isClean).toBe(true)
    expect(canonical(merged.text)).toBe(both({ base, ours, theirs }))
  })

  it.each(samePlace)(
    'that $name without the attributes: the conflict is told, both sides are whole',
    async ({ ours, theirs }) => {
      const merged = await merge({ base, ours, theirs }, 'plain')
      expect(merged.isClean).toBe(false)
      const line = merged.text.split('\n').findIndex((text) => text.startsWith('<<<<<<<')) + 1
      expect(canonical(merged.text)).toBe(`LOCK_INVALID: a merge was not finished: line ${line} is a conflict marker`)
      const resolved = merged.text.replaceAll(/^(?:<{7}|={7}|>{7}).*\n/gm, '')
      expect(canonical(resolved)).toBe(both({ base, ours, theirs }))
    },
  )

  it('that add to an empty lock merge with the attributes of init', async () => {
    const empty = lockOf([])
    const ours = lockOf([lockedRelease('a-a-1-34-v1')], [lockedDependency('x', '1.0.0')])
    const theirs = lockOf([lockedRelease('b-b-1-34-v1')], [lockedDependency('y', '1.0.0')])
    const merged = await merge({ base: empty, ours, theirs }, 'union')
    expect(merged.isClean).toBe(true)
    expect(canonical(merged.text)).toBe(
      formatLock(lockOf([...ours.releases, ...theirs.releases], [...ours.dependencies, ...theirs.dependencies])),
    )
  })

  it.each(['plain', 'union'] as const)('that change one entry are told apart (%s)', async (how) => {
    const ours = withChanged('docker-demo-1-34-v1')
    const other = { ...moved, digest: fakeDigest('otherwise'), revision: fakeDigest('otherwise too') }
    const theirs = lockOf(
      names.map((name) => lockedRelease(name, name === 'docker-demo-1-34-v1' ? other : {})),
      dependencies,
    )
    const { text } = await merge({ base, ours, theirs }, how)
    expect(canonical(text)).toMatch(/^LOCK_INVALID: (?:a merge was not finished|the key `revision` stands twice)/)
  })

  it('that add and change at random, 20 times, merge with the attributes of init', async () => {
    const random = createRandom(7)
    const pool = ['aa-x', 'bb-x', 'docker-demo', 'openstack-scs2'].flatMap((stack) =>
      [33, 34].flatMap((minor) => [2, 3, 4].map((version) => `${stack}-1-${String(minor)}-v${String(version)}`)),
    )
    for (let round = 0; round < 20; round++) {
      const owner = new Map([...pool, ...names, ...charts].map((name) => [name, random() < 0.5 ? 'ours' : 'theirs']))
      const chosen = pool.filter(() => random() < 0.4)
      const changed = new Set([...names, ...charts].filter(() => random() < 0.4))
      const branch = (side: string): Lock => {
        const isMoved = (name: string): boolean => changed.has(name) && owner.get(name) === side
        const added = chosen.filter((name) => owner.get(name) === side)
        return lockOf(
          [
            ...names.map((name) => lockedRelease(name, isMoved(name) ? moved : {})),
            ...added.map((name) => lockedRelease(name)),
          ],
          [
            ...charts.map((name) => lockedDependency(name, '1.18.4', isMoved(name) ? { digest: moved.digest } : {})),
            ...added.map((name) => lockedDependency('cilium', `1.${String(pool.indexOf(name))}.0`)),
          ],
        )
      }
      const [ours, theirs] = [branch('ours'), branch('theirs')]
      const { text } = await merge({ base, ours, theirs }, 'union')
      expect(canonical(text), `round ${String(round)}`).toBe(both({ base, ours, theirs }))
    }
  })
})

/** Mulberry32: the same numbers for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
