import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { lab, labCluster, labFleet } from '../../tools/fleets/lab-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'

const BEFORE = 'policies/workload/a.yaml'
const entry = (until: string): string => `{code: REPLICAS_ZERO, cluster: team/one, reason: is moved, until: ${until}}`

/** A fleet with a misspelt variable that is rendered and committed, and then says less. */
async function silenced(spec: {
  readonly before?: readonly string[]
  readonly after: readonly string[]
}): Promise<FleetFolder> {
  const fleet = labFleet(await tempFolder(), spec.before)
  fleet.write(BEFORE, 'kind: Other\napiVersion: v1\n')
  for (const folder of ['crds', 'more']) fleet.write(`${folder}/README`, 'Definitions\n')
  await fleet.render()
  fleet.commit()
  const after = labFleet(await tempFolder(), spec.after)
  fleet.write('stackmason.yaml', after.read('stackmason.yaml'))
  fleet.write(lab.cluster, labCluster(['variables: [{name: replica, value: 1}]']))
  return fleet
}

const NEW = [
  'CLASS_VARIABLE_UNKNOWN is off (was error)',
  'REPLICAS_ZERO of team/one is acknowledged until 2027-03-31 (is moved)',
]
const OFF = 'In this fleet 1 rule is off (CLASS_VARIABLE_UNKNOWN).'

async function bothSilenced(): Promise<FleetFolder> {
  return silenced({
    after: ['check: {rules: {CLASS_VARIABLE_UNKNOWN: off}}', `acknowledged: [${entry('2027-03-31')}]`],
  })
}

