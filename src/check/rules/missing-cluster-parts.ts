import { CLUSTER_API, classNamePath, isCapiCluster, readClassReference } from '../../model/class-reference.ts'
import { dictAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { shownName, shownObject } from '../../model/shown-name.ts'
import { MOST_COMPARED, nearName } from '../references/missing-target.ts'
import { ManagementObjects, managementObjectsOf } from '../references/management-objects.ts'
import type { Target } from '../references/object-index.ts'
import type { Noted, Rule, RuleFinding } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import { type NotedObject, noteObject, type UnitOrigin } from '../unit-origin.ts'

/** Classes and other parts that objects of Cluster API name and the tree does not have. */
export const missingClusterParts: Rule = {
  code: 'CLUSTER_PART_MISSING',
  severity: 'error',
  explanation: [
    'Cluster API takes a Cluster whose class is not there, and machines without their templates, and then waits for it without an end.',
    'Looked at are the class of a Cluster, by namespace and name; `clusterName` of machine deployments, machine pools and health checks beside it, and the templates of their machines; and the resources of a ClusterResourceSet. All of the tree that goes to the management cluster is known, and nothing else.',
    'A class must be in the tree, for render brings it. Of other parts it is a warning unless one of nearly that name is there: somebody else may make them.',
  ],
  begin: () => ({
    note: (unit): PartsNote => ({
      objects: managementObjectsOf(unit),
      references: unit.folders.flatMap(({ path: folder, destination, manifests }) =>
        destination === 'management'
          ? manifests.flatMap(referencesOf).map(({ from, ...part }) => ({ from: noteObject(from, folder), ...part }))
          : [],
      ),
      isKept: unit.isKept,
    }),
    end: (notes: readonly Noted<PartsNote>[]) => {
      const objects = new ManagementObjects(notes.flatMap(({ note }) => note.objects))
      return openReferences(notes)
        .filter(({ target }) => !objects.has(target))
        .map((found, at) => describe(found, at < MOST_COMPARED ? objects.namesOf(found.target) : []))
    },
  }),
}

const CLASS = 'ClusterClass'

interface PartsNote {
  readonly objects: readonly NotedObject[]
  readonly references: readonly PartReference<NotedObject>[]
  readonly isKept: boolean
}

interface PartReference<From = Manifest> {
  readonly from: From
  readonly path: readonly PathStep[]
  readonly target: Target
}

/** Each target once, with the first that names it. */
function openReferences(notes: readonly Noted<PartsNote>[]): readonly OpenReference[] {
  const open = new Map<string, OpenReference>()
  for (const { note, of } of notes)
    for (const reference of note.references) {
      const { group, kind, namespace, name } = reference.target
      const key = JSON.stringify([group, kind, namespace, name])
      const known = open.get(key)
      if (known !== undefined) known.users++
      // with a class that goes, what stays as it is committed breaks, too
      else if (!note.isKept || kind === CLASS) open.set(key, { ...reference, of, users: 1 })
    }
  return [...open.values()]
}

interface OpenReference extends PartReference<NotedObject> {
  readonly of: UnitOrigin
  users: number
}

/** Kinds that name the Cluster that they are of. */
const ofClusters: ReadonlySet<string> = new Set([
  'MachineDeployment',
  'MachinePool',
  'MachineSet',
  'MachineHealthCheck',
])

function referencesOf(from: Manifest): readonly PartReference[] {
  const { apiVersion, kind, namespace = '', object } = from
  const to = (path: readonly PathStep[], target: Omit<Target, 'namespace'>): readonly PartReference[] =>
    target.name === '' ? [] : [{ from, path, target: { namespace, ...target } }]
  if (isCapiCluster(from)) {
    const reference = readClassReference(object)
    if (reference.name !== '')
      return [
        {
          from,
          path: classNamePath(object),
          target: {
            group: CLUSTER_API,
            kind: CLASS,
            namespace: reference.namespace || namespace,
            name: reference.name,
          },
        },
      ]
    return []
  }
  if (groupOf(apiVersion) === CLUSTER_API && ofClusters.has(kind)) {
    const machine = ['spec', 'template', 'spec']
    const cluster = { group: CLUSTER_API, kind: 'Cluster', name: textAt(object, 'spec', 'clusterName') }
    return [
      ...to(['spec', 'clusterName'], cluster),
      ...[['infrastructureRef'], ['bootstrap', 'configRef']].flatMap((field) => partOf(from, [...machine, ...field])),
    ]
  }
  if (kind === 'ClusterResourceSet')
    return itemsAt(object, 'spec', 'resources').flatMap((resource, index) =>
      to(['spec', 'resources', index, 'name'], {
        group: '',
        kind: textAt(resource, 'kind'),
        name: textAt(resource, 'name'),
      }),
    )
  return []
}

/** Of both forms: with `apiVersion` in v1beta1, with `apiGroup` in v1beta2. */
function partOf(from: Manifest, path: readonly PathStep[]): readonly PartReference[] {
  const reference = dictAt(from.object, ...path)
  const name = reference === undefined ? '' : textAt(reference, 'name')
  if (reference === undefined || name === '') return []
  const group = textAt(reference, 'apiGroup') || groupOf(textAt(reference, 'apiVersion'))
  const namespace = textAt(reference, 'namespace') || (from.namespace ?? '')
  return [{ from, path: [...path, 'name'], target: { group, kind: textAt(reference, 'kind'), namespace, name } }]
}

function describe({ from, path, target, of, users }: OpenReference, names: readonly string[]): RuleFinding {
  const near = nearName(target.name, names)
  const more = users === 1 ? '' : ` (so ${users === 2 ? 'does 1 more object' : `do ${String(users - 1)} more objects`})`
  return {
    message: `${shownObject({ ...from, namespace: from.namespace })} names ${shownObject({ ...target, namespace: target.namespace })}${more}, which the tree does not have`,
    noted: { object: from, path },
    severity: target.kind === CLASS || near !== undefined ? 'error' : 'warning',
    hint: near === undefined ? undefined : `Did you mean ${shownName(near)}?`,
    of,
  }
}
