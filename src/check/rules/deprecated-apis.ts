import { placeIn } from '../../model/manifest.ts'
import { shownApiVersion, shownKind } from '../../model/shown-name.ts'
import type { CheckInputs } from '../check-inputs.ts'
import type { Rule } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import { type JudgedObject, judgeObjects } from '../schema/judge-objects.ts'

/** Kinds that the next minor of Kubernetes no longer serves in this version, and versions that their definitions call deprecated. */
export const deprecatedApis: Rule = {
  code: 'API_DEPRECATED',
  severity: 'warning',
  explanation: [
    'The next minor of Kubernetes does not serve this version of the kind: with the upgrade of the cluster its objects can no longer be applied. Which minor serves what is known from the OpenAPI of each.',
    'Versions that a CustomResourceDefinition marks as deprecated are found, too. Each version of a kind is said once for a unit.',
  ],
  begin: (inputs) => ({
    unit: (unit) => {
      const said = new Set<string>()
      return judgeObjects(unit, inputs).flatMap((judged) => {
        const { manifest } = judged
        const type = `${shownApiVersion(manifest.apiVersion)} ${shownKind(manifest.kind)}`
        const found = said.has(type) ? undefined : deprecationOf(judged, type, inputs)
        if (found === undefined) return []
        said.add(type)
        return [{ ...found, ...placeIn(manifest, 'apiVersion') }]
      })
    },
  }),
}

function deprecationOf(
  { manifest, lookup, minor }: JudgedObject,
  type: string,
  { builtIn }: CheckInputs,
): { readonly message: string; readonly hint: string } | undefined {
  if (lookup.state !== 'known' && lookup.state !== 'free') return undefined
  const { version } = lookup
  if (version !== undefined) {
    if (version.deprecation === undefined) return undefined
    return {
      message: `its definition calls ${type} deprecated`,
      hint: version.deprecation === '' ? 'Use a newer version.' : version.deprecation,
    }
  }
  const next = minor === undefined ? undefined : builtIn.minors[builtIn.minors.indexOf(minor) + 1]
  if (next === undefined) return undefined
  const then = builtIn.of(next)
  if (then.find(manifest.apiVersion, manifest.kind) !== undefined) return undefined
  const others = then.apiVersionsOf(groupOf(manifest.apiVersion), manifest.kind)
  return {
    message: `Kubernetes ${next} no longer serves ${type}`,
    hint:
      others.length === 0
        ? 'Replace it before the upgrade: no version of it is left.'
        : `Use ${others[0] ?? ''} before the upgrade.`,
  }
}
