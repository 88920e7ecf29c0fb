import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { archivedTexts, createResultKeeper } from '../../src/pipeline/compare/kept-results.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ARCHIVE = '/charts/web.tgz!/web/templates/a.yaml'

describe('a result that stands in texts', () => {
  const keeper = (isClean: (text: string) => boolean = () => true): ReturnType<typeof createResultKeeper> =>
    createResultKeeper({ isClean }, createNodePorts())
  const inChart = { chart: [{ name: 'a', path: ARCHIVE, text: 'kind: A\n' }] }
  const archived = (): ReadonlyMap<string, string> => archivedTexts(inChart)

  test.each([
    ['as it was', 'a: 1\nb: 2\n', 'kind: A\n', true],
    ['with a line above', '# new\na: 1\nb: 2\n', 'kind: A\n', false],
    ['of another archive', 'a: 1\nb: 2\n', 'kind: B\n', false],
  ])('is read again from a text %s', async (_, text, archivedText, isRead) => {
    const path = join(await tempFolder(), 'values.yaml')
    writeFileSync(path, 'a: 1\nb: 2\n')
    const result = [
      { at: { source: { name: path, text: 'a: 1\nb: 2\n' }, start: 5, end: 6 } },
      { at: { source: { name: 'a', path: ARCHIVE, text: archivedText }, start: 0, end: 4 } },
    ]
    const packed = keeper().pack(result) ?? ''
    expect(packed).not.toContain('b: 2')
    writeFileSync(path, text)
    expect(await keeper().unpack(packed, archived)).toEqual(isRead ? result : undefined)
  })

  test('is not there where its file is gone', async () => {
    const source = { name: join(await tempFolder(), 'gone.yaml'), text: 'a: 1\n' }
    const packed = keeper().pack({ at: { source, start: 0, end: 1 } }) ?? ''
    expect(await keeper().unpack(packed, archived)).toBeUndefined()
  })

  test('is not kept where the line that is shown may hold a secret', () => {
    const source = { name: '/fleet/values.yaml', text: 'password: one\nother: two\n' }
    const clean = keeper((text) => !text.includes('one'))
    expect(clean.pack({ at: { source, start: 0, end: 8 } })).toBeUndefined()
    expect(clean.pack({ at: { source, start: 14, end: 19 } })).not.toContain('one')
  })

  test('is not kept where two texts are said to be of one file', () => {
    const source = { name: '/fleet/values.yaml', text: 'a: 1\n' }
    const spans = ['a: 1\n', 'a: 2\n'].map((text) => ({ source: { ...source, text }, start: 0, end: 1 }))
    expect(keeper().pack(spans)).toBeUndefined()
  })
})
