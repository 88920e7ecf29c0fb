import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Chart, ChartDependency } from '../../../src/model/chart.ts'
import { createTokenTable } from '../../../src/model/token.ts'
import { Dict } from '../../../src/model/value.ts'
import { formatHelmOutput } from '../../../src/render/chart/format-helm-output.ts'
import { renderChart } from '../../../src/render/chart/render-chart.ts'
import { readChartArchive } from '../../../src/sources/chart/build-chart.ts'
import { readChart } from '../../../src/sources/chart/read-chart.ts'
import { attachDependencies } from '../../../src/sources/dependency/attach-dependencies.ts'
import { missingDependencies } from '../../../src/sources/dependency/missing-dependencies.ts'
import { resolveDependency } from '../../../src/sources/dependency/resolve-dependency.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { realHelm } from '../../support/helm.ts'
import {
  fixtureChart,
  fixtureFiles,
  scs2RepositoryCharts,
  startChartRepository,
} from '../../../tools/servers/chart-repository.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { dependencyContext } from './dependency-fixture.ts'

const helm = realHelm('parity of fetched dependencies')
const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED: parity of the addons of openstack/scs2 needs the shared data')

const ports = createNodePorts()
const run = promisify(execFile)
const kubeVersion = '1.34.7'

/** What `helm template --dependency-update` prints for a chart, without what it says about its downloads. */
async function renderWithHelm(chart: string): Promise<string> {
  const home = await tempFolder()
  const folders = { HELM_CACHE_HOME: join(home, 'cache'), HELM_CONFIG_HOME: join(home, 'config'), HELM_DATA_HOME: home }
  const flags = ['--include-crds', '--dependency-update', '--kube-version', kubeVersion, '--namespace', 'kube-system']
  const { stdout } = await run(helm ?? '', ['template', ...flags, 'cluster-addon', chart], {
    env: folders,
    maxBuffer: 100 * 1024 * 1024,
  })
  const start = stdout.indexOf('---\n')
  return start === -1 ? '' : stdout.slice(start)
}

/** What is rendered here for the same chart, its dependencies fetched from the same repository. */
async function renderHere(folder: string, url: string): Promise<string> {
  const context = await dependencyContext({ repositories: [{ url }] })
  const chart = await readChart(folder, ports)
  const archives = new Map<ChartDependency, Chart>()
  for (const dependency of missingDependencies(chart)) {
    const { name, repository, version: request } = dependency
    const { bytes } = await resolveDependency({ name, repository, request }, context)
    archives.set(dependency, readChartArchive(bytes, `${name}.tgz`, ports))
  }
  const rendered = renderChart(attachDependencies(chart, archives), {
    release: { name: 'cluster-addon', namespace: 'kube-system', isUpgrade: false, revision: 1 },
    values: new Dict(),
    kubeVersion,
    helmVersion: 4,
    includeCrds: true,
    hooks: 'all',
    skipTests: false,
    skipSchemaValidation: false,
    generate: 'seeded',
    crypto: ports.crypto,
    tokens: createTokenTable(),
    onFinding: () => undefined,
  })
  return formatHelmOutput(rendered)
}

