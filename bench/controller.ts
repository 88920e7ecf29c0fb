/**
 * Figures of `stackmason controller run`, built and as a process of its own, on a real API server: memory with many
 * clusters, what it takes in while others make large objects, connections, seconds from a changed endpoint to the
 * published ConfigMap, and writes while nothing changes. Needs the servers of `tools/kube.ts` and a build.
 *
 *   npx tsx bench/controller.ts [clusters] [unrelated objects of each kind] [quiet minutes]
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fieldOf, type KubeObject, refusals } from '../tools/servers/kube-client.ts'
import { watchKube } from '../tools/servers/kube-watch.ts'
import { type Kube, startKube } from '../tools/servers/kube.ts'
import { median } from './support/measure.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const [clusters = 500, unrelated = 400, quietMinutes = 10] = process.argv.slice(2).map(Number)
const KILOBYTES = 500

/** What passes between the controller and the server; it is encrypted, so only counted. */
interface Counter {
  readonly port: number
  received: number
  open: number
  mostOpen: number
  readonly close: () => void
}

async function countBytes(target: URL): Promise<Counter> {
  const sockets = new Set<Socket>()
  const server = createServer((own) => {
    counter.open += 1
    counter.mostOpen = Math.max(counter.mostOpen, counter.open)
    const far = connect(Number(target.port), target.hostname)
    far.on('data', (chunk: Buffer) => {
      counter.received += chunk.length
    })
    for (const socket of [own, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
    own.pipe(far).pipe(own)
    own.on('close', () => {
      counter.open -= 1
      far.destroy()
    })
    far.on('close', () => own.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const counter: Counter = {
    port,
    received: 0,
    open: 0,
    mostOpen: 0,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
  return counter
}

function memoryOf(child: ChildProcess): number {
  const [, kibibytes = ''] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(child.pid)}/status`, 'utf8')) ?? []
  return Number(kibibytes) / 1024
}

/** MiB, when it has had time to come to rest: the highest of some looks. */
async function restingMemory(child: ChildProcess): Promise<number> {
  await setTimeout(15_000)
  const looks: number[] = []
  for (let look = 0; look < 10; look++) {
    looks.push(memoryOf(child))
    await setTimeout(1000)
  }
  return Math.max(...looks)
}

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

function definition(group: string, kind: string): KubeObject {
  const plural = `${kind.toLowerCase()}s`
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: 'v1beta2',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
        },
      ],
    },
  }
}

function nameOf(index: number): string {
  return `cluster-${String(index).padStart(4, '0')}`
}

function clusterOf(name: string, host: string): KubeObject {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name, namespace: 'fleet' },
    spec: { controlPlaneEndpoint: { host, port: 6443 } },
  }
}

function valuesOf(name: string): KubeObject {
  return {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'RuntimeValues',
    metadata: { name, namespace: 'fleet' },
    spec: {
      clusterName: name,
      values: [
        {
          name: 'HOST',
          from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.host' },
          type: 'host',
        },
      ],
      publish: { configMap: name },
    },
  }
}

async function applyAll(kube: Kube, objects: readonly KubeObject[]): Promise<void> {
  const refused = refusals(await kube.apply(objects))
  if (refused.length > 0) throw new Error(String(refused[0]))
}

async function isPublished(kube: Kube, name: string): Promise<boolean> {
  const map = await kube.get({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'fleet' } })
  return map !== undefined
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 300_000
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('nothing has happened for five minutes')
    await setTimeout(200)
  }
}

async function main(kube: Kube, folder: string): Promise<void> {
  const definitions = [definition('cluster.x-k8s.io', 'Cluster')]
  await kube.createCrds(definitions)
  await kube.installCrds([join(root, 'templates/crds')])
  await kube.createNamespaces(['fleet', 'others'])
  const counter = await countBytes(new URL(kube.url))
  const kubeconfig = join(folder, 'kubeconfig')
  const text = await readFile(kube.kubeconfig, 'utf8')
  await writeFile(kubeconfig, text.replace(kube.url, `https://127.0.0.1:${String(counter.port)}`))
  const words = [
    'controller',
    'run',
    '--kubeconfig',
    kubeconfig,
    '--kind',
    'RuntimeValues',
    '--lease-namespace',
    'fleet',
  ]
  const child = spawn(process.execPath, [join(root, 'dist/main.js'), ...words], { stdio: ['ignore', 'ignore', 'pipe'] })
  let failures = 0
  child.stderr.setEncoding('utf8').on('data', (lines: string) => {
    failures += lines.split('"level":"error"').length - 1
  })
  try {
    await setTimeout(10_000)
    console.log(
      `no cluster                 ${(await restingMemory(child)).toFixed(0)} MiB, ${String(counter.open)} connections`,
    )
    for (let index = 0; index < clusters; index += 100) {
      const names = Array.from({ length: Math.min(100, clusters - index) }, (_, at) => nameOf(index + at))
      await applyAll(
        kube,
        names.map((name, at) => clusterOf(name, `192.0.2.${String(at)}`)),
      )
      await applyAll(kube, names.map(valuesOf))
    }
    await until(async () => isPublished(kube, nameOf(clusters - 1)))
    const before = await restingMemory(child)
    console.log(
      `${String(clusters).padEnd(4)} clusters              ${before.toFixed(0)} MiB, at most ${String(counter.mostOpen)} connections`,
    )

    const received = counter.received
    const large = 'x'.repeat(KILOBYTES * 1000)
    for (let index = 0; index < unrelated; index++) {
      const metadata = { name: `large-${String(index)}`, namespace: 'others' }
      await kube.request('POST', '/api/v1/namespaces/others/configmaps', { metadata, data: { large } })
      await kube.request('POST', '/api/v1/namespaces/others/secrets', { metadata, stringData: { large } })
    }
    const after = await restingMemory(child)
    console.log(
      `${String(unrelated)} ConfigMaps and Secrets of ${String(KILOBYTES)} kB: ${(after - before).toFixed(1)} MiB more, ${((counter.received - received) / 1000).toFixed(0)} kB received`,
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
      const name = nameOf(index)
      times.set(name, performance.now())
      await applyAll(kube, [clusterOf(name, '198.51.100.1')])
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
      `${String(quietMinutes)} minutes without change  ${String((await writesOf(kube)) - written)} writes, leases aside; ${String(failures)} errors logged in all`,
    )
    console.log(
      `at the end                 ${(await restingMemory(child)).toFixed(0)} MiB, ${String(counter.open)} connections`,
    )
  } finally {
    child.kill()
    counter.close()
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
