import { expect, test } from 'vitest'
import { watchSecrets } from '../../src/pipeline/watch-secrets.ts'
import { encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { countWork } from '../support/count-work.ts'
import { tempFolder } from '../support/temp-folder.ts'

const file = (name: string): string => `# ${name}\n${'password: hunter22, {a: b}\n'.repeat(500)}`

test('a file that holds what is known already is not looked through', async () => {
  const path = `${await tempFolder()}/a.yaml`
  const text = encodeUtf8(file('known'))
  await createNodePorts().files.write(path, text)
  const watch = watchSecrets(createNodePorts())
  expect(await watch.ports.files.readKnown(path, text)).toBe(text)
  expect(watch.mask('hunter22')).toBe('hunter22')
  await watch.ports.files.readKnown(path, encodeUtf8('other'))
  expect(watch.mask('hunter22')).toBe('********')
})

test('a text that was looked through is not looked through again', () => {
  const watch = watchSecrets(createNodePorts())
  const look = (text: string): number =>
    countWork(() => {
      watch.note(text)
      watch.mask('one line')
    })
  look(file('warm'))
  const first = look(file('first'))
  expect(look(file('first')) * 100).toBeLessThan(first)
  expect(look(file('other'))).toBeGreaterThan(first / 2)
  expect(watch.mask('hunter22')).toBe('********')
})

test('what the program keeps for itself is not looked through', async () => {
  const path = `${await tempFolder()}/written.sha256`
  const files = createNodePorts().files
  await files.write(path, encodeUtf8(file('record')))
  const watch = watchSecrets(createNodePorts())
  expect(await watch.ports.files.read(path, 'record')).toEqual(encodeUtf8(file('record')))
  expect(watch.mask('hunter22')).toBe('hunter22')
  await watch.ports.files.read(path)
  expect(watch.mask('hunter22')).toBe('********')
})

test('what it keeps for itself and packs is not looked through', () => {
  const { compression } = createNodePorts()
  const packed = compression.gzip(encodeUtf8(file('packed')))
  const watch = watchSecrets(createNodePorts())
  expect(watch.ports.compression.gunzip(packed, 1 << 20, 'record')).toEqual(encodeUtf8(file('packed')))
  expect(watch.mask('hunter22')).toBe('hunter22')
  watch.ports.compression.gunzip(packed, 1 << 20)
  expect(watch.mask('hunter22')).toBe('********')
})

test('the word for a secret in a pull request of ours is none', () => {
  const watch = watchSecrets(createNodePorts())
  watch.note('{"body": "data.password: changed (hidden)\\n data.token: hunter22"}')
  expect(watch.mask('data.password: changed (hidden), hunter22')).toBe('data.password: changed (hidden), ********')
})
