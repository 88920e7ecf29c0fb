/** Milliseconds until something is looked at again of which no watch tells, of any kind. */
export const pauses: Readonly<Record<'person' | 'kind' | 'drift' | 'conflict', number>> = {
  /** Permissions, and what is somebody else's. */
  person: 5 * 60_000,
  /** Kinds that the server does not have. */
  kind: 30_000,
  /** For changes that no watch has reported. */
  drift: 30 * 60_000,
  /** Somebody else was faster. */
  conflict: 1000,
}
