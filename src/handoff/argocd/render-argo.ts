import { compareBytes } from '../../codec/text/text-order.ts'
import type { Hole } from '../../model/binding.ts'
import { itemsAt, textAt } from '../../model/field.ts'
import type { ArgoHandoff } from '../../model/handoff-config.ts'
import type { HandoffFolders, Unit } from '../../model/handoff.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import type { Source } from '../../model/source.ts'
import { handoffFolder, HANDOFF } from '../../model/tree-path.ts'
import type { Dict, Value } from '../../model/value.ts'
import { createUnitFinder, type FindUnit } from '../create-unit-finder.ts'
import {
  createHandoffTemplates,
  type Demands,
  type HandoffTemplates,
  type RenderHandoffObject,
} from '../handoff-template.ts'
import { argoHealthConfig } from '../gates/argo-health.ts'
import { pairingFields } from '../pairing.ts'
import { createAnnotator } from './annotate-manifest.ts'
import { parentApplication, type PlannedApplication, unitApplication } from './application-data.ts'
import { applicationSetData, applicationSetDemands } from './application-set.ts'
import { holePatches } from './hole-patches.ts'
import { orderUnits } from './order-units.ts'
import { pairPatches } from './pair-patches.ts'
import { projectsData } from './project-data.ts'
import { refuseUnpatchable } from './refuse-unpatchable.ts'

/** What handoff to Argo CD needs besides the units. */
export interface ArgoContext {
  /** The folders that the units apply, and those below them. */
  readonly folders: readonly RenderedFolder[]
  readonly templates: HandoffTemplates
  /** The Lua files of `templates/handoff/argocd/health`. */
  readonly healthScripts: readonly Source[]
  /** The hole indexes of all clusters. */
  readonly holes: readonly Hole[]
  /**
   * ApplicationSets as they are committed, of clusters whose folders stay as they are committed: such folders have no
   * hole index.
   */
  readonly kept?: readonly Manifest[]
}

/** Where the health checks lie that Argo CD's own ConfigMap needs; no namespace has a dot in its name. */
const HEALTH_FOLDER = handoffFolder('argocd.health')

/**
 * Writes one Argo CD Application per unit (an ApplicationSet where its cluster must supply values), the Applications
 * that hold those of a cluster and of a namespace, AppProjects, and the health checks to be merged into argocd-cm; and
 * puts on the units' objects what Argo CD must see. A folder with holes builds only with the patches that fill them.
 * Deleting an Application leaves everything it applied where it is.
 * @throws StackmasonError HANDOFF_TEMPLATE, HOLE_NOT_PATCHABLE
 */
export function renderArgo(units: readonly Unit[], config: ArgoHandoff, context: ArgoContext): HandoffFolders {
  refuseUnpatchable(context.folders, context.holes)
  const render = createHandoffTemplates(context.templates)
  const application = ({ data, demands }: PlannedApplication): Manifest =>
    render('argocd/application.yaml.hbs', data, demands)
  const unitOf = createUnitFinder(units)
  const orders = orderUnits(units)
  const holes = new Map<Unit, readonly Hole[]>()
  for (const hole of context.holes) {
    const unit = unitOf(hole.folder)
    if (unit === undefined) throw new Error(`no unit applies ${hole.folder}, which has holes`)
    holes.set(unit, [...(holes.get(unit) ?? []), hole])
  }
  const folders = new Map<string, readonly Manifest[]>()
  const kustomizations = new Map<string, Dict>()
  const put = (path: string, manifest: Manifest): void => {
    folders.set(path, [...(folders.get(path) ?? []), manifest])
  }
  for (const data of projectsData(units, config))
    put(HANDOFF, render('argocd/appproject.yaml.hbs', data, projectDemands(data)))
  for (const [unit, order] of orders) {
    const { namespace, cluster } = unit
    const path = handoffFolder(namespace)
    if (!folders.has(path)) {
      folders.set(path, [])
      put(HANDOFF, application(parentApplication(config, { namespace, path, wave: 0 })))
    }
    const clusterPath = handoffFolder(namespace, cluster?.name ?? '')
    if (cluster !== undefined && !folders.has(clusterPath)) {
      const wave = waitsForImages(cluster, units) ? 1 : 0
      put(path, application(parentApplication(config, { namespace, cluster: cluster.name, path: clusterPath, wave })))
    }
    const plain = application(unitApplication(unit, config, order))
    const patches = patchesOf(plain.name, holes.get(unit) ?? [], context.kept ?? [])
    const paired = patches.length === 0 ? undefined : pairPatches(patches)
    if (paired !== undefined) kustomizations.set(unit.path, pairingFields(paired.pairing))
    put(
      cluster === undefined ? path : clusterPath,
      paired === undefined ? plain : withValues(plain, { unit, patches: paired.patches, render }),
    )
  }
  folders.set(HEALTH_FOLDER, [argoHealthConfig(config.namespace, context.healthScripts)])
  return {
    folders: withKustomizations(annotateFolders(context.folders, unitOf), kustomizations),
    handoff: [...folders].toSorted(([a], [b]) => compareBytes(a, b)).map(([path, manifests]) => ({ path, manifests })),
  }
}

