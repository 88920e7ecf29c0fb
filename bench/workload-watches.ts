/**
 * What it costs to watch delivered Secrets in workload clusters: memory and connections of `stackmason controller run`
 * with many clusters that have a delivered Secret each, for some numbers of watches; seconds until a deleted Secret is
 * back. One real API server is all of them, reached over a connection for each. Needs the servers of `tools/kube.ts`
 * and a build.
 *
 *   npx tsx bench/workload-watches.ts [--memory] [--check=300] [clusters] [watches…]
 *
 * The first number of watches is measured while all is made: repeat it. `--memory`: deletes nothing.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fieldOf, type KubeObject } from '../tools/servers/kube-client.ts'
import { type Kube, startKube } from '../tools/servers/kube.ts'
import {
  applyAll,
  clusterAt,
  clusterName,
  installFleet,
  kubeconfigSecret,
  loginOf,
  startControllerProcess,
  until,
} from './support/controller-fleet.ts'
import { median } from './support/measure.ts'
import { restingMemory } from './support/resting-memory.ts'
import { startTcpProxy } from './support/tcp-proxy.ts'

const words = process.argv.slice(2)
const [clusters = 500, ...given] = words.filter((word) => !word.startsWith('--')).map(Number)
const watches = given.length === 0 ? [0, 50, 500] : given
/** Secrets that are deleted. */
const DELETED = 10
/** Seconds after which Secrets are looked at. */
const [check = 300] = words.flatMap((word) => (word.startsWith('--check=') ? [Number(word.slice(8))] : []))
const restores = !words.includes('--memory')

function secret(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'others' } }
}

async function measure(kube: Kube, folder: string, most: number): Promise<void> {
  const [proxy, workloads] = await Promise.all([startTcpProxy(new URL(kube.url)), startTcpProxy(new URL(kube.url))])
  const names = Array.from({ length: clusters }, (_, index) => clusterName(index))
  await applyAll(
    kube,
    names.map((name) => kubeconfigSecret(kube, name, { port: workloads.port })),
  )
  const further = ['--workload-watches', String(most), '--workload-check', `${String(check)}s`]
  const controller = await startControllerProcess(kube, folder, { port: proxy.port, further })
  try {
    await until(async () => (await kube.list('v1', 'Secret', 'others')).length >= clusters)
    await until(async () => {
      const objects = await kube.list('stackmason.dev/v1alpha1', 'RuntimeValues', 'fleet')
      return objects.every((object) => fieldOf(object, 'status.observedGeneration') === 1)
    })
    await setTimeout(30_000)
    const memory = await restingMemory(controller.child())
    const seconds: number[] = []
    const deleted = restores ? names.filter((_, index) => index % Math.ceil(clusters / DELETED) === 0) : []
    for (const name of deleted) {
      const since = performance.now()
      await kube.remove(secret(name))
      await until(async () => (await kube.get(secret(name))) !== undefined)
      seconds.push((performance.now() - since) / 1000)
      await setTimeout(500)
    }
    const back = `deleted Secrets are back after ${Math.min(...seconds).toFixed(1)} to ${Math.max(...seconds).toFixed(1)} s, ${median(seconds).toFixed(1)} at the median`
    console.log(
      `${String(most).padStart(4)} watches: ${memory.toFixed(0)} MiB, ${String(workloads.open())} connections to workload clusters, at most ${String(workloads.mostOpen())}; ${restores ? `${back}; ` : ''}${String(controller.lines('error').length)} errors logged`,
    )
  } finally {
    controller.kill()
    proxy.close()
    workloads.close()
  }
}

const kube = await startKube()
const folder = await mkdtemp(join(tmpdir(), 'stackmason-bench-'))
try {
  await installFleet(kube)
  for (let index = 0; index < clusters; index += 100) {
    const names = Array.from({ length: Math.min(100, clusters - index) }, (_, at) => clusterName(index + at))
    await applyAll(
      kube,
      names.map((name, at) => clusterAt(name, `192.0.2.${String(at)}`)),
    )
    await Promise.all(
      names.map((name) =>
        kube.applyStatus({
          apiVersion: 'cluster.x-k8s.io/v1beta2',
          kind: 'Cluster',
          metadata: { name, namespace: 'fleet' },
          status: { initialization: { controlPlaneInitialized: true } },
        }),
      ),
    )
    await applyAll(kube, names.map(loginOf))
  }
  console.log(`${String(clusters)} clusters with a delivered Secret each, looked at every ${String(check)} s`)
  for (const most of watches) await measure(kube, folder, most)
} finally {
  await kube.close()
  await rm(folder, { recursive: true, force: true })
}
