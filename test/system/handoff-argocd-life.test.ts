import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServedFleet } from '../../tools/fleets/served-fleet.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import {
  applicationReference,
  clusterSecret,
  defaultProject,
  hasArgocd,
  isApplicationSynced,
  refreshApplications,
  rootApplication,
  startArgocd,
  type Argocd,
} from '../../tools/servers/argocd.ts'
import { EventLog, startLifeClusters, step, type LifeClusters, type Look } from '../../tools/servers/cluster-life.ts'
import { makeRepository, startGitServer, type GitServer } from '../../tools/servers/git-server.ts'
import { fieldOf, refusals, type KubeObject, type KubeReference } from '../../tools/servers/kube-client.ts'
import { watchKube } from '../../tools/servers/kube-watch.ts'
import { hasKube, type Kube } from '../../tools/servers/kube.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'

const shared = sharedFolder() ?? ''
if (shared === '') console.warn('SKIPPED: the life of a cluster under the real Argo CD: no ../shared')

const project = join(import.meta.dirname, '../..')

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
/** Of a kind that only the Cluster has beside it, and only the stack. */
const role = named('rbac.authorization.k8s.io/v1', 'ClusterRole', 'web-audit', '')
const binding = named('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'stack-audit', '')
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
/** A further placeholder, one whose value is not there yet, and one in front of a list, so that what follows moves. */
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
/** Supplies what were placeholders, and switches an addon off. */
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
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: web-audit}
rules: []
`
const bindingFile = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: stack-audit}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: Group, apiGroup: rbac.authorization.k8s.io, name: auditors}]
`

const decommission = (step: string): string =>
  `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {decommission: {step: ${step}}}\n`

