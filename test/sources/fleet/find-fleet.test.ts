import { mkdir, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findFleet } from '../../../src/sources/fleet/find-fleet.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { formatDiagnostic, writeFleet } from './fleet-fixture.ts'

const ports = createNodePorts()

it('finds stackmason.yaml in a folder, above it, or itself', async () => {
  const folder = await tempFolder()
  const file = await writeFleet(folder, {})
  expect(await findFleet(folder, ports)).toBe(file)
  expect(await findFleet(join(folder, 'clusters/team-a/web'), ports)).toBe(file)
  expect(await findFleet(`${folder}/clusters/../stackmason.yaml`, ports)).toBe(file)
})

it('finds it from a relative path', async () => {
  expect(await findFleet('examples/fleet/clusters', ports)).toBe(join(process.cwd(), 'examples/fleet/stackmason.yaml'))
})

it('takes a link for it', async () => {
  const folder = await tempFolder()
  const file = await writeFleet(folder, {})
  await rename(file, join(folder, 'real.yaml'))
  await symlink('real.yaml', file)
  expect(await findFleet(folder, ports)).toBe(file)
})

it('takes a link that is named for the file, whatever its name', async () => {
  const folder = await tempFolder()
  const file = await writeFleet(folder, {})
  await symlink(file, join(folder, 'other.yaml'))
  await symlink('nowhere', join(folder, 'gone.yaml'))
  await symlink('clusters', join(folder, 'folder'))
  const found = ['other.yaml', 'gone.yaml', 'folder'].map((name) => findFleet(join(folder, name), ports))
  expect(await Promise.all(found)).toEqual([join(folder, 'other.yaml'), file, file])
})

it('says what is missing or misnamed', async () => {
  const folder = await tempFolder()
  const file = await writeFleet(folder, {})
  await rename(file, join(folder, 'stackmason.yml'))
  await mkdir(join(folder, 'stackmason.yaml'))
  const found = await diagnosticsOf(findFleet(join(folder, 'clusters'), ports))
  expect(found.map((finding) => formatDiagnostic(finding, folder))).toEqual([
    `CONFIG_NOT_FOUND stackmason.yml there is no stackmason.yaml in ${folder}/clusters or in a folder above | Rename ${folder}/stackmason.yml to stackmason.yaml.`,
  ])
  const nowhere = await diagnosticsOf(findFleet(join(folder, 'nowhere'), ports))
  expect(nowhere.map((finding) => formatDiagnostic(finding, folder))).toEqual([
    `CONFIG_NOT_FOUND nowhere ${folder}/nowhere is not there`,
  ])
})
