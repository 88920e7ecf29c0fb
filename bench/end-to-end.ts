/**
 * A fleet from its first commit to its last with nothing done by hand: the real Cluster API with players of machines and
 * images, the real kustomize-controller or the real Argo CD, and `stackmason controller run` as a process. One cluster waits for the values of
 * its running Cluster and for generated Secrets; another one beside it is given its endpoint in git. Then an upgrade in two
 * commits, and a decommission. Watches every state of the addons that is stored, for a placeholder.
 * Under Argo CD the controller also makes the cluster Secrets. Needs the servers of `tools/kube.ts`, `tools/capi.ts` and, for Argo CD, `tools/argocd.ts`, a build, and the shared data (`STACKMASON_SHARED`, or `../shared`).
 *
 *   npx tsx bench/end-to-end.ts [--tool flux|argocd]
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FleetFolder } from '../tools/fleets/fleet-folder.ts'
import { realFleet } from '../tools/fleets/real-fleet.ts'
import { sharedFolder } from '../tools/fleets/shared-folder.ts'
import { startCapi } from '../tools/servers/capi.ts'
import { playImages } from '../tools/servers/image-player.ts'
import { playInfrastructure } from '../tools/servers/infrastructure-player.ts'
import { fieldOf, type KubeObject } from '../tools/servers/kube-client.ts'
import { watchKube } from '../tools/servers/kube-watch.ts'
import { bootMachine, giveAuthority } from '../tools/servers/kubeadm-player.ts'
import { type Kube, startKube } from '../tools/servers/kube.ts'
import { type GitopsTool, startArgo, startFlux } from './support/gitops-tools.ts'
import { runProgram } from './support/run-program.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const program = join(root, 'dist/main.js')
/** `one` is given nothing, `two` its endpoint. */
const names = ['one', 'two'] as const
type Name = (typeof names)[number]
const AT_MOST = 300_000

