import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Ports } from '../../src/model/ports.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { exampleFleet, handoffs } from '../../tools/fleets/example-fleet.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { fieldOf, type KubeReference, refusals } from '../../tools/servers/kube-client.ts'
import { hasKube, type Kube, startKube } from '../../tools/servers/kube.ts'
import { makeWebCertificates } from '../../tools/servers/web-certificates.ts'
import { type CliRun, runCli } from '../cli/run-cli.ts'
import { base64, kubeconfig } from '../controller/workload-cluster/kubeconfigs.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'
import { definition, installKinds } from './controller-world.ts'

const head = 'CLUSTER      RELEASE              KUBERNETES  STEP  READY  UNITS  VALUES\n'
const stackHead = '\nRELEASE              NAMESPACE  READY  UNITS  IMAGES  CLUSTERS\n'
const files = '\nThere is no commit with a tree: the files on disk are compared with the cluster.\n'
const allReady = `${head}team-a/edge  docker-demo-1-34-v3  v1.34.7     -     yes    2/2    ready
${stackHead}docker-demo-1-34-v3  platform   yes    1/1    -       1
${files}`

const units = [
  ['team-a', 'edge'],
  ['team-a', 'edge-addons'],
  ['platform', 'stack-docker-demo-1-34-v3'],
] as const
const FLUX = 'kustomize.toolkit.fluxcd.io/v1'
const CAPI = 'cluster.x-k8s.io/v1beta2'
const OWN = 'stackmason.dev/v1alpha1'

/** Time that passes fifty times as fast; `meanwhile` happens between two looks. */
function fastPorts(meanwhile: () => Promise<void>): Ports {
  const ports = createNodePorts()
  const { clock } = ports
  return {
    ...ports,
    clock: {
      ...clock,
      sleep: async (pause, signal) => {
        if (pause === 5000) await meanwhile()
        await clock.sleep(pause / 50, signal)
      },
    },
  }
}

