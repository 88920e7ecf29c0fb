import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { FILTERED_ARGS, findUnchanged, INDEX_ARGS } from '../../src/system/node-git-index.ts'
import { createNodeGit } from '../../src/system/node-git.ts'
import { gitTestEnvironment } from '../../tools/servers/git-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Seconds since 1970, long before any index of a test was written. */
const LONG_AGO = 1_700_000_000

interface WorkTree {
  readonly folder: string
  readonly git: (...args: readonly string[]) => string
  readonly write: (path: string, text: string) => Promise<void>
  readonly age: (path: string) => Promise<void>
  /** Which files are as the index has them. */
  readonly unchanged: (folder?: string) => Promise<readonly string[]>
}

/** A repository with files of long ago, all in the index. */
async function workTree(files: readonly string[], options: readonly string[] = []): Promise<WorkTree> {
  const folder = await tempFolder()
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: folder, env: gitTestEnvironment, encoding: 'utf8' })
  git('init', '--quiet', ...options)
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const age = (path: string): Promise<void> => utimes(join(folder, path), LONG_AGO, LONG_AGO)
  for (const path of files) {
    await write(path, `text of ${path}`)
    await age(path)
  }
  git('add', '-A')
  // whoever asks later: in the second in which it is written no file is believed
  const later = Date.now() / 1000 + 60
  await utimes(join(folder, '.git/index'), later, later)
  return {
    folder,
    git,
    write,
    age,
    unchanged: async (below = '') => [...(await createNodeGit().listUnchanged(join(folder, below))).keys()],
  }
}

describe('files that are as the index has them', () => {
  test('have the ids of their blobs, whatever their names and the hash of the repository', async () => {
    for (const options of [[], ['--object-format=sha256']]) {
      const names = ['a/b.yaml', 'a/line\nend.yaml', 'a/ü.yaml', 'top.yaml']
      const { folder, git } = await workTree(names, options)
      const ids = names.map((path) => git('hash-object', '--', path).trim())
      expect([...(await createNodeGit().listUnchanged(folder))]).toEqual(names.map((name, index) => [name, ids[index]]))
    }
  })

  test('are those below the folder, relative to it', async () => {
    const { unchanged } = await workTree(['a/b/x', 'a/c', 'd'])
    expect(await unchanged('a')).toEqual(['b/x', 'c'])
    expect(await unchanged('a/b')).toEqual(['x'])
    expect(await unchanged('none')).toEqual([])
  })

  test('are those below some folders in it, whatever their names', async () => {
    const { folder, write, age, git } = await workTree(['a/b/x', 'a/c', 'a*/y', 'd', ':(top)/z'])
    const within = async (...names: readonly string[]): Promise<readonly string[]> => [
      ...(await createNodeGit().listUnchanged(folder, names)).keys(),
    ]
    expect(await within('a', 'none')).toEqual(['a/b/x', 'a/c'])
    expect(await within('a*', ':(top)')).toEqual([':(top)/z', 'a*/y'])
    await write('.gitattributes', 'a/c filter=one\n')
    expect(await within('a')).toEqual(['a/b/x'])
    await write('a/c', 'other')
    await age('a/c')
    git('update-index', '--assume-unchanged', 'a/b/x')
    expect(await within('a')).toEqual([])
  })

  const changes: readonly (readonly [string, (tree: WorkTree) => unknown])[] = [
    ['another content', ({ write }) => write('a', 'other')],
    // its size and time are as they were
    [
      'another content of the same length and time',
      async ({ write, age }) => {
        await write('a', 'TEXT of a')
        await age('a')
      },
    ],
    ['only touched', ({ folder }) => utimes(join(folder, 'a'), LONG_AGO + 1, LONG_AGO + 1)],
    ['other rights', ({ folder }) => chmod(join(folder, 'a'), 0o755)],
    [
      'replaced by a link',
      async ({ folder }) => {
        await rename(join(folder, 'a'), join(folder, 'c'))
        await symlink('c', join(folder, 'a'))
      },
    ],
    [
      'replaced by a folder',
      async ({ folder, write }) => {
        await rm(join(folder, 'a'))
        await write('a/x', 'text')
      },
    ],
    ['gone', ({ folder }) => rm(join(folder, 'a'))],
    ['not looked at by git, by its user', ({ git }) => git('update-index', '--assume-unchanged', 'a')],
    ['left out of the work tree', ({ git }) => git('update-index', '--skip-worktree', 'a')],
    ['taken out of the index', ({ git }) => git('rm', '--quiet', '--cached', 'a')],
    [
      'of another blob in the index',
      ({ git }) => {
        const id = git('hash-object', '-w', '--', 'b').trim()
        return git('update-index', '--cacheinfo', `100644,${id},a`)
      },
    ],
    [
      'in conflict',
      ({ git, folder }) => {
        const id = git('hash-object', '-w', '--', 'a').trim()
        const input = [`0 ${'0'.repeat(40)}\ta`, ...[1, 2, 3].map((stage) => `100644 ${id} ${String(stage)}\ta`)].join(
          '\n',
        )
        execFileSync('git', ['update-index', '--index-info'], { cwd: folder, env: gitTestEnvironment, input })
      },
    ],
    [
      'written in the second in which the index was',
      ({ folder }) => utimes(join(folder, '.git/index'), LONG_AGO + 0.9, LONG_AGO + 0.9),
    ],
    [
      'changed in the second in which the index was written, its time put back',
      async ({ folder }) => {
        const { ctimeMs } = await stat(join(folder, 'a'))
        const second = Math.floor(ctimeMs / 1000) + 0.999
        await utimes(join(folder, '.git/index'), second, second)
      },
    ],
    ...['filter=one', 'ident', 'working-tree-encoding=UTF-16', '-filter'].map(
      (attribute) =>
        [
          `another one in git: ${attribute}`,
          ({ write }: WorkTree) => write('.gitattributes', `a ${attribute}\n`),
        ] as const,
    ),
  ]
  test.each(changes)('do not include one that is %s', async (_, change) => {
    const tree = await workTree(['a', 'b'])
    expect(await tree.unchanged()).toEqual(['a', 'b'])
    await change(tree)
    expect(await tree.unchanged()).not.toContain('a')
  })

  test('include one whose line ends git changes, and no filter is run', async () => {
    const { folder, git, unchanged, write } = await workTree(['a', 'b'])
    git('config', 'filter.one.clean', `touch ${join(folder, 'ran')}; cat`)
    await write('.gitattributes', 'a text eol=crlf\nb filter=one\n')
    expect(await unchanged()).toEqual(['a'])
    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })
})

