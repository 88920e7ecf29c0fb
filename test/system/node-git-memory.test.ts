import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import type { Git } from '../../src/model/git.ts'
import { createNodeGit } from '../../src/system/node-git.ts'
import { GitListing } from '../../src/system/node-git-listing.ts'
import { GitMemory } from '../../src/system/node-git-memory.ts'
import { gitTestEnvironment } from '../../tools/servers/git-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

const saved = { ...process.env }

afterEach(() => {
  process.env = { ...saved }
})

/** A repository, and git that counts how often it is run. */
interface Counted {
  readonly git: Git
  readonly folder: string
  readonly run: (...args: readonly string[]) => string
  readonly commit: (files: Readonly<Record<string, string>>) => Promise<void>
  /** What a folder of the last commit holds, and the commands that git was run with since the last question. */
  readonly read: (
    folder: string,
    revision?: string,
  ) => Promise<readonly [Readonly<Record<string, string>>, ...string[]]>
}

async function counted(): Promise<Counted> {
  const root = await tempFolder()
  const log = join(root, 'log')
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  await writeFile(join(root, 'git'), `#!/bin/sh\necho "$1" >> '${log}'\nexec '${real}' "$@"\n`)
  await chmod(join(root, 'git'), 0o755)
  const folder = join(root, 'fleet')
  await mkdir(folder)
  const run = (...args: readonly string[]): string =>
    execFileSync(real, args, { cwd: folder, env: gitTestEnvironment, encoding: 'utf8' }).trim()
  run('init', '--quiet', '--initial-branch=main')
  process.env['PATH'] = `${root}:${process.env['PATH'] ?? ''}`
  const git = createNodeGit()
  await git.readCommitted(folder, () => true)
  await writeFile(log, '')
  return {
    git,
    folder,
    run,
    commit: async (files) => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        await writeFile(join(folder, path), text)
      }
      run('add', '-A')
      run('commit', '--quiet', '-m', 'a commit')
    },
    read: async (below, revision) => {
      const found = await git.readCommitted(join(folder, below), (path) => !path.endsWith('.png'), revision)
      const words = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '')
      await writeFile(log, '')
      return [Object.fromEntries([...found].map(([path, bytes]) => [path, Buffer.from(bytes).toString()])), ...words]
    },
  }
}

