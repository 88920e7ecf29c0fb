import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatGoJson } from '../../../src/codec/json/go-json.ts'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { kubeBinaries } from '../../../tools/kube.ts'
import { type KubeObject, parseObjects, refusals } from '../../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../../tools/servers/kube.ts'
import type { handoffs } from '../../../tools/fleets/example-fleet.ts'
import { scs2Fleet } from '../../../tools/fleets/scs2-fleet.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const shared = sharedFolder() ?? ''
if (shared === '') console.warn('SKIPPED: node images of the real scs2 stack in another namespace: no ../shared')

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

describe.runIf(shared !== '' && hasKube())('node images of scs2 for a cluster in another namespace', () => {
  let kube: Kube

  beforeAll(async () => {
    kube = await startKube()
    const crds = ['cluster-api', 'openstack', 'flux', 'argo-cd'].map((name) => join(shared, 'crds', name))
    await kube.installCrds([...crds, 'templates/crds'])
    await kube.createNamespaces(['platform', 'team', 'argocd'])
  }, 240_000)
  afterAll(() => kube.close())

  test.each(['flux', 'argocd'] as const)(
    'are taken by a real API server, and built by kustomize, under %s',
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
