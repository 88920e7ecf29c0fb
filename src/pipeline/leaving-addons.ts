import { type Leaving, findLeaving } from '../handoff/argocd/find-leaving.ts'
import { deletionMarks } from '../handoff/committed-units.ts'
import type { HandoffCluster, Unit } from '../model/handoff.ts'
import { objectKey, type RenderedFolder } from '../model/manifest.ts'
import { objectPath } from '../model/object-name.ts'
import type { Crypto } from '../model/ports.ts'
import { parseTreeFolder, inClusterTree, KUSTOMIZATION_FILE } from '../model/tree-path.ts'
import type { CommittedTree } from '../sources/committed/committed-tree.ts'
import { layoutFolder } from '../write/layout-folder.ts'

/** A tree that is about to be written. */
export interface NewTree {
  readonly clusters: readonly Pick<HandoffCluster, 'cluster' | 'isKept'>[]
  readonly units: readonly Unit[]
  readonly folders: readonly RenderedFolder[]
}

/**
 * Finds what leaves the addons of clusters under Argo CD and is not simply pruned. Only files that go are read, since most commits take out few: a file is
 * named after kind and name, so the file of an object that leaves goes, too, unless another namespace has the like.
 * `namespace` is that of Argo CD.
 * @throws StackmasonError OBJECT_INVALID for a committed file that holds no object
 */
export async function findLeavingAddons(
  { clusters, units, folders }: NewTree,
  { tree, namespace, crypto }: { readonly tree: CommittedTree; readonly namespace: string; readonly crypto: Crypto },
): Promise<Leaving> {
  const written = clusters.filter(({ isKept }) => isKept !== true).map(({ cluster }) => cluster)
  const known = new Map(written.map((cluster) => [objectPath(cluster), cluster]))
  const paths = new Map<string, Set<string>>()
  const objects = new Map<string, Set<string>>()
  for (const { path, manifests } of folders) {
    const folder = parseTreeFolder(path)
    const place = folder?.kind === 'cluster' || folder?.kind === 'addons' ? objectPath(folder) : ''
    if (!known.has(place)) continue
    const ownPaths = paths.get(place) ?? new Set<string>()
    for (const { fileName } of layoutFolder(path, manifests, crypto)) ownPaths.add(inClusterTree(`${path}/${fileName}`))
    paths.set(place, ownPaths)
    const ownObjects = objects.get(place) ?? new Set<string>()
    for (const manifest of manifests) ownObjects.add(objectKey(manifest))
    objects.set(place, ownObjects)
  }
  const isWanted = (place: string, path: string): boolean => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const goes = paths.get(place)?.has(path) !== true || name.startsWith('persistentvolumeclaim-')
    return goes && name !== KUSTOMIZATION_FILE && !name.startsWith('.')
  }
  const leavers = await tree.addons(written, { marks: deletionMarks.argocd, isWanted })
  const findings: Leaving['findings'][number][] = []
  const waiting: Leaving['waiting'][number][] = []
  for (const [place, committed] of leavers) {
    const cluster = known.get(place)
    if (cluster === undefined) continue
    const leaving = findLeaving({ cluster, committed, objects: objects.get(place) ?? new Set(), units }, namespace)
    findings.push(...leaving.findings)
    waiting.push(...leaving.waiting)
  }
  return { findings, waiting }
}
