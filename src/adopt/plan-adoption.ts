import { compareBytes } from '../codec/text/text-order.ts'
import { formatManifestYaml } from '../codec/yaml/manifest-yaml.ts'
import { CLUSTER_API } from '../model/class-reference.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { itemsAt } from '../model/field.ts'
import { inputPath } from '../model/input-path.ts'
import { formatTag } from '../model/release-name.ts'
import type { Dict } from '../model/value.ts'
import { adoptClusters, clusterDocument, endpointOf } from './adopt-clusters.ts'
import { type AdoptedStack, adoptStacks } from './adopt-stacks.ts'
import { type AdoptedCluster, skipped, notReady } from './adoption.ts'
import { addonsDocument, existingSecrets } from './existing-secrets.ts'
import { fleetDocument, type NewFleet } from './fleet-document.ts'
import { identityOf, type LiveObject } from './live-object.ts'
import { plainSecrets } from './plain-secrets.ts'
import { checkReadiness, clusterOfAddon } from './readiness.ts'

/** The settings of a new fleet, and the files that were given. */
export interface AdoptionOptions extends NewFleet {
  /**
   * The clusters of which files were given, see {@link LiveObject}; when it is not said, nothing is said of those that
   * are missing.
   */
  readonly clusterKeys?: ReadonlySet<string>
}

/** A cluster of the new fleet, for the report. */
export interface ClusterSummary {
  readonly cluster: string
  readonly release: string
  readonly version: string
  /** `host:port`; '' when it is not known yet. */
  readonly endpoint: string
  /** How many Secrets its addons.yaml names. */
  readonly secrets: number
}

/** A fleet repository to be, and what people should know of it. */
export interface Adoption {
  /** By path, relative to the fleet's folder. */
  readonly files: ReadonlyMap<string, string>
  readonly stacks: readonly { readonly stack: string; readonly versions: readonly string[] }[]
  readonly clusters: readonly ClusterSummary[]
  /** ADOPT_LEFT_OUT, ADOPT_NOT_READY, ADOPT_SOURCE_UNKNOWN, SECRET_IN_PLAINTEXT. */
  readonly findings: readonly Diagnostic[]
}

const head = `# Made by stackmason adopt. Charts are rendered as the operator does, by Helm 3. The node images of running clusters are there already:
# nodeImages leaves them alone; change it before you offer newer releases.
`

const operatorGroup = 'clusterstack.x-k8s.io'

/**
 * Makes a fleet repository of the objects of a management cluster (and Secrets of workload clusters). Output depends on
 * the objects only, not on their order.
 */
export function planAdoption(lives: readonly LiveObject[], options: AdoptionOptions): Adoption {
  const { objects, findings } = sortOut(lives)
  const of = (group: string, kind: string): readonly LiveObject[] =>
    objects.filter((live) => live.clusterKey === '' && live.group === group && live.kind === kind)
  const releases = of(operatorGroup, 'ClusterStackRelease')
  const addons = of(operatorGroup, 'ClusterAddon')
  const secrets = objects.filter(
    ({ group, kind, clusterKey }) => clusterKey !== '' && group === '' && kind === 'Secret',
  )
  const adopted = adoptClusters(of(CLUSTER_API, 'Cluster'))
  const stacks = adoptStacks({ stacks: of(operatorGroup, 'ClusterStack'), releases, clusters: adopted.clusters })
  const [clusters, homeless] = withStack(adopted.clusters, stacks.stacks)
  const files = new Map<string, string>()
  files.set('stackmason.yaml', head + formatManifestYaml(fleetDocument(options, stacks.stacks)))
  for (const [path, document] of stackFiles(stacks.stacks)) files.set(path, formatManifestYaml(document))
  const readable: Diagnostic[] = []
  const summaries = clusters.map((cluster): ClusterSummary => {
    const { live, release, version } = cluster
    const folder = inputPath(live)
    const document = clusterDocument(cluster)
    files.set(`${folder}/cluster.yaml`, formatManifestYaml(document))
    readable.push(...plainSecrets(live, document, `${folder}/cluster.yaml`))
    const named = existingSecrets(cluster, { addons, secrets })
    if (named.length > 0) files.set(`${folder}/addons.yaml`, formatManifestYaml(addonsDocument(named)))
    const endpoint = endpointOf(cluster)
    return {
      cluster: `${live.namespace}/${live.name}`,
      release: formatTag(release),
      version,
      endpoint,
      secrets: named.length,
    }
  })
  return {
    files,
    stacks: stacks.stacks.map(({ live, versions }) => ({ stack: `${live.namespace}/${live.name}`, versions })),
    clusters: summaries,
    findings: [
      ...(options.source.kind === 'unknown' ? [sourceUnknown()] : []),
      ...findings,
      ...adopted.findings,
      ...stacks.findings,
      ...homeless,
      ...checkReadiness({ clusters, stacks: stacks.stacks.map(({ live }) => live), releases, addons }),
      ...clusters.flatMap((cluster) => secretsUnknown(cluster, { addons, places: options.clusterKeys })),
      ...readable,
    ],
  }
}

