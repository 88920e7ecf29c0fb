import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Ports, Process } from '../../src/model/ports.ts'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { checkTree, writeTree } from '../../src/write/write-tree.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { createFaultyFiles, type Fault, Killed } from './faulty-files.ts'
import { ports, putFiles, readAll, treeOf, writeOptions } from './trees.ts'

const A = 'clusters/ns/c/addons/01-a'
const B = 'clusters/ns/c/addons/02-b'
const C = 'stacks/ns/r'
/** Everything happens between the two: files added, changed, removed and kept, folders added and removed. */
const OLD = treeOf({ [A]: { changed: '1', kept: '1', removed: '1' }, [B]: { gone: '1' } })
const NEW = treeOf({ [A]: { added: '2', changed: '2', kept: '1' }, [C]: { added: '2' } })

/** Hash of the text `x`. */
const X = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881'

/** Hash of the text `y`. */
const Y = 'a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa'

/** Files that differ between the two. */
const CHANGES = 8

type Tree = Readonly<Record<string, string>>

/** The tree without what a run needs while it writes. */
async function visibleTree(output: string): Promise<Tree> {
  return visible(await readAll(output))
}

function visible(all: Tree): Tree {
  return Object.fromEntries(
    Object.entries(all).filter(([path]) => !path.startsWith('.stackmason/') && !path.endsWith('/')),
  )
}

interface Trees {
  readonly before: Tree
  readonly after: Tree
}

async function trees(): Promise<Trees> {
  const output = await tempFolder()
  await writeTree(OLD, writeOptions(output), ports)
  const before = await readAll(output)
  await writeTree(NEW, writeOptions(output), ports)
  return { before, after: await readAll(output) }
}

interface Run {
  readonly output: string
  readonly error: unknown
  /** True if the fault was reached at all. */
  readonly isHit: boolean
}

