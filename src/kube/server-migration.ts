import { listField, textField } from './json-field.ts'

/**
 * Whether the server's own migrator has failed with a definition, the last time that it was asked. It may have emptied
 * `status.storedVersions` all the same. Rule: finishCRDMigration of Kubernetes 1.36.1,
 * pkg/controller/storageversionmigrator/migrationrunner.go.
 */
export function hasServerMigrationFailed(definition: unknown): boolean {
  return listField(definition, 'status', 'conditions').some(
    (condition) =>
      textField(condition, 'type') === 'StorageMigrating' &&
      textField(condition, 'status') === 'False' &&
      textField(condition, 'reason') === 'MigrationFailed',
  )
}