describe('files of a commit', () => {
  test('are asked for once, with those of all folders below', async () => {
    const { commit, read } = await counted()
    await commit({ 'a/b/x': 'one', 'a/b/c/y': 'two', 'a/b-c/z': 'three', 'a/b.png': 'image', 'd/x': 'one' })
    expect(await read('a')).toEqual([{ 'b/x': 'one', 'b/c/y': 'two', 'b-c/z': 'three' }, 'ls-tree', 'cat-file'])
    expect(await read('a/b')).toEqual([{ x: 'one', 'c/y': 'two' }])
    expect(await read('a/b/c')).toEqual([{ y: 'two' }])
    expect(await read('a/none/deep')).toEqual([{}])
    // beside what was listed, with a content that is known
    expect(await read('d')).toEqual([{ x: 'one' }, 'ls-tree'])
  })

  test('are those of the commit that is the last one then', async () => {
    const { commit, read, run } = await counted()
    await commit({ 'a/x': 'one', 'a/y': 'same' })
    expect(await read('a')).toEqual([{ x: 'one', y: 'same' }, 'ls-tree', 'cat-file'])
    await commit({ 'a/x': 'two' })
    expect(await read('a')).toEqual([{ x: 'two', y: 'same' }, 'ls-tree', 'cat-file'])
    run('checkout', '--quiet', '--detach', 'HEAD~1')
    expect(await read('a')).toEqual([{ x: 'one', y: 'same' }])
    expect(await read('a', 'main')).toEqual([{ x: 'two', y: 'same' }, 'rev-parse', 'cat-file'])
    run('checkout', '--quiet', 'main')
    run('reset', '--quiet', '--hard', 'HEAD~1')
    expect(await read('a')).toEqual([{ x: 'one', y: 'same' }])
  })

  test('of HEAD are those of the last commit, which git found when it listed it', async () => {
    const { commit, read, run } = await counted()
    await commit({ 'a/x': 'one' })
    expect(await read('a')).toEqual([{ x: 'one' }, 'ls-tree', 'cat-file'])
    expect(await read('a', 'HEAD')).toEqual([{ x: 'one' }])
    await commit({ 'a/x': 'two' })
    expect(await read('a', 'HEAD')).toEqual([{ x: 'two' }, 'rev-parse', 'ls-tree', 'cat-file'])
    expect(await read('a', 'HEAD')).toEqual([{ x: 'two' }])
    run('reset', '--quiet', '--hard', 'HEAD~1')
    expect(await read('a', 'HEAD')).toEqual([{ x: 'one' }])
  })

  test('are asked for once of a branch that is packed', async () => {
    const { commit, folder, git, read, run } = await counted()
    await commit({ 'a/x': 'one' })
    run('branch', 'a/main')
    run('branch', 'main2')
    const state = await git.stateOf(folder)
    run('pack-refs', '--all')
    expect(await git.stateOf(folder)).toBe(state)
    expect(await read('a')).toEqual([{ x: 'one' }, 'ls-tree', 'cat-file'])
    expect(await read('a')).toEqual([{ x: 'one' }])
    // its file, which a commit writes, comes before the list
    await commit({ 'a/x': 'two' })
    expect(await read('a')).toEqual([{ x: 'two' }, 'ls-tree', 'cat-file'])
    run('pack-refs', '--all')
    expect(await read('a')).toEqual([{ x: 'two' }])
    run('update-ref', 'refs/heads/main', 'HEAD~1')
    expect(await read('a')).toEqual([{ x: 'one' }])
  })

  test('of a name are asked for once, until it stands for another commit', async () => {
    const { commit, read, run } = await counted()
    await commit({ 'a/x': 'one' })
    await commit({ 'a/x': 'two' })
    run('branch', 'env/base', 'HEAD~1')
    const asks = ['rev-parse', 'cat-file']
    expect(await read('a', 'env/base')).toEqual([{ x: 'one' }, ...asks, 'ls-tree', 'cat-file'])
    expect(await read('a', 'env/base')).toEqual([{ x: 'one' }])
    // by any of the ways in which a name changes
    run('branch', '--force', 'env/base', 'main')
    expect(await read('a', 'env/base')).toEqual([{ x: 'two' }, ...asks, 'ls-tree', 'cat-file'])
    run('pack-refs', '--all')
    expect(await read('a', 'env/base')).toEqual([{ x: 'two' }, ...asks])
    expect(await read('a', 'env/base')).toEqual([{ x: 'two' }])
    run('branch', '--force', 'env/base', 'HEAD~1')
    expect(await read('a', 'env/base')).toEqual([{ x: 'one' }, ...asks])
    run('branch', '--force', 'env/base', 'main')
    run('pack-refs', '--all')
    expect(await read('a', 'env/base')).toEqual([{ x: 'two' }, ...asks])
    // a tag, or a branch of a remote, of the same name
    run('update-ref', 'refs/tags/env/base', 'HEAD~1')
    await expect(read('a', 'env/base')).rejects.toMatchObject({ reason: 'ambiguous' })
    run('update-ref', '-d', 'refs/tags/env/base')
    // all is as it was; git was asked before it refused
    expect(await read('a', 'env/base')).toEqual([{ x: 'two' }, ...asks])
    run('update-ref', 'refs/remotes/env/base', 'HEAD~1')
    await expect(read('a', 'env/base')).rejects.toMatchObject({ reason: 'ambiguous' })
    run('branch', '-D', 'env/base')
    expect(await read('a', 'env/base')).toEqual([{ x: 'one' }, ...asks, ...asks])
    run('update-ref', '-d', 'refs/remotes/env/base')
    await expect(read('a', 'env/base')).rejects.toMatchObject({ reason: 'no-such-ref' })
  })

  test.each([
    ['names another one', 'pointer'],
    ['may be the beginning of an id', 'cafe'],
    ['is looked for in a history', 'main~0'],
  ])('of a name that %s are asked for each time', async (_, name) => {
    const { commit, read, run } = await counted()
    await commit({ 'a/x': 'one' })
    run('symbolic-ref', 'refs/heads/pointer', 'refs/heads/main')
    run('branch', 'cafe')
    const asks = ['rev-parse', 'cat-file']
    expect(await read('a', name)).toEqual([{ x: 'one' }, ...asks, 'ls-tree', 'cat-file'])
    expect(await read('a', name)).toEqual([{ x: 'one' }, ...asks])
  })

  test('are asked for each time where only git can tell the last commit', async () => {
    const { commit, read, run } = await counted()
    await commit({ 'a/x': 'one' })
    run('symbolic-ref', 'refs/heads/other', 'refs/heads/main')
    run('symbolic-ref', 'HEAD', 'refs/heads/other')
    expect(await read('a')).toEqual([{ x: 'one' }, 'ls-tree', 'cat-file'])
    expect(await read('a')).toEqual([{ x: 'one' }, 'ls-tree'])
    await commit({ 'a/x': 'two' })
    expect(await read('a')).toEqual([{ x: 'two' }, 'ls-tree', 'cat-file'])
  })

  test('are found through links, and in work trees that were added', async () => {
    const { commit, folder, git, read, run } = await counted()
    await commit({ 'a/x': 'one', 'b/x': 'two' })
    await read('')
    await symlink(join(folder, 'b'), join(folder, 'a', 'link'))
    expect(await read('a/link')).toEqual([{ x: 'two' }])
    run('worktree', 'add', '--quiet', '-b', 'topic', '../other')
    const other = join(folder, '../other')
    await writeFile(join(other, 'a/x'), 'three')
    execFileSync('git', ['commit', '--quiet', '-am', 'three'], { cwd: other, env: gitTestEnvironment })
    for (const [at, want] of [
      [other, 'three'],
      [folder, 'one'],
    ] as const)
      expect([...(await git.readCommitted(join(at, 'a'), () => true)).values()].map(String)).toEqual([
        String(new TextEncoder().encode(want)),
      ])
  })
})

