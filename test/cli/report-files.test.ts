import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { manyClusters } from '../../tools/fleets/many-clusters.ts'
import { tempFolder, tempFolderForFile } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

/** Every form that a verb writes into a file. */
const forms: readonly (readonly [words: readonly string[], forms: readonly string[]])[] = [
  [['diff'], ['json', 'markdown', 'html']],
  [
    ['diff', 'HEAD', 'HEAD'],
    ['json', 'markdown', 'html'],
  ],
  [['check'], ['json', 'markdown', 'html', 'github', 'junit', 'sarif', 'code-quality']],
  [['check', '--rules'], ['json']],
  [['containers'], ['json', 'names', 'cyclonedx']],
  [['variables'], ['json', 'markdown', 'schema']],
  [
    ['report', '-q'],
    ['html', 'json'],
  ],
]

describe('a file in the fleet that a report goes to', () => {
  const folder = tempFolderForFile()
  let fleet: FleetFolder
  beforeAll(async () => {
    fleet = await manyClusters(join(folder, 'fleet'), 3)
    await fleet.render()
    fleet.commit()
    fleet.write('clusters/values/cni.yaml', 'tag: v1.18.1\nunread: x\n')
    await fleet.render()
  })

  const run = async (words: readonly string[], form: string, file: string) => {
    const { status, stderr } = await runCli([...words, '-o', `${form}=${file}`], { cwd: fleet.folder })
    return { isRefused: stderr.includes('USAGE'), status, stderr }
  }

  test.each(
    forms.flatMap(([words, all]) => all.map((form) => ({ words, form, title: `${words.join(' ')} as ${form}` }))),
  )('is written again: $title', async ({ words, form }) => {
    const file = `out/${words.join('').replaceAll('-', '')}.${form}`
    expect(await run(words, form, file)).toMatchObject({ isRefused: false })
    const first = readFileSync(fleet.path(file), 'utf8')
    expect(first).not.toBe('')
    expect(await run(words, form, file)).toMatchObject({ isRefused: false })
    // by any other form, too
    expect(await run(['diff'], 'markdown', file)).toMatchObject({ isRefused: false })
    expect(readFileSync(fleet.path(file), 'utf8')).toMatch(/^\*\*HEAD → files on disk\*\*/)
  })

  test.each([
    ['README.md', '# Our fleet\n\nstackmason diff and stackmason check write reports.\n'],
    ['docs/notes.md', '- a list\n'],
    ['package.json', '{"name": "fleet", "private": true}\n'],
    ['renovate.json', '{\n  "apiVersion": "stackmason.dev/v1alpha1",\n  "kind": "Patch"\n}\n'],
    ['index.html', '<!doctype html><html><head><title>Our stackmason fleet</title></head></html>\n'],
    ['Makefile', 'render:\n\tstackmason render\n'],
    ['.gitlab-ci.json', '[{"description": "x"}]'],
  ])('stays where people wrote it: %s', async (file, text) => {
    fleet.write(file, text)
    const refused = await run(['diff'], 'markdown', file)
    expect(refused.status).toBe(2)
    expect(refused.stderr.split('\n')[0]).toBe(
      `error USAGE --output markdown=${file} is there already, and is no report: name another file`,
    )
    expect(readFileSync(fleet.path(file), 'utf8')).toBe(text)
  })

  test.each([
    ['report', 'html', 'stackmason.lock'],
    ['check', 'html', 'sub/Stackmason.lock'],
    ['diff', 'json', 'sub/stackmason.yaml'],
    ['diff', 'json', 'stackmason.yml'],
    ['check', 'json', '.gitignore'],
    ['check', 'json', '.sourceignore'],
  ])('has no name of an input that is not there: %s -o %s=%s', async (verb, form, file) => {
    const { status, stderr } = await run([verb], form, file)
    expect({ status, first: stderr.split('\n')[0] }).toEqual({
      status: 2,
      first: `error USAGE --output ${form}=${file} is the name of an input: name another file`,
    })
    expect(existsSync(fleet.path(file))).toBe(false)
  })

  test('may be there and hold nothing', async () => {
    fleet.write('made-by-touch.json', '')
    expect(await run(['check'], 'json', 'made-by-touch.json')).toMatchObject({ isRefused: false })
    expect(JSON.parse(readFileSync(fleet.path('made-by-touch.json'), 'utf8'))).toMatchObject({ kind: 'CheckReport' })
  })

  test('stays in the repository around the fleet, too', async () => {
    const folder = await tempFolder()
    mkdirSync(join(folder, '.git'))
    const file = join(folder, 'README.md')
    writeFileSync(file, '# Mine\n')
    expect(await run(['diff'], 'markdown', file)).toMatchObject({ isRefused: true })
    expect(readFileSync(file, 'utf8')).toBe('# Mine\n')
  })

  test.each([
    { link: 'lnk.json', to: 'stackmason.yaml', file: 'lnk.json', why: 'is a link, which is not followed' },
    { link: 'lnk.yaml', to: 'README.md', file: 'lnk.yaml', why: 'is there already, and is no report' },
    { link: 'out.json', to: '../elsewhere.json', file: 'out.json', why: 'is a link, which is not followed' },
    { link: 'notes', to: 'clusters', file: 'notes/check.json', why: 'is among the inputs of the fleet' },
    { link: 'tree', to: 'rendered', file: 'tree/new/check.json', why: 'is in the rendered tree' },
    { link: 'gone.json', to: 'nowhere.json', file: 'gone.json', why: 'is a link, which is not followed' },
    { link: 'away', to: '..', file: 'away/check.json', why: 'leads out of the repository through a link' },
    { link: 'off', to: '..', file: 'off/new/deep/check.json', why: 'leads out of the repository through a link' },
    { link: 'lost', to: 'nowhere', file: 'lost/check.json', why: 'leads out of the repository through a link' },
  ])('is not reached through a link: $link to $to', async ({ link, to, file, why }) => {
    symlinkSync(to, fleet.path(link))
    const before = readFileSync(fleet.path('stackmason.yaml'), 'utf8')
    const { status, stderr } = await run(['check'], 'json', file)
    rmSync(fleet.path(link))
    expect({ status, first: stderr.split('\n')[0] }).toEqual({
      status: 2,
      first: `error USAGE --output json=${file} ${why}: name another file`,
    })
    expect(readFileSync(fleet.path('stackmason.yaml'), 'utf8')).toBe(before)
    expect(existsSync(fleet.path('nowhere.json'))).toBe(false)
  })

  test('is not reached through a link to an earlier report, nor to a repository elsewhere', async () => {
    expect(await run(['check'], 'json', 'out/report.json')).toMatchObject({ isRefused: false })
    const before = readFileSync(fleet.path('out/report.json'), 'utf8')
    symlinkSync('out/report.json', fleet.path('second.json'))
    expect((await run(['diff'], 'markdown', 'second.json')).stderr).toContain('second.json is a link, which is not')
    expect(readFileSync(fleet.path('out/report.json'), 'utf8')).toBe(before)
    rmSync(fleet.path('second.json'))
    const other = await tempFolder()
    mkdirSync(join(other, '.git'))
    symlinkSync(other, fleet.path('other'))
    expect((await run(['diff'], 'markdown', 'other/x.md')).stderr).toContain('other/x.md leads out of the repository')
    rmSync(fleet.path('other'))
    expect(readdirSync(other)).toEqual(['.git'])
  })

  test('goes through a link of the repository that stays in it, and through those of whoever named it', async () => {
    mkdirSync(fleet.path('out'), { recursive: true })
    symlinkSync('out', fleet.path('again'))
    expect(await run(['check'], 'json', 'again/here.json')).toMatchObject({ isRefused: false })
    expect(existsSync(fleet.path('out/here.json'))).toBe(true)
    rmSync(fleet.path('again'))
    const elsewhere = await tempFolder()
    mkdirSync(join(elsewhere, 'real'))
    symlinkSync('real', join(elsewhere, 'link'))
    expect(await run(['check'], 'json', join(elsewhere, 'link/new/check.json'))).toMatchObject({ isRefused: false })
    expect(existsSync(join(elsewhere, 'real/new/check.json'))).toBe(true)
    symlinkSync('real/new/check.json', join(elsewhere, 'check.json'))
    expect((await run(['check'], 'json', join(elsewhere, 'check.json'))).stderr).toContain('is a link, which is not')
  })

  test('elsewhere is written over, as the shell does it', async () => {
    const file = join(await tempFolder(), 'notes.md')
    writeFileSync(file, '# Mine\n')
    expect(await run(['diff'], 'markdown', file)).toMatchObject({ isRefused: false })
    expect(readFileSync(file, 'utf8')).not.toContain('Mine')
  })
})
