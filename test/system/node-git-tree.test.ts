import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GitWriteError, type CommittedFile } from '../../src/model/git-writer.ts'
import { createNodeGitWriter } from '../../src/system/node-git-writer.ts'
import { createNodeProcess } from '../../src/system/node-process.ts'
import { gitTestEnvironment, makeRepository } from '../../tools/servers/git-server.ts'
import { setGitIdentity } from '../support/git-identity.ts'
import { tempFolder } from '../support/temp-folder.ts'

const writer = createNodeGitWriter(createNodeProcess())
setGitIdentity()

const base = {
  a: '1',
  'a.b': '2',
  a0: '3',
  'b/a.txt': '4',
  'b/c/d.txt': '5',
  'b.c': '6',
  'b-c/x': '7',
  'ü/ß \t"\\.txt': '8',
  link: { link: 'a' },
  'deep/er/and/deeper.txt': '9',
}

/** Each path, and what it gets; undefined: it goes. */
const changes: readonly (readonly [what: string, files: Readonly<Record<string, string | undefined>>])[] = [
  ['nothing', {}],
  ['one file', { a: 'new' }],
  ['the same content', { a: '1' }],
  ['a file beside folders that sort around it', { b: undefined, 'b.c/x': 'y', b0: 'z', 'b/': undefined }],
  ['new folders', { 'x/y/z': '1', 'x/y0': '2', 'x.y': '3' }],
  ['the last file of a folder', { 'deep/er/and/deeper.txt': undefined }],
  ['a folder in place of a file', { a: undefined, 'a/x': '1' }],
  ['a folder in place of a file that nobody removes', { 'a/x': '1' }],
  ['a file in place of a folder', { 'b/a.txt': undefined, 'b/c/d.txt': undefined, b: 'now a file' }],
  ['a file in place of a folder that nobody removes', { b: 'now a file' }],
  ['what is not there', { gone: undefined, 'b/gone': undefined, 'a/gone': undefined, 'no/such/file': undefined }],
  ['a folder that is no file', { b: undefined, deep: undefined }],
  ['a link, by a file', { link: 'text' }],
  ['names that are not plain', { 'ü/ß \t"\\.txt': undefined, 'ü/日本': '1', é: '2', ' ': '3', '-': '4' }],
  ['empty files', { empty: '', 'b/empty': '' }],
]

/** What git makes of it in an index. */
function treeOfGit(repository: string, commit: string, files: readonly CommittedFile[], index: string): string {
  const git = (args: readonly string[], input = ''): string =>
    execFileSync('git', args, {
      cwd: repository,
      env: { ...gitTestEnvironment, GIT_INDEX_FILE: index },
      encoding: 'utf8',
      input,
    }).trimEnd()
  git(['read-tree', commit])
  const lines = files.flatMap(({ path, from }) =>
    from === undefined ? [`0 ${'0'.repeat(commit.length)}\t${path}\0`] : [],
  )
  for (const { path, from } of files)
    if (from !== undefined) lines.push(`100644 ${git(['hash-object', '-w', '--no-filters', from])}\t${path}\0`)
  git(['update-index', '-z', '--index-info'], lines.join(''))
  return git(['write-tree'])
}

describe.each(['sha1', 'sha256'] as const)('a tree in a repository of %s', (format) => {
  it('is planned as git makes it, and committed', async () => {
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'r', '.git'), format)
    const commit = repository.commit(base)
    const wanted = changes.map(([, files], at) =>
      Object.entries(files)
        // git takes no path with a slash at its end
        .filter(([path]) => !path.endsWith('/'))
        .map(([path, text], index): CommittedFile => {
          const from = join(root, `${String(at)}-${String(index)}`)
          if (text !== undefined) writeFileSync(from, text)
          return { path, from: text === undefined ? undefined : from }
        }),
    )
    const planned = await writer.planTrees(
      dirname(repository.path),
      wanted.map((files) => ({ base: commit, files })),
    )
    const told = planned.map(({ id }, index) => [changes[index]?.[0], id])
    const ofGit = wanted.map((files, at) => [
      changes[at]?.[0],
      treeOfGit(repository.path, commit, files, join(root, 'index')),
    ])
    expect(told).toEqual(ofGit)

    const other = makeRepository(join(root, 'other', '.git'), format)
    expect(other.commit(base)).toBe(commit)
    const commits = await writer.commit(
      dirname(other.path),
      planned.map((tree) => ({ tree, parents: [commit], message: 'One\n' })),
    )
    expect(commits.map((made) => other.git(['rev-parse', `${made}^{tree}`]))).toEqual(planned.map(({ id }) => id))
    expect(other.git(['fsck', '--strict', '--no-dangling'])).toBe('')
    expect(other.git(['rev-list', '--objects', '--missing=print', ...commits]).split('\n')).not.toContainEqual(
      expect.stringMatching(/^\?/),
    )
    // git is started a hundred times, on a machine that is busy
  }, 180_000)

  it('may have no commit below it', async () => {
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'r', '.git'), format)
    const from = join(root, 'file')
    writeFileSync(from, 'x')
    const planned = await writer.planTrees(dirname(repository.path), [
      { base: undefined, files: [{ path: 'a/b', from }] },
    ])
    const [made = ''] = await writer.commit(
      dirname(repository.path),
      planned.map((tree) => ({ tree, parents: [], message: 'One\n' })),
    )
    expect(repository.git(['ls-tree', '-r', '--name-only', made])).toBe('a/b')
  })
})

it('a tree that is planned writes nothing', async () => {
  const root = await tempFolder()
  const repository = makeRepository(join(root, 'r', '.git'))
  const commit = repository.commit(base)
  const from = join(root, 'file')
  writeFileSync(from, 'not there before')
  const before = repository.git(['count-objects', '-v'])
  await writer.planTrees(dirname(repository.path), [{ base: commit, files: [{ path: 'a', from }] }])
  expect(repository.git(['count-objects', '-v'])).toBe(before)
})

it.each(['.git/config', 'a/.GIT/hooks/x', '../x', 'a//b', './a'])('a tree never has %s', async (path) => {
  const repository = makeRepository(join(await tempFolder(), 'r', '.git'))
  const commit = repository.commit(base)
  const planned = writer.planTrees(dirname(repository.path), [
    { base: commit, files: [{ path, from: join(repository.path, 'HEAD') }] },
  ])
  const error = await planned.catch((thrown: unknown) => thrown)
  expect(error instanceof GitWriteError ? error.reason : error).toBe('unsafe-path')
})
