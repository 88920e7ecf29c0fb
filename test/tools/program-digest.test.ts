import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { programDigest } from '../../tools/bundle.ts'
import { tempFolder } from '../support/temp-folder.ts'

async function bundleOf(files: Readonly<Record<string, string>>): Promise<string> {
  const bundle = join(await tempFolder(), 'bundle')
  mkdirSync(bundle)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(bundle, name), text)
  return bundle
}

const files = { 'program.cjs': 'program', 'yaml.cjs': 'yaml 1' }

test('the digest of a program is another one with another package, wherever it lies', async () => {
  const digest = programDigest(await bundleOf(files))
  expect(digest).toMatch(/^[0-9a-f]{64}$/)
  expect(programDigest(await bundleOf(files))).toBe(digest)
  expect(programDigest(await bundleOf({ ...files, 'library.cjs': 'not of the program' }))).toBe(digest)
  expect(programDigest(await bundleOf({ ...files, 'yaml.cjs': 'yaml 2' }))).not.toBe(digest)
})
