import { expect, test } from 'vitest'
import { releasePage } from '../../../src/sources/github/release-page.ts'

test.each([
  ['https://api.github.com', 'https://github.com/acme/stacks/releases/tag/a'],
  ['https://api.acme.ghe.com', 'https://acme.ghe.com/acme/stacks/releases/tag/a'],
  ['https://github.example.com/api/v3', 'https://github.example.com/acme/stacks/releases/tag/a'],
  ['https://api.example.com', 'https://api.example.com/acme/stacks/releases/tag/a'],
  ['https://user:secret@github.example.com:8443/api/v3', 'https://github.example.com:8443/acme/stacks/releases/tag/a'],
])('the page of a release by %s', (apiUrl, page) => {
  expect(releasePage({ apiUrl, owner: 'acme', repository: 'stacks' }, 'a')).toBe(page)
})
