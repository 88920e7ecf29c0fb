import { compareBytes } from '../../codec/text/text-order.ts'
import type { Placeholder } from '../../model/binding.ts'
import { workOn } from '../../model/diagnostic.ts'
import { itemsAt, textAt } from '../../model/field.ts'
import type { ArgoHandoff } from '../../model/handoff-config.ts'
import type { Unit } from '../../model/handoff.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import type { Source } from '../../model/source.ts'
import { handoffFolder, HANDOFF } from '../../model/tree-path.ts'
import type { Dict, Value } from '../../model/value.ts'
import { createUnitFinder, type FindUnit } from '../create-unit-finder.ts'
import type { Demands } from '../demand.ts'
import { createHandoffTemplates, type HandoffTemplates, type RenderHandoffObject } from '../handoff-template.ts'
import { argoHealthConfig } from '../gates/argo-health.ts'
import { noteUnits } from '../note-units.ts'
import { pairingFields } from '../pairing.ts'
import type { NotedUnit, ToolHandoff } from '../tool-handoff.ts'
import { unitSubject } from '../unit-subject.ts'
import { createAnnotator } from './annotate-manifest.ts'
import { parentApplication, type PlannedApplication, unitApplication, type UnitOrder } from './application-data.ts'
import { applicationSetData, applicationSetDemands } from './application-set.ts'
import { placeholderPatches } from './placeholder-patches.ts'
import { orderUnits } from './order-units.ts'

import { pairPatches } from './pair-patches.ts'
import { projectsData } from './project-data.ts'
import { refuseUnpatchable } from './refuse-unpatchable.ts'

/** The sources of Argo CD's objects. */
export interface ArgoSources {
  readonly templates: HandoffTemplates
  /** The Lua files of `templates/handoff/argocd/health`. */
  readonly healthScripts: readonly Source[]
}

/** Where the health checks lie that Argo CD's own ConfigMap needs; no namespace has a dot in its name. */
const HEALTH_FOLDER = handoffFolder('argocd.health')

/**
 * Writes one Argo CD Application per unit (an ApplicationSet where its cluster must supply values), the Applications
 * that hold those of a cluster and of a namespace, AppProjects, and the health checks to be merged into argocd-cm; and
 * puts on the units' objects what Argo CD must see. A folder with placeholders builds only with the patches that fill
 * them. Deleting an Application leaves everything it applied where it is.
 */