/** Writes NEW over OLD while the fault happens. */
async function runWith(fault: Fault, before: Tree): Promise<Run> {
  const output = await tempFolder()
  await putFiles(output, before)
  const faulty = createFaultyFiles(ports.files, fault)
  // a killed process would take its sign with it
  const mute: Process = { ...ports.process, giveSign: () => Promise.resolve(undefined) }
  const error: unknown = await writeTree(NEW, writeOptions(output), {
    ...ports,
    files: faulty.files,
    process: mute,
  }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return { output, error, isHit: faulty.count() >= fault.at }
}

/** The operation before which {@link halfDone} kills, once it is known. */
let halfWay = 1

/** A folder that a killed run left after its decision, with the first files removed and none written. */
async function halfDone(before: Tree): Promise<string> {
  for (; ; halfWay++) {
    const { output, isHit } = await runWith({ at: halfWay, how: 'killed-before' }, before)
    if (!isHit) throw new Error('the run never stands there')
    const state = await readAll(output)
    if (state['.stackmason/journal.json'] !== undefined && state[`${A}/configmap-removed.yaml`] === undefined) {
      if (state[`${A}/configmap-changed.yaml`] === before[`${A}/configmap-changed.yaml`]) return output
    }
  }
}

/** All that a next run can see of an earlier one. */
async function leftBy(output: string): Promise<string> {
  return JSON.stringify(await readAll(output)).replaceAll(output, '')
}

/** The next run is another process, and no other one runs. */
const nextProcess: Ports = {
  ...ports,
  process: {
    ...ports.process,
    identity: () => ({ process: ports.process.id + 1, host: 'next' }),
    stateOf: () => Promise.resolve('ended'),
  },
}

/** What was told of each state of a folder: reading leaves it as it is, so many faults leave the same. */
const stories = new Map<string, string>()

/** What one run after another came to, in words that do not depend on where exactly the fault struck. */
async function storyOf(output: string, trees: Trees): Promise<string> {
  const state = await leftBy(output)
  const known = stories.get(state)
  if (known !== undefined) return known
  const story = await tellStory(output, trees)
  stories.set(state, story)
  return story
}

async function tellStory(output: string, { before, after }: Trees): Promise<string> {
  const atFault = stateOf(await visibleTree(output), { before, after })
  const left = await readAll(output)
  const check = await checkTree(NEW, writeOptions(output), nextProcess).then(
    ({ changes }) => (changes.length === 0 ? 'fine' : changes.length === CHANGES ? 'all stale' : 'some stale'),
    (thrown: unknown) => (thrown instanceof StackmasonError ? thrown.diagnostics[0]?.code : 'failed'),
  )
  const isUntouched = JSON.stringify(await readAll(output)) === JSON.stringify(left)
  const next = await writeTree(NEW, writeOptions(output), nextProcess)
  const isNew = JSON.stringify(await readAll(output)) === JSON.stringify(after)
  return [
    `left ${atFault}`,
    `check says ${String(check)}${isUntouched ? '' : ' AND CHANGES SOMETHING'}`,
    `next run ${next.recovered ?? 'recovers nothing'}, changes ${next.changes.length === 0 ? 'nothing' : next.changes.length === CHANGES ? 'all' : 'some'}`,
    ...(next.findings.length === 0 ? [] : ['WITH FINDINGS']),
    `ends ${isNew ? 'new' : 'WRONG'}`,
  ].join(', ')
}

function stateOf(tree: Tree, { before, after }: Trees): string {
  const text = JSON.stringify(tree)
  return text === JSON.stringify(visible(after)) ? 'new' : text === JSON.stringify(visible(before)) ? 'old' : 'between'
}

describe('a run that is killed', () => {
  test.each(['killed-before', 'killed-after', 'killed-half-way'] as const)(
    '%s each operation in turn: check never takes a mix for a tree, the next run leaves the new tree',
    async (how) => {
      const known = await trees()
      const found = new Set<string>()
      for (let at = 1; ; at++) {
        const { output, error, isHit } = await runWith({ at, how }, known.before)
        if (!isHit) break
        expect(error).toBeInstanceOf(Killed)
        found.add(await storyOf(output, known))
      }
      expect([...found].sort()).toEqual([
        'left between, check says WRITE_INTERRUPTED, next run completed, changes nothing, ends new',
        'left new, check says WRITE_INTERRUPTED, next run completed, changes nothing, ends new',
        'left new, check says fine, next run recovers nothing, changes nothing, ends new',
        'left old, check says WRITE_INTERRUPTED, next run completed, changes nothing, ends new',
        'left old, check says WRITE_INTERRUPTED, next run rolled-back, changes all, ends new',
        'left old, check says all stale, next run recovers nothing, changes all, ends new',
      ])
    },
  )

  test('the next run may want something else: the decided tree is completed first, nothing counts as edited', async () => {
    const { before } = await trees()
    const seen = new Set<string>()
    for (let at = 1; ; at++) {
      const { output, isHit } = await runWith({ at, how: 'killed-before' }, before)
      if (!isHit) break
      const state = await leftBy(output)
      if (seen.has(state)) continue
      seen.add(state)
      await writeTree(OLD, writeOptions(output), nextProcess)
      expect(await readAll(output), `killed at operation ${String(at)}`).toEqual(before)
    }
  })

  test.each(['killed-before', 'killed-after', 'killed-half-way'] as const)(
    '%s each operation in turn: what somebody writes before the next run is never lost',
    async (how) => {
      const { before } = await trees()
      const edits = {
        [`${A}/configmap-changed.yaml`]: 'mine',
        [`${A}/configmap-removed.yaml`]: 'mine',
        [`${A}/own.txt`]: 'mine',
      }
      const told = new Set<string>()
      const seen = new Set<string>()
      for (let at = 1; ; at++) {
        const { output, isHit } = await runWith({ at, how }, before)
        if (!isHit) break
        const state = await leftBy(output)
        if (seen.has(state)) continue
        seen.add(state)
        await putFiles(output, edits)
        const next = writeTree(NEW, writeOptions(output), nextProcess)
        const errors = (await diagnosticsOf(next)).filter(({ severity }) => severity === 'error')
        for (const { code } of errors) told.add(code)
        expect(await readAll(output), `operation ${String(at)}`).toMatchObject(edits)
      }
      expect([...told]).toEqual(['WRITE_HAND_EDITED'])
    },
  )

  test('the run that recovers may be killed as well', async () => {
    const known = await trees()
    const state = await readAll(await halfDone(known.before))
    const found = new Set<string>()
    for (let at = 1; ; at++) {
      const output = await tempFolder()
      await putFiles(output, state)
      const faulty = createFaultyFiles(ports.files, { at, how: 'killed-after' })
      const third: Ports = { ...nextProcess, files: faulty.files, process: { ...nextProcess.process, id: 1 } }
      await writeTree(NEW, writeOptions(output), third).catch(() => undefined)
      if (faulty.count() < at) break
      found.add(await storyOf(output, known))
    }
    expect([...found].filter((story) => !story.endsWith(', ends new'))).toEqual([])
    expect(found).toContain('left between, check says WRITE_INTERRUPTED, next run completed, changes nothing, ends new')
  })
})

describe('an operation that fails', () => {
  /** The stories of a failure at each operation, after what the error said. */
  async function storiesOf(how: Fault['how']): Promise<readonly string[]> {
    const known = await trees()
    const found = new Set<string>()
    for (let at = 1; ; at++) {
      const { output, error, isHit } = await runWith({ at, how }, known.before)
      if (!isHit) break
      if (!(error instanceof StackmasonError)) throw error
      const told = error.diagnostics.map((found) => `${found.code} ${found.message.replace(/.*; /, '')}`).join()
      found.add(`${told}: ${await storyOf(output, known)}`)
    }
    return [...found].sort()
  }

  test('once, each in turn: the tree is the old one unless only the lock was left to give up', async () => {
    expect(await storiesOf('fails-once')).toEqual([
      'WRITE_FAILED nothing was changed: left old, check says all stale, next run recovers nothing, changes all, ends new',
      'WRITE_FAILED the tree was written all the same: left new, check says fine, next run recovers nothing, changes nothing, ends new',
    ])
  })

  test('from then on, each in turn: what could not be undone is pending', async () => {
    expect(await storiesOf('fails-on')).toEqual([
      'WRITE_FAILED nothing was changed: left old, check says WRITE_INTERRUPTED, next run rolled-back, changes all, ends new',
      'WRITE_FAILED nothing was changed: left old, check says all stale, next run recovers nothing, changes all, ends new',
      'WRITE_FAILED the next run ends what was begun: left between, check says WRITE_INTERRUPTED, next run completed, changes nothing, ends new',
      'WRITE_FAILED the next run ends what was begun: left new, check says WRITE_INTERRUPTED, next run completed, changes nothing, ends new',
      'WRITE_FAILED the next run ends what was begun: left new, check says fine, next run recovers nothing, changes nothing, ends new',
      'WRITE_FAILED the next run ends what was begun: left old, check says WRITE_INTERRUPTED, next run completed, changes nothing, ends new',
      'WRITE_FAILED the tree was written all the same: left new, check says fine, next run recovers nothing, changes nothing, ends new',
    ])
  })
})

describe('journals', () => {
  const journal = (steps: readonly unknown[]): string =>
    JSON.stringify({ apiVersion: 'stackmason.dev/v1alpha1', kind: 'Journal', outcome: 'completed', steps })

  test.each([
    { name: 'damaged', text: '{' },
    { name: 'of a later version', text: journal([]).replace('v1alpha1', 'v2') },
    { name: 'that leads out', text: journal([{ path: '../x', was: 'x' }]) },
    { name: 'with an absolute path', text: journal([{ path: '/etc/x', was: 'x' }]) },
    { name: 'with a path for another system', text: journal([{ path: '..\\x', was: 'x' }]) },
    { name: 'about the control folder', text: journal([{ path: '.stackmason/lock.json', was: 'x' }]) },
    { name: 'that stages from elsewhere', text: journal([{ path: 'x', staged: '../../x', sha256: 'x' }]) },
    { name: 'without steps', text: journal([]).replace(',"steps":[]', '') },
    { name: 'with a step that is none', text: journal([7]) },
    { name: 'without a hash', text: journal([{ path: 'x', staged: 'new-0' }]) },
  ])('one $name is refused', async ({ text }) => {
    const output = await tempFolder()
    await writeTree(OLD, writeOptions(output), ports)
    await putFiles(output, { '.stackmason/journal.json': text })
    const before = await readAll(output)
    const [found] = await diagnosticsOf(writeTree(NEW, writeOptions(output), ports))
    expect(found).toMatchObject({
      code: 'WRITE_INTERRUPTED',
      message: 'an earlier run was interrupted while it wrote, and its journal is damaged',
      file: join(output, '.stackmason'),
    })
    expect(await readAll(output)).toEqual(before)
    expect((await diagnosticsOf(checkTree(NEW, writeOptions(output), ports)))[0]?.code).toBe('WRITE_INTERRUPTED')
  })

  test('one that leads through a link changes nothing there', async () => {
    const output = await tempFolder()
    const elsewhere = await tempFolder()
    await writeTree(OLD, writeOptions(output), ports)
    await putFiles(output, { 'a/link': `-> ${elsewhere}` })
    await putFiles(output, {
      '.stackmason/journal.json': journal([
        { path: 'a/link/x', staged: 'new-0', sha256: X },
        { path: 'a/link/deep/x', staged: 'new-1', sha256: X },
      ]),
      '.stackmason/staging/new-0': 'x',
      '.stackmason/staging/new-1': 'x',
    })
    const result = await writeTree(OLD, writeOptions(output), ports)
    expect(result.recovered).toBe('completed')
    expect(result.findings.map((found) => `${found.severity} ${found.code} ${found.file ?? ''}`)).toEqual([
      `warning WRITE_HAND_EDITED ${join(output, 'a/link/x')}`,
      `warning WRITE_HAND_EDITED ${join(output, 'a/link/deep/x')}`,
    ])
    expect(await readAll(elsewhere)).toEqual({})
  })

  test.each(['staging', 'kept'])('one beside a link as %s is not followed', async (name) => {
    const output = await tempFolder()
    const elsewhere = await tempFolder()
    await writeTree(OLD, writeOptions(output), ports)
    await putFiles(elsewhere, { 'new-0': 'x', 'kept-0': 'x' })
    await putFiles(output, {
      [`.stackmason/${name}`]: `-> ${elsewhere}`,
      '.stackmason/journal.json': journal([{ path: 'a/x', staged: name === 'kept' ? 'kept-0' : 'new-0', sha256: X }]),
    })
    const before = await readAll(output)
    const [found] = await diagnosticsOf(writeTree(OLD, writeOptions(output), ports))
    expect([found?.code, found?.file]).toEqual(['WRITE_NOT_OWNED', join(output, '.stackmason', name)])
    expect([await readAll(elsewhere), await readAll(output)]).toEqual([{ 'new-0': 'x', 'kept-0': 'x' }, before])
  })

  test.each([
    { name: 'replaces', step: { staged: 'new-0', sha256: Y } },
    { name: 'removes', step: {} },
  ])('one that would put what it $name elsewhere keeps nothing there', async ({ step }) => {
    const folder = await tempFolder()
    const output = join(folder, 'rendered')
    await putFiles(folder, { victim: 'precious' })
    await writeTree(OLD, writeOptions(output), ports)
    await putFiles(output, {
      'a/x': 'x',
      '.stackmason/journal.json': journal([{ path: 'a/x', was: X, ...step, keep: '../../../victim' }]),
      '.stackmason/staging/new-0': 'y',
    })
    await writeTree(OLD, writeOptions(output), ports)
    expect((await readAll(folder))['victim']).toBe('precious')
  })

  test('one that is completed by a run of a part tells what that part does not render', async () => {
    const { before, after } = await trees()
    const part = { ...NEW, folders: NEW.folders.filter(({ path }) => path === A), scopes: ['clusters/ns/c'] }
    const output = await halfDone(before)
    const result = await writeTree(part, writeOptions(output), nextProcess)
    expect(await visibleTree(output)).toEqual(visible(after))
    expect(result).toMatchObject({ recovered: 'completed', changes: [] })
    expect(result.findings).toEqual([
      {
        code: 'WRITE_INTERRUPTED',
        severity: 'warning',
        message:
          'an earlier run was interrupted while it wrote, and completed first; it had decided on this file (and 1 more), which this run does not render',
        file: join(output, C, 'configmap-added.yaml'),
        hint: 'Run `stackmason render` without --cluster and --stack before you commit: it renders all files from the inputs as they are now.',
      },
    ])
    const other = await halfDone(before)
    expect(
      (
        await writeTree(
          { ...part, scopes: ['clusters/ns/c', C], folders: NEW.folders },
          writeOptions(other),
          nextProcess,
        )
      ).findings,
    ).toEqual([])
  })

  test('a power failure took what was staged: nothing is made of the rest', async () => {
    const { before } = await trees()
    const output = await halfDone(before)
    const staged = Object.keys(await readAll(output)).filter((path) => /staging\/new-/.test(path))
    await putFiles(output, { [staged[0] ?? '']: '' })
    const left = await readAll(output)
    const [found] = await diagnosticsOf(writeTree(NEW, writeOptions(output), nextProcess))
    expect(found).toMatchObject({
      code: 'WRITE_INTERRUPTED',
      message:
        'an earlier run was interrupted while it wrote, and some of what it had staged is lost, as after a power failure',
      hint: 'Bring the output folder back with git, remove this folder, then run `stackmason render`.',
    })
    // The lock of the killed run was taken over and given up; nothing else changed.
    expect(await readAll(output)).toEqual({ ...left, '.stackmason/lock.json': undefined })
  })

  test('what somebody changed between the kill and the next run is kept and reported', async () => {
    const { before } = await trees()
    const output = await halfDone(before)
    const changed = `${A}/configmap-changed.yaml`
    await putFiles(output, { [changed]: 'mine' })
    const diagnostics = await diagnosticsOf(writeTree(NEW, writeOptions(output), nextProcess))
    expect(diagnostics.map((found) => `${found.severity} ${found.code}`)).toEqual([
      'error WRITE_HAND_EDITED',
      'warning WRITE_INTERRUPTED',
    ])
    expect(diagnostics[1]?.message).toBe('an earlier run was interrupted while it wrote; it was completed first')
    expect(await readFile(join(output, changed), 'utf8')).toBe('mine')
  })

  test('what somebody changed while the run wrote is kept and reported', async () => {
    const output = await tempFolder()
    await writeTree(OLD, writeOptions(output), ports)
    const changed = join(output, A, 'configmap-changed.yaml')
    const slow: Ports = {
      ...ports,
      files: {
        ...ports.files,
        rename: async (from, to) => {
          await ports.files.rename(from, to)
          if (to.endsWith('journal.json')) await writeFile(changed, 'mine')
        },
      },
    }
    const result = await writeTree(NEW, writeOptions(output), slow)
    expect(result.findings.map((found) => `${found.severity} ${found.code} ${found.file ?? ''}`)).toEqual([
      `warning WRITE_HAND_EDITED ${changed}`,
    ])
    expect(await readFile(changed, 'utf8')).toBe('mine')
  })
})
