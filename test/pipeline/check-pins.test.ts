import { mkdirSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { pinFile } from '../../src/model/artifact-unit.ts'
import { createPinWriter, createUnitDigest, listUnits, readUnit } from '../../src/pipeline/publishing/oci-pins.ts'
import { readFleetFile } from '../../src/sources/fleet/read-fleet.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { lab, labFleet } from '../../tools/fleets/lab-fleet.ts'
import { setGitIdentity } from '../support/git-identity.ts'
import { tempFolder } from '../support/temp-folder.ts'

setGitIdentity()

const PIN = 'rendered/artifacts/team/one.yaml'
const STACK_PIN = 'rendered/artifacts/team/stack-docker-lab-1-34-v1.yaml'
const OCI =
  'publish: {oci: {repository: registry.example.com/fleet, artifacts: units, flux: {verifySecretName: cosign-key}}}'
const origin = {
  source: 'https://git.example.com/fleet.git',
  revision: `main@sha1:${'0'.repeat(40)}`,
  created: '2026-11-29T12:00:00Z',
}

/** Writes the pins that publishing would. */
async function pin(fleet: FleetFolder): Promise<void> {
  const { folder, ports } = fleet
  const read = await readFleetFile(`${folder}/stackmason.yaml`, ports)
  if (read.publish.oci === undefined) throw new Error('no artifacts')
  const text = await createPinWriter(read, read.publish.oci, ports)
  const output = `${folder}/rendered`
  for (const unit of await listUnits(output, ports)) {
    const digest = createUnitDigest(await readUnit(output, unit, ports), ports.crypto)(origin)
    fleet.write(`rendered/${pinFile(unit)}`, text({ unit, digest, origin }))
  }
}

/** A fleet whose artifacts are pinned, on a branch that begins at `main`. */
async function pinnedFleet(): Promise<FleetFolder> {
  const fleet = labFleet(await tempFolder(), [
    'handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}, path: ./rendered}}',
    OCI,
  ])
  fleet.git('init', '-q', '--initial-branch=main')
  await fleet.render()
  await pin(fleet)
  fleet.commit('main')
  fleet.git('switch', '-qc', 'change')
  return fleet
}

/** What a check tells of the pins, in the order that it has. */
async function says(fleet: FleetFolder, base: string | undefined): Promise<readonly string[]> {
  const { findings } = await fleet.render({ check: true, ...(base !== undefined && { base }) })
  return findings
    .filter(({ code }) => code === 'OUTPUT_PIN' || code === 'OUTPUT_FOREIGN')
    .map(({ code, severity, file = '' }) => `${severity} ${code} ${file.slice(fleet.folder.length + 1)}`)
}

/** What differs from another digest, url and so on of a pin. */
function edit(from: string | RegExp, to: string): (fleet: FleetFolder) => void {
  return (fleet) => {
    fleet.edit(PIN, from, to)
  }
}

const EVIL = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: evil, namespace: team}\n'
const error = `error OUTPUT_PIN ${PIN}`
const warning = `warning OUTPUT_PIN ${PIN}`
const foreign = (path: string): string => `error OUTPUT_FOREIGN rendered/artifacts/${path}`

/** Renders what a person has changed, as people do who commit the tree. */
async function change(fleet: FleetFolder): Promise<void> {
  fleet.write(lab.values, 'message: two\n')
  await fleet.render()
}

interface Row {
  readonly name: string
  /** What `main` gets before the change, if anything. */
  readonly before?: (fleet: FleetFolder) => void | Promise<void>
  readonly change: (fleet: FleetFolder) => void | Promise<void>
  readonly alone: readonly string[]
  readonly based: readonly string[]
}

