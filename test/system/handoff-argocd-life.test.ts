import { execFileSync } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { render } from '../../src/pipeline/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import {
  applicationReference,
  clusterSecret,
  hasArgocd,
  isApplicationSynced,
  startArgocd,
  type Argocd,
} from '../../tools/servers/argocd.ts'
import { makeRepository, startGitServer, type GitServer } from '../../tools/servers/git-server.ts'
import { fieldOf, refusals, type KubeObject, type KubeReference } from '../../tools/servers/kube-client.ts'
import { watchKube } from '../../tools/servers/kube-watch.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'

const shared = sharedFolder() ?? ''
if (shared === '') console.warn('SKIPPED: the life of a cluster under the real Argo CD: no ../shared')

const project = join(import.meta.dirname, '../..')

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

const named = (apiVersion: string, kind: string, name: string, namespace = 'team-a'): KubeReference => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
})
const cluster = named('cluster.x-k8s.io/v1beta2', 'Cluster', 'web')
const gate = (version: string): KubeReference =>
  named('stackmason.dev/v1alpha1', 'NodeImageGate', `docker-demo-1-34-${version}`)
const dnsCache = named('v1', 'ConfigMap', 'dns-cache', 'kube-system')
const dnsDaemon = named('apps/v1', 'DaemonSet', 'dns-cache', 'kube-system')
const dnsCrd = named('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'dnspolicies.dns.example.com', '')
const workloadProject = { ...applicationReference('team-a.workload'), kind: 'AppProject' }
const dnsNamespace = named('v1', 'Namespace', 'dns-cache', '')
const metrics = named('apps/v1', 'Deployment', 'metrics-agent', 'kube-system')
const addonSet = { ...applicationReference('team-a.web.addons'), kind: 'ApplicationSet' }
const hostValue = 'CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST'

const fleetFile = (repoURL: string): string => `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: example}
spec:
  sources:
    - name: demo
      providerDirectory: {path: providers/docker/demo, version: v3}
  nodeImages:
    - {provider: docker, stack: demo, use: none, gate: controller}
  scopes:
    - {group: monitoring.example.com, kind: Monitor, scope: Namespaced}
  handoff:
    argocd: {repoURL: "${repoURL}", targetRevision: main, path: rendered}
`
const metricsChart = 'providers/docker/demo/cluster-addon/metrics'
/** A further hole, one whose value is not there yet, and one in front of a list, so that what follows moves. */
const metricsOverwrite = `values: |
  metrics-agent:
    commonLabels:
      domain: {{ .Cluster.spec.controlPlaneEndpoint.host }}
      phase: {{ .Cluster.status.phase }}
    args:
      - --host={{ .Cluster.spec.controlPlaneEndpoint.host }}
      - --kubelet-insecure-tls
`
const agentOf = {
  v3: '192.0.2.10 - --metric-resolution=15s --scrape-interval=15s --kubelet-insecure-tls',
  v4: '192.0.2.10 Provisioned --metric-resolution=60s --scrape-interval=15s --host=192.0.2.10 --kubelet-insecure-tls',
}
const monitorFile = 'apiVersion: monitoring.example.com/v1\nkind: Monitor\nmetadata: {name: agent}\n'
const monitorCrd: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'monitors.monitoring.example.com' },
  spec: {
    group: 'monitoring.example.com',
    names: { kind: 'Monitor', listKind: 'MonitorList', plural: 'monitors', singular: 'monitor' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}
/** Supplies what were holes, and switches an addon off. */
const addonsFile = `apiVersion: stackmason.dev/v1alpha1
kind: Addons
spec:
  addons: [{name: dns-cache, enabled: false}]
  runtimeValues: {Cluster.spec.controlPlaneEndpoint.host: 192.0.2.10, Cluster.status.phase: Provisioned}
`
const namespaceFile = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: dns-cache}\n'
const stackFile = `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: demo-1-34, namespace: team-a}
spec:
  provider: docker
  name: demo
  kubernetesVersion: "1.34"
  channel: stable
  autoSubscribe: false
  noProvider: true
  versions: [v3]
`
const clusterFile = `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: web, namespace: team-a}
spec:
  clusterNetwork:
    pods: {cidrBlocks: [10.244.0.0/16]}
  topology:
    classRef: {name: docker-demo-1-34-v3}
    version: v1.34.7
    controlPlane: {replicas: 1}
    variables:
      - {name: registryMirror, value: "https://mirror.example.com"}
`

