import { notReady } from './adoption.ts'
import { compareBytes } from '../codec/text/text-order.ts'
import type { NamedSecret } from './existing-secrets.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { dictAt, textAt } from '../model/field.ts'
import type { Manifest } from '../model/manifest.ts'
import { compareObject, fieldName, type FieldDifference } from './compare-object.ts'
import { describeLive, groupOf, identityOf, type LiveObject } from './live-object.ts'
import { hasGoodManagers, saysManagers, untoldFields } from './lost-fields.ts'

/** The rendered objects of one cluster. */
export interface RenderedCluster {
  /** See {@link LiveObject}. */
  readonly clusterKey: string
  readonly manifests: readonly Manifest[]
  /** Secrets that are there already, and so are not rendered. */
  readonly existing: readonly NamedSecret[]
}

/** One object that is not the same. */
export interface ObjectDifference {
  readonly object: string
  readonly fields: readonly FieldDifference[]
}

/** The result of comparing one cluster. */
export interface ClusterComparison {
  readonly clusterKey: string
  readonly compared: number
  readonly differences: readonly ObjectDifference[]
  /** Objects of the operator that nothing renders: they stay as they are, and nobody manages them any more. */
  readonly left: readonly string[]
  /** How many fields are known only in the cluster, and so were not compared. */
  readonly later: number
  /** Warnings: why it is not known of some objects what would change. */
  readonly unknown: readonly Diagnostic[]
}

/** Objects of these groups are new by design: they serve this tool, and change nothing that runs. */
const ownGroups: readonly string[] = ['stackmason.dev']

/** Compares what is rendered for a cluster with what runs in it. */
export function compareCluster(
  { clusterKey, manifests, existing }: RenderedCluster,
  lives: readonly LiveObject[],
): ClusterComparison {
  const here = byIdentity(clusterKey, lives, manifests)
  const differences: ObjectDifference[] = []
  const rendered = new Set(
    existing.map(({ namespace, name }) => identityOf({ clusterKey, group: '', kind: 'Secret', namespace, name })),
  )
  const given: LiveObject[] = []
  const untold: Diagnostic[] = []
  let compared = 0
  let later = 0
  for (const manifest of manifests) {
    const group = groupOf(manifest.apiVersion)
    if (ownGroups.includes(group)) continue
    const { kind, name, namespace = '' } = manifest
    const key = identityOf({ clusterKey, group, kind, namespace, name })
    const live = here.get(key)
    rendered.add(key)
    compared++
    const pointers = new Set((manifest.deferred ?? []).map(({ pointer }) => pointer))
    later += pointers.size
    if (live !== undefined) given.push(live)
    if (live?.apiVersion === manifest.apiVersion) untold.push(...untoldOf(manifest, live))
    const fields = fieldsOf(manifest, live, pointers)
    if (fields.length > 0) differences.push({ object: describeLive({ kind, namespace, name }), fields })
  }
  const left = [...here]
    .filter(([key, { object }]) => !rendered.has(key) && isOperators(object))
    .map(([, live]) => describeLive(live))
    .toSorted(compareBytes)
  return {
    clusterKey,
    compared,
    differences: differences.toSorted((a, b) => compareBytes(a.object, b.object)),
    left,
    later,
    unknown: [
      ...withoutManagers(
        given.filter(({ object }) => !saysManagers(object)),
        'no metadata.managedFields (kubectl leaves them out)',
      ),
      ...withoutManagers(
        given.filter(({ object }) => !hasGoodManagers(object)),
        'metadata.managedFields that no server writes',
      ),
      ...untold,
    ],
  }
}

/** Names that a message has room for. */
const MOST_NAMED = 5

function someOf(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${String(names.length - MOST_NAMED)} more` : ''
  return `${names.slice(0, MOST_NAMED).join(', ')}${more}`
}

function untoldOf({ object }: Manifest, live: LiveObject): readonly Diagnostic[] {
  return untoldFields(object, live.object).map(({ manager, apiVersion, paths }) => {
    const who = manager === '' ? 'the operator' : manager
    const reason =
      `it cannot be told if taking over would remove what ${who} set through ${apiVersion} and what ` +
      `${live.apiVersion} does not have by that name: ${someOf(paths.map(fieldName))}`
    const hint =
      'Look if the rendered object says it by another name; if not, and it is to stay, keep it with a file in patches/.'
    return notReady(live, reason, hint)
  })
}

function withoutManagers(lives: readonly LiveObject[], what: string): readonly Diagnostic[] {
  const [first] = lives
  if (first === undefined) return []
  const names = lives.map(describeLive).toSorted(compareBytes)
  const message = `it cannot be told which fields taking over would remove: ${someOf(names)} came with ${what}`
  const hint =
    'Export them with `kubectl get … -o yaml --show-managed-fields`; step 3 of docs/20-moving-from-cso.md has the commands.'
  return [{ code: 'ADOPT_NOT_READY', severity: 'warning', message, file: first.file, hint }]
}

/** Each object once: of those that were exported in several versions, the one that is rendered. */
function byIdentity(
  clusterKey: string,
  lives: readonly LiveObject[],
  manifests: readonly Manifest[],
): ReadonlyMap<string, LiveObject> {
  const versions = new Map(
    manifests.map(({ apiVersion, kind, name, namespace = '' }) => [
      identityOf({ clusterKey, group: groupOf(apiVersion), kind, namespace, name }),
      apiVersion,
    ]),
  )
  const here = new Map<string, LiveObject>()
  for (const live of lives) {
    const key = identityOf(live)
    if (live.clusterKey === clusterKey && (live.apiVersion === versions.get(key) || !here.has(key))) here.set(key, live)
  }
  return here
}

function fieldsOf(
  manifest: Manifest,
  live: LiveObject | undefined,
  later: ReadonlySet<string>,
): readonly FieldDifference[] {
  if (live === undefined) return [{ field: '', change: 'is not in the files: it would be made' }]
  if (live.apiVersion === manifest.apiVersion) return compareObject({ object: manifest.object, later }, live.object)
  const [version = '', group = ''] = manifest.apiVersion.split('/').toReversed()
  const resource = `${manifest.kind}.${version}${group === '' ? '' : `.${group}`}`
  return [
    { field: 'apiVersion', change: `was exported as ${live.apiVersion}; export it with \`kubectl get ${resource}\`` },
  ]
}

/**
 * True if the operator applied it; what Cluster API made of a class for one cluster has the label of the class's
 * templates, too.
 */
function isOperators(object: LiveObject['object']): boolean {
  const labels = dictAt(object, 'metadata', 'labels')
  return (
    textAt(labels ?? null, 'clusterstack.x-k8s.io/instance') === 'owned' &&
    !labels?.has('cluster.x-k8s.io/cluster-name')
  )
}