describe('no file is as the index has it', () => {
  test('where git has not looked at one yet, and then it is asked for nothing more', async () => {
    const { git, unchanged } = await workTree(['a', 'b'])
    const programs = await tempFolder()
    const log = join(programs, 'log')
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    await writeFile(join(programs, 'git'), `#!/bin/sh\necho "$*" >> '${log}'\nexec '${real}' "$@"\n`, { mode: 0o755 })
    const asked = async (): Promise<readonly string[]> => {
      await writeFile(log, '')
      await unchanged()
      return (await readFile(log, 'utf8')).trimEnd().split('\n')
    }
    vi.stubEnv('PATH', `${programs}:${process.env['PATH'] ?? ''}`)
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    await unchanged()
    expect(await asked()).toEqual([[...INDEX_ARGS, '--'], FILTERED_ARGS].map((words) => words.join(' ')))
    // the index has no size of a file that git has not looked at
    git('read-tree', git('write-tree').trim())
    expect(await unchanged()).toEqual([])
    expect(await asked()).toEqual([[...INDEX_ARGS, '--'].join(' ')])
  })

  test('where there is no repository, and where nothing was ever added', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'a'), 'text')
    expect(await createNodeGit().listUnchanged(folder)).toEqual(new Map())
    execFileSync('git', ['init', '--quiet'], { cwd: folder, env: gitTestEnvironment })
    expect(await createNodeGit().listUnchanged(folder)).toEqual(new Map())
  })

  test('where git does not read the index', async () => {
    const { folder, unchanged } = await workTree(['a'])
    await writeFile(join(folder, '.git/index'), (await readFile(join(folder, '.git/index'))).subarray(0, 60))
    expect(await unchanged()).toEqual([])
  })

  test('where the facts are printed in another way', () => {
    const printed = 'H 100644 f9947ad3d76d2a7a01b30d68bdf7345380a3b6c2 0\ta\0  ctime: then\n  mtime: then\n'
    const options = { folder: '/nonexistent', written: 1 }
    expect(findUnchanged(new TextEncoder().encode(printed), options)).toEqual(new Map())
  })
})
