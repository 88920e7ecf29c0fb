import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exampleFleet } from '../../tools/fleets/example-fleet.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { EventLog, startLifeClusters, step, type LifeClusters, type Look } from '../../tools/servers/cluster-life.ts'
import {
  failureOf,
  isKustomizationReady,
  kustomizationReference,
  startKustomizeController,
  type Artifact,
  type Flux,
} from '../../tools/servers/flux.ts'
import { fieldOf, refusals, type KubeObject, type KubeReference } from '../../tools/servers/kube-client.ts'
import { hasKube, type Kube } from '../../tools/servers/kube.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'

const shared = sharedFolder() ?? ''
if (shared === '') console.warn('SKIPPED: the life of a cluster under the real kustomize-controller: no ../shared')

const source = { kind: 'GitRepository', name: 'fleet', namespace: 'flux-system' } as const
const handoff =
  'flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}, path: ./rendered, retryInterval: 1s, timeout: 30s}'

/** The manifest that docs/15-flux.md tells people to apply. */
const bootstrap: KubeObject = {
  ...kustomizationReference('flux-system', 'fleet'),
  spec: {
    interval: '1h',
    path: './rendered/handoff',
    prune: true,
    deletionPolicy: 'Orphan',
    sourceRef: { kind: 'GitRepository', name: 'fleet' },
  },
}

