import { type Manifest, placeIn } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { isResourceDefinition } from '../../model/resource-definition.ts'
import { shownApiVersion, shownKind, shownObject } from '../../model/shown-name.ts'
import type { CheckInputs } from '../check-inputs.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import type { Noted, Rule, RuleFinding } from '../rule.ts'
import { type NotedObject, noteObject, type UnitOrigin } from '../unit-origin.ts'
import { bestFirst, type BuiltInSchemas, groupOf } from '../schema/built-in-schemas.ts'
import { type CustomKind, readCustomKind } from '../schema/custom-kind.ts'
import { type JudgedObject, judgeObjects } from '../schema/judge-objects.ts'
import { removedKind } from '../schema/removed-kinds.ts'

/** Objects of kinds, or of versions of kinds, that the API server does not serve. */
export const unservedKinds: Rule = {
  code: 'KIND_NOT_SERVED',
  severity: 'error',
  explanation: [
    'An object of a kind that the API server does not serve cannot be applied, and Flux holds back its whole unit. The kinds of Kubernetes itself are known for the minor that `spec.topology.version` of the Cluster names, and of the management cluster for that of `spec.managementCluster.kubernetesVersion`; without it its objects may be of any minor. What older minors removed is known by name, with the minor and what to write instead.',
    'A version that the definition of a kind does not serve is found wherever the definition lies, as long as both go to the same API server. A kind that servers answer and do not keep, such as SubjectAccessReview, cannot be applied either. A kind that only servers with `--runtime-config` serve is a warning.',
  ],
  begin: (inputs) => ({
    unit: (unit) =>
      judgeObjects(unit, inputs).flatMap((judged): readonly RuleFinding[] => {
        const text = textOf(judged, inputs.builtIn)
        return text === undefined ? [] : [findingOf(judged.manifest, text)]
      }),
    note: (unit) => noteOf(unit, inputs),
    end: judgeElsewhere,
  }),
}

function findingOf(manifest: Manifest, { message, hint, field, isOptIn }: Text): RuleFinding {
  return {
    message: `${shownObject({ ...manifest, namespace: manifest.namespace })}: ${message}`,
    ...placeIn(manifest, isOptIn ? 'apiVersion' : field),
    hint,
    severity: isOptIn ? 'warning' : undefined,
  }
}

/** Objects of the management cluster, of which the definition may lie in another unit. */
interface KindsNote {
  readonly defined: readonly (Pick<CustomKind, 'group' | 'kind'> & { readonly served: readonly string[] })[]
  /** Of each kind that the unit does not define the first. */
  readonly used: readonly NotedObject[]
}

function noteOf(unit: CheckedUnit, inputs: CheckInputs): KindsNote | undefined {
  const defined = unit.folders
    .flatMap(({ destination, manifests }) =>
      destination === 'management' ? manifests.filter(isResourceDefinition) : [],
    )
    .map(({ object }) => {
      const { group, kind, versions } = readCustomKind(object)
      return { group, kind, served: versions.flatMap(({ isServed, name }) => (isServed ? [`${group}/${name}`] : [])) }
    })
  const used = new Map<string, NotedObject>()
  for (const { manifest, lookup, destination, folder } of judgeObjects(unit, inputs)) {
    const key = `${manifest.apiVersion} ${manifest.kind}`
    if (lookup.state === 'unknown' && destination === 'management' && !used.has(key))
      used.set(key, noteObject(manifest, folder))
  }
  return defined.length + used.size === 0 ? undefined : { defined, used: [...used.values()] }
}

