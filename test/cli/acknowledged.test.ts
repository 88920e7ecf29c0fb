import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'

const TODAY = '2027-03-31'
const WARNING = 'warning NAMESPACE_MISSING'
const nodePorts = createNodePorts()

interface Finding {
  readonly code: string
  readonly severity: string
  readonly message: string
  readonly acknowledged?: object
  readonly about?: readonly object[]
}

/** A fleet whose clusters web and api each have an addon with an object in a namespace that nothing brings. */
async function makeFleet(acknowledged: string): Promise<string> {
  const fleet = new FleetFolder(await tempFolder())
  await runCli(['init'], { cwd: fleet.folder })
  fleet.copy(fleet.path('clusters/team-a/web/cluster.yaml'), 'clusters/team-a/api/cluster.yaml')
  fleet.edit('clusters/team-a/api/cluster.yaml', 'name: web', 'name: api')
  for (const name of ['web', 'api']) {
    const own = '{name: quotas, templates: {path: quotas}}'
    fleet.change({
      [`clusters/team-a/${name}/addons.yaml`]: `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {addons: [${own}]}\n`,
      [`clusters/team-a/${name}/quotas/quota.yaml`]:
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: quota, namespace: elsewhere}\n',
    })
  }
  fleet.edit('stackmason.yaml', /^spec:\n/m, `spec:\n  acknowledged: [${acknowledged}]\n`)
  return fleet.folder
}

interface Seen {
  readonly status: number
  readonly stderr: string
  readonly findings: readonly Finding[]
}

/** What text and JSON say of a fleet on {@link TODAY}, at the given time of the day. */
async function see(cwd: string, words: readonly string[] = [], time: string = '12:00:00.000'): Promise<Seen> {
  const clock = { ...nodePorts.clock, now: () => Date.parse(`${TODAY}T${time}Z`) }
  const ports = { ...nodePorts, clock }
  const { status, stderr } = await runCli(['render', ...words], { cwd, ports })
  const { stdout } = await runCli(['render', '-q', '-o', 'json', ...words], { cwd, ports })
  const schema = await readFile(join(packageFolder, 'schemas/render-report.json'), 'utf8')
  expect(compileSchema(parseGoJson(schema)).validate(parseGoJson(stdout))).toEqual([])
  const { findings }: { findings: readonly Finding[] } = JSON.parse(stdout)
  return { status, stderr: stderr.replaceAll(/^rendered .*\n/gm, ''), findings }
}

const code = 'code: NAMESPACE_MISSING'
const held = (more = '', until = TODAY): string => `{${code}${more}, reason: made by hand, until: ${until}}`
const one = (name: string): string => `, cluster: team-a/${name}`

interface Row {
  readonly name: string
  readonly acknowledged: string
  /** Clusters whose warning counts. */
  readonly listed: readonly string[]
  readonly counted: string
  /** Part of each listed warning. */
  readonly says?: string
}

const rows: readonly Row[] = [
  { name: 'nothing is acknowledged', acknowledged: '', listed: ['web', 'api'], counted: '2 warnings' },
  { name: 'the code alone', acknowledged: held(), listed: [], counted: '2 acknowledged' },
  { name: 'a cluster', acknowledged: held(one('web')), listed: ['api'], counted: '1 warning, 1 acknowledged' },
  { name: 'an addon', acknowledged: held(', addon: quotas'), listed: [], counted: '2 acknowledged' },
  {
    name: 'another addon of the cluster',
    acknowledged: held(`${one('web')}, addon: welcome`),
    listed: ['web', 'api'],
    counted: '2 warnings, 1 note (-o json lists it)',
  },
  {
    name: 'another release',
    acknowledged: held(', release: docker-starter-1-34-v9'),
    listed: ['web', 'api'],
    counted: '2 warnings, 1 note (-o json lists it)',
  },
  {
    name: 'another code',
    acknowledged: held().replace('NAMESPACE_MISSING', 'RELEASE_UNUSED_ADDON'),
    listed: ['web', 'api'],
    counted: '2 warnings, 1 note (-o json lists it)',
  },
  { name: 'until tomorrow', acknowledged: held('', '2027-04-01'), listed: [], counted: '2 acknowledged' },
  {
    name: 'until yesterday',
    acknowledged: held('', '2027-03-30'),
    listed: ['web', 'api'],
    counted: '2 warnings',
    says: '; its acknowledgement ended on 2027-03-30',
  },
  {
    name: 'two that match, the longer one holds',
    acknowledged: `${held('', '2027-03-30')}, ${held()}`,
    listed: [],
    counted: '2 acknowledged',
  },
  {
    name: 'two that match a part each',
    acknowledged: `${held(one('web'))}, ${held(one('api'))}`,
    listed: [],
    counted: '2 acknowledged',
  },
  {
    name: 'two that match different parts, and one has ended',
    acknowledged: `${held(one('web'), '2027-03-30')}, ${held(one('api'))}`,
    listed: ['web'],
    counted: '1 warning, 1 acknowledged',
    says: '; its acknowledgement ended on 2027-03-30',
  },
]

