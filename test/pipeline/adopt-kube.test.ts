import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCli } from '../cli/run-cli.ts'
import { fieldOf, parseObjects, refusals, type KubeObject } from '../support/kube-client.ts'
import { hasKube, startKube, type Kube } from '../support/kube.ts'
import { sharedFolder } from '../support/shared.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'

const shared = sharedFolder() ?? ''
if (shared === '') console.warn('SKIPPED: adopting the addons of a real stack: no ../shared')

const CLUSTER = `apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: web, namespace: team-a, uid: u, resourceVersion: "1"}
spec:
  controlPlaneEndpoint: {host: 192.0.2.10, port: 6443}
  topology: {class: docker-scs-1-30-v1, version: v1.30.10}
status: {phase: Provisioned}
`
const STACK = `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: scs, namespace: team-a, uid: u}
spec: {provider: docker, name: scs, kubernetesVersion: "1.30", noProvider: true}
`

/** What the operator applied to a real API server, and what the fleet renders that was made of its objects. */
describe.runIf(shared !== '' && hasKube())('the addons of a real stack', () => {
  let kube: Kube
  let fleet = ''
  let rendered: readonly KubeObject[] = []

  beforeAll(async () => {
    const folder = tempFolderForFile()
    fleet = join(folder, 'fleet')
    await writeFile(join(folder, 'management.yaml'), `${STACK}---\n${CLUSTER}`)
    await mkdir(join(folder, 'releases'))
    const directory = join(shared, 'cluster-stacks/providers/docker/scs')
    const built = await runCli(['build', directory, '--version', 'v1', '--out', 'releases'], { cwd: folder })
    if (built.status !== 0) throw new Error(built.stderr)
    const words = ['adopt', 'management.yaml', '--out', 'fleet', '--directory', 'releases']
    expect((await runCli(words, { cwd: folder })).status).toBe(0)
    const { status, stderr } = await runCli(['render', '-q'], { cwd: fleet })
    if (status !== 0) throw new Error(stderr)
    const addons = join(fleet, 'rendered/clusters/team-a/web/addons')
    const files = (await readdir(addons, { recursive: true })).filter(
      (path) => path.endsWith('.yaml') && !/(?:kustomization|inventory)\.yaml$/.test(path),
    )
    rendered = (await Promise.all(files.map((path) => readFile(join(addons, path), 'utf8')))).flatMap(parseObjects)
    kube = await startKube()
    expect(refusals(await kube.apply(rendered, { fieldManager: 'kubectl' }))).toEqual([])
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
