import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rules } from '../../src/check/rules.ts'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { errorCodes, isCode, isRuleCode } from '../../src/model/error-codes.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { lab, labCluster, labFleet } from '../../tools/fleets/lab-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'

const TODAY = '2027-03-31'
const nodePorts = createNodePorts()
const ports = { ...nodePorts, clock: { ...nodePorts.clock, now: () => Date.parse(`${TODAY}T12:00:00Z`) } }

interface Seen {
  readonly status: number
  /** Codes of the findings that text lists, in order. */
  readonly listed: readonly string[]
  /** The sum at the end. */
  readonly sum: string
}

/** What a check of the lab with one misspelt variable says. */
async function see(spec: readonly string[], words: readonly string[] = []): Promise<Seen> {
  const fleet = labFleet(await tempFolder(), spec)
  fleet.write(lab.cluster, labCluster(['variables: [{name: replica, value: 1}]']))
  const { status, stdout } = await runCli(['check', ...words], { cwd: fleet.folder, ports })
  const listed = stdout.split('\n').flatMap((line) => /^((?:error|warning) [A-Z_]+) /.exec(line)?.[1] ?? [])
  const lines = stdout.trimEnd().split('\n')
  const last = lines.findLast((line) => !line.startsWith('In this fleet ')) ?? ''
  return { status, listed, sum: `${last}\n`.replace(/in [\d.]+ s/, 'in a while') }
}

const CODE = 'CLASS_VARIABLE_UNKNOWN'
const sum = (found: string): string =>
  `Checked 1 cluster, 7 objects in a while: ${found}.${/error|warning/.test(found) ? ' docs/06-errors.md explains each code.' : ''}\n`
const failed: Seen = { status: 1, listed: [`error ${CODE}`], sum: sum('1 error') }
const warned: Seen = { status: 0, listed: [`warning ${CODE}`], sum: sum('1 warning') }
const accepted = (until: string, more = ''): readonly string[] => [
  `acknowledged: [{code: ${CODE}${more}, reason: it will come, until: ${until}}]`,
]
const level = (text: string): readonly string[] => [`check: {rules: {${CODE}: ${text}}}`]

interface Row {
  readonly name: string
  readonly spec?: readonly string[]
  readonly words?: readonly string[]
  readonly seen: Seen
}

const rows: readonly Row[] = [
  { name: 'an error', seen: failed },
  { name: 'an error that nothing fails on', words: ['--fail-on', 'never'], seen: { ...failed, status: 0 } },
  { name: 'an error that the fleet calls a warning', spec: level('warning'), seen: warned },
  {
    name: 'a warning that the run fails on',
    spec: level('warning'),
    words: ['--fail-on', 'warning'],
    seen: { ...warned, status: 1 },
  },
  { name: 'a rule that is off', spec: level('off'), seen: { status: 0, listed: [], sum: sum('nothing found') } },
  {
    name: 'an error that the fleet acknowledges, on the last day',
    spec: accepted(TODAY),
    seen: { status: 0, listed: [], sum: sum('1 acknowledged') },
  },
  {
    name: 'an error whose acknowledgement ended',
    spec: accepted('2027-03-30'),
    seen: { ...failed },
  },
  {
    name: 'an acknowledgement that fits by cluster',
    spec: accepted(TODAY, ', cluster: team/one'),
    words: ['--fail-on', 'warning'],
    seen: { status: 0, listed: [], sum: sum('1 acknowledged') },
  },
  {
    name: 'an acknowledgement of another cluster',
    spec: accepted(TODAY, ', cluster: team/two'),
    seen: { ...failed, sum: sum('1 error, 1 note (-o json lists it)') },
  },
  {
    name: 'a fleet that cannot be rendered',
    spec: ['check: {rules: {CLASS_VARIABLE_UNKNOWM: off}}'],
    words: ['--fail-on', 'never'],
    seen: {
      status: 1,
      listed: ['error CONFIG_REFERENCE'],
      sum: '1 error. Incomplete: an error stopped the check, so nothing was judged but inputs.\n',
    },
  },
]

