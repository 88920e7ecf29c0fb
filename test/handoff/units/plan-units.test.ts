import { describe, expect, it } from 'vitest'
import { planUnits } from '../../../src/handoff/units/plan-units.ts'
import { unitName } from '../../../src/handoff/units/unit-name.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import type { GitopsTool } from '../../../src/model/gitops-tool.ts'
import type { HandoffCluster, HandoffStack, Unit } from '../../../src/model/handoff.ts'
import type { RenderedFolder } from '../../../src/model/manifest.ts'
import { Dict } from '../../../src/model/value.ts'
import { manifestOf } from '../../render/stack/objects.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { afterCommit, at, clusterOf, condition, objectIn, releaseOf, type SampleTree } from './staged-cluster.ts'

function stackOf(manifests: RenderedFolder['manifests']): HandoffStack {
  return {
    namespace: 'team-a',
    release: releaseOf([]),
    folder: { path: 'stacks/team-a/docker-demo-1-34-v3', manifests },
  }
}

const brief = ({ kind, name, path, gate, dependsOn, healthChecks }: Unit): string =>
  [
    `${kind} ${name} ${path} ${gate}`,
    ...dependsOn.map((entry) => `after ${entry.namespace === undefined ? '' : `${entry.namespace}/`}${entry.unit}`),
    ...(healthChecks ?? []).map((check) => `${check.kind} ${check.name}: ${check.current}`),
  ].join('; ')

describe('units without conditions', () => {
  it('are a stack, a cluster after it, and addons after nothing', () => {
    const cluster = clusterOf([{ addon: 'cni' }, { addon: 'csi' }], { hasRuntimeValues: true })
    const { units, folders, findings } = planUnits([stackOf([])], [cluster], { tool: 'flux' })
    expect(units.map(brief)).toEqual([
      'stack stack-docker-demo-1-34-v3 stacks/team-a/docker-demo-1-34-v3 objects',
      'cluster web clusters/team-a/web/cluster bootstrap; after stack-docker-demo-1-34-v3',
      'addons web-addons clusters/team-a/web/addons none',
    ])
    expect(folders).toEqual([{ path: 'clusters/team-a/web/addons', manifests: [], includes: ['01-cni', '02-csi'] }])
    expect(units[2]).toMatchObject({ target: 'workload', runtimeValues: 'web', release: 'docker-demo-1-34-v3' })
    expect(units[2]?.manifests).toHaveLength(2)
    expect(findings).toEqual([])
  })

  it('name the namespace of a stack elsewhere, and wait for images', () => {
    const image = manifestOf('{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: i}}')
    const { units } = planUnits([stackOf([image])], [clusterOf([], { stackNamespace: 'platform' })], { tool: 'flux' })
    expect(units.map(brief)).toEqual([
      'stack stack-docker-demo-1-34-v3 stacks/team-a/docker-demo-1-34-v3 images',
      'cluster web clusters/team-a/web/cluster bootstrap; after platform/stack-docker-demo-1-34-v3',
    ])
  })
})

describe('units of clusters whose class lies elsewhere', () => {
  it('wait for their node images in their own namespace, besides the stack', () => {
    const cluster = clusterOf([], { stackNamespace: 'platform', imagesFrom: ['docker-demo-1-34-v3'] })
    expect(planUnits([], [cluster], { tool: 'flux' }).units.map(brief)).toEqual([
      'cluster web clusters/team-a/web/cluster bootstrap; after platform/stack-docker-demo-1-34-v3; after stack-docker-demo-1-34-v3',
    ])
  })
})

