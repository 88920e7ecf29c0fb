import { isCapiCluster } from '../../model/class-reference.ts'
import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import type { Value } from '../../model/value.ts'
import { acknowledgedName } from '../acknowledged-name.ts'
import { type CheckedUnit, originOf, type UnitOrigin } from '../checked-unit.ts'
import { ManagementObjects } from '../references/management-objects.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import type { Rule, RuleFinding } from '../rule.ts'

/** Secrets with credentials of a cloud that machines need and nothing in the tree brings. */
export const missingCredentials: Rule = {
  code: 'CREDENTIALS_MISSING',
  severity: 'warning',
  explanation: [
    'Without the Secret with clouds.yaml no network, no machine and no image is made: the Cluster waits, and only the logs of the provider say why. It must lie in the namespace of each Cluster, and of each Image.',
    'Looked at are `identityRef` of OpenStack clusters, also where the class sets it from a variable, and `cloudCredentialsRef` of Images. Known are Secrets, ExternalSecrets and SealedSecrets in that namespace of the tree; each Secret is said once, with all that need it.',
    'A warning, for credentials are often made by hand: acknowledge it then, or switch the rule off.',
  ],
  begin: () => {
    const objects = new ManagementObjects()
    const templates = new Map<string, string>()
    const asked: AskedSecret[] = []
    const seen = new Set<string>()
    const ask = (secret: AskedSecret): void => {
      const { namespace, name, template, manifest } = secret
      const key = JSON.stringify([namespace, name, template, manifest.kind, manifest.name])
      if (!seen.has(key)) asked.push(secret)
      seen.add(key)
    }
    return {
      unit: (unit) => {
        objects.add(unit)
        for (const { destination, manifests } of unit.folders) {
          if (destination !== 'management') continue
          for (const manifest of manifests) {
            const { namespace = '', kind, name, object } = manifest
            if (kind === 'OpenStackClusterTemplate')
              templates.set(`${namespace}/${name}`, textAt(object, 'spec', 'template', 'spec', ...IDENTITY))
            else if (!unit.isKept) for (const secret of secretsOf(manifest, unit)) ask(secret)
          }
        }
        return []
      },
      end: () => {
        const missing = new Map<string, AskedSecret[]>()
        for (const one of asked) {
          const { namespace, name = '', template } = one
          const secret = name || (templates.get(template ?? '') ?? '')
          if (secret === '' || isThere(objects, namespace, secret)) continue
          const key = shownObject({ kind: 'Secret', namespace, name: secret })
          const known = missing.get(key)
          if (known === undefined) missing.set(key, [one])
          else known.push(one)
        }
        return [...missing].flatMap(([secret, users]) => describe(secret, users))
      },
    }
  },
}

/** One finding for each that needs it, alike but for whom it is about: reports fold them and name all. */
function describe(secret: string, users: readonly AskedSecret[]): readonly RuleFinding[] {
  const [first] = users
  if (first === undefined) return []
  const { manifest, path, of } = first
  const kinds = [...new Set(users.map((user) => user.manifest.kind))].map((kind) => {
    const count = users.filter((user) => user.manifest.kind === kind).length
    return `${String(count)} ${kind}${count === 1 ? '' : 's'}`
  })
  const who =
    users.length === 1
      ? `${shownObject({ ...manifest, namespace: manifest.namespace })} needs`
      : `${kinds.join(' and ')} need`
  return users.map((user) => ({
    message: `${who} ${secret} with the credentials of the cloud, which nothing in the tree brings`,
    ...placeIn(manifest, ...path),
    about: user.of.subject,
    object: acknowledgedName(user.manifest),
    of,
  }))
}

const IDENTITY = ['identityRef', 'name'] as const

/** A Secret that something needs: by name, or by that in a template. */
interface AskedSecret {
  readonly namespace: string
  readonly name?: string
  readonly template?: string
  readonly manifest: Manifest
  readonly path: readonly string[]
  readonly of: UnitOrigin
}

function secretsOf(manifest: Manifest, unit: CheckedUnit): readonly AskedSecret[] {
  const { apiVersion, kind, namespace = '', object } = manifest
  const named = (...path: readonly string[]): readonly AskedSecret[] => {
    const name = textAt(object, ...path)
    return name === '' ? [] : [{ namespace, name, manifest, path, of: originOf(unit) }]
  }
  if (groupOf(apiVersion) === 'openstack.k-orc.cloud') return named('spec', 'cloudCredentialsRef', 'secretName')
  if (kind === 'OpenStackCluster') return named('spec', ...IDENTITY)
  return isCapiCluster(manifest) && unit.cluster?.manifest.name === manifest.name ? ofClass(manifest, unit) : []
}

/** The Secret of a Cluster with a class: that of the template, unless the class sets it from a variable. */
function ofClass(manifest: Manifest, unit: CheckedUnit): readonly AskedSecret[] {
  const clusterClass = unit.cluster?.clusterClass
  if (clusterClass === undefined) return []
  const reference = ['ref', 'templateRef'].map((field) => dictAt(clusterClass, 'spec', 'infrastructure', field))
  const template = reference.find((one) => one !== undefined)
  if (template === undefined || textAt(template, 'kind') !== 'OpenStackClusterTemplate') return []
  const { namespace = '' } = manifest
  const common = { namespace, manifest, path: ['metadata', 'namespace'], of: originOf(unit) }
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
