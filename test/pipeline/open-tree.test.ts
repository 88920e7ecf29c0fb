import { execFileSync } from 'node:child_process'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type BlobHash, openFolder } from '../../src/pipeline/compare/open-tree.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { gitTestEnvironment } from '../../tools/servers/git-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Seconds since 1970, long before the index of the test was written. */
const LONG_AGO = 1_700_000_000

/** The names of the files that are read to tell their ids. */
async function opened(
  output: string,
  hash: BlobHash = 'sha1',
): Promise<{ readonly read: readonly string[]; readonly files: ReadonlyMap<string, string> }> {
  const ports = createNodePorts()
  const read: string[] = []
  const files: typeof ports.files = {
    ...ports.files,
    read: (path, from) => {
      read.push(path.slice(output.length + 1))
      return ports.files.read(path, from)
    },
  }
  const tree = await openFolder(output, { label: 'disk', hash, ports: { ...ports, files } })
  return { read, files: tree.files }
}

test('of a tree on disk only what somebody may have touched is read', async () => {
  const root = await tempFolder()
  const output = join(root, 'rendered')
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: output, env: gitTestEnvironment, encoding: 'utf8' }).trim()
  const write = (path: string, text: string): void => {
    writeFileSync(join(output, path), text)
    utimesSync(join(output, path), LONG_AGO, LONG_AGO)
  }
  mkdirSync(join(output, 'clusters/a'), { recursive: true })
  for (const name of ['a/one.yaml', 'a/two.yaml', 'three.yaml']) write(`clusters/${name}`, `# ${name}\n`)
  git('init', '--quiet', root)
  // without an index all of it
  const plain = await opened(output)
  expect(plain.read).toEqual(['clusters/a/one.yaml', 'clusters/a/two.yaml', 'clusters/three.yaml'])

  git('add', '-A')
  // in the second in which it is written the index says nothing of files that were, too
  const later = Date.now() / 1000 + 60
  utimesSync(join(root, '.git/index'), later, later)
  expect(await opened(output)).toEqual({ read: [], files: plain.files })

  write('clusters/a/two.yaml', '# a/TWO.yaml\n')
  write('clusters/new.yaml', 'new\n')
  const touched = await opened(output)
  expect(touched.read).toEqual(['clusters/a/two.yaml', 'clusters/new.yaml'])
  expect(touched.files).toEqual(
    new Map(
      ['a/one.yaml', 'a/two.yaml', 'new.yaml', 'three.yaml'].map((name) => [
        `clusters/${name}`,
        git('hash-object', '--', `clusters/${name}`),
      ]),
    ),
  )

  // ids of another kind are no ids of this index
  expect((await opened(output, 'sha256')).read).toHaveLength(4)
})