describe('an acknowledgement by', () => {
  test.each(rows)('$name', async ({ acknowledged, listed, counted, says = '' }) => {
    const { status, stderr, findings } = await see(await makeFleet(acknowledged))
    expect(status).toBe(0)
    expect(stderr.split(WARNING).length - 1).toBe(listed.length)
    expect(stderr.split('\n').at(-2)).toBe(`${counted}.`)
    const warnings = findings.filter((finding) => finding.code === 'NAMESPACE_MISSING')
    expect(warnings.length).toBe(2)
    const open = warnings.filter((finding) => finding.acknowledged === undefined)
    expect(open.flatMap(({ about = [] }) => about)).toEqual(
      expect.arrayContaining(listed.map((name) => expect.objectContaining({ cluster: `team-a/${name}` }))),
    )
    expect(open.length).toBe(listed.length)
    expect(open.filter(({ message }) => !message.endsWith(says)).length).toBe(0)
    expect(warnings.flatMap((finding) => finding.acknowledged ?? [])).toEqual(
      Array.from({ length: 2 - listed.length }, () => ({
        reason: 'made by hand',
        until: acknowledged.includes('04-01') ? '2027-04-01' : TODAY,
      })),
    )
  })
})

describe('a command that looks at the fleet counts what is acknowledged', () => {
  const entry = (until: string): string => `{code: CONFIG_UNKNOWN_FILE, reason: for another tool, until: ${until}}`
  const shown = 'warning CONFIG_UNKNOWN_FILE clusters/notes.json: nothing reads clusters/notes.json'

  test.each([
    { words: ['render'] },
    { words: ['render', '--check'] },
    { words: ['update'] },
    { words: ['fetch'] },
    { words: ['list'] },
    { words: ['images'] },
    { words: ['adopt', '--compare', 'objects.yaml'], differs: 1 },
  ])('$words.0 $words.1', async ({ words, differs = 0 }) => {
    const now = { ...nodePorts, clock: { ...nodePorts.clock, now: () => Date.parse(`${TODAY}T12:00:00Z`) } }
    for (const until of [TODAY, '2027-03-30']) {
      const cwd = await makeFleet(entry(until))
      await runCli(['update'], { cwd })
      await runCli(['render', '-q'], { cwd })
      await writeFile(join(cwd, 'clusters/notes.json'), '{}')
      await writeFile(
        join(cwd, 'objects.yaml'),
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: platform}\n',
      )
      const { status, stderr } = await runCli(words, { cwd, ports: now })
      expect(status).toBe(differs)
      const isHeld = until === TODAY
      expect(stderr.includes(shown)).toBe(!isHeld)
      expect(/^(?:.*, )?1 acknowledged\.$/m.test(stderr)).toBe(isHeld)
    }
  })

  test('an error is shown, and what is acknowledged is counted', async () => {
    const cwd = await makeFleet(entry('2999-01-01'))
    await writeFile(join(cwd, 'clusters/notes.json'), '{}')
    const { status, stderr } = await runCli(['images', '--cluster', 'none'], { cwd })
    expect(status).toBe(2)
    expect(stderr).toBe(
      'error USAGE the fleet has no cluster "none"\n  → It has: team-a/api, team-a/web.\n1 error, 1 acknowledged.\n',
    )
  })
})

