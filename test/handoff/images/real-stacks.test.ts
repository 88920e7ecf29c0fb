import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { formatGoJson } from '../../../src/codec/json/go-json.ts'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { planNodeImages, type PlannedNodeImages } from '../../../src/handoff/images/plan-node-images.ts'
import type { NodeImageConfig } from '../../../src/model/fleet.ts'
import type { HandoffStack } from '../../../src/model/handoff.ts'
import { parseVersion } from '../../../src/model/release-name.ts'
import { createChartRenderer } from '../../../src/render/stack/chart-renderer.ts'
import { createFinisher } from '../../../src/render/stack/create-finisher.ts'
import { renderClass } from '../../../src/render/stack/render-class.ts'
import { readProviderDirectory } from '../../../src/sources/release/provider-directory.ts'
import { nodeDeadline } from '../../../src/system/node-deadline.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import type { handoffs } from '../../../tools/fleets/example-fleet.ts'
import { scs2Fleet } from '../../../tools/fleets/scs2-fleet.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'
import { kubeBinaries } from '../../../tools/kube.ts'
import { type KubeObject, parseObjects, refusals } from '../../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../../tools/servers/kube.ts'
import { tempFolder } from '../../support/temp-folder.ts'

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
  const options = { helmVersion: 4, instanceLabel: false, scopes: [], finish: createFinisher() } as const
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

const tag = 'openstack-scs2-1-34-v1'
const team = `stacks/team/${tag}`

/**
 * The stack scs2 in namespace platform, a cluster of it in namespace team whose machines look for Image objects. Gives
 * the output folder.
 */
async function renderScs2(tool: keyof typeof handoffs): Promise<string> {
  const nodeImages =
    'nodeImages: [{provider: openstack, stack: scs2, uploadFrom: [platform], findBy: object, gate: controller}]'
  const fleet = scs2Fleet(await tempFolder(), shared, { tool, namespace: 'team', spec: [nodeImages] })
  const off = ['cni', 'csi', 'ccm', 'metrics-server'].map((name) => `{name: ${name}, enabled: false}`)
  fleet.write(
    'clusters/team/web/addons.yaml',
    `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {addons: [${off.join(', ')}]}\n`,
  )
  const { findings } = await fleet.render()
  expect(findings.filter(({ code }) => code.startsWith('NODE_IMAGE'))).toEqual([])
  return fleet.path('rendered')
}

/** Objects of files below a folder of the output; reads as Go does. */
async function objectsBelow(rendered: string, below: string): Promise<readonly KubeObject[]> {
  const paths = await readdir(join(rendered, below), { recursive: true })
  const files = paths.filter((path) => path.endsWith('.yaml') && !/(?:^|\/)kustomization\.yaml$/.test(path))
  const texts = await Promise.all(files.sort().map((path) => readFile(join(rendered, below, path), 'utf8')))
  return texts.flatMap(objectsIn)
}

function objectsIn(text: string): readonly KubeObject[] {
  return text
    .split(/^---\n/m)
    .flatMap((document) => parseObjects(formatGoJson(parseGoYaml(document, { integers: 'int' }))))
}

const { kubectl = '' } = kubeBinaries() ?? {}

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
      const crds = ['cluster-api', 'openstack', 'flux', 'argo-cd'].map((name) => join(shared, 'crds', name))
      await kube.installCrds([...crds, 'templates/crds'])
      await kube.createNamespaces(['platform', 'team', 'argocd'])
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

    test.each(['flux', 'argocd'] as const)(
      'are taken for a cluster in another namespace, and built by kustomize, under %s',
      async (tool) => {
        const rendered = await renderScs2(tool)
        const images = await objectsBelow(rendered, team)
        expect(images.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`)).toEqual([
          'Image team/ubuntu-capi-image-v1.34.7',
          `NodeImageGate team/${tag}`,
        ])
        const clusters = await objectsBelow(rendered, 'clusters/team/web/cluster')
        expect(clusters.some(({ kind }) => kind === 'Cluster')).toBe(true)
        const objects = [
          ...images,
          ...(await objectsBelow(rendered, `stacks/platform/${tag}`)).filter(
            ({ kind }) => kind === 'Image' || kind === 'NodeImageGate',
          ),
          ...clusters,
          ...(await objectsBelow(rendered, 'handoff')),
        ]
        expect(refusals(await kube.apply(objects, { dryRun: true }))).toEqual([])
        const built = objectsIn(execFileSync(kubectl, ['kustomize', join(rendered, team)], { encoding: 'utf8' }))
        expect(built).toEqual(images)
        const cluster = await readFile(join(rendered, 'clusters/team/web/cluster/cluster-web.yaml'), 'utf8')
        expect(cluster).toContain('    variables:\n    - name: imageIsOrc\n      value: true\n')
      },
      120_000,
    )
  })
})
