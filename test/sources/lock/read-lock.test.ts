import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { positionAt } from '../../../src/model/source.ts'
import { findLockedDependency, findLockedRelease } from '../../../src/sources/lock/find-locked.ts'
import { formatLock } from '../../../src/sources/lock/format-lock.ts'
import { readLock } from '../../../src/sources/lock/read-lock.ts'
import { createNodeFiles } from '../../../src/system/node-files.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { memoryFiles } from '../../support/memory-files.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { fakeDigest, lockedDependency, lockedRelease, lockOf } from './locks.ts'

const HEAD = 'apiVersion: stackmason.dev/v1alpha1\nkind: Lock\n'
const lock = lockOf(
  [lockedRelease('a-b-1-34-v1'), lockedRelease('a-b-1-34-v2')],
  [lockedDependency('cilium', '1.18.4'), lockedDependency('cilium', '1.18.5')],
)
const text = formatLock(lock)

function filesOf(content: string | Uint8Array): ReturnType<typeof memoryFiles> {
  return memoryFiles(new Map([['/fleet/stackmason.lock', content]]))
}

async function read(content: string | Uint8Array): ReturnType<typeof readLock> {
  return readLock('/fleet/stackmason.lock', { files: filesOf(content) })
}

/** Every problem as `<line>:<column> <message>`; `hints` adds what to do. */
async function problemsOf(content: string | Uint8Array): Promise<readonly string[]> {
  const found = await diagnosticsOf(read(content))
  expect(new Set(found.map(({ code, severity }) => `${code} ${severity}`))).toEqual(new Set(['LOCK_INVALID error']))
  return found.map(({ message, at }) => {
    if (at === undefined) return message
    const { line, column } = positionAt(at.source, at.start)
    return `${line}:${column} ${message}`
  })
}

