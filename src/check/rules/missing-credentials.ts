import { isCapiCluster } from '../../model/class-reference.ts'
import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import type { Value } from '../../model/value.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import { ManagementObjects, managementObjectsOf } from '../references/management-objects.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import type { Noted, Rule, RuleFinding } from '../rule.ts'
import { nameOfNoted, type NotedObject, noteObject, type UnitOrigin } from '../unit-origin.ts'

/** Secrets with credentials of a cloud that machines need and nothing in the tree brings. */
export const missingCredentials: Rule = {
  code: 'CREDENTIALS_MISSING',
  severity: 'warning',
  explanation: [
    'Without the Secret with clouds.yaml no network, no machine and no image is made: the Cluster waits, and only the logs of the provider say why. It must lie in the namespace of each Cluster, and of each Image.',
    'Looked at are `identityRef` of OpenStack clusters, also where the class sets it from a variable, and `cloudCredentialsRef` of Images. Known are Secrets, ExternalSecrets and SealedSecrets in that namespace of the tree; each Secret is said once, with all that need it.',
    'A warning, for credentials are often made by hand: acknowledge it then, or switch the rule off.',
  ],
  begin: () => ({
    note: noteOf,
    end: (notes: readonly Noted<CredentialsNote>[]) => {
      const objects = new ManagementObjects(notes.flatMap(({ note }) => note.objects))
      const templates = new Map(notes.flatMap(({ note }) => note.templates))
      const missing = new Map<string, SecretUser[]>()
      const seen = new Set<string>()
      for (const { note, of } of notes)
        for (const one of note.asked) {
          const { namespace, name, template, object } = one
          const user = JSON.stringify([namespace, name, template, object.kind, object.name])
          const secret = name ?? templates.get(template ?? '') ?? ''
          if (seen.has(user) || secret === '' || isThere(objects, namespace, secret)) continue
          seen.add(user)
          const key = shownObject({ kind: 'Secret', namespace, name: secret })
          const known = missing.get(key)
          if (known === undefined) missing.set(key, [{ ...one, of }])
          else known.push({ ...one, of })
        }
      return [...missing].flatMap(([secret, users]) => describe(secret, users))
    },
  }),
}

interface CredentialsNote {
  readonly objects: readonly NotedObject[]
  /** Names of Secrets in templates, by the template. */
  readonly templates: readonly (readonly [string, string])[]
  readonly asked: readonly AskedSecret[]
}

function noteOf(unit: CheckedUnit): CredentialsNote {
  const objects = managementObjectsOf(unit)
  const placed = unit.folders.flatMap(({ path, destination, manifests }) =>
    destination === 'management' ? manifests.map((manifest) => ({ manifest, folder: path })) : [],
  )
  const isTemplate = ({ manifest }: { readonly manifest: Manifest }): boolean =>
    manifest.kind === 'OpenStackClusterTemplate'
  return {
    objects,
    templates: placed
      .filter(isTemplate)
      .map(({ manifest: { namespace = '', name, object } }) => [
        `${namespace}/${name}`,
        textAt(object, 'spec', 'template', 'spec', ...IDENTITY),
      ]),
    asked: unit.isKept
      ? []
      : placed
          .filter((one) => !isTemplate(one))
          .flatMap(({ manifest, folder }) =>
            secretsOf(manifest, unit).map((secret) => ({ ...secret, object: noteObject(manifest, folder) })),
          ),
  }
}

/**
 * One finding for each that needs it, alike but for whom it is about: reports fold them and name all. Without their
 * number, since some of them may be acknowledged.
 */
function describe(secret: string, users: readonly SecretUser[]): readonly RuleFinding[] {
  const [first] = users
  if (first === undefined) return []
  const { object, path, of } = first
  const message =
    users.length === 1
      ? `${shownObject({ ...object, namespace: object.namespace })} needs ${secret} with the credentials of the cloud, which nothing in the tree brings`
      : `${secret} with the credentials of the cloud is needed, and nothing in the tree brings it`
  return users.map((user) => ({
    message,
    noted: { object, path },
    about: user.of.subject,
    object: nameOfNoted(user.object),
    of,
  }))
}

