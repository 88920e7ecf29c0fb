import { expect, test } from 'vitest'
import { FileError } from '../../src/model/ports.ts'
import { readObjectFiles } from '../../src/pipeline/commands/object-files.ts'
import { memoryFiles } from '../support/memory-files.ts'

test('objects come through a pipe that has no path of its own', async () => {
  const secret = 'apiVersion: v1\nkind: Secret\nmetadata: {name: values, namespace: team-a}\n'
  const files = {
    ...memoryFiles(new Map([['/dev/fd/63', secret]])),
    realPath: (path: string): Promise<string> => Promise.reject(new FileError('not-found', path)),
  }
  const objects = await readObjectFiles([{ path: '/dev/fd/63', clusterKey: 'team-a/web' }], { files })
  expect(objects.map(({ kind, name, clusterKey }) => [kind, name, clusterKey])).toEqual([
    ['Secret', 'values', 'team-a/web'],
  ])
})
