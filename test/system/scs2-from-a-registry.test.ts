import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Ports } from '../../src/model/ports.ts'
import { createNodeHttp } from '../../src/system/node-http.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { runCli, type CliRun } from '../cli/run-cli.ts'
import { scs2RepositoryCharts, startChartRepository } from '../../tools/servers/chart-repository.ts'
import { hasRegistry, registryUser, startRegistry } from '../../tools/servers/registry.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'

const shared = sharedFolder()
const rows = [
  { minor: '1.32', patch: 'v1.32.13' },
  { minor: '1.33', patch: 'v1.33.10' },
  { minor: '1.34', patch: 'v1.34.7' },
] as const
const tags = ['openstack-scs2-1-32-v1', 'openstack-scs2-1-33-v1', 'openstack-scs2-1-34-v1']

/** From a provider directory to a rendered fleet, by the commands that users type, over TLS and with passwords. */
describe.runIf(shared !== undefined && hasRegistry())('openstack/scs2', () => {
  let folder = ''
  let runs: { readonly words: readonly string[]; readonly run: CliRun }[] = []
  let ports: Ports
  let secrets: readonly string[] = []

  async function stackmason(...words: readonly string[]): Promise<CliRun> {
    const run = await runCli(words, { cwd: join(folder, 'fleet'), ports })
    runs.push({ words, run })
    return run
  }

  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'stackmason-scs2-')))
    runs = []
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('is built for three minors, pushed, listed, locked, fetched into an empty cache and rendered offline', async () => {
    const registry = await startRegistry({ auth: 'basic', tls: true })
    let isClosed = false
    const closeRegistry = async (): Promise<void> => {
      if (!isClosed) await registry.close()
      isClosed = true
    }
    onTestFinished(closeRegistry)
    const login = { username: 'charts', password: 'chart-password-4711' }
    const charts = await startChartRepository(scs2RepositoryCharts(shared ?? ''), { credentials: login })
    onTestFinished(charts.close)
    const repository = `${registry.host}/kaas/cluster-stacks`
    const basic = ({ username, password }: typeof login): string =>
      Buffer.from(`${username}:${password}`).toString('base64')
    secrets = [registryUser.password, login.password, basic(registryUser), basic(login)]
    const variables = new Map([
      ['HOME', folder],
      ['STACKMASON_CACHE', join(folder, 'cache')],
      ['OCI_REGISTRY', registry.host],
      ['OCI_REPOSITORY', repository],
      ['OCI_USERNAME', registryUser.username],
      ['OCI_PASSWORD', registryUser.password],
      ['CHARTS_USER', login.username],
      ['CHARTS_PASSWORD', login.password],
    ])
    const environment = { get: (name: string) => variables.get(name) }
    ports = { ...createNodePorts(), environment, http: createNodeHttp(environment) }
    await write('ca.pem', registry.ca ?? '')
    const mirrored = (url: string): string =>
      `    - {url: "${url}", mirror: "${charts.url}", plainHttp: true, credentialsFrom: {username: CHARTS_USER, password: CHARTS_PASSWORD}}\n`
    await write(
      'fleet/stackmason.yaml',
      `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: scs2}
spec:
  sources:
    - {name: registry, oci: {caFile: ../ca.pem}}
  chartRepositories:
${['https://helm.cilium.io', 'https://kubernetes.github.io/cloud-provider-openstack', 'https://kubernetes-sigs.github.io/metrics-server'].map(mirrored).join('')}`,
    )
    for (const { minor, patch } of rows) {
      const dashed = minor.replace('.', '-')
      await write(
        `fleet/stacks/scs2-${dashed}.yaml`,
        `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: scs2-${dashed}, namespace: platform}
spec: {provider: openstack, name: scs2, kubernetesVersion: "${minor}", noProvider: true, autoSubscribe: true}
`,
      )
      await write(
        `fleet/clusters/team-a/c${dashed}/cluster.yaml`,
        `apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: c${dashed}, namespace: team-a}
spec:
  controlPlaneEndpoint: {host: c${dashed}.example.com, port: 6443}
  topology: {class: openstack-scs2-${dashed}-v1, classNamespace: platform, version: ${patch}}
`,
      )
    }

    const stack = join(shared ?? '', 'cluster-stacks/providers/openstack/scs2')
    const push = ['--push', '--ca-file', '../ca.pem']
    const built = await stackmason('build', stack, '--all', '--out', '../out', ...push)
    expect(built).toMatchObject({ status: 0, stderr: '' })
    expect(built.stdout.match(/^built \S+/gm)).toEqual(tags.map((tag) => `built ${tag}`))
    expect(built.stdout.match(/pushed to/g)?.length).toBe(3)

    const listed = await stackmason('list')
    expect(listed).toMatchObject({ status: 0, stderr: '' })
    expect(
      listed.stdout
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(/ {2,}/).filter((_, column) => [0, 1, 4, 6].includes(column))),
    ).toEqual(
      rows.map(({ minor, patch }, index) => [tags[index], patch, 'registry', `team-a/c${minor.replace('.', '-')}`]),
    )

    const unlocked = await stackmason('render')
    expect(unlocked.status).toBe(1)
    expect(unlocked.stderr).toContain('error LOCK_MISSING stackmason.yaml:6:14')

    const updated = await stackmason('update')
    expect(updated).toMatchObject({ status: 0, stderr: 'asking source registry\nsource registry: 3 releases\n' })
    expect(updated.stdout.match(/^added +release/gm)?.length).toBe(3)
    expect(updated.stdout.match(/^added +dependency/gm)?.length).toBe(8)
    expect(updated.stdout).toContain('Wrote stackmason.lock: 3 releases, 8 dependencies.')
    expect((await stackmason('update')).stdout).toBe('stackmason.lock is up to date: 3 releases, 8 dependencies.\n')

    await rm(join(folder, 'cache'), { recursive: true })
    const empty = await stackmason('render', '--offline', '-q')
    expect(empty.status).toBe(2)
    expect(empty.stderr.match(/^error FETCH_OFFLINE .*$/gm)?.length).toBe(3)

    expect(await stackmason('fetch')).toMatchObject({ status: 0 })
    const requests = charts.requests.length
    await closeRegistry()
    const rendered = await stackmason('render', '--offline', '-q', '-o', 'json')
    expect(rendered.status).toBe(0)
    expect(JSON.parse(rendered.stdout)).toMatchObject({ status: 'rendered', summary: { clusters: 3, charts: 15 } })
    expect((await stackmason('render', '--offline', '--check', '-q')).status).toBe(0)
    expect(charts.requests.length).toBe(requests)
  }, 180_000)

  test('shows no credential anywhere: not in output, lock, cache or tree', async () => {
    expect(runs.length).toBeGreaterThan(8)
    const texts = runs.map(({ words, run }) => ({ name: words.join(' '), text: run.stdout + run.stderr }))
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (entry.isFile()) texts.push({ name: path, text: await readFile(path, 'latin1') })
    }
    expect(texts.length).toBeGreaterThan(250)
    expect(texts.filter(({ text }) => secrets.some((secret) => text.includes(secret))).map(({ name }) => name)).toEqual(
      [],
    )
    // the search finds what is there
    expect(texts.filter(({ text }) => text.includes('cilium')).length).toBeGreaterThan(10)
  })
})