describe('check', () => {
  test.each(rows)('$name', async ({ spec = [], words = [], seen }) => {
    expect(await see(spec, words)).toEqual(seen)
  })

  test('an acknowledgement that ended says so', async () => {
    const fleet = labFleet(await tempFolder(), accepted('2027-03-30'))
    fleet.write(lab.cluster, labCluster(['variables: [{name: replica, value: 1}]']))
    const { stdout } = await runCli(['check'], { cwd: fleet.folder, ports })
    expect(stdout).toContain('has no variable "replica"; its acknowledgement ended on 2027-03-30\n')
  })

  test('render does not call an acknowledgement unused that is about a rule', async () => {
    const fleet = labFleet(await tempFolder(), accepted(TODAY))
    const { stdout } = await runCli(['render', '-q', '-o', 'json'], { cwd: fleet.folder, ports })
    expect(JSON.parse(stdout)).toMatchObject({ status: 'rendered', findings: [] })
    expect(fleet.has('rendered')).toBe(true)
  })

  test('compares with a base where no GitOps tool is named', async () => {
    const fleet = labFleet(await tempFolder())
    await fleet.render()
    fleet.commit()
    fleet.write('clusters/team/two/cluster.yaml', labCluster().replace('name: one', 'name: two'))
    fleet.remove('clusters/team/one')
    const words = ['check', '--base', 'HEAD', '--fail-on', 'warning']
    const { status, stdout } = await runCli(words, { cwd: fleet.folder, ports })
    const listed = stdout.split('\n').flatMap((line) => /^((?:error|warning) [A-Z_]+ \(new\)) /.exec(line)?.[1] ?? [])
    expect({ status, listed }).toEqual({ status: 1, listed: ['error CLUSTER_DELETED (new)'] })
  })

  test('compares the clusters that are named, and them alone', async () => {
    const fleet = labFleet(await tempFolder())
    const own = { kind: 'Addons', spec: { addons: [{ name: 'own', templates: { path: 'own' } }] } }
    const storage = (name: string, type: string): void => {
      fleet.write(
        `clusters/team/${name}/own/storage.yaml`,
        `apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: own}\nprovisioner: a.b\nparameters: {type: ${type}}\n`,
      )
    }
    for (const name of ['two', 'three']) {
      fleet.write(`clusters/team/${name}/cluster.yaml`, labCluster().replace('name: one', `name: ${name}`))
      fleet.write(
        `clusters/team/${name}/addons.yaml`,
        `${JSON.stringify({ apiVersion: 'stackmason.dev/v1alpha1', ...own })}\n`,
      )
      storage(name, 'a')
    }
    await fleet.render()
    fleet.commit()
    storage('two', 'b')
    storage('three', 'b')
    fleet.remove('clusters/team/one')
    const see = async (...words: readonly string[]): Promise<readonly string[]> => {
      const { stdout } = await runCli(['check', '--base', 'HEAD', ...words], { cwd: fleet.folder, ports })
      return stdout.match(/^(?:error|warning) [A-Z_]+ \(new\) \S+|^ +for .*$/gm) ?? []
    }
    const changed = (name: string): readonly string[] => [
      `error FIELD_IMMUTABLE (new) clusters/team/${name}/own/storage.yaml:5:20:`,
      `  for cluster team/${name}, addon own`,
    ]
    expect(await see('--cluster', 'three')).toEqual(changed('three'))
    expect(await see('--cluster', 'two', '--cluster', 'team/three')).toEqual([
      'error FIELD_IMMUTABLE (new) StorageClass',
      '  for clusters team/three, team/two; addon own',
    ])
    expect(await see('--stack', 'lab')).toEqual([])
    expect((await see()).join('\n')).toContain('error CLUSTER_DELETED (new) ')
  })

  test('writes findings to standard output, and nothing else if it is to be quiet', async () => {
    const fleet = labFleet(await tempFolder())
    fleet.write(lab.cluster, labCluster(['variables: [{name: replica, value: 1}]']))
    const { stdout, stderr } = await runCli(['check', '-q'], { cwd: fleet.folder, ports })
    expect({ stdout, stderr }).toEqual({
      stdout: `error CLASS_VARIABLE_UNKNOWN clusters/team/one/cluster.yaml:8:24: class docker-lab-1-34-v1 has no variable "replica"
  8 |     variables: [{name: replica, value: 1}]
    |                        ^^^^^^^^^^^^^^^^^^^
  for cluster team/one
  → Did you mean replicas?
`,
      stderr: '',
    })
  })

  test('lists errors first, and of each level first what is new', async () => {
    const fleet = labFleet(await tempFolder(), level('warning'))
    await fleet.render()
    fleet.commit()
    const own = labCluster(['variables: [{name: replica, value: 1}]']).replace('name: one', 'name: two')
    fleet.write('clusters/team/two/cluster.yaml', own)
    fleet.remove('clusters/team/one')
    fleet.write('policies/a.yaml', 'kind: Other\napiVersion: v1\n')
    fleet.write('policies/b.yaml', '{}\n')
    const { stdout } = await runCli(['check'], { cwd: fleet.folder, ports })
    expect(stdout.match(/^(?:error|warning) \S+(?: \(new\))?/gm)).toEqual([
      'error CLUSTER_DELETED (new)',
      'error POLICY_INVALID',
      'warning CLASS_VARIABLE_UNKNOWN',
      'warning POLICY_INVALID',
    ])
  })

  describe('where one cluster cannot be rendered', () => {
    async function broken(): Promise<FleetFolder> {
      const fleet = labFleet(await tempFolder())
      fleet.write(lab.cluster, labCluster(['variables: [{name: replica, value: 1}]']))
      const own = { kind: 'Addons', spec: { addons: [{ name: 'own', templates: { path: 'own' } }] } }
      fleet.write('clusters/team/two/cluster.yaml', labCluster().replace('name: one', 'name: two'))
      fleet.write(
        'clusters/team/two/addons.yaml',
        `${JSON.stringify({ apiVersion: 'stackmason.dev/v1alpha1', ...own })}\n`,
      )
      fleet.write('clusters/team/two/own/a.yaml', 'kind: ConfigMap\n')
      return fleet
    }
    const INCOMPLETE =
      'Incomplete: 1 cluster was not judged (team/two), and rules that need the whole fleet, or compare it with the base, were not asked.'

    test('the others are judged, and it is said who was not', async () => {
      const fleet = await broken()
      const { status, stdout } = await runCli(['check', '--fail-on', 'never'], { cwd: fleet.folder, ports })
      expect(status).toBe(1)
      expect(stdout.match(/^(?:error|warning) \S+/gm)).toEqual(['error OBJECT_INVALID', 'error CLASS_VARIABLE_UNKNOWN'])
      expect(stdout.split('\n').slice(-3)).toEqual([
        expect.stringMatching(
          /^Checked 1 cluster, \d+ objects in [\d.]+ s: 2 errors\. docs\/06-errors\.md explains each code\.$/,
        ),
        INCOMPLETE,
        '',
      ])
    })

    test.each([
      ['json', `"incomplete": "${INCOMPLETE}"`],
      ['markdown', `**${INCOMPLETE}**`],
      ['html', `<strong>${INCOMPLETE}</strong>`],
      ['github', `::error file=stackmason.yaml,title=Incomplete::${INCOMPLETE}\n`],
      ['junit', `<error type="incomplete" message="${INCOMPLETE}"/>`],
      ['sarif', '"executionSuccessful": false'],
      ['sarif', `"text": "${INCOMPLETE}"`],
      ['code-quality', `"description": "${INCOMPLETE}"`],
    ])('%s says so', async (form, sign) => {
      const fleet = await broken()
      const { stdout } = await runCli(['check', '-o', form], { cwd: fleet.folder, ports })
      expect(stdout).toContain(sign)
      expect(stdout).not.toContain('nothing found')
    })

    test('a run of a part without it is complete', async () => {
      const fleet = await broken()
      const { stdout } = await runCli(['check', '--cluster', 'team/one'], { cwd: fleet.folder, ports })
      expect(stdout).not.toContain('Incomplete')
    })
  })

  test('writes nothing', async () => {
    const fleet = labFleet(await tempFolder())
    const before = fleet.filesBelow('')
    expect((await runCli(['check'], { cwd: fleet.folder, ports })).status).toBe(0)
    expect(fleet.filesBelow('')).toEqual(before)
  })

  test('the reports fit their schemas', async () => {
    const fleet = labFleet(await tempFolder(), accepted(TODAY))
    fleet.write(lab.cluster, labCluster(['variables: [{name: replica, value: 1}]']))
    const problems = async (schema: string, words: readonly string[]): Promise<readonly unknown[]> => {
      const { stdout } = await runCli([...words, '-o', 'json', '-q'], { cwd: fleet.folder, ports })
      const text = await readFile(join(packageFolder, 'schemas', `${schema}.json`), 'utf8')
      const { validate } = compileSchema(parseGoJson(text))
      expect(validate(parseGoJson(stdout.replace('"kind"', '"kined"')))).not.toEqual([])
      return validate(parseGoJson(stdout))
    }
    expect(await problems('check-report', ['check'])).toEqual([])
    expect(await problems('rule-list', ['check', '--rules'])).toEqual([])
  })
})

