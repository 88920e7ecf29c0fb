import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

const tool = resolve(import.meta.dirname, '../../tools/parity.ts')

/** Runs the comparison on two cases, of which `goldens` are there. */
async function compare(
  goldens: readonly string[],
  regex = '',
): Promise<{ readonly code: number; readonly out: string }> {
  const shared = await tempFolder()
  const golden = join(shared, 'golden')
  const chart = join(shared, 'charts/small')
  const rendered = '---\n# Source: small/templates/a.yaml\na: rel\n'
  await mkdir(join(chart, 'templates'), { recursive: true })
  await mkdir(golden)
  await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: small\nversion: 1.0.0\n')
  await writeFile(join(chart, 'templates/a.yaml'), 'a: {{ .Release.Name }}\n')
  const cases = ['one', 'two'].map((name) => ({
    name,
    chart: 'small',
    release: 'rel',
    namespace: 'ns',
    valuesFiles: [],
    expect: 'ok',
  }))
  await writeFile(join(shared, 'charts/cases.json'), JSON.stringify(cases))
  for (const name of goldens) {
    await writeFile(join(golden, `${name}.yaml`), rendered)
    await writeFile(join(golden, `${name}.rc`), '0\n')
  }
  const words = ['--import', import.meta.resolve('tsx'), tool, golden, ...(regex === '' ? [] : [regex])]
  const env = { ...process.env, STACKMASON_SHARED: shared }
  const run = promisify(execFile)(process.execPath, words, { env })
  const { code, stdout } = await run.then(
    ({ stdout: text }) => ({ code: 0, stdout: text }),
    (error: { readonly code: number; readonly stdout: string }) => error,
  )
  return { code, out: stdout.replaceAll(golden, 'GOLDEN') }
}

const lacks = (count: number, first: string): string =>
  `${String(count)} without a golden in GOLDEN, such as ${first}: make them with golden.sh, or give the REGEX that it was given\n`

test.each([
  { name: 'all', goldens: ['one', 'two'], code: 0, out: '2 of 2 equal\n' },
  { name: 'goldens of a part', goldens: ['two'], code: 1, out: `${lacks(1, 'one')}1 of 1 equal\n` },
  { name: 'a part, asked for', goldens: ['two'], regex: '^two$', code: 0, out: '1 of 1 equal\n' },
  { name: 'no goldens', goldens: [], code: 1, out: `${lacks(2, 'one')}0 of 0 equal\n` },
  { name: 'a part of no case', goldens: ['two'], regex: 'three', code: 1, out: '0 of 0 equal\n' },
])('charts are compared with goldens: $name', async ({ goldens, regex, code, out }) => {
  expect(await compare(goldens, regex)).toEqual({ code, out })
})
