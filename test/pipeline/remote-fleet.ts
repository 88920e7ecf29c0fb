import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { StackmasonError, type Diagnostic } from '../../src/model/diagnostic.ts'
import type { Ports } from '../../src/model/ports.ts'
import { positionAt } from '../../src/model/source.ts'
import { render, type RenderOptions, type RenderResult } from '../../src/pipeline/render.ts'
import { update, type UpdateOptions, type UpdateResult } from '../../src/pipeline/update.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { archiveOf, chartYaml, metadataYaml, packagedChart, type FileMap } from '../sources/release/stack-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startWebServer, type WebAnswer, type WebServer } from '../support/web-server.ts'

/** Files of a release that are not as {@link releaseFiles} makes them; undefined leaves one out. */
export type ReleaseChange = Readonly<Record<string, string | Uint8Array | undefined>>

/** A release `docker-demo-1-34-<version>` with one addon, `app`, whose chart has `dependencies` and whose ConfigMap says `mark`. */
export function releaseFiles(
  version: string,
  options: { readonly mark?: string; readonly dependencies?: string; readonly change?: ReleaseChange } = {},
): FileMap {
  const dash = version.replace('.', '-')
  const files: Record<string, string | Uint8Array | undefined> = {
    'metadata.yaml': metadataYaml(version, 'v1.34.7'),
    'clusteraddon.yaml': `apiVersion: clusteraddonconfig.x-k8s.io/v1alpha1
clusterAddonVersion: clusteraddons.clusterstack.x-k8s.io/v1alpha1
addonStages:
  AfterControlPlaneInitialized:
    - {name: app, action: apply}
`,
    [`docker-demo-1-34-cluster-class-${version}.tgz`]: packagedChart('docker-demo-1-34-cluster-class', version, {
      'templates/class.yaml': `apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata:
  name: {{ .Release.Name }}-{{ .Chart.Version }}
spec: {}
`,
    }),
    [`docker-demo-1-34-cluster-addon-${version}.tgz`]: archiveOf({
      'app/Chart.yaml': `${chartYaml('app', '1.0.0')}${options.dependencies ?? ''}`,
      'app/templates/config.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: app
data:
  mark: ${options.mark ?? dash}
`,
    }),
    ...options.change,
  }
  return Object.fromEntries(
    Object.entries(files).flatMap(([path, content]) => (content === undefined ? [] : [[path, content]])),
  )
}

/** A fleet with one web source whose content a test can change. */
export interface RemoteFleet {
  readonly folder: string
  readonly server: WebServer
  readonly ports: Ports
  /** Release files by tag; what the server offers. */
  readonly offered: Map<string, FileMap>
  /** Answers that stand before the offered files, by path. */
  readonly overrides: Map<string, WebAnswer>
  readonly write: (files: Readonly<Record<string, string | null>>) => Promise<void>
  readonly update: (options?: Partial<UpdateOptions>) => Promise<UpdateResult>
  readonly render: (options?: Partial<RenderOptions>) => Promise<RenderResult>
  /** Runs git in the folder of the fleet. */
  readonly git: (...words: readonly string[]) => string
  /** Empties the cache. */
  readonly forget: () => Promise<void>
}

/** stackmason.yaml; `more` is added to its spec. */
export function fleetYaml(url: string, more = ''): string {
  return `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: test}
spec:
  sources:
    - {name: web, http: {url: "${url}", plainHttp: true}}
${more}`
}

/** A ClusterStack of the releases; `rule` says which. */
export function stackYaml(rule: string, name = 'demo-1-34', namespace = 'platform'): string {
  return `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: ${name}, namespace: ${namespace}}
spec: {provider: docker, name: demo, kubernetesVersion: "1.34", noProvider: true, ${rule}}
`
}

/** The cluster team-a/web of a version. */
export function clusterYaml(version: string): string {
  return `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: web, namespace: team-a}
spec:
  controlPlaneEndpoint: {host: web.example, port: 6443}
  topology:
    classRef: {name: docker-demo-1-34-${version}, namespace: platform}
    version: v1.34.7
`
}

/** Makes a fleet that subscribes to releases of a web server, with a cluster of v1, in a folder of its own with a cache of its own. */
export async function remoteFleet(): Promise<RemoteFleet> {
  const root = await tempFolder()
  const folder = join(root, 'fleet')
  const offered = new Map<string, FileMap>()
  const overrides = new Map<string, WebAnswer>()
  const server = await startWebServer(({ path }) => overrides.get(path) ?? answer(path, offered))
  onTestFinished(server.close)
  const variables = new Map([
    ['HOME', root],
    ['STACKMASON_CACHE', join(root, 'cache')],
  ])
  const ports: Ports = {
    ...createNodePorts(),
    environment: { get: (name) => variables.get(name) },
    clock: { ...createNodePorts().clock, sleep: async () => undefined },
  }
  const write = async (files: Readonly<Record<string, string | null>>): Promise<void> => {
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, path)
      if (text === null) await rm(file, { recursive: true })
      else {
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, text)
      }
    }
  }
  await write({
    'stackmason.yaml': fleetYaml(server.url),
    'stacks/demo.yaml': stackYaml('autoSubscribe: true'),
    'clusters/team-a/web/cluster.yaml': clusterYaml('v1'),
  })
  return {
    folder,
    server,
    ports,
    offered,
    overrides,
    write,
    update: (options = {}) =>
      update({ start: folder, stacks: [], releases: [], prune: false, dryRun: false, ...options }, ports),
    render: (options = {}) =>
      render(
        {
          start: folder,
          clusters: [],
          stacks: [],
          check: false,
          allowEmpty: false,
          overwriteEdited: false,
          ...options,
        },
        ports,
        () => undefined,
      ),
    git: (...words) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    forget: () => rm(join(root, 'cache'), { recursive: true, force: true }),
  }
}

function answer(path: string, offered: ReadonlyMap<string, FileMap>): WebAnswer | undefined {
  if (path === '/index.json') {
    const releases = [...offered].map(([name, files]) => ({
      name,
      kubernetesVersion: 'v1.34.7',
      published: '2026-05-04T10:00:00Z',
      assets: Object.entries(files).map(([file, content]) => {
        const bytes = Buffer.from(content)
        return {
          name: file,
          digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
          size: bytes.length,
        }
      }),
    }))
    return { body: { apiVersion: 'stackmason.dev/v1alpha1', kind: 'ReleaseIndex', releases } }
  }
  const [, tag = '', file = ''] = path.split('/')
  const body = offered.get(tag)?.[file]
  return body === undefined ? undefined : { body }
}

/** `CODE file:line:column message | hint` of every problem that `running` ends with; the folder is left out of paths. */
export async function problemsOf(running: Promise<unknown>, folder: string): Promise<readonly string[]> {
  try {
    await running
  } catch (error) {
    if (error instanceof StackmasonError) return error.diagnostics.map((diagnostic) => told(diagnostic, folder))
    throw error
  }
  return []
}

/** The same for findings. */
export function told({ code, at, file, message, hint }: Diagnostic, folder: string): string {
  const short = (path: string): string => path.replace(`${folder}/`, '')
  const start = at === undefined ? undefined : positionAt(at.source, at.start)
  const place =
    at === undefined || start === undefined
      ? short(file ?? '-')
      : `${short(at.source.name)}:${start.line}:${start.column}`
  return `${code} ${place} ${message}${hint === undefined ? '' : ` | ${hint}`}`
}
