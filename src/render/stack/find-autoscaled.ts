import { formatGoJson } from '../../codec/json/go-json.ts'
import { spanOf } from '../../codec/yaml/positioned-yaml.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { Span } from '../../model/source.ts'
import type { Dict, Value } from '../../model/value.ts'
import { applyPatch, matchesTarget } from './patch.ts'

/** Annotations that give a group of machines to the Kubernetes autoscaler (cluster-api api/core). */
const sizes = [
  'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size',
  'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size',
] as const

const groupLists = [
  ['machineDeployments', 'machine deployment'],
  ['machinePools', 'machine pool'],
] as const

type GroupList = (typeof groupLists)[number][0]

/** The inputs besides its Cluster that decide the number of a group's machines. */
export interface AutoscaledInputs {
  readonly cluster: Cluster
  /** Its annotations come to the groups of its classes, too. */
  readonly clusterClass?: Dict
  /** The Cluster as the engine has it. */
  readonly committed?: Dict
}

/**
 * Warns of groups of machines whose replicas both the Cluster and the autoscaler set: each would undo what the other
 * did. Rule: Cluster API's webhook (core/webhooks/admission/cluster.go), which has it for machine deployments; versions
 * before it took such Clusters. And of groups that nobody sets the number of any more: with neither replicas nor both
 * annotations Cluster API gives one machine (calculateMachineDeploymentReplicas and calculateMachinePoolReplicas), also
 * to a group that had more. `before` is the Cluster without the fleet's patches, `after` with them.
 */
export function findAutoscaled(before: Manifest, after: Manifest, inputs: AutoscaledInputs): readonly Diagnostic[] {
  return groupLists.flatMap(([list, what]) =>
    groupsOf(after.object, list).flatMap((group): readonly Diagnostic[] => {
      const wrong = sizeProblem(group, list, inputs)
      if (wrong === undefined) return []
      const { field, message, hint } = wrong
      const name = textAt(group, 'name')
      const at = patchOf(before, { list, name }, inputs.cluster) ?? writtenAt({ list, name }, field, inputs.cluster)
      const about = `the ${what} ${JSON.stringify(name)} ${message}`
      return [{ code: 'CLUSTER_AUTOSCALED', severity: 'warning', message: about, at, hint }]
    }),
  )
}

interface Wrong {
  readonly field: readonly string[]
  readonly message: string
  readonly hint: string
}

function sizeProblem(group: Value, list: GroupList, { clusterClass, committed }: AutoscaledInputs): Wrong | undefined {
  const own = dictAt(group, 'metadata', 'annotations')
  const ofClass = classAnnotations(clusterClass, list, textAt(group, 'class'))
  const missing = sizes.filter((key) => own?.has(key) !== true && !ofClass.some((from) => from.has(key)))
  const isOfClass = sizes.every((key) => own?.has(key) !== true)
  if (replicasOf(group) !== undefined) {
    if (missing.length === sizes.length) return undefined
    return {
      field: ['replicas'],
      message: `has ${isOfClass ? "its class's annotations" : 'annotations'} for the autoscaler and a fixed number of replicas`,
      hint: 'Remove replicas: the GitOps tool then never touches the number, and the autoscaler keeps it between its two sizes.',
    }
  }
  const [other] = missing
  if (other === undefined) return undefined
  if (missing.length < sizes.length)
    return {
      field: ['metadata', 'annotations'],
      message: "has one of the autoscaler's two annotations and no replicas: Cluster API takes it to one machine",
      hint: `Add ${other}.`,
    }
  const had = groupsOf(committed ?? null, list).find((one) => textAt(one, 'name') === textAt(group, 'name'))
  const replicas = had === undefined ? undefined : replicasOf(had)
  if (replicas === undefined || replicas === '1') return undefined
  return {
    field: [],
    message: `loses its ${replicas} replicas and has no annotations for the autoscaler: Cluster API takes it to one machine`,
    hint: `Write the number that you want, or both annotations for the autoscaler: ${sizes.join(' and ')}.`,
  }
}

function groupsOf(object: Value, list: GroupList): readonly Value[] {
  return itemsAt(object, 'spec', 'topology', 'workers', list)
}

function replicasOf(group: Value): string | undefined {
  const replicas = fieldAt(group, 'replicas') ?? null
  return replicas === null ? undefined : formatGoJson(replicas)
}

/** v1beta2 has them beside the class's templates, v1beta1 in `template`. */
function classAnnotations(clusterClass: Dict | undefined, list: GroupList, className: string): readonly Dict[] {
  return itemsAt(clusterClass ?? null, 'spec', 'workers', list)
    .filter((entry) => textAt(entry, 'class') === className)
    .flatMap((entry) => [
      dictAt(entry, 'metadata', 'annotations') ?? [],
      dictAt(entry, 'template', 'metadata', 'annotations') ?? [],
    ])
    .flat()
}

interface GroupName {
  readonly list: GroupList
  readonly name: string
}

/** The last patch that decided about the number of the group. */
function patchOf(before: Manifest, { list, name }: GroupName, { patches }: Cluster): Span | undefined {
  const stateOf = ({ object }: Manifest): string => {
    const group = groupsOf(object, list).find((one) => textAt(one, 'name') === name)
    if (group === undefined) return 'absent'
    return [replicasOf(group), ...sizes.map((key) => textAt(group, 'metadata', 'annotations', key))].join(' ')
  }
  let manifest = before
  let at: Span | undefined
  for (const patch of patches) {
    if (!matchesTarget(manifest, patch.target)) continue
    const patched = applyPatch(manifest, patch)
    if (stateOf(patched) !== stateOf(manifest)) ({ at } = patch)
    manifest = patched
  }
  return at
}

/** Where cluster.yaml says it. */
function writtenAt({ list, name }: GroupName, field: readonly string[], { document, object }: Cluster): Span {
  const index = groupsOf(object, list).findIndex((one) => textAt(one, 'name') === name)
  const path = ['spec', 'topology', 'workers', list, index, ...field]
  return spanOf(document, path, field.length === 1 ? 'value' : 'key')
}