describe('what a change takes out of the check', () => {
  test.each([
    {
      name: 'a rule that is lowered',
      after: ['check: {rules: {CLUSTER_DELETED: warning, NAMESPACE_MISSING: error}}'],
      says: [
        'In this fleet 1 rule counts as warning (CLUSTER_DELETED).',
        'CLUSTER_DELETED counts as warning (was error)',
      ],
    },
    {
      name: 'a rule whose findings are notes',
      after: ['check: {rules: {SCHEMA_MISSING: off}}'],
      says: ['In this fleet 1 rule is off (SCHEMA_MISSING).', 'SCHEMA_MISSING is off (was note)'],
    },
    {
      name: 'a rule whose findings are notes, unless the fleet raises them',
      before: ['check: {rules: {SCHEMA_MISSING: warning}}'],
      after: ['check: {rules: {SCHEMA_MISSING: off}}'],
      says: ['In this fleet 1 rule is off (SCHEMA_MISSING).', 'SCHEMA_MISSING is off (was warning)'],
    },
    {
      name: 'a rule that was raised, and is not any more',
      before: ['check: {rules: {IMAGE_DIGEST_MISSING: error, NAMESPACE_MISSING: error}}'],
      after: [],
      says: ['IMAGE_DIGEST_MISSING is off (was error)', 'NAMESPACE_MISSING counts as warning (was error)'],
    },
    {
      name: 'nothing: the same and more',
      before: ['check: {rules: {CLUSTER_DELETED: off}}', `acknowledged: [${entry('2027-03-31')}]`],
      after: ['check: {rules: {CLUSTER_DELETED: warning}}', `acknowledged: [${entry('2027-03-30')}]`],
      says: ['In this fleet 1 rule counts as warning (CLUSTER_DELETED).'],
    },
    {
      name: 'nothing: what stops rendering can be neither lowered nor acknowledged',
      before: ['check: {rules: {STEPS_TOGETHER: error}}'],
      after: [
        'check: {rules: {OBJECT_DUPLICATE: warning, STEPS_TOGETHER: off}}',
        `acknowledged: [${entry('2027-03-31').replace('REPLICAS_ZERO', 'OBJECT_INVALID')}]`,
      ],
      says: [],
    },
    {
      name: 'an acknowledgement that holds longer',
      before: [`acknowledged: [${entry('2027-03-31')}]`],
      after: [`acknowledged: [${entry('2027-04-30')}]`],
      says: ['REPLICAS_ZERO of team/one is acknowledged until 2027-04-30 instead of 2027-03-31 (is moved)'],
    },
    {
      name: 'API versions that are declared, and scopes that are said',
      before: ['apiVersions: [a/v1, b/v1]', 'scopes: [{group: a.io, kind: Same, scope: Namespaced}]'],
      after: [
        'apiVersions: [a/v1, c/v1]',
        'apiVersionsFromCrds: true',
        'scopes: [{group: a.io, kind: Same, scope: Namespaced}, {group: a.io, kind: Thing, scope: Cluster}]',
      ],
      says: [
        'spec.apiVersionsFromCrds is true (was false)',
        'spec.scopes of Thing.a.io is cluster-scoped (was not set)',
        'c/v1 is declared as served in stackmason.yaml',
      ],
    },
    {
      name: 'the minor of the management cluster, and a folder of definitions',
      before: ['managementCluster: {kubernetesVersion: "1.34"}', 'check: {schemas: [crds, more]}'],
      after: ['managementCluster: {kubernetesVersion: "1.30"}', 'check: {schemas: [more]}'],
      says: [
        'spec.managementCluster.kubernetesVersion is 1.30 (was 1.34)',
        'spec.check.schemas is without it (was crds)',
      ],
    },
  ])('$name', async ({ before, after, says }) => {
    const fleet = await silenced({ ...(before !== undefined && { before }), after })
    const { stdout } = await runCli(['check'], { cwd: fleet.folder })
    const lines = stdout.split('\n')
    const sum = lines.findIndex((line) => line.startsWith('Checked '))
    expect(lines.slice(sum + 1, -1)).toEqual(
      says.map((text) => (text.startsWith('In this fleet') ? text : `New in this change: ${text}.`)),
    )
  })

  test('a policy that goes, and one that is another', async () => {
    const fleet = await silenced({ after: [] })
    fleet.write(BEFORE, 'kind: Another\napiVersion: v1\n')
    const said = async (): Promise<string | undefined> =>
      /^New in this change: .*$/m.exec((await runCli(['check', '-q'], { cwd: fleet.folder })).stdout)?.[0]
    expect(await said()).toBe(`New in this change: ${BEFORE} has changed.`)
    fleet.remove(BEFORE)
    expect(await said()).toBe(`New in this change: ${BEFORE} is gone.`)
  })

  test('a policy that moves, and one that is asked of fewer servers then', async () => {
    const fleet = await silenced({ after: [] })
    const said = async (): Promise<readonly string[]> =>
      (await runCli(['check', '-q'], { cwd: fleet.folder })).stdout.match(/^New in this change: .*$/gm) ?? []
    const text = fleet.read(BEFORE)
    fleet.remove(BEFORE)
    fleet.write('policies/workload/sub/moved.yml', text)
    expect(await said()).toEqual([])
    fleet.remove('policies/workload/sub/moved.yml')
    fleet.write('policies/management/moved.yml', text)
    expect(await said()).toContain(`New in this change: ${BEFORE} is gone.`)
  })

  test('a file beside the policies that may have one of them refuse less, and no further policy', async () => {
    const fleet = await silenced({ after: [] })
    fleet.write('policies/b.yaml', 'kind: ValidatingAdmissionPolicy\n')
    fleet.write('policies/c.yaml', 'apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n')
    const { stdout } = await runCli(['check', '-q'], { cwd: fleet.folder })
    expect(stdout.match(/^New in this change: .*$/gm)).toEqual(['New in this change: policies/c.yaml is new.'])
  })

  describe('definitions beside the tree', () => {
    const definition = (name: string, more = ''): string =>
      `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ${name}}\nspec: {group: a.io${more}}\n`
    const said = async (fleet: FleetFolder): Promise<readonly string[]> =>
      (await runCli(['check', '-q'], { cwd: fleet.folder })).stdout.match(/^New in this change: .*$/gm) ?? []
    const committed = async (): Promise<FleetFolder> => {
      const schemas = ['check: {schemas: [crds]}']
      const fleet = await silenced({ before: schemas, after: schemas })
      fleet.write('crds/a.yaml', definition('things.a.io'))
      fleet.write('crds/note.yaml', 'some: note\n')
      fleet.commit()
      return fleet
    }

    test('one that changes, and one that goes', async () => {
      const fleet = await committed()
      fleet.write('crds/a.yaml', definition('things.a.io', ', scope: Cluster'))
      fleet.write('crds/note.yaml', 'another: note\n')
      expect(await said(fleet)).toEqual(['New in this change: crds/a.yaml has changed.'])
      fleet.remove('crds/a.yaml')
      expect(await said(fleet)).toEqual(['New in this change: crds/a.yaml is gone.'])
    })

    test('one that takes the place of another, and none of a kind that had none', async () => {
      const fleet = await committed()
      fleet.write('crds/b.yaml', definition('others.a.io'))
      fleet.write('crds/z.yaml', definition('things.a.io'))
      expect(await said(fleet)).toEqual(['New in this change: crds/z.yaml is new.'])
    })
  })

  test('an API version that is declared for a cluster, and none of a cluster that is new', async () => {
    const fleet = await silenced({ after: [] })
    const folder = lab.cluster.slice(0, lab.cluster.lastIndexOf('/'))
    const addons = 'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {apiVersions: [c/v1]}\n'
    fleet.write(`${folder}/addons.yaml`, addons)
    const other = folder.replace(/[^/]+$/, 'other')
    fleet.write(`${other}/addons.yaml`, addons.replace('c/v1', 'd/v1'))
    fleet.write(`${other}/cluster.yaml`, labCluster().replace('name: one', 'name: other'))
    const { stdout } = await runCli(['check', '-q'], { cwd: fleet.folder })
    expect(stdout.match(/^New in this change: .*$/gm)).toEqual([
      `New in this change: c/v1 is declared as served in ${folder}/addons.yaml.`,
    ])
  })

  test.each([
    [
      'markdown',
      `\n\n${[...NEW.map((text) => `New in this change: ${text}.`), OFF].map((text) => `- ${text.replaceAll('_', '\\_')}\n`).join('')}`,
    ],
    ['html', `<br />New in this change: ${NEW.join('.<br />New in this change: ')}.<br />${OFF}`],
    ['github', `,title=Check says less::New in this change: ${NEW[0] ?? ''}\n`],
    ['github', `::notice file=stackmason.yaml,title=Rules that are off or lowered::${OFF}\n`],
    ['junit', `name="New in this change: ${NEW[0] ?? ''}."><skipped/>`],
    ['sarif', `"text": "New in this change: ${NEW[1] ?? ''}."`],
    ['code-quality', `"description": "New in this change: ${NEW[0] ?? ''}"`],
  ])('%s says so', async (form, sign) => {
    const fleet = await bothSilenced()
    const { stdout } = await runCli(['check', '-o', form], { cwd: fleet.folder })
    expect(stdout).toContain(sign)
  })

  test.each(['check', 'report'])('%s tells programs', async (verb) => {
    const fleet = await bothSilenced()
    const { stdout } = await runCli([verb, '-q', '-o', 'json'], { cwd: fleet.folder })
    const schema = await readFile(
      join(packageFolder, `schemas/${verb === 'check' ? verb : 'fleet'}-report.json`),
      'utf8',
    )
    expect(compileSchema(parseGoJson(schema)).validate(parseGoJson(stdout))).toEqual([])
    expect(JSON.parse(stdout)).toMatchObject({ exceptions: { off: ['CLASS_VARIABLE_UNKNOWN'], lowered: [], new: NEW } })
  })

  test.each(['text', 'markdown', 'html'])(
    'diff says so first as %s, also where the trees are the same',
    async (form) => {
      const fleet = await bothSilenced()
      fleet.write(lab.cluster, labCluster())
      const { stdout } = await runCli(['diff', '-o', form], { cwd: fleet.folder })
      for (const text of NEW) expect(stdout.replaceAll('\\_', '_')).toContain(`check: ${text}`)
      expect(stdout).not.toContain('No differences')
      fleet.commit()
      const commits = await runCli(['diff', 'HEAD~1', 'HEAD', '-o', form], { cwd: fleet.folder })
      expect(commits.stdout.replaceAll('\\_', '_')).toContain(`check: ${NEW[0] ?? ''}`)
      const none = await runCli(['diff', 'HEAD', 'HEAD', '-o', form], { cwd: fleet.folder })
      expect(none.stdout).toContain('No differences')
    },
  )

  test('diff tells programs', async () => {
    const fleet = await bothSilenced()
    const { stdout } = await runCli(['diff', '-q', '-o', 'json'], { cwd: fleet.folder })
    const schema = await readFile(join(packageFolder, 'schemas/diff-report.json'), 'utf8')
    expect(compileSchema(parseGoJson(schema)).validate(parseGoJson(stdout))).toEqual([])
    expect(JSON.parse(stdout)).toMatchObject({ facts: { exceptions: NEW } })
  })
})

