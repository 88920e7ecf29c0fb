/** Flux writes a unit's name into a label of every object that it applies, and labels end here. */
const LONGEST_LABEL = 63
const HASH_DIGITS = 8

/** A unit's name of its parts; a name that is too long for a label is cut and ends in a hash of the whole. */
export function unitName(...parts: readonly string[]): string {
  const name = parts.join('-')
  if (name.length <= LONGEST_LABEL) return name
  return `${name.slice(0, LONGEST_LABEL - HASH_DIGITS - 1).replace(/[^a-z0-9]+$/, '')}-${fnv1a(name)}`
}

/** FNV-1a with 32 bits: names need to differ, nobody attacks them. */
function fnv1a(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(16).padStart(HASH_DIGITS, '0')
}
