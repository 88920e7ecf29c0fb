import { expect, test } from 'vitest'
import { GitListing } from '../../src/system/node-git-listing.ts'
import { GitMemory } from '../../src/system/node-git-memory.ts'

const ids = (length: number): ((number: number) => string) => {
  return (number) => number.toString(16).padStart(length, '0')
}

function listing(files: Readonly<Record<string, string>>, prefix = 0): GitListing {
  const lines = Object.entries(files).map(([path, id]) =>
    path.endsWith('/') ? `160000 commit ${id}\t${path.slice(0, -1)}\0` : `100644 blob ${id}\t${path}\0`,
  )
  return GitListing.parse(new TextEncoder().encode(lines.join('')), prefix)
}

function told(files: GitListing): readonly (readonly [string, string])[] {
  return files.paths.map((path, index) => [path, files.objectAt(index)])
}

test.each([40, 64])('a listing has the paths and ids of %i digits that git printed', (length) => {
  const id = ids(length)
  const files = listing({ 'é/a.yaml': id(1), 'é/b-c/x': id(2), 'é/b/x': id(3), 'é/b/y': id(4), 'é/sub/': id(5) }, 3)
  expect(told(files)).toEqual([
    ['a.yaml', id(1)],
    ['b-c/x', id(2)],
    ['b/x', id(3)],
    ['b/y', id(4)],
    ['sub/', id(5)],
  ])
  expect(told(files.below('b'))).toEqual([
    ['x', id(3)],
    ['y', id(4)],
  ])
  expect(told(files.below('b-c'))).toEqual([['x', id(2)]])
  expect(told(files.below('a'))).toEqual([])
  expect(told(files.below('z'))).toEqual([])
})

test('no files have no listing', () => {
  expect(told(listing({}))).toEqual([])
  expect(told(listing({}).below('a'))).toEqual([])
  expect(told(GitListing.nothing)).toEqual([])
})

test('a folder that lies in one that is listed later is known from that', async () => {
  const memory = new GitMemory()
  const id = ids(40)
  const asked: string[] = []
  const all: Readonly<Record<string, GitListing>> = {
    '/r/a/b': listing({ x: id(1) }),
    '/r/c': listing({ y: id(2) }),
    '/r/a': listing({ 'b/x': id(3), z: id(4) }),
  }
  const ask = async (folder: string): Promise<readonly (readonly [string, string])[]> =>
    told(
      await memory.files(
        { root: '/r', commit: 'one', folder },
        () => {
          asked.push(folder)
          return Promise.resolve(all[folder] ?? GitListing.nothing)
        },
        () => true,
      ),
    )
  expect(await ask('/r/a/b')).toEqual([['x', id(1)]])
  expect(await ask('/r/c')).toEqual([['y', id(2)]])
  expect(await ask('/r/a')).toEqual([
    ['b/x', id(3)],
    ['z', id(4)],
  ])
  // told by the larger one: the smaller is kept no more
  expect(await ask('/r/a/b')).toEqual([['x', id(3)]])
  expect(await ask('/r/c')).toEqual([['y', id(2)]])
  expect(asked).toEqual(['/r/a/b', '/r/c', '/r/a'])
})
