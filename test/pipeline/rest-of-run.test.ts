import { expect, test } from 'vitest'
import { FileError, type Ports } from '../../src/model/ports.ts'
import { linesOutside } from '../../src/pipeline/reuse/rest-of-run.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'

test('a record of written files that cannot be read says nothing, and ends no run', async () => {
  const ports = createNodePorts()
  const files: Ports['files'] = {
    ...ports.files,
    stat: () => Promise.resolve({ type: 'file', size: 1, modified: 0 }),
    read: (path) => Promise.reject(new FileError('not-permitted', path)),
  }
  expect(await linesOutside('/output', [], { ...ports, files })).toBeUndefined()
})