describe('a run of git is saved', () => {
  test('where folders of one commit are asked for at once', async () => {
    const { commit, folder, git, read } = await counted()
    await commit({ 'a/x': 'one', 'a/b/y': 'two', 'c/z': 'three' })
    const found = await Promise.all(['', 'a', 'a/b', ''].map((below) => git.listCommitted(join(folder, below))))
    expect(found.map((files) => [...files.keys()])).toEqual([
      ['a/b/y', 'a/x', 'c/z'],
      ['b/y', 'x'],
      ['y'],
      ['a/b/y', 'a/x', 'c/z'],
    ])
    const [content, ...calls] = await read('a')
    expect(content).toEqual({ 'b/y': 'two', x: 'one' })
    // which of the four comes first is the system's choice: one below, and then all of it, at the most
    expect(calls.filter((call) => call === 'ls-tree').length).toBeLessThanOrEqual(2)
    expect(calls.filter((call) => call !== 'ls-tree')).toEqual(['cat-file'])
  })

  test('where a listing failed before another', async () => {
    const memory = new GitMemory()
    const place = { root: '/r', commit: 'c', folder: '/r/a' }
    const files = GitListing.parse(new TextEncoder().encode('100644 blob 0a\tx\0'), 0)
    const listings = [
      memory.files(
        place,
        () => Promise.reject(new Error('no')),
        () => true,
      ),
      memory.files(
        place,
        () => Promise.resolve(files),
        () => true,
      ),
    ]
    expect(await Promise.allSettled(listings)).toEqual([
      { status: 'rejected', reason: new Error('no') },
      { status: 'fulfilled', value: files },
    ])
  })

  test('where the history of a commit was read, unless more of it may come', async () => {
    const { commit, folder, git, read, run } = await counted()
    const earlier = async (at: string): Promise<readonly string[]> =>
      [...(await git.readEarlier(at, () => true, { commits: 10 })).values()].flat().map(({ bytes }) => String(bytes))
    const [one, two] = ['one', 'two'].map((text) => String(new TextEncoder().encode(text)))
    await commit({ x: 'one' })
    await commit({ x: 'two' })
    expect(await earlier(folder)).toEqual([one, 'undefined'])
    expect(await earlier(folder)).toEqual([one, 'undefined'])
    expect(await read('none')).toEqual([{}, 'rev-list', 'diff-tree', 'cat-file', 'ls-tree'])
    await commit({ x: 'three' })
    expect(await earlier(folder)).toEqual([two, one, 'undefined'])
    await read('none')
    // the commits of the line are the same in each folder, and for all that ask at once
    await commit({ 'a/x': 'four' })
    await Promise.all([earlier(folder), earlier(folder), earlier(join(folder, 'a'))])
    expect((await read('none')).slice(1).toSorted((one, other) => (one < other ? -1 : 1))).toEqual([
      'diff-tree',
      'diff-tree',
      'ls-tree',
      'rev-list',
    ])
    const clone = join(folder, '../clone')
    run('clone', '--quiet', '--depth=1', `file://${folder}`, clone)
    expect(await earlier(clone)).toEqual(['undefined', 'undefined'])
    run('-C', clone, 'fetch', '--quiet', '--unshallow')
    expect(await earlier(clone)).toEqual(['undefined', two, one, 'undefined'])
  })

  test('where a commit is known from its name', async () => {
    const { commit, folder, git, read, run } = await counted()
    await commit({ 'a/x': 'one' })
    const id = run('rev-parse', 'main')
    expect(await read('a', 'main')).toEqual([{ x: 'one' }, 'rev-parse', 'cat-file', 'ls-tree', 'cat-file'])
    expect(await read('a', id)).toEqual([{ x: 'one' }])
    await git.stateOf(folder, id)
    expect(await read('a', id)).toEqual([{ x: 'one' }])
    run('branch', 'other')
    await git.stateOf(folder, 'other')
    expect(await read('a', id)).toEqual([{ x: 'one' }, 'rev-parse', 'cat-file'])
  })

  test('outside of any repository', async () => {
    const { folder, git, read } = await counted()
    const outside = join(folder, '..')
    expect(await git.listCommitted(outside)).toEqual(new Map())
    expect(await git.readEarlier(outside, () => true, { commits: 10 })).toEqual(new Map())
    expect(await git.history(outside)).toBe('none')
    expect(await read('../none')).toEqual([{}])
  })

  test('where no merge is going on', async () => {
    const { commit, folder, git, read } = await counted()
    await commit({ x: 'one' })
    const files = new Map([['x', new TextEncoder().encode('by hand')]])
    expect(await git.findUncommitted(folder, files)).toEqual(new Set(['x']))
    expect((await read('')).slice(1)).toEqual([
      'ls-tree',
      '--literal-pathspecs',
      'ls-files',
      'cat-file',
      'ls-tree',
      'cat-file',
    ])
  })
})

