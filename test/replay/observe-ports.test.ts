import { expect, test } from 'vitest'
import { digestOfBytes } from '../../src/replay/digests.ts'
import { observePorts } from '../../src/replay/observe-ports.ts'
import { nothingRemembered } from '../../src/replay/remembered-files.ts'
import { encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a file of which only the hash is asked is read as one that is only hashed', async () => {
  const path = `${await tempFolder()}/a.yaml`
  const ports = createNodePorts()
  const bytes = encodeUtf8('password: hunter22\n')
  await ports.files.write(path, bytes)
  const read: (string | undefined)[] = []
  const { holds } = observePorts(
    {
      ...ports,
      files: {
        ...ports.files,
        read: (at, from) => {
          read.push(from)
          return ports.files.read(at, from)
        },
      },
    },
    { started: 0, salt: '', isOwn: () => false, remembered: nothingRemembered },
  )
  expect(await holds(path, digestOfBytes(bytes, ports.crypto))).toBe(true)
  expect(await holds(path, digestOfBytes(new Uint8Array(), ports.crypto))).toBe(false)
  expect(read).toEqual(['record', 'record'])
})
