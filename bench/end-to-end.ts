/**
 * A fleet from its first commit to its last with nothing done by hand: the real Cluster API with players of machines and
 * images, the real kustomize-controller or the real Argo CD, and `stackmason controller run` as a process. Of
 * openstack/scs and of docker/scs, one cluster waits for the values of its running Cluster, and another one beside it is
 * given its endpoint in git. Then an addon changes the storage version of its definition and drops the older one, all
 * clusters are upgraded in two commits, and one of each stack is decommissioned. Watches every state of the addons that
 * is stored, for a placeholder. Needs the servers of `tools/kube.ts`, `tools/capi.ts` and, for Argo CD,
 * `tools/argocd.ts`, a build, and the shared data (`STACKMASON_SHARED`, or `../shared`).
 *
 *   npx tsx bench/end-to-end.ts [--tool flux|argocd]
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FleetFolder } from '../tools/fleets/fleet-folder.ts'
import { sharedFolder } from '../tools/fleets/shared-folder.ts'
import { startCapi } from '../tools/servers/capi.ts'
import { playImages } from '../tools/servers/image-player.ts'
import { playInfrastructure } from '../tools/servers/infrastructure-player.ts'
import { fieldOf, type KubeObject } from '../tools/servers/kube-client.ts'
import { watchKube } from '../tools/servers/kube-watch.ts'
import { bootMachine, giveAuthority } from '../tools/servers/kubeadm-player.ts'
import { type Kube, startKube } from '../tools/servers/kube.ts'
import {
  askForNext,
  bothProvidersFleet,
  definePolicies,
  type FleetCluster,
  policies,
  providers,
  releaseOf,
} from './support/both-providers.ts'
import { type GitopsTool, startArgo, startFlux } from './support/gitops-tools.ts'
import { runProgram } from './support/run-program.ts'
import { bundledProgram } from './support/bundled-program.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const program = bundledProgram()
const AT_MOST = 900_000

/** A cluster of the fleet, and the API server that its machines would run. */
interface BenchCluster extends FleetCluster {
  readonly server: Kube
}

interface Stage {
  readonly management: Kube
  readonly clusters: readonly BenchCluster[]
  readonly fleet: FleetFolder
  readonly kubeconfig: string
  readonly tool: GitopsTool
  readonly publish: () => Promise<void>
}

