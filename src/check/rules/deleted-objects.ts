import { formatChangePath } from '../../model/change-path.ts'
import { isCapiCluster } from '../../model/class-reference.ts'
import { lostPools } from '../../model/lost-pools.ts'
import type { ChangeStep, ObjectChange, TreeObject } from '../../model/tree-change.ts'
import { changedObjects, inField, nameOf } from '../changed-object.ts'
import { changeRule, type Rule, type RuleFinding } from '../rule.ts'

/** Kinds that take more with them than themselves, by group, and what that is. */
const kinds: ReadonlyMap<string, string> = new Map([
  ['apiextensions.k8s.io/CustomResourceDefinition', 'every object of its kind'],
  ['/Namespace', 'everything in it'],
  ['/PersistentVolumeClaim', 'its data, where the volume is not retained'],
  ['/PersistentVolume', 'its data, where it is not retained'],
  ['cluster.x-k8s.io/MachineDeployment', 'its machines'],
  ['cluster.x-k8s.io/MachinePool', 'its machines'],
  ['cluster.x-k8s.io/MachineSet', 'its machines'],
])

/** Finds deleted objects that take others with them. */
export const deletedObjects: Rule = changeRule(
  {
    code: 'OBJECT_DELETED',
    severity: 'error',
    explanation: [
      'The GitOps tool deletes what leaves the tree. With a definition go all objects of its kind, with a namespace all that is in it, with a claim its data, with a control plane or a group of workers their machines: a revert of the commit does not bring them back.',
      'Groups of workers that leave the topology of a Cluster count, too. An object that is marked to stay (`kustomize.toolkit.fluxcd.io/prune: disabled`, `Prune=false` of Argo CD, `helm.sh/resource-policy: keep`) does not, nor one whose unit does not prune, or goes itself and leaves behind what it applied. What goes with a whole cluster is CLUSTER_DELETED.',
      'To delete it all the same, acknowledge this finding until a day.',
    ],
  },
  (change) =>
    changedObjects(change).flatMap(({ change: one, object, finding }): readonly RuleFinding[] => {
      if (isCapiCluster(object))
        return removedWorkers(one).map(({ message, path }) => ({ ...inField(finding, path), message, hint: HINT }))
      const taken = one.risks.includes('deletes') ? takenBy(one.before ?? object) : undefined
      if (taken === undefined || one.isBeforeKept === true) return []
      const how = one.change === 'renamed' ? 'gets another name' : 'leaves the tree'
      return [{ ...finding, message: `${nameOf(one.before ?? object)} ${how}: with it goes ${taken}`, hint: HINT }]
    }),
)

const HINT = 'Bring it back, or acknowledge this finding if it is meant to go.'

function takenBy(object: TreeObject): string | undefined {
  const slash = object.apiVersion.indexOf('/')
  const group = slash === -1 ? '' : object.apiVersion.slice(0, slash)
  if (group === 'controlplane.cluster.x-k8s.io' && !object.kind.endsWith('Template')) return 'the control plane'
  return kinds.get(`${group}/${object.kind}`)
}

function removedWorkers({
  fields,
  risks,
}: ObjectChange): readonly { readonly message: string; readonly path: readonly ChangeStep[] }[] {
  if (!risks.includes('deletes')) return []
  return fields
    .flatMap(lostPools)
    .map(({ path }) => ({ path, message: `${formatChangePath(path)} leaves the topology: its machines are deleted` }))
}
