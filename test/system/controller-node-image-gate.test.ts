import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ImagePlayer, type ImageState, playImages } from '../../tools/servers/image-player.ts'
import { fieldOf, type KubeObject, refusals } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import {
  conditionsOf,
  definition,
  installKinds,
  readyIs,
  type RunningController,
  startController,
  toldOf,
} from './controller-world.ts'

const releaseKind = { group: 'infrastructure.clusterstack.x-k8s.io', kind: 'OpenStackNodeImageRelease' }

function gate(name: string, spec: object): KubeObject {
  return {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'NodeImageGate',
    metadata: { name, namespace: 'team-a' },
    spec,
  }
}

function image(name: string, resource: object = {}): KubeObject {
  return {
    apiVersion: 'openstack.k-orc.cloud/v1alpha1',
    kind: 'Image',
    metadata: { name, namespace: 'team-a' },
    spec: { cloudCredentialsRef: { cloudName: 'openstack', secretName: 'openstack' }, resource },
  }
}

describe.runIf(hasKube())('gates of node images on a real API server', () => {
  let kube: Kube
  let controller: RunningController
  let player: ImagePlayer | undefined
  const states = new Map<string, ImageState>()

  const apply = async (...objects: readonly KubeObject[]): Promise<void> => {
    expect(refusals(await kube.apply(objects))).toEqual([])
  }
  /** Waits until the first condition begins so, and gives all of them. */
  const becomes = async (object: KubeObject, start: string): Promise<readonly string[]> =>
    conditionsOf(await readyIs(kube, object, start))

  beforeAll(async () => {
    kube = await startKube()
    await kube.createNamespaces(['team-a'])
    await installKinds(kube)
    controller = await startController(kube, { kinds: ['NodeImageGate'] })
  })
  afterAll(async () => {
    await controller.stop()
    await player?.close()
    await kube.close()
  })

  const byObject = gate('by-object', { images: [{ orcImage: 'ubuntu' }] })
  const byName = gate('by-name', { images: [{ name: 'Ubuntu 24.04' }] })

  test('is closed while the server does not even have the kind', async () => {
    await apply(byObject, byName)
    expect(await becomes(byObject, 'Ready=False')).toEqual(
      ['Ready=False', 'ImagesAvailable=False', 'Reconciling=True'].map(
        (state) => `${state} ImageNotFound: ubuntu: the server has no Image (openstack.k-orc.cloud)`,
      ),
    )
    expect((await becomes(byName, 'Ready=False'))[0]).toBe(
      'Ready=False ImageNotFound: Ubuntu 24.04: the server has no Image (openstack.k-orc.cloud) and no ' +
        'OpenStackNodeImageRelease (infrastructure.clusterstack.x-k8s.io)',
    )
  })

  test('is open where the release says that it needs none', async () => {
    const none = gate('none', { none: true })
    await apply(none)
    expect(await becomes(none, 'Ready=True')).toEqual(
      ['Ready', 'ImagesAvailable'].map(
        (type) => `${type}=True NoImagesRequired: The release needs no image that could be missing`,
      ),
    )
  })

  test('follows an image from nothing to available and back, by what it is told', async () => {
    player = await playImages(kube, ({ metadata: { name } }) => states.get(name) ?? 'importing')
    await kube.createCrds([definition({ ...releaseKind, versions: ['v1alpha1'] })])
    // the kinds are asked for twice a minute; a change of the object does not wait for that
    const changed = { images: [{ orcImage: 'ubuntu' }], stalledAfter: '2h' }
    await apply(gate('by-object', changed), gate('by-name', { images: [{ name: 'Ubuntu 24.04' }], stalledAfter: '2h' }))
    expect((await becomes(byObject, 'Ready=False ImageNotFound: ubuntu: there'))[0]).toBe(
      'Ready=False ImageNotFound: ubuntu: there is no such Image object in the namespace',
    )
    await becomes(byName, 'Ready=False ImageNotFound: Ubuntu 24.04: no object in the namespace describes')
    const looks = controller.requests()
    await apply(image('ubuntu', { name: 'Ubuntu 24.04' }))
    await becomes(byObject, 'Ready=False Progressing: ubuntu: Progressing')
    await becomes(byName, 'Ready=False Progressing: Ubuntu 24.04: Progressing')
    states.set('ubuntu', 'available')
    const ready = await readyIs(kube, byObject, 'Ready=True Succeeded: All images are there: 1')
    expect(conditionsOf(ready)).toHaveLength(2)
    expect(fieldOf(ready, 'status.images')).toEqual([
      { name: 'ubuntu', ready: true, id: fieldOf(await kube.get(image('ubuntu')), 'status.id') },
    ])
    await becomes(byName, 'Ready=True')
    states.set('ubuntu', 'failed')
    expect((await becomes(byObject, 'Ready=False ImageFailed')).at(-1)).toBe(
      'Stalled=True ImageFailed: ubuntu: UnrecoverableError',
    )
    await becomes(byName, 'Ready=False ImageFailed')
    states.set('ubuntu', 'available')
    expect(await becomes(byObject, 'Ready=True')).toHaveLength(2)
    await kube.remove(image('ubuntu'))
    await becomes(byObject, 'Ready=False ImageNotFound')
    await becomes(byName, 'Ready=False ImageNotFound')
    // what is seen first is the image before or after its controller has spoken
    const unspoken = ': its controller has not said anything of it as it is now'
    expect(toldOf(controller, 'team-a/by-object').map((line) => line.replace(unspoken, ''))).toEqual([
      'info NodeImageGate waits {"reason":"ImageNotFound","message":"ubuntu: the server has no Image (openstack.k-orc.cloud)"}',
      'info NodeImageGate waits {"reason":"Progressing","message":"ubuntu: Progressing"}',
      'info NodeImageGate ready',
      'warn NodeImageGate a person has to act {"reason":"ImageFailed","message":"ubuntu: UnrecoverableError"}',
      'info NodeImageGate ready',
      'info NodeImageGate waits {"reason":"ImageNotFound","message":"ubuntu: there is no such Image object in the namespace"}',
    ])
    // nobody polls: each of some changes takes a pass of some requests for each gate
    expect(controller.requests() - looks).toBeLessThan(80)
  })

  test('takes what the older provider says for it', async () => {
    const release: KubeObject = {
      apiVersion: `${releaseKind.group}/v1alpha1`,
      kind: releaseKind.kind,
      metadata: { name: 'openstack-scs-1-30-ubuntu-v1', namespace: 'team-a' },
      spec: { image: { url: 'https://images.example.com/u.qcow2', createOpts: { name: 'Ubuntu 24.04' } } },
    }
    const lastTransitionTime = '2026-01-01T00:00:00Z'
    const tell = async (ready: boolean, more: object): Promise<void> => {
      const active = { type: 'OpenStackImageActive', lastTransitionTime, ...more }
      await kube.applyStatus({ ...release, status: { ready, conditions: [active] } })
    }
    await apply(release)
    await becomes(byName, 'Ready=False Progressing')
    await tell(true, { status: 'True' })
    await becomes(byName, 'Ready=True')
    await tell(true, { status: 'False', severity: 'Error', reason: 'IssueWithOpenStackImage', message: 'killed' })
    expect(await becomes(byName, 'Ready=False ImageFailed')).toContain(
      'Stalled=True ImageFailed: Ubuntu 24.04: IssueWithOpenStackImage: killed',
    )
  })

  test('is stalled when images are missing for too long, and no longer when they come', async () => {
    const late = gate('late', { images: [{ orcImage: 'late' }], stalledAfter: '1s' })
    await apply(late)
    await becomes(late, 'Ready=False ImageNotFound: late: there is no such Image object in the namespace; for')
    states.set('late', 'available')
    await apply(image('late'))
    expect(await becomes(late, 'Ready=True')).toHaveLength(2)
  })

  test('writes nothing where nothing has changed', async () => {
    const versions = async (): Promise<readonly unknown[]> =>
      (await kube.list('stackmason.dev/v1alpha1', 'NodeImageGate')).map((found) =>
        fieldOf(found, 'metadata.resourceVersion'),
      )
    const before = await versions()
    await controller.stop()
    controller = await startController(kube, { kinds: ['NodeImageGate'] })
    const writes = (): readonly string[] => controller.log.filter((line) => line.includes('"a write"'))
    // the first list of a watch calls those again that it is for
    await expect.poll(() => writes().length).toBeGreaterThanOrEqual(before.length)
    expect(writes().filter((line) => !line.includes('"unchanged"'))).toEqual([])
    expect(await versions()).toEqual(before)
    expect(player?.problems()).toEqual([])
  })
})