export function createArgoHandoff(config: ArgoHandoff, { templates, healthScripts }: ArgoSources): ToolHandoff {
  const render = createHandoffTemplates(templates)
  const annotate = createAnnotator()
  const application = ({ data, demands }: PlannedApplication): Manifest =>
    render('argocd/application.yaml.hbs', data, demands)

  function annotated(folders: readonly RenderedFolder[], unitOf: FindUnit): readonly RenderedFolder[] {
    return folders.map((folder) => {
      const unit = unitOf(folder.path)
      // what is read back from the committed tree has all of it
      if (unit === undefined || unit.isKept === true) return folder
      return { ...folder, manifests: folder.manifests.map((manifest) => annotate(manifest, unit)) }
    })
  }

  return {
    plainAddon: (manifests) => manifests.map((manifest) => annotate(manifest, { kind: 'addons' })),
    cluster({ cluster, units, folders, placeholders: all, kept }) {
      refuseUnpatchable(folders, all)
      const unitOf = createUnitFinder(units)
      const placeholders = new Map<Unit, readonly Placeholder[]>()
      for (const placeholder of all) {
        const unit = unitOf(placeholder.folder)
        if (unit === undefined) throw new Error(`no unit applies ${placeholder.folder}, which has placeholders`)
        placeholders.set(unit, [...(placeholders.get(unit) ?? []), placeholder])
      }
      const kustomizations = new Map<string, Dict>()
      const manifestOf = (unit: Unit, order: UnitOrder): Manifest => {
        const plain = application(unitApplication(unit, config, order))
        const patches = patchesOf(plain.name, placeholders.get(unit) ?? [], kept?.objects ?? [])
        if (patches.length === 0) return plain
        const paired = pairPatches(patches)
        kustomizations.set(unit.path, pairingFields(paired.pairing))
        return withValues(plain, { unit, config, patches: paired.patches, render })
      }
      const manifests = [...orderUnits(units)].map(([unit, order]) =>
        workOn(unitSubject(unit), () => manifestOf(unit, order)),
      )
      return {
        folders: withKustomizations(annotated(folders, unitOf), kustomizations),
        handoff: [{ path: handoffFolder(cluster.namespace, cluster.name), manifests }],
        note: { cluster, units: noteUnits(units) },
      }
    },
    rest(stacks, folders, { clusters, committed }) {
      const noted = clusters.flatMap((note) => note.units)
      const units = [...noteUnits(stacks), ...noted]
      const handoff = new Map<string, readonly Manifest[]>()
      const put = (path: string, manifest: Manifest): void => {
        handoff.set(path, [...(handoff.get(path) ?? []), manifest])
      }
      for (const data of projectsData(units, config, committed))
        put(HANDOFF, render('argocd/appproject.yaml.hbs', data, projectDemands(data)))
      for (const namespace of new Set(units.map((unit) => unit.namespace))) {
        const path = handoffFolder(namespace)
        handoff.set(path, [])
        put(HANDOFF, application(parentApplication(config, { namespace, path, wave: 0 })))
      }
      for (const { cluster, units: own } of clusters) {
        const { namespace, name } = cluster
        const wave = waitsForImages(own) ? 1 : 0
        const path = handoffFolder(namespace, name)
        put(handoffFolder(namespace), application(parentApplication(config, { namespace, cluster: name, path, wave })))
      }
      for (const [unit, order] of orderUnits(stacks, noted))
        workOn(unitSubject(unit), () => {
          put(handoffFolder(unit.namespace), application(unitApplication(unit, config, order)))
        })
      handoff.set(HEALTH_FOLDER, [argoHealthConfig(config.namespace, healthScripts)])
      return {
        folders: annotated(folders, createUnitFinder(stacks)),
        handoff: [...handoff]
          .toSorted(([a], [b]) => compareBytes(a, b))
          .map(([path, manifests]) => ({ path, manifests })),
      }
    },
  }
}

/**
 * True if a cluster has node images in its own namespace and its class in another. Only then a wave orders something: a
 * class comes after the images beside it, and Cluster API makes nothing of a Cluster without its class. A wave holds
 * back all that comes later in the namespace, so there is none without need.
 */
function waitsForImages(units: readonly NotedUnit[]): boolean {
  const own = units.find(({ kind }) => kind === 'cluster')
  const places = (own?.dependsOn ?? []).map(({ namespace }) => namespace === undefined)
  return places.includes(true) && places.includes(false)
}

function withKustomizations(
  folders: readonly RenderedFolder[],
  kustomizations: ReadonlyMap<string, Dict>,
): readonly RenderedFolder[] {
  const paths = new Set(folders.map(({ path }) => path))
  const lost = [...kustomizations.keys()].find((path) => !paths.has(path))
  if (lost !== undefined) throw new Error(`${lost} has placeholders and no folder`)
  return folders.map((folder) => {
    const kustomization = kustomizations.get(folder.path)
    return kustomization === undefined ? folder : { ...folder, kustomization }
  })
}

interface Values {
  readonly unit: Unit
  readonly config: ArgoHandoff
  readonly patches: readonly Value[]
  readonly render: RenderHandoffObject
}

function withValues(application: Manifest, { unit, config, patches, render }: Values): Manifest {
  const data = applicationSetData(application, unit, patches)
  return render(
    'argocd/applicationset.yaml.hbs',
    data,
    applicationSetDemands(application, unit, { patches, data, config }),
  )
}

function patchesOf(name: string, placeholders: readonly Placeholder[], kept: readonly Manifest[]): readonly Value[] {
  if (placeholders.length > 0) return placeholderPatches(placeholders)
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
