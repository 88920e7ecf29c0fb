import type { AddonFacts, CheckedFolder, CheckedUnit } from '../../check/checked-unit.ts'
import { templatePlace } from '../../handoff/template-place.ts'
import { isCapiCluster } from '../../model/class-reference.ts'
import { clusterSubject, type Diagnostic, type FindingSubject } from '../../model/diagnostic.ts'
import type { RenderedFolder } from '../../model/manifest.ts'
import { parseTreeFolder, type TreeFolder } from '../../model/tree-path.ts'
import { locateFinding } from '../../render/explain/locate-findings.ts'
import type { Locator } from '../../render/explain/locator.ts'
import { planAddons } from '../../render/stack/addon-plan.ts'
import type { RenderedUnit } from './cluster-unit.ts'
import { locateCommitted } from './committed-place.ts'
import type { ExpandedFolders } from './expanded-unit.ts'

/**
 * Expanded folders as rules see them: the GitOps tool's objects of a cluster are a unit of their own. `output` is the
 * folder of the tree, absolute.
 */
export function unitsOf(
  { folders, rendered, isKept, locator, unit }: ExpandedFolders,
  output: string,
): readonly CheckedUnit[] {
  const all = folders.map((folder) => ({ folder, place: parseTreeFolder(folder.path) }))
  const handoff = all.filter(({ place }) => place === undefined || place.kind === 'handoff')
  const own = all.flatMap(({ folder, place }) =>
    place === undefined || place.kind === 'handoff' ? [] : [checkedFolder(folder, place)],
  )
  const locate = isKept
    ? locateCommitted(folders, output)
    : (finding: Diagnostic): Diagnostic => locateFinding(finding, locator)
  const [first] = own
  const subject = unit === undefined ? subjectOf(first?.place) : clusterSubject(unit.cluster)
  const common = { subject, isKept, locate }
  const objects = rendered.find(({ path }) => path === first?.path)?.manifests ?? []
  const manifest = objects.find((candidate) => isCapiCluster(candidate) && candidate.name === unit?.cluster.name)
  const units: CheckedUnit[] = []
  if (first !== undefined)
    units.push({
      ...common,
      kind: unit === undefined ? 'stack' : 'cluster',
      folders: own,
      cluster:
        unit?.kind === 'rendered' && manifest !== undefined
          ? {
              manifest,
              cluster: unit.inputs.cluster,
              clusterClass: unit.inputs.clusterClass,
              addons: addonFacts(unit, locator),
            }
          : undefined,
    })
  if (handoff.length > 0)
    units.push({
      ...common,
      locate: (finding) => inTemplate(locate(finding), finding.on),
      kind: 'handoff',
      applies: units[0],
      folders: handoff.map(({ folder, place = { kind: 'handoff', namespace: '' } }) => checkedFolder(folder, place)),
    })
  return units
}

/** The finding at its field in the template of the object, where nothing tells another place. */
function inTemplate(finding: Diagnostic, on: Diagnostic['on']): Diagnostic {
  const source = on?.manifest.origin.source
  if (on === undefined || source === undefined || finding.at !== undefined) return finding
  const start = templatePlace(source, on.path)
  const { file: _, ...rest } = finding
  return { ...rest, at: { source, start, end: start } }
}

function checkedFolder(folder: RenderedFolder, place: TreeFolder): CheckedFolder {
  if (place.kind !== 'addons') return { ...folder, place, destination: 'management' }
  const { namespace, name } = place
  const addon = folder.manifests[0]?.origin.unit
  return { ...folder, place, destination: { namespace, name }, addon }
}

function subjectOf(place: TreeFolder | undefined): FindingSubject {
  return place?.kind === 'stack' ? { release: place.tag } : {}
}

function addonFacts({ inputs }: RenderedUnit, locator: Locator | undefined): readonly AddonFacts[] {
  const { cluster, release, ownCharts, ownTemplates } = inputs
  return planAddons(cluster, release).addons.map((planned) => {
    const { name } = planned
    const chart = planned.from === 'release' ? planned.addon.chart : ownCharts.get(planned.entry.chart ?? '')
    const templates = planned.from === 'release' ? undefined : ownTemplates.get(planned.entry.templates ?? '')
    return {
      name,
      values: cluster.values.get(name) ?? [],
      chart,
      templates: chart === undefined ? templates : undefined,
      reads: () => locator?.readsOf(name),
    }
  })
}
