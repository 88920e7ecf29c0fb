import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageFolder } from '../cli/run-cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('the dead code check finds an unused file, export, type and dependency', async () => {
  const folder = await tempFolder()
  for (const name of ['src', 'test', 'tools']) mkdirSync(join(folder, name))
  copyFileSync(join(packageFolder, 'knip.json'), join(folder, 'knip.json'))
  symlinkSync(join(packageFolder, 'node_modules'), join(folder, 'node_modules'))
  const manifest: object = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      ...manifest,
      scripts: {},
      dependencies: { yaml: '1' },
      devDependencies: {},
      bin: {},
      exports: {},
    }),
  )
  writeFileSync(join(folder, 'src/index.ts'), "export { used } from './used.ts'\n")
  writeFileSync(join(folder, 'src/main.ts'), "import './used.ts'\n")
  writeFileSync(join(folder, 'src/used.ts'), 'export const used = 1\nexport const unused = 2\nexport type Unused = 3\n')
  writeFileSync(join(folder, 'src/orphan.ts'), 'export const orphan = 1\n')
  const knip = join(packageFolder, 'node_modules/.bin/knip')
  const { status, stdout } = spawnSync(knip, ['--reporter', 'json'], { cwd: folder, encoding: 'utf8' })
  expect(status).toBe(1)
  for (const fault of ['src/orphan.ts', '"unused"', '"Unused"', '"yaml"']) expect(stdout).toContain(fault)
  expect(stdout).not.toContain('"used"')
})
