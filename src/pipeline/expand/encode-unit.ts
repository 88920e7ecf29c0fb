import { readPlain, writePlain } from '../../codec/plain-text.ts'
import type { ClusterUnit } from './cluster-unit.ts'

/** A unit as text: equal units give the same text, to be hashed or sent to another thread. */
export function encodeUnit(unit: ClusterUnit): string {
  return writePlain(unit)
}

/** The unit that {@link encodeUnit} was given. @throws Error for any other text */
export function decodeUnit(text: string): ClusterUnit {
  const unit = readPlain(text)
  if (!isUnit(unit)) throw new Error('not the text of a unit')
  return unit
}

function isUnit(value: unknown): value is ClusterUnit {
  if (typeof value !== 'object' || value === null || !('kind' in value) || !('cluster' in value)) return false
  return value.kind === 'rendered' || value.kind === 'committed' || value.kind === 'none'
}
