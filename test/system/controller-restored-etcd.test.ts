import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from '../../tools/servers/flux.ts'
import { fieldOf, refusals } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'
import {
  cluster,
  installKinds,
  readyIs,
  type RunningController,
  runtimeValues,
  startController,
  valuesMap,
} from './controller-world.ts'

const value = (name: string): object => ({
  name,
  from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.host' },
  type: 'host',
})
const lease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'stackmason-controller', namespace: 'team-a' },
}

describe.runIf(hasKube())('a controller under which etcd is restored', () => {
  let kube: Kube
  let controller: RunningController
  /** What lists of RuntimeValues wait for. */
  let mayList = Promise.resolve()

  beforeAll(async () => {
    kube = await startKube()
    await kube.createNamespaces(['team-a'])
    await installKinds(kube)
    // longer than servers are away
    const times = { duration: 180_000, renewWithin: 150_000, retryEvery: 500 }
    controller = await startController(
      kube,
      { kinds: ['RuntimeValues'], lease: { namespace: 'team-a', times } },
      { before: async ({ path }) => (path.includes('/runtimevalues?') ? mayList : undefined) },
    )
  })
  afterAll(async () => {
    await controller.stop()
    await kube.close()
  })

  const apply = async (...objects: Parameters<Kube['apply']>[0] & readonly unknown[]): Promise<void> => {
    expect(refusals(await kube.apply(objects))).toEqual([])
  }
  const hosted = (name: string, address: string): ReturnType<typeof cluster> =>
    cluster(name, { controlPlaneEndpoint: { host: address, port: 1 } })
  const values = (name: string, ...asked: readonly string[]): ReturnType<typeof runtimeValues> =>
    runtimeValues(name, { values: asked.map(value), publish: { configMap: name } })
  const published = async (name: string, data: Readonly<Record<string, string>>): Promise<void> => {
    await waitFor(kube, valuesMap(name), {
      until: (map) => JSON.stringify(fieldOf(map, 'data')) === JSON.stringify(data),
    })
  }

  test('works on with what is there then, and keeps its lease', { timeout: 180_000 }, async () => {
    await apply(hosted('moved', '192.0.2.1'), values('moved', 'HOST'))
    await apply(hosted('edited', '192.0.2.2'), values('edited', 'HOST'))
    await apply(hosted('removed', '192.0.2.3'), values('removed', 'HOST'))
    for (const name of ['moved', 'edited', 'removed']) await readyIs(kube, values(name), 'Ready=True')
    const backup = join(tempFolderForFile(), 'etcd')
    await kube.backUpEtcd(backup)
    await apply(hosted('moved', '192.0.2.11'), values('edited', 'HOST', 'BEFORE'))
    await apply(hosted('made', '192.0.2.4'), values('made', 'HOST'))
    await kube.remove(values('removed'))
    await published('moved', { HOST: '192.0.2.11' })
    await published('edited', { BEFORE: '192.0.2.2', HOST: '192.0.2.2' })
    await published('made', { HOST: '192.0.2.4' })
    const starts = controller.log.length
    let list = (): void => undefined
    mayList = new Promise((resolve) => {
      list = resolve
    })
    await kube.restoreEtcd(backup)
    // the second generation of this object, for the second time
    await apply(values('edited', 'HOST', 'AFTER'))
    list()
    await published('edited', { AFTER: '192.0.2.2', HOST: '192.0.2.2' })
    expect(await kube.get(valuesMap('made'))).toBeUndefined()
    await apply(hosted('moved', '192.0.2.21'), hosted('removed', '192.0.2.23'))
    await published('moved', { HOST: '192.0.2.21' })
    await published('removed', { HOST: '192.0.2.23' })
    const renewedAt = async (): Promise<string> => String(fieldOf(await kube.get(lease), 'spec.renewTime'))
    const before = await renewedAt()
    await waitFor(kube, lease, { until: (found) => fieldOf(found, 'spec.renewTime') !== before })
    expect(fieldOf(await kube.get(lease), 'spec')).toMatchObject({ holderIdentity: 'test', leaseTransitions: 0 })
    expect(controller.log.slice(starts).filter((line) => /"(working|leading|stopped)"/.test(line))).toEqual([])
  })
})
