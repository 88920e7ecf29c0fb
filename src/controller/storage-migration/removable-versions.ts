import type { Definition } from './definition.ts'
import type { VersionState } from './migration-state.ts'

/** Versions that are stated. */
const MOST_STATED = 64

/** Says of each version of a definition whether it may be taken out of it, and what is in the way. */
export function removableVersions(
  { versions, storedVersions, isDoubtful }: Definition,
  {
    fieldOwners,
    possible,
  }: { readonly fieldOwners: ReadonlyMap<string, number>; readonly possible: readonly string[] },
): readonly VersionState[] {
  return versions.slice(0, MOST_STATED).map(({ name, isServed, isStorage }) => {
    const owned = fieldOwners.get(name) ?? 0
    const isStated = storedVersions.includes(name)
    const reasons = [
      isStorage && 'objects are stored in it',
      !isStorage && isStated && 'objects may be stored in it, by storedVersions',
      !isStorage && isDoubtful && "objects may be stored in it, for the server's own migration has failed",
      !isStorage &&
        !isStated &&
        !isDoubtful &&
        possible.includes(name) &&
        'objects may be stored in it: the controller has not seen all of them migrated',
      !isStorage && isServed && 'it is served: first set served to false, and see that nobody asks for it',
      !isStorage &&
        owned > 0 &&
        `managedFields of ${String(owned)} objects name it, which would break server-side apply: they are cleared once it is not served`,
    ].filter((reason) => typeof reason === 'string')
    return {
      name,
      removable: reasons.length === 0,
      message: reasons.length === 0 ? 'nothing is in the way' : reasons.join('; '),
    }
  })
}