/** Writes a wrapper chart with dependencies (lines of YAML) and further files, and says where. */
async function writeWrapper(
  dependencies: readonly string[],
  files: ReadonlyMap<string, string | Uint8Array> = new Map(),
): Promise<string> {
  const folder = join(await tempFolder(), 'wrapper')
  const chartYaml = ['apiVersion: v2', 'name: wrapper', 'version: 1.0.0', 'dependencies:', ...dependencies, '']
  for (const [path, content] of [['Chart.yaml', chartYaml.join('\n')] as const, ...files]) {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}

const versions = '0.9.0 1.0.0 1.2.3 1.10.0 2.0.0-rc.1 2.0.0 2.1.0-beta.2 2.1.0-beta.10 v3.0.0 3.1.0+up1'.split(' ')

describe.skipIf(helm === undefined)('fetched dependencies are what helm takes', () => {
  test.each([
    '1.2.3',
    'v1.2.3',
    '1.2',
    '1',
    '1.x',
    '^1',
    '~1.2.0',
    '^2.0.0-0',
    '>=2.0.0 <3',
    '>2.0.0-0 <3',
    '*',
    '>=0.0.0-0',
    '2.0.0-rc.1',
    '3.0.0',
    '~3.1.0',
    '0.x || ^1.2',
  ])('for %s', async (request) => {
    const served = await startChartRepository(versions.map((version) => fixtureChart('app', version)))
    onTestFinished(served.close)
    const folder = await writeWrapper([`- {name: app, version: "${request}", repository: "${served.url}/"}`])
    const here = await renderHere(folder, served.url)
    expect(here).toContain('kind: ConfigMap')
    expect(here).toBe(await renderWithHelm(folder))
  })

  test.each([
    { request: '^4', here: 'has no version of chart app that fits ^4', helms: "can't get a valid version" },
    { request: '>3.1.0', here: 'has no version of chart app that fits >3.1.0', helms: "can't get a valid version" },
    { request: 'newest', here: 'improper constraint: newest', helms: 'improper constraint: newest' },
  ])('nor for $request', async ({ request, here, helms }) => {
    const served = await startChartRepository(versions.map((version) => fixtureChart('app', version)))
    onTestFinished(served.close)
    const folder = await writeWrapper([`- {name: app, version: "${request}", repository: "${served.url}"}`])
    await expect(renderHere(folder, served.url)).rejects.toThrow(here)
    await expect(renderWithHelm(folder)).rejects.toThrow(helms)
  })

  test('with aliases, two versions, conditions, and what is vendored besides', async () => {
    const charts = [...versions.map((version) => fixtureChart('app', version)), fixtureChart('base', '1.0.0')]
    const served = await startChartRepository(charts)
    onTestFinished(served.close)
    const declared = (fields: string): string => `- {${fields}, repository: "${served.url}"}`
    const folder = await writeWrapper(
      [
        declared('name: base, version: "*"'),
        declared('name: app, version: ^1, alias: front'),
        declared('name: app, version: ^1, alias: back'),
        declared('name: app, version: 2.0.0, alias: next'),
        declared('name: base, version: 1.0.0, alias: quiet, condition: quiet.enabled'),
      ],
      new Map<string, string | Uint8Array>([
        ['values.yaml', 'front: {greeting: bonjour}\nquiet: {enabled: false}\n'],
        ['charts/app-0.9.0.tgz', fixtureChart('app', '0.9.0').archive],
        ['charts/undeclared-1.0.0.tgz', fixtureChart('undeclared', '1.0.0').archive],
        ...[...fixtureFiles('local', '1.0.0')].map(([path, text]) => [`charts/local/${path}`, text] as const),
      ]),
    )
    const here = await renderHere(folder, served.url)
    expect(here).toBe(await renderWithHelm(folder))
    expect(here.match(/^ {2}name: .*$/gm)?.toSorted()).toEqual([
      '  name: back-1.10.0',
      '  name: base-1.0.0',
      '  name: front-1.10.0',
      '  name: local-1.0.0',
      '  name: next-2.0.0',
    ])
  })

  test('with all vendored, one of them in another version, where nothing is fetched', async () => {
    const served = await startChartRepository(versions.map((version) => fixtureChart('app', version)))
    onTestFinished(served.close)
    const vendored = new Map([['charts/app-0.9.0.tgz', fixtureChart('app', '0.9.0').archive]])
    const folder = await writeWrapper([`- {name: app, version: ^1, repository: "${served.url}"}`], vendored)
    const here = await renderHere(folder, served.url)
    expect(here).toContain('name: app-0.9.0')
    expect(here).toBe(await renderWithHelm(folder))
    expect(served.requests).toEqual([])
  })
})

/** Keys and certificates are new in every run of helm. */
function withoutCertificates(output: string): string {
  return output.replaceAll(/^( +(?:ca|tls)\.(?:crt|key): +)[A-Za-z0-9+/=]+$/gm, '$1masked')
}

describe.skipIf(helm === undefined || shared === undefined)('the addons of openstack/scs2 render as with helm:', () => {
  test.each([
    { addon: 'cni', masked: 5 },
    { addon: 'metrics-server', masked: 0 },
    { addon: 'ccm', masked: 0 },
    { addon: 'ccm', version: '2.33.1', masked: 0 },
    { addon: 'ccm', version: '2.32.1', masked: 0 },
    { addon: 'csi', masked: 0 },
    { addon: 'csi', version: '2.33.1', masked: 0 },
    { addon: 'csi', version: '2.32.2', masked: 0 },
  ])('$addon $version', { timeout: 60_000 }, async ({ addon, version, masked }) => {
    const served = await startChartRepository(scs2RepositoryCharts(shared ?? ''))
    onTestFinished(served.close)
    const folder = join(await tempFolder(), addon)
    await cp(join(shared ?? '', 'cluster-stacks/providers/openstack/scs2/cluster-addon', addon), folder, {
      recursive: true,
    })
    const chartFile = join(folder, 'Chart.yaml')
    const chartYaml = (await readFile(chartFile, 'utf8')).replaceAll(/repository: .*/g, `repository: ${served.url}`)
    const wanted = version === undefined ? chartYaml : chartYaml.replace(/version: [\d.]+$/m, `version: ${version}`)
    await writeFile(chartFile, wanted)
    const here = withoutCertificates(await renderHere(folder, served.url))
    expect(here.length).toBeGreaterThan(1000)
    expect(here.match(/masked$/gm)?.length ?? 0).toBe(masked)
    expect(here).toBe(withoutCertificates(await renderWithHelm(folder)))
  })
})
