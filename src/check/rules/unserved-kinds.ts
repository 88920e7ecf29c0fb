import { placeIn } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownApiVersion, shownKind, shownObject } from '../../model/shown-name.ts'
import type { Rule, RuleFinding } from '../rule.ts'
import { type JudgedObject, judgeObjects } from '../schema/judge-objects.ts'

/** Objects of kinds, or of versions of kinds, that the API server does not serve. */
export const unservedKinds: Rule = {
  code: 'KIND_NOT_SERVED',
  severity: 'error',
  explanation: [
    'An object of a kind that the API server does not serve cannot be applied, and Flux holds back its whole unit. The kinds of Kubernetes itself are known for the minor that `spec.topology.version` of the Cluster names; those of the management cluster, whose minor is not known, for any.',
    'A kind that only servers with `--runtime-config` serve is a warning.',
  ],
  begin: (inputs) => ({
    unit: (unit) =>
      judgeObjects(unit, inputs).flatMap((judged): readonly RuleFinding[] => {
        const text = textOf(
          judged,
          inputs.builtIn.minors.map((minor) => inputs.builtIn.of(minor)),
        )
        if (text === undefined) return []
        const { manifest } = judged
        const { message, hint, isOptIn } = text
        return [
          {
            message: `${shownObject({ ...manifest, namespace: manifest.namespace })}: ${message}`,
            ...placeIn(manifest, isOptIn ? 'apiVersion' : text.field),
            ...(hint !== undefined && { hint }),
            ...(isOptIn && { severity: 'warning' }),
          },
        ]
      }),
  }),
}

interface Text {
  readonly message: string
  readonly hint: string | undefined
  readonly field: 'apiVersion' | 'kind'
  readonly isOptIn: boolean
}

function textOf(judged: JudgedObject, allMinors: readonly JudgedObject['builtIn'][]): Text | undefined {
  const { manifest, lookup, minor } = judged
  const type = `${shownApiVersion(manifest.apiVersion)} ${shownKind(manifest.kind)}`
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
  if (
    minor === undefined &&
    allMinors.some((schemas) => schemas.find(manifest.apiVersion, manifest.kind) !== undefined)
  )
    return undefined
  if (lookup.state === 'other-versions') {
    const served = lookup.apiVersions
    const isBuiltIn = judged.builtIn.hasGroup(manifest.apiVersion.split('/').slice(0, -1).join('/'))
    return {
      message: isBuiltIn ? `${server} does not serve ${type}` : `its definition does not serve ${type}`,
      hint:
        served.length === 0
          ? 'Remove the object: no version is served.'
          : `Use ${served[0] ?? ''}: the fields may differ.`,
      field: 'apiVersion',
      isOptIn: false,
    }
  }
  if (lookup.state !== 'no-such-kind') return undefined
  const near = nearestName(manifest.kind, lookup.kinds)
  return {
    message: `${server} has no ${type}`,
    hint: near === undefined ? undefined : `Did you mean ${near}?`,
    field: lookup.kinds.length > 0 ? 'kind' : 'apiVersion',
    isOptIn: false,
  }
}
