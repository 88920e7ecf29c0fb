import type { FleetFolder } from './fleet-folder.ts'

/** A cluster of a fleet that is upgraded. */
export interface RolloutCluster {
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
  /** Its release, short: `1-34-v1`. */
  readonly release: string
  /** Default: `team`. */
  readonly namespace?: string
}

/** A fleet that is upgraded. */
export interface RolloutFleet {
  /** The releases on offer, short. */
  readonly releases: readonly string[]
  readonly clusters: readonly RolloutCluster[]
  /** Lines below `spec` of stackmason.yaml. */
  readonly spec?: readonly string[]
}

/** The class of a release, by its short name. */
export function classOf(release: string): string {
  return `docker-lab-${release}`
}

/** The version of Kubernetes of a release, by its short name. */
function versionOf(release: string): string {
  const [major = '', minor = ''] = release.split('-')
  return `v${major}.${minor}.1`
}

/** Makes a fleet of the lab into one with several releases and clusters, handed over to Flux. */
export function makeRolloutFleet(fleet: FleetFolder, { releases, clusters, spec = [] }: RolloutFleet): void {
  // releases of one namespace share no object
  const stack = new Map(
    fleet
      .filesBelow('stack')
      .map((path) => [
        path,
        fleet.read(`stack/${path}`).replaceAll('name: lab-', 'name: {{ .Release.Name }}-{{ .Chart.Version }}-'),
      ]),
  )
  for (const path of ['stack', 'stacks', 'clusters']) fleet.remove(path)
  writeReleases(fleet, releases, { stack, minor: '1-34', version: 'v1.34.7' })
  fleet.write(
    'stackmason.yaml',
    `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: lab}
spec:
  handoff: {flux: {source: {kind: GitRepository, name: fleet}}}
${spec.map((line) => `  ${line}\n`).join('')}  sources:
${releases.map(sourceOf).join('')}`,
  )
  const namespaces = [...new Set(clusters.map(({ namespace = 'team' }) => namespace))]
  for (const namespace of namespaces) offer(fleet, namespace, releases)
  for (const cluster of clusters) writeCluster(fleet, cluster)
}

/** Writes cluster.yaml as people do: with comments. */
export function writeCluster(
  fleet: FleetFolder,
  { name, namespace = 'team', labels = {}, release }: RolloutCluster,
): void {
  fleet.write(
    `clusters/${namespace}/${name}/cluster.yaml`,
    `# ${name}, ask platform before you touch it
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  name: ${name}
  namespace: ${namespace}
  labels: ${JSON.stringify(labels)} # what waves go by
spec:
  topology:
    class: ${classOf(release)} # the release
    version: "${versionOf(release)}"
`,
  )
}

/** A provider directory, and what it is made for. */
interface Template {
  readonly stack: ReadonlyMap<string, string>
  readonly minor: string
  readonly version: string
}

function writeReleases(fleet: FleetFolder, releases: readonly string[], { stack, minor, version }: Template): void {
  for (const release of releases)
    for (const [path, text] of stack)
      fleet.write(
        `providers/${minorOf(release)}/${path}`,
        text.replaceAll(minor, minorOf(release)).replaceAll(version, versionOf(release)),
      )
}

function sourceOf(release: string): string {
  const version = release.slice(release.lastIndexOf('-') + 1)
  return `    - {name: r${release}, providerDirectory: {path: providers/${minorOf(release)}, version: ${version}}}\n`
}

function offer(fleet: FleetFolder, namespace: string, releases: readonly string[]): void {
  for (const minor of new Set(releases.map(minorOf))) {
    const versions = releases
      .filter((release) => minorOf(release) === minor)
      .map((release) => release.slice(release.lastIndexOf('-') + 1))
    fleet.write(
      `stacks/${namespace}-${minor}.yaml`,
      `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: lab-${minor}, namespace: ${namespace}}
spec: {provider: docker, name: lab, kubernetesVersion: "${minor.replace('-', '.')}", channel: stable, autoSubscribe: false, noProvider: true, versions: [${versions.join(', ')}]}
`,
    )
  }
}

function minorOf(release: string): string {
  return release.slice(0, release.lastIndexOf('-'))
}
