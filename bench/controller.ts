/**
 * Figures of `stackmason controller run`, built and as a process of its own, on a real API server: memory with many
 * clusters, what it takes in while others make large objects, connections, seconds from a changed endpoint to the
 * published ConfigMap, and writes while nothing changes. Needs the servers of `tools/kube.ts` and a build.
 *
 *   npx tsx bench/controller.ts [clusters] [unrelated objects of each kind] [quiet minutes]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fieldOf } from '../tools/servers/kube-client.ts'
import { watchKube } from '../tools/servers/kube-watch.ts'
import { type Kube, startKube } from '../tools/servers/kube.ts'
import {
  applyAll,
  clusterAt,
  clusterName,
  hostOf,
  installFleet,
  startControllerProcess,
  until,
} from './support/controller-fleet.ts'
import { median } from './support/measure.ts'
import { restingMemory } from './support/resting-memory.ts'
import { startTcpProxy } from './support/tcp-proxy.ts'

const [clusters = 500, unrelated = 400, quietMinutes = 10] = process.argv.slice(2).map(Number)
const KILOBYTES = 500

/** Requests that changed something, as the server counts them; leases aside. */
async function writesOf(kube: Kube): Promise<number> {
  const { body } = await kube.request('GET', '/metrics')
  const lines = String(body).matchAll(/^apiserver_request_total\{(.*)\} (\S+)$/gm)
  let sum = 0
  for (const [, labels = '', count = ''] of lines) {
    if (!/verb="(?:POST|PUT|PATCH|APPLY|DELETE)"/.test(labels) || !/code="2/.test(labels)) continue
    if (/resource="(?:leases|subjectaccessreviews|tokenreviews)"/.test(labels)) continue
    sum += Number(count)
  }
  return sum
}

async function isPublished(kube: Kube, name: string): Promise<boolean> {
  const map = await kube.get({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'fleet' } })
  return map !== undefined
}

async function main(kube: Kube, folder: string): Promise<void> {
  await installFleet(kube)
  const proxy = await startTcpProxy(new URL(kube.url))
  // a busy machine may hold up a controller for longer than its lease lasts, which would end it
  const further = ['--lease-duration', '120s', '--lease-renew', '90s']
  const controller = await startControllerProcess(kube, folder, { port: proxy.port, further })
  const child = controller.child()
  try {
    await setTimeout(10_000)
    console.log(
      `no cluster                 ${(await restingMemory(child)).toFixed(0)} MiB, ${String(proxy.open())} connections`,
    )
    for (let index = 0; index < clusters; index += 100) {
      const names = Array.from({ length: Math.min(100, clusters - index) }, (_, at) => clusterName(index + at))
      await applyAll(
        kube,
        names.map((name, at) => clusterAt(name, `192.0.2.${String(at)}`)),
      )
      await applyAll(kube, names.map(hostOf))
    }
    await until(async () => isPublished(kube, clusterName(clusters - 1)))
    const before = await restingMemory(child)
    console.log(
      `${String(clusters).padEnd(4)} clusters              ${before.toFixed(0)} MiB, at most ${String(proxy.mostOpen())} connections`,
    )

    const received = proxy.received()
    const large = 'x'.repeat(KILOBYTES * 1000)
    for (let index = 0; index < unrelated; index++) {
      const metadata = { name: `large-${String(index)}`, namespace: 'others' }
      await kube.request('POST', '/api/v1/namespaces/others/configmaps', { metadata, data: { large } })
      await kube.request('POST', '/api/v1/namespaces/others/secrets', { metadata, stringData: { large } })
    }
    const after = await restingMemory(child)
    console.log(
      `${String(unrelated)} ConfigMaps and Secrets of ${String(KILOBYTES)} kB: ${(after - before).toFixed(1)} MiB more, ${((proxy.received() - received) / 1000).toFixed(0)} kB received`,
    )

    const times = new Map<string, number>()
    const seconds: number[] = []
    const stop = watchKube(kube, '/api/v1/namespaces/fleet/configmaps', ({ type, object }) => {
      const since = times.get(object.metadata.name)
      if (type !== 'MODIFIED' || since === undefined || fieldOf(object, 'data.HOST') !== '198.51.100.1') return
      seconds.push((performance.now() - since) / 1000)
      times.delete(object.metadata.name)
    })
    for (let index = 0; index < Math.min(100, clusters); index++) {
      const name = clusterName(index)
      times.set(name, performance.now())
      await applyAll(kube, [clusterAt(name, '198.51.100.1')])
      await setTimeout(50)
    }
    await until(async () => times.size === 0)
    stop()
    console.log(
      `endpoint to ConfigMap      ${median(seconds).toFixed(3)} s at the median, ${Math.max(...seconds).toFixed(3)} s at most, of ${String(seconds.length)}`,
    )

    await setTimeout(5000)
    const written = await writesOf(kube)
    await setTimeout(quietMinutes * 60_000)
    console.log(
      `${String(quietMinutes)} minutes without change  ${String((await writesOf(kube)) - written)} writes, leases aside; ${String(controller.lines('error').length)} errors logged in all`,
    )
    console.log(
      `at the end                 ${(await restingMemory(child)).toFixed(0)} MiB, ${String(proxy.open())} connections`,
    )
  } finally {
    controller.kill()
    proxy.close()
  }
}

const kube = await startKube()
const folder = await mkdtemp(join(tmpdir(), 'stackmason-bench-'))
try {
  await main(kube, folder)
} finally {
  await kube.close()
  await rm(folder, { recursive: true, force: true })
}
