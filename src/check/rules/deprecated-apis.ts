import { placeIn } from '../../model/manifest.ts'
import { shownApiVersion, shownKind } from '../../model/shown-name.ts'
import type { CheckInputs } from '../check-inputs.ts'
import type { Rule, RuleFinding } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import { type JudgedObject, judgeObjects } from '../schema/judge-objects.ts'

/**
 * Kinds that the next minor of Kubernetes no longer serves in this version, and versions that their definitions call
 * deprecated.
 */
export const deprecatedApis: Rule = {
  code: 'API_DEPRECATED',
  severity: 'warning',
  explanation: [
    'The next minor of Kubernetes does not serve this version of the kind: with the upgrade of the cluster its objects can no longer be applied. Which minor serves what is known from the OpenAPI of each.',
    'Versions that a CustomResourceDefinition marks as deprecated are found, too. Each version of a kind is said once for a unit.',
    'Where the definitions of Cluster API are not at hand, its versions v1alpha3 and v1alpha4, which it no longer serves, are warnings, and that v1beta1 is deprecated is noted once.',
  ],
  begin: (inputs) => ({
    unit: (unit) => {
      const said = new Set<string>()
      return judgeObjects(unit, inputs).flatMap((judged): readonly RuleFinding[] => {
        const { manifest } = judged
        const type = `${shownApiVersion(manifest.apiVersion)} ${shownKind(manifest.kind)}`
        const found = said.has(type) ? undefined : deprecationOf(judged, type, inputs)
        if (found === undefined) return []
        said.add(type)
        const isNote = found.severity === 'note'
        return [{ ...found, ...placeIn(manifest, 'apiVersion'), once: isNote ? found.message : undefined }]
      })
    },
  }),
}

interface Deprecation {
  readonly message: string
  readonly hint: string
  readonly severity?: 'note'
}

/** Groups whose kinds Cluster API itself defines. */
const clusterApiGroups: ReadonlySet<string> = new Set([
  'cluster.x-k8s.io',
  'bootstrap.cluster.x-k8s.io',
  'controlplane.cluster.x-k8s.io',
  'addons.cluster.x-k8s.io',
])

/**
 * Versions of Cluster API without its definitions: those of its release 1.13 have no v1alpha3 and v1alpha4, and mark
 * v1beta1 as deprecated.
 */
function clusterApiDeprecation(apiVersion: string, type: string): Deprecation | undefined {
  if (!clusterApiGroups.has(groupOf(apiVersion))) return undefined
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
  if (version === 'v1alpha3' || version === 'v1alpha4')
    return { message: `Cluster API no longer serves ${type}`, hint: 'Use v1beta1, or v1beta2 where it is served.' }
  if (version !== 'v1beta1') return undefined
  return {
    message: 'Cluster API calls its version v1beta1 deprecated',
    hint: 'Nothing needs to be done yet: move to v1beta2 with a release of the stack.',
    severity: 'note',
  }
}

function deprecationOf(
  { manifest, lookup, minor }: JudgedObject,
  type: string,
  { builtIn }: CheckInputs,
): Deprecation | undefined {
  if (lookup.state === 'unknown') return clusterApiDeprecation(manifest.apiVersion, type)
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
