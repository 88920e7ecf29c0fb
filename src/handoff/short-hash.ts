const DIGITS = 8

/**
 * Eight hex digits that differ when `text` does, for names: FNV-1a with 32 bits, which nobody has a reason to attack
 * here.
 */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(16).padStart(DIGITS, '0')
}

/** Longest label value; names of Jobs and of units end up in labels. */
const LONGEST = 63

/** A name that ends in a hash, cut so that it fits a label. */
export function hashedName(name: string, hash: string): string {
  return `${name.slice(0, LONGEST - DIGITS - 1).replace(/[^a-z0-9]+$/, '')}-${hash}`
}
