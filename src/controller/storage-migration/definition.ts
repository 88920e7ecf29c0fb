import { findCondition } from '../objects/conditions.ts'
import { fieldAt, listField, textField } from '../../kube/json-field.ts'
import type { KubeObject } from '../../kube/kube-object.ts'
import type { Resource } from '../../kube/resource.ts'
import { hasServerMigrationFailed } from '../../kube/server-migration.ts'

/** The kind of definitions. */
export const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
}

/** A version of a definition. */
export interface DefinitionVersion {
  readonly name: string
  readonly isServed: boolean
  readonly isStorage: boolean
  /** Objects can be written by their status alone. */
  readonly hasStatus: boolean
}

/** A CustomResourceDefinition, as far as a migration is concerned. */
export interface Definition {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  /** Moves with each change of the spec, and never back. */
  readonly generation: number
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly versions: readonly DefinitionVersion[]
  readonly storageVersion: string
  /** In which objects may be stored. */
  readonly storedVersions: readonly string[]
  /** Objects may be stored in others, too: the server's own migrator has failed. */
  readonly isDoubtful: boolean
  /** Why nothing is done with its objects; undefined: nothing is in the way. */
  readonly obstacle: Obstacle | undefined
}

/** An obstacle to a migration. */
export interface Obstacle {
  readonly reason:
    'DefinitionDeleted' | 'NotEstablished' | 'NonStructuralSchema' | 'NoServedVersion' | 'OtherMigrator' | 'InvalidSpec'
  readonly message: string
  /** Who migrates it instead. */
  readonly migrator?: 'ClusterAPI' | 'Server'
}

/** Cluster API notes with it which definitions it has migrated. */
const CAPI_MIGRATED = 'crd-migration.cluster.x-k8s.io/observed-generation'

/** Reads a definition; of what is not there, something is said to be in the way. */
export function readDefinition(object: KubeObject): Definition {
  const spec = fieldAt(object.content, 'spec')
  const versions = listField(spec, 'versions').flatMap((version): readonly DefinitionVersion[] => {
    const name = textField(version, 'name')
    if (name === undefined) return []
    const is = (field: string): boolean => fieldAt(version, field) === true
    const hasStatus = fieldAt(version, 'subresources', 'status') !== undefined
    return [{ name, isServed: is('served'), isStorage: is('storage'), hasStatus }]
  })
  const { name, uid, resourceVersion, generation } = object
  const storageVersion = versions.find(({ isStorage }) => isStorage)?.name ?? ''
  const storedVersions = listField(object.content, 'status', 'storedVersions').filter(
    (version) => typeof version === 'string',
  )
  const definition = {
    name,
    uid,
    resourceVersion,
    generation,
    versions,
    storageVersion,
    storedVersions,
    isDoubtful: hasServerMigrationFailed(object.content),
    group: textField(spec, 'group') ?? '',
    kind: textField(spec, 'names', 'kind') ?? '',
    plural: textField(spec, 'names', 'plural') ?? '',
  }
  return { ...definition, obstacle: obstacleOf(object, definition) }
}

/** Whether `storedVersions` names no other version than that in which objects are written now. */
export function isPruned({ storedVersions, storageVersion }: Definition): boolean {
  return storedVersions.length === 1 && storedVersions[0] === storageVersion
}

/**
 * The version in which objects are asked for: that in which they are stored if it is served, for then nothing need be
 * converted.
 */
export function spokenVersion({ versions }: Definition): DefinitionVersion | undefined {
  const served = versions.filter(({ isServed }) => isServed)
  return served.find(({ isStorage }) => isStorage) ?? served[0]
}

/** The objects of a definition in one of its versions. */
export function resourceOf({ group, kind, plural }: Definition, version: string): Resource {
  return { group, version, kind, plural }
}

function obstacleOf(object: KubeObject, definition: Omit<Definition, 'obstacle'>): Obstacle | undefined {
  const state = (type: string): string | undefined => findCondition(fieldAt(object.content, 'status'), type)?.status
  const { group, kind, plural, storageVersion, versions } = definition
  if (object.isBeingDeleted) {
    return { reason: 'DefinitionDeleted', message: 'the definition is being deleted, and all objects with it' }
  }
  if ([group, kind, plural, storageVersion].includes('')) {
    return { reason: 'InvalidSpec', message: 'the definition has no group, names or storage version' }
  }
  if (state('Established') !== 'True') {
    return { reason: 'NotEstablished', message: 'the server does not serve the definition yet' }
  }
  if (state('NonStructuralSchema') === 'True') {
    const message = 'its schema is not structural: the server would not prune and default what is written'
    return { reason: 'NonStructuralSchema', message }
  }
  if (!versions.some(({ isServed }) => isServed)) {
    return { reason: 'NoServedVersion', message: 'no version is served: nobody can list the objects' }
  }
  if (state('StorageMigrating') === 'True') {
    const message = 'the server migrates it (condition StorageMigrating)'
    return { reason: 'OtherMigrator', message, migrator: 'Server' }
  }
  if (object.annotations.has(CAPI_MIGRATED)) {
    const message = `Cluster API migrates it; take the annotation ${CAPI_MIGRATED} off where it no longer does`
    return { reason: 'OtherMigrator', message, migrator: 'ClusterAPI' }
  }
  return undefined
}
