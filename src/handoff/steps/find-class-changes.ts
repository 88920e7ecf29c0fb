import { formatGoJson } from '../../codec/json/go-json.ts'
import { readClassReference } from '../../model/class-reference.ts'
import { templatesOfClass } from '../../model/class-templates.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { type PathStep, textAt } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { UnitStack } from '../../model/handoff.ts'
import { inputPath } from '../../model/input-path.ts'
import { type Manifest, placeIn, type RenderedFolder } from '../../model/manifest.ts'
import { objectPath } from '../../model/object-name.ts'
import { formatClassName, formatTag } from '../../model/release-name.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { TreeCluster } from './find-orphans.ts'

/** The clusters of a fleet: as the tree has them, and with their inputs. */
export interface ClassUsers {
  readonly tree: readonly TreeCluster[]
  readonly clusters: readonly Pick<Cluster, 'namespace' | 'name' | 'options'>[]
}

/** The clusters of the tree whose class is that of a stack. */
export function usersOfClass(
  { namespace, release }: Pick<UnitStack, 'namespace' | 'release'>,
  tree: readonly TreeCluster[],
): readonly TreeCluster[] {
  const className = formatClassName(release.name)
  return tree.filter((cluster) => {
    const { object } = cluster.committed
    if (object === undefined) return false
    const wanted = readClassReference(object)
    return wanted.name === className && (wanted.namespace || cluster.namespace) === namespace
  })
}

/** So many objects, and so many clusters, are named. */
const NAMED = 3

/**
 * The finding about a stack whose class is another than the committed one under the same version, while clusters have
 * that class: undefined if it is not. Cluster API takes a change of a ClusterClass, or of a template that it names, to
 * every cluster of the class at once, in no steps, and a provider may refuse it. An error where one of these clusters
 * is to stay as it is, and no file of its own would show that it does not; and where a template goes that the class
 * still names.
 */
export function findClassChange(
  stack: UnitStack,
  before: RenderedFolder,
  { tree, clusters }: ClassUsers,
): Diagnostic | undefined {
  const changes = changesOf(stack.folder.manifests, before.manifests)
  const [first] = changes
  const users = usersOfClass(stack, tree)
  if (first === undefined || users.length === 0) return undefined
  const inputs = new Map(clusters.map((cluster) => [objectPath(cluster), cluster]))
  const all = users.map((user) => ({ user, kept: whyKept(inputs.get(objectPath(user))) }))
  const kept = all.filter((one) => one.kept !== undefined)
  const others = all.filter((one) => one.kept === undefined)
  const named = [...kept, ...others].map(
    ({ user, kept: why }) => objectPath(user) + (why === undefined ? '' : ` (${keptWords[why]})`),
  )
  const tag = formatTag(stack.release.name)
  const refused = changes.filter(({ kind }) => isImmutable(kind)).map(({ kind }) => kind)
  const effect =
    `Cluster API would take that to ${named.length === 1 ? 'the cluster' : 'these clusters'} at once, and may replace every machine` +
    (refused.length === 0 ? '' : `, or refuse it: the spec of a ${refused[0] ?? ''} is immutable`)
  const version =
    `Put release ${tag} back as it was, and publish the change as a new version: ` +
    'clusters move to it one by one, by the class in their cluster.yaml.'
  const [held] = kept
  const lost = changes.find(({ isLost }) => isLost)
  if (lost !== undefined)
    return {
      code: 'CLASS_CHANGES_IN_PLACE',
      severity: 'error',
      message:
        `the class of release ${tag} in namespace ${stack.namespace} loses a template under its version, with ${listed(named)} at it: ` +
        `${lost.text}, and the class still names it; Cluster API would reconcile neither the class nor its clusters any more`,
      ...lost.place,
      hint: `Put release ${tag} back as it was. In a new version take the template out of the ClusterClass, too: clusters move to it one by one, by the class in their cluster.yaml.`,
      about: { release: tag },
    }
  return {
    code: 'CLASS_CHANGES_IN_PLACE',
    severity: held === undefined ? 'warning' : 'error',
    message:
      `the class of release ${tag} in namespace ${stack.namespace} changes under its version, with ${listed(named)} at it: ` +
      `${listed(changes.map(({ text }) => text))}; ${effect}`,
    ...first.place,
    hint:
      held === undefined
        ? version
        : `${version} To let the change through, first remove \`${held.kept ?? ''}\` from ${inputPath(held.user, 'options.yaml')}.`,
    about: { release: tag },
  }
}