describe('units with conditions', () => {
  it('are one each from the first condition on, one after the other', () => {
    const stages = [
      { addon: 'cni' },
      { addon: 'csi', preCondition: condition('d.status.a'), postCondition: condition('d.status.b') },
      { addon: 'ccm' },
    ]
    const { units, folders } = planUnits([], [clusterOf(stages, { hasRuntimeValues: true })], { tool: 'flux' })
    const base = 'clusters/team-a/web/addons'
    expect(units.slice(1).map(brief)).toEqual([
      `addons web-addons ${base} none`,
      `condition web-addons-02-csi-before ${base}/02-csi-before none; after web-addons; Deployment x: status.a`,
      `condition web-addons-02-csi ${base}/02-csi none; after web-addons-02-csi-before; Deployment x: status.b`,
      `condition web-addons-03-ccm ${base}/03-ccm none; after web-addons-02-csi`,
    ])
    expect(units.slice(1).every(({ runtimeValues, target }) => runtimeValues === 'web' && target === 'workload')).toBe(
      true,
    )
    expect(folders.map(({ path, includes }) => [path, includes])).toEqual([
      [base, ['01-cni']],
      [`${base}/02-csi-before`, undefined],
    ])
    const [note] = folders[1]?.manifests ?? []
    expect([note?.kind, note?.namespace, note?.name]).toEqual(['ConfigMap', 'kube-system', 'stackmason-before-02-csi'])
    expect(note?.object.get('data')).toEqual(
      new Dict([
        ['addon', '02-csi'],
        ['waitsFor', 'd.status.a'],
      ]),
    )
  })

  it('take the folder of a unit that waits from a cluster that is kept', () => {
    const cluster = clusterOf([{ addon: 'cni', preCondition: condition('d.status.a') }])
    const first = planUnits([], [cluster], { tool: 'flux' })
    const kept = planUnits([], [{ ...cluster, addons: [...cluster.addons, ...first.folders] }], { tool: 'flux' })
    expect(kept.units.map(brief)).toEqual(first.units.map(brief))
    expect(kept.units[1]?.manifests[0]).toBe(first.folders[0]?.manifests[0])
    expect(kept.folders).toEqual([])
  })

  describe('of addons that run already', () => {
    const stages = [{ addon: 'cni' }, { addon: 'csi', postCondition: condition('d.status.b') }, { addon: 'ccm' }]
    const base = 'clusters/team-a/web/addons'
    const folders = ['01-cni', '02-csi', '03-ccm']
    const treeOf = (together: readonly string[], letGo: readonly string[] = []): SampleTree => ({
      together: { addons: together },
      folders: Object.fromEntries(
        together.map((name) => [`addons/${name}`, [objectIn(`addons/${name}`) + (letGo.includes(name) ? '!' : '')]]),
      ),
    })
    const planned = (cluster: HandoffCluster): readonly [string, readonly string[]][] =>
      planUnits([], [cluster], { tool: 'flux' })
        .units.slice(1)
        .map(({ name, manifests, orphans = [] }) => [
          `${name}: ${String(manifests.length)}`,
          [...orphans].map((key) => key.slice(key.lastIndexOf('addons-') + 'addons-'.length)),
        ])

    it('are written when the unit that holds them has let go of them', () => {
      const cluster = clusterOf(stages)
      const held = [['web-addons: 3', ['02-csi', '03-ccm']]]
      expect(planned(afterCommit(cluster, treeOf(folders)))).toEqual(held)
      const letGo = treeOf(folders, ['02-csi', '03-ccm'])
      const together = [
        ['web-addons: 1', []],
        ['web-addons-02-csi: 1', []],
        ['web-addons-03-ccm: 1', []],
      ]
      expect(planned(afterCommit(cluster, letGo))).toEqual(together)
      // only a commit tells that the unit may have let go
      expect(planned(afterCommit(cluster, letGo, false))).toEqual(held)
      expect(planned(afterCommit(cluster, treeOf(['01-cni'])))).toEqual(together)
    })

    it('wait for each other as far as they have moved', () => {
      const {
        units,
        findings,
        folders: made,
      } = planUnits([], [afterCommit(clusterOf(stages), treeOf(['01-cni', '03-ccm']))], { tool: 'flux' })
      expect(units.slice(1).map(brief)).toEqual([
        `addons web-addons ${base} none`,
        `condition web-addons-02-csi ${base}/02-csi none; after web-addons; Deployment x: status.b`,
      ])
      expect(made).toEqual([{ path: base, manifests: [], includes: ['01-cni', '03-ccm'] }])
      expect(findings).toEqual([
        {
          code: 'HANDOFF_UNIT_CHANGES',
          severity: 'warning',
          message:
            'cluster team-a/web: ccm will leave the unit web-addons with the next commit; with this one the unit only orphans what it has applied',
          file: 'clusters/team-a/web',
          about: { cluster: 'team-a/web', release: 'docker-demo-1-34-v3' },
        },
      ])
    })

    it('stay where they are while the cluster is kept as it is committed', () => {
      const units = new Map(folders.map((name) => [`${base}/${name}`, base]))
      const arrangement = { units, orphans: new Set<string>(), moves: [], emptied: [] }
      expect(planned(clusterOf(stages, { arrangement, isKept: true }))).toEqual([['web-addons: 3', []]])
    })
  })

  it('have no unit for addons together when the first has one', () => {
    const { units, folders } = planUnits([], [clusterOf([{ addon: 'cni', postCondition: condition('d.status.a') }])], {
      tool: 'flux',
    })
    expect(units.slice(1).map(brief)).toEqual([
      'condition web-addons-01-cni clusters/team-a/web/addons/01-cni none; Deployment x: status.a',
    ])
    expect(folders).toEqual([])
  })

  const stages = [{ addon: 'cni', postCondition: condition('d.status.a == d.spec.a') }]

  it('are none where the fleet passes conditions over', () => {
    const ignoring = {
      ...clusterOf(stages).cluster,
      addons: [{ name: 'cni', enabled: true, ignoresConditions: true, at }],
    }
    for (const tool of ['flux', 'argocd'] as const) {
      const { units, findings } = planUnits([], [clusterOf(stages, { cluster: ignoring })], { tool })
      expect(units.map(({ kind }) => kind)).toEqual(['cluster', 'addons'])
      expect(findings).toEqual([])
    }
  })

  it('are none without an engine, and said', () => {
    const { units, findings } = planUnits([], [clusterOf(stages)], { tool: undefined })
    expect(units.map(({ kind }) => kind)).toEqual(['cluster', 'addon'])
    expect(findings).toMatchObject([
      {
        code: 'RELEASE_STAGE_NOT_EXPRESSED',
        severity: 'warning',
        message:
          'waitForPostCondition of the stage of addon "cni": nothing waits for it, because the fleet names no GitOps tool that applies the tree',
        at,
      },
    ])
  })

  const refusals: readonly {
    readonly tool: GitopsTool
    readonly expression: string
    readonly want: string
  }[] = [
    {
      tool: 'argocd',
      expression: 'd.status.a',
      want: 'waitForPreCondition of the stage of addon "cni": Argo CD cannot wait for it, it judges the health of kinds and not of single objects',
    },
    {
      tool: 'flux',
      expression: 'has(d.status)',
      want: 'waitForPreCondition of the stage of addon "cni" cannot be translated for Flux, which checks each object by itself: has(d.status) asks for a top-level field, which CEL cannot do for an object\'s own fields',
    },
  ]
  it.each(refusals)('are refused with $tool for $expression', ({ tool, expression, want }) => {
    const refused = clusterOf([{ addon: 'cni', preCondition: condition(expression) }])
    const plan = (): unknown => planUnits([], [refused], { tool })
    expect(plan).toThrow(StackmasonError)
    expect(plan).toThrow(want)
  })

  it.each([
    {
      text: '      conditions: d.status.a == == 1 # why\n',
      want: ['"==" is out of place', 32],
    },
    { text: '      conditions: "d.spec.in == 1"\n', expression: 'd.spec.in == 1', want: ['"in" is out of place', 26] },
    // folded lines stand differently in the file: the place of the whole text
    {
      text: '      conditions: |\n        d.a &&\n        == 1\n',
      expression: 'd.a &&\n== 1\n',
      want: ['"==" is out of place', 18],
    },
  ])('that are not CEL are told at their place: $text', async ({ text, expression = 'd.status.a == == 1', want }) => {
    const source = { name: 'clusteraddon.yaml', text }
    const place = { source, start: 18, end: text.indexOf(' #') === -1 ? text.length : text.indexOf(' #') }
    const refused = clusterOf([{ addon: 'cni', preCondition: { ...condition(expression), at: place } }])
    const [problem] = await diagnosticsOf(Promise.resolve().then(() => planUnits([], [refused], { tool: 'flux' })))
    expect([problem?.message, problem?.at?.start]).toEqual([
      `waitForPreCondition of the stage of addon "cni" is not an expression of CEL that is understood: ${String(want[0])}`,
      want[1],
    ])
  })
})

describe('unitName', () => {
  it('fits a label, and differs when what was cut differs', () => {
    const long = 'a'.repeat(60)
    expect(unitName('web', 'addons')).toBe('web-addons')
    expect(unitName(long, 'addons')).toHaveLength(63)
    expect(unitName(long, 'addons')).toMatch(/^a{54}-[0-9a-f]{8}$/)
    expect(unitName(long, 'addons')).not.toBe(unitName(long, 'other'))
    expect(unitName(`${'a'.repeat(53)}-b`, 'x'.repeat(20))).toMatch(/^a{53}-[0-9a-f]{8}$/)
  })
})
