/**
 * No figures: what befalls servers and networks, while endpoints change, under `stackmason controller run`, built and as a
 * process of its own. After each fault every ConfigMap must hold the endpoint of its Cluster, where it
 * lost its lease by a process that was started again; a Secret that is deleted in a workload cluster while that cannot be
 * reached must be there again as it was first. Needs the servers of `tools/kube.ts` and a build.
 *
 *   npx tsx bench/controller-faults.ts [clusters] [part of the name of a fault]
 */
import { readdirSync, readFileSync } from 'node:fs'
import { Agent, get } from 'node:https'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { accountWithAllRights, busyFor, refusedAsBusy } from '../tools/servers/busy-server.ts'
import { fieldOf } from '../tools/servers/kube-client.ts'
import { type Kube, startKube } from '../tools/servers/kube.ts'
import {
  applyAll,
  clusterAt,
  clusterName,
  hostOf,
  installFleet,
  kubeconfigSecret,
  loginOf,
  startControllerProcess,
  until,
} from './support/controller-fleet.ts'
import { startTcpProxy } from './support/tcp-proxy.ts'

const [count = '50', part = ''] = process.argv.slice(2)
const clusters = Number(count)
const names = Array.from({ length: clusters }, (_, index) => clusterName(index))

/** The etcd of a server: its process, and its address. */
function etcdOf(kube: Kube): { readonly pid: number; readonly url: string } {
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    let words: readonly string[] = []
    try {
      words = readFileSync(`/proc/${entry}/cmdline`, 'utf8').split('\0')
    } catch {
      // it has just ended
    }
    const url = words.find((word) => word.startsWith('--listen-client-urls='))
    const isIt = words[0]?.endsWith('/etcd') === true && words.includes(`--data-dir=${kube.etcdData}`)
    if (isIt && url !== undefined) return { pid: Number(entry), url: url.slice(url.indexOf('=') + 1) }
  }
  throw new Error('no etcd')
}

/** A copy of etcd's data, as a disk has it after a power failure. */
async function backUpEtcd(): Promise<string> {
  const backup = join(folder, 'backup')
  process.kill(etcd.pid, 'SIGSTOP')
  await cp(kube.etcdData, backup, { recursive: true })
  process.kill(etcd.pid, 'SIGCONT')
  return backup
}

/** Forgets all earlier states, so that nobody can go on from one of them. */
async function compact(url: string): Promise<void> {
  const ask = async (path: string, body: object): Promise<unknown> =>
    (await fetch(`${url}/v3/${path}`, { method: 'POST', body: JSON.stringify(body) })).json()
  const found = await ask('kv/range', { key: Buffer.from('x').toString('base64') })
  await ask('kv/compaction', { revision: fieldOf(found, 'header.revision'), physical: true })
}

/** Has the server take one request at a time from the controller's account, of which others ask, too. */
async function storm(seconds: number, othersCount: number): Promise<void> {
  await applyAll(kube, busyFor(account))
  const before = await refusedAsBusy(kube, account)
  const startedAt = performance.now()
  const stop = new AbortController()
  const others = Array.from({ length: othersCount }, () => askOn(stop.signal))
  await setTimeout(1000)
  await moveAll(kube)
  await setTimeout(seconds * 1000)
  stop.abort()
  await Promise.all(others)
  const took = (performance.now() - startedAt) / 1000
  const refused = ((await refusedAsBusy(kube, account)) - before) / took
  console.log(`  refused in a second: ${refused.toFixed(1)}${othersCount === 0 ? '' : ', most of them of others'}`)
  for (const object of busyFor(account).toReversed()) await kube.remove(object)
}

/** Asks for much again and again, as the controller's account. */
async function askOn(signal: AbortSignal): Promise<void> {
  const { port } = new URL(kube.url)
  while (!signal.aborted) {
    await new Promise<void>((resolve) => {
      get(
        {
          host: '127.0.0.1',
          port,
          path: '/api/v1/namespaces/fleet/configmaps',
          ca: kube.ca,
          headers: { authorization: `Bearer ${token}` },
          agent,
        },
        (answer) => answer.resume().on('close', resolve),
      ).on('error', () => {
        resolve()
      })
    })
  }
}

const agent = new Agent({ keepAlive: true })
let change = 0

/** Gives every Cluster another endpoint. */
async function moveAll(kube: Kube): Promise<void> {
  change += 1
  await applyAll(
    kube,
    names.map((name, index) => clusterAt(name, `198.51.${String(change)}.${String(index % 250)}`)),
  )
}

/** A Secret that is delivered to a workload cluster. */
const login = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: 'others' } }

async function passwordNow(): Promise<unknown> {
  return fieldOf(await kube.get(login), 'data.password')
}

/** Makes a Cluster with a delivered Secret, whose API server is reached by a token of an account of its own. */
async function startLogin(): Promise<unknown> {
  await applyAll(kube, [clusterAt('login', '192.0.2.1')])
  const status = { initialization: { controlPlaneInitialized: true } }
  await kube.applyStatus({ ...clusterAt('login', ''), spec: undefined, status })
  await logInAs('first')
  await applyAll(kube, [loginOf('login')])
  await until(async () => (await passwordNow()) !== undefined)
  return passwordNow()
}

