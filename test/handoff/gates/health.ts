/**
 * What an engine makes of an object, in the words of kstatus; `unknown` is Flux's for an expression that cannot be
 * evaluated: it asks again.
 */
export type Health = 'current' | 'inProgress' | 'failed' | 'unknown'

/** An object at one moment of its life. */
export interface Phase {
  readonly name: string
  readonly object: object
}
