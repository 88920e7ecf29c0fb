import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCli } from '../cli/run-cli.ts'
import { fieldOf, parseObjects, refusals, type KubeObject } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'

const shared = sharedFolder() ?? ''
if (shared === '') console.warn('SKIPPED: adopting the addons of a real stack: no ../shared')

const stacks = [
  { provider: 'docker', stack: 'scs', minor: '1.30', version: 'v1.30.10' },
  { provider: 'openstack', stack: 'scs', minor: '1.32', version: 'v1.32.5' },
] as const

function objectsOf({ provider, stack, minor, version }: (typeof stacks)[number]): string {
  return `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: scs, namespace: team-a, uid: u}
spec: {provider: ${provider}, name: ${stack}, kubernetesVersion: "${minor}", noProvider: true}
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: web, namespace: team-a, uid: u, resourceVersion: "1"}
spec:
  controlPlaneEndpoint: {host: 192.0.2.10, port: 6443}
  topology: {class: ${provider}-${stack}-${minor.replace('.', '-')}-v1, version: ${version}}
status: {phase: Provisioned}
`
}

async function succeed(words: readonly string[], cwd: string): Promise<void> {
  const { status, stderr } = await runCli(words, { cwd })
  if (status !== 0) throw new Error(stderr)
}

function managedBy(object: KubeObject | undefined, manager: string): unknown {
  const entries: readonly { readonly manager: string }[] = Object(fieldOf(object, 'metadata.managedFields'))
  return entries.filter((entry) => entry.manager === manager)
}

/** What the operator applied to a real API server, and what the fleet renders that was made of its objects. */
describe.runIf(shared !== '' && hasKube()).each(stacks)('the addons of $provider/$stack', (given) => {
  let kube: Kube
  let fleet = ''
  let rendered: readonly KubeObject[] = []

  beforeAll(async () => {
    const folder = tempFolderForFile()
    fleet = join(folder, 'fleet')
    await writeFile(join(folder, 'management.yaml'), objectsOf(given))
    const directory = join(shared, 'cluster-stacks/providers', given.provider, given.stack)
    await succeed(['build', directory, '--version', 'v1', '--out', 'releases'], folder)
    await succeed(['adopt', 'management.yaml', '--out', 'fleet', '--directory', 'releases'], folder)
    await succeed(['render', '-q'], fleet)
    const addons = join(fleet, 'rendered/clusters/team-a/web/addons')
    const files = (await readdir(addons, { recursive: true })).filter(
      (path) => path.endsWith('.yaml') && !/(?:^|\/)kustomization\.yaml$/.test(path),
    )
    rendered = (await Promise.all(files.map((path) => readFile(join(addons, path), 'utf8')))).flatMap(parseObjects)
    kube = await startKube()
    const refused = refusals(await kube.apply(rendered, { fieldManager: 'kubectl' }))
    if (refused.length > 0) throw new Error(refused.join('\n'))
  }, 240_000)
  afterAll(() => kube.close())

  async function live(): Promise<readonly KubeObject[]> {
    const found = await Promise.all(rendered.map((object) => kube.get(object)))
    return found.filter((object) => object !== undefined)
  }

  async function compare(objects: readonly KubeObject[]): Promise<string> {
    const file = join(fleet, '../live.json')
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }))
    return (await runCli(['adopt', '--compare', `team-a/web=${file}`], { cwd: fleet })).stdout
  }

  test('differ in nothing from what the server made of them', async () => {
    expect(rendered.length).toBeGreaterThan(20)
    expect(await compare(await live())).toContain(
      `team-a/web: ${String(rendered.length)} objects compared, nothing would change\n`,
    )
  })

  test('are taken over without a new generation of any of them', async () => {
    const generations = async (): Promise<readonly unknown[]> =>
      (await live()).map((object) => fieldOf(object, 'metadata.generation'))
    const before = await generations()
    expect(refusals(await kube.apply(rendered, { fieldManager: 'kustomize-controller', force: true }))).toEqual([])
    expect(await generations()).toEqual(before)
  })

  test('stay as they are when the operator gives up its fields', async () => {
    const before = await live()
    const labels = { 'clusterstack.x-k8s.io/instance': 'owned' }
    const bare = rendered.map(({ apiVersion, kind, metadata: { name, namespace } }) => ({
      apiVersion,
      kind,
      metadata: { name, labels, ...(namespace === undefined ? {} : { namespace }) },
    }))
    const workloads = bare.filter(({ kind }) => kind === 'Deployment' || kind === 'DaemonSet' || kind === 'ConfigMap')
    expect(workloads.length).toBeGreaterThan(1)
    expect(refusals(await kube.apply(workloads, { fieldManager: 'kubectl' }))).toEqual([])
    const after = await live()
    const content = (objects: readonly KubeObject[]): readonly unknown[] =>
      objects.map((object) => [object['spec'], object['data'], fieldOf(object, 'metadata.generation')])
    expect(content(after)).toEqual(content(before))
    const deployment = after.find(({ kind }) => kind === 'Deployment')
    expect(JSON.stringify(managedBy(deployment, 'kustomize-controller'))).toContain('f:spec')
    expect(JSON.stringify(managedBy(deployment, 'kubectl'))).not.toContain('f:spec')
  })

  test('that the server knows more of than is rendered show what would be lost', async () => {
    const workload = rendered.find(({ kind }) => kind === 'Deployment')
    expect(workload).toBeDefined()
    const changed = { ...workload, spec: { ...Object(workload?.['spec']), minReadySeconds: 7 } }
    expect(refusals(await kube.apply(JSON.stringify(changed), { fieldManager: 'kubectl', force: true }))).toEqual([])
    expect(await compare(await live())).toContain(
      '    spec.minReadySeconds is set by the operator, and not rendered: it would be removed\n',
    )
  })
})
