import { isRefusal } from '../kube/api-error.ts'
import type { ApiServer } from '../kube/api-server.ts'
import { fieldAt, listField, textField } from '../kube/json-field.ts'
import { listItems } from '../kube/list-objects.ts'
import { readObject } from '../kube/read-object.ts'
import type { Resource } from '../kube/resource.ts'
import { hasServerMigrationFailed } from '../kube/server-migration.ts'

/** Which version of which CustomResourceDefinition is meant. */
export interface DefinitionVersion {
  /** `<plural>.<group>` */
  readonly definition: string
  readonly version: string
}

/** The verdict on removing a version from its definition, with the reasons, one sentence each. */
export interface RemovalVerdict extends DefinitionVersion {
  readonly verdict: 'yes' | 'no'
  readonly reasons: readonly string[]
  /** The next step, where it may not. */
  readonly next: string | undefined
}

const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
}

/**
 * Says whether a version of a definition may be removed: not while objects are or may be stored in it, nor while
 * somebody's fields are noted in it, since server-side apply fails then (kubernetes/kubernetes#111937).
 * @returns undefined where there is no such definition; its versions where it has none of that name
 * @throws ApiError, HttpError
 */
export async function judgeRemoval(
  { definition, version }: DefinitionVersion,
  { api, signal }: { readonly api: ApiServer; readonly signal: AbortSignal },
): Promise<RemovalVerdict | { readonly versions: readonly string[] } | undefined> {
  const found = await readObject(api, { resource: definitions, key: { namespace: '', name: definition } }, signal)
  if (found === undefined) return undefined
  const { content } = found
  const versions = listField(content, 'spec', 'versions')
  const answer = (verdict: 'yes' | 'no', reasons: readonly string[], next?: string): RemovalVerdict => ({
    definition,
    version,
    verdict,
    reasons,
    next,
  })
  const named = versions.find((one) => textField(one, 'name') === version)
  const stored = listField(content, 'status', 'storedVersions')
  const isStored = stored.includes(version)
  if (named === undefined && !isStored) return { versions: versions.map((one) => textField(one, 'name') ?? '') }
  if (fieldAt(named, 'storage') === true) {
    return answer(
      'no',
      [`Objects are stored in ${version}.`],
      'Make another version the storage version, and migrate the objects.',
    )
  }
  const storage = textField(
    versions.find((one) => fieldAt(one, 'storage') === true),
    'name',
  )
  const reasons: string[] = []
  if (isStored) reasons.push(`Objects may still be stored in ${version}: status.storedVersions names it.`)
  const isDoubtful = !isStored && hasServerMigrationFailed(content)
  if (isDoubtful) {
    reasons.push(
      `Objects may still be stored in ${version}: the server's own migration has failed, after which status.storedVersions need not name it.`,
    )
  }
  const served = versions.filter((one) => fieldAt(one, 'served') === true).map((one) => textField(one, 'name') ?? '')
  const readable = storage !== undefined && served.includes(storage) ? storage : served[0]
  const group = textField(content, 'spec', 'group') ?? ''
  const plural = textField(content, 'spec', 'names', 'plural') ?? ''
  if (readable === undefined) {
    return answer(
      'no',
      [...reasons, 'No version is served, so that nobody can look at the objects.'],
      'Serve a version.',
    )
  }
  const noted = await countNoted({ group, version: readable, kind: '', plural }, `${group}/${version}`, { api, signal })
  if (noted === undefined) reasons.push('We may not list the objects, so nobody knows who has set fields in it.')
  else if (noted > 0) {
    reasons.push(
      `${noted === 1 ? 'One object has' : `${String(noted)} objects have`} fields that somebody set in ${version} (metadata.managedFields): server-side apply fails there without it.`,
    )
  }
  if (reasons.length === 0) {
    return answer('yes', [
      `By status.storedVersions, all objects are stored in ${storage ?? 'another version'}, and nobody has set fields in ${version}.`,
    ])
  }
  const end = isDoubtful ? ': its status says then whether the version may be removed.' : ', then ask again.'
  return answer('no', reasons, `Migrate the objects with a StorageMigration of ${definition}${end}`)
}

/** How many objects have fields that were set in this version; undefined where they may not be listed. */
async function countNoted(
  resource: Resource,
  apiVersion: string,
  { api, signal }: { readonly api: ApiServer; readonly signal: AbortSignal },
): Promise<number | undefined> {
  const isNoted = (item: unknown): boolean =>
    listField(item, 'metadata', 'managedFields').some((entry) => textField(entry, 'apiVersion') === apiVersion)
  const read = (item: unknown): readonly true[] => (isNoted(item) ? [true] : [])
  try {
    return (await listItems(api, { resource, namespace: '', content: 'metadataList', read }, signal)).length
  } catch (error) {
    if (isRefusal(error, 403)) return undefined
    throw error
  }
}
