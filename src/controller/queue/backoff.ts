import type { Random } from '../../model/ports.ts'

/** How long to wait after failures: the ceiling doubles with each one, up to `most`. Milliseconds. */
export interface BackoffTimes {
  readonly first: number
  readonly most: number
}

/** A share of 1, evenly spread. */
export function shareOf(random: Random): number {
  const [a = 0, b = 0] = random.bytes(2)
  return (a * 256 + b) / 65_536
}

/**
 * Milliseconds to wait after so many failures in a row: anything up to the ceiling, so that many who failed together do
 * not come back together.
 */
export function backoffAfter(failures: number, { first, most }: BackoffTimes, random: Random): number {
  return Math.round(shareOf(random) * Math.min(most, first * 2 ** Math.min(failures - 1, 30)))
}
