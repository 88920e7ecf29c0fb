import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageFolder } from '../cli/run-cli.ts'

const page = readFileSync(join(packageFolder, 'test/README.md'), 'utf8')

interface Row {
  readonly row: string
  readonly file: string
  readonly words: string
}

/** The rows of tables that begin with a letter and a number: row, fault, commit, test, case. */
function rowsOf(text: string): readonly Row[] {
  return [...text.matchAll(/^\| ([A-F]\d+[a-f]?) .*\| `([^`]+)` +\| `([^`]+)` +\|$/gm)].map(
    ([, row = '', file = '', words = '']) => ({ row, file: `test/${file}`, words }),
  )
}

/** Why a row says nothing. */
function gapOf({ file, words }: Row): string | undefined {
  const path = join(packageFolder, file)
  if (!existsSync(path)) return `${file} is not there`
  return readFileSync(path, 'utf8').includes(words) ? undefined : `${file} does not say ${JSON.stringify(words)}`
}

describe('the table of what trials found', () => {
  const rows = rowsOf(page)

  test('has a row for every line of its tables', () => {
    const lines = page.split('\n').filter((line) => /^\| [A-F]\d/.test(line))
    expect(lines.filter((line) => !/^\| \S+ +\| .+ \| `[0-9a-f]{7,8}` \| /.test(line))).toEqual([])
    expect(rows.length).toBe(lines.length)
    expect([...new Set(rows.map(({ row }) => row))]).toHaveLength(rows.length)
    const letters = [...new Set(rows.map(({ row }) => row[0]))]
    expect(letters).toEqual(['A', 'B', 'C', 'D', 'E', 'F'])
  })

  test.each(rows)('$row names a test that is there, and words of a case in it', (row) => {
    expect(gapOf(row)).toBeUndefined()
  })

  test.each([
    ['a file that has gone', 'house/no-such.test.ts', 'x', 'test/house/no-such.test.ts is not there'],
    ['a case that has gone', 'README.md', 'no such case'.toUpperCase(), 'test/README.md does not say "NO SUCH CASE"'],
  ])('would show %s', (_, file, words, want) => {
    const [planted] = rowsOf(`| A1 | fault | \`1234567\` | \`${file}\` | \`${words}\` |`)
    expect(planted && gapOf(planted)).toBe(want)
  })
})
