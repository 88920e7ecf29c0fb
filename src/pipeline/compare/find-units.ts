import { StackmasonError } from '../../model/diagnostic.ts'
import { type ObjectName, objectPath } from '../../model/object-name.ts'
import {
  clusterTree,
  inClusterTree,
  KUSTOMIZATION_FILE,
  parseTreeFile,
  parseTreeFolder,
} from '../../model/tree-path.ts'
import { committedUnits } from '../../sources/committed/committed-addons.ts'

/**
 * Finds the unit that applies what lies in a folder of a tree: a folder of addons may be one of its own, or be in one
 * with the others; any other folder is one. `texts` has the lists of the addons of clusters that are asked about.
 */
export function createUnitFinder(texts: ReadonlyMap<string, string>): (folder: string) => string {
  const known = new Map<string, ReadonlyMap<string, string>>()
  const byCluster = new Map<
    string,
    { readonly cluster: ObjectName; readonly folders: Set<string>; readonly lists: Map<string, string> }
  >()
  for (const [path, text] of texts) {
    const { folder, file } = parseTreeFile(path) ?? {}
    if (folder?.kind !== 'addons') continue
    const key = objectPath(folder)
    const own = byCluster.get(key) ?? { cluster: folder, folders: new Set<string>(), lists: new Map<string, string>() }
    byCluster.set(key, own)
    if (folder.addon !== undefined) own.folders.add(inClusterTree(path.slice(0, path.lastIndexOf('/'))))
    else if (file === KUSTOMIZATION_FILE) own.lists.set(inClusterTree(path), text)
  }
  return (folder) => {
    const parsed = parseTreeFolder(folder)
    if (parsed?.kind !== 'addons') return folder
    const key = objectPath(parsed)
    const own = byCluster.get(key)
    const units = known.get(key) ?? (own === undefined ? new Map<string, string>() : unitsOf(own))
    known.set(key, units)
    return units.get(folder) ?? folder
  }
}

function unitsOf({
  cluster,
  folders,
  lists,
}: {
  readonly cluster: ObjectName
  readonly folders: ReadonlySet<string>
  readonly lists: ReadonlyMap<string, string>
}): ReadonlyMap<string, string> {
  try {
    return committedUnits(clusterTree(cluster), folders, lists)
  } catch (error) {
    // a list that cannot be read is reported as a file
    if (error instanceof StackmasonError) return new Map()
    throw error
  }
}