describe.runIf(hasKube())('stackmason status on a real API server', () => {
  let kube: Kube
  let fleet: FleetFolder

  let meanwhile = async (): Promise<void> => undefined
  const status = async (...words: readonly string[]): Promise<CliRun> =>
    runCli(['status', '--kubeconfig', kube.kubeconfig, ...words], {
      cwd: fleet.path(''),
      ports: fastPorts(async () => meanwhile()),
    })

  /** As somebody else, or somewhere else. */
  const statusBy = async (given: Parameters<typeof kubeconfig>[0]): Promise<CliRun> => {
    fleet.write('kubeconfig.yaml', kubeconfig(given))
    return runCli(['status', '--kubeconfig', 'kubeconfig.yaml'], { cwd: fleet.path('') })
  }

  /** A user who may list these kinds everywhere, or in one namespace. */
  const somebody = async (
    name: string,
    kinds: readonly { readonly namespace?: string; readonly resources: readonly string[] }[],
  ): Promise<Parameters<typeof kubeconfig>[0]> => {
    const apiVersion = 'rbac.authorization.k8s.io/v1'
    const subjects = [{ kind: 'ServiceAccount', name, namespace: 'default' }]
    const objects = kinds.flatMap(({ namespace, resources }) => {
      const metadata = { name, ...(namespace !== undefined && { namespace }) }
      const [kind, binding] = namespace === undefined ? ['ClusterRole', 'ClusterRoleBinding'] : ['Role', 'RoleBinding']
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name }
      return [
        { apiVersion, kind, metadata, rules: [{ apiGroups: ['*'], resources, verbs: ['list'] }] },
        { apiVersion, kind: binding, metadata, roleRef, subjects },
      ]
    })
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'default' } }
    expect(refusals(await kube.apply([account, ...objects]))).toEqual([])
    const { body } = await kube.request('POST', `/api/v1/namespaces/default/serviceaccounts/${name}/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    })
    return {
      cluster: { server: kube.url, 'certificate-authority-data': base64(kube.ca) },
      user: { token: String(fieldOf(body, 'status.token')) },
    }
  }

  /** Says of an object what its controller would. */
  const say = async ({ apiVersion, kind, metadata }: KubeReference, stated: object): Promise<void> => {
    const generation = Number(fieldOf(await kube.get({ apiVersion, kind, metadata }), 'metadata.generation'))
    await kube.applyStatus({ apiVersion, kind, metadata, status: { observedGeneration: generation, ...stated } })
  }
  const isReady = (status: 'True' | 'False', message: string = ''): object => ({
    conditions: [
      {
        type: 'Ready',
        status,
        reason: 'Said',
        message,
        lastTransitionTime: '2026-01-01T00:00:00Z',
        observedGeneration: 1,
      },
    ],
  })
  const reference = (
    apiVersion: string,
    kind: string,
    [namespace, name]: readonly [string, string],
  ): KubeReference => ({
    apiVersion,
    kind,
    metadata: { name, namespace },
  })
  const values = reference(OWN, 'RuntimeValues', ['team-a', 'edge'])
  const addons = reference(FLUX, 'Kustomization', ['team-a', 'edge-addons'])

  beforeAll(async () => {
    fleet = exampleFleet(tempFolderForFile(), { clusters: ['team-a/edge'], handoff: [handoffs.flux] })
    await fleet.render()
    kube = await startKube()
  }, 120_000)
  afterAll(async () => kube.close())

  test('knows a server that is not the management cluster, and one that is not to be trusted', async () => {
    const { status: exit, stdout } = await status()
    expect(exit).toBe(1)
    expect(stdout).toContain('This API server knows no Clusters of Cluster API: is it the management cluster?\n')
    const stranger = makeWebCertificates()
    const run = await statusBy({
      cluster: { server: kube.url, 'certificate-authority-data': base64(stranger.ca) },
      user: { token: 'hunter2hunter2' },
    })
    expect([run.status, run.stdout]).toEqual([2, ''])
    expect(run.stderr).toMatch(/CLUSTER_UNREACHABLE/)
    expect(run.stderr).not.toContain('hunter2')
    const nobody = await statusBy({
      cluster: { server: kube.url, 'certificate-authority-data': base64(kube.ca) },
      user: { token: 'hunter2hunter2' },
    })
    expect([nobody.status, nobody.stdout]).toEqual([2, ''])
    expect(nobody.stderr).toMatch(/CLUSTER_UNREACHABLE/)
    expect(nobody.stderr).not.toContain('hunter2')
  })

  test('says what is missing, what waits and what is ready', async () => {
    await installKinds(kube)
    await kube.createCrds([
      definition({ group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', versions: ['v1'] }),
    ])
    await kube.createNamespaces(['team-a', 'platform'])
    expect((await status()).stdout).toContain('Cluster edge is missing: the commit that has it has not been applied\n')
    const cluster = 'rendered/clusters/team-a/edge/cluster'
    const paths = [
      `${cluster}/cluster-edge.yaml`,
      `${cluster}/runtimevalues-edge.yaml`,
      'rendered/handoff/team-a/edge/flux-kustomization-edge.yaml',
      'rendered/handoff/team-a/edge/flux-kustomization-edge-addons.yaml',
      'rendered/handoff/platform/stacks/flux-kustomization-stack-docker-demo-1-34-v3.yaml',
    ]
    for (const path of paths) expect(refusals(await kube.apply(readFileSync(fleet.path(path), 'utf8')))).toEqual([])
    for (const unit of units) await say(reference(FLUX, 'Kustomization', unit), isReady('True'))
    await say(addons, isReady('False', 'no ConfigMap edge'))
    await say(reference(CAPI, 'Cluster', ['team-a', 'edge']), { initialization: { controlPlaneInitialized: true } })
    const run = await status()
    expect([run.status, run.stderr]).toEqual([1, ''])
    expect(run.stdout).toBe(`${head}team-a/edge  docker-demo-1-34-v3  v1.34.7     -     no     1/2    waiting
${stackHead}docker-demo-1-34-v3  platform   yes    1/1    -       1

team-a/edge:
  Kustomization edge-addons has failed: no ConfigMap edge
  RuntimeValues edge waits: the controller has not looked at it yet: does it run?
${files}`)
  })

  test('says what it may not see, and asks in single namespaces where it may not ask in all', async () => {
    const nothing = await statusBy(await somebody('nobody', []))
    expect([nothing.status, nothing.stderr]).toEqual([1, ''])
    for (const line of [
      'Cluster edge is unknown: we may not list this kind',
      'Kustomization edge is unknown: we may not list this kind',
      'We may not list Cluster: what depends on it is unknown.',
    ])
      expect(nothing.stdout).toContain(`${line}\n`)
    const some = await statusBy(
      await somebody('tenant', [
        { resources: ['kustomizations'] },
        { namespace: 'team-a', resources: ['clusters', 'runtimevalues'] },
        { namespace: 'platform', resources: ['clusters', 'runtimevalues'] },
      ]),
    )
    expect(some.stdout.split('\n\n')[2]).toBe(`team-a/edge:
  Kustomization edge-addons has failed: no ConfigMap edge
  RuntimeValues edge waits: the controller has not looked at it yet: does it run?`)
    expect(some.stdout).not.toContain('We may not list')
  })

  test('watches until the time is over, or all is ready', async () => {
    const late = await status('--watch', '--timeout', '20s')
    expect([late.status, late.stderr.split('\n')[0]]).toEqual([
      1,
      'team-a/edge: Kustomization edge-addons has failed: no ConfigMap edge',
    ])
    meanwhile = async () => {
      await say(values, isReady('True'))
      await say(addons, isReady('True'))
    }
    const run = await status('--watch', '--timeout', '30m')
    expect([run.status, run.stdout]).toEqual([0, allReady])
    expect(run.stderr).toContain('team-a/edge: Kustomization edge-addons is ready\n')
    expect(await status('--watch')).toEqual({ status: 0, stderr: '', stdout: allReady })
  })

  test('says whether a version may be removed', async () => {
    const run = await status('--definition', 'testclusters.infrastructure.cluster.x-k8s.io/v1alpha6')
    expect([run.status, run.stdout, run.stderr]).toEqual([
      0,
      'Yes: v1alpha6 of testclusters.infrastructure.cluster.x-k8s.io may be removed.\nBy status.storedVersions, all objects are stored in v1beta9, and nobody has set fields in v1alpha6.\n',
      '',
    ])
    const stored = await status('--definition', 'testclusters.infrastructure.cluster.x-k8s.io/v1beta9')
    expect([stored.status, stored.stdout.split('\n')[0]]).toEqual([
      1,
      'No: v1beta9 of testclusters.infrastructure.cluster.x-k8s.io must stay.',
    ])
  })
})