const decommission = (step: string): string =>
  `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {decommission: {step: ${step}}}\n`

/** What of the addon with holes differs from commit to commit. */
function agentState(agent: KubeObject): string {
  const [container = {}] = fieldOf(agent, 'spec.template.spec.containers') as readonly Record<string, unknown>[]
  const [domain = '-', phase = '-'] = ['domain', 'phase'].map((name) => textOf(agent, `metadata.labels.${name}`))
  return [domain, phase, ...(container['args'] as readonly string[])].join(' ')
}

function textOf(object: KubeObject | undefined, path: string): string | undefined {
  const value = fieldOf(object, path)
  return typeof value === 'string' ? value : undefined
}

const canRun = shared !== '' && hasArgocd() && hasKube('controllerManager')
describe.runIf(canRun)('the life of a cluster', { timeout: 300_000 }, () => {
  const folder = tempFolderForFile()
  const served = tempFolderForFile()
  let management: Kube
  let workload: Kube
  let argocd: Argocd | undefined
  let git: GitServer
  let watching = true
  let watch: Promise<void> = Promise.resolve()
  let endAgents = (): void => undefined
  /** Every state of the addon with holes that the workload API server stored. */
  const agents = new Set<string>()
  /** What was seen since it was last asked for, in order. */
  let events: string[] = []

  beforeAll(async () => {
    git = await startGitServer(served)
    ;[management, workload] = (await Promise.all([1, 2].map(() => startKube({ controllerManager: true })))) as [
      Kube,
      Kube,
    ]
    await management.installCrds([join(shared, 'crds/cluster-api'), join(project, 'templates/crds')])
    await management.apply(['DockerClusterTemplate', 'DockerMachineTemplate'].map(providerCrd))
    await writeFleet()
    // the health checks are applied by hand, once, before anything else
    await renderTree()
    argocd = await startArgocd(management, {
      settings: await readFile(join(folder, 'rendered/handoff/argocd.health/configmap-argocd-cm.yaml'), 'utf8'),
      env: { ARGOCD_RECONCILIATION_TIMEOUT: '1s' },
    })
    watch = keepWatch()
    endAgents = watchKube(workload, '/apis/apps/v1/namespaces/kube-system/deployments', ({ object }) => {
      if (object.metadata.name === 'metrics-agent') agents.add(agentState(object))
    })
  }, 240_000)
  afterAll(async () => {
    watching = false
    endAgents()
    await watch
    await argocd?.close()
    await Promise.all([git, management, workload].map((server) => server?.close()))
  })

  /** The example's stack behind an image gate, and one cluster of it without an endpoint. */
  async function writeFleet(): Promise<void> {
    const stack = 'providers/docker/demo'
    await cp(join(project, 'examples/fleet', stack), join(folder, stack), { recursive: true })
    await write(`${stack}/cluster-addon/dns-cache/templates/namespace.yaml`, namespaceFile)
    await write('stackmason.yaml', fleetFile(`${git.url}/fleet.git`))
    await write('stacks/demo.yaml', stackFile)
    await write('clusters/team-a/web/cluster.yaml', clusterFile)
    makeRepository(join(served, 'fleet.git'))
    runGit('init', '-q')
  }

  function runGit(...words: readonly string[]): string {
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

  async function renderTree(): Promise<readonly string[]> {
    const options = { clusters: [], stacks: [], check: false, allowEmpty: true, overwriteEdited: false }
    const { steps = [] } = await render({ start: folder, ...options }, createNodePorts(), () => undefined)
    return steps.map(({ due }) => due.action)
  }

  /** Renders, commits and pushes; returns the commit and what was done. */
  async function commit(): Promise<{ readonly head: string; readonly steps: readonly string[] }> {
    const steps = await renderTree()
    runGit('add', '-A')
    runGit('commit', '-qm', 'a step')
    events.push(['commit', ...steps].join(' '))
    runGit('push', '-q', join(served, 'fleet.git'), 'HEAD:main')
    return { head: runGit('rev-parse', 'HEAD').trim(), steps }
  }

  /** Short words for what there is; a change of one is an event. */
  async function look(): Promise<Readonly<Record<string, string>>> {
    // what must come later is looked at first: then what it needs is seen no later than itself
    const agent = await workload.get(metrics)
    const addons = await workload.get(dnsCache)
    const live = await management.get(cluster)
    const applications = await management.list('argoproj.io/v1alpha1', 'Application', 'argocd')
    const classes = await management.list('cluster.x-k8s.io/v1beta2', 'ClusterClass', 'team-a')
    const gates = await management.list('stackmason.dev/v1alpha1', 'NodeImageGate', 'team-a')
    return {
      ...Object.fromEntries(gates.map(({ metadata }) => [`gate ${metadata.name}`, 'there'])),
      ...Object.fromEntries(classes.map(({ metadata }) => [`class ${metadata.name}`, 'there'])),
      ...Object.fromEntries(applications.map(({ metadata }) => [`unit ${metadata.name}`, 'there'])),
      Cluster: textOf(live, 'spec.topology.classRef.name') ?? 'absent',
      'addon dns-cache': addons === undefined ? 'absent' : (textOf(addons, 'data.mark') ?? 'old'),
      'addon metrics': agent === undefined ? 'absent' : (textOf(agent, 'metadata.labels.domain') ?? 'there'),
    }
  }

  async function keepWatch(): Promise<void> {
    const order = ['unit', 'gate', 'class', 'Cluster', 'addon']
    const rank = (key: string): number => order.findIndex((word) => key.startsWith(word))
    let before: Readonly<Record<string, string>> = {}
    while (watching) {
      const now = await look().catch(() => before)
      const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort((a, b) => rank(a) - rank(b))
      for (const key of keys) {
        const [was, is] = [before[key] ?? 'absent', now[key] ?? 'absent']
        if (was !== is) events.push(`${key}: ${is}`)
      }
      before = now
      await setTimeout(200)
    }
  }

  async function until(what: string, done: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + 60_000
    while (!(await done())) {
      if (performance.now() > end) {
        const applications = await management.list('argoproj.io/v1alpha1', 'Application', 'argocd')
        const states = applications.map(({ metadata, ...rest }) =>
          JSON.stringify([
            metadata.name,
            fieldOf(rest, 'status.sync.status'),
            fieldOf(rest, 'status.conditions'),
            fieldOf(rest, 'status.operationState.message'),
            rest['operation'],
          ]),
        )
        throw new Error(`not in time: ${what}; seen: ${events.join(', ')}\n${states.join('\n')}\n`)
      }
      await setTimeout(100)
    }
  }

  const untilSynced = (head: string, names: readonly string[]): Promise<void> =>
    until(`${names.join(', ')} synced`, async () => {
      const found = await Promise.all(names.map((name) => management.get(applicationReference(name))))
      return found.every((application) => isApplicationSynced(application, head))
    })

  /** The events so far of the kinds whose order is sure, once the watch has had time to see all that there is. */
  async function seen(): Promise<readonly string[]> {
    await setTimeout(700)
    const all = events
    events = []
    return all
  }

  const isAbsent = async (kube: Kube, reference: KubeReference): Promise<boolean> =>
    (await kube.get(reference)) === undefined

  /** What the controller says of an object of ours. */
  async function sayReady(reference: KubeReference): Promise<void> {
    const generation = fieldOf(await management.get(reference), 'metadata.generation')
    const condition = {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '',
      lastTransitionTime: new Date().toISOString(),
      observedGeneration: generation,
    }
    await management.applyStatus({
      ...reference,
      status: { observedGeneration: generation, conditions: [condition] },
    })
  }

  /** Writes the cluster Secret. */
  async function giveValues(values: Readonly<Record<string, string>>): Promise<void> {
    const secret = clusterSecret({ namespace: 'team-a', name: 'web' }, workload, values)
    expect(refusals(await management.apply([secret]))).toEqual([])
  }

  /** The manifest that docs/18-argocd.md tells people to apply, and the project that it names. */
  async function pointArgocdAtTree(): Promise<void> {
    const handoffProject = {
      ...applicationReference('default'),
      kind: 'AppProject',
      spec: {
        sourceRepos: ['*'],
        destinations: [{ namespace: '*', server: '*' }],
        clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      },
    }
    const application = {
      ...applicationReference('fleet'),
      spec: {
        project: 'default',
        source: { repoURL: `${git.url}/fleet.git`, targetRevision: 'main', path: 'rendered/handoff' },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'argocd' },
        syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['ServerSideApply=true'] },
      },
    }
    expect(refusals(await management.apply([handoffProject, application]))).toEqual([])
  }

  /** A step goes on where the one before it ended, as one commit follows another. */
  async function step(name: string, run: () => Promise<void>): Promise<void> {
    const start = performance.now()
    await run().catch((error: unknown) => {
      throw new Error(`in the step "${name}"`, { cause: error })
    })
    console.log(`${((performance.now() - start) / 1000).toFixed(1)} s: ${name}`)
  }

  const units = ['fleet', 'team-a.handoff', 'team-a.web.handoff', 'team-a.web.cluster', 'team-a.web.addons']

  test('follows the commits', async () => {
    await step('a new cluster: image gate, class, Cluster, and the addons once their values are there', async () => {
      const { head } = await commit()
      await pointArgocdAtTree()
      await until('the gate', async () => !(await isAbsent(management, gate('v3'))))
      // the gate holds the class back and nothing else: Cluster API makes nothing of a Cluster without its class
      await until('the Cluster', () => Promise.resolve(events.includes('Cluster: docker-demo-1-34-v3')))
      // longer than it takes to see a commit
      await setTimeout(1500)
      expect((await seen()).toSorted()).toEqual([
        'Cluster: docker-demo-1-34-v3',
        'commit',
        'gate docker-demo-1-34-v3: there',
        'unit fleet: there',
        'unit team-a.handoff: there',
        'unit team-a.stack.docker-demo-1-34-v3: there',
        'unit team-a.web.cluster: there',
        'unit team-a.web.handoff: there',
      ])
      await sayReady(gate('v3'))
      await until('the class', () => Promise.resolve(events.includes('class docker-demo-1-34-v3: there')))
      await until('the ApplicationSet', async () => !(await isAbsent(management, addonSet)))
      events.push('cluster Secret without values')
      await giveValues({})
      await until('an error', async () =>
        JSON.stringify(fieldOf(await management.get(addonSet), 'status.conditions')).includes(
          `no value for ${hostValue} yet`,
        ),
      )
      events.push('cluster Secret')
      await giveValues({ [hostValue]: '192.0.2.10' })
      await untilSynced(head, units)
      expect(await seen()).toEqual([
        'class docker-demo-1-34-v3: there',
        'cluster Secret without values',
        'cluster Secret',
        'unit team-a.web.addons: there',
        'addon dns-cache: old',
        'addon metrics: 192.0.2.10',
      ])
    })

    await step(
      'an upgrade: addons by the first commit, class by the second, the stack that is left goes by the third',
      async () => {
        await edit('stackmason.yaml', 'version: v3', 'version: v4')
        await edit('stacks/demo.yaml', '[v3]', '[v4]')
        await edit(
          'providers/docker/demo/cluster-addon/dns-cache/templates/configmap.yaml',
          /^data:$/m,
          'data:\n  mark: new',
        )
        await edit('clusters/team-a/web/cluster.yaml', 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
        await write(`${metricsChart}/overwrite.yaml`, metricsOverwrite)
        await write(`${metricsChart}/templates/monitor.yaml`, monitorFile)
        const first = await commit()
        expect(first.steps).toEqual(['addons'])
        await until('the gate', async () => !(await isAbsent(management, gate('v4'))))
        await sayReady(gate('v4'))
        await until('an error', async () =>
          JSON.stringify(fieldOf(await management.get(addonSet), 'status.conditions')).includes(
            'no value for CLUSTER_STATUS_PHASE yet',
          ),
        )
        await setTimeout(2500)
        // the content is there, its patches are not: nothing changes, and no placeholder is applied
        expect(events).not.toContain('addon dns-cache: new')
        expect([...agents]).toEqual([agentOf.v3])
        await giveValues({ [hostValue]: '192.0.2.10', CLUSTER_STATUS_PHASE: 'Provisioned' })
        await until('the agent of v4', () => Promise.resolve(agents.has(agentOf.v4)))
        await until('the DNS cache of v4', () => Promise.resolve(events.includes('addon dns-cache: new')))
        // an object whose kind is not there held nothing back
        expect(isApplicationSynced(await management.get(applicationReference('team-a.web.addons')), first.head)).toBe(
          false,
        )
        expect(refusals(await workload.apply([monitorCrd]))).toEqual([])
        await untilSynced(first.head, [...units, 'team-a.stack.docker-demo-1-34-v4'])
        for (const want of [['class'], []]) {
          const { head, steps: due } = await commit()
          expect(due).toEqual(want)
          await untilSynced(head, [...units, 'team-a.stack.docker-demo-1-34-v4'])
        }
        expect([...agents]).toEqual([agentOf.v3, agentOf.v4])
        const all = await seen()
        // stack and addons are Applications of their own: nothing orders one before the other
        const ofAddons = all.filter((event) => event.startsWith('addon'))
        expect(ofAddons).toEqual(['addon dns-cache: new'])
        expect(all.indexOf('addon dns-cache: new')).toBeLessThan(all.indexOf('commit class'))
        expect(all.filter((event) => !ofAddons.includes(event))).toEqual([
          'commit addons',
          'unit team-a.stack.docker-demo-1-34-v4: there',
          'gate docker-demo-1-34-v4: there',
          'class docker-demo-1-34-v4: there',
          'commit class',
          'Cluster: docker-demo-1-34-v4',
          'commit',
          'unit team-a.stack.docker-demo-1-34-v3: absent',
        ])
      },
    )

    await step(
      'an addon that is switched off goes, but for its namespace, and nothing waits; the last hole goes with it',
      async () => {
        await write('clusters/team-a/web/addons.yaml', addonsFile)
        const { head } = await commit()
        await untilSynced(head, units)
        expect(await isAbsent(workload, dnsDaemon)).toBe(true)
        expect(await isAbsent(workload, dnsNamespace)).toBe(false)
        // Argo CD keeps no record of definitions, so it never removes one
        expect(await isAbsent(workload, dnsCrd)).toBe(false)
        expect(await isAbsent(workload, metrics)).toBe(false)
        // the last hole went, too: the ApplicationSet left its place to an Application, and what runs did not notice
        expect(await isAbsent(management, addonSet)).toBe(true)
        expect([...agents]).toEqual([agentOf.v3, agentOf.v4])
        const all = await seen()
        expect(all.filter((event) => !event.startsWith('unit'))).toEqual(['commit', 'addon dns-cache: absent'])
      },
    )

    await step(
      'a cluster whose folder is deleted by mistake lives on with all that it runs, and is taken back',
      async () => {
        await remove('clusters')
        const uid = fieldOf(await management.get(cluster), 'metadata.uid')
        const { head } = await commit()
        await untilSynced(head, ['fleet', 'team-a.handoff'])
        await until('web.cluster gone', () => isAbsent(management, applicationReference('team-a.web.cluster')))
        await until('its Application gone', () => isAbsent(management, applicationReference('team-a.web.addons')))
        await until('the project gone', () => isAbsent(management, workloadProject))
        expect(fieldOf(await management.get(cluster), 'metadata.deletionTimestamp')).toBeUndefined()
        expect(await isAbsent(workload, metrics)).toBe(false)
        runGit('checkout', '-q', 'HEAD~1', '--', 'clusters')
        const restored = await commit()
        await untilSynced(restored.head, units)
        expect(fieldOf(await management.get(cluster), 'metadata.uid')).toBe(uid)
        const restoredEvents = await seen()
        expect(restoredEvents.filter((event) => !event.startsWith('unit'))).toEqual(['commit', 'commit'])
        expect(new Set(restoredEvents)).toEqual(
          new Set([
            'commit',
            ...['addons', 'cluster', 'handoff'].flatMap((unit) => [
              `unit team-a.web.${unit}: absent`,
              `unit team-a.web.${unit}: there`,
            ]),
          ]),
        )
      },
    )

    await step(
      'an Application that a person deletes comes back; asked to take its objects along, it waits with the Cluster',
      async () => {
        const unit = applicationReference('team-a.web.cluster')
        const uid = fieldOf(await management.get(cluster), 'metadata.uid')
        const first = fieldOf(await management.get(unit), 'metadata.uid')
        await management.remove(unit)
        await until('it is back', async () => {
          const now = fieldOf(await management.get(unit), 'metadata.uid')
          return now !== undefined && now !== first
        })
        const second = fieldOf(await management.get(unit), 'metadata.uid')
        await untilSynced(runGit('rev-parse', 'HEAD').trim(), units)
        const finalizers = ['resources-finalizer.argocd.argoproj.io']
        await management.apply([{ ...unit, metadata: { ...unit.metadata, finalizers } }], { fieldManager: 'person' })
        await management.remove(unit)
        await setTimeout(2500)
        expect(fieldOf(await management.get(unit), 'metadata.deletionTimestamp')).toBeDefined()
        expect(fieldOf(await management.get(cluster), 'metadata.deletionTimestamp')).toBeUndefined()
        await management.apply([{ ...unit, metadata: { ...unit.metadata, finalizers: [] } }], {
          fieldManager: 'person',
        })
        await until('it is back', async () => {
          const now = fieldOf(await management.get(unit), 'metadata.uid')
          return now !== undefined && now !== second
        })
        expect(fieldOf(await management.get(cluster), 'metadata.uid')).toBe(uid)
        await untilSynced(runGit('rev-parse', 'HEAD').trim(), units)
        expect(await seen()).toEqual(
          ['absent', 'there', 'absent', 'there'].map((state) => `unit team-a.web.cluster: ${state}`),
        )
      },
    )

    await step('a decommission deletes the Cluster at the step that allows it, and what it runs never', async () => {
      for (const [step, synced] of [
        ['prepare', ['fleet', 'team-a.handoff', 'team-a.web.handoff', 'team-a.web.cluster']],
        ['delete', ['fleet', 'team-a.handoff', 'team-a.web.handoff', 'team-a.web.cluster']],
        ['finish', ['fleet', 'team-a.handoff', 'team-a.web.handoff', 'team-a.web.cluster']],
        ['finish', ['fleet', 'team-a.handoff']],
      ] as const) {
        await write('clusters/team-a/web/options.yaml', decommission(step))
        const { head } = await commit()
        await untilSynced(head, synced)
      }
      await until('the record is gone', () => isAbsent(management, named('v1', 'ConfigMap', 'web-decommission')))
      await until('the project gone', () => isAbsent(management, workloadProject))
      expect(await isAbsent(management, named('stackmason.dev/v1alpha1', 'RuntimeValues', 'web'))).toBe(true)
      expect(await isAbsent(workload, metrics)).toBe(false)
      expect(await seen()).toEqual([
        'commit prepare',
        'commit delete',
        'Cluster: absent',
        'commit release',
        'unit team-a.web.addons: absent',
        'commit remove',
        'unit team-a.web.cluster: absent',
        'unit team-a.web.handoff: absent',
      ])
    })
  })
})
