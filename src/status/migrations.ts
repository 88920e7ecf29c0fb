import { fieldAt, listField, numberField, textField } from '../kube/json-field.ts'
import type { KubeObject } from '../kube/kube-object.ts'

/** How far a StorageMigration is with one definition, as the controller has stated it. */
export interface DefinitionStatus {
  /** `namespace/name` of the StorageMigration. */
  readonly migration: string
  readonly definition: string
  /** True if every object is in the storage version, and the definition says so. */
  readonly isMigrated: boolean
  readonly storageVersion: string | undefined
  /** Objects, as far as they were counted. */
  readonly rewritten: number | undefined
  readonly alreadyCurrent: number | undefined
  readonly failed: number | undefined
  readonly remaining: number | undefined
  /** The work done, or the obstacle. */
  readonly message: string
  /** Verdicts on removing each version from the definition; none before the migration has come to an end. */
  readonly versions: readonly VersionStatus[]
}

/** The verdict on removing a version from a definition, with the reason against it. */
export interface VersionStatus {
  readonly version: string
  readonly mayBeRemoved: boolean
  readonly reason: string
}

/**
 * The workload cluster, in the object's namespace, whose objects are migrated; undefined: those of the management
 * cluster.
 */
export function migratedCluster(migration: KubeObject): string | undefined {
  return textField(migration.content, 'spec', 'clusterRef', 'name')
}

/** The statements about each definition that were made of the present object. */
export function definitionsOf({ content, generation, namespace, name }: KubeObject): readonly DefinitionStatus[] {
  if (numberField(content, 'status', 'observedGeneration') !== generation) return []
  return listField(content, 'status', 'customResourceDefinitions').map((stated) => ({
    migration: `${namespace}/${name}`,
    definition: textField(stated, 'name') ?? '',
    isMigrated: fieldAt(stated, 'migrated') === true,
    storageVersion: textField(stated, 'storageVersion'),
    rewritten: numberField(stated, 'rewritten'),
    alreadyCurrent: numberField(stated, 'alreadyCurrent'),
    failed: numberField(stated, 'failed'),
    remaining: numberField(stated, 'remaining'),
    message: textField(stated, 'message') ?? '',
    versions: listField(stated, 'versions').map((version) => ({
      version: textField(version, 'name') ?? '',
      mayBeRemoved: fieldAt(version, 'removable') === true,
      reason: textField(version, 'message') ?? '',
    })),
  }))
}
