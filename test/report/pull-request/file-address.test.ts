import { expect, test } from 'vitest'
import type { ForgeKind } from '../../../src/model/forge.ts'
import { fileAddress } from '../../../src/report/pull-request/file-address.ts'
import { pullRequestFacts } from '../../support/pull-request-facts.ts'

const at = '1234567890123456789012345678901234567890'

test.each<[ForgeKind, string, string]>([
  ['github', 'https://github.com', `https://github.com/group/fleet/blob/${at}/clusters/a.yaml#L7`],
  ['gitea', 'https://example.org/gitea', `https://example.org/gitea/group/fleet/src/commit/${at}/clusters/a.yaml#L7`],
  ['gitlab', 'https://gitlab.com', `https://gitlab.com/group/fleet/-/blob/${at}/clusters/a.yaml#L7`],
])('a line on %s', (kind, url, address) => {
  const facts = pullRequestFacts({ forge: { kind, url, repository: 'group/fleet' } })
  expect(fileAddress({ file: 'clusters/a.yaml', line: 7, column: 3 }, facts)).toBe(address)
})

test.each([
  ['a folder', 'fleets/prod', 'clusters', 'fleets/prod/clusters'],
  ['a path that leads out of the folder', 'fleets/prod', '../../shared/a.yaml', 'shared/a.yaml'],
  ['signs of Markdown and of addresses', '', 'a b/(c)[d]#?%.yaml', 'a%20b/%28c%29%5Bd%5D%23%3F%25.yaml'],
])('%s', (_, folder, file, path) => {
  expect(fileAddress({ file }, pullRequestFacts({ folder }))).toBe(`https://github.com/group/fleet/blob/${at}/${path}`)
})

test.each([
  ['', '/elsewhere/a.yaml'],
  ['', 'release.tgz!/templates/a.yaml'],
  ['', '../a.yaml'],
  ['fleet', '../../a.yaml'],
  ['', 'C:/a.yaml'],
  ['', 'a\u202Eb.yaml'],
  ['', 'a\uD800.yaml'],
  ['', ''],
])('in folder %j nothing in the repository is %j', (folder, file) => {
  expect(fileAddress({ file, line: 1 }, pullRequestFacts({ folder }))).toBeUndefined()
})

test('without a forge there is no address', () => {
  const { forge, ...facts } = pullRequestFacts({})
  expect(forge).toBeDefined()
  expect(fileAddress({ file: 'a.yaml' }, facts)).toBeUndefined()
})
