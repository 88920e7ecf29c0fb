import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { isResourceDefinition } from '../../model/resource-definition.ts'
import { shownName, shownObject } from '../../model/shown-name.ts'
import { Dict, type Value } from '../../model/value.ts'
import { indexOf, type ObjectIndex } from '../references/object-index.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'

/** Definitions of several versions between which nothing, or nobody who can be trusted, converts. */
export const unconvertedVersions: Rule = unitRule(
  {
    code: 'CONVERSION_MISSING',
    severity: 'warning',
    explanation: [
      'An API server stores objects in one version and serves them in all. Without a webhook it changes `apiVersion` alone: a field that a served version has and the stored one has not is dropped when an object is written, without a word.',
      'A definition with a webhook needs the address of it (`clientConfig`), which the API server wants, and the certificate of who signed for it (`caBundle`): without one every read and write of the kind fails. Something in the cluster may fill it in: the annotations of cert-manager and OpenShift for that are known, and a role that may write definitions is taken for that of such a program. `status` is not compared.',
    ],
  },
  (unit) => {
    if (unit.isKept) return []
    return unit.folders.flatMap(({ destination, manifests }) =>
      manifests.filter(isResourceDefinition).flatMap((manifest): readonly RuleFinding[] => {
        const isWebhook = textAt(manifest.object, 'spec', 'conversion', 'strategy') === 'Webhook'
        const found = isWebhook ? webhook(manifest, () => indexOf(unit, destination)) : none(manifest)
        return found === undefined ? [] : [found]
      }),
    )
  },
)

function webhook(manifest: Manifest, objects: () => ObjectIndex): RuleFinding | undefined {
  const shown = shownObject({ ...manifest, namespace: undefined })
  const path = ['spec', 'conversion', 'webhook', 'clientConfig'] as const
  const client = dictAt(manifest.object, ...path)
  if (textAt(client ?? null, 'url') === '' && dictAt(client ?? null, 'service') === undefined)
    return {
      severity: 'error',
      message: `${shown} is converted by a webhook, and nothing says where it is: the API server refuses that`,
      ...placeIn(manifest, 'spec', 'conversion'),
      hint: 'Add webhook.clientConfig with the service, or its url.',
    }
  if (client?.get('service') === undefined || hasBundle(client) || mayBeInjected(manifest) || mayInject(objects()))
    return undefined
  return {
    message: `${shown} is converted by a webhook without a caBundle: the API server trusts no certificate of it, and every read and write of the kind fails`,
    ...placeIn(manifest, ...path),
    hint: 'Add the caBundle, or have it filled in (cert-manager.io/inject-ca-from); if the program itself does, acknowledge this finding.',
  }
}

function hasBundle(client: Dict): boolean {
  return (client.get('caBundle') ?? '') !== ''
}

/** True if an annotation asks for the bundle. */
function mayBeInjected({ object }: Manifest): boolean {
  const annotations = dictAt(object, 'metadata', 'annotations') ?? new Dict()
  return [...annotations.keys()].some((key) => /(?:^|\/)inject-(?:ca|apiserver-ca|cabundle)/.test(key))
}

/** True if a program of the cluster may write definitions: it completes its own. */
function mayInject(objects: ObjectIndex): boolean {
  const roles = objects.of({ group: 'rbac.authorization.k8s.io', kind: 'ClusterRole' })
  return roles.some(({ manifest }) =>
    itemsAt(manifest?.object ?? null, 'rules').some((rule) => {
      const has = (field: string, ...words: readonly string[]): boolean =>
        itemsAt(rule, field).some((word) => typeof word === 'string' && [...words, '*'].includes(word))
      return (
        has('apiGroups', 'apiextensions.k8s.io') &&
        has('resources', 'customresourcedefinitions') &&
        has('verbs', 'update', 'patch')
      )
    }),
  )
}

function none(manifest: Manifest): RuleFinding | undefined {
  const versions = itemsAt(manifest.object, 'spec', 'versions')
  const stored = versions.find((version) => fieldAt(version, 'storage') === true)
  const schema = stored === undefined ? undefined : schemaOf(stored)
  if (stored === undefined || schema === undefined) return undefined
  for (const [index, version] of versions.entries()) {
    const other = version === stored || fieldAt(version, 'served') === false ? undefined : schemaOf(version)
    const lost = other === undefined ? undefined : lostField(other, schema, '')
    if (lost === undefined) continue
    const [name, kept] = [shownName(textAt(version, 'name')), shownName(textAt(stored, 'name'))]
    return {
      message: `${shownObject({ ...manifest, namespace: undefined })} serves ${name} and stores ${kept} without a conversion: ${lost} of ${name} is dropped when an object is written`,
      ...placeIn(manifest, 'spec', 'versions', index),
      hint: `Write objects in ${kept}; a definition of your own needs a conversion webhook, or the same fields in both versions.`,
    }
  }
  return undefined
}

function schemaOf(version: Value): Dict | undefined {
  return dictAt(version, 'schema', 'openAPIV3Schema')
}

/** The first field of a schema that another does not keep. */
function lostField(from: Dict, to: Dict, field: string): string | undefined {
  if (fieldAt(to, 'x-kubernetes-preserve-unknown-fields') === true || fieldAt(to, 'additionalProperties') === true)
    return undefined
  const kept = dictAt(to, 'properties')
  for (const [name, schema] of dictAt(from, 'properties') ?? []) {
    const own = field === '' ? name : `${field}.${name}`
    // every object has the first ones, and controllers write the last one in the version that they know
    if (['apiVersion', 'kind', 'metadata', 'status'].includes(own)) continue
    const other = kept?.get(name) ?? to.get('additionalProperties')
    if (other === undefined) return own
    const lost = schema instanceof Dict && other instanceof Dict ? lostField(schema, other, own) : undefined
    if (lost !== undefined) return lost
  }
  for (const [key, suffix] of below) {
    const [one, other] = [from.get(key), to.get(key)]
    const lost = one instanceof Dict && other instanceof Dict ? lostField(one, other, `${field}${suffix}`) : undefined
    if (lost !== undefined) return lost
  }
  return undefined
}

const below = [
  ['items', '[]'],
  ['additionalProperties', '.*'],
] as const