/** What of the addon with placeholders differs from commit to commit. */
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
  const served = tempFolderForFile()
  const fleet = new ServedFleet(tempFolderForFile(), join(served, 'fleet.git'))
  let clusters: LifeClusters
  let management: Kube
  let workload: Kube
  let argocd: Argocd | undefined
  let git: GitServer
  let events: EventLog
  let endAgents = (): void => undefined
  /** Every state of the addon with placeholders that the workload API server stored. */
  const agents = new Set<string>()

  beforeAll(async () => {
    git = await startGitServer(served)
    clusters = await startLifeClusters(shared, { controllerManager: true, crds: [join(project, 'templates/crds')] })
    ;({ management, workload } = clusters)
    writeFleet()
    // the health checks are applied by hand, once, before anything else
    await fleet.render()
    argocd = await startArgocd(management, {
      settings: fleet.read('rendered/handoff/argocd.health/configmap-argocd-cm.yaml'),
      // it hears of each commit: looking for one all the time was most of what the servers did
      env: { ARGOCD_RECONCILIATION_TIMEOUT: '15s' },
    })
    const follow = [
      [workload, ['/api/v1/namespaces/kube-system/configmaps', '/apis/apps/v1/namespaces/kube-system/deployments']],
      [
        management,
        [
          '/apis/cluster.x-k8s.io/v1beta2/clusters',
          '/apis/cluster.x-k8s.io/v1beta2/clusterclasses',
          '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications',
          '/apis/stackmason.dev/v1alpha1/nodeimagegates',
        ],
      ],
    ] as const
    const order = ['unit', 'gate', 'class', 'Cluster', 'addon']
    events = new EventLog(look, { follow, order, state: statesOfApplications })
    endAgents = watchKube(workload, '/apis/apps/v1/namespaces/kube-system/deployments', ({ object }) => {
      if (object.metadata.name === 'metrics-agent') agents.add(agentState(object))
    })
  }, 240_000)
  afterAll(async () => {
    endAgents()
    await events?.close()
    await argocd?.close()
    await Promise.all([git?.close(), clusters?.close()])
  })

  /** The example's stack behind an image gate, and one cluster of it without an endpoint. */
  function writeFleet(): void {
    const stack = 'providers/docker/demo'
    fleet.copy(join(project, 'examples/fleet', stack), stack)
    fleet.change({
      [`${stack}/cluster-addon/dns-cache/templates/namespace.yaml`]: namespaceFile,
      'stackmason.yaml': fleetFile(`${git.url}/fleet.git`),
      'stacks/demo.yaml': stackFile,
      'clusters/team-a/web/cluster.yaml': clusterFile,
    })
    makeRepository(join(served, 'fleet.git'))
    fleet.git('init', '-q')
  }

  /** Renders, commits, pushes and tells Argo CD; returns the commit and what was done. */
  const commit = async (): ReturnType<ServedFleet['step']> => {
    const pushed = await fleet.step((steps) => {
      events.note(['commit', ...steps].join(' '))
    })
    await refreshApplications(management)
    return pushed
  }

  /** The same, but what the AppProjects permit arrives before any other Application sees the commit. */
  const commitProjectsFirst = async (): ReturnType<ServedFleet['step']> => {
    const pushed = await fleet.step((steps) => {
      events.note(['commit', ...steps].join(' '))
    })
    await refreshApplications(management, (name) => name === 'fleet')
    await untilSynced(pushed.head, ['fleet'])
    await refreshApplications(management)
    return pushed
  }

  /** Looks again, and longer than Argo CD takes for that: what has not happened then does not. */
  async function waitInVain(milliseconds: number): Promise<void> {
    await refreshApplications(management)
    await setTimeout(milliseconds)
  }

  const look: Look = async () => {
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

  async function statesOfApplications(): Promise<string> {
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
    return states.join('\n')
  }

  const until: EventLog['until'] = (what, done) => events.until(what, done)

  const untilSynced = (head: string, names: readonly string[]): Promise<void> =>
    until(`${names.join(', ')} synced`, async () => {
      const found = await Promise.all(names.map((name) => management.get(applicationReference(name))))
      return found.every((application) => isApplicationSynced(application, head))
    })

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

  const units = ['fleet', 'team-a.handoff', 'team-a.web.handoff', 'team-a.web.cluster', 'team-a.web.addons']

  test('follows the commits', async () => {
    await step('a new cluster: image gate, class, Cluster, and the addons once their values are there', async () => {
      const { head } = await commit()
      const applied = await management.apply([defaultProject, rootApplication('fleet', `${git.url}/fleet.git`)])
      expect(refusals(applied)).toEqual([])
      await until('the gate', async () => !(await isAbsent(management, gate('v3'))))
      // the gate holds the class back and nothing else: Cluster API makes nothing of a Cluster without its class
      await until('the Cluster', () => events.has('Cluster: docker-demo-1-34-v3'))
      await waitInVain(1500)
      expect((await events.take()).toSorted()).toEqual([
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
      await until('the class', () => events.has('class docker-demo-1-34-v3: there'))
      await until('the ApplicationSet', async () => !(await isAbsent(management, addonSet)))
      events.note('cluster Secret without values')
      await giveValues({})
      await until('an error', async () =>
        JSON.stringify(fieldOf(await management.get(addonSet), 'status.conditions')).includes(
          `no value for ${hostValue} yet`,
        ),
      )
      events.note('cluster Secret')
      await giveValues({ [hostValue]: '192.0.2.10' })
      await untilSynced(head, units)
      expect(await events.take()).toEqual([
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
        fleet.edit('stackmason.yaml', 'version: v3', 'version: v4')
        fleet.edit('stacks/demo.yaml', '[v3]', '[v4]')
        fleet.edit(
          'providers/docker/demo/cluster-addon/dns-cache/templates/configmap.yaml',
          /^data:$/m,
          'data:\n  mark: new',
        )
        fleet.edit('clusters/team-a/web/cluster.yaml', 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
        fleet.write(`${metricsChart}/overwrite.yaml`, metricsOverwrite)
        fleet.write(`${metricsChart}/templates/monitor.yaml`, monitorFile)
        const first = await commit()
        expect(first.steps).toEqual(['addons'])
        await until('the gate', async () => !(await isAbsent(management, gate('v4'))))
        await sayReady(gate('v4'))
        await until('an error', async () =>
          JSON.stringify(fieldOf(await management.get(addonSet), 'status.conditions')).includes(
            'no value for CLUSTER_STATUS_PHASE yet',
          ),
        )
        await waitInVain(2500)
        // the content is there, its patches are not: nothing changes, and no placeholder is applied
        expect(events.has('addon dns-cache: new')).toBe(false)
        expect([...agents]).toEqual([agentOf.v3])
        await giveValues({ [hostValue]: '192.0.2.10', CLUSTER_STATUS_PHASE: 'Provisioned' })
        await until('the agent of v4', () => agents.has(agentOf.v4))
        await until('the DNS cache of v4', () => events.has('addon dns-cache: new'))
        // an object whose kind is not there held nothing back
        expect(isApplicationSynced(await management.get(applicationReference('team-a.web.addons')), first.head)).toBe(
          false,
        )
        expect(refusals(await workload.apply([monitorCrd]))).toEqual([])
        await refreshApplications(management)
        await untilSynced(first.head, [...units, 'team-a.stack.docker-demo-1-34-v4'])
        for (const want of [['class'], []]) {
          const { head, steps: due } = await commit()
          expect(due).toEqual(want)
          await untilSynced(head, [...units, 'team-a.stack.docker-demo-1-34-v4'])
        }
        expect([...agents]).toEqual([agentOf.v3, agentOf.v4])
        const all = await events.take()
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
      'an addon that is switched off goes, but for its namespace, and nothing waits; the last placeholder goes with it',
      async () => {
        fleet.write('clusters/team-a/web/addons.yaml', addonsFile)
        const { head } = await commit()
        await untilSynced(head, units)
        expect(await isAbsent(workload, dnsDaemon)).toBe(true)
        expect(await isAbsent(workload, dnsNamespace)).toBe(false)
        // Argo CD keeps no record of definitions, so it never removes one
        expect(await isAbsent(workload, dnsCrd)).toBe(false)
        expect(await isAbsent(workload, metrics)).toBe(false)
        // the last placeholder went, too: the ApplicationSet left its place to an Application, and what runs did not
        // notice
        expect(await isAbsent(management, addonSet)).toBe(true)
        expect([...agents]).toEqual([agentOf.v3, agentOf.v4])
        const all = await events.take()
        expect(all.filter((event) => !event.startsWith('unit'))).toEqual(['commit', 'addon dns-cache: absent'])
      },
    )

    await step('the last object of a cluster-scoped kind that leaves a stack is pruned', async () => {
      const file = 'providers/docker/demo/cluster-class/templates/audit.yaml'
      const ofStack = ['fleet', 'team-a.handoff', 'team-a.stack.docker-demo-1-34-v4']
      fleet.write(file, bindingFile)
      await untilSynced((await commit()).head, ofStack)
      expect(await isAbsent(management, binding)).toBe(false)
      fleet.remove(file)
      await untilSynced((await commitProjectsFirst()).head, ofStack)
      await until('the binding is gone', () => isAbsent(management, binding))
      expect(await events.take()).toEqual(['commit', 'commit'])
    })

    await step(
      'a cluster whose folder is deleted by mistake lives on with all that it runs, and is taken back',
      async () => {
        fleet.remove('clusters')
        const uid = fieldOf(await management.get(cluster), 'metadata.uid')
        const { head } = await commit()
        await untilSynced(head, ['fleet', 'team-a.handoff'])
        await until('web.cluster gone', () => isAbsent(management, applicationReference('team-a.web.cluster')))
        await until('its Application gone', () => isAbsent(management, applicationReference('team-a.web.addons')))
        await until('the project gone', () => isAbsent(management, workloadProject))
        expect(fieldOf(await management.get(cluster), 'metadata.deletionTimestamp')).toBeUndefined()
        expect(await isAbsent(workload, metrics)).toBe(false)
        fleet.git('checkout', '-q', 'HEAD~1', '--', 'clusters')
        const restored = await commit()
        await untilSynced(restored.head, units)
        expect(fieldOf(await management.get(cluster), 'metadata.uid')).toBe(uid)
        const restoredEvents = await events.take()
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
        await untilSynced(fleet.git('rev-parse', 'HEAD'), units)
        const finalizers = ['resources-finalizer.argocd.argoproj.io']
        await management.apply([{ ...unit, metadata: { ...unit.metadata, finalizers } }], { fieldManager: 'person' })
        await management.remove(unit)
        await waitInVain(2500)
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
        await untilSynced(fleet.git('rev-parse', 'HEAD'), units)
        expect(await events.take()).toEqual(
          ['absent', 'there', 'absent', 'there'].map((state) => `unit team-a.web.cluster: ${state}`),
        )
      },
    )

    await step('a decommission deletes the Cluster at the step that allows it, and what it runs never', async () => {
      expect(await isAbsent(management, role)).toBe(false)
      for (const [asked, synced] of [
        ['prepare', ['fleet', 'team-a.handoff', 'team-a.web.handoff', 'team-a.web.cluster']],
        ['delete', ['fleet', 'team-a.handoff', 'team-a.web.handoff', 'team-a.web.cluster']],
        ['finish', ['fleet', 'team-a.handoff', 'team-a.web.handoff', 'team-a.web.cluster']],
        ['finish', ['fleet', 'team-a.handoff']],
      ] as const) {
        fleet.write('clusters/team-a/web/options.yaml', decommission(asked))
        const { head } = await commitProjectsFirst()
        await untilSynced(head, synced)
      }
      await until('the record is gone', () => isAbsent(management, named('v1', 'ConfigMap', 'web-decommission')))
      await until('the project gone', () => isAbsent(management, workloadProject))
      expect(await isAbsent(management, named('stackmason.dev/v1alpha1', 'RuntimeValues', 'web'))).toBe(true)
      expect(await isAbsent(management, role)).toBe(true)
      expect(await isAbsent(workload, metrics)).toBe(false)
      expect(await events.take()).toEqual([
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
