import { type Manifest, placeIn } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { isResourceDefinition } from '../../model/resource-definition.ts'
import { shownApiVersion, shownKind, shownObject } from '../../model/shown-name.ts'
import type { CheckInputs } from '../check-inputs.ts'
import type { CheckedUnit, UnitOrigin } from '../checked-unit.ts'
import type { Rule, RuleFinding } from '../rule.ts'
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
    'A version that the definition of a kind does not serve is found wherever the definition lies, as long as both go to the same API server. A kind that only servers with `--runtime-config` serve is a warning.',
  ],
  begin: (inputs) => {
    const elsewhere = createElsewhere()
    return {
      unit: (unit) => {
        elsewhere.note(unit, inputs)
        return judgeObjects(unit, inputs).flatMap((judged): readonly RuleFinding[] => {
          const text = textOf(judged, inputs.builtIn)
          return text === undefined ? [] : [findingOf(judged.manifest, text)]
        })
      },
      end: elsewhere.judge,
    }
  },
}

function findingOf(manifest: Manifest, { message, hint, field, isOptIn }: Text): RuleFinding {
  return {
    message: `${shownObject({ ...manifest, namespace: manifest.namespace })}: ${message}`,
    ...placeIn(manifest, isOptIn ? 'apiVersion' : field),
    ...(hint !== undefined && { hint }),
    ...(isOptIn && { severity: 'warning' }),
  }
}

/** Objects of the management cluster whose definition lies in another unit. */
interface Elsewhere {
  readonly note: (unit: CheckedUnit, inputs: CheckInputs) => void
  readonly judge: () => readonly RuleFinding[]
}

function createElsewhere(): Elsewhere {
  const definitions = new Map<string, CustomKind>()
  const uses = new Map<string, { readonly manifest: Manifest; readonly of: UnitOrigin }>()
  return {
    note(unit, inputs) {
      for (const { destination, manifests } of unit.folders)
        for (const manifest of destination === 'management' ? manifests.filter(isResourceDefinition) : []) {
          const kind = readCustomKind(manifest.object)
          definitions.set(`${kind.group} ${kind.kind}`, kind)
        }
      for (const { manifest, lookup, destination } of judgeObjects(unit, inputs)) {
        const key = `${manifest.apiVersion} ${manifest.kind}`
        // one of each kind is enough, and is all that is kept of a unit
        if (lookup.state === 'unknown' && destination === 'management' && !uses.has(key))
          uses.set(key, { manifest, of: { subject: unit.subject, locate: unit.locate } })
      }
    },
    judge: () =>
      [...uses.values()].flatMap(({ manifest, of }): readonly RuleFinding[] => {
        const { apiVersion, kind } = manifest
        const defined = definitions.get(`${groupOf(apiVersion)} ${kind}`)
        const served = (defined?.versions ?? []).filter(({ isServed }) => isServed)
        if (defined === undefined || served.some(({ name }) => `${defined.group}/${name}` === apiVersion)) return []
        const apiVersions = bestFirst(served.map(({ name }) => `${defined.group}/${name}`))
        const type = `${shownApiVersion(apiVersion)} ${shownKind(kind)}`
        const text = { message: `its definition does not serve ${type}`, hint: useOf(apiVersions), isOptIn: false }
        return [{ ...findingOf(manifest, { ...text, field: 'apiVersion' }), of }]
      }),
  }
}

function useOf(apiVersions: readonly string[]): string {
  const [best] = apiVersions
  return best === undefined ? 'Remove the object: no version is served.' : `Use ${best}: the fields may differ.`
}

interface Text {
  readonly message: string
  readonly hint: string | undefined
  readonly field: 'apiVersion' | 'kind'
  readonly isOptIn: boolean
}

function textOf(judged: JudgedObject, builtIn: BuiltInSchemas): Text | undefined {
  const { manifest, lookup, minor } = judged
  const { apiVersion, kind } = manifest
  const type = `${shownApiVersion(apiVersion)} ${shownKind(kind)}`
  const server = minor === undefined ? 'Kubernetes' : `Kubernetes ${minor}`
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
