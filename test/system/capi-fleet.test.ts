import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { bootstrapHealth } from '../../src/handoff/gates/health-exprs.ts'
import { clusterFaults } from '../../tools/fleets/cluster-faults.ts'
import { exampleFleet, handoffs } from '../../tools/fleets/example-fleet.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { hasCapi, startCapi, type Capi } from '../../tools/servers/capi.ts'
import { waitFor } from '../../tools/servers/flux.ts'
import { playInfrastructure, type InfrastructurePlayer } from '../../tools/servers/infrastructure-player.ts'
import { bootMachine, giveAuthority, giveKubeconfig } from '../../tools/servers/kubeadm-player.ts'
import { createKubeClient, fieldOf, parseObjects, refusals, type KubeObject } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import { argoHealth } from '../handoff/gates/argo-health.ts'
import { fluxHealth } from '../handoff/gates/flux-health.ts'
import { readScript } from '../handoff/gates/rows.ts'
import { classRows } from '../check/invalid-class-rows.ts'
import { tempFolder, tempFolderForFile } from '../support/temp-folder.ts'

const v1beta2 = 'cluster.x-k8s.io/v1beta2'
const controlPlaneVersion = 'controlplane.cluster.x-k8s.io/v1beta2'
const bootstrapVersion = 'bootstrap.cluster.x-k8s.io/v1beta2'
const infrastructureVersion = 'infrastructure.cluster.x-k8s.io/v1beta2'

const clusterAt = (namespace: string, name: string): KubeObject => ({
  apiVersion: v1beta2,
  kind: 'Cluster',
  metadata: { namespace, name },
})
const [web, edge, batch] = [
  clusterAt('team-a', 'web'),
  clusterAt('team-a', 'edge'),
  clusterAt('team-b', 'batch'),
] as const

const demoClass = {
  apiVersion: v1beta2,
  kind: 'ClusterClass',
  metadata: { name: 'docker-demo-1-34-v3', namespace: 'platform' },
}

/** Of what is rendered, the objects of Cluster API and its providers. */
function rendered(fleet: FleetFolder, folder: string): readonly KubeObject[] {
  return fleet
    .filesBelow(folder)
    .flatMap((file) => parseObjects(fleet.read(`${folder}/${file}`)))
    .filter(({ apiVersion }) => apiVersion.includes('cluster.x-k8s.io/'))
}

/** Whether a condition says so of the object as it stands. */
const isTrue =
  (type: string) =>
  (object: KubeObject | undefined): boolean => {
    const conditions = fieldOf(object, 'status.conditions')
    const generation = fieldOf(object, 'metadata.generation')
    return (
      Array.isArray(conditions) &&
      conditions.some(
        (condition: unknown) =>
          fieldOf(condition, 'type') === type &&
          fieldOf(condition, 'status') === 'True' &&
          fieldOf(condition, 'observedGeneration') === generation,
      )
    )
  }

const controlPlaneRef = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta1',
  kind: 'KubeadmControlPlane',
  name: 'lab',
}

function pausedCluster(name: string, spec: object): KubeObject {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta1',
    kind: 'Cluster',
    metadata: { name, namespace: 'default' },
    spec: { paused: true, ...spec },
  }
}