/** The fields of options.yaml by which a running cluster is to stay as it is, and how such a cluster is called. */
const keptWords = { freeze: 'frozen', suspend: 'suspended', decommission: 'on its way out' } as const

function whyKept(cluster: Pick<Cluster, 'options'> | undefined): keyof typeof keptWords | undefined {
  const { isFrozen = false, isSuspended = false, decommission } = cluster?.options ?? {}
  if (isFrozen) return 'freeze'
  if (isSuspended) return 'suspend'
  return decommission === undefined ? undefined : 'decommission'
}

interface Change {
  readonly kind: string
  readonly text: string
  readonly place: Pick<Diagnostic, 'at' | 'file' | 'on'>
  /** True if it is gone and the class still names it. */
  readonly isLost?: boolean
}

function changesOf(now: readonly Manifest[], before: readonly Manifest[]): readonly Change[] {
  const wanted = new Map(now.filter(isOfClass).map((manifest) => [nameOf(manifest), manifest]))
  const named = new Set(now.flatMap(namedBy))
  return before.filter(isOfClass).flatMap((old): readonly Change[] => {
    const manifest = wanted.get(nameOf(old))
    const { kind } = old
    if (manifest === undefined) {
      const isLost = named.has(nameOf(old))
      return [{ kind, text: `${nameOf(old)} is gone`, place: { file: old.origin.template }, isLost }]
    }
    const path = firstDifference(content(old), content(manifest))
    return path === undefined
      ? []
      : [{ kind, text: `${nameOf(old)} at ${formatPath(path)}`, place: placeIn(manifest, ...path) }]
  })
}

/** The templates of its own namespace that a ClusterClass names. */
function namedBy({ kind, namespace, object }: Manifest): readonly string[] {
  if (kind !== 'ClusterClass') return []
  return templatesOfClass(object).flatMap(({ reference }) => {
    const there = textAt(reference, 'namespace')
    if (there !== '' && there !== namespace) return []
    return nameOf({ kind: textAt(reference, 'kind'), name: textAt(reference, 'name') })
  })
}

/** True of a ClusterClass, and of what it makes the objects of a cluster from: no other object is compared. */
export function isOfClass({ kind }: Manifest): boolean {
  return kind === 'ClusterClass' || kind.endsWith('Template')
}

/** By the contract of Cluster API for templates of machines; the control plane's own has a webhook for that, too. */
function isImmutable(kind: string): boolean {
  return kind.endsWith('MachineTemplate') || kind === 'KubeadmControlPlaneTemplate'
}

function nameOf({ kind, name }: Pick<Manifest, 'kind' | 'name'>): string {
  return `${kind} ${name}`
}

/**
 * The content that a controller acts on: names stay, labels and annotations move no machine, and a version of the API
 * is no content.
 */
function content({ object }: Manifest): Dict {
  const copy = new Dict()
  for (const [key, value] of object)
    if (!['apiVersion', 'kind', 'metadata', 'status'].includes(key)) copy.set(key, value)
  return copy
}

/** The path of the first field that differs; undefined if none does. */
function firstDifference(a: Value, b: Value, path: readonly PathStep[] = []): readonly PathStep[] | undefined {
  if (a instanceof Dict && b instanceof Dict) {
    for (const key of new Set([...a.keys(), ...b.keys()])) {
      const [left, right] = [a.get(key), b.get(key)]
      const found =
        left === undefined || right === undefined ? [...path, key] : firstDifference(left, right, [...path, key])
      if (found !== undefined) return found
    }
    return undefined
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    const at = Array.from({ length: Math.max(a.length, b.length) }, (_, index) => index)
    return at.reduce<readonly PathStep[] | undefined>((found, index) => {
      if (found !== undefined) return found
      const [left, right] = [a[index], b[index]]
      return left === undefined || right === undefined
        ? [...path, index]
        : firstDifference(left, right, [...path, index])
    }, undefined)
  }
  return formatGoJson(a) === formatGoJson(b) ? undefined : path
}

function formatPath(path: readonly PathStep[]): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${String(step)}]` : at === 0 ? step : `.${step}`))
    .join('')
}

function listed(names: readonly string[]): string {
  if (names.length > NAMED) return `${names.slice(0, NAMED).join(', ')} and ${String(names.length - NAMED)} more`
  return names.length === 1 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`
}