describe('what cannot be lowered', () => {
  const SPEC = [
    'check: {rules: {OBJECT_INVALID: off}}',
    'acknowledged: [{code: STEPS_TOGETHER, reason: a, until: 2027-03-31}]',
  ]
  const listed = (text: string): readonly string[] => text.match(/^(?:error|warning) .*$/gm) ?? []

  test('is said at its entry', async () => {
    const fleet = labFleet(await tempFolder(), SPEC)
    const { status, stdout } = await runCli(['check'], { cwd: fleet.folder })
    expect({ status, listed: listed(stdout) }).toEqual({
      status: 0,
      listed: [
        'warning CONFIG_CONFLICT stackmason.yaml:6:19: OBJECT_INVALID cannot be lowered: it stops rendering, so the entry has no effect',
        'warning CONFIG_CONFLICT stackmason.yaml:7:25: STEPS_TOGETHER cannot be acknowledged: it stops rendering, so the entry has no effect',
      ],
    })
  })

  test('is said of what tells how a command ended, which is no exception either', async () => {
    const fleet = labFleet(await tempFolder())
    await fleet.render()
    fleet.commit()
    const spec = [
      'check: {rules: {RENDER_STALE: warning, USAGE: error}}',
      'acknowledged: [{code: RENDER_STALE, reason: a, until: 2027-03-31}]',
    ]
    fleet.write('stackmason.yaml', labFleet(await tempFolder(), spec).read('stackmason.yaml'))
    const { status, stdout } = await runCli(['check'], { cwd: fleet.folder })
    expect({ status, listed: listed(stdout), isNew: stdout.includes('New in this change') }).toEqual({
      status: 0,
      listed: [
        'warning CONFIG_CONFLICT stackmason.yaml:6:19: RENDER_STALE cannot be lowered: it tells how a command ended, so the entry has no effect',
        'warning CONFIG_CONFLICT stackmason.yaml:7:25: RENDER_STALE cannot be acknowledged: it tells how a command ended, so the entry has no effect',
      ],
      isNew: false,
    })
    // once: no note tells that nothing matches what nothing can match
    const { findings } = await fleet.render()
    expect(findings.map(({ code }) => code)).toEqual(['CONFIG_CONFLICT', 'CONFIG_CONFLICT'])
  })

  test('is listed all the same, and says why', async () => {
    const fleet = labFleet(await tempFolder(), SPEC)
    const own = { kind: 'Addons', spec: { addons: [{ name: 'own', templates: { path: 'own' } }] } }
    fleet.write('clusters/team/two/cluster.yaml', labCluster().replace('name: one', 'name: two'))
    fleet.write(
      'clusters/team/two/addons.yaml',
      `${JSON.stringify({ apiVersion: 'stackmason.dev/v1alpha1', ...own })}\n`,
    )
    fleet.write('clusters/team/two/own/a.yaml', 'kind: ConfigMap\n')
    const { status, stdout } = await runCli(['check'], { cwd: fleet.folder })
    expect(status).toBe(1)
    expect(listed(stdout).find((line) => line.startsWith('error'))).toMatch(
      /^error OBJECT_INVALID .*; spec\.check\.rules cannot lower what stops rendering$/,
    )
  })

  test.each([
    ['true', 'Without an entry the rule has its own level, which `stackmason check --rules` lists.'],
    ['on', 'Without an entry the rule has its own level, which `stackmason check --rules` lists.'],
    ['warn', 'Without an entry the rule has its own level, which `stackmason check --rules` lists.'],
  ])('a level %s is refused', async (level, hint) => {
    const fleet = labFleet(await tempFolder(), [`check: {rules: {CLUSTER_DELETED: ${level}}}`])
    const { stdout } = await runCli(['check'], { cwd: fleet.folder })
    expect(stdout).toContain('spec.check.rules.CLUSTER_DELETED must be one of "error", "warning", "off"\n')
    expect(stdout).toContain(`→ ${hint}\n`)
  })

  test.each(['off', '"off"', 'false'])('%s turns a rule off', async (level) => {
    const fleet = labFleet(await tempFolder(), [`check: {rules: {CLASS_VARIABLE_UNKNOWN: ${level}}}`])
    const { stdout } = await runCli(['check', '-o', 'json'], { cwd: fleet.folder })
    expect(JSON.parse(stdout)).toMatchObject({ exceptions: { off: ['CLASS_VARIABLE_UNKNOWN'] } })
  })
})

