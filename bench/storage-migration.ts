/**
 * How fast stored objects are migrated, and in how much memory: by the controller without its limit, by
 * `kubectl get | kubectl replace`, and by the server's own StorageVersionMigration, on one API server. Each time etcd is
 * read afterwards. Needs the servers of `tools/kube.ts` and a build (`npm run build`).
 *
 *   npx tsx bench/storage-migration.ts [--alone] [OBJECTS…]
 *
 * `--alone`: only by the controller.
 */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type StoredKind, storedKind } from '../tools/fleets/stored-kinds.ts'
import { kubeBinaries } from '../tools/kube.ts'
import { fieldOf, type KubeObject } from '../tools/servers/kube-client.ts'
import { startKube } from '../tools/servers/kube.ts'
import { bundledProgram } from './support/bundled-program.ts'

const words = process.argv.slice(2)
const given = words.filter((word) => !word.startsWith('--')).map(Number)
const isAlone = words.includes('--alone')
const counts = given.length > 0 ? given : [1000, 10_000]
const root = join(import.meta.dirname, '..')
const kube = await startKube({ controllerManager: true, storageVersionMigrator: true })
const kubectl = kubeBinaries()?.kubectl ?? 'kubectl'

function report(what: string, count: number, seconds: number, rest: string): void {
  const rate = Math.round(count / seconds)
  console.log(
    `${what.padEnd(44)} ${String(count).padStart(6)} objects ${seconds.toFixed(1).padStart(6)} s ${String(rate).padStart(5)}/s  ${rest}`,
  )
}

async function stateOf(kind: StoredKind): Promise<string> {
  return `etcd ${JSON.stringify(await kind.inEtcd())}, storedVersions ${JSON.stringify(await kind.storedVersions())}`
}

async function until(reference: KubeObject, isDone: (object: KubeObject) => boolean): Promise<void> {
  for (let tries = 0; tries < 60_000; tries++) {
    const object = await kube.get(reference)
    if (object !== undefined && isDone(object)) return
    await setTimeout(50)
  }
  throw new Error(`${reference.metadata.name}: ${JSON.stringify(await kube.get(reference))}`)
}

/** The condition of a type is true. */
function isTrue(object: KubeObject, type: string): boolean {
  const conditions = [fieldOf(object, 'status.conditions')].flat()
  return conditions.some((condition) => fieldOf(condition, 'type') === type && fieldOf(condition, 'status') === 'True')
}

async function byController(kind: StoredKind, count: number): Promise<void> {
  const args = ['controller', 'run', '--kubeconfig', kube.kubeconfig, '--no-lease', '--kind', 'StorageMigration']
  const further = ['--migration-settle', '0.1s', '--qps', '10000', '--burst', '10000']
  const child = spawn(process.execPath, [bundledProgram(), ...args, ...further], { stdio: 'ignore' })
  await setTimeout(4000)
  const memory = (name: string): number =>
    Math.round(
      Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${String(child.pid)}/status`, 'utf8'))?.[1]) /
        1024,
    )
  const before = memory('VmRSS')
  const object = {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'StorageMigration',
    metadata: { name: `of-${String(count)}`, namespace: 'default' },
    spec: { customResourceDefinitions: [kind.name], objectsPerSecond: 1000 },
  }
  const start = performance.now()
  await kube.apply([object])
  let tenth = 1
  await until(object, (found) => {
    const rewritten = Number(fieldOf(found, 'status.customResourceDefinitions.0.rewritten') ?? 0)
    for (; rewritten >= (tenth * count) / 10; tenth++) {
      const after = ((performance.now() - start) / 1000).toFixed(0)
      console.log(`${String(rewritten).padStart(8)} after ${after} s: RSS ${String(memory('VmRSS'))} MB`)
    }
    return isTrue(found, 'Ready')
  })
  const seconds = (performance.now() - start) / 1000
  report(
    'stackmason controller',
    count,
    seconds,
    `${await stateOf(kind)}, RSS ${String(before)} MB idle, ${String(memory('VmHWM'))} MB at most`,
  )
  child.kill('SIGTERM')
  await new Promise((resolve) => child.once('exit', resolve))
}

async function byKubectl(kind: StoredKind, count: number): Promise<void> {
  const of = `"${kubectl}" --kubeconfig "${kube.kubeconfig}"`
  const start = performance.now()
  spawnSync('sh', ['-c', `${of} get ${kind.name} -o json | ${of} replace -f - >/dev/null`], { stdio: 'inherit' })
  report('kubectl get | kubectl replace', count, (performance.now() - start) / 1000, await stateOf(kind))
}

async function byServer(kind: StoredKind, count: number): Promise<void> {
  const [resource = '', ...group] = kind.name.split('.')
  const object = {
    apiVersion: 'storagemigration.k8s.io/v1alpha1',
    kind: 'StorageVersionMigration',
    metadata: { name: `of-${String(count)}` },
    spec: { resource: { group: group.join('.'), version: 'v1', resource } },
  }
  const start = performance.now()
  const [result] = await kube.apply([object])
  if (result?.ok !== true) {
    console.log(`server's StorageVersionMigration: ${result?.message ?? ''}`)
    return
  }
  await until(object, (found) => isTrue(found, 'Succeeded') || isTrue(found, 'Failed'))
  const found = await kube.get(object)
  const seconds = (performance.now() - start) / 1000
  const end = found !== undefined && isTrue(found, 'Failed') ? 'FAILED, ' : ''
  report("the server's StorageVersionMigration", count, seconds, `${end}${await stateOf(kind)}`)
}

try {
  await kube.installCrds([join(root, 'templates/crds')])
  for (const count of counts) {
    const kind = storedKind(kube, `thing${String(count)}`)
    await kind.define({ storage: 'v1alpha1' })
    await kind.fillStore('a', count / 2, { text: 'x'.repeat(1000) })
    await kind.define({ storage: 'v1beta1' })
    await kind.fillStore('b', count / 2, { text: 'x'.repeat(1000) })
    await kind.define({ storage: 'v1' })
    console.log(`there are ${await stateOf(kind)}`)
    await byController(kind, count)
    if (isAlone) continue
    await kind.define({ storage: 'v1beta1' })
    await byKubectl(kind, count)
    await kind.define({ storage: 'v1' })
    await byServer(kind, count)
  }
} finally {
  await kube.close()
}