describe.runIf(hasKube('controllerManager') && hasCapi())('a fleet under the real Cluster API', () => {
  const folder = tempFolderForFile()
  let kube: Kube
  let workload: Kube
  let capi: Capi | undefined
  let player: InfrastructurePlayer | undefined
  let fleet: FleetFolder
  /** Set when the load balancers are there. */
  let endpoint: { readonly host: string; readonly port: number } | undefined

  beforeAll(async () => {
    ;[kube, workload] = await Promise.all([startKube({ controllerManager: true }), startKube()])
    capi = await startCapi(kube)
    player = await playInfrastructure(kube, {
      provider: 'Docker',
      contracts: ['v1beta1', 'v1beta2'],
      endpointOf: () => endpoint,
      onMachine: (machine) => bootMachine(workload, machine),
    })
    await kube.createNamespaces(['platform', 'team-a', 'team-b'])
    fleet = exampleFleet(folder, { handoff: [handoffs.flux] })
    await fleet.render()
  })
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.log(capi?.log().slice(-5000))
  })
  afterAll(async () => {
    await player?.close()
    await capi?.close()
    await Promise.all([kube?.close(), workload?.close()])
  })

  test('has classes of both API versions that its webhooks take', async () => {
    const objects = rendered(fleet, 'rendered/stacks')
    const classes = objects.filter(({ kind }) => kind === 'ClusterClass')
    expect(classes.map(({ apiVersion, metadata }) => `${apiVersion} ${metadata.name}`)).toEqual([
      'cluster.x-k8s.io/v1beta1 docker-classic-1-33-v1',
      'cluster.x-k8s.io/v1beta2 docker-demo-1-34-v3',
    ])
    expect(refusals(await kube.apply(objects))).toEqual([])
    for (const item of classes)
      await waitFor(kube, { ...item, apiVersion: v1beta2 }, { until: isTrue('VariablesReady') })
  })

  test('has clusters whose topology it reconciles', async () => {
    const objects = rendered(fleet, 'rendered/clusters')
    expect(objects.map(({ apiVersion, metadata }) => `${apiVersion} ${metadata.name}`)).toEqual([
      'cluster.x-k8s.io/v1beta2 edge',
      'cluster.x-k8s.io/v1beta2 web',
      'cluster.x-k8s.io/v1beta1 batch',
    ])
    for (const { metadata } of objects)
      await giveAuthority(kube, { namespace: metadata.namespace ?? '', name: metadata.name }, workload)
    expect(refusals(await kube.apply(objects))).toEqual([])
    for (const cluster of [web, edge, batch]) await waitFor(kube, cluster, { until: isTrue('TopologyReconciled') })
    const deployments = await kube.list(v1beta2, 'MachineDeployment')
    expect(
      deployments
        .map((item) => `${String(fieldOf(item, 'spec.clusterName'))} ${String(fieldOf(item, 'spec.replicas'))}`)
        .sort(),
    ).toEqual(['batch 2', 'edge 1', 'web 4'])
    const planes = await kube.list(controlPlaneVersion, 'KubeadmControlPlane')
    expect(
      planes.map((item) => `${item.metadata.name.split('-')[0] ?? ''} ${String(fieldOf(item, 'spec.version'))}`).sort(),
    ).toEqual(['batch v1.33.5', 'edge v1.34.7', 'web v1.34.7'])
  })

  test('has templates of machines as its classes and variables say', async () => {
    const machines = await kube.list(infrastructureVersion, 'DockerMachineTemplate', 'team-a')
    expect(machines.map((item) => fieldOf(item, 'spec.template.spec'))).toEqual(
      // of the control plane and the workers of two clusters
      Array.from({ length: 4 }, () => ({
        customImage: 'kindest/node:v1.34.7',
        extraMounts: [{ containerPath: '/var/run/docker.sock', hostPath: '/var/run/docker.sock' }],
      })),
    )
    const configs = await kube.list(bootstrapVersion, 'KubeadmConfigTemplate', 'team-a')
    expect(configs.map((item) => fieldOf(item, 'spec.template.spec.files'))).toEqual(
      Array.from({ length: 2 }, () => [
        {
          path: '/etc/containerd/certs.d/_default/hosts.toml',
          content: '[host."https://mirror.example.com"]\n  capabilities = ["pull", "resolve"]\n',
        },
      ]),
    )
  })

  test('is refused variables of a wrong type, or that the class does not know', async () => {
    const [manifest] = rendered(fleet, 'rendered/clusters/team-a/edge/cluster')
    const withVariable = (variable: object): KubeObject => ({
      ...edge,
      spec: {
        ...Object(manifest?.['spec']),
        topology: { ...Object(fieldOf(manifest, 'spec.topology')), variables: [variable] },
      },
    })
    const wrong = [withVariable({ name: 'registryMirror', value: 5 }), withVariable({ name: 'mirror', value: 'x' })]
    const start =
      'cluster.x-k8s.io/v1beta2 Cluster team-a/edge: admission webhook "default.cluster.cluster.x-k8s.io" denied the request: Cluster.cluster.x-k8s.io "edge" is invalid: spec.topology.variables'
    expect(refusals(await kube.apply(wrong))).toEqual([
      `${start}[registryMirror].value: Invalid value: "5": must be of type string: "integer"`,
      `${start}[mirror]: Invalid value: "\\"x\\"": variable is not defined`,
    ])
  })

  // what is said of them without a server: test/sources/fleet/judge-cluster-fields.test.ts
  test.each(clusterFaults)('judges $name', async ({ cluster, says }) => {
    const [answer] = await kube.apply(cluster, { dryRun: true })
    expect(answer?.ok).toBe(says.length === 0)
  })

  // what `check` says of it: test/check/class-variables.test.ts
  test('is refused health checks that neither it nor its class describes', async () => {
    const checked = clusterFaults[0]?.cluster.replace('replicas: 1', 'replicas: 1, healthCheck: {enabled: true}') ?? ''
    const [answer] = await kube.apply(checked, { dryRun: true })
    expect(fieldOf(answer?.body, 'message')).toContain('healthCheck definition is not available')
    const described = checked.replace(
      'enabled: true',
      'enabled: true, remediation: {triggerIf: {unhealthyInRange: "[1-2]"}}',
    )
    expect(refusals(await kube.apply(described, { dryRun: true }))).toEqual([])
  })

  test('keeps a class that clusters are of', async () => {
    const message = 'admission webhook "validation.clusterclass.cluster.x-k8s.io" denied the request'
    await expect(kube.remove(demoClass)).rejects.toThrow(message)
  })

  test('gets an endpoint, then a control plane', async () => {
    await giveKubeconfig(kube, { namespace: 'team-b', name: 'batch' }, workload)
    expect(fieldOf(await kube.get(edge), 'spec.controlPlaneEndpoint')).toBeUndefined()
    endpoint = { host: '127.0.0.1', port: Number(new URL(workload.url).port) }
    // the condition InfrastructureReady is true a moment before it
    const hasEndpoint = (object: KubeObject | undefined): boolean =>
      fieldOf(object, 'spec.controlPlaneEndpoint.host') === endpoint?.host
    for (const cluster of [edge, batch]) await waitFor(kube, cluster, { until: hasEndpoint })
    // here, too, Cluster API writes its conditions first, and other fields by a second request
    await waitFor(kube, batch, {
      until: (object) => fieldOf(object, 'status.initialization.controlPlaneInitialized') === true,
    })
    expect(isTrue('ControlPlaneInitialized')(await kube.get(batch))).toBe(true)
    // one server stands for the clusters of all: a machine of another may have left the settings that say so
    const clustersOfNodes = async (): Promise<readonly unknown[]> =>
      (await workload.list('v1', 'Node')).map(({ metadata }) => metadata.name.split('-')[0])
    await expect.poll(clustersOfNodes, { timeout: 30_000 }).toContain('batch')
    expect(player?.problems()).toEqual([])
  })

  test.for(['v1beta1', 'v1beta2'])(
    'passes the gate of its addons once it is initialized, read as %s',
    async (version) => {
      const script = readScript('cluster.x-k8s.io_Cluster')
      const judge = async (cluster: KubeObject): Promise<readonly string[]> => {
        const object = await kube.get({ ...cluster, apiVersion: `cluster.x-k8s.io/${version}` })
        const gates = bootstrapHealth().map((gate) => fluxHealth(gate, object ?? {}))
        return [...gates, (await argoHealth(script, object ?? {})).status]
      }
      // nobody answers at the endpoint that this one is given
      expect(await judge(web)).toEqual(['inProgress', 'Progressing'])
      expect(await judge(batch)).toEqual(['current', 'Healthy'])
    },
  )

  test('gets a kubeconfig of its control plane that leads into its cluster', async () => {
    const name = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'team-a', name: 'edge-kubeconfig' } }
    const secret = await waitFor(kube, name, { until: (object) => object !== undefined })
    expect(secret).toMatchObject({
      type: 'cluster.x-k8s.io/secret',
      metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'edge' } },
    })
    const config = parse(Buffer.from(String(fieldOf(secret, 'data.value')), 'base64').toString()) as unknown
    const decode = (path: string): string => Buffer.from(String(fieldOf(config, path)), 'base64').toString()
    const { request, closeConnections } = createKubeClient(String(fieldOf(config, 'clusters.0.cluster.server')), {
      ca: decode('clusters.0.cluster.certificate-authority-data'),
      admin: { cert: decode('users.0.user.client-certificate-data'), key: decode('users.0.user.client-key-data') },
    })
    onTestFinished(closeConnections)
    expect(await request('GET', '/api/v1/namespaces/kube-system')).toMatchObject({ status: 200 })
  })

  test(
    'moves to the next release of its stack, after which the class of the last one may go',
    { timeout: 180_000 },
    async () => {
      const next = exampleFleet(await tempFolder(), {
        clusters: ['team-a/web', 'team-a/edge'],
        handoff: [handoffs.flux],
      })
      next.edit('stackmason.yaml', 'version: v3', 'version: v4')
      next.edit('stacks/demo.yaml', '- v3', '- v4')
      for (const { metadata } of [web, edge])
        next.edit(`clusters/team-a/${metadata.name}/cluster.yaml`, 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
      await next.render()
      const stack = rendered(next, 'rendered/stacks')
      expect(refusals(await kube.apply(stack))).toEqual([])
      const [newClass] = stack.filter(({ kind }) => kind === 'ClusterClass')
      if (newClass === undefined) throw new Error('no class')
      await waitFor(kube, newClass, { until: isTrue('VariablesReady') })
      expect(refusals(await kube.apply(rendered(next, 'rendered/clusters')))).toEqual([])
      for (const cluster of [web, edge])
        await waitFor(kube, cluster, {
          until: (object) =>
            fieldOf(object, 'spec.topology.classRef.name') === newClass.metadata.name &&
            isTrue('TopologyReconciled')(object),
          // Cluster API tries again after longer and longer pauses
          timeout: 120_000,
        })
      await kube.remove(demoClass)
      expect(await kube.get(demoClass)).toBeUndefined()
    },
  )

  test('is at a Cluster API that converts between its versions', async () => {
    const object = pausedCluster('converted', { controlPlaneRef })
    expect(refusals(await kube.apply([object]))).toEqual([])
    const stored = await kube.get({ ...object, apiVersion: 'cluster.x-k8s.io/v1beta2' })
    expect(fieldOf(stored, 'spec.controlPlaneRef')).toEqual({
      apiGroup: 'controlplane.cluster.x-k8s.io',
      kind: 'KubeadmControlPlane',
      name: 'lab',
    })
  })

  test('is at a Cluster API that refuses what its webhooks refuse', async () => {
    const object = pausedCluster('refused', { controlPlaneRef, clusterNetwork: { pods: { cidrBlocks: ['10.0.0.0'] } } })
    expect(refusals(await kube.apply([object]))).toEqual([
      'cluster.x-k8s.io/v1beta1 Cluster default/refused: admission webhook "validation.cluster.cluster.x-k8s.io" denied the request: ' +
        'Cluster.cluster.x-k8s.io "refused" is invalid: spec.clusterNetwork.pods.cidrBlocks[0]: Invalid value: "10.0.0.0": invalid CIDR address: 10.0.0.0',
    ])
  })

  test('refuses the classes that check refuses, and no others', async () => {
    const verdicts = await Promise.all(
      classRows.map(async ([what, template, ...found]) => {
        const text = template
          .replace('{{ .Release.Name }}-{{ .Chart.Version }}', 'lab, namespace: platform')
          .replace(/\{\{`([^`]*)`\}\}/g, '$1')
        const refused = refusals(await kube.apply(parseObjects(text), { dryRun: true }))
        return { what, isRefused: refused.length > 0, isFound: found.length > 0 }
      }),
    )
    expect(verdicts.filter(({ isRefused, isFound }) => isRefused !== isFound)).toEqual([])
    expect(verdicts.filter(({ isRefused }) => isRefused).length).toBeGreaterThan(40)
  })
})
