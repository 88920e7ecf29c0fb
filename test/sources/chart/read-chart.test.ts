import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeTar } from '../../../src/codec/bytes/tar.ts'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { applyHelmIgnore } from '../../../src/sources/chart/helm-ignore.ts'
import { readChart } from '../../../src/sources/chart/read-chart.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const ports = createNodePorts()
const chartYaml = 'apiVersion: v2\nname: web\nversion: 1.2.3\n'

async function folderWith(
  files: Readonly<Record<string, string>>,
  links: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = join(await tempFolder(), 'web')
  for (const [path, content] of Object.entries({ 'Chart.yaml': chartYaml, ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  for (const [path, target] of Object.entries(links)) await symlink(target, join(folder, path))
  return folder
}

async function outcome(folder: string): Promise<readonly string[]> {
  try {
    const chart = await readChart(folder, ports)
    return [...chart.templates.map(({ name }) => name), ...chart.files.map(({ path }) => path)]
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return error.diagnostics.map(({ code, message }) => `${code} ${message.replaceAll(folder, 'WEB')}`)
  }
}

describe('readChart', () => {
  test('a folder, each folder of it in the order of its names', async () => {
    const folder = await folderWith({
      'crds/b.yaml': '',
      'crds/a/x.yaml': '',
      'crds/a-b.yaml': '',
      'templates/a.yaml': '',
    })
    expect(await outcome(folder)).toEqual(['templates/a.yaml', 'crds/a/x.yaml', 'crds/a-b.yaml', 'crds/b.yaml'])
  })

  test('a packaged chart', async () => {
    const folder = await tempFolder()
    const files = [
      { path: 'web/Chart.yaml', bytes: encodeUtf8(chartYaml) },
      { path: 'web/.helmignore', bytes: encodeUtf8('*.md') },
      { path: 'web/README.md', bytes: encodeUtf8('x') },
    ]
    await writeFile(join(folder, 'web.tgz'), ports.compression.gzip(writeTar(files)))
    expect(await outcome(join(folder, 'web.tgz'))).toEqual(['.helmignore', 'README.md'])
  })

  test('.helmignore leaves out files and whole folders', async () => {
    const folder = await folderWith({
      '.helmignore': '\uFEFF# comment\n*.md\nout/\n/docs\ntemplates/test/*\n',
      'README.md': '',
      'out/a': '',
      'sub/out/b': '',
      'docs/c': '',
      'sub/docs/d': '',
      'templates/test/e.yaml': '',
      'templates/test/deep/f.yaml': '',
      'templates/g.yaml': '',
      'templates/.hidden': '',
    })
    expect(await outcome(folder)).toEqual(['templates/g.yaml', '.helmignore', 'sub/docs/d'])
  })

  test('links inside are followed', async () => {
    const folder = await folderWith({ 'files/a.txt': 'a' }, { 'b.txt': 'files/a.txt', more: 'files' })
    expect(await outcome(folder)).toEqual(['b.txt', 'files/a.txt', 'more/a.txt'])
  })

  test('a chart that is reached by a link is read', async () => {
    const folder = await folderWith({ a: '' }, { b: 'a' })
    await symlink(folder, `${folder}-link`)
    expect(await outcome(`${folder}-link`)).toEqual(['a', 'b'])
  })

  const refused: readonly {
    name: string
    files?: Readonly<Record<string, string>>
    links?: Readonly<Record<string, string>>
    want: string
  }[] = [
    {
      name: 'a link to a file outside',
      links: { a: '/etc/passwd' },
      want: 'FILE_OUTSIDE a is a link that leads out of the chart',
    },
    {
      name: 'a link to a folder outside',
      links: { a: '../..' },
      want: 'FILE_OUTSIDE a is a link that leads out of the chart',
    },
    {
      name: 'a link to a folder around it',
      files: { 'd/x': '' },
      links: { 'd/e': '../d' },
      want: 'CHART_INVALID d/e is a link to a folder that holds it',
    },
    {
      name: 'a link to nothing',
      links: { a: 'gone' },
      want: 'FILE_UNREADABLE WEB/a cannot be read: it is a link to something that is not there',
    },
    {
      name: 'a pattern that Helm refuses',
      files: { '.helmignore': 'ok\na/**\n' },
      want: 'CHART_INVALID .helmignore: double-star (**) syntax is not supported',
    },
    {
      name: 'a file that is too large',
      files: { big: 'x'.repeat(5 * 1024 * 1024 + 1) },
      want: 'CHART_INVALID big has more than 5242880 bytes',
    },
  ]
  test.each(refused)('$name is refused', async ({ files = {}, links = {}, want }) => {
    expect(await outcome(await folderWith(files, links))).toEqual([want])
  })

  test('an ignored link outside is not a problem', async () => {
    const folder = await folderWith({ '.helmignore': 'a\n' }, { a: '/etc' })
    expect(await outcome(folder)).toEqual(['.helmignore'])
  })

  test('a path without chart', async () => {
    const folder = await tempFolder()
    expect(await outcome(join(folder, 'none'))).toEqual(['FILE_UNREADABLE WEB does not exist'])
    expect(await outcome(folder)).toEqual(['CHART_INVALID WEB: Chart.yaml file is missing'])
    await writeFile(join(folder, 'values.yaml'), 'a: 1\n')
    expect(await outcome(join(folder, 'values.yaml'))).toEqual(['ARCHIVE_INVALID WEB is not a gzipped archive'])
  })
})

describe('applyHelmIgnore', () => {
  test('does with a list of files what readChart does with a folder', () => {
    const files = ['.helmignore', 'out/a', 'sub/out/b', 'c.md', 'templates/.x', 'templates/y'].map((path) => ({
      path,
      bytes: encodeUtf8(path === '.helmignore' ? 'out/\n*.md\n' : ''),
    }))
    expect(applyHelmIgnore(files, 'web').map(({ path }) => path)).toEqual(['.helmignore', 'templates/y'])
  })
})
