import { execFileSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatGoJson } from '../../../src/codec/json/go-json.ts'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { render } from '../../../src/pipeline/render.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { kubeBinaries } from '../../../tools/kube.ts'
import { type KubeObject, parseObjects, refusals } from '../../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../../tools/servers/kube.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const shared = sharedFolder() ?? ''
if (shared === '') console.warn('SKIPPED: node images of the real scs2 stack in another namespace: no ../shared')

const tools = {
  flux: 'flux: {source: {kind: GitRepository, name: fleet}, path: ./rendered}',
  argocd: 'argocd: {repoURL: "https://git.example/fleet.git", path: rendered}',
} as const
const tag = 'openstack-scs2-1-34-v1'
const team = `stacks/team/${tag}`

/**
 * The stack scs2 in namespace platform, a cluster of it in namespace team whose machines look for Image objects. Gives
 * the output folder.
 */
async function renderScs2(tool: keyof typeof tools): Promise<string> {
  const folder = await tempFolder()
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  await cp(join(shared, 'cluster-stacks/providers/openstack/scs2'), join(folder, 'scs2'), { recursive: true })
  await write(
    'stackmason.yaml',
    `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: real}
spec:
  sources: [{name: scs2, providerDirectory: {path: scs2, version: v1}}]
  nodeImages: [{provider: openstack, stack: scs2, uploadFrom: [platform], findBy: object, gate: controller}]
  handoff: {${tools[tool]}}
`,
  )
  await write(
    'stacks/scs2.yaml',
    `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: scs2, namespace: platform}
spec: {provider: openstack, name: scs2, kubernetesVersion: "1.34", channel: stable, autoSubscribe: false, noProvider: true, versions: [v1]}
`,
  )
  await write(
    'clusters/team/web/cluster.yaml',
    `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: web, namespace: team}
spec: {topology: {classRef: {name: ${tag}, namespace: platform}, version: v1.34.7, controlPlane: {replicas: 1}}}
`,
  )
  // their charts lie elsewhere
  await write(
    'clusters/team/web/addons.yaml',
    `apiVersion: stackmason.dev/v1alpha1
kind: Addons
spec: {addons: [{name: cni, enabled: false}, {name: csi, enabled: false}, {name: ccm, enabled: false}, {name: metrics-server, enabled: false}]}
`,
  )
  const options = { clusters: [], stacks: [], check: false, allowEmpty: false, overwriteEdited: false }
  const { findings } = await render({ start: folder, ...options }, createNodePorts(), () => undefined)
  expect(findings.filter(({ code }) => code.startsWith('NODE_IMAGE'))).toEqual([])
  return join(folder, 'rendered')
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