describe('readLock', () => {
  it('says where entries stand', async () => {
    const { releases = [], dependencies = [] } = (await read(text)) ?? {}
    const lineOf = (found: { readonly at?: Parameters<typeof spanText>[0] }): string => spanText(found.at)
    expect([...releases, ...dependencies].map(lineOf)).toEqual(['a-b-1-34-v1', 'a-b-1-34-v2', 'cilium', 'cilium'])
  })

  it('gives nothing when there is no lock', async () => {
    expect(
      await readLock('/fleet/stackmason.lock', { files: memoryFiles(new Map([['/fleet/a', '']])) }),
    ).toBeUndefined()
  })

  it.each([
    { name: 'no entries', content: HEAD },
    { name: 'empty lists', content: `${HEAD}releases:\ndependencies: []\n` },
    { name: 'a byte order mark and line ends of Windows', content: `\uFEFF${HEAD}`.replaceAll('\n', '\r\n') },
  ])('reads a lock with $name', async ({ content }) => {
    expect(await read(content)).toEqual({ releases: [], dependencies: [] })
  })

  const entry = text.slice(text.indexOf('  - name: a-b-1-34-v2'), text.indexOf('\n# Charts'))
  const digest = fakeDigest('x')
  const short = `  - {name: a-b-1-34-v1, source: s, kubernetesVersion: v1, stacks: [], from: x, addons: {}, digest: "${digest}"`

  it.each([
    { name: 'an empty file', content: '', want: ['1:1 the lock is empty'] },
    { name: 'a comment only', content: '# nothing\n', want: ['1:1 the lock is empty'] },
    { name: 'a list', content: '- 1\n', want: ['1:1 the lock must be a map'] },
    { name: 'two documents', content: `${HEAD}---\n${HEAD}`, want: ['4:1 the lock holds more than one document'] },
    {
      name: 'another kind',
      content: HEAD.replace('Lock', 'Fleet'),
      want: ['2:7 this is not a lock: kind must be Lock'],
    },
    { name: 'no kind', content: 'releases: []\n', want: ['1:1 apiVersion is missing', '1:1 kind is missing'] },
    {
      name: 'another version, whatever its fields are',
      content: 'apiVersion: stackmason.dev/v1\nkind: Lock\npins: []\n',
      want: ['1:13 the lock is of a version that this stackmason does not know; it knows stackmason.dev/v1alpha1'],
    },
    {
      name: 'an unknown field',
      content: `${HEAD}pins: []\n`,
      want: ['3:1 unknown field "pins" in the document'],
    },
    {
      name: 'an unknown field of an entry',
      content: `${HEAD}releases:\n${short}, digests: 1}\n`,
      want: [`4:${short.length + 3} unknown field "digests" in releases[0]`],
    },
    {
      name: 'the last of many entries',
      content: `${text.slice(0, text.indexOf('\n# Charts'))}${manyEntries(120)}  - {}\n`,
      want: ['name', 'source', 'kubernetesVersion', 'stacks', 'from', 'addons', 'digest'].map(
        (field) => `154:5 releases[122].${field} is missing`,
      ),
    },
    {
      name: 'a digest of the wrong form',
      content: text.replace(digestOfFirst(), 'sha256:XYZ'),
      want: [
        '19:13 releases[0].digest must look like "sha256:1121cfccd5913f0a63fec40a6ffd44ea64f9dc135c66634ba001d10bcf4302a2"',
      ],
    },
    {
      name: 'a version that is not text',
      content: text.replace('"1.18"', '1.18'),
      want: ['12:35 releases[0].addons.cilium must be a string, but 1.18 is a number'],
    },
    {
      name: 'a name that is not a tag',
      content: text.replace('name: a-b-1-34-v1', 'name: ../../etc'),
      want: ['7:11 releases[0].name must look like "openstack-scs2-1-34-v2"'],
    },
    {
      name: 'a release twice',
      content: text.replace(entry, `${entry}\n${entry}`),
      want: ['35:11 release a-b-1-34-v2 of source "releases" stands twice in the lock, first in line 21'],
    },
    {
      name: 'a release of two sources',
      content: text.replace(entry, `${entry}\n${entry.replace('source: releases', 'source: other')}`),
      want: [
        '35:11 release a-b-1-34-v2 stands twice in the lock, of source "releases" in line 21 and of source "other" here',
      ],
    },
    {
      name: 'a release of two sources, the other way round',
      content: text.replace(entry, `${entry.replace('source: releases', 'source: other')}\n${entry}`),
      want: [
        '35:11 release a-b-1-34-v2 stands twice in the lock, of source "other" in line 21 and of source "releases" here',
      ],
    },
    {
      name: 'a dependency twice',
      content: text.replaceAll('1.18.5', '1.18.4'),
      want: [
        '47:11 dependency cilium ~1.18.4 of https://charts.example.com stands twice in the lock, first in line 40',
      ],
    },
    {
      name: 'a key twice',
      content: text.replace('    revision: ', `    revision: ${digest}\n    revision: `),
      want: ['14:5 the key `revision` stands twice in this map, first in line 13'],
    },
    {
      name: 'broken YAML',
      content: `${HEAD}releases: [\n`,
      want: ['3:11 the list in brackets is not closed, or a comma is missing in it'],
    },
    {
      name: 'conflict markers',
      content: text.replace(entry, `<<<<<<< HEAD\n${entry}=======\n${entry}>>>>>>> other\n`),
      want: ['21:1 a merge was not finished: line 21 is a conflict marker'],
    },
    {
      name: 'a marker that somebody forgot, with line ends of Windows',
      content: `${HEAD}=======\nreleases: []\n`.replaceAll('\n', '\r\n'),
      want: ['3:1 a merge was not finished: line 3 is a conflict marker'],
    },
    {
      name: 'bytes that are not text',
      content: new Uint8Array([0x61, 0x3a, 0x20, 0xff]),
      want: ['1:4 the lock is not UTF-8 text'],
    },
    { name: 'too many bytes', content: 'x'.repeat(2 ** 24 + 1), want: ['the lock is larger than 16 MiB'] },
  ])('refuses $name', async ({ content, want }) => {
    expect(await problemsOf(content)).toEqual(want)
  })

  const registry = 'oci://registry.example.com/charts'
  const withUrl = (url: string, repository = registry): string =>
    formatLock(lockOf([], [lockedDependency('cilium', '1.18.4', { repository, url })]))

  it.each([
    { name: 'of a registry', content: withUrl(`${registry}/cilium:1.18.4`) },
    { name: 'of a registry, without a tag', content: withUrl(`${registry}/cilium`) },
    { name: 'of a registry, with the tag of before', content: withUrl(`${registry}/cilium:1.18.3`) },
    { name: 'of a registry written with a slash', content: withUrl(`${registry}/cilium:1.18.4`, `${registry}/`) },
    {
      name: 'on another host, as indexes may name it',
      content: withUrl('https://files.example.com/cilium-1.18.4.tgz', 'https://charts.example.com'),
    },
    {
      name: 'in a registry, as indexes may name it',
      content: withUrl(`${registry}/cilium:1.18.4`, 'https://charts.example.com'),
    },
  ])('takes an address of a chart $name', async ({ content }) => {
    expect((await read(content))?.dependencies.length).toBe(1)
  })

  it.each([
    { name: 'another host', url: 'oci://elsewhere.example.com/charts/cilium:1.18.4' },
    { name: 'another path', url: 'oci://registry.example.com/other/cilium:1.18.4' },
    { name: 'another chart', url: `${registry}/cilium-next:1.18.4` },
    { name: 'what only begins like it', url: `${registry}/cilium:1.18.4/../../x` },
    { name: 'a web server', url: 'https://registry.example.com/charts/cilium:1.18.4' },
    { name: 'a file', repository: 'https://charts.example.com', url: 'file:///etc/passwd' },
  ])('refuses an address of a chart that leads to $name', async ({ url, repository = registry }) => {
    const content = withUrl(url, repository)
    expect(await problemsOf(content)).toEqual([
      `11:10 the url of dependency cilium does not lead to its repository ${repository}: ${url}`,
    ])
    expect((await diagnosticsOf(read(content))).map(({ hint }) => hint)).toEqual([
      'Remove the entry and run `stackmason update`.',
    ])
  })

  it.each([
    { name: 'nesting without end', content: `${HEAD}releases: ${'['.repeat(100_000)}` },
    { name: 'maps without end', content: `${HEAD}releases: ${'{a: '.repeat(100_000)}` },
    {
      name: 'aliases that repeat each other',
      content: `${HEAD}a0: &a0 [x]\n${Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]\n`).join('')}`,
    },
    { name: 'keys of objects', content: `${HEAD}__proto__: {releases: 1}\nconstructor: {prototype: 1}\n` },
    { name: 'many problems', content: `${HEAD}releases: [${'1, '.repeat(50_000)}]\n` },
  ])('survives $name', async ({ content }) => {
    expect((await problemsOf(content)).length).toBeGreaterThan(0)
    expect(Reflect.get({}, 'releases')).toBeUndefined()
  })

  it('takes hostile names for names', async () => {
    const hostile = `${short.replace('addons: {}', 'addons: {__proto__: "1", constructor: "2"}')}}`
    const found = await read(`${HEAD}releases:\n${hostile}\n`)
    expect([...(found?.releases[0]?.addons ?? [])]).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ])
  })

  it('says what to do', async () => {
    const hintOf = async (content: string): Promise<string | undefined> => (await diagnosticsOf(read(content)))[0]?.hint
    expect(await hintOf('<<<<<<< HEAD\n')).toBe(
      'Remove the marker lines and leave the entries of both sides (of an entry that both have, one), then run `stackmason update`.',
    )
    expect(await hintOf(text.replace(entry, `${entry}\n${entry}`))).toBe(
      'Two branches changed the same entry: leave one of the two, or remove both and run `stackmason update`.',
    )
    expect(await hintOf(HEAD.replace('v1alpha1', 'v2'))).toBe('Use the stackmason that wrote it, or a newer one.')
  })

  it('refuses what is not a plain file', async () => {
    const folder = await tempFolder()
    const files = createNodeFiles()
    await writeFile(join(folder, 'target'), text)
    await symlink(join(folder, 'target'), join(folder, 'link'))
    await mkdir(join(folder, 'folder'))
    const kinds = { link: 'it is a link', folder: 'it is a folder, not a file' }
    for (const [name, reason] of Object.entries(kinds)) {
      const [found] = await diagnosticsOf(readLock(join(folder, name), { files }))
      expect(found).toMatchObject({ code: 'FILE_UNREADABLE', message: `the lock cannot be read: ${reason}` })
    }
  })
})

describe('what the lock has', () => {
  it('is found by name and source', () => {
    const twice = lockOf([lockedRelease('a-b-1-34-v1'), lockedRelease('a-b-1-34-v1', { source: 'other' })])
    expect(findLockedRelease(twice, 'a-b-1-34-v1', 'other')?.source).toBe('other')
    expect(findLockedRelease(twice, 'a-b-1-34-v1')?.source).toBe('releases')
    expect(findLockedRelease(twice, 'a-b-1-34-v1', 'third')).toBeUndefined()
    expect(findLockedRelease(twice, 'a-b-1-34-v2')).toBeUndefined()
  })

  it('is found by name, repository and request', () => {
    const wanted = { name: 'cilium', repository: 'https://charts.example.com', request: '~1.18.5' }
    expect(findLockedDependency(lock, wanted)?.version).toBe('1.18.5')
    expect(findLockedDependency(lock, { ...wanted, repository: 'https://me:secret@charts.example.com' })?.version).toBe(
      '1.18.5',
    )
    for (const other of [{ name: 'x' }, { repository: 'https://charts.example.com/x' }, { request: '1.18.5' }]) {
      expect(findLockedDependency(lock, { ...wanted, ...other })).toBeUndefined()
    }
  })
})

function manyEntries(count: number): string {
  const digest = fakeDigest('x')
  const rest = `source: s, kubernetesVersion: v1, stacks: [], from: x, addons: {}, digest: "${digest}"`
  return Array.from({ length: count }, (_, index) => `  - {name: a-b-1-35-v${String(index)}, ${rest}}\n`).join('')
}

function digestOfFirst(): string {
  return lock.releases[0]?.digest ?? ''
}

function spanText(
  at: { readonly source: { readonly text: string }; readonly start: number; readonly end: number } | undefined,
): string {
  return at === undefined ? '' : at.source.text.slice(at.start, at.end)
}
