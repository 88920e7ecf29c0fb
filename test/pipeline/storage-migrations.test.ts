import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { exampleConfig, handoffs } from '../../tools/fleets/example-fleet.ts'
import { cluster, type HandoffFleet, handoffFleet, options, type Tool, wantNext } from './handoff-fleet.ts'
import { problemsOf, told } from './remote-fleet.ts'

const DEFINITION = 'providers/docker/demo/cluster-addon/dns-cache/crds/dnspolicies.yaml'
const NAME = 'dnspolicies.dns.example.com'
const MIGRATION = `rendered/clusters/team-a/web/cluster/storagemigration-web.${NAME}.yaml`

/** Says in stackmason.yaml whether the controller migrates. */
function migrates(fleet: HandoffFleet, tool: Tool, isOn: boolean, spec: readonly string[] = []): void {
  const handoff = [handoffs[tool], ...(isOn ? ['storageMigrations: true'] : [])]
  fleet.write('stackmason.yaml', exampleConfig({ clusters: ['team-a/web'], handoff, spec }))
}

/** Lets the definition of the addon have these versions; the first one is stored. */
function define(fleet: HandoffFleet, ...versions: readonly string[]): void {
  const [head = ''] = fleet.read(DEFINITION).split('  versions:\n')
  const schema = '      schema: {openAPIV3Schema: {type: object}}\n'
  const list = versions.map(
    (name, index) => `    - name: ${name}\n      served: true\n      storage: ${String(index === 0)}\n${schema}`,
  )
  fleet.write(DEFINITION, `${head}  versions:\n${list.join('')}`)
}

async function says(
  fleet: HandoffFleet,
  given: Parameters<HandoffFleet['render']>[0] = {},
): Promise<readonly string[]> {
  const run = fleet.render(given)
  const problems = await problemsOf(run, fleet.folder)
  if (problems.length > 0) return problems.map((text) => `error ${text}`)
  const { findings } = await run
  return findings.flatMap((finding) =>
    finding.code.startsWith('STORAGE_VERSION') ? [`${finding.severity} ${told(finding, fleet.folder)}`] : [],
  )
}

const place = 'dns-cache/crds/dnspolicies.yaml'
const warning = (from: string, to: string): string =>
  `warning STORAGE_VERSION_CHANGES ${place}:12:3 cluster team-a/web: the storage version changes of ${NAME} from ${from} to ${to}; objects that are there stay stored as they are, and nothing migrates them | Have them migrated when this is applied, and keep the earlier version in the definition until then (docs/22-controller.md, Storage versions of addons).`
const error = (from: string, to: string): string =>
  `error STORAGE_VERSION_DROPPED ${place}:12:3 cluster team-a/web: CustomResourceDefinition ${NAME} loses version ${from}, in which its objects are stored as of the committed tree; the API server refuses that | Take two commits: the first one keeps ${from} beside ${to}, with \`storage: false\` (a patch can add it); drop it when \`stackmason status\` says that it may be removed (docs/22-controller.md, Storage versions of addons).`

const annotations = {
  flux: '',
  argocd: `  annotations:
    argocd.argoproj.io/compare-options: IgnoreExtraneous
    argocd.argoproj.io/ignore-healthcheck: "true"
`,
}

