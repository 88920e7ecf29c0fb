import { isCapiCluster, readClassReference, readTopologyVersion } from '../../model/class-reference.ts'
import { textAt } from '../../model/field.ts'
import { matchClassName } from '../../model/release-name.ts'
import { annotations, marker } from '../../model/step-marks.ts'
import type { CommittedCluster, DecommissionStep } from '../../model/steps.ts'
import { clusterFolder } from '../../model/tree-path.ts'
import type { Dict } from '../../model/value.ts'
import { invalidFile, parseCommitted } from './parse-committed.ts'

/**
 * Reads the state of a cluster in the tree. `files` are those of its folder `cluster/`, by name, as they are committed;
 * undefined when the tree has no such cluster.
 * @throws StackmasonError OBJECT_INVALID when the file that should tell is damaged: to take the cluster for a new one
 * would change everything at once
 */
export function readCommittedCluster(
  files: ReadonlyMap<string, string>,
  cluster: { readonly name: string; readonly namespace: string },
): CommittedCluster | undefined {
  let found: CommittedCluster | undefined
  for (const [name, text] of files) {
    // files are named after kind and name
    if (!/^(?:cluster|configmap)-.*\.yaml$/.test(name)) continue
    const object = parseCommitted(text, `${clusterFolder(cluster)}/${name}`)
    if (textAt(object, 'metadata', 'namespace') !== cluster.namespace) continue
    if (isClusterNamed(object, cluster.name)) {
      const read = readCluster(object)
      if (read.className === '' || read.version === '')
        throw invalidFile(`${clusterFolder(cluster)}/${name}`, 'names no class and version of its Cluster')
      const outcome = matchClassName(read.className ?? '')
      if ('reason' in outcome)
        throw invalidFile(`${clusterFolder(cluster)}/${name}`, `names a class that is no release: ${outcome.reason}`)
      return read
    }
    if (isMarkerOf(object, cluster.name)) found = readMarker(object)
  }
  return found
}

function readCluster(object: Dict): CommittedCluster {
  const className = readClassReference(object).name
  const mark = (key: string): string => textAt(object, 'metadata', 'annotations', key)
  const target = mark(annotations.target)
  const limit = mark(annotations.decommission)
  return {
    object,
    className,
    version: readTopologyVersion(object),
    addons: mark(annotations.addons) || className,
    ...(target !== '' && { target }),
    ...(limit !== '' && { decommission: { step: 'prepare', limit: limitOf(limit) } }),
  }
}

function readMarker(object: Dict): CommittedCluster {
  const className = textAt(object, 'data', 'class')
  const step = textAt(object, 'data', 'step') === 'release' ? 'release' : 'delete'
  return {
    ...(className !== '' && { className, addons: textAt(object, 'data', 'addons') || className }),
    decommission: { step, limit: limitOf(textAt(object, 'data', 'limit')) },
  }
}

/** Whatever else is written there allows the least. */
function limitOf(text: string): DecommissionStep {
  return text === 'delete' || text === 'finish' ? text : 'prepare'
}

function isClusterNamed(object: Dict, name: string): boolean {
  const isCluster = isCapiCluster({ apiVersion: textAt(object, 'apiVersion'), kind: textAt(object, 'kind') })
  return isCluster && textAt(object, 'metadata', 'name') === name
}

function isMarkerOf(object: Dict, cluster: string): boolean {
  return textAt(object, 'kind') === marker.kind && textAt(object, 'metadata', 'name') === marker.nameOf(cluster)
}
