import { describe, expect, it } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { positionAt } from '../../../src/model/source.ts'
import { parseClusterAddon, type KnownAddons } from '../../../src/sources/release/cluster-addon.ts'
import { formatDiagnostic, problemsOf } from './support.ts'

const head = `apiVersion: clusteraddonconfig.x-k8s.io/v1alpha1
clusterAddonVersion: clusteraddons.clusterstack.x-k8s.io/v1alpha1
addonStages:
`
const addons = (...names: readonly string[]): KnownAddons => ({ addons: names, foldersWithoutChart: ['docs'] })
const parse = (stages: string, known: KnownAddons = addons('cni', 'csi')): ReturnType<typeof parseClusterAddon> =>
  parseClusterAddon(encodeUtf8(head + stages), 'clusteraddon.yaml', known)

describe('parseClusterAddon', () => {
  it('reads stages in order, with their place', () => {
    const { stages, findings } = parse(`  AfterControlPlaneInitialized:
    - name: cni
      action: apply
    - {name: csi, action: apply}
  BeforeClusterUpgrade:
    - name: csi
      action: delete
`)
    expect(findings).toEqual([])
    const brief = Object.entries(stages).map(([hook, list]) => [
      hook,
      list.map(({ addon, action, at }) => {
        const { line, column } = positionAt(at.source, at.start)
        return `${addon} ${action} ${line}:${column}`
      }),
    ])
    expect(brief).toEqual([
      ['AfterControlPlaneInitialized', ['cni apply 5:13', 'csi apply 7:14']],
      ['BeforeClusterUpgrade', ['csi delete 9:13']],
    ])
  })

  it('reads conditions', () => {
    const { stages, findings } = parse(
      `  AfterControlPlaneInitialized:
    - name: cni
      action: apply
      waitForPreCondition: {}
      waitForPostCondition:
        objects:
          - {key: d, apiVersion: apps/v1, kind: Deployment, name: x, namespace: kube-system}
          - {key: n, apiVersion: v1, kind: Node, name: y}
        conditions: d.spec.replicas == d.status.readyReplicas
`,
      addons('cni'),
    )
    expect(findings).toEqual([])
    const [stage] = stages.AfterControlPlaneInitialized ?? []
    expect(stage?.preCondition).toBeUndefined()
    expect(stage?.postCondition).toMatchObject({
      at: { start: expect.any(Number) },
      objects: [
        { key: 'd', apiVersion: 'apps/v1', kind: 'Deployment', name: 'x', namespace: 'kube-system' },
        { key: 'n', apiVersion: 'v1', kind: 'Node', name: 'y', namespace: '' },
      ],
      conditions: 'd.spec.replicas == d.status.readyReplicas',
    })
  })

  const findings: readonly {
    readonly name: string
    readonly input: string
    readonly known?: KnownAddons
    readonly want: readonly string[]
  }[] = [
    {
      name: 'a hook that does not exist, whatever stands in it',
      input: `  AfterControlPlaneInitialized: [{name: cni, action: apply}]
  name:
    - {name: ngnix, action: restart}
    - 7
`,
      known: addons('cni'),
      want: ['RELEASE_UNKNOWN_HOOK clusteraddon.yaml:5:3 unknown hook "name": its 2 stages will not be applied'],
    },
    {
      name: 'a hook that never runs',
      input: `  AfterControlPlaneInitialized: [{name: cni, action: apply}]
  AfterClusterUpgrade: [{name: cni, action: apply}]
`,
      known: addons('cni'),
      want: [
        'RELEASE_UNKNOWN_HOOK clusteraddon.yaml:5:3 hook AfterClusterUpgrade is never run: its 1 stage will not be applied',
      ],
    },
    {
      name: 'addons that new clusters do not get',
      input: `  AfterControlPlaneInitialized:
    - {name: cni, action: apply}
    - {name: csi, action: delete}
  BeforeClusterUpgrade: [{name: ccm, action: apply}]
`,
      known: addons('ccm', 'cni', 'csi'),
      want: [
        'RELEASE_UNUSED_ADDON clusteraddon.yaml:4:3 no stage of AfterControlPlaneInitialized applies the addon "ccm", so new clusters do not get it',
        'RELEASE_UNUSED_ADDON clusteraddon.yaml:4:3 no stage of AfterControlPlaneInitialized applies the addon "csi", so new clusters do not get it',
      ],
    },
    {
      name: 'no stages at all',
      input: '  BeforeClusterUpgrade:\n',
      known: addons('cni'),
      want: [
        'RELEASE_UNUSED_ADDON clusteraddon.yaml:3:1 no stage of AfterControlPlaneInitialized applies the addon "cni", so new clusters do not get it',
      ],
    },
    {
      name: 'unknown fields, everywhere',
      input: `  AfterControlPlaneInitialized:
    - name: cni
      action: apply
      waitForReadiness: true
      waitForPreCondition: {conditions: "true", timeout: 5m, objects: [{key: a, apiVersion: v1, kind: Node, name: n, uid: x}]}
timeout: 5m
`,
      known: addons('cni'),
      want: [
        'RELEASE_METADATA_INVALID clusteraddon.yaml:9:1 unknown field timeout: nothing reads it',
        'RELEASE_METADATA_INVALID clusteraddon.yaml:7:7 unknown field addonStages.AfterControlPlaneInitialized[0].waitForReadiness: nothing reads it',
        'RELEASE_METADATA_INVALID clusteraddon.yaml:8:49 unknown field addonStages.AfterControlPlaneInitialized[0].waitForPreCondition.timeout: nothing reads it',
        'RELEASE_METADATA_INVALID clusteraddon.yaml:8:118 unknown field addonStages.AfterControlPlaneInitialized[0].waitForPreCondition.objects[0].uid: nothing reads it',
      ],
    },
  ]
  it.each(findings)('reports $name', ({ input, known, want }) => {
    const read = parse(input, known)
    expect(read.findings.map(formatDiagnostic)).toEqual(want)
    expect(new Set(read.findings.map(({ severity }) => severity))).toEqual(new Set(['warning']))
  })

  const hook = '  AfterControlPlaneInitialized:'
  const errors: readonly { readonly name: string; readonly input: string; readonly want: readonly string[] }[] = [
    {
      name: 'an addon that is not there, and a folder that is not a chart',
      input: `${hook} [{name: ccm, action: apply}, {name: docs, action: apply}]`,
      want: [
        '4:41 the stage names the addon "ccm", which is not in the release',
        '4:69 the stage names the addon "docs", whose folder has no Chart.yaml',
      ],
    },
    {
      name: 'another action',
      input: `${hook}\n    - name: cni\n      action: install\n`,
      want: ['6:15 unknown action "install"'],
    },
    {
      name: 'nothing in a stage',
      input: `${hook} [{}, cni]`,
      want: [
        '4:34 addonStages.AfterControlPlaneInitialized[0].name is missing',
        '4:34 addonStages.AfterControlPlaneInitialized[0].action is missing',
        '4:38 a stage must be a map with name and action',
      ],
    },
    {
      name: 'a map for the list',
      input: `${hook}\n    name: cni`,
      want: ['5:5 addonStages.AfterControlPlaneInitialized must be a list of stages'],
    },
    {
      name: 'a condition without its parts',
      input: `${hook} [{name: cni, action: apply, waitForPreCondition: {objects: [{}]}, waitForPostCondition: {objects: 1, conditions: a}}]`,
      want: [
        '4:82 addonStages.AfterControlPlaneInitialized[0].waitForPreCondition.conditions is missing',
        ...['key', 'apiVersion', 'kind', 'name'].map(
          (key) => `4:93 addonStages.AfterControlPlaneInitialized[0].waitForPreCondition.objects[0].${key} is missing`,
        ),
        '4:131 objects must be a list',
      ],
    },
    { name: 'no addonStages', input: '', want: ['3:13 addonStages is missing'] },
  ]
  it.each(errors)('refuses $name', async ({ input, want }) => {
    expect(await problemsOf(() => parse(input))).toEqual(
      want.map((line) => `RELEASE_METADATA_INVALID clusteraddon.yaml:${line}`),
    )
  })

  it('guesses the hook that a mistyped one meant', () => {
    const { findings: found } = parse(
      `${hook} [{name: cni, action: apply}]\n  BeforeClusterUpgrad: []\n`,
      addons('cni'),
    )
    expect(found.map(({ hint }) => hint)).toEqual([
      'Did you mean BeforeClusterUpgrade? Known hooks whose stages run: AfterControlPlaneInitialized and BeforeClusterUpgrade.',
    ])
  })

  it('names the addons there are', async () => {
    const text = encodeUtf8(`${head}${hook} [{name: ccm, action: apply}]`)
    await expect(async () => parseClusterAddon(text, 'x', addons('cni', 'csi'))).rejects.toMatchObject({
      diagnostics: [{ hint: 'Addons of the release: cni, csi.' }],
    })
  })
})