const capi = (kind: string, namespace: string, name: string): KubeReference => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind,
  metadata: { name, namespace },
})
const cluster = capi('Cluster', 'team-a', 'web')
const inWorkload = (apiVersion: string, kind: string, name: string): KubeReference => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'kube-system' },
})
const dnsCache = inWorkload('v1', 'ConfigMap', 'dns-cache')
const dnsDaemon = inWorkload('apps/v1', 'DaemonSet', 'dns-cache')
const dnsCrd = inWorkload('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'dnspolicies.dns.example.com')
const metrics = inWorkload('apps/v1', 'Deployment', 'metrics-agent')

function wordAt(object: KubeObject | undefined, path: string): string | undefined {
  const value = fieldOf(object, path)
  return typeof value === 'string' ? value : undefined
}

const decommission = (step: string): string =>
  `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {decommission: {step: ${step}}}\n`

describe.runIf(shared !== '' && hasKube('kustomizeController'))('the life of a cluster', { timeout: 300_000 }, () => {
  const folder = tempFolderForFile()
  let fleet: FleetFolder
  let clusters: LifeClusters
  let management: Kube
  let workload: Kube
  let flux: Flux | undefined
  let events: EventLog

  beforeAll(async () => {
    clusters = await startLifeClusters(shared)
    ;({ management, workload } = clusters)
    flux = await startKustomizeController(management)
    await management.createNamespaces(['flux-system', 'platform', 'team-a'])
    await management.apply([bootstrap])
    fleet = exampleFleet(folder, { clusters: ['team-a/web'], handoff: [handoff] })
    fleet.git('init', '-q')
    const order = ['class', 'stack', 'unit', 'Cluster', 'addon']
    const follow = [
      [workload, ['/api/v1/namespaces/kube-system/configmaps', '/apis/apps/v1/namespaces/kube-system/deployments']],
      [
        management,
        [
          '/apis/cluster.x-k8s.io/v1beta2/clusters',
          '/apis/cluster.x-k8s.io/v1beta2/clusterclasses',
          '/apis/kustomize.toolkit.fluxcd.io/v1/kustomizations',
        ],
      ],
    ] as const
    events = new EventLog(look, { follow, order, state: () => flux?.log().slice(-3000) ?? '' })
  }, 240_000)
  afterAll(async () => {
    await events?.close()
    await flux?.close()
    await clusters?.close()
  })

  /** Renders, commits, and lets the tool see the commit; returns what was done. */
  async function commit(): Promise<{ readonly artifact: Artifact; readonly steps: readonly string[] }> {
    const { steps = [] } = await fleet.render({ allowEmpty: true })
    const head = fleet.commit()
    // the repository without what git keeps of it
    if (fleet.has('.git/published')) fleet.remove('.git/published')
    fleet.copy(fleet.path('rendered'), '.git/published/rendered')
    const actions = steps.map(({ due }) => due.action)
    events.note(['commit', ...actions].join(' '))
    if (flux === undefined) throw new Error('no Flux')
    const artifact = await flux.publish(source, fleet.path('.git/published'), `main@sha1:${head}`)
    return { artifact, steps: actions }
  }

  const look: Look = async () => {
    // what must come later is looked at first: then what it needs is seen no later than itself
    const addons = await workload.get(dnsCache)
    const agent = await workload.get(metrics)
    const live = await management.get(cluster)
    const stacks = await management.list('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', 'platform')
    const classes = await management.list('cluster.x-k8s.io/v1beta2', 'ClusterClass', 'platform')
    const unit = await management.get(kustomizationReference('team-a', 'web'))
    const addonsUnit = await management.get(kustomizationReference('team-a', 'web-addons'))
    return {
      ...Object.fromEntries(classes.map(({ metadata }) => [`class ${metadata.name}`, 'there'])),
      ...Object.fromEntries(
        stacks.map((stack) => [stack.metadata.name, isKustomizationReady(stack) ? 'ready' : 'there']),
      ),
      Cluster: wordAt(live, 'spec.topology.classRef.name') ?? 'absent',
      'unit web': unit === undefined ? 'absent' : 'there',
      'unit web-addons': addonsState(addonsUnit),
      'addon dns-cache': addons === undefined ? 'absent' : (wordAt(addons, 'data.mark') ?? 'old'),
      'addon metrics': agent === undefined ? 'absent' : 'there',
    }
  }

  function addonsState(unit: KubeObject | undefined): string {
    if (unit === undefined) return 'absent'
    if (fieldOf(unit, 'spec.suspend') === true) return 'suspended'
    return failureOf(unit)?.includes('web-kubeconfig') === true ? 'waits for web-kubeconfig' : 'there'
  }

  const untilApplied = (artifact: Artifact, units: readonly (readonly [string, string])[]): Promise<void> =>
    events.until(`${units.map(([, name]) => name).join(', ')} applied`, async () => {
      const found = await Promise.all(
        units.map(([namespace, name]) => management.get(kustomizationReference(namespace, name))),
      )
      return found.every((unit) => isKustomizationReady(unit, artifact.revision))
    })

  const untilAbsent = (reference: KubeReference): Promise<void> =>
    events.until(`${reference.kind} ${reference.metadata.name} gone`, () => isAbsent(management, reference))

  /** The events so far of the kinds whose order is sure. */
  const seen = async (kinds: RegExp): Promise<readonly string[]> =>
    (await events.take(1000)).filter((event) => kinds.test(event))

  const isAbsent = async (kube: Kube, reference: KubeReference): Promise<boolean> =>
    (await kube.get(reference)) === undefined
  const root = ['flux-system', 'fleet'] as const
  const webUnits = [
    ['team-a', 'web'],
    ['team-a', 'web-addons'],
  ] as const

  test('follows the commits', async () => {
    await step('a new cluster: the stack, the Cluster, and the addons once its kubeconfig is there', async () => {
      const { artifact } = await commit()
      await events.until(
        'the addons wait for their kubeconfig',
        async () =>
          addonsState(await management.get(kustomizationReference('team-a', 'web-addons'))) ===
          'waits for web-kubeconfig',
      )
      await events.until('the Cluster', async () => !(await isAbsent(management, cluster)))
      await management.applyStatus({ ...cluster, status: { initialization: { controlPlaneInitialized: true } } })
      expect(await isAbsent(workload, dnsCache)).toBe(true)
      await setTimeout(1000)
      events.note('kubeconfig')
      const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'cluster.x-k8s.io/secret',
        metadata: { name: 'web-kubeconfig', namespace: 'team-a' },
        stringData: { value: workload.kubeconfigText },
      }
      expect(refusals(await management.apply([secret]))).toEqual([])
      await untilApplied(artifact, [root, ['platform', 'stack-docker-demo-1-34-v3'], ...webUnits])
      expect(await seen(/^(?:commit|stack|Cluster|kubeconfig|addon dns)/)).toEqual([
        'commit',
        'stack-docker-demo-1-34-v3: there',
        'stack-docker-demo-1-34-v3: ready',
        'Cluster: docker-demo-1-34-v3',
        'kubeconfig',
        'addon dns-cache: old',
      ])
    })

    await step(
      'an upgrade: addons by the first commit, class by the second, the stack that is left goes by the third',
      async () => {
        fleet.edit('stackmason.yaml', 'version: v3', 'version: v4')
        fleet.edit('stacks/demo.yaml', '- v3', '- v4')
        fleet.edit(
          'providers/docker/demo/cluster-addon/dns-cache/templates/configmap.yaml',
          /^data:$/m,
          'data:\n  mark: new',
        )
        fleet.edit('clusters/team-a/web/cluster.yaml', 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
        for (const want of [['addons'], ['class'], []]) {
          const { artifact, steps } = await commit()
          expect(steps).toEqual(want)
          await untilApplied(artifact, [root, ['platform', 'stack-docker-demo-1-34-v4'], ...webUnits])
          await events.settle()
        }
        expect(await seen(/^(?:commit|Cluster|addon|unit web-addons: suspended)/)).toEqual([
          'commit addons',
          'addon dns-cache: new',
          'commit class',
          'Cluster: docker-demo-1-34-v4',
          'commit',
        ])
      },
    )

    await step('an addon that is switched off leaves the workload cluster, but for its definitions', async () => {
      fleet.write(
        'clusters/team-a/web/addons.yaml',
        'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {addons: [{name: dns-cache, enabled: false}]}\n',
      )
      const { artifact } = await commit()
      await untilApplied(artifact, [root, ...webUnits])
      expect(await seen(/^(?:commit|Cluster|addon|unit web-addons: suspended)/)).toEqual([
        'commit',
        'addon dns-cache: absent',
      ])
      expect(await isAbsent(workload, dnsDaemon)).toBe(true)
      expect(await isAbsent(workload, dnsCrd)).toBe(false)
      expect(await isAbsent(workload, metrics)).toBe(false)
    })

    await step(
      'a cluster whose folder is deleted by mistake lives on with all that it runs, and is taken back',
      async () => {
        fleet.remove('clusters')
        const { artifact } = await commit()
        await untilApplied(artifact, [root])
        for (const [namespace, name] of webUnits) await untilAbsent(kustomizationReference(namespace, name))
        expect(fieldOf(await management.get(cluster), 'metadata.deletionTimestamp')).toBeUndefined()
        expect(await isAbsent(workload, metrics)).toBe(false)
        const uid = fieldOf(await management.get(cluster), 'metadata.uid')
        fleet.git('checkout', '-q', 'HEAD~1', '--', 'clusters')
        const restored = await commit()
        await untilApplied(restored.artifact, [root, ...webUnits])
        expect(fieldOf(await management.get(cluster), 'metadata.uid')).toBe(uid)
        expect(await seen(/^(?:commit|Cluster|addon|unit web-addons: suspended)/)).toEqual(['commit', 'commit'])
      },
    )

    await step(
      'a cluster whose folder goes after the first step of a decommission lives on, too, and is protected again',
      async () => {
        const protection = async (): Promise<unknown> => {
          const annotations = fieldOf(await management.get(cluster), 'metadata.annotations')
          if (typeof annotations !== 'object' || annotations === null) return undefined
          return Reflect.get(annotations, 'kustomize.toolkit.fluxcd.io/prune')
        }
        const uid = fieldOf(await management.get(cluster), 'metadata.uid')
        fleet.write('clusters/team-a/web/options.yaml', decommission('prepare'))
        const prepared = await commit()
        await untilApplied(prepared.artifact, [root, ['team-a', 'web']])
        expect(await protection()).toBeUndefined()
        fleet.remove('clusters')
        const { artifact } = await commit()
        await untilApplied(artifact, [root])
        for (const [namespace, name] of webUnits) await untilAbsent(kustomizationReference(namespace, name))
        await setTimeout(2000)
        expect(fieldOf(await management.get(cluster), 'metadata.deletionTimestamp')).toBeUndefined()
        fleet.git('checkout', '-q', 'HEAD~1', '--', 'clusters')
        const gone = await commit()
        expect(gone.steps).toEqual(['gone'])
        fleet.remove('clusters/team-a/web/options.yaml')
        const restored = await commit()
        await untilApplied(restored.artifact, [root, ...webUnits])
        expect(await protection()).toBe('disabled')
        expect(fieldOf(await management.get(cluster), 'metadata.uid')).toBe(uid)
        expect(await isAbsent(workload, metrics)).toBe(false)
        expect(await seen(/^(?:commit|Cluster|addon|unit web-addons: suspended)/)).toEqual([
          'commit prepare',
          'unit web-addons: suspended',
          'commit',
          'commit gone',
          'commit',
        ])
      },
    )

    await step('a decommission deletes the Cluster at the step that allows it, and what it runs never', async () => {
      for (const [asked, units] of [
        ['prepare', [root, ['team-a', 'web']]],
        ['delete', [root, ['team-a', 'web']]],
        ['finish', [root, ['team-a', 'web']]],
        ['finish', [root]],
      ] as const) {
        fleet.write('clusters/team-a/web/options.yaml', decommission(asked))
        const { artifact } = await commit()
        await untilApplied(artifact, units)
        await events.settle()
      }
      await untilAbsent({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'web-decommission', namespace: 'team-a' },
      })
      expect(await seen(/^(?:commit|Cluster|addon|unit web-addons: suspended)/)).toEqual([
        'commit prepare',
        'unit web-addons: suspended',
        'commit delete',
        'Cluster: absent',
        'commit release',
        'commit remove',
      ])
      expect(await isAbsent(workload, metrics)).toBe(false)
    })
  })
})
