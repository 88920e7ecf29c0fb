import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { realFleet, type RealShape } from '../../tools/fleets/real-fleet.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { hasCapi, startCapi, type Capi } from '../../tools/servers/capi.ts'
import { waitFor } from '../../tools/servers/flux.ts'
import { playImages, type ImagePlayer, type ImageState } from '../../tools/servers/image-player.ts'
import { playInfrastructure, type InfrastructurePlayer } from '../../tools/servers/infrastructure-player.ts'
import { fieldOf, parseObjects, refusals, type KubeObject } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import { tempFolder } from '../support/temp-folder.ts'

const shared = sharedFolder() ?? ''
if (shared === '') console.warn('SKIPPED: the real cluster stacks under the real Cluster API: no ../shared')

/** Of what is rendered for the management cluster, what others than us define. */
function rendered(fleet: FleetFolder, folder: string): readonly KubeObject[] {
  return fleet
    .filesBelow(folder)
    .flatMap((file) => parseObjects(fleet.read(`${folder}/${file}`)))
    .filter(({ apiVersion }) => /(?:x-k8s\.io|k-orc\.cloud)\//.test(apiVersion))
}

const topology = (object: KubeObject | undefined): unknown => conditionOf(object, 'TopologyReconciled')

function conditionOf(object: KubeObject | undefined, type: string): unknown {
  const conditions = fieldOf(object, 'status.conditions')
  return Array.isArray(conditions)
    ? conditions.find((condition: unknown) => fieldOf(condition, 'type') === type)
    : undefined
}

const clusterAt = (name: string, namespace: string): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { namespace, name },
})

describe.runIf(shared !== '' && hasKube() && hasCapi())('the real stacks under the real Cluster API', () => {
  let kube: Kube
  let capi: Capi | undefined
  let players: readonly (InfrastructurePlayer | ImagePlayer)[] = []
  let imageState: ImageState = 'importing'

  beforeAll(async () => {
    kube = await startKube()
    capi = await startCapi(kube)
    // Cluster API goes by the newer contract where there are two
    players = [
      await playInfrastructure(kube, {
        provider: 'Docker',
        contracts: ['v1beta1', 'v1beta2'],
        endpointOf: () => undefined,
      }),
      await playInfrastructure(kube, {
        provider: 'OpenStack',
        contracts: ['v1beta1'],
        endpointOf: () => ({ host: '192.0.2.10', port: 6443 }),
      }),
      await playImages(kube, () => imageState),
    ]
  })
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.log(capi?.log().slice(-5000))
  })
  afterAll(async () => {
    await Promise.all(players.map((player) => player.close()))
    await capi?.close()
    await kube?.close()
  })

  /** Renders, and applies the stack, then the clusters; returns what was refused. */
  async function apply(
    shape: Omit<RealShape, 'tool'>,
    edit: (fleet: FleetFolder) => void = () => undefined,
  ): Promise<readonly string[]> {
    const fleet = realFleet(await tempFolder(), shared, { tool: 'flux', ...shape })
    edit(fleet)
    await fleet.render()
    await kube.createNamespaces(['team'])
    const results = [
      ...(await kube.apply(rendered(fleet, 'rendered/stacks'))),
      ...(await kube.apply(rendered(fleet, 'rendered/clusters'))),
    ]
    return refusals(results)
  }

  test('openstack/scs reconciles, by the contract v1beta1', async () => {
    expect(await apply({ provider: 'openstack', kubernetes: '1.32.5' })).toEqual([])
    for (const name of ['one', 'two']) {
      const cluster = clusterAt(name, 'team')
      await waitFor(kube, cluster, { until: (object) => fieldOf(topology(object), 'status') === 'True' })
      await waitFor(kube, cluster, {
        until: (object) => fieldOf(object, 'spec.controlPlaneEndpoint.host') === '192.0.2.10',
      })
    }
  })

  test('its image is there when OpenStack has it', async () => {
    const name = { namespace: 'team', name: 'ubuntu-capi-image-v1.32.5' }
    const image = { apiVersion: 'openstack.k-orc.cloud/v1alpha1', kind: 'Image', metadata: name }
    const isThere = (object: KubeObject | undefined): boolean =>
      fieldOf(conditionOf(object, 'Available'), 'status') === 'True'
    expect(isThere(await kube.get(image))).toBe(false)
    imageState = 'available'
    const there = await waitFor(kube, image, { until: isThere })
    expect(fieldOf(there, 'status.resource.status')).toBe('active')
  })

  test('openstack/scs2 reconciles', async () => {
    // its addons come from repositories of charts, which no class needs
    let clusters = ''
    const takeClusters = (fleet: FleetFolder): void => {
      clusters = fleet.read('clusters/team/one/cluster.yaml').replace('name: one', 'name: scs2')
      fleet.remove('clusters')
    }
    expect(await apply({ provider: 'openstack', stack: 'scs2', kubernetes: '1.34.7' }, takeClusters)).toEqual([])
    expect(refusals(await kube.apply(clusters))).toEqual([])
    await waitFor(kube, clusterAt('scs2', 'team'), {
      until: (object) => fieldOf(topology(object), 'status') === 'True',
    })
  })

  test('docker/scs needs imageRepository to be set: the default that its class gives it is refused', async () => {
    const edit = (fleet: FleetFolder): void => {
      for (const name of ['one', 'two']) {
        const renamed = `clusters/team/docker-${name}`
        fleet.copy(fleet.path(`clusters/team/${name}`), renamed)
        fleet.remove(`clusters/team/${name}`)
        fleet.edit(`${renamed}/cluster.yaml`, `name: ${name},`, `name: docker-${name},`)
      }
      fleet.edit(
        'clusters/team/docker-two/cluster.yaml',
        'controlPlane:',
        'variables: [{name: imageRepository, value: registry.k8s.io}], controlPlane:',
      )
    }
    expect(await apply({ provider: 'docker', kubernetes: '1.30.10' }, edit)).toEqual([])
    // its chart leaves a condition of the class to helm, which makes `enabledIf: "true"` of it
    const failed = await waitFor(kube, clusterAt('docker-one', 'team'), {
      until: (object) => fieldOf(topology(object), 'status') === 'False',
    })
    expect(fieldOf(topology(failed), 'message')).toContain(
      'failed to create KubeadmControlPlane.controlplane.cluster.x-k8s.io: FieldValueInvalid: spec.kubeadmConfigSpec.clusterConfiguration.imageRepository: Invalid value: ""',
    )
    await waitFor(kube, clusterAt('docker-two', 'team'), {
      until: (object) => fieldOf(topology(object), 'status') === 'True',
    })
  })
})
