import { compareBytes } from '../../codec/text/text-order.ts'
import { clusterSubject, type Diagnostic } from '../../model/diagnostic.ts'
import type { StoredDefinitions } from '../../model/handoff.ts'
import { objectKey, type RenderedFolder } from '../../model/manifest.ts'
import { type ObjectName, objectPath } from '../../model/object-name.ts'
import { isResourceDefinition, storageVersion } from '../../model/resource-definition.ts'
import { changedDefinitions, dropsVersion, tellChanges } from './definition-changes.ts'
import { storageMigration } from './storage-migration.ts'

/** A cluster whose definitions may change their storage versions. */
export interface MigrationInput {
  readonly cluster: ObjectName
  /** Of the Cluster itself. */
  readonly clusterFolder: RenderedFolder
  readonly addons: readonly RenderedFolder[]
  /** The definitions that the tree has of it. */
  readonly committed: StoredDefinitions
  /** True if the controller runs and migrates what it is asked to. */
  readonly isMigrated: boolean
}

/** The migrations of objects that are stored in earlier versions. */
export interface PlannedMigrations {
  /** The folder of the Cluster, with what asks the controller for migrations. */
  readonly clusterFolder: RenderedFolder
  readonly findings: readonly Diagnostic[]
}

/**
 * Plans the migrations of a cluster. A definition of an addon whose storage version is not the committed one gets a
 * StorageMigration object. It stays in the tree, at the storage version of the day, since no file tells when it has
 * done its work. Definitions beside the Cluster belong to the management cluster, which others share: people migrate
 * those.
 */
export function planMigrations(input: MigrationInput): PlannedMigrations {
  const { cluster, clusterFolder, addons, committed, isMigrated } = input
  const definitions = addons.flatMap(({ manifests }) => manifests).filter(isResourceDefinition)
  const changes = changedDefinitions(definitions, committed.addons)
  const changed = new Set(changes.map(({ definition }) => definition))
  const known = new Set(clusterFolder.manifests.map(objectKey))
  const migrations = definitions
    .filter((definition) => isMigrated && (changed.has(definition) || committed.migrated.has(definition.name)))
    .map((definition) => storageMigration(cluster, definition, storageVersion(definition.object)))
    .filter((migration) => !known.has(objectKey(migration)))
    .toSorted((one, other) => compareBytes(one.name, other.name))
  const untold = [
    ...(isMigrated ? changes.filter(dropsVersion) : changes),
    ...changedDefinitions(clusterFolder.manifests, committed.beside),
  ]
  return {
    clusterFolder:
      migrations.length === 0
        ? clusterFolder
        : { ...clusterFolder, manifests: [...clusterFolder.manifests, ...migrations] },
    findings: tellChanges(untold, { title: `cluster ${objectPath(cluster)}`, about: clusterSubject(cluster) }),
  }
}
