import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import type { GitFile } from '../../../src/model/git.ts'
import { FileError } from '../../../src/model/ports.ts'
import { openCommitFiles, type CommitFiles } from '../../../src/sources/git/commit-files.ts'

/** A commit of texts; `-> x` is a link to x. */
function commitOf(content: Readonly<Record<string, string>>, read: string[] = []): CommitFiles {
  const files = Object.entries(content).map(([path, text]): GitFile => ({
    path,
    mode: text.startsWith('-> ') ? 'link' : 'file',
    size: text.length,
    object: `object of ${path}`,
  }))
  return openCommitFiles({
    addressOf: (path) => `url//${path}`,
    files,
    readBlobs: async (objects) => {
      read.push(...objects)
      return new Map(
        objects.map((object) => [object, encodeUtf8((content[object.slice(10)] ?? '').replace(/^-> /, ''))]),
      )
    },
  })
}

async function outcomeOf(action: Promise<string>): Promise<string> {
  return action.catch((error: unknown) => {
    if (error instanceof FileError) return `${error.reason} ${error.path}`
    if (error instanceof StackmasonError) return error.message
    throw error
  })
}

describe('a path of a commit', () => {
  const files = commitOf({
    'a/file': 'x',
    'a/b/file': 'x',
    'to-a': '-> a',
    'a/up': '-> ../a/b/../file',
    'a/out': '-> ../../x',
    'a/absolute': '-> /a/file',
    'a/backslash': '-> ..\\file',
    'a/loop': '-> loop2',
    'a/loop2': '-> loop',
    'a/long': `-> ${'x/'.repeat(3000)}`,
    'to-out': '-> a/out/deeper',
  })
  it.each([
    ['/', '/'],
    ['/a', '/a'],
    ['/a/b/file', '/a/b/file'],
    ['/to-a/b', '/a/b'],
    ['/to-a/up', '/a/file'],
    ['/none', 'not-found url//none'],
    ['/a/file/x', 'wrong-type url//a/file/x'],
    ['/a/out', 'url//a/out leads out of the repository'],
    ['/to-out', 'url//a/out leads out of the repository'],
    ['/a/absolute', 'url//a/absolute leads out of the repository'],
    ['/a/backslash', 'url//a/backslash leads out of the repository'],
    ['/a/loop', 'wrong-type url//a/loop'],
    ['/a/long', 'wrong-type url//a/long'],
  ])('%s is %s', async (path, want) => {
    expect(await outcomeOf(files.realPath(path))).toBe(want)
  })

  it('is a file, a folder or a link, and nothing else', async () => {
    expect(await files.stat('/a')).toEqual({ type: 'directory', size: 0, modified: 0 })
    expect(await files.stat('/a/file')).toEqual({ type: 'file', size: 1, modified: 0 })
    expect((await files.stat('/to-a'))?.type).toBe('link')
    expect(await files.stat('/none')).toBeUndefined()
    expect(await files.entries('/a/b')).toEqual([{ name: 'file', type: 'file' }])
    expect((await files.entries('/')).map(({ name, type }) => `${name} ${type}`)).toEqual([
      'a directory',
      'to-a link',
      'to-out link',
    ])
    await expect(files.entries('/a/file')).rejects.toMatchObject({ reason: 'wrong-type' })
    await expect(files.read('/a')).rejects.toMatchObject({ reason: 'not-found' })
  })

  it('never resolves to something that is not in the commit', async () => {
    const step = fc.constantFrom('..', '.', 'a', 'b', 'link', '', '/')
    const target = fc.array(step, { minLength: 1, maxLength: 5 }).map((steps) => `-> ${steps.join('/')}`)
    await fc.assert(
      fc.asyncProperty(target, target, fc.array(step, { maxLength: 5 }), async (one, two, path) => {
        const commit = commitOf({ 'a/b/x': 'x', 'a/link': one, 'a/b/link': two })
        const real = await commit.realPath(`/${path.filter((part) => !part.includes('.')).join('/')}`).catch(() => '/')
        expect(await commit.stat(real)).toMatchObject({ type: expect.stringMatching(/^(?:file|directory)$/) })
      }),
      { seed: 1, numRuns: 500 },
    )
  })
})

it('reads a folder at once when that is not too much', async () => {
  const read: string[] = []
  const files = commitOf({ 'a/x': '12', 'a/y': '345', z: '1' }, read)
  await files.preload('/a', 4)
  expect(read).toEqual([])
  await files.preload('/a', 5)
  expect(read).toEqual(['object of a/x', 'object of a/y'])
  expect(await files.read('/a/x')).toEqual(encodeUtf8('12'))
  expect(await files.read('/z')).toEqual(encodeUtf8('1'))
  expect(read).toEqual(['object of a/x', 'object of a/y', 'object of z'])
})
