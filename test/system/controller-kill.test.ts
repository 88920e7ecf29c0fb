import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from '../../tools/servers/flux.ts'
import { fieldOf, type KubeObject, refusals } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import {
  cluster,
  conditionsOf,
  installKinds,
  readyIs,
  runtimeValues,
  startController,
  valuesMap,
} from './controller-world.ts'

const values = [
  { name: 'HOST', from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.host' }, type: 'host' },
  { name: 'PORT', from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.port' }, type: 'port' },
]

describe.runIf(hasKube())('a controller that dies at any of its requests', () => {
  let kube: Kube

  beforeAll(async () => {
    kube = await startKube()
    await kube.createNamespaces(['team-a'])
    await installKinds(kube)
  })
  afterAll(() => kube.close())

  const apply = async (...objects: readonly KubeObject[]): Promise<void> => {
    expect(refusals(await kube.apply(objects))).toEqual([])
  }

  /** So that the next one has nothing else to work on. */
  async function clear(name: string): Promise<void> {
    for (const object of [runtimeValues(name, {}), cluster(name, {}), valuesMap(name)]) await kube.remove(object)
  }

  /** All that is left in the end, but for what differs between objects of another name. */
  async function endOf(name: string): Promise<unknown> {
    const [object, map] = [await kube.get(runtimeValues(name, {})), await kube.get(valuesMap(name))]
    const renamed: unknown = JSON.parse(JSON.stringify({ object, map }).replaceAll(name, 'NAME'))
    return {
      conditions: conditionsOf(object).map((line) => line.replaceAll(name, 'NAME')),
      inventory: fieldOf(renamed, 'object.status.inventory'),
      values: fieldOf(renamed, 'object.status.values'),
      data: map?.['data'],
      labels: fieldOf(renamed, 'map.metadata.labels'),
      managers: [fieldOf(map, 'metadata.managedFields')]
        .flat()
        .map((entry) => `${String(fieldOf(entry, 'manager'))} ${String(fieldOf(entry, 'operation'))}`),
    }
  }

  test('leaves what the next one makes whole, and never a part of the values', { timeout: 180_000 }, async () => {
    const partial: unknown[] = []
    let want: unknown
    let requests = 0
    let deaths = 0
    for (let round = 0; round === 0 || round <= requests; round++) {
      const name = `kill-${String(round)}`
      await apply(
        cluster(name, { controlPlaneEndpoint: { host: '192.0.2.7', port: 6443 } }),
        runtimeValues(name, { values, publish: { configMap: name } }),
      )
      // the first one lives, and shows how many requests there are
      const killed = await startController(kube, {}, round === 0 ? {} : { lives: round })
      if (round === 0) {
        await readyIs(kube, runtimeValues(name, {}), 'Ready=True')
        requests = killed.requests()
        await killed.stop()
        want = await endOf(name)
        await clear(name)
        continue
      }
      // the first one may have asked once more than needed, such as after an event that came late
      const isDead = (): boolean => killed.requests() >= round
      const isDone = (object: KubeObject | undefined): boolean =>
        conditionsOf(object).some((line) => line.startsWith('Ready=True'))
      await waitFor(kube, runtimeValues(name, {}), { until: (object) => isDead() || isDone(object) })
      for (let look = 0; look < 20 && !isDead(); look++) await setTimeout(100)
      if (isDead()) deaths += 1
      const left = fieldOf(await kube.get(valuesMap(name)), 'data')
      if (left !== undefined && fieldOf(left, 'PORT') === undefined) partial.push(left)
      await killed.stop()
      const next = await startController(kube)
      await readyIs(kube, runtimeValues(name, {}), 'Ready=True')
      await next.stop()
      expect({ round, end: await endOf(name) }).toEqual({ round, end: want })
      await clear(name)
    }
    expect(requests).toBeGreaterThan(8)
    expect(requests - deaths).toBeLessThanOrEqual(2)
    expect(fieldOf(want, 'managers')).toEqual(['stackmason-runtime-values Apply'])
    expect(partial).toEqual([])
  })
})