describe('check --rules', () => {
  test('lists every code that only a rule finds, once', async () => {
    const { stdout, status } = await runCli(['check', '--rules'])
    const listed = stdout.split('\n').flatMap((line) => /^([A-Z_]+) +(?:error|warning|note|off) /.exec(line)?.[1] ?? [])
    const codes = Object.keys(errorCodes).filter((code) => isCode(code) && isRuleCode(code))
    expect({ status, listed: listed.filter((code) => isCode(code) && isRuleCode(code)).sort() }).toEqual({
      status: 0,
      listed: codes.sort(),
    })
  })

  test('has as codes of rules those that only rules find', () => {
    expect(rules.map(({ code }) => code).filter((code) => !isRuleCode(code))).toEqual([])
    expect(new Set(rules.map(({ code }) => code)).size).toBe(rules.length)
  })

  test('explains one', async () => {
    const { stdout, status } = await runCli(['check', '--rules', 'WORKER_CLASS_UNKNOWN'])
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: [
        'WORKER_CLASS_UNKNOWN (error)',
        '',
        'A group of workers names a worker class that the ClusterClass does not have.',
        '',
        'Each machine deployment and machine pool of a Cluster names a class of workers: Cluster API refuses the Cluster where its ClusterClass has none of that name.',
        '',
        'Name one of the worker classes of the class.',
        '',
      ].join('\n'),
    })
  })

  test.each([
    { words: ['check', '--rules', 'WORKER_CLAS_UNKNOWN'], says: 'did you mean WORKER_CLASS_UNKNOWN?' },
    { words: ['check', 'WORKER_CLASS_UNKNOWN'], says: '"WORKER_CLASS_UNKNOWN" needs --rules' },
  ])('$words', async ({ words, says }) => {
    const { status, stderr } = await runCli(words)
    expect(status).toBe(2)
    expect(stderr).toContain(says)
  })
})