test('no more than 32 MiB of blobs are kept, those asked for last', async () => {
  const memory = new GitMemory()
  const asked: (readonly string[])[] = []
  const size = 10 * 1024 * 1024
  const ask = async (...ids: readonly string[]): Promise<readonly string[]> => {
    const found = await memory.blobs(ids, undefined, async (missing) => {
      asked.push(missing)
      return new Map(missing.map((id) => [id, new Uint8Array(id === 'huge' ? 4 * size : size)]))
    })
    return [...found.keys()].toSorted()
  }
  expect(await ask('a', 'b', 'c', 'a')).toEqual(['a', 'b', 'c'])
  expect(await ask('a')).toEqual(['a'])
  expect(await ask('a', 'd')).toEqual(['a', 'd'])
  expect(await ask('huge')).toEqual(['huge'])
  expect(await ask('b', 'c', 'd', 'huge')).toEqual(['b', 'c', 'd', 'huge'])
  expect(asked).toEqual([['a', 'b', 'c'], ['d'], ['huge'], ['b', 'huge']])
})

describe('files beside those that are asked for', () => {
  const place = { root: '/fleet', commit: 'c0ffee', folder: '/fleet/rendered' }
  /** Files of their own contents, one of the first's content, and one that is no YAML. */
  const tree = (count: number): GitListing => {
    const files = Array.from({ length: count - 2 }, (_, index): readonly [string, string] => [
      `${String(index)}.yaml`,
      String(index).padStart(40, '0'),
    ])
    const all = [...files, ['again.yaml', String(0).padStart(40, '0')], ['release.tgz', 'f'.repeat(40)]]
    return GitListing.parse(encodeUtf8(all.map(([path, object]) => `100644 blob ${object}\t${path}\0`).join('')), 0)
  }
  const [first, second, third] = ['0', '1', '2'].map((digit) => digit.padStart(40, '0'))

  /** What is read for one object of a tree: asked for, and beside it. */
  async function readFor(count: number, root: string | undefined): Promise<readonly (readonly string[])[]> {
    const memory = new GitMemory()
    await memory.files(
      place,
      () => Promise.resolve(tree(count)),
      () => true,
    )
    const read: (readonly string[])[] = []
    const ask = (object = ''): Promise<ReadonlyMap<string, Uint8Array>> =>
      memory.blobs([object], root, (missing, beside) => {
        read.push(missing, beside)
        return Promise.resolve(new Map([...missing, ...beside].map((one) => [one, new Uint8Array(1)])))
      })
    expect([...(await ask(second)).keys()]).toEqual([second])
    expect([...(await ask(third)).keys()]).toEqual([third])
    return read
  }

  test('are read with the first, where the tree is small', async () => {
    expect(await readFor(5, '/fleet')).toEqual([[second], [first, third]])
  })

  test.each([
    { name: 'a large tree', count: 201, root: '/fleet' },
    { name: 'a tree of another repository', count: 5, root: '/other' },
    { name: 'what is in no repository', count: 5, root: undefined },
  ])('are not read for $name', async ({ count, root }) => {
    expect(await readFor(count, root)).toEqual([[second], [], [third], []])
  })

  test('hold nobody up where one of them cannot be read', async () => {
    const { git, folder, run, commit, read } = await counted()
    await commit({ 'a.yaml': 'a: 1\n', 'b.yaml': 'b: 1\n' })
    await rm(join(folder, '.git/objects', run('rev-parse', 'HEAD:b.yaml').replace(/^../, '$&/')))
    const wanted = await git.readCommitted(folder, (path) => path === 'a.yaml')
    expect([...wanted.keys()]).toEqual(['a.yaml'])
    await expect(read('')).rejects.toThrow('cannot be read')
  })
})
