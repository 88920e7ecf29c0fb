import { symlink } from 'node:fs/promises'
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

test('a link to nothing has the type that it has without being watched', async () => {
  const folder = await tempFolder()
  const ports = createNodePorts()
  await symlink('gone.yaml', `${folder}/a.yaml`)
  const { ports: watched } = observePorts(ports, {
    started: 0,
    salt: '',
    isOwn: () => false,
    remembered: nothingRemembered,
  })
  const plain = await ports.files.stat(`${folder}/a.yaml`)
  expect(plain?.type).not.toBe('file')
  expect(await watched.files.stat(`${folder}/a.yaml`)).toEqual(plain)
})