describe('a rule whose findings are notes', () => {
  const accepted = 'acknowledged: [{code: SCHEMA_MISSING, reason: a, until: 2027-03-31}]'
  test.each([
    { name: 'by itself', spec: [], want: { status: 0, severity: 'note', acknowledged: false } },
    {
      name: 'as an error',
      spec: ['check: {rules: {SCHEMA_MISSING: error}}'],
      want: { status: 1, severity: 'error', acknowledged: false },
    },
    {
      name: 'as a warning',
      spec: ['check: {rules: {SCHEMA_MISSING: warning}}'],
      want: { status: 0, severity: 'warning', acknowledged: false },
    },
    {
      name: 'turned off',
      spec: ['check: {rules: {SCHEMA_MISSING: off}}'],
      want: { status: 0, severity: undefined, acknowledged: false },
    },
    { name: 'acknowledged', spec: [accepted], want: { status: 0, severity: 'note', acknowledged: true } },
    {
      name: 'acknowledged as an error',
      spec: ['check: {rules: {SCHEMA_MISSING: error}}', accepted],
      want: { status: 0, severity: 'error', acknowledged: true },
    },
  ])('takes its level and acknowledgements: $name', async ({ spec, want }) => {
    const fleet = labFleet(await tempFolder(), [
      ...spec,
      'scopes: [{group: example.com, kind: Thing, scope: Namespaced}]',
    ])
    fleet.write(lab.template, 'apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n')
    const { status, stdout } = await runCli(['check', '-o', 'json'], { cwd: fleet.folder })
    const { findings }: { findings: readonly { code: string; severity: string; acknowledged?: unknown }[] } =
      JSON.parse(stdout)
    const found = findings.find(({ code }) => code === 'SCHEMA_MISSING')
    const unused = findings.filter(({ code }) => code === 'ACKNOWLEDGEMENT_UNUSED')
    expect({ status, severity: found?.severity, acknowledged: found?.acknowledged !== undefined, unused }).toEqual({
      ...want,
      unused: [],
    })
  })
})

