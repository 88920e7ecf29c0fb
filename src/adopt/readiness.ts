import type { Diagnostic } from '../model/diagnostic.ts'
import { dictAt, fieldAt, itemsAt, textAt } from '../model/field.ts'
import { formatClassName, formatTag } from '../model/release-name.ts'
import { type AdoptedCluster, notReady } from './adoption.ts'
import { endpointOf } from './adopt-clusters.ts'
import type { LiveObject } from './live-object.ts'
import { toolMark } from './own-metadata.ts'

/** The inputs that tell how far the operator is. */
export interface ReadinessInputs {
  readonly clusters: readonly AdoptedCluster[]
  readonly stacks: readonly LiveObject[]
  readonly releases: readonly LiveObject[]
  readonly addons: readonly LiveObject[]
}

const waitHint = 'Wait until the operator is done with it, or settle it, and run `stackmason adopt` on a new export.'

/**
 * Everything that makes this not the moment to move: what the operator or Cluster API is still at, and what cannot be
 * told from the files.
 */
export function checkReadiness(inputs: ReadinessInputs): readonly Diagnostic[] {
  return [
    ...inputs.stacks.flatMap((live) => [...toolProblems(live), ...falseConditions(live, [])]),
    ...inputs.clusters.flatMap((cluster) => [
      ...toolProblems(cluster.live),
      ...clusterProblems(cluster),
      ...releaseProblems(cluster, inputs.releases),
      ...addonProblems(cluster, inputs.addons),
    ]),
  ]
}

/** A GitOps tool that applies the object already would delete it when it is taken out of its folder. */
function toolProblems(live: LiveObject): readonly Diagnostic[] {
  const mark = toolMark(live)
  if (mark === undefined) return []
  const hint =
    'Make that tool orphan it instead of deleting it (Flux: `prune: false`; Argo CD: `Prune=false`) before you take it out of its folder.'
  return [notReady(live, `a GitOps tool applies it already, as ${mark} says`, hint)]
}

function clusterProblems(cluster: AdoptedCluster): readonly Diagnostic[] {
  const { live } = cluster
  const problems: Diagnostic[] = []
  const note = (reason: string): void => void problems.push(notReady(live, reason, waitHint))
  const hooks = textAt(live.object, 'metadata', 'annotations', 'runtime.cluster.x-k8s.io/pending-hooks')
  if (hooks !== '') note(`hooks of Cluster API are in progress: ${hooks}`)
  const phase = textAt(live.object, 'status', 'phase')
  if (phase !== '' && phase !== 'Provisioned') note(`its phase is ${phase}`)
  if (fieldAt(live.object, 'spec', 'paused') === true) note('it is paused')
  if (endpointOf(cluster) === '') note('its control plane has no endpoint yet')
  if (cluster.classNamespace !== live.namespace) {
    const hint = 'Scale the operator down before anything else, so that it does not delete the release as unused.'
    const reason = `its class is in namespace ${cluster.classNamespace}, where the operator does not see that it is used`
    problems.push(notReady(live, reason, hint))
  }
  const conditions = conditionsOf(live)
  problems.push(
    ...falseConditions(live, ['TopologyReconciled', 'Ready', 'Available', 'ControlPlaneReady', 'InfrastructureReady']),
  )
  for (const type of ['RollingOut', 'ScalingUp', 'ScalingDown', 'Deleting', 'Remediating']) {
    if (conditions.some((one) => one.type === type && one.status === 'True')) note(`its condition ${type} is True`)
  }
  return problems
}

