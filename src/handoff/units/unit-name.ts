import { hashedName, shortHash } from '../short-hash.ts'

/** Flux writes a unit's name into a label of every object that it applies, and labels end here. */
const LONGEST_LABEL = 63

/** A unit's name of its parts; a name that is too long for a label is cut and ends in a hash of the whole. */
export function unitName(...parts: readonly string[]): string {
  const name = parts.join('-')
  return name.length <= LONGEST_LABEL ? name : hashedName(name, shortHash(name))
}
