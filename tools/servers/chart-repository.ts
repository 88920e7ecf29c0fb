import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeTar } from '../../src/codec/bytes/tar.ts'
import { encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { requireBasic, startWebServer, type WebRequest, type WebRoutes } from './web-server.ts'

/** A packed chart, as a repository serves it. */
export interface RepositoryChart {
  readonly name: string
  readonly version: string
  readonly archive: Uint8Array
  /** `sha256:<hex>` of the archive. */
  readonly digest: string
}

/** How {@link startChartRepository} serves. */
export interface ChartRepositoryOptions {
  /** HTTPS under an authority of its own; plain http without. */
  readonly tls?: boolean
  /** Asks everybody for user and password. */
  readonly credentials?: { readonly username: string; readonly password: string }
  /** In place of the index made of the charts. */
  readonly index?: string
  /** Answers in place of, or beside, index and archives. */
  readonly routes?: WebRoutes
}

/** A Helm repository that runs. */
export interface TestChartRepository {
  /** Without a slash at the end; `<url>/index.yaml` is its index. */
  readonly url: string
  /** The same under another host. */
  readonly otherUrl: string
  /** The authority of its certificate, in PEM; with `tls`. */
  readonly ca?: string
  readonly requests: readonly WebRequest[]
  readonly close: () => Promise<void>
}

/** Packs a chart of files (path below the chart's folder to text); equal files give equal bytes. */
export function packChart(
  name: string,
  version: string,
  files: ReadonlyMap<string, string | Uint8Array>,
): RepositoryChart {
  const entries = [...files].map(([path, content]) => ({
    path: `${name}/${path}`,
    bytes: typeof content === 'string' ? encodeUtf8(content) : content,
  }))
  const archive = createNodePorts().compression.gzip(writeTar(entries))
  return { name, version, archive, digest: sha256(archive) }
}

/** A small chart that renders a ConfigMap which tells its name and version, and value `greeting`. */
export function fixtureChart(name: string, version: string): RepositoryChart {
  return packChart(name, version, fixtureFiles(name, version))
}

/** The files of {@link fixtureChart}. */
export function fixtureFiles(name: string, version: string): ReadonlyMap<string, string> {
  return new Map([
    ['Chart.yaml', `apiVersion: v2\nname: ${name}\nversion: ${version}\n`],
    ['values.yaml', 'greeting: hello\n'],
    ['note.txt', `${name} ${version}\n`],
    [
      'templates/config-map.yaml',
      [
        'apiVersion: v1',
        'kind: ConfigMap',
        'metadata:',
        '  name: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "-" }}',
        'data:',
        '  greeting: {{ .Values.greeting }}',
        '  note: {{ .Files.Get "note.txt" | trim | quote }}',
        '',
      ].join('\n'),
    ],
  ])
}

/** What openstack/scs2 asks for: a chart of the real ones, and the versions to give it. */
const scs2Charts: readonly { readonly chart: string; readonly folder: string; readonly versions: readonly string[] }[] =
  [
    { chart: 'cilium', folder: 'scs--openstack-scs2-addon-cni/charts/cilium', versions: ['1.18.9'] },
    { chart: 'metrics-server', folder: 'metrics-server', versions: ['3.13.0'] },
    {
      chart: 'openstack-cinder-csi',
      folder: 'cloud-provider-openstack--cinder-csi-plugin',
      versions: ['2.32.2', '2.33.1', '2.34.3'],
    },
    {
      chart: 'openstack-cloud-controller-manager',
      folder: 'cloud-provider-openstack--openstack-cloud-controller-manager',
      versions: ['2.32.1', '2.33.1', '2.34.2'],
    },
  ]

/**
 * The charts that openstack/scs2 depends on for three Kubernetes minors: real charts, re-versioned to what it asks for.
 */
export function scs2RepositoryCharts(shared: string): readonly RepositoryChart[] {
  return scs2Charts.flatMap(({ chart, folder, versions }) => {
    const files = readFolder(join(shared, 'charts', folder))
    return versions.map((version) => {
      const chartYaml = files.get('Chart.yaml')?.toString('utf8') ?? ''
      const renamed = chartYaml
        .replace(/^version: .*$/m, `version: ${version}`)
        .replace(/^name: .*$/m, `name: ${chart}`)
      return packChart(chart, version, new Map<string, string | Uint8Array>([...files, ['Chart.yaml', renamed]]))
    })
  })
}

function readFolder(folder: string): ReadonlyMap<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(paths.sort().map((path) => [path.slice(folder.length + 1), readFileSync(path)]))
}

/** index.yaml for charts, as `helm repo index` writes it; addresses are relative. */
export function indexOf(charts: readonly RepositoryChart[]): string {
  const names = [...new Set(charts.map(({ name }) => name))].sort()
  const entries = names.map((name) => {
    const versions = charts.filter((chart) => chart.name === name).map(indexEntry)
    return `  ${JSON.stringify(name)}:\n${versions.join('')}`
  })
  return `apiVersion: v1\nentries:\n${entries.join('')}generated: "2026-01-01T00:00:00Z"\n`
}

function indexEntry(chart: RepositoryChart): string {
  return [
    '  - apiVersion: v2',
    '    created: "2026-01-01T00:00:00Z"',
    `    digest: "${chart.digest.replace('sha256:', '')}"`,
    `    name: ${JSON.stringify(chart.name)}`,
    '    urls:',
    `    - charts/${archiveName(chart)}`,
    `    version: ${chart.version}`,
    '',
  ].join('\n')
}

/** The file name of a packed chart. */
export function archiveName({ name, version }: RepositoryChart): string {
  return `${name}-${version}.tgz`
}

/** Starts a Helm repository on a free port of this machine. Close it when done. */
export async function startChartRepository(
  charts: readonly RepositoryChart[],
  options: ChartRepositoryOptions = {},
): Promise<TestChartRepository> {
  const { credentials } = options
  const routes: WebRoutes = {
    '/index.yaml': { body: options.index ?? indexOf(charts) },
    ...Object.fromEntries(charts.map((chart) => [`/charts/${archiveName(chart)}`, { body: chart.archive }])),
    ...options.routes,
  }
  const guarded =
    credentials === undefined
      ? routes
      : Object.fromEntries(
          Object.entries(routes).map(([path, answer]) => {
            if (typeof answer !== 'function' && !('body' in answer)) throw new Error(`${path}: one answer, please`)
            return [path, requireBasic(credentials.username, credentials.password, answer)]
          }),
        )
  const { url, otherUrl, ca, requests, close } = await startWebServer(guarded, { tls: options.tls === true })
  return { url, otherUrl, ...(ca === undefined ? {} : { ca }), requests, close }
}

function sha256(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}