/** The file, without its head. */
function migrationOf(fleet: HandoffFleet): string {
  return existsSync(fleet.path(MIGRATION)) ? fleet.read(MIGRATION).replace(/^(?:#.*\n)+/, '') : ''
}

describe.each(['flux', 'argocd'] as const)('a definition whose storage version changes, handed to %s,', (tool) => {
  const expected = (version: string): string => `apiVersion: stackmason.dev/v1alpha1
kind: StorageMigration
metadata:
  name: web.${NAME}
  namespace: team-a
${annotations[tool]}spec:
  clusterRef:
    name: web
  customResourceDefinitions:
  - ${NAME}
  storageVersion: ${version}
`

  test('comes with a migration, which stays until the version changes again', async () => {
    const fleet = await handoffFleet(tool)
    migrates(fleet, tool, true)
    expect(await says(fleet)).toEqual([])
    expect(migrationOf(fleet)).toBe('')
    fleet.commit()
    define(fleet, 'v2', 'v1')
    // again and again, until it is committed
    for (let run = 0; run < 2; run++) {
      expect(await says(fleet)).toEqual([])
      expect(migrationOf(fleet)).toBe(expected('v2'))
      expect((await fleet.render({ check: true })).changes).toEqual([])
    }
    fleet.commit()
    const { definitions } = await fleet.render()
    expect(definitions).toContainEqual({ kind: 'StorageMigration', state: 'known' })
    expect(migrationOf(fleet)).toBe(expected('v2'))
    // the version that was migrated may go
    define(fleet, 'v2')
    expect(await says(fleet)).toEqual([])
    fleet.commit()
    define(fleet, 'v3', 'v2')
    expect(await says(fleet)).toEqual([])
    expect(migrationOf(fleet)).toBe(expected('v3'))
    fleet.commit()
    // back again
    define(fleet, 'v2', 'v3')
    await fleet.render()
    expect(migrationOf(fleet)).toBe(expected('v2'))
    fleet.commit()
    fleet.remove(DEFINITION)
    fleet.remove('providers/docker/demo/cluster-addon/dns-cache/templates/policy.yaml')
    await fleet.render()
    expect(migrationOf(fleet)).toBe('')
  })

  test('stays with its migration through an upgrade, a freeze and to the end of the cluster', async () => {
    const fleet = await handoffFleet(tool)
    migrates(fleet, tool, true)
    wantNext(fleet)
    define(fleet, 'v2', 'v1')
    const steps: (readonly string[])[] = []
    for (let step = 0; step < 3; step++) {
      const result = await fleet.render()
      steps.push([...fleet.steps(result), migrationOf(fleet)])
      fleet.commit()
    }
    expect(steps).toEqual([['addons class', expected('v2')], ['class', expected('v2')], [expected('v2')]])
    const seen: string[] = []
    for (const spec of ['{freeze: true}', '{decommission: {}}', '{decommission: {step: delete}}']) {
      fleet.write('clusters/team-a/web/options.yaml', options(spec))
      await fleet.render()
      fleet.commit()
      seen.push(migrationOf(fleet))
    }
    expect(seen).toEqual([expected('v2'), expected('v2'), expected('v2')])
    fleet.write('clusters/team-a/web/options.yaml', options('{decommission: {step: finish}}'))
    for (let step = 0; step < 2; step++) {
      await fleet.render({ allowEmpty: true })
      fleet.commit()
    }
    expect(migrationOf(fleet)).toBe('')
  })

  test('is a warning where nothing migrates', async () => {
    const fleet = await handoffFleet(tool)
    define(fleet, 'v2', 'v1')
    for (const given of [{}, {}]) expect(await says(fleet, given)).toEqual([warning('v1', 'v2')])
    expect(migrationOf(fleet)).toBe('')
    fleet.commit()
    expect(await says(fleet)).toEqual([])
  })

  test.each([true, false])('is refused where the version before goes with it; migrated: %s', async (isOn) => {
    const fleet = await handoffFleet(tool)
    migrates(fleet, tool, isOn)
    await fleet.render()
    fleet.commit()
    const before = fleet.filesBelow('rendered')
    define(fleet, 'v2')
    expect(await says(fleet)).toEqual([error('v1', 'v2')])
    expect(fleet.filesBelow('rendered')).toEqual(before)
  })

  test('is nothing to a cluster that is new, and to one that is restored', async () => {
    const fleet = await handoffFleet(tool)
    migrates(fleet, tool, true)
    await fleet.render()
    fleet.commit()
    define(fleet, 'v2', 'v1')
    fleet.write('clusters/team-a/new/cluster.yaml', fleet.read(cluster).replace('name: web', 'name: new'))
    await fleet.render()
    expect(fleet.filesBelow('rendered/clusters/team-a').filter((path) => path.includes('storagemigration'))).toEqual([
      `web/cluster/storagemigration-web.${NAME}.yaml`,
    ])
  })
})

test('a tree without a commit counts as it lies on disk', async () => {
  const fleet = await handoffFleet('flux')
  migrates(fleet, 'flux', true)
  await fleet.render()
  fleet.remove('.git')
  define(fleet, 'v2', 'v1')
  for (let run = 0; run < 2; run++) {
    await fleet.render()
    expect(migrationOf(fleet)).toContain('storageVersion: v2')
  }
  define(fleet, 'v3')
  expect(await says(fleet)).toEqual([error('v2', 'v3')])
})

describe('definitions of the management cluster', () => {
  const text = (stored: string, other: string): string =>
    `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: Thing, plural: things}\n  versions:\n    - {name: ${stored}, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n    - {name: ${other}, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n`
  const CLASS_FILE = 'providers/docker/demo/cluster-class/templates/things.yaml'

  test.each([
    [
      'beside a Cluster',
      (fleet: HandoffFleet, stored: string, other: string) => {
        const [first = ''] = fleet.read(cluster).split('---\n')
        fleet.write(cluster, `${first}---\n${text(stored, other)}`)
      },
      'cluster team-a/web',
    ],
    [
      'of a class',
      (fleet: HandoffFleet, stored: string, other: string) => {
        fleet.write(CLASS_FILE, text(stored, other))
      },
      'stack platform/docker-demo-1-34-v3',
    ],
  ])('%s are told, and migrated by people', async (_, write, title) => {
    const fleet = await handoffFleet('flux')
    migrates(fleet, 'flux', true)
    write(fleet, 'v1', 'v2')
    expect(await says(fleet)).toEqual([])
    fleet.commit()
    write(fleet, 'v2', 'v1')
    expect((await says(fleet)).map((finding) => finding.split(' | ')[0]?.replace(/\S+:\d+:\d+ /, ''))).toEqual([
      `warning STORAGE_VERSION_CHANGES ${title}: the storage version changes of things.example.com from v1 to v2; objects that are there stay stored as they are, and nothing migrates them`,
    ])
    expect(fleet.filesBelow('rendered').filter((path) => path.includes('storagemigration'))).toEqual([])
    write(fleet, 'v2', 'v3')
    expect((await says(fleet)).map((finding) => finding.split(':')[0])).toEqual([
      expect.stringMatching(/^error STORAGE_VERSION_DROPPED /),
    ])
  })
})
