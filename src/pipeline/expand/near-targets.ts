import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Cluster, Patch } from '../../model/fleet.ts'
import type { Manifest } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { groupOf } from '../../render/stack/scope.ts'

/** How many clusters of a patch are rendered again to see what it could mean. */
const MAX_CLUSTERS = 3

type TargetField = keyof Patch['target']

const readField: Readonly<Record<TargetField, (manifest: Manifest) => string>> = {
  kind: ({ kind }) => kind,
  name: ({ name }) => name,
  namespace: ({ namespace = '' }) => namespace,
  addon: ({ origin }) => origin.unit,
  group: ({ object }) => groupOf(object),
  version: ({ apiVersion }) => apiVersion.slice(apiVersion.indexOf('/') + 1),
}
const fields = Object.keys(readField) as readonly TargetField[]

/**
 * Adds to findings about patches that match nothing what they could have meant. `objectsOf` gives the objects of a
 * cluster.
 */
export async function withNearTargets(
  findings: readonly Diagnostic[],
  clusters: readonly Cluster[],
  objectsOf: (cluster: Cluster) => Promise<readonly Manifest[]>,
): Promise<readonly Diagnostic[]> {
  const objects = new Map<Cluster, readonly Manifest[]>()
  const read = async (cluster: Cluster): Promise<readonly Manifest[]> => {
    const known = objects.get(cluster) ?? (await objectsOrNone(cluster, objectsOf))
    objects.set(cluster, known)
    return known
  }
  const found: Diagnostic[] = []
  for (const finding of findings) {
    const { code, at, hint } = finding
    const patchOf = (cluster: Cluster): Patch | undefined =>
      cluster.patches.find((patch) => patch.at.source.name === at?.source.name && patch.at.start === at.start)
    const users = code === 'PATCH_TARGET_NOT_FOUND' ? clusters.filter((cluster) => patchOf(cluster) !== undefined) : []
    let near: string | undefined
    for (const cluster of users.slice(0, MAX_CLUSTERS)) {
      const { target } = patchOf(cluster) ?? { target: {} }
      near ??= nearTarget(target, await read(cluster))
    }
    found.push(near === undefined ? finding : { ...finding, hint: `Did you mean ${near}? ${hint ?? ''}` })
  }
  return found
}

/** `kind: Deployment`: the one field that keeps a target from an object, as it is there. */
function nearTarget(target: Patch['target'], manifests: readonly Manifest[]): string | undefined {
  const given = fields.filter((field) => target[field] !== undefined)
  for (const field of given) {
    const others = given.filter((other) => other !== field)
    const rest = manifests.filter((manifest) => others.every((other) => readField[other](manifest) === target[other]))
    const values = [...new Set(rest.map(readField[field]))].filter((value) => value !== '')
    const [first, ...more] = values
    const isNamed = field !== 'kind' && field !== 'name' && target.name !== undefined
    const near = nearestName(target[field] ?? '', values) ?? (isNamed && more.length === 0 ? first : undefined)
    if (near !== undefined) return `${field}: ${near}`
  }
  return undefined
}

async function objectsOrNone(
  cluster: Cluster,
  objectsOf: (cluster: Cluster) => Promise<readonly Manifest[]>,
): Promise<readonly Manifest[]> {
  try {
    return await objectsOf(cluster)
  } catch (error) {
    // its own problems are told
    if (error instanceof StackmasonError) return []
    throw error
  }
}
