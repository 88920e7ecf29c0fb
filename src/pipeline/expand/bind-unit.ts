import { bindCluster } from '../../handoff/binding/bind-cluster.ts'
import { checkBinding } from '../../handoff/binding/check-binding.ts'
import { fillPlaceholders } from '../../handoff/binding/fill-placeholders.ts'
import { foldersWithPlaceholders } from '../../handoff/flux/committed-placeholders.ts'
import { planMigrations } from '../../handoff/migrations/plan-migrations.ts'
import { holdBack } from '../../handoff/steps/hold-back.ts'
import type { KeptCluster } from '../../handoff/tool-handoff.ts'
import { divideAddons } from '../../handoff/units/divide-addons.ts'
import { isEmptyNote } from '../../handoff/units/empty-note.ts'
import { arrangeAddons } from '../../handoff/units/arrange-addons.ts'
import type { Placeholder } from '../../model/binding.ts'
import { itemsAt } from '../../model/field.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Fleet } from '../../model/fleet.ts'
import type { HandoffCluster } from '../../model/handoff.ts'
import type { RenderedCluster } from '../../render/stack/render-cluster.ts'
import type { CommittedUnit, RenderedUnit } from './cluster-unit.ts'

/** A cluster with what only the running cluster knows bound to it, as far as its step goes. */
export interface BoundCluster {
  readonly input: HandoffCluster
  readonly placeholders: readonly Placeholder[]
  /** Findings about definitions that are stored in other versions. */
  readonly storage?: readonly Diagnostic[]
  /** Of a cluster that stays as it is committed. */
  readonly kept?: KeptCluster
}

/**
 * Places the addons of a rendered cluster so that what runs moves from unit to unit unharmed, binds the cluster, and
 * takes back what its step is not about.
 * @throws StackmasonError SECRET_*, RUNTIME_VALUE_*, HANDOFF_*
 */
export function bindRendered(
  unit: RenderedUnit,
  rendered: RenderedCluster,
  fleet: Pick<Fleet, 'handoff' | 'addonUnits'>,
): BoundCluster {
  const { cluster, inputs, stackNamespace, plan, committed, committedAddons, addonsState, imagesFrom } = unit
  const { release } = inputs
  const [own, ...others] = rendered.folders
  const addonUnits = cluster.addonUnits ?? fleet.addonUnits ?? 'perOwner'
  const units = divideAddons({ cluster, release, addons: others, addonUnits })
  const state = { committed: committedAddons, isApplied: addonsState === 'applied' }
  const { folders: arranged, ...divided } = arrangeAddons(others, units, state)
  const arrangement = addonsState === 'suspended' ? { ...divided, isHeld: true as const } : divided
  const folders = own === undefined ? arranged : [own, ...arranged]
  const clusterSecret = fleet.handoff?.tool === 'argocd' ? fleet.handoff.clusterSecrets : undefined
  const bound = bindCluster({ cluster, ...rendered, folders, tool: fleet.handoff?.tool, clusterSecret })
  const differences = checkBinding(bound.placeholders, bound.binding, rendered.assumptions)
  // a defect of ours, never of the input: what is applied would wait for ever
  if (differences.length > 0) throw new Error(`the binding of ${cluster.name}: ${differences.join('; ')}`)
  const filled = fillPlaceholders(bound, cluster.previewValues ?? new Map())
  const [ownFolder, ...addons] = plan === undefined ? filled.folders : holdBack(filled.folders, plan, committed)
  if (ownFolder === undefined) throw new Error(`cluster ${cluster.name} has no folder`)
  const { clusterFolder, findings } = planMigrations({
    cluster,
    clusterFolder: ownFolder,
    addons,
    committed: unit.storedDefinitions,
    isMigrated: fleet.handoff?.storageMigrations === true,
  })
  // a binding of Secrets alone publishes no values that a unit could wait for
  const hasRuntimeValues = filled.placeholders.length > 0
  const input = { cluster, release, stackNamespace, clusterFolder, addons, hasRuntimeValues, arrangement }
  return { input: withImages(input, imagesFrom), placeholders: filled.placeholders, storage: findings }
}

/**
 * A cluster whose folders stay as they are committed, but for what its step says; undefined when nothing of it is left.
 */
export function bindCommitted(unit: CommittedUnit): BoundCluster | undefined {
  const { cluster, release, stackNamespace, plan, committed, content, objects, addonUnits, imagesFrom } = unit
  const [clusterFolder, ...addons] = holdBack(content.folders, plan, committed)
  if (clusterFolder === undefined) return undefined
  const hasRuntimeValues = clusterFolder.manifests.some(
    ({ kind, object }) => kind === 'RuntimeValues' && itemsAt(object, 'spec', 'values').length > 0,
  )
  const emptied = addons.filter(({ manifests }) => manifests.length > 0 && manifests.every(isEmptyNote))
  const arrangement = {
    units: addonUnits,
    orphans: new Set<string>(),
    moves: [],
    emptied: emptied.map(({ path }) => path),
  }
  const input: HandoffCluster = {
    cluster,
    release,
    stackNamespace,
    clusterFolder,
    addons,
    hasRuntimeValues,
    isKept: true,
    ...(addons.length > 0 && { arrangement }),
  }
  return {
    input: withImages(input, imagesFrom),
    placeholders: [],
    kept: { placeholders: foldersWithPlaceholders(content.folders), kustomizations: content.kustomizations, objects },
  }
}

/** A cluster with the stacks that hold its images, where those of its class lie in another namespace. */
function withImages(input: HandoffCluster, imagesFrom: readonly string[]): HandoffCluster {
  const isElsewhere = input.stackNamespace !== input.cluster.namespace && imagesFrom.length > 0
  return isElsewhere ? { ...input, imagesFrom } : input
}