/** An address by which other machines reach this one: the controller tells Argo CD of no server on the loopback. */
function ownAddress(): string {
  const found = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  const own = found.find(
    ({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'),
  )
  if (own === undefined) throw new Error('this machine has no address of IPv4 besides the loopback')
  return own.address
}

function cluster(name: string): KubeObject {
  return { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata: { name, namespace: 'team' } }
}

/** Waits until it is so, and says how long that took, seconds. @throws Error with `state` */
async function until(what: string, isSo: () => Promise<boolean>, state: () => Promise<string>): Promise<number> {
  const start = performance.now()
  while (!(await isSo().catch(() => false))) {
    if (performance.now() - start > AT_MOST) throw new Error(`not in time: ${what}\n${await state()}`)
    await setTimeout(200)
  }
  return (performance.now() - start) / 1000
}

function say(what: string, since: number): void {
  console.log(`${what.padEnd(76)} ${((performance.now() - since) / 1000).toFixed(1)} s`)
}

function statusOf({ fleet, kubeconfig }: Stage): string {
  const { stdout, stderr } = runProgram(program, ['status', '--kubeconfig', kubeconfig], fleet.folder)
  return `${stdout}${stderr}`
}

async function stateOf(stage: Stage): Promise<string> {
  return `${statusOf(stage)}\n${await stage.tool.state()}`
}

/** Waits until the addons of a cluster are applied as this commit has them. */
async function applied(stage: Stage, name: string, release: string): Promise<void> {
  await until(
    `addons of ${name} at ${release}`,
    async () => stage.tool.isApplied(name, 'addons', release),
    async () => stateOf(stage),
  )
}

function renderAndCommit({ fleet }: Pick<Stage, 'fleet'>, subject: string): void {
  const { status, stdout, stderr } = runProgram(program, ['render'], fleet.folder)
  if (status !== 0) throw new Error(`render ends with ${String(status)}\n${stdout}${stderr}`)
  fleet.git('add', '-A')
  fleet.git('commit', '-q', '-m', subject)
}

async function create(stage: Stage): Promise<void> {
  renderAndCommit(stage, 'all clusters')
  await stage.tool.prepare(stage.fleet)
  await stage.publish()
  const start = performance.now()
  await stage.tool.begin()
  await Promise.all(
    stage.clusters.map(async ({ name, provider, endpoint }) => {
      await applied(stage, name, releaseOf(provider, 'v1'))
      const values = endpoint === undefined ? 'values by the controller' : 'endpoint given in git'
      say(`new cluster of ${provider}/scs, ${values}: all addons`, start)
    }),
  )
  for (const { name, server } of stage.clusters) {
    const secrets = (await server.list('v1', 'Secret', 'kube-system')).filter(({ metadata }) =>
      /^(?:cilium-ca|hubble-)/.test(metadata.name),
    )
    console.log(`Secrets delivered to ${name}: ${secrets.map(({ metadata }) => metadata.name).join(', ') || 'none'}`)
  }
  await untilReady(stage)
}

async function untilReady(stage: Stage): Promise<void> {
  await until(
    'status says that all is ready',
    async () => isReady(stage),
    async () => stateOf(stage),
  )
}

interface Part {
  readonly role: string
  readonly state: string
  readonly reason: string
}

/** All is ready, as far as players go: no etcd runs on a machine that is played, so that no Cluster is available. */
async function isReady({ fleet, kubeconfig }: Stage): Promise<boolean> {
  const { stdout } = runProgram(program, ['status', '--kubeconfig', kubeconfig, '-o', 'json'], fleet.folder)
  const report = JSON.parse(stdout) as Readonly<
    Record<'clusters' | 'stacks', readonly { readonly parts: readonly Part[] }[]>
  >
  return [...report.clusters, ...report.stacks]
    .flatMap(({ parts }) => parts)
    .every(
      ({ role, state, reason }) =>
        state === 'ready' || (role === 'cluster' && reason.startsWith('it is not available')),
    )
}

/** Whether the tree's migration of each cluster is done, and etcd has the objects and the definition as it should. */
async function isMigrated({ management, clusters }: Stage): Promise<boolean> {
  const states = await Promise.all(
    clusters.map(async ({ name, server }) => {
      const migration = await management.get({
        apiVersion: 'stackmason.dev/v1alpha1',
        kind: 'StorageMigration',
        metadata: { name: `${name}.${policies}`, namespace: 'team' },
      })
      const stored = await server.stored('/registry/bench.example.com/policies/')
      return (
        isTrue(migration, 'Ready') &&
        stored.size === 2 &&
        [...stored.values()].every((object) => fieldOf(object, 'apiVersion') === 'bench.example.com/v2') &&
        (await storedVersions(server)) === 'v2'
      )
    }),
  )
  return states.every(Boolean)
}

async function definition(server: Kube): Promise<KubeObject | undefined> {
  return server.get({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: policies },
  })
}

async function storedVersions(server: Kube): Promise<string> {
  const versions = fieldOf(await definition(server), 'status.storedVersions')
  return Array.isArray(versions) ? versions.join(' ') : ''
}

function isTrue(object: KubeObject | undefined, type: string): boolean {
  const conditions = fieldOf(object, 'status.conditions')
  return (
    Array.isArray(conditions) &&
    conditions.some(
      (condition: unknown) =>
        fieldOf(condition, 'type') === type &&
        fieldOf(condition, 'status') === 'True' &&
        fieldOf(condition, 'observedGeneration') === fieldOf(object, 'metadata.generation'),
    )
  )
}

/** The definition of an addon of every cluster gets another storage version; the older one is no longer served, and goes. */
async function migrate(stage: Stage): Promise<void> {
  const { fleet, clusters } = stage
  const commit = async (subject: string, ...versions: Parameters<typeof definePolicies>[2]): Promise<number> => {
    for (const { name } of clusters) definePolicies(fleet, name, versions)
    renderAndCommit(stage, subject)
    await stage.publish()
    return performance.now()
  }
  const everywhere = async (is: (place: BenchCluster) => Promise<boolean>): Promise<boolean> =>
    (await Promise.all(clusters.map(is))).every(Boolean)
  const changed = await commit('policies stored as v2', { name: 'v2' }, { name: 'v1' })
  await until(
    'all objects are stored as v2',
    async () => isMigrated(stage),
    async () => stateOf(stage),
  )
  say('an addon changes its storage version: all clusters migrated', changed)
  await untilReady(stage)
  const hidden = await commit('policies no longer served as v1', { name: 'v2' }, { name: 'v1', isServed: false })
  await until(
    'v1 may be removed everywhere',
    async () =>
      Promise.resolve(
        statusOf(stage).split(`v1 of ${policies} of `).length === clusters.length + 1 &&
          !statusOf(stage).includes('must stay'),
      ),
    async () => stateOf(stage),
  )
  say('it no longer serves the older version: status says that it may be removed', hidden)
  const dropped = await commit('policies without v1', { name: 'v2' })
  await until(
    'v1 is gone',
    async () =>
      everywhere(
        async ({ server }) => !JSON.stringify(fieldOf(await definition(server), 'spec.versions')).includes('"v1"'),
      ),
    async () => stateOf(stage),
  )
  await untilReady(stage)
  say('the older version is dropped, and all is ready', dropped)
}

async function upgrade(stage: Stage): Promise<void> {
  const { fleet, management, clusters, tool } = stage
  askForNext(fleet, { handoff: tool.handoff, clusters })
  renderAndCommit(stage, 'upgrade, addons')
  await stage.publish()
  const first = performance.now()
  await Promise.all(clusters.map(async ({ name, provider }) => applied(stage, name, releaseOf(provider, 'v2'))))
  say('upgrade, first commit: addons of the new releases applied', first)
  for (const { name, provider } of clusters) {
    const className = fieldOf(await management.get(cluster(name)), 'spec.topology.classRef.name')
    if (className !== releaseOf(provider, 'v1'))
      throw new Error(`the class moved with the addons: ${String(className)}`)
  }
  renderAndCommit(stage, 'upgrade, class')
  await stage.publish()
  const second = performance.now()
  await untilReady(stage)
  say('upgrade, second commit: classes rolled out', second)
}

async function decommission(stage: Stage): Promise<void> {
  const { fleet, management, clusters, tool } = stage
  // one of each stack, with values by the controller
  const going = clusters.filter(({ endpoint }) => endpoint === undefined).map(({ name }) => name)
  const options = (step: string): string =>
    `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {decommission: ${step}}\n`
  const start = performance.now()
  for (const step of ['{}', '{step: delete}', '{step: finish}']) {
    for (const name of going) fleet.write(`clusters/team/${name}/options.yaml`, options(step))
    renderAndCommit(stage, `decommission ${step}`)
    await stage.publish()
    if (step === '{step: delete}') {
      const deleted = performance.now()
      await until(
        'the Clusters are gone',
        async () => (await Promise.all(going.map(async (name) => management.get(cluster(name))))).every(isAbsent),
        async () => stateOf(stage),
      )
      say('decommission: Clusters are gone after the commit that deletes them', deleted)
    }
    // one step is applied before the next is committed, as people are told to
    await until(
      `step ${step} is applied`,
      async () => (await Promise.all(going.map(async (name) => tool.isInStep(name, 'cluster')))).every(Boolean),
      async () => stateOf(stage),
    )
  }
  renderAndCommit(stage, 'decommission, units')
  await stage.publish()
  const left = async (): Promise<readonly string[]> => {
    const kinds = [
      ['stackmason.dev/v1alpha1', 'RuntimeValues'],
      ['stackmason.dev/v1alpha1', 'StorageMigration'],
      ['v1', 'ConfigMap'],
      ['v1', 'Secret'],
    ] as const
    const lists = await Promise.all(kinds.map(async ([version, kind]) => management.list(version, kind, 'team')))
    const names = lists.flat().map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    const ofGoing = new RegExp(` (?:team\\.)?(?:${going.join('|')})(?:[-.]|$)`)
    return [...names, ...(await tool.objects())].filter((name) => ofGoing.test(name))
  }
  await until(
    'nothing of them is left',
    async () => (await left()).length === 0,
    async () => `left: ${(await left()).join(', ')}\n${await stateOf(stage)}`,
  )
  say('decommission: nothing is left in the management cluster', start)
}

function isAbsent(object: KubeObject | undefined): boolean {
  return object === undefined
}

/** Notes every object of kube-system that is stored with a placeholder in it. */
function watchPlaceholders({ name, server }: BenchCluster, seen: string[]): () => void {
  const stops = [
    '/api/v1/namespaces/kube-system/configmaps',
    '/apis/apps/v1/namespaces/kube-system/daemonsets',
    '/apis/apps/v1/namespaces/kube-system/deployments',
  ].map((path) =>
    watchKube(server, path, ({ object }) => {
      const text = JSON.stringify(object)
      if (/stackmason-placeholder|\$\{CLUSTER_/.test(text)) seen.push(`${name} ${object.kind} ${object.metadata.name}`)
    }),
  )
  return () => {
    for (const stop of stops) stop()
  }
}

async function main(): Promise<void> {
  const [word, name] = process.argv.slice(2)
  if (word !== undefined && (word !== '--tool' || (name !== 'flux' && name !== 'argocd')))
    throw new Error('--tool flux|argocd')
  const isArgo = name === 'argocd'
  const shared = sharedFolder()
  if (shared === undefined) throw new Error('no shared data: see STACKMASON_SHARED')
  const folder = await mkdtemp(join(tmpdir(), 'stackmason-bench-'))
  const closing: (() => unknown)[] = [async () => rm(folder, { recursive: true, force: true })]
  try {
    const address = ownAddress()
    const [management, ...servers] = await Promise.all([
      startKube({ controllerManager: true }),
      ...Array.from({ length: 2 * providers.length }, async () => startKube({ address })),
    ])
    closing.push(async () => Promise.all([management, ...servers].map(async (kube) => kube.close())))
    const clusters = servers.map((server, index): BenchCluster => {
      const provider = providers[index % providers.length] ?? 'openstack'
      const name = `${provider}-${index < providers.length ? 'bound' : 'given'}`
      const endpoint = { host: address, port: Number(new URL(server.url).port) }
      return { name, provider, server, ...(index >= providers.length && { endpoint }) }
    })
    const serverOf = (name: string): Kube => {
      const found = clusters.find((candidate) => candidate.name === name)
      if (found === undefined) throw new Error(`no cluster ${name}`)
      return found.server
    }
    const capi = await startCapi(management)
    closing.push(async () => capi.close())
    const played = [
      ['OpenStack', ['v1beta1']],
      ['Docker', ['v1beta1', 'v1beta2']],
    ] as const
    for (const [provider, contracts] of played) {
      const player = await playInfrastructure(management, {
        provider,
        contracts,
        endpointOf: ({ name }) => ({ host: address, port: Number(new URL(serverOf(name).url).port) }),
        onMachine: async (machine) => bootMachine(serverOf(machine.cluster), machine),
      })
      closing.push(async () => player.close())
    }
    const images = await playImages(management, () => 'available')
    closing.push(async () => images.close())
    await management.createNamespaces(['team', 'flux-system'])
    await management.installCrds([join(root, 'templates/crds')])
    for (const { name, server } of clusters) await giveAuthority(management, { namespace: 'team', name }, server)
    const tool = await (isArgo ? startArgo(management, folder) : startFlux(management))
    closing.push(async () => tool.close())
    if (isArgo) await management.createNamespaces(['argocd'])

    // what nobody watches is looked at oftener than every five minutes
    const lease = ['--lease-namespace', 'flux-system', '--workload-check', '20s', ...tool.words]
    const words = ['controller', 'run', '--kubeconfig', management.kubeconfig, ...lease]
    const controller = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'ignore', 'pipe'] })
    closing.push(() => controller.kill())
    const log: string[] = []
    controller.stderr.setEncoding('utf8').on('data', (text: string) => log.push(text))

    const fleet = bothProvidersFleet(join(folder, 'fleet'), shared, { handoff: tool.handoff, clusters })
    fleet.git('init', '-q', '-b', 'main')
    const publish = async (): Promise<void> => tool.publish(fleet)
    const seen: string[] = []
    const stage: Stage = { management, clusters, fleet, kubeconfig: management.kubeconfig, tool, publish }
    const stops = clusters.map((place) => watchPlaceholders(place, seen))
    try {
      await create(stage)
      await migrate(stage)
      await upgrade(stage)
      await decommission(stage)
    } finally {
      const errors = log
        .join('')
        .split('\n')
        .filter((line) => line.includes('"level":"error"'))
      console.log(
        `states with a placeholder: ${String(seen.length)}; errors in the controller's log: ${String(errors.length)}`,
      )
      for (const line of [...seen, ...errors].slice(0, 10)) console.log(line)
    }
    for (const stop of stops) stop()
    console.log('RIGHT')
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}

await main()
