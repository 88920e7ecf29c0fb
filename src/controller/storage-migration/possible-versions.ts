import type { Definition } from './definition.ts'
import type { MigrationState } from './migration-state.ts'

/**
 * The versions in which objects may be stored, as far as the controller knows by itself. Anybody may shorten
 * `storedVersions` of a definition; here a version leaves only after a whole walk without a failure. Of a definition
 * that the controller has stated nothing of, these are all that it has.
 */
export function possibleVersions(definition: Definition, before: MigrationState | undefined): readonly string[] {
  const { versions, storageVersion, storedVersions, isDoubtful } = definition
  const known = knownVersions(definition, before)
  const all = known === undefined || isDoubtful ? versions.map(({ name }) => name) : []
  return [...new Set([storageVersion, ...storedVersions, ...(known ?? []), ...all])]
}

function knownVersions({ uid }: Definition, before: MigrationState | undefined): readonly string[] | undefined {
  const of = before?.definition
  if (of?.uid !== uid) return undefined
  if (of.possibleVersions !== undefined) return of.possibleVersions
  // where the installed definition of StorageMigrations is older, the field is dropped from the status
  return before?.migrated === true && before.migrator === 'Stackmason' ? [of.storageVersion] : undefined
}
