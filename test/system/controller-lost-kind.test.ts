import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { fieldOf, type KubeObject, refusals } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import { accountWithAllRights } from '../../tools/servers/busy-server.ts'
import { waitFor } from '../../tools/servers/flux.ts'
import {
  cluster,
  installKinds,
  readyIs,
  type RunningController,
  runtimeValues,
  startController,
  valuesMap,
} from './controller-world.ts'

const account = { namespace: 'team-a', name: 'controller' }
const host = { name: 'HOST', from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.host' }, type: 'host' }

/** Rights on everything but RuntimeValues, and these on those. */
function roles(verbs: readonly string[]): readonly KubeObject[] {
  const groups = ['', 'cluster.x-k8s.io', 'apiextensions.k8s.io', 'events.k8s.io', 'coordination.k8s.io']
  return [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'controller-rights' },
      rules: [
        { apiGroups: groups, resources: ['*'], verbs: ['*'] },
        { apiGroups: ['stackmason.dev'], resources: ['runtimevalues/status'], verbs: ['*'] },
        { apiGroups: ['stackmason.dev'], resources: ['runtimevalues'], verbs },
      ],
    },
  ]
}

describe.runIf(hasKube())('a controller that loses a kind', () => {
  let kube: Kube
  let controller: RunningController

  const apply = async (...objects: Parameters<Kube['apply']>[0] & readonly unknown[]): Promise<void> => {
    expect(refusals(await kube.apply(objects))).toEqual([])
  }
  const publish = async (name: string, address: string): Promise<void> => {
    await apply(
      cluster(name, { controlPlaneEndpoint: { host: address, port: 1 } }),
      runtimeValues(name, { values: [host], publish: { configMap: name } }),
    )
    await waitFor(kube, valuesMap(name), { until: (map) => fieldOf(map, 'data.HOST') === address })
  }
  const logOf = (starts: number): readonly (readonly string[])[] =>
    controller.log.slice(starts).flatMap((line) => {
      const { level, msg, watched, error }: Record<string, unknown> = Object(JSON.parse(line))
      return watched === 'runtimevalues' && level !== 'debug' ? [[level, msg, error ?? ''].map(String)] : []
    })

  beforeAll(async () => {
    kube = await startKube()
    await kube.createNamespaces(['team-a'])
    await installKinds(kube)
    const token = await accountWithAllRights(kube, account)
    await apply(...roles(['*']), {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'controller-rights' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'controller-rights' },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    })
    await kube.remove({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: account.name },
    })
    controller = await startController(kube, { kinds: ['RuntimeValues'] }, { token })
    await publish('first', '192.0.2.1')
  })
  afterAll(async () => {
    await controller.stop()
    await kube.close()
  })

  test.each([
    { verbs: ['get', 'watch'], missing: 'list' },
    { verbs: ['get', 'list'], missing: 'watch' },
  ])(
    'by its role says that it may not $missing it, and goes on when it may',
    { timeout: 120_000 },
    async ({ verbs, missing }) => {
      const starts = controller.log.length
      await apply(...roles(verbs))
      await kube.restartApiServer(async () => undefined)
      const refused = `cannot ${missing} resource "runtimevalues" in API group "stackmason.dev" at the cluster scope`
      await vi.waitFor(() => {
        expect(logOf(starts).at(-1)).toEqual([
          'error',
          'a watch failed, and is tried again',
          expect.stringContaining(refused),
        ])
      }, 60_000)
      await apply(...roles(['*']))
      await vi.waitFor(() => {
        expect(logOf(starts).at(-1)).toEqual(['info', 'a watch works again', ''])
      }, 60_000)
      await publish(`after-${missing}`, '192.0.2.50')
    },
  )

  test('with its definition says so, and goes on when that is there again', { timeout: 120_000 }, async () => {
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'runtimevalues.stackmason.dev' },
    }
    const definition = await kube.get(crd)
    const starts = controller.log.length
    await kube.remove(crd)
    await vi.waitFor(() => {
      expect(logOf(starts).at(-1)).toEqual([
        'error',
        'the API server does not know a kind: apply its definition, or leave it out with --kind',
        'the server answers with status 404',
      ])
    }, 60_000)
    await apply({ ...crd, spec: fieldOf(definition, 'spec') })
    await vi.waitFor(() => {
      expect(logOf(starts).at(-1)).toEqual(['info', 'a watch works again', ''])
    }, 60_000)
    await publish('second', '192.0.2.60')
    await readyIs(kube, runtimeValues('second', {}), 'Ready=True')
  })
})
