import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Flux,
  isKustomizationReady,
  kustomizationReference,
  startKustomizeController,
  waitFor,
} from '../../tools/servers/flux.ts'
import { fieldOf, type KubeObject, refusals } from '../../tools/servers/kube-client.ts'
import { watchKube } from '../../tools/servers/kube-watch.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import { runCli } from '../cli/run-cli.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'
import { conditionsOf, startController } from './controller-world.ts'

const kinds = ['nodeimagegates', 'runtimevalues', 'storagemigrations'].map((name) => `${name}.stackmason.dev`)
const namespace = 'stackmason-system'

describe.runIf(hasKube('kustomizeController'))('a fleet that brings the controller, under the real Flux', () => {
  const fleet = join(tempFolderForFile(), 'fleet')
  let kube: Kube
  let flux: Flux
  /** What came to be, in order. */
  const order: string[] = []
  const stops: (() => void)[] = []

  beforeAll(async () => {
    const words = ['--engine', 'flux', '--controller-image', 'registry.example.com/stackmason:1.2.3']
    await runCli(['init', 'fleet', ...words], { cwd: join(fleet, '..') })
    await runCli(['render', '-q'], { cwd: fleet })
    kube = await startKube()
    flux = await startKustomizeController(kube)
    await kube.createNamespaces(['flux-system', 'team-a'])
    for (const path of [
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      '/apis/kustomize.toolkit.fluxcd.io/v1/kustomizations',
    ]) {
      stops.push(watchKube(kube, path, ({ object }) => note(object)))
    }
  })
  afterAll(async () => {
    for (const stop of stops) stop()
    await flux.close()
    await kube.close()
  })

  function note({ kind, metadata: { name }, ...rest }: KubeObject): void {
    const isDefined = kinds.includes(name) && conditionsThat(rest).includes('Established=True')
    const isThere = kind === 'Kustomization' || isDefined
    if (isThere && !order.includes(name)) order.push(name)
  }

  function conditionsThat(object: object): readonly string[] {
    const conditions = fieldOf(object, 'status.conditions')
    return [conditions].flat().map((found) => `${String(fieldOf(found, 'type'))}=${String(fieldOf(found, 'status'))}`)
  }

  test('has its definitions there before any unit of the fleet, and waits for no pod', async () => {
    // whatever the file is applied to has Flux's own GitRepository played
    const bootstrap = await readFile(join(fleet, 'bootstrap/flux.yaml'), 'utf8')
    expect(refusals(await kube.apply(bootstrap))).toEqual([])
    const { revision } = await flux.publish({ name: 'fleet', namespace: 'flux-system' }, fleet)
    for (const name of ['stackmason-controller', 'fleet']) {
      await waitFor(kube, kustomizationReference('flux-system', name), {
        until: (object) => isKustomizationReady(object, revision),
        timeout: 60_000,
      })
    }
    const units = order.filter((name) => !['fleet', 'stackmason-controller', ...kinds].includes(name))
    const ours = order.filter((name) => kinds.includes(name))
    expect(ours.toSorted()).toEqual(kinds)
    const [first = ''] = units
    expect(first).not.toBe('')
    expect(Math.max(...ours.map((name) => order.indexOf(name)))).toBeLessThan(order.indexOf(first))
  })

  test('has all of it accepted by the API server', async () => {
    const found = await Promise.all(
      [
        ['apps/v1', 'Deployment'],
        ['policy/v1', 'PodDisruptionBudget'],
        ['networking.k8s.io/v1', 'NetworkPolicy'],
        ['v1', 'Service'],
        ['rbac.authorization.k8s.io/v1', 'Role'],
        ['rbac.authorization.k8s.io/v1', 'RoleBinding'],
      ].map(async ([version = '', kind = '']) => kube.list(version, kind, namespace)),
    )
    expect(
      found
        .flat()
        .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
        .toSorted(),
    ).toEqual([
      'Deployment stackmason-controller',
      'NetworkPolicy stackmason-controller',
      'PodDisruptionBudget stackmason-controller',
      'Role stackmason-controller',
      'RoleBinding stackmason-controller',
      'Service stackmason-controller-metrics',
    ])
  })

  test('gives the controller the rights to say how its objects are', async () => {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/stackmason-controller/token`
    const { body } = await kube.request('POST', path, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: [] },
    })
    const object: KubeObject = {
      apiVersion: 'stackmason.dev/v1alpha1',
      kind: 'RuntimeValues',
      metadata: { name: 'web', namespace: 'team-a' },
      spec: {
        clusterName: 'web',
        values: [
          { name: 'HOST', from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.host' }, type: 'host' },
        ],
        publish: { configMap: 'web' },
      },
    }
    expect(refusals(await kube.apply([object]))).toEqual([])
    const lease = { namespace, times: { duration: 15_000, renewWithin: 10_000, retryEvery: 2000 } }
    const controller = await startController(kube, { lease }, { token: String(fieldOf(body, 'status.token')) })
    try {
      const seen = await waitFor(kube, object, { until: (now) => conditionsOf(now).length > 0 })
      expect(conditionsOf(seen)[0]).toBe('Ready=False SourceNotFound: HOST: the Cluster is not there')
      // a right that it lacks would be an error
      expect(controller.log.filter((line) => line.includes('"level":"error"'))).toEqual([])
    } finally {
      await controller.stop()
    }
  })

  test('leaves definitions and what is published when it is taken out', async () => {
    for (const name of ['fleet', 'stackmason-controller']) {
      await kube.remove(kustomizationReference('flux-system', name))
      await waitFor(kube, kustomizationReference('flux-system', name), { until: (object) => object === undefined })
    }
    const left = await kube.list('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
    expect(left.map(({ metadata }) => metadata.name).filter((name) => name.endsWith('.stackmason.dev'))).toEqual(kinds)
  })
})
