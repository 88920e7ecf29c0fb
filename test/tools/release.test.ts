import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { billOf } from '../../tools/bill-of-materials.ts'
import { notesOf, problemsOf } from '../../tools/release.ts'
import { noticesOf, readPackages } from '../../tools/third-party.ts'
import { gitTestEnvironment } from '../../tools/servers/git-server.ts'
import { packageFolder } from '../cli/run-cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await tempFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

test.each([
  { version: '1.2.0', want: 'Second.\n\n### Fixed\n\n- It.\n' },
  { version: '1.1.0', want: 'First.\n' },
  { version: '1.2', want: undefined },
])('the notes of $version', ({ version, want }) => {
  const changelog = '# Changelog\n\n## 1.2.0, 2026-11-23\n\nSecond.\n\n### Fixed\n\n- It.\n\n## [v1.1.0]\n\nFirst.\n'
  expect(notesOf(changelog, version)).toBe(want)
})

describe('what is in the way of a release', () => {
  const ready = {
    'package.json': '{"version":"1.2.0"}',
    'package-lock.json': '{"version":"1.2.0"}',
    'CHANGELOG.md': '## 1.2.0\n\nNew.\n',
    Containerfile: `ARG CLI_IMAGE=docker.io/library/debian:bookworm-slim@sha256:${'a'.repeat(64)}\n`,
  }

  test.each([
    { name: 'nothing', files: {}, tag: 'v1.2.0', problems: [] },
    { name: 'a tag of another version', files: {}, tag: 'v1.1.0', problems: ['the commit has no tag v1.2.0'] },
    {
      name: 'a lock and a changelog of another version',
      files: { 'package-lock.json': '{"version":"1.1.0"}', 'CHANGELOG.md': '## Unreleased\n' },
      tag: 'v1.2.0',
      problems: ['package-lock.json is of 1.1.0, package.json of 1.2.0', 'CHANGELOG.md has no section "## 1.2.0"'],
    },
    {
      name: 'a base image by its tag',
      files: { Containerfile: 'ARG CLI_IMAGE=docker.io/library/debian:bookworm-slim\n' },
      tag: 'v1.2.0',
      problems: [
        'Containerfile names docker.io/library/debian:bookworm-slim without a digest: npx tsx tools/base-images.ts pins it',
      ],
    },
    { name: 'a change', files: {}, tag: 'v1.2.0', change: 'x', problems: ['there are changes that are not committed'] },
  ])('$name', async ({ files, tag, change, problems }) => {
    const folder = await folderOf({ ...ready, ...files })
    const git = (...words: readonly string[]): void => {
      execFileSync('git', words, { cwd: folder, env: gitTestEnvironment, stdio: 'ignore' })
    }
    git('init')
    git('add', '.')
    git('commit', '--message=Release')
    git('tag', tag)
    if (change !== undefined) writeFileSync(join(folder, 'new'), change)
    expect(problemsOf(folder)).toEqual(problems)
  })
})

const integrity = `sha512-${Buffer.alloc(64, 1).toString('base64')}`
const lock = JSON.stringify({ packages: { 'node_modules/a': { integrity }, 'node_modules/@s/b': { integrity } } })
const manifest = (name: string, license: string): string => JSON.stringify({ name, version: '1.0.0', license })

describe('packages in the bundle', () => {
  test('each text of a licence stands once, with all that it is of; notices go with it', async () => {
    const root = await folderOf({
      'package-lock.json': lock,
      'node_modules/a/package.json': manifest('a', 'MIT'),
      'node_modules/a/LICENSE.md': 'Do what you want.\r\nOr not.\r\n',
      'node_modules/@s/b/package.json': manifest('@s/b', '(MIT OR Apache-2.0)'),
      'node_modules/@s/b/licence': 'Do what you want.\nOr not.',
    })
    const line = '-'.repeat(80)
    const found = readPackages(root, ['node_modules/a', 'node_modules/@s/b'])
    expect(noticesOf(found)).toBe(`The program holds work of others, under these licences.

${line}
@s/b 1.0.0 ((MIT OR Apache-2.0))
a 1.0.0 (MIT)

Do what you want.
Or not.
`)
    writeFileSync(join(root, 'node_modules/a/NOTICE'), 'By A.')
    expect(noticesOf(readPackages(root, ['node_modules/a']))).toContain('Or not.\n\nBy A.\n')
    const bill: unknown = JSON.parse(billOf('1.2.0', found, { node: '24.1.0', v8: '13.6-node.1', modules: '137' }))
    const reference = (url: string): object => ({
      externalReferences: [{ url, type: 'distribution', hashes: [{ alg: 'SHA-512', content: '01'.repeat(64) }] }],
    })
    expect(bill).toMatchObject({
      specVersion: '1.6',
      metadata: { component: { purl: 'pkg:npm/stackmason@1.2.0' } },
      components: [
        {
          purl: 'pkg:npm/%40s/b@1.0.0',
          licenses: [{ expression: '(MIT OR Apache-2.0)' }],
          ...reference('https://registry.npmjs.org/@s/b/-/b-1.0.0.tgz'),
        },
        { purl: 'pkg:npm/a@1.0.0', ...reference('https://registry.npmjs.org/a/-/a-1.0.0.tgz') },
        { type: 'platform', purl: 'pkg:generic/node@24.1.0' },
        { type: 'library', purl: 'pkg:generic/v8@13.6-node.1' },
      ],
    })
    expect(bill).not.toHaveProperty('serialNumber')
    expect(bill).not.toHaveProperty('metadata.timestamp')
  })

  test.each([
    {
      name: 'a licence that was not looked at',
      files: { 'package.json': manifest('a', 'GPL-3.0-only') },
      error: 'GPL-3.0-only',
    },
    {
      name: 'one of several licences',
      files: { 'package.json': manifest('a', 'MIT AND CC-BY-4.0') },
      error: 'CC-BY-4.0',
    },
    { name: 'no text', files: { 'package.json': manifest('a', 'MIT') }, error: 'brings no text of its licence' },
    {
      name: 'a package that is not in the lock',
      files: { 'package.json': manifest('a', 'MIT'), LICENSE: 'x' },
      error: 'is not in the lock',
    },
  ])('refuses $name', async ({ files, error }) => {
    const own = Object.entries(files).map(([name, text]) => [`node_modules/a/${name}`, text] as const)
    const root = await folderOf({ 'package-lock.json': '{"packages":{}}', ...Object.fromEntries(own) })
    expect(() => readPackages(root, ['node_modules/a'])).toThrow(error)
  })

  test('are all development dependencies of this project, and their licences are known', () => {
    const { devDependencies }: { readonly devDependencies: Readonly<Record<string, string>> } = JSON.parse(
      readFileSync(join(packageFolder, 'package.json'), 'utf8'),
    )
    const used = ['@bufbuild/cel', '@bufbuild/protobuf', 'ajv', 'handlebars', 'octokit', 'undici', 'yaml']
    const found = readPackages(
      packageFolder,
      used.map((name) => `node_modules/${name}`),
    )
    expect(found.map(({ name }) => name)).toEqual(used)
    expect(found.find(({ name }) => name === '@bufbuild/protobuf')?.text).toMatch(
      /^Copyright 2021.* Buf Technologies.*Copyright 2008 Google Inc\..*Apache License/s,
    )
    expect(found.find(({ name }) => name === 'yaml')?.version).toBe(devDependencies['yaml'])
  })
})
