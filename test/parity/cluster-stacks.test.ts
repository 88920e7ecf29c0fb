import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { releasePrefix } from '../../src/model/release-name.ts'
import { createTokenTable } from '../../src/model/token.ts'
import { Dict } from '../../src/model/value.ts'
import { formatHelmOutput } from '../../src/render/chart/format-helm-output.ts'
import { renderChart } from '../../src/render/chart/render-chart.ts'
import { renderRuntimeValues } from '../../src/render/stack/runtime-values.ts'
import { listReleases, readRelease } from '../../src/sources/release/read-release.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { realHelm } from '../support/helm.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'

const shared = sharedFolder()
const helm = realHelm('parity of the real cluster stacks')
if (shared === undefined) console.warn('SKIPPED: parity of the real cluster stacks needs the shared data')

const stacks: readonly { readonly folder: string; readonly charts: number }[] = [
  { folder: 'providers/docker/scs', charts: 3 },
  { folder: 'providers/openstack/scs', charts: 5 },
  { folder: 'cso-test/1/docker/ferrol/1-27', charts: 3 },
  { folder: 'cso-test/2/docker/ferrol/1-27', charts: 4 },
]

const cluster = `
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: my-cluster, namespace: cluster}
spec:
  controlPlaneEndpoint: {host: 192.0.2.10, port: 6443}
  clusterNetwork: {pods: {cidrBlocks: [10.244.0.0/16]}}
`
const version = 'v1'
const temporary = mkdtempSync(join(tmpdir(), 'stackmason-parity-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

/** A copy of a provider directory as csctl would have built it, for helm. */
function builtCopy(folder: string, name: string): string {
  const target = join(temporary, name)
  cpSync(folder, target, { recursive: true })
  for (const entry of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
    const path = join(target, entry)
    if (!statSync(path).isFile() || path.endsWith('.tgz')) continue
    const text = readFileSync(path, 'utf8')
    const built = text.replace(/<< \.\w+ >>/g, version)
    if (built !== text) writeFileSync(path, built)
  }
  const chartFile = join(target, 'cluster-class/Chart.yaml')
  writeFileSync(chartFile, readFileSync(chartFile, 'utf8').replace(/^version: .*$/m, `version: ${version}`))
  return target
}

function runHelm(args: readonly string[], input: string): readonly string[] {
  const home = {
    HELM_CACHE_HOME: temporary,
    HELM_CONFIG_HOME: temporary,
    HELM_DATA_HOME: temporary,
    KUBECONFIG: '/nonexistent',
  }
  return [1, 2].map(() => {
    const result = spawnSync(helm ?? '', ['template', ...args], {
      input,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: home,
    })
    if (result.status !== 0) throw new Error(result.stderr)
    return result.stdout
  })
}

/** Lines on which two runs of helm itself differ (made-up certificates) are left out on both sides. */
function withoutRandom(text: string, samples: readonly string[]): string {
  const [first = [], second = []] = samples.map((sample) => sample.split('\n'))
  return text
    .split('\n')
    .map((line, index) => (first[index] === second[index] ? line : '(random)'))
    .join('\n')
}

describe.skipIf(shared === undefined || helm === undefined)(
  'real cluster stacks render as helm renders them with the flags of the cluster stack operator',
  () => {
    const ports = createNodePorts()
    const common = {
      helmVersion: 4,
      hooks: 'all',
      skipTests: false,
      skipSchemaValidation: false,
      generate: 'seeded',
      crypto: ports.crypto,
    } as const

    test.each(stacks)('$folder: $charts of $charts charts', async ({ folder, charts }) => {
      const path = join(shared ?? '', 'cluster-stacks', folder)
      const at = { source: { name: 'stackmason.yaml', text: '' }, start: 0, end: 0 }
      const source = { name: 's', type: 'providerDirectory', path, version, at } as const
      const [name] = (await listReleases(source, ports)).releases
      if (name === undefined) throw new Error('no release')
      const { release } = await readRelease(source, name, ports)
      const copy = builtCopy(path, folder.replaceAll('/', '-'))
      let equal = 0

      const classSamples = runHelm([releasePrefix(name), join(copy, 'cluster-class'), '--namespace', 'cluster'], '')
      const rendered = renderChart(release.clusterClass, {
        ...common,
        release: { name: releasePrefix(name), namespace: 'cluster', isUpgrade: false, revision: 1 },
        values: new Dict(),
        includeCrds: false,
        tokens: createTokenTable(),
        onFinding: () => undefined,
      })
      expect(withoutRandom(formatHelmOutput(rendered), classSamples)).toBe(
        withoutRandom(classSamples[0] ?? '', classSamples),
      )
      equal++

      const object = parseGoYaml(cluster, { integers: 'int' })
      if (!(object instanceof Dict)) throw new Error('not a map')
      for (const addon of release.addons) {
        const values =
          addon.overwrite === undefined
            ? new Dict()
            : renderRuntimeValues(addon.overwrite, {
                cluster: object,
                supplied: new Map(),
                runtimeFields: 'refuse',
                tokens: createTokenTable(),
                crypto: ports.crypto,
                onFinding: () => undefined,
              })
        const overwrite = (addon.overwrite?.text ?? '')
          .replaceAll('{{ .Cluster.spec.controlPlaneEndpoint.host }}', '192.0.2.10')
          .replaceAll('{{ .Cluster.metadata.name }}', 'my-cluster')
        const whole = parseGoYaml(overwrite)
        const inner = whole instanceof Dict ? whole.get('values') : undefined
        const args = [
          '--include-crds',
          '--kube-version',
          release.kubernetesVersion,
          'cluster-addon',
          join(copy, 'cluster-addon', addon.name),
          '--namespace',
          'kube-system',
          '-f',
          '-',
        ]
        const samples = runHelm(args, typeof inner === 'string' ? inner : overwrite)
        const output = renderChart(addon.chart, {
          ...common,
          release: { name: 'cluster-addon', namespace: 'kube-system', isUpgrade: false, revision: 1 },
          values,
          kubeVersion: release.kubernetesVersion,
          includeCrds: true,
          tokens: createTokenTable(),
          onFinding: () => undefined,
        })
        expect({ addon: addon.name, text: withoutRandom(formatHelmOutput(output), samples) }).toEqual({
          addon: addon.name,
          text: withoutRandom(samples[0] ?? '', samples),
        })
        equal++
      }
      expect(equal).toBe(charts)
    })
  },
)