const rows: readonly Row[] = [
  { name: 'nothing', change: () => undefined, alone: [], based: [] },
  {
    name: 'files that the next run pins',
    change,
    alone: [warning],
    based: [],
  },
  {
    name: 'files with their pins, as publishing proposes them',
    change: async (fleet) => {
      await change(fleet)
      await pin(fleet)
    },
    alone: [],
    based: [],
  },
  {
    name: 'pins of what was changed before',
    before: change,
    change: pin,
    alone: [],
    based: [],
  },
  {
    name: 'files and pins that go back together',
    before: async (fleet) => {
      fleet.commit('one')
      await change(fleet)
      await pin(fleet)
    },
    change: (fleet) => {
      fleet.git('revert', '--no-edit', 'HEAD')
    },
    alone: [],
    based: [],
  },
  {
    name: 'line endings of Windows',
    change: edit(/\n/g, '\r\n'),
    alone: [],
    based: [],
  },
  {
    name: 'a new unit without a pin',
    before: (fleet) => {
      fleet.remove(PIN)
    },
    change: () => undefined,
    alone: [],
    based: [],
  },
  { name: 'another digest', change: edit(/[0-9a-f]{64}/, '1'.repeat(64)), alone: [warning], based: [error] },
  { name: 'another address', change: edit(/url: .*/, 'url: oci://evil.example/x'), alone: [error], based: [error] },
  { name: 'no verification', change: edit(/ {2}verify:\n(?: {4}.*\n)*/, ''), alone: [error], based: [error] },
  { name: 'one more field', change: edit('spec:\n', 'spec:\n  suspend: true\n'), alone: [error], based: [error] },
  { name: 'a comment', change: edit('spec:\n', '# x\nspec:\n'), alone: [error], based: [error] },
  { name: 'one more object', change: edit(/$/, `---\n${EVIL}`), alone: [error], based: [error] },
  { name: 'another object', change: edit(/[^]*/, EVIL), alone: [error], based: [error] },
  { name: 'no YAML', change: edit(/[^]*/, '['), alone: [error], based: [error] },
  { name: 'another commit', change: edit('sha1:00', 'sha1:11'), alone: [warning], based: [error] },
  { name: 'a revision of no commit', change: edit(/sha1:0+/, 'sha1:1.4.0'), alone: [error], based: [error] },
  {
    name: 'the pin of another unit',
    change: (fleet) => {
      fleet.write(PIN, fleet.read(STACK_PIN))
    },
    alone: [error],
    based: [error],
  },
  {
    name: 'settings that pins follow with the next run',
    change: (fleet) => {
      fleet.edit('stackmason.yaml', 'cosign-key', 'cosign-key-2')
    },
    alone: [error, `error OUTPUT_PIN ${STACK_PIN}`],
    based: [warning, `warning OUTPUT_PIN ${STACK_PIN}`],
  },
  {
    name: 'a pin of a unit that the tree does not have',
    change: (fleet) => {
      fleet.write('rendered/artifacts/team/two.yaml', fleet.read(PIN).replace('name: one\n', 'name: two\n'))
    },
    alone: ['error OUTPUT_PIN rendered/artifacts/team/two.yaml'],
    based: ['error OUTPUT_PIN rendered/artifacts/team/two.yaml'],
  },
  {
    name: 'a unit that goes, with the pin that the next run removes',
    before: (fleet) => {
      fleet.write('rendered/artifacts/team/two.yaml', fleet.read(PIN).replace('name: one\n', 'name: two\n'))
    },
    change: () => undefined,
    alone: ['error OUTPUT_PIN rendered/artifacts/team/two.yaml'],
    based: [],
  },
  {
    name: 'files of others',
    change: (fleet) => {
      for (const path of [
        'evil.yaml',
        'team/evil.yaml',
        'team/evil.yml',
        'team/kustomization.yaml',
        'team/x/evil.yaml',
      ])
        fleet.write(`rendered/artifacts/${path}`, EVIL)
      fleet.write('rendered/artifacts/.sourceignore', '*\n')
      symlinkSync('one.yaml', fleet.path('rendered/artifacts/team/link.yaml'))
      symlinkSync('team', fleet.path('rendered/artifacts/more'))
    },
    alone: [
      foreign('.sourceignore'),
      foreign('evil.yaml'),
      foreign('more'),
      foreign('team/evil.yml'),
      foreign('team/link.yaml'),
      foreign('team/x'),
      foreign('team/evil.yaml'),
      foreign('team/kustomization.yaml'),
    ],
    based: [
      foreign('.sourceignore'),
      foreign('evil.yaml'),
      foreign('more'),
      foreign('team/evil.yml'),
      foreign('team/link.yaml'),
      foreign('team/x'),
      foreign('team/evil.yaml'),
      foreign('team/kustomization.yaml'),
    ],
  },
  {
    name: 'a file of others that the base has, too',
    before: (fleet) => {
      fleet.write('rendered/artifacts/team/evil.yaml', EVIL)
    },
    change: () => undefined,
    alone: [foreign('team/evil.yaml')],
    based: [foreign('team/evil.yaml')],
  },
  {
    name: 'a submodule that is not checked out, and an empty folder',
    change: (fleet) => {
      fleet.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},rendered/artifacts/more`)
      for (const name of ['more', 'empty']) mkdirSync(fleet.path(`rendered/artifacts/${name}`))
    },
    alone: [foreign('more')],
    based: [foreign('more')],
  },
  {
    name: 'a submodule in the place of the folder',
    change: (fleet) => {
      fleet.git('rm', '-rq', 'rendered/artifacts')
      fleet.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},rendered/artifacts`)
      mkdirSync(fleet.path('rendered/artifacts'))
    },
    alone: ['error OUTPUT_FOREIGN rendered/artifacts'],
    based: ['error OUTPUT_FOREIGN rendered/artifacts'],
  },
  {
    name: 'a link in the place of the folder',
    change: (fleet) => {
      fleet.remove('rendered/artifacts')
      symlinkSync('clusters', fleet.path('rendered/artifacts'))
    },
    alone: ['error OUTPUT_FOREIGN rendered/artifacts'],
    based: ['error OUTPUT_FOREIGN rendered/artifacts'],
  },
]