interface Stage {
  readonly management: Kube
  readonly workload: Readonly<Record<Name, Kube>>
  readonly fleet: FleetFolder
  readonly kubeconfig: string
  readonly tool: GitopsTool
  readonly publish: () => Promise<void>
  /** Placeholders that were stored in a workload cluster. */
  readonly seen: string[]
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

function say(what: string, seconds: number): void {
  console.log(`${what.padEnd(62)} ${seconds.toFixed(1)} s`)
}

function statusOf({ fleet, kubeconfig }: Stage): string {
  const { stdout, stderr } = runProgram(program, ['status', '--kubeconfig', kubeconfig], fleet.folder)
  return `${stdout}${stderr}`
}

/** Seconds until the addons of a cluster are applied as this commit has them. */
async function applied(stage: Stage, name: string, release: string): Promise<number> {
  return until(
    `addons of ${name} at ${release}`,
    async () => stage.tool.isApplied(name, 'addons', release),
    async () => statusOf(stage),
  )
}

function renderAndCommit({ fleet }: Pick<Stage, 'fleet'>, subject: string): void {
  const { status, stdout, stderr } = runProgram(program, ['render'], fleet.folder)
  if (status !== 0) throw new Error(`render ends with ${String(status)}\n${stdout}${stderr}`)
  fleet.git('add', '-A')
  fleet.git('commit', '-q', '-m', subject)
}

async function create(stage: Stage): Promise<void> {
  const release = 'openstack-scs-1-32-v1'
  renderAndCommit(stage, 'two clusters')
  await stage.tool.prepare(stage.fleet)
  await stage.publish()
  const start = performance.now()
  await stage.tool.begin()
  await Promise.all(
    names.map(async (name) => {
      await applied(stage, name, release)
      say(
        name === 'one'
          ? 'new cluster, values and Secrets by the controller: all addons'
          : 'new cluster, endpoint given in git: all addons',
        (performance.now() - start) / 1000,
      )
    }),
  )
  const secrets = (await stage.workload.one.list('v1', 'Secret', 'kube-system')).filter(({ metadata }) =>
    /^(?:cilium-ca|hubble-)/.test(metadata.name),
  )
  console.log(`Secrets delivered to one: ${secrets.map(({ metadata }) => metadata.name).join(', ') || 'none'}`)
  await until(
    'status says that all is ready',
    async () => isReady(stage),
    async () => statusOf(stage),
  )
  console.log(statusOf(stage))
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

async function upgrade(stage: Stage): Promise<void> {
  const { fleet, management } = stage
  const release = 'openstack-scs-1-32-v2'
  fleet.edit('stackmason.yaml', 'version: v1', 'version: v2')
  fleet.edit('stackmason.yaml', 'name: real\n      provider', 'name: newer\n      provider')
  fleet.edit(
    'stackmason.yaml',
    '  sources:\n',
    '  sources:\n    - name: real\n      providerDirectory: {path: stack, version: v1}\n',
  )
  fleet.edit('stacks/scs.yaml', 'versions: [v1]', 'versions: [v1, v2]')
  for (const name of names) fleet.edit(`clusters/team/${name}/cluster.yaml`, '-1-32-v1', '-1-32-v2')
  renderAndCommit(stage, 'upgrade, addons')
  await stage.publish()
  const first = performance.now()
  await Promise.all(names.map(async (name) => applied(stage, name, release)))
  say('upgrade, first commit: addons of the new release applied', (performance.now() - first) / 1000)
  for (const name of names) {
    const running = await management.get(cluster(name))
    const className = fieldOf(running, 'spec.topology.classRef.name')
    if (className !== 'openstack-scs-1-32-v1') throw new Error(`the class moved with the addons: ${String(className)}`)
  }
  renderAndCommit(stage, 'upgrade, class')
  await stage.publish()
  const second = performance.now()
  await until(
    'both Clusters at the new class, reconciled',
    async () => isReady(stage),
    async () => statusOf(stage),
  )
  say('upgrade, second commit: class rolled out', (performance.now() - second) / 1000)
}

async function decommission(stage: Stage): Promise<void> {
  const { fleet, management } = stage
  const options = (step: string): string =>
    `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {decommission: ${step}}\n`
  const start = performance.now()
  for (const step of ['{}', '{step: delete}', '{step: finish}']) {
    fleet.write('clusters/team/one/options.yaml', options(step))
    renderAndCommit(stage, `decommission ${step}`)
    await stage.publish()
    if (step === '{step: delete}') {
      const isGone = async (): Promise<boolean> => (await management.get(cluster('one'))) === undefined
      await until('the Cluster is gone', isGone, async () => statusOf(stage))
    }
    // one step is applied before the next is committed, as people are told to
    const isInStep = async (): Promise<boolean> => stage.tool.isInStep('one', 'cluster')
    await until(`step ${step} is applied`, isInStep, async () => statusOf(stage))
  }
  renderAndCommit(stage, 'decommission, units')
  await stage.publish()
  const left = async (): Promise<readonly string[]> => {
    const kinds = [
      ['stackmason.dev/v1alpha1', 'RuntimeValues'],
      ['v1', 'ConfigMap'],
      ['v1', 'Secret'],
    ] as const
    const lists = await Promise.all(kinds.map(async ([version, kind]) => management.list(version, kind, 'team')))
    const names = lists.flat().map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    return [...names, ...(await stage.tool.objects())].filter((name) => / (?:team\.)?one(?:[-.]|$)/.test(name))
  }
  await until(
    'nothing of it is left',
    async () => (await left()).length === 0,
    async () => `left: ${(await left()).join(', ')}\n${statusOf(stage)}`,
  )
  say('decommission: nothing is left in the management cluster', (performance.now() - start) / 1000)
}

/** Notes every object of kube-system that is stored with a placeholder in it. */
function watchPlaceholders(name: Name, kube: Kube, seen: string[]): () => void {
  const stops = [
    '/api/v1/namespaces/kube-system/configmaps',
    '/apis/apps/v1/namespaces/kube-system/daemonsets',
    '/apis/apps/v1/namespaces/kube-system/deployments',
  ].map((path) =>
    watchKube(kube, path, ({ object }) => {
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
    const [management, one, two] = await Promise.all([startKube({ controllerManager: true }), startKube(), startKube()])
    const workload = { one, two }
    closing.push(async () => Promise.all([management, one, two].map(async (kube) => kube.close())))
    const capi = await startCapi(management)
    closing.push(async () => capi.close())
    const serverOf = (name: string): Kube => (name === 'one' ? one : two)
    const player = await playInfrastructure(management, {
      provider: 'OpenStack',
      contracts: ['v1beta1'],
      endpointOf: ({ name }) => ({ host: '127.0.0.1', port: Number(new URL(serverOf(name).url).port) }),
      onMachine: async (machine) => bootMachine(serverOf(machine.cluster), machine),
    })
    closing.push(async () => player.close())
    const images = await playImages(management, () => 'available')
    closing.push(async () => images.close())
    await management.createNamespaces(['team', 'flux-system'])
    await management.installCrds([join(root, 'templates/crds')])
    for (const name of names) await giveAuthority(management, { namespace: 'team', name }, serverOf(name))
    const tool = await (isArgo ? startArgo(management, folder) : startFlux(management))
    closing.push(async () => tool.close())
    if (isArgo) await management.createNamespaces(['argocd'])

    const lease = ['--lease-namespace', 'flux-system', ...tool.words]
    const words = ['controller', 'run', '--kubeconfig', management.kubeconfig, ...lease]
    const controller = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'ignore', 'pipe'] })
    closing.push(() => controller.kill())
    const log: string[] = []
    controller.stderr.setEncoding('utf8').on('data', (text: string) => log.push(text))

    const fleet = realFleet(join(folder, 'fleet'), shared, {
      tool: isArgo ? 'argocd' : 'flux',
      provider: 'openstack',
      kubernetes: '1.32.5',
    })
    fleet.edit('stackmason.yaml', /handoff: \{.*\}/, `handoff: {${tool.handoff}}`)
    const port = new URL(two.url).port
    fleet.write(
      'clusters/team/two/addons.yaml',
      `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  runtimeValues:\n    Cluster.spec.controlPlaneEndpoint.host: 127.0.0.1\n    Cluster.spec.controlPlaneEndpoint.port: ${port}\n`,
    )
    fleet.git('init', '-q', '-b', 'main')
    const publish = async (): Promise<void> => tool.publish(fleet)
    const seen: string[] = []
    const stage: Stage = { management, workload, fleet, kubeconfig: management.kubeconfig, tool, publish, seen }
    const stops = names.map((name) => watchPlaceholders(name, workload[name], seen))
    try {
      await create(stage)
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
