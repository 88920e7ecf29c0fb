import { nodeDeadline } from '../../../src/system/node-deadline.ts'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { planNodeImages, type PlannedNodeImages } from '../../../src/handoff/images/plan-node-images.ts'
import type { NodeImageConfig } from '../../../src/model/fleet.ts'
import type { HandoffStack } from '../../../src/model/handoff.ts'
import { parseVersion } from '../../../src/model/release-name.ts'
import { createChartRenderer } from '../../../src/render/stack/chart-renderer.ts'
import { createPlacer } from '../../../src/render/stack/place.ts'
import { renderClass } from '../../../src/render/stack/render-class.ts'
import { readProviderDirectory } from '../../../src/sources/release/provider-directory.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { parseObjects, refusals } from '../../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../../tools/servers/kube.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'

const at = { source: { name: 'stackmason.yaml', text: '' }, start: 0, end: 0 }
const shared = sharedFolder() ?? ''
if (shared === '') console.warn('SKIPPED: node images of real stacks: no ../shared')

/** A stack of the shared data, its class rendered as `render` does. */
async function stackOf(provider: string, stack: string, minor: number): Promise<HandoffStack> {
  const ports = createNodePorts()
  const path = join(shared, 'cluster-stacks/providers', provider, stack)
  const name = { provider, stack, kubernetes: { major: 1, minor }, version: parseVersion('v1') }
  const read = await readProviderDirectory(
    { type: 'providerDirectory', name: 'x', path, version: 'v1', at },
    name,
    ports,
  )
  if (read === undefined) throw new Error(`${path} holds another release`)
  const options = { helmVersion: 4, instanceLabel: false, scopes: [], place: createPlacer() } as const
  const charts = createChartRenderer(ports.crypto, { elapsed: () => 0, deadline: nodeDeadline })
  const { folder } = renderClass(read.release, 'platform', { ...options, charts })
  return { namespace: 'platform', release: read.release, folder }
}

const images = ({ stacks }: PlannedNodeImages): readonly string[] =>
  stacks.flatMap(({ folder }) =>
    folder.manifests
      .filter(({ kind }) => kind === 'Image' || kind === 'NodeImageGate')
      .map(({ object }) => formatManifestYaml(object)),
  )
const config: NodeImageConfig = {
  provider: 'openstack',
  stack: 'scs2',
  use: 'release',
  credentials: { secretName: 'openstack', cloudName: 'openstack' },
  gate: 'controller',
  at,
}

describe.runIf(shared !== '')('node images of real stacks', () => {
  test('scs2: from image.yaml beside it; scs: from its class; docker: none', async () => {
    const stacks = [await stackOf('openstack', 'scs2', 34), await stackOf('openstack', 'scs', 32)]
    const planned = planNodeImages([...stacks, await stackOf('docker', 'scs', 30)], [], { configs: [], kept: [] })
    const names = images(planned).map((text) => /\n {2}name: (.*)/.exec(text)?.[1])
    expect(names).toEqual(['ubuntu-capi-image-v1.34.7', 'ubuntu-capi-image-v1.32.5'])
    expect(
      images(planned).every((text) => text.includes('onDelete: detach') && text.includes('namespace: platform')),
    ).toBe(true)
    expect(planned.findings).toEqual([])
  })

  describe.runIf(hasKube())('on a real API server', () => {
    let kube: Kube
    beforeAll(async () => {
      kube = await startKube()
      await kube.installCrds([join(shared, 'crds/openstack/openstack.k-orc.cloud_images.yaml'), 'templates/crds'])
      await kube.createNamespaces(['platform'])
    }, 240_000)
    afterAll(() => kube.close())

    test('are taken, however they are made', async () => {
      const scs2 = await stackOf('openstack', 'scs2', 34)
      const [orc, manager] = scs2.release.imageFiles ?? []
      if (orc === undefined || manager === undefined) throw new Error('scs2 has lost a file about images')
      const variants: readonly Partial<NodeImageConfig>[] = [
        { file: orc },
        { file: manager },
        { use: 'existing' },
        { uploadFrom: ['elsewhere'] },
        { use: 'none' },
      ]
      for (const variant of variants) {
        const made = images(planNodeImages([scs2], [], { configs: [{ ...config, ...variant }], kept: [] }))
        expect(made).toHaveLength(variant.use === 'none' ? 1 : 2)
        expect(refusals(await kube.apply(parseObjects(made.join('---\n')), { dryRun: true }))).toEqual([])
      }
    })
  })
})