/** The same for a fleet that pins nothing any more. */
const leavingRows: readonly Row[] = [
  {
    name: 'pins that are left',
    change: () => undefined,
    alone: [warning, `warning OUTPUT_PIN ${STACK_PIN}`],
    based: [],
  },
  {
    name: 'another digest',
    change: edit(/[0-9a-f]{64}/, '1'.repeat(64)),
    alone: [warning, `warning OUTPUT_PIN ${STACK_PIN}`],
    based: [error],
  },
  {
    name: 'one more object',
    change: edit(/$/, `---\n${EVIL}`),
    alone: [foreign('team/one.yaml'), `warning OUTPUT_PIN ${STACK_PIN}`],
    based: [foreign('team/one.yaml')],
  },
  {
    name: 'a pin in the place of a source',
    change: (fleet) => {
      const text = fleet.read(PIN).replace('name: one\n', 'name: fleet\n').replace(': team\n', ': flux-system\n')
      fleet.write('rendered/artifacts/flux-system/fleet.yaml', text)
    },
    alone: ['error OUTPUT_PIN rendered/artifacts/flux-system/fleet.yaml', warning, `warning OUTPUT_PIN ${STACK_PIN}`],
    based: ['error OUTPUT_PIN rendered/artifacts/flux-system/fleet.yaml'],
  },
  {
    name: 'a file of others',
    change: (fleet) => {
      fleet.remove('rendered/artifacts')
      fleet.write('rendered/artifacts/team/evil.yaml', EVIL)
    },
    alone: [foreign('team/evil.yaml')],
    based: [foreign('team/evil.yaml')],
  },
]

async function told({ before, change: edited }: Row, fleet: FleetFolder): Promise<object> {
  await before?.(fleet)
  fleet.commit('before')
  fleet.git('branch', '-f', 'main', 'change')
  await edited(fleet)
  fleet.commit('change')
  return { alone: await says(fleet, undefined), based: await says(fleet, 'main') }
}

describe('a check of the tree looks at the pins of artifacts', () => {
  test.each(rows)('$name', async (row) => {
    expect(await told(row, await pinnedFleet())).toEqual({ alone: row.alone, based: row.based })
  })
})

describe('and at those that are left behind', () => {
  test.each(leavingRows)('$name', async (row) => {
    const fleet = await pinnedFleet()
    fleet.edit('stackmason.yaml', `  ${OCI}\n`, '')
    await fleet.render()
    expect(await told(row, fleet)).toEqual({ alone: row.alone, based: row.based })
  })
})

test('it names the field, and what to do', async () => {
  const fleet = await pinnedFleet()
  fleet.edit(PIN, /url: .*/, 'url: oci://evil.example/x')
  fleet.commit()
  const { findings } = await fleet.render({ check: true, base: 'main' })
  expect(findings.map(({ message, hint, at }) => [message, hint, at?.source.text.slice(at.start)])).toEqual([
    [
      'the pin of clusters/team/one is not what `publish` writes there: Flux may get other content by it, or unverified',
      `Let it be as the base has it, and \`stackmason publish\` write the new one: git checkout main -- ${fleet.folder}/${PIN}`,
      '  url: oci://evil.example/x\n  verify:\n    provider: cosign\n    secretRef:\n      name: cosign-key\n',
    ],
  ])
})

test('a run of some clusters leaves it alone', async () => {
  const fleet = await pinnedFleet()
  fleet.write('rendered/artifacts/team/evil.yaml', EVIL)
  expect((await fleet.render({ check: true, clusters: ['one'] })).findings).toEqual([])
  expect((await fleet.render()).findings).toEqual([])
})
