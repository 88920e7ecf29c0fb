import { execFileSync } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { render } from '../../src/pipeline/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import {
  failureOf,
  isKustomizationReady,
  kustomizationReference,
  startKustomizeController,
  type Artifact,
  type Flux,
} from '../../tools/servers/flux.ts'
import { fieldOf, refusals, type KubeObject, type KubeReference } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'

const shared = sharedFolder() ?? ''
if (shared === '') console.warn('SKIPPED: the life of a cluster under the real kustomize-controller: no ../shared')

const example = join(import.meta.dirname, '../../examples/fleet')
const source = { kind: 'GitRepository', name: 'fleet', namespace: 'flux-system' } as const
const handoff = `
  handoff:
    flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}, path: ./rendered, retryInterval: 1s, timeout: 30s}
`

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

/** A kind of the provider for development, whose definitions are not at hand, without a schema. */
function providerCrd(kind: string): KubeObject {
  const singular = kind.toLowerCase()
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.infrastructure.cluster.x-k8s.io` },
    spec: {
      group: 'infrastructure.cluster.x-k8s.io',
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular },
      scope: 'Namespaced',
      versions: [{ name: 'v1beta2', served: true, storage: true, schema }],
    },
  }
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

/** One test goes on where the one before it ended, as one commit follows another. */
describe.runIf(shared !== '' && hasKube('kustomizeController'))('the life of a cluster, by commits', () => {
  const folder = tempFolderForFile()
  let management: Kube
  let workload: Kube
  let flux: Flux
  let watching = true
  let watch: Promise<void> = Promise.resolve()
  /** What was seen since it was last asked for, in order. */
  let events: string[] = []

  beforeAll(async () => {
    ;[management, workload] = await Promise.all([startKube(), startKube()])
    await management.installCrds([join(shared, 'crds/cluster-api')])
    await management.apply(['DockerClusterTemplate', 'DockerMachineTemplate'].map(providerCrd))
    flux = await startKustomizeController(management)
    await management.createNamespaces(['flux-system', 'platform', 'team-a'])
    await management.apply([bootstrap])
    await writeFleet()
    watch = keepWatch()
  }, 240_000)
  afterAll(async () => {
    watching = false
    await watch
    await flux.close()
    await Promise.all([management, workload].map((kube) => kube.close()))
  })

  /** The example fleet with one stack and one cluster. */
  async function writeFleet(): Promise<void> {
    await cp(example, folder, { recursive: true })
    for (const path of ['clusters/team-a/edge', 'clusters/team-b', 'stacks/classic.yaml', 'providers/docker/classic'])
      await remove(path)
    await edit('stackmason.yaml', /^ {4}- name: classic\n(?: {6}.*\n)+/m, '')
    await edit('stackmason.yaml', /^ {4}- provider: docker\n {6}stack: classic\n.*\n/m, '')
    await edit('stackmason.yaml', '../../rendered', 'rendered')
    await edit('stackmason.yaml', /^ {2}handoff:\n(?: {4}.*\n)+/m, handoff.slice(1))
    git('init', '-q')
  }

  function git(...words: readonly string[]): string {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
    return execFileSync('git', [...identity, ...words], { cwd: folder, encoding: 'utf8' })
  }

  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }

  async function edit(path: string, from: string | RegExp, to: string): Promise<void> {
    const text = await readFile(join(folder, path), 'utf8')
    if (text.replace(from, to) === text) throw new Error(`${path} holds no ${String(from)}`)
    await write(path, text.replace(from, to))
  }

  async function remove(path: string): Promise<void> {
    await rm(join(folder, path), { recursive: true })
  }

  /** Renders, commits, and lets the tool see the commit; returns what was done. */
  async function commit(): Promise<{ readonly artifact: Artifact; readonly steps: readonly string[] }> {
    const options = { clusters: [], stacks: [], check: false, allowEmpty: true, overwriteEdited: false }
    const { steps = [] } = await render({ start: folder, ...options }, createNodePorts(), () => undefined)
    git('add', '-A')
    git('commit', '-qm', 'a step')
    const head = git('rev-parse', 'HEAD').trim()
    // the repository without what git keeps of it
    const tree = join(folder, '.git', 'published')
    await rm(tree, { recursive: true, force: true })
    await cp(join(folder, 'rendered'), join(tree, 'rendered'), { recursive: true })
    const actions = steps.map(({ due }) => due.action)
    events.push(['commit', ...actions].join(' '))
    const artifact = await flux.publish(source, tree, `main@sha1:${head}`)
    return { artifact, steps: actions }
  }

  /** Short words for what there is; a change of one is an event. */
  async function look(): Promise<Readonly<Record<string, string>>> {
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

  async function keepWatch(): Promise<void> {
    const order = ['class', 'stack', 'unit', 'Cluster', 'addon']
    const rank = (key: string): number => order.findIndex((word) => key.startsWith(word))
    let before: Readonly<Record<string, string>> = {}
    while (watching) {
      // a kind that is new is not served at once; a look that fails is made again
      const now = await look().catch(() => before)
      const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort((a, b) => rank(a) - rank(b))
      for (const key of keys) {
        const [was, is] = [before[key] ?? 'absent', now[key] ?? 'absent']
        if (was !== is) events.push(`${key}: ${is}`)
      }
      before = now
      await setTimeout(50)
    }
  }

  async function until(done: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + 60_000
    while (!(await done())) {
      if (performance.now() > end)
        throw new Error(`not in time; seen: ${events.join(', ')}\n${flux.log().slice(-3000)}`)
      await setTimeout(100)
    }
  }

  async function untilApplied(artifact: Artifact, units: readonly (readonly [string, string])[]): Promise<void> {
    await until(async () => {
      const found = await Promise.all(
        units.map(([namespace, name]) => management.get(kustomizationReference(namespace, name))),
      )
      return found.every((unit) => isKustomizationReady(unit, artifact.revision))
    })
  }

  /** The events so far of the kinds whose order is sure, once the watch has had time to see all that there is. */
  async function seen(kinds: RegExp): Promise<readonly string[]> {
    await setTimeout(1000)
    const all = events
    events = []
    return all.filter((event) => kinds.test(event))
  }

  const isAbsent = async (kube: Kube, reference: KubeReference): Promise<boolean> =>
    (await kube.get(reference)) === undefined
  const root = ['flux-system', 'fleet'] as const
  const webUnits = [
    ['team-a', 'web'],
    ['team-a', 'web-addons'],
  ] as const

  test('a new cluster: the stack, the Cluster, and the addons once its kubeconfig is there', async () => {
    const { artifact } = await commit()
    await until(
      async () =>
        addonsState(await management.get(kustomizationReference('team-a', 'web-addons'))) ===
        'waits for web-kubeconfig',
    )
    await until(async () => !(await isAbsent(management, cluster)))
    await management.applyStatus({ ...cluster, status: { initialization: { controlPlaneInitialized: true } } })
    expect(await isAbsent(workload, dnsCache)).toBe(true)
    await setTimeout(1000)
    events.push('kubeconfig')
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

  test('an upgrade: addons by the first commit, class by the second, the stack that is left goes by the third', async () => {
    await edit('stackmason.yaml', 'version: v3', 'version: v4')
    await edit('stacks/demo.yaml', '- v3', '- v4')
    await edit(
      'providers/docker/demo/cluster-addon/dns-cache/templates/configmap.yaml',
      /^data:$/m,
      'data:\n  mark: new',
    )
    await edit('clusters/team-a/web/cluster.yaml', 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
    for (const want of [['addons'], ['class'], []]) {
      const { artifact, steps } = await commit()
      expect(steps).toEqual(want)
      await untilApplied(artifact, [root, ['platform', 'stack-docker-demo-1-34-v4'], ...webUnits])
      await setTimeout(1500)
    }
    expect(await seen(/^(?:commit|Cluster|addon|unit web-addons: suspended)/)).toEqual([
      'commit addons',
      'addon dns-cache: new',
      'commit class',
      'Cluster: docker-demo-1-34-v4',
      'commit',
    ])
  })

  test('an addon that is switched off leaves the workload cluster, but for its definitions', async () => {
    await write(
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

  test('a cluster whose folder is deleted by mistake lives on with all that it runs, and is taken back', async () => {
    await remove('clusters')
    const { artifact } = await commit()
    await untilApplied(artifact, [root])
    for (const [namespace, name] of webUnits)
      await until(() => isAbsent(management, kustomizationReference(namespace, name)))
    expect(fieldOf(await management.get(cluster), 'metadata.deletionTimestamp')).toBeUndefined()
    expect(await isAbsent(workload, metrics)).toBe(false)
    const uid = fieldOf(await management.get(cluster), 'metadata.uid')
    git('checkout', '-q', 'HEAD~1', '--', 'clusters')
    const restored = await commit()
    await untilApplied(restored.artifact, [root, ...webUnits])
    expect(fieldOf(await management.get(cluster), 'metadata.uid')).toBe(uid)
    expect(await seen(/^(?:commit|Cluster|addon|unit web-addons: suspended)/)).toEqual(['commit', 'commit'])
  })

  test('a cluster whose folder goes after the first step of a decommission lives on, too, and is protected again', async () => {
    const protection = async (): Promise<unknown> => {
      const annotations = fieldOf(await management.get(cluster), 'metadata.annotations')
      if (typeof annotations !== 'object' || annotations === null) return undefined
      return Reflect.get(annotations, 'kustomize.toolkit.fluxcd.io/prune')
    }
    const uid = fieldOf(await management.get(cluster), 'metadata.uid')
    await write('clusters/team-a/web/options.yaml', decommission('prepare'))
    const prepared = await commit()
    await untilApplied(prepared.artifact, [root, ['team-a', 'web']])
    expect(await protection()).toBeUndefined()
    await remove('clusters')
    const { artifact } = await commit()
    await untilApplied(artifact, [root])
    for (const [namespace, name] of webUnits)
      await until(() => isAbsent(management, kustomizationReference(namespace, name)))
    await setTimeout(2000)
    expect(fieldOf(await management.get(cluster), 'metadata.deletionTimestamp')).toBeUndefined()
    git('checkout', '-q', 'HEAD~1', '--', 'clusters')
    const gone = await commit()
    expect(gone.steps).toEqual(['gone'])
    await remove('clusters/team-a/web/options.yaml')
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
  })

  test('a decommission deletes the Cluster at the step that allows it, and what it runs never', async () => {
    for (const [step, units] of [
      ['prepare', [root, ['team-a', 'web']]],
      ['delete', [root, ['team-a', 'web']]],
      ['finish', [root, ['team-a', 'web']]],
      ['finish', [root]],
    ] as const) {
      await write('clusters/team-a/web/options.yaml', decommission(step))
      const { artifact } = await commit()
      await untilApplied(artifact, units)
      await setTimeout(1500)
    }
    await until(() =>
      isAbsent(management, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'web-decommission', namespace: 'team-a' },
      }),
    )
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
