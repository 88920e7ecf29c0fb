import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { workedKinds } from '../../src/controller/worked-kinds.ts'
import { waitFor } from '../../tools/servers/flux.ts'
import { fieldOf, refusals } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import { packageFolder } from '../cli/run-cli.ts'
import { builtProgram } from '../../tools/built-program.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'
import { cluster, installKinds, readyIs, runtimeValues, valuesMap } from './controller-world.ts'

const host = {
  name: 'HOST',
  from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.host' },
  type: 'host',
}
const lease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'stackmason-controller', namespace: 'team-a' },
}

interface Running {
  readonly log: () => string
  readonly stop: (signal: 'SIGTERM' | 'SIGKILL') => Promise<number | null>
  /** Stands still, or goes on. */
  readonly send: (signal: 'SIGSTOP' | 'SIGCONT') => void
  /** Waits until it ends by itself. */
  readonly ended: () => Promise<number | null>
}

describe.runIf(hasKube())('stackmason controller run, as a program', () => {
  let kube: Kube
  let kubeconfig = ''
  let program = ''

  beforeAll(async () => {
    program = await builtProgram()
    kube = await startKube()
    await kube.createNamespaces(['team-a', 'team-b'])
    await installKinds(kube)
    kubeconfig = join(tempFolderForFile(), 'kubeconfig')
    writeFileSync(kubeconfig, kube.kubeconfigText)
  })
  const children: ChildProcess[] = []
  afterAll(async () => {
    // those that a failed test has left behind
    for (const child of children) child.kill('SIGKILL')
    await kube.close()
  })

  function start(name: string, ...words: readonly string[]): Running {
    const child = spawn(process.execPath, [program, 'controller', 'run', '--kubeconfig', kubeconfig, ...words], {
      cwd: packageFolder,
      env: { ...process.env, HOSTNAME: name },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    children.push(child)
    let log = ''
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString()
    })
    const ended = once(child, 'exit')
    return {
      log: () => log,
      stop: async (signal) => {
        child.kill(signal)
        await ended
        return child.exitCode
      },
      send: (signal) => {
        child.kill(signal)
      },
      ended: async () => {
        await ended
        return child.exitCode
      },
    }
  }

  const probes = async ({ log }: Running): Promise<readonly number[]> => {
    const [, port = ''] = /"port":(\d+)/.exec(log()) ?? []
    const ask = async (path: string): Promise<number> => (await fetch(`http://127.0.0.1:${port}${path}`)).status
    return Promise.all(['/healthz', '/readyz'].map(ask))
  }
  const metricsOf = async ({ log }: Running): Promise<string> => {
    const [, port = ''] = /"port":(\d+),"msg":"telling metrics"/.exec(log()) ?? []
    return (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  }
  const holder = async (): Promise<string> => String(fieldOf(await kube.get(lease), 'spec.holderIdentity'))
  const publish = async (name: string, address: string): Promise<void> => {
    const objects = [
      cluster(name, { controlPlaneEndpoint: { host: address, port: 6443 } }),
      runtimeValues(name, { values: [host], publish: { configMap: name } }),
    ]
    expect(refusals(await kube.apply(objects))).toEqual([])
    await readyIs(kube, runtimeValues(name, {}), 'Ready=True')
    expect(fieldOf(await kube.get(valuesMap(name)), 'data')).toEqual({ HOST: address })
  }

  test('works, waits, takes over, and gives the lease back', async () => {
    const times = [
      '--health-address',
      '127.0.0.1:0',
      '--lease-namespace',
      'team-a',
      '--lease-duration',
      '3s',
      '--lease-renew',
      '2s',
      '--lease-retry',
      '0.5s',
    ]
    const first = start('first', ...times, '--metrics-address', '127.0.0.1:0')
    await publish('one', '192.0.2.1')
    expect(await holder()).toMatch(/^first_[0-9a-f]{16}$/)
    const second = start('second', ...times)
    await waitFor(kube, lease, { until: () => second.log().includes('waiting for the lease') })
    // ready once it has seen whose the lease is
    await expect.poll(() => probes(second)).toEqual([200, 200])
    await expect.poll(() => probes(first)).toEqual([200, 200])
    const lines = (await metricsOf(first)).split('\n')
    expect(lines).toContain('leader_election_master_status{name="stackmason-controller"} 1')
    expect(lines).toContain('stackmason_objects{controller="runtimevalues",state="ready"} 1')
    expect(lines).toContain('stackmason_writes_total{controller="runtimevalues",object="ConfigMap",result="written"} 1')
    expect(lines.filter((line) => /"one"|team-a|192\.0\.2/.test(line))).toEqual([])
    // it gives the lease back, so that nobody has to wait for its end
    expect(await first.stop('SIGTERM')).toBe(0)
    expect(
      first
        .log()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => String(fieldOf(JSON.parse(line), 'msg'))),
    ).toEqual([
      'answering probes',
      'telling metrics',
      'waiting for the lease',
      'leading',
      ...workedKinds.map(() => 'working'),
      'published values',
      'ready',
      'stopped',
      'no longer leading',
    ])
    await publish('two', '192.0.2.2')
    expect(await holder()).toMatch(/^second_/)
    const third = start('third', ...times)
    await waitFor(kube, lease, { until: () => third.log().includes('waiting for the lease') })
    // nobody gives anything back: it is waited for
    expect(await second.stop('SIGKILL')).toBe(null)
    await publish('three', '192.0.2.3')
    expect(await holder()).toMatch(/^third_/)
    expect(fieldOf(await kube.get(lease), 'spec.leaseTransitions')).toBe(2)
    // somebody takes the lease by force: it ends, for it cannot know what the other does
    await kube.request(
      'PATCH',
      '/apis/coordination.k8s.io/v1/namespaces/team-a/leases/stackmason-controller',
      { spec: { holderIdentity: 'thief', leaseDurationSeconds: 3600 } },
      'application/merge-patch+json',
    )
    await waitFor(kube, lease, { until: () => third.log().includes('CONTROLLER_FAILED') })
    expect(await third.ended()).toBe(2)
    expect(await holder()).toBe('thief')
  })

  test('writes nothing when it wakes up after its lease', async () => {
    const times = [
      '--lease-namespace',
      'team-b',
      '--lease-duration',
      '3s',
      '--lease-renew',
      '2s',
      '--lease-retry',
      '0.5s',
    ]
    const held = { ...lease, metadata: { ...lease.metadata, namespace: 'team-b' } }
    const [frozen, next] = [start('frozen', ...times), start('next', ...times)]
    await waitFor(kube, held, { until: () => [frozen, next].every(({ log }) => log().includes('waiting for')) })
    await publish('ice', '192.0.2.4')
    const [leader, other] = frozen.log().includes('"leading"') ? [frozen, next] : [next, frozen]
    leader.send('SIGSTOP')
    await waitFor(kube, held, { until: () => other.log().includes('"working"') })
    // nobody is left to work, and the one that stands still has what it would have to do
    expect(await other.stop('SIGKILL')).toBe(null)
    const before = await kube.get(valuesMap('ice'))
    const moved = cluster('ice', { controlPlaneEndpoint: { host: '192.0.2.5', port: 6443 } })
    expect(refusals(await kube.apply([moved]))).toEqual([])
    leader.send('SIGCONT')
    expect(await leader.ended()).toBe(2)
    expect(leader.log()).toContain('the lease could not be renewed in time')
    expect(await kube.get(valuesMap('ice'))).toEqual(before)
  })
})
