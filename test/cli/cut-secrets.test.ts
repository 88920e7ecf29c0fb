import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

/** Known from a Secret of the tree, and written into a ConfigMap, where nothing says what it is. */
const SECRET = 'Wf7-kestrel-Quay-0193'
/** Any part of it that tells something. */
const PARTS = /f7-k|kest|strel|quay|0193/i

/** A tree with a Secret, and a ConfigMap with these entries. */
async function writeTree(folder: string, entries: Readonly<Record<string, string>>): Promise<void> {
  const addon = join(folder, 'clusters', 'team-a', 'web', 'addons', '10-cni')
  await mkdir(addon, { recursive: true })
  await writeFile(
    join(addon, 'secret_kube-system_login.yaml'),
    `apiVersion: v1\nkind: Secret\nmetadata:\n  name: login\n  namespace: kube-system\nstringData:\n  password: ${SECRET}\n`,
  )
  await writeFile(
    join(addon, 'configmap_kube-system_text.yaml'),
    `${JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'text', namespace: 'kube-system' }, data: entries })}\n`,
  )
}

/** A text whose first `most` characters end in the middle of the secret. */
function across(most: number, end: string): string {
  return `${'- '.repeat(most)}`.slice(0, most - 9) + `${SECRET} ${end}`
}

describe.each([
  ['a value', (most: number, end: string): string => `a${across(most - 1, end)}`],
  ['a line of a text', (most: number, end: string): string => `same\na${across(most - 1, end)}\n`],
])('a known secret that %s is cut in is hidden whole', (_, textOf) => {
  test.each([
    ['text', 72, []],
    ['text', 72, ['--all']],
    ['markdown', 72, ['-o', 'markdown']],
    ['html', 600, ['-o', 'html']],
    ['json', 72, ['-o', 'json']],
  ])('as %s, of %d characters, with %j', async (form, most, words) => {
    const folder = await tempFolder()
    // a text that is too long for a comment has its values cut
    const filler = form === 'markdown' ? Array.from({ length: 200 }, (__, index) => `f${String(index)}`) : []
    const more = (text: string): Record<string, string> =>
      Object.fromEntries(filler.map((name) => [name, text.repeat(400)]))
    await writeTree(join(folder, 'before'), { a: textOf(most, 'one'), ...more('1') })
    await writeTree(join(folder, 'after'), { a: textOf(most, 'two'), ...more('2') })
    const { stdout, stderr, status } = await runCli(['diff', './before', './after', ...words], { cwd: folder })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('********')
    expect(stdout).not.toMatch(PARTS)
  })
})
