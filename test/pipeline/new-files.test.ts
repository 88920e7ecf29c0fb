import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { FileError } from '../../src/model/ports.ts'
import { createFiles } from '../../src/pipeline/deliver/new-files.ts'
import { createNodeFiles } from '../../src/system/node-files.ts'
import { tempFolder } from '../support/temp-folder.ts'

const contents = new Map(
  ['clusters/a/cluster.yaml', 'clusters/a/values/x.yaml', 'clusters/a/values/y.yaml', 'top.yaml'].map((path) => [
    path,
    encodeUtf8(path),
  ]),
)

const listed = (folder: string): readonly string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()

/** What making the files says, where the disk is full, or a file has come, at the file of this number. */
async function failing(
  folder: string,
  at: number,
  how: 'full' | 'there',
): Promise<readonly [string, readonly string[]]> {
  const files = createNodeFiles()
  const order: string[] = []
  const createExclusive: typeof files.createExclusive = async (path, bytes) => {
    if (order.length === at && how === 'there') return false
    if (order.length === at) throw new FileError('no-space', path)
    order.push(path.slice(folder.length + 1))
    return files.createExclusive(path, bytes)
  }
  try {
    await createFiles(folder, contents, { files: { ...files, createExclusive } })
    return ['', order]
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return [error.diagnostics.map(({ code }) => code).join(' '), order]
  }
}

test.each(
  [0, 1, 2, 3].flatMap((at) => [
    { at, how: 'full' as const, code: 'WRITE_FAILED' },
    { at, how: 'there' as const, code: 'INIT_FILE_EXISTS' },
  ]),
)('of new files nothing is left when one cannot be made: file $at, $how', async ({ at, how, code }) => {
  const folder = await tempFolder()
  const files = createNodeFiles()
  await files.write(join(folder, 'clusters/mine.yaml'), encodeUtf8('mine'))
  const [said, order] = await failing(folder, at, how)
  expect([said, order.length]).toEqual([code, at])
  expect(listed(folder)).toEqual(['clusters', 'clusters/mine.yaml'])
})

test('the file by which a cluster counts comes last', async () => {
  const folder = await tempFolder()
  expect(await failing(folder, 9, 'full')).toEqual([
    '',
    ['clusters/a/values/x.yaml', 'clusters/a/values/y.yaml', 'top.yaml', 'clusters/a/cluster.yaml'],
  ])
})
