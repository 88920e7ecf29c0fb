import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageFolder, runCli } from '../cli/run-cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('template --output-dir writes through no link', async () => {
  const cwd = await tempFolder()
  await mkdir(join(cwd, 'out'))
  await mkdir(join(cwd, 'elsewhere'))
  await symlink(join(cwd, 'elsewhere'), join(cwd, 'out', 'order'))
  const chart = join(packageFolder, 'test/fixtures/charts/order')
  const { status, stderr } = await runCli(['template', chart, '--output-dir', 'out'], { cwd })
  expect(stderr).toContain('FILE_OUTSIDE')
  expect(status).toBe(1)
  expect(await readdir(join(cwd, 'elsewhere'))).toEqual([])
})
