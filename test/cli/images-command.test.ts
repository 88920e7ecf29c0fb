import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { exportNodeImages } from '../../src/handoff/images/export-node-images.ts'
import { readManagerEntries } from '../../src/handoff/images/read-manager-entries.ts'
import { fleetFile, imageFleet } from '../pipeline/image-fleet.ts'
import { packageFolder, runCli } from './run-cli.ts'

const existing = fleetFile('[{provider: openstack, stack: old, use: none}]')

describe('stackmason images', () => {
  test('writes a table', async () => {
    const { folder } = await imageFleet(existing)
    expect(await runCli(['images'], { cwd: folder })).toEqual({
      status: 0,
      stderr: '',
      stdout: `NAME                KUBERNETES  RELEASES               NAMESPACES                HOW      CLUSTERS  SAID IN
node-image-v1.33.6  v1.33.6     openstack-old-1-33-v1  platform, team-a          none     1         stackmason.yaml:11
node-image-v1.34.7  v1.34.7     openstack-new-1-34-v1  platform, team-a, team-b  release  2         providers/new/image.yaml:3, providers/new/kubernetes.yaml:19
`,
    })
  })

  test('fits the table into a terminal', async () => {
    const { folder } = await imageFleet(existing)
    expect((await runCli(['images'], { cwd: folder, isTerminal: true })).stdout).toBe(`NAME        node-image-v1.33.6
KUBERNETES  v1.33.6
RELEASES    openstack-old-1-33-v1
NAMESPACES  platform, team-a
HOW         none
CLUSTERS    1
SAID IN     stackmason.yaml:11

NAME        node-image-v1.34.7
KUBERNETES  v1.34.7
RELEASES    openstack-new-1-34-v1
NAMESPACES  platform, team-a, team-b
HOW         release
CLUSTERS    2
SAID IN     providers/new/image.yaml:3,
            providers/new/kubernetes.yaml:19
`)
  })

  test('says so when there are none', async () => {
    const cwd = join(packageFolder, 'examples/fleet')
    expect(await runCli(['images', '--stack', 'nothing'], { cwd })).toMatchObject({ status: 2, stdout: '' })
    const { stdout, status } = await runCli(['images', '--offline'], { cwd })
    expect([stdout, status]).toEqual(['No node images are needed.\n', 0])
  })

  test('writes JSON that fits its schema', async () => {
    const { folder } = await imageFleet()
    const { status, stdout, stderr } = await runCli(['images', '-o', 'json'], { cwd: folder })
    expect([status, stderr]).toEqual([0, ''])
    const { validate } = compileSchema(
      parseGoJson(await readFile(join(packageFolder, 'schemas/images-report.json'), 'utf8')),
    )
    expect(validate(parseGoJson(stdout))).toEqual([])
    expect(validate(parseGoJson(stdout.replace('"unknown"', '"other"')))).not.toEqual([])
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'ImagesReport',
      fleet: 'demo',
      images: [
        { name: 'node-image-v1.33.6', use: 'unknown', saidAt: [], usedBy: ['team-a/past'] },
        { name: 'node-image-v1.34.7', saidAt: [{ file: 'providers/new/image.yaml', line: 3 }, { line: 19 }] },
      ],
      findings: [{ code: 'NODE_IMAGE_UNKNOWN' }],
    })
  })

  test('writes a file for openstack-image-manager, or nothing but the errors', async () => {
    const { folder } = await imageFleet(existing)
    const words = ['images', '-o', 'openstack-image-manager']
    const good = await runCli(words, { cwd: folder })
    expect([good.status, good.stderr]).toEqual([0, ''])
    expect(parse(good.stdout)).toMatchObject({ images: [{ name: 'node-image', versions: [{ version: 'v1.34.7' }] }] })
    const { folder: lacking } = await imageFleet()
    const bad = await runCli(words, { cwd: lacking })
    expect([bad.status, bad.stdout]).toEqual([1, ''])
    expect(bad.stderr).toBe(
      'error NODE_IMAGE_EXPORT nothing says what node image "node-image-v1.33.6" is, so it cannot be exported\n' +
        '  → Describe it as an entry of openstack-image-manager: in kubernetes.yaml beside the stack, or in a file that spec.nodeImages of stackmason.yaml names.\n',
    )
  })

  test('refuses what it does not know', async () => {
    const { status, stderr } = await runCli(['images', '-o', 'yaml'])
    expect(status).toBe(2)
    expect(stderr).toContain('option -o takes text, json or openstack-image-manager, not "yaml"')
  })
})

test('the file in the documentation can be exported', async () => {
  const page = await readFile(join(packageFolder, 'docs/17-stages-hooks-images.md'), 'utf8')
  const [, text = ''] = /```yaml\n(# images\/scs2\.yaml\n.*?)```/s.exec(page) ?? []
  const entries = readManagerEntries([{ name: 'images/scs2.yaml', text }])
  expect(entries.map(({ name }) => name)).toEqual(['ubuntu-capi-image-v1.34.7'])
  const made = exportNodeImages(entries.map((entry) => ({ name: entry.name, entries: [entry], objects: [] })))
  expect(made.findings).toEqual([])
})
