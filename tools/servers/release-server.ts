import { createHash } from 'node:crypto'
import { archiveOf, chartYaml, metadataYaml, packagedChart, type FileMap } from '../fleets/stack-folder.ts'
import type { WebAnswer } from './web-server.ts'

/** Files of a release that are not as {@link releaseFiles} makes them; undefined leaves one out. */
export type ReleaseChange = Readonly<Record<string, string | Uint8Array | undefined>>

/**
 * A release `docker-demo-1-<minor>-<version>`, of 1.34 where nothing is said, with one addon, `app`, whose chart has
 * `dependencies` and whose ConfigMap says `mark`.
 */
export function releaseFiles(
  version: string,
  options: {
    readonly minor?: number
    readonly mark?: string
    readonly dependencies?: string
    readonly change?: ReleaseChange
  } = {},
): FileMap {
  const { minor = 34 } = options
  const stack = `docker-demo-1-${minor}`
  const dash = version.replace('.', '-')
  const files: Record<string, string | Uint8Array | undefined> = {
    'metadata.yaml': metadataYaml(version, `v1.${minor}.7`),
    'clusteraddon.yaml': `apiVersion: clusteraddonconfig.x-k8s.io/v1alpha1
clusterAddonVersion: clusteraddons.clusterstack.x-k8s.io/v1alpha1
addonStages:
  AfterControlPlaneInitialized:
    - {name: app, action: apply}
`,
    [`${stack}-cluster-class-${version}.tgz`]: packagedChart(`${stack}-cluster-class`, version, {
      'templates/class.yaml': `apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata:
  name: {{ .Release.Name }}-{{ .Chart.Version }}
spec: {}
`,
    }),
    [`${stack}-cluster-addon-${version}.tgz`]: archiveOf({
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

/** A ClusterStack of the releases of 1.34; `rule` says which. */
export function stackYaml(rule: string, name = 'demo-1-34', namespace = 'platform'): string {
  return `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: ${name}, namespace: ${namespace}}
spec: {provider: docker, name: demo, kubernetesVersion: "1.34", noProvider: true, ${rule}}
`
}

/** The cluster team-a/web of a version, of 1.34 where nothing is said. */
export function clusterYaml(version: string, minor = 34): string {
  return `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: web, namespace: team-a}
spec:
  controlPlaneEndpoint: {host: web.example, port: 6443}
  topology:
    classRef: {name: docker-demo-1-${minor}-${version}, namespace: platform}
    version: v1.${minor}.7
`
}

/** What a web source answers that offers these releases, by tag. */
export function answerReleases(path: string, offered: ReadonlyMap<string, FileMap>): WebAnswer | undefined {
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
