import { isCapiCluster } from '../../model/class-reference.ts'
import { copyDict, dictAt, fieldAt, textAt, withField } from '../../model/field.ts'
import { inputPath } from '../../model/input-path.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import { annotations, marker } from '../../model/step-marks.ts'
import type { CommittedCluster, StepPlan } from '../../model/steps.ts'
import { clusterFolder } from '../../model/tree-path.ts'
import { Dict } from '../../model/value.ts'
import { SYNC_OPTIONS } from '../argocd/committed-units.ts'
import { PRUNE } from '../flux/committed-units.ts'
import { noteManifest } from '../note-manifest.ts'

/**
 * The folders of a cluster as the due step writes them: its Cluster object held at the specification that is committed,
 * marked with the step that the tree holds, or taken out. What a held Cluster keeps is all of `spec`: a class refuses
 * variables and machine classes that it does not know.
 */
export function holdBack(
  folders: readonly RenderedFolder[],
  plan: StepPlan,
  committed: CommittedCluster | undefined,
): readonly RenderedFolder[] {
  if (plan.content === 'none') return []
  if (plan.due.action === 'freeze') return folders
  const own = clusterFolder(plan.cluster)
  const left = plan.decommission?.step === 'release' ? folders.filter(({ path }) => path === own) : folders
  return left.map((folder) => {
    if (folder.path !== own) return folder
    if (plan.clusterObject === 'out') return takeOut(folder, plan)
    const manifests = folder.manifests.map((manifest) =>
      isClusterOf(manifest, plan) ? markCluster(manifest, plan, committed) : manifest,
    )
    return { ...folder, manifests }
  })
}

function isClusterOf(manifest: Manifest, { cluster }: StepPlan): boolean {
  return isCapiCluster(manifest) && manifest.name === cluster.name
}

function markCluster(manifest: Manifest, plan: StepPlan, committed: CommittedCluster | undefined): Manifest {
  const { due, target, decommission } = plan
  const held = plan.clusterObject === 'held' ? holdSpec(manifest.object, committed?.object) : manifest.object
  const isBehind = due.addons !== undefined && due.addons !== due.className
  const marks = new Map<string, string | undefined>([
    [annotations.addons, isBehind ? due.addons : undefined],
    [annotations.target, target],
    [annotations.decommission, decommission?.limit],
  ])
  const marked = annotate(decommission === undefined ? held : withoutProtection(held), marks)
  return { ...manifest, apiVersion: textAt(marked, 'apiVersion'), object: marked }
}

/** Names and labels may change at once, the specification stays, in the version of the API that it is written for. */
function holdSpec(object: Dict, committed: Dict | undefined): Dict {
  const spec = committed === undefined ? undefined : dictAt(committed, 'spec')
  if (committed === undefined || spec === undefined) return object
  return withField(withField(object, ['apiVersion'], textAt(committed, 'apiVersion')), ['spec'], spec)
}

/** The object with these annotations set, and those without a value taken off. */
function annotate(object: Dict, marks: ReadonlyMap<string, string | undefined>): Dict {
  const before = dictAt(object, 'metadata', 'annotations')
  const after = copyDict(before ?? new Dict())
  let changed = false
  for (const [key, value] of marks) {
    if (after.get(key) === value) continue
    changed = true
    if (value === undefined) after.delete(key)
    else after.set(key, value)
  }
  if (!changed) return object
  if (after.size > 0) return withField(object, ['metadata', 'annotations'], after)
  const metadata = copyDict(dictAt(object, 'metadata') ?? new Dict())
  metadata.delete('annotations')
  return withField(object, ['metadata'], metadata)
}

/** The tool is to delete this Cluster as soon as it leaves the tree. */
function withoutProtection(object: Dict): Dict {
  const options = fieldAt(object, 'metadata', 'annotations', SYNC_OPTIONS)
  const left = (typeof options === 'string' ? options.split(',') : []).filter(
    (option) => !/^\s*(?:Prune|Delete)=(?:confirm|false)\s*$/.test(option),
  )
  return annotate(
    object,
    new Map([
      [PRUNE, undefined],
      [SYNC_OPTIONS, left.length === 0 ? undefined : left.join(',')],
    ]),
  )
}

function takeOut(folder: RenderedFolder, plan: StepPlan): RenderedFolder {
  const others = folder.manifests.filter(
    (manifest) => !isClusterOf(manifest, plan) && manifest.name !== marker.nameOf(plan.cluster.name),
  )
  return { ...folder, manifests: [markerOf(plan), ...others] }
}

function markerOf({ cluster, decommission, classes, due }: StepPlan): Manifest {
  const { namespace } = cluster
  const [className = ''] = classes
  // between the steps of an upgrade the addons are of another release, for as long as they are there
  const addons = due.addons === undefined || due.addons === className ? {} : { addons: due.addons }
  return noteManifest({
    name: marker.nameOf(cluster.name),
    namespace,
    data: {
      ...addons,
      class: className,
      limit: decommission?.limit ?? 'prepare',
      step: decommission?.step ?? 'delete',
    },
    origin: {
      from: 'options.yaml',
      unit: 'cluster',
      template: inputPath(cluster, 'options.yaml'),
    },
  })
}