describe('an acknowledgement', () => {
  test('ends with its last day, at midnight UTC', async () => {
    const cwd = await makeFleet(held())
    expect((await see(cwd, [], '23:59:59.999')).stderr).toBe('2 acknowledged.\n')
    const late = { ...nodePorts, clock: { ...nodePorts.clock, now: () => Date.parse('2027-04-01T00:00:00Z') } }
    expect((await runCli(['render'], { cwd, ports: late })).stderr).toContain('\n2 warnings.\n')
  })

  test('that nothing matches is a note with its place, unless only a part was rendered', async () => {
    const cwd = await makeFleet(held(', addon: gone'))
    const unused = (seen: Seen): readonly Finding[] =>
      seen.findings.filter((finding) => finding.code === 'ACKNOWLEDGEMENT_UNUSED')
    expect(unused(await see(cwd))).toMatchObject([
      {
        severity: 'note',
        message: 'no finding matches this acknowledgement of NAMESPACE_MISSING',
        file: 'stackmason.yaml',
        hint: 'Remove the entry, or correct its object, cluster, release or addon.',
      },
    ])
    expect(unused(await see(cwd, ['--cluster', 'web']))).toEqual([])
  })

  test.each([
    { cluster: 'team-a/wbe', hint: 'Did you mean team-a/web?' },
    { cluster: 'team-b/web', hint: 'Did you mean team-a/web?' },
    { cluster: 'platform/production', hint: 'Remove the entry.' },
  ])('for cluster $cluster, which is not there, names the place of the entry', async ({ cluster, hint }) => {
    const { findings } = await see(await makeFleet(held(`, cluster: ${cluster}`)))
    expect(findings.filter((finding) => finding.code === 'ACKNOWLEDGEMENT_UNUSED')).toMatchObject([
      {
        severity: 'note',
        message: `the fleet has no cluster ${cluster}, which this acknowledgement of NAMESPACE_MISSING names`,
        file: 'stackmason.yaml',
        line: 6,
        column: 53,
        hint,
      },
    ])
  })

  test('does not hide errors, and holds for warnings that are told along with them', async () => {
    const cwd = await makeFleet(`${held()}, ${held().replace('NAMESPACE_MISSING', 'CONFIG_REFERENCE')}`)
    await mkdir(join(cwd, 'clusters/team-a/web/values'), { recursive: true })
    await writeFile(join(cwd, 'clusters/team-a/web/values/none.yaml'), 'a: 1\n')
    const { status, stderr, findings } = await see(cwd)
    expect(status).toBe(1)
    expect(stderr).toContain('error CONFIG_REFERENCE clusters/team-a/web/values/none.yaml:1:1')
    expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([{ code: 'CONFIG_REFERENCE' }])
    expect(findings.filter(({ acknowledged, severity }) => acknowledged !== undefined && severity === 'error')).toEqual(
      [],
    )
  })

  test('changes no rendered byte and no comparison, before and after its end', async () => {
    const cwd = await makeFleet('')
    await see(cwd)
    const fleet = await readFile(join(cwd, 'stackmason.yaml'), 'utf8')
    for (const until of ['2027-03-30', TODAY]) {
      await writeFile(
        join(cwd, 'stackmason.yaml'),
        fleet.replace('acknowledged: []', `acknowledged: [${held('', until)}]`),
      )
      expect((await see(cwd, ['--check'])).status).toBe(0)
    }
  })

  test.each([
    ['a code that is none', held().replace('MISSING', 'MISING'), 'CONFIG_REFERENCE', 'Did you mean NAMESPACE_MISSING?'],
    ['a code that is near none', held().replace('NAMESPACE_MISSING', 'x'), 'CONFIG_REFERENCE', 'lists all codes'],
    ['a day that is none', held('', '2027-02-30'), 'CONFIG_INVALID_VALUE', 'no calendar has the day "2027-02-30"'],
    ['a day in other words', held('', 'tomorrow'), 'CONFIG_', 'until'],
    ['no day', `{${code}, reason: r}`, 'CONFIG_', 'until'],
    ['no reason', `{${code}, until: 2027-01-01}`, 'CONFIG_', 'reason'],
    ['an empty reason', `{${code}, reason: " ", until: 2027-01-01}`, 'CONFIG_', 'reason'],
    ['a cluster without its namespace', held(', cluster: web'), 'CONFIG_', 'cluster'],
    ['a field that is none', held(', severity: error'), 'CONFIG_', 'severity'],
  ])('refuses %s', async (_, acknowledged, wanted, says) => {
    const { status, stderr } = await see(await makeFleet(acknowledged))
    expect(status).toBe(1)
    expect(stderr).toMatch(new RegExp(`^error ${wanted}\\w* stackmason.yaml:\\d+:\\d+: `))
    expect(stderr).toContain(says)
  })
})
