import { errorCodes } from '../../model/error-codes.ts'
import type { Diagnostic, FindingSubject } from '../../model/diagnostic.ts'
import { type Manifest, placeIn, type RenderedFolder } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { dict } from '../../model/value.ts'
import { shownName } from '../../model/shown-name.ts'
import type { PlannedAddon } from './addon-plan.ts'

/** Namespaces that every cluster has. */
const builtIn: ReadonlySet<string> = new Set(['default', 'kube-node-lease', 'kube-public', 'kube-system'])

/** A folder of an addon, and the addon that it is of. */
export interface AddonFolder {
  readonly planned: PlannedAddon
  readonly folder: RenderedFolder
  readonly about: FindingSubject
}

/** The folders with the Namespaces that own addons ask for, and those that nothing makes. */
export interface CompletedFolders {
  readonly folders: readonly RenderedFolder[]
  readonly findings: readonly Diagnostic[]
}

/**
 * Adds the Namespace that addons.yaml states for an own addon, as `helm install --create-namespace` does, unless an
 * addon of the cluster brings it or every cluster has it. Objects in other namespaces that no addon brings are warned
 * about: the API server refuses them until something else has made it.
 */
export function addNamespaces(addons: readonly AddonFolder[]): CompletedFolders {
  const all = addons.flatMap(({ folder }) => folder.manifests)
  const there = new Set([...builtIn, ...all.filter(isNamespace).map(({ name }) => name)])
  const folders = addons.map(({ planned, folder }) => {
    const wanted = planned.from === 'fleet' ? planned.entry.namespace : undefined
    const isUsed = folder.manifests.some(({ namespace }) => namespace === wanted)
    if (planned.from !== 'fleet' || wanted === undefined || there.has(wanted) || !isUsed) return folder
    there.add(wanted)
    return { ...folder, manifests: [namespaceOf(wanted, planned.entry), ...folder.manifests] }
  })
  const findings = addons.flatMap(({ folder, planned, about }) => {
    const missing = new Map<string, Manifest>()
    for (const manifest of folder.manifests) {
      const { namespace } = manifest
      if (namespace !== undefined && !there.has(namespace) && !missing.has(namespace)) missing.set(namespace, manifest)
    }
    return [...missing].map(([name, first]): Diagnostic => ({
      code: 'NAMESPACE_MISSING',
      severity: 'warning',
      message: `addon ${planned.name} has objects in namespace ${shownName(name)}, which no addon of the cluster brings`,
      ...placeIn(first, 'metadata', 'namespace'),
      ...wayTo(nearestName(name, [...there])),
      about,
    }))
  })
  return { folders, findings }
}

/** Absent: what holds for all of them. */
function wayTo(near: string | undefined): Pick<Diagnostic, 'hint'> {
  if (near === undefined) return {}
  return { hint: `Did you mean ${shownName(near)}? ${errorCodes.NAMESPACE_MISSING.fix}` }
}

function isNamespace({ apiVersion, kind }: Manifest): boolean {
  return apiVersion === 'v1' && kind === 'Namespace'
}

function namespaceOf(name: string, { name: unit, at }: Extract<PlannedAddon, { from: 'fleet' }>['entry']): Manifest {
  const object = dict([
    ['apiVersion', 'v1'],
    ['kind', 'Namespace'],
    ['metadata', dict([['name', name]])],
  ])
  const origin = { from: at.source.name, unit, template: at.source.name, at }
  return { apiVersion: 'v1', kind: 'Namespace', name, object, origin }
}
