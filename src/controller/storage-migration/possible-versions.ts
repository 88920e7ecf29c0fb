import type { Definition } from './definition.ts'
import type { MigrationState } from './migration-state.ts'

/**
 * The versions in which objects may be stored, as far as the controller knows by itself. Anybody may shorten
 * `storedVersions` of a definition; here a version leaves only after a whole walk without a failure. Of a definition
 * that the controller has stated nothing of, or not of all that it was meanwhile, these are all that it has.
 */
export function possibleVersions(definition: Definition, before: MigrationState | undefined): readonly string[] {
  const { versions, storageVersion, storedVersions, isDoubtful, uid, generation } = definition
  const of = before?.definition?.uid === uid ? before.definition : undefined
  const known = of && knownVersions(of, before)
  const changes = of === undefined ? Infinity : generation - of.generation
  // between two changes of the spec, and in a backup, any version may have been the storage version
  const isSure = known !== undefined && (changes === 0 || changes === 1) && !isDoubtful
  const all = isSure ? [] : versions.map(({ name }) => name)
  return [...new Set([storageVersion, ...storedVersions, ...(known ?? []), ...all])]
}

function knownVersions(
  of: NonNullable<MigrationState['definition']>,
  before: MigrationState | undefined,
): readonly string[] | undefined {
  if (of.possibleVersions !== undefined) return of.possibleVersions
  // where the installed definition of StorageMigrations is older, the field is dropped from the status
  return before?.migrated === true && before.migrator === 'Stackmason' ? [of.storageVersion] : undefined
}
