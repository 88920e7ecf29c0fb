import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type BlobHash, openFolder } from '../../src/pipeline/compare/open-tree.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { gitTestEnvironment } from '../../tools/servers/git-server.ts'
import { runCli } from '../cli/run-cli.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'
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

test('a file that goes while the tree is read is said to have gone', async () => {
  const output = await tempFolder()
  const path = join(output, 'clusters/a.yaml')
  mkdirSync(join(output, 'clusters'))
  writeFileSync(path, 'a\n')
  const { files, ...ports } = createNodePorts()
  const read: typeof files.read = (name, from) => {
    rmSync(name)
    return files.read(name, from)
  }
  const opening = openFolder(output, { label: 'disk', hash: 'sha1', ports: { ...ports, files: { ...files, read } } })
  expect(await diagnosticsOf(opening)).toEqual([
    {
      code: 'FILE_UNREADABLE',
      severity: 'error',
      message: 'the file cannot be read: it has gone while the folder was read',
      file: path,
      hint: 'Wait until nothing else works on the folder, then run again.',
    },
  ])
})

test('a name that is not UTF-8 is said to be none', async () => {
  const cwd = await tempFolder()
  await runCli(['init'], { cwd })
  await runCli(['render', '-q'], { cwd })
  execFileSync('git', ['init', '--quiet'], { cwd, env: gitTestEnvironment })
  const folder = 'rendered/clusters/team-a/web/cluster'
  writeFileSync(
    Buffer.concat([Buffer.from(join(cwd, folder, 'a')), Buffer.from([0xff]), Buffer.from('.yaml')]),
    'a: 1\n',
  )
  const way = '  → Rename it, or remove it.\n'
  expect(await runCli(['diff', '-q'], { cwd })).toMatchObject({
    status: 2,
    stderr: `error FILE_UNREADABLE ${folder}/a\ufffd.yaml: the file cannot be read: its name is not UTF-8\n${way}`,
  })
  expect(await runCli(['render', '-q'], { cwd })).toMatchObject({
    status: 2,
    stderr: `error WRITE_FAILED ${folder}/a\ufffd.yaml: the output could not be read or written: its name is not UTF-8; nothing was changed\n${way}`,
  })
})