const IDENTITY = ['identityRef', 'name'] as const

/** A Secret that something needs: by name, or by that in a template. */
interface AskedSecret {
  readonly namespace: string
  readonly name?: string
  readonly template?: string
  readonly object: NotedObject
  readonly path: readonly string[]
}

/** An object that needs a Secret, and its unit. */
interface SecretUser extends AskedSecret {
  readonly of: UnitOrigin
}

type SecretName = Omit<AskedSecret, 'object'>

function secretsOf(manifest: Manifest, unit: CheckedUnit): readonly SecretName[] {
  const { apiVersion, kind, namespace = '', object } = manifest
  const named = (...path: readonly string[]): readonly SecretName[] => {
    const name = textAt(object, ...path)
    return name === '' ? [] : [{ namespace, name, path }]
  }
  if (groupOf(apiVersion) === 'openstack.k-orc.cloud') return named('spec', 'cloudCredentialsRef', 'secretName')
  if (kind === 'OpenStackCluster') return named('spec', ...IDENTITY)
  return isCapiCluster(manifest) && unit.cluster?.manifest.name === manifest.name ? ofClass(manifest, unit) : []
}

/** The Secret of a Cluster with a class: that of the template, unless the class sets it from a variable. */
function ofClass(manifest: Manifest, unit: CheckedUnit): readonly SecretName[] {
  const clusterClass = unit.cluster?.clusterClass
  if (clusterClass === undefined) return []
  const reference = ['ref', 'templateRef'].map((field) => dictAt(clusterClass, 'spec', 'infrastructure', field))
  const template = reference.find((one) => one !== undefined)
  if (template === undefined || textAt(template, 'kind') !== 'OpenStackClusterTemplate') return []
  const { namespace = '' } = manifest
  const common = { namespace, path: ['metadata', 'namespace'] }
  const source = sourceOf(clusterClass)
  if (source === 'unknown') return []
  const place = `${textAt(clusterClass, 'metadata', 'namespace')}/${textAt(template, 'name')}`
  if (source === undefined) return [{ ...common, template: place }]
  const name = valueOf(manifest, clusterClass, source)
  return [name === '' ? { ...common, template: place } : { ...common, name }]
}

/** The variable that the class writes into `identityRef.name`; unknown where it does so in another way. */
function sourceOf(clusterClass: Value): string | undefined {
  const patches = itemsAt(clusterClass, 'spec', 'patches')
    .flatMap((patch) => itemsAt(patch, 'definitions'))
    .filter((definition) => textAt(definition, 'selector', 'kind') === 'OpenStackClusterTemplate')
    .flatMap((definition) => itemsAt(definition, 'jsonPatches'))
    .filter((patch) => /^\/spec\/template\/spec(?:\/identityRef(?:\/name)?)?$/.test(textAt(patch, 'path')))
  const [last] = patches.slice(-1)
  if (last === undefined) return undefined
  const variable = textAt(last, 'valueFrom', 'variable')
  return textAt(last, 'path').endsWith('/name') && /^[^.[\]]+$/.test(variable) ? variable : 'unknown'
}

/** The value that a Cluster gives a variable, or its default. */
function valueOf(cluster: Manifest, clusterClass: Value, variable: string): string {
  const given = itemsAt(cluster.object, 'spec', 'topology', 'variables').find((one) => textAt(one, 'name') === variable)
  if (given !== undefined) return textAt(given, 'value')
  const defined = itemsAt(clusterClass, 'spec', 'variables').find((one) => textAt(one, 'name') === variable)
  const value = defined === undefined ? undefined : fieldAt(defined, 'schema', 'openAPIV3Schema', 'default')
  return typeof value === 'string' ? value : ''
}

const makers = [
  { group: '', kind: 'Secret' },
  { group: 'external-secrets.io', kind: 'ExternalSecret' },
  { group: 'bitnami.com', kind: 'SealedSecret' },
]

function isThere(objects: ManagementObjects, namespace: string, name: string): boolean {
  return makers.some((maker) => objects.has({ ...maker, namespace, name }))
}