function releaseProblems(
  { live, release, version }: AdoptedCluster,
  releases: readonly LiveObject[],
): readonly Diagnostic[] {
  const tag = formatTag(release)
  const namesakes = releases.filter(({ name }) => name === tag)
  // the operator knows releases of the cluster's own namespace only
  const found = namesakes.find(({ namespace }) => namespace === live.namespace) ?? namesakes[0]
  if (found === undefined) {
    const hint = `Export it as well: \`kubectl get clusterstackreleases.clusterstack.x-k8s.io -A -o yaml\`.`
    return [notReady(live, `its ClusterStackRelease ${tag} is not in the files, so its state is not known`, hint)]
  }
  const problems: Diagnostic[] = []
  if (fieldAt(found.object, 'status', 'ready') !== true)
    problems.push(notReady(found, `it is not ready, and ${live.namespace}/${live.name} uses it`, waitHint))
  problems.push(...unsynced(found))
  const made = textAt(found.object, 'status', 'kubernetesVersion')
  if (made !== '' && made !== version) {
    const hint =
      'Addons are rendered for the version of the release: set topology.version to it in a change of its own first.'
    problems.push(notReady(live, `its version is ${version}, but its release is made for ${made}`, hint))
  }
  return problems
}

function addonProblems({ live, release }: AdoptedCluster, addons: readonly LiveObject[]): readonly Diagnostic[] {
  const found = addons.find((addon) => addon.namespace === live.namespace && clusterOfAddon(addon) === live.name)
  if (found === undefined) {
    const hint = 'Export it as well: `kubectl get clusteraddons.clusterstack.x-k8s.io -A -o yaml`.'
    return [notReady(live, 'its ClusterAddon is not in the files, so the state of its addons is not known', hint)]
  }
  const problems: Diagnostic[] = []
  const note = (reason: string): void => void problems.push(notReady(found, reason, waitHint))
  if (fieldAt(found.object, 'status', 'ready') !== true) note('it is not ready')
  const applied = textAt(found.object, 'spec', 'clusterStack')
  const wanted = formatClassName(release)
  if (applied !== '' && applied !== wanted)
    note(`the addons of ${applied} are applied, the cluster's class is ${wanted}`)
  for (const stage of itemsAt(found.object, 'status', 'stages')) {
    const phase = textAt(stage, 'phase')
    if (phase !== 'done') note(`its stage ${textAt(stage, 'name')} is at ${phase || 'no phase'}`)
  }
  return [...problems, ...unsynced(found), ...falseConditions(found, [])]
}

/** The name of the Cluster that a ClusterAddon is for. */
export function clusterOfAddon({ name, object }: LiveObject): string {
  return textAt(object, 'spec', 'clusterRef', 'name') || name.replace(/^cluster-addon-/, '')
}

function unsynced(live: LiveObject): readonly Diagnostic[] {
  const failed = itemsAt(live.object, 'status', 'resources').filter((item) => textAt(item, 'status') === 'not-synced')
  if (failed.length === 0) return []
  const names = failed.slice(0, 5).map((item) => `${textAt(item, 'kind')} ${textAt(item, 'name')}`)
  const more = failed.length > names.length ? ` and ${String(failed.length - names.length)} more` : ''
  return [notReady(live, `objects are not applied: ${names.join(', ')}${more}`, waitHint)]
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

/** Conditions wherever the versions of Cluster API keep them; none stands twice. */
function conditionsOf({ object }: LiveObject): readonly Condition[] {
  const found = new Map<string, Condition>()
  for (const status of [dictAt(object, 'status', 'v1beta2'), dictAt(object, 'status')]) {
    if (status === undefined) continue
    for (const item of itemsAt(status, 'conditions')) {
      const type = textAt(item, 'type')
      if (!found.has(type)) {
        const [status, reason, message] = ['status', 'reason', 'message'].map((field) => textAt(item, field))
        found.set(type, { type, status: status ?? '', reason: reason ?? '', message: oneLine(message ?? '') })
      }
    }
  }
  return [...found.values()]
}

/** @param types those that count; all when empty */
function falseConditions(live: LiveObject, types: readonly string[]): readonly Diagnostic[] {
  return conditionsOf(live)
    .filter(({ type, status }) => status !== 'True' && (types.length === 0 || types.includes(type)))
    .map(({ type, status, reason, message }) => {
      const why = `${reason === '' ? '' : ` (${reason})`}${message === '' ? '' : `: ${message}`}`
      return notReady(live, `its condition ${type} is ${status || 'not set'}${why}`, waitHint)
    })
}

const MAX_MESSAGE = 300

/** The message of a controller as one line that ends. */
function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE)}…` : line
}