async function logInAs(name: string): Promise<void> {
  const own = await accountWithAllRights(kube, { namespace: 'fleet', name })
  await applyAll(kube, [kubeconfigSecret(kube, 'login', { port: workload.port, token: own })])
}

/** Deletes the delivered Secret, and waits. */
async function loseLogin(seconds: number): Promise<void> {
  await kube.remove(login)
  await setTimeout(seconds * 1000)
}

/** Seconds until every ConfigMap has the endpoint of its Cluster, and the workload cluster its Secret. */
async function healed(kube: Kube): Promise<number> {
  const start = performance.now()
  await until(async () => {
    const maps = await kube.list('v1', 'ConfigMap', 'fleet')
    const hosts = new Map(maps.map((map) => [map.metadata.name, fieldOf(map, 'data.HOST')]))
    const isRight = names.every((name, index) => hosts.get(name) === `198.51.${String(change)}.${String(index % 250)}`)
    return isRight && (await passwordNow()) === password
  })
  return (performance.now() - start) / 1000
}

const kube = await startKube()
const folder = await mkdtemp(join(tmpdir(), 'stackmason-bench-'))
const [proxy, workload] = await Promise.all([startTcpProxy(new URL(kube.url)), startTcpProxy(new URL(kube.url))])
await installFleet(kube)
const account = { namespace: 'fleet', name: 'controller' }
const token = await accountWithAllRights(kube, account)
const controller = await startControllerProcess(kube, folder, { port: proxy.port, token })
let etcd = etcdOf(kube)
let password: unknown
const faults: Readonly<Record<string, () => Promise<void>>> = {
  nothing: async () => moveAll(kube),
  'connections cut': async () => {
    proxy.cut()
    await moveAll(kube)
    proxy.pass()
  },
  'connections cut, every earlier state forgotten': async () => {
    proxy.cut()
    for (let round = 0; round < 5; round++) await moveAll(kube)
    await compact(etcd.url)
    proxy.pass()
  },
  'a network without a word for 20 s': async () => {
    proxy.fallSilent()
    await moveAll(kube)
    await setTimeout(20_000)
    proxy.pass()
  },
  'API server killed and started again': async () => {
    await kube.restartApiServer(async () => setTimeout(3000))
    await moveAll(kube)
  },
  'etcd stopped for 20 s': async () => {
    await moveAll(kube)
    process.kill(etcd.pid, 'SIGSTOP')
    await setTimeout(20_000)
    process.kill(etcd.pid, 'SIGCONT')
  },
  'etcd restored from a backup': async () => {
    const backup = await backUpEtcd()
    for (let round = 0; round < 5; round++) await moveAll(kube)
    await healed(kube)
    await kube.restoreEtcd(backup)
    etcd = etcdOf(kube)
    // the versions of these changes have been there before
    await moveAll(kube)
  },
  'one request at a time, others refused with 429, for 20 s': async () => storm(20, 0),
  'the same beside 30 who ask all the time, for 7 s': async () => storm(7, 30),
  'the same for 20 s': async () => storm(20, 30),
  'workload cluster cut off for 10 s': async () => {
    workload.cut()
    await loseLogin(10)
    workload.pass()
  },
  'workload cluster without a word for 20 s': async () => {
    workload.fallSilent()
    await loseLogin(20)
    workload.pass()
  },
  'kubeconfig of the workload cluster replaced, the old login gone': async () => {
    await kube.remove({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'first', namespace: 'fleet' } })
    // what the server remembers of a token it forgets after ten seconds
    await setTimeout(15_000)
    await loseLogin(5)
    if ((await passwordNow()) !== undefined) throw new Error('the old login still works')
    await logInAs('second')
  },
  'frozen for longer than its lease, as the only instance': async () => {
    controller.child().kill('SIGSTOP')
    await moveAll(kube)
    await setTimeout(20_000)
    controller.child().kill('SIGCONT')
  },
}
let failed = 0
let known = 0

/** How often the process has ended since the last call: it does so with 2 where it cannot renew its lease. */
function endsSince(): string {
  const ends = controller.ends.slice(known)
  known = controller.ends.length
  return ends.length === 0 ? '' : `, by a process that was started again (ended with ${ends.join(', ')})`
}
try {
  await applyAll(kube, names.map(hostOf))
  password = await startLogin()
  for (const [fault, befall] of Object.entries(faults).filter(([name]) => name.includes(part))) {
    await befall()
    try {
      const seconds = await healed(kube)
      console.log(`${fault.padEnd(64)} healed after ${seconds.toFixed(1)} s${endsSince()}`)
    } catch (error) {
      failed += 1
      console.log(`${fault.padEnd(64)} NOT HEALED: ${String(error)}`)
    }
  }
  const unhandled = controller.lines('none')
  console.log(`${String(failed)} not healed; lines that are no log: ${String(unhandled.length)}`)
  for (const line of unhandled.slice(0, 10)) console.log(line)
} finally {
  controller.kill()
  proxy.close()
  workload.close()
  await kube.close()
  await rm(folder, { recursive: true, force: true })
}
if (failed > 0) process.exitCode = 1