describe('an acknowledgement of one object', () => {
  const definition = (name: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${name}s.example.com}
spec:
  group: example.com
  names: {kind: ${name.toUpperCase()}, plural: ${name}s}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
---
`

  test('accepts nothing of another', async () => {
    const entry =
      '{code: OBJECT_DELETED, object: CustomResourceDefinition/as.example.com, reason: r, until: 2099-03-31}'
    const fleet = labFleet(await tempFolder(), [`acknowledged: [${entry}]`])
    fleet.write(lab.template, definition('a') + definition('b'))
    await fleet.render()
    fleet.commit()
    fleet.write(lab.template, '')
    const { status, stdout } = await runCli(['check'], { cwd: fleet.folder })
    expect({
      status,
      listed: stdout.match(/^error \S+|CustomResourceDefinition \S+/gm),
      sum: /: ([^.]*)\. docs\/06-errors\.md explains each code\.$/m.exec(stdout)?.[1],
    }).toEqual({
      status: 1,
      listed: ['error OBJECT_DELETED', 'CustomResourceDefinition bs.example.com'],
      sum: '1 error, 1 acknowledged',
    })
  })

  test('also where a rule judges what is rendered', async () => {
    const pod = (name: string): string =>
      `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: kube-system}, spec: {containers: [{name: c, image: "i:1", envFrom: [{configMapRef: {name: ${name}-map}}]}]}}\n---\n`
    const entry = '{code: POD_CONFIG_MISSING, object: Pod/kube-system/a, reason: r, until: 2099-03-31}'
    const fleet = labFleet(await tempFolder(), [`acknowledged: [${entry}]`])
    fleet.write(lab.template, pod('a') + pod('b'))
    const { stdout } = await runCli(['check'], { cwd: fleet.folder })
    expect(stdout.match(/POD_CONFIG_MISSING .* Pod \S+/g)?.map((line) => line.split(' ').at(-1))).toEqual([
      'kube-system/b',
    ])
    expect(stdout).toContain('1 acknowledged')
  })
})