function judgeElsewhere(notes: readonly Noted<KindsNote>[]): readonly RuleFinding[] {
  const served = new Map(
    notes.flatMap(({ note }) => note.defined.map((one) => [`${one.group} ${one.kind}`, one.served] as const)),
  )
  const uses = new Map<string, { readonly object: NotedObject; readonly of: UnitOrigin }>()
  for (const { note, of } of notes)
    for (const object of note.used) {
      const key = `${object.apiVersion} ${object.kind}`
      if (!uses.has(key)) uses.set(key, { object, of })
    }
  return [...uses.values()].flatMap(({ object, of }): readonly RuleFinding[] => {
    const { apiVersion, kind, namespace } = object
    const versions = served.get(`${groupOf(apiVersion)} ${kind}`)
    if (versions === undefined || versions.includes(apiVersion)) return []
    const type = `${shownApiVersion(apiVersion)} ${shownKind(kind)}`
    return [
      {
        message: `${shownObject({ ...object, namespace })}: its definition does not serve ${type}`,
        noted: { object, path: ['apiVersion'] },
        hint: useOf(bestFirst(versions)),
        of,
      },
    ]
  })
}

function useOf(apiVersions: readonly string[]): string {
  const [best] = apiVersions
  return best === undefined
    ? 'Correct the definition: it serves no version of the kind. Its file may be cut off.'
    : `Use ${best}: the fields may differ.`
}

interface Text {
  readonly message: string
  readonly hint: string | undefined
  readonly field: 'apiVersion' | 'kind'
  readonly isOptIn: boolean
}

/** True for kinds of Kubernetes that a server answers and does not store: there is nothing to patch. */
function isOnlyAnswered(apiVersion: string, kind: string): boolean {
  return answered.has(`${groupOf(apiVersion)} ${kind}`)
}

const answered: ReadonlySet<string> = new Set([
  ' Binding',
  'authentication.k8s.io SelfSubjectReview',
  'authentication.k8s.io TokenRequest',
  'authentication.k8s.io TokenReview',
  'authorization.k8s.io LocalSubjectAccessReview',
  'authorization.k8s.io SelfSubjectAccessReview',
  'authorization.k8s.io SelfSubjectRulesReview',
  'authorization.k8s.io SubjectAccessReview',
  'policy Eviction',
])

function textOf(judged: JudgedObject, builtIn: BuiltInSchemas): Text | undefined {
  const { manifest, lookup, minor } = judged
  const { apiVersion, kind } = manifest
  const type = `${shownApiVersion(apiVersion)} ${shownKind(kind)}`
  const server = minor === undefined ? 'Kubernetes' : `Kubernetes ${minor}`
  if (isOnlyAnswered(apiVersion, kind))
    return {
      message: `${server} keeps no ${type}: it only answers one that is created, so that none can be applied`,
      hint: 'Remove it.',
      field: 'kind',
      isOptIn: false,
    }
  if (lookup.state === 'known')
    return lookup.isOptIn
      ? {
          message: `${server} serves ${type} only where that is switched on`,
          hint: 'Use a stable version, or switch it on with --runtime-config of the API server.',
          field: 'apiVersion',
          isOptIn: true,
        }
      : undefined
  // a server that is not known may be of any minor
  if (minor === undefined && builtIn.minors.some((any) => builtIn.of(any).find(apiVersion, kind) !== undefined))
    return undefined
  if (lookup.state !== 'other-versions' && lookup.state !== 'no-such-kind') return undefined
  const isBuiltIn = judged.builtIn.hasGroup(groupOf(apiVersion))
  const gone = isBuiltIn ? removedKind(apiVersion, kind, builtIn) : undefined
  const ending = gone === undefined ? '' : `: ${gone.removedIn} removed it`
  if (lookup.state === 'other-versions')
    return {
      message: `${isBuiltIn ? server : 'its definition'} does not serve ${type}${ending}`,
      hint: gone?.instead ?? useOf(lookup.apiVersions),
      field: 'apiVersion',
      isOptIn: false,
    }
  if (gone !== undefined)
    return {
      message: `${server} does not serve ${type}${ending}`,
      hint: gone.instead ?? useOf([]),
      field: 'apiVersion',
      isOptIn: false,
    }
  const near = nearestName(kind, lookup.kinds)
  return {
    message: `${server} has no ${type}`,
    hint: near === undefined ? undefined : `Did you mean ${near}?`,
    field: lookup.kinds.length > 0 ? 'kind' : 'apiVersion',
    isOptIn: false,
  }
}