/** Each object once, in order; those that have no part in a fleet are named. */
function sortOut(lives: readonly LiveObject[]): {
  readonly objects: readonly LiveObject[]
  readonly findings: readonly Diagnostic[]
} {
  const findings: Diagnostic[] = []
  const first = new Map<string, LiveObject>()
  for (const live of lives) {
    const known = first.get(identityOf(live))
    if (known === undefined) first.set(identityOf(live), live)
    else if (formatManifestYaml(known.object) !== formatManifestYaml(live.object))
      findings.push(skipped(live, `${known.file} has it too, and says something else`, 'Export once, in one go.'))
  }
  const objects = [...first].toSorted(([a], [b]) => compareBytes(a, b)).map(([, live]) => live)
  for (const live of objects) {
    const reason = noPart(live)
    if (reason !== undefined) findings.push(skipped(live, reason))
  }
  return { objects, findings }
}

/** Why an object has no part in a fleet; undefined when it may have one. */
function noPart({ group, kind, clusterKey }: LiveObject): string | undefined {
  if (clusterKey !== '')
    return kind === 'Secret' && group === '' ? undefined : 'of a workload cluster only Secrets are taken, by name'
  if (group === operatorGroup && ['ClusterStack', 'ClusterStackRelease', 'ClusterAddon'].includes(kind))
    return undefined
  if (group === CLUSTER_API && kind === 'Cluster') return undefined
  if (group === 'infrastructure.clusterstack.x-k8s.io')
    return 'node images are in the cloud already; docs/20-moving-from-cso.md tells what to do for new ones'
  return 'it has no part in a fleet repository'
}

/** The clusters whose stack is adopted, too, and why the others are not. */
function withStack(
  clusters: readonly AdoptedCluster[],
  stacks: readonly AdoptedStack[],
): readonly [readonly AdoptedCluster[], readonly Diagnostic[]] {
  const kept: AdoptedCluster[] = []
  const findings: Diagnostic[] = []
  for (const cluster of clusters) {
    const { live, release, classNamespace } = cluster
    const minor = `${String(release.kubernetes.major)}.${String(release.kubernetes.minor)}`
    const same = stacks.filter(
      (one) => one.provider === release.provider && one.stack === release.stack && one.kubernetes === minor,
    )
    if (same.some((one) => one.live.namespace === classNamespace)) kept.push(cluster)
    else {
      const elsewhere = same.map((one) => one.live.namespace).toSorted(compareBytes)
      const where = elsewhere.length === 0 ? '' : `; there is one in ${elsewhere.join(', ')}`
      const hint = `Export the ClusterStack of ${release.provider} ${release.stack} ${minor} in ${classNamespace}, too; when there is none, write one.`
      const reason = `it was left out: no ClusterStack in namespace ${classNamespace} offers its class${where}`
      findings.push(notReady(live, reason, hint))
    }
  }
  return [kept, findings]
}

/** stacks/<name>.yaml, with the namespace before the name as soon as two have one name. */
function stackFiles(stacks: readonly AdoptedStack[]): readonly (readonly [string, Dict])[] {
  const areUnique = new Set(stacks.map(({ live }) => live.name)).size === stacks.length
  return stacks.map(({ live, document }) => [
    `stacks/${areUnique ? '' : `${live.namespace}.`}${live.name}.yaml`,
    document,
  ])
}

/**
 * Only releases of the old form leave a list of what was applied; of the others the workload cluster alone knows which
 * Secrets charts made up.
 */
function secretsUnknown(
  { live }: AdoptedCluster,
  {
    addons,
    places: clusterKeys,
  }: { readonly addons: readonly LiveObject[]; readonly places: ReadonlySet<string> | undefined },
): readonly Diagnostic[] {
  const clusterKey = `${live.namespace}/${live.name}`
  const isListed = addons.some(
    (addon) =>
      addon.namespace === live.namespace &&
      clusterOfAddon(addon) === live.name &&
      itemsAt(addon.object, 'status', 'resources').length > 0,
  )
  if (clusterKeys === undefined || clusterKeys.has(clusterKey) || isListed) return []
  const reason = 'no file says which Secrets its addons brought: those that charts generate would be generated again'
  const hint = `Export them there, \`kubectl get secrets -A -l clusterstack.x-k8s.io/instance=owned -o yaml\`, and give the file as ${clusterKey}=FILE.`
  return [notReady(live, reason, hint)]
}

function sourceUnknown(): Diagnostic {
  return {
    code: 'ADOPT_SOURCE_UNKNOWN',
    severity: 'warning',
    message: 'nothing says where the operator takes releases from, so stackmason.yaml has a placeholder',
  }
}