/**
 * Whether a cluster has node images in its own namespace and its class in another. Only then a wave orders something: a
 * class comes after the images beside it, and Cluster API makes nothing of a Cluster without its class. A wave holds
 * back all that comes later in the namespace, so there is none without need.
 */
function waitsForImages(cluster: NonNullable<Unit['cluster']>, units: readonly Unit[]): boolean {
  const own = units.find(
    (unit) =>
      unit.kind === 'cluster' && unit.cluster?.name === cluster.name && unit.cluster.namespace === cluster.namespace,
  )
  const places = (own?.dependsOn ?? []).map(({ namespace }) => namespace === undefined)
  return places.includes(true) && places.includes(false)
}

function withKustomizations(
  folders: readonly RenderedFolder[],
  kustomizations: ReadonlyMap<string, Dict>,
): readonly RenderedFolder[] {
  const paths = new Set(folders.map(({ path }) => path))
  const lost = [...kustomizations.keys()].find((path) => !paths.has(path))
  if (lost !== undefined) throw new Error(`${lost} has holes and no folder`)
  return folders.map((folder) => {
    const kustomization = kustomizations.get(folder.path)
    return kustomization === undefined ? folder : { ...folder, kustomization }
  })
}

interface Values {
  readonly unit: Unit
  readonly patches: readonly Value[]
  readonly render: RenderHandoffObject
}

function withValues(application: Manifest, { unit, patches, render }: Values): Manifest {
  const data = applicationSetData(application, unit, patches)
  return render('argocd/applicationset.yaml.hbs', data, applicationSetDemands(application))
}

function patchesOf(name: string, holes: readonly Hole[], kept: readonly Manifest[]): readonly Value[] {
  if (holes.length > 0) return holePatches(holes)
  const before = kept.find((set) => set.kind === 'ApplicationSet' && set.name === name)
  return itemsAt(before?.object ?? null, 'spec', 'template', 'spec', 'source', 'kustomize', 'patches')
}

function projectDemands(data: Dict): Demands {
  return [
    [['apiVersion'], 'argoproj.io/v1alpha1'],
    [['kind'], 'AppProject'],
    [['metadata', 'name'], textAt(data, 'name')],
    [['metadata', 'namespace'], textAt(data, 'namespace')],
    [['metadata', 'finalizers', 0], 'resources-finalizer.argocd.argoproj.io'],
  ]
}

function annotateFolders(folders: readonly RenderedFolder[], unitOf: FindUnit): readonly RenderedFolder[] {
  const annotate = createAnnotator()
  return folders.map((folder) => {
    const unit = unitOf(folder.path)
    // what is read back from the committed tree has all of it
    if (unit === undefined || unit.isKept === true) return folder
    return { ...folder, manifests: folder.manifests.map((manifest) => annotate(manifest, unit)) }
  })
}
