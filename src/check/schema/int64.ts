/** True for an integer that 64 bits with a sign hold; servers read larger ones as floats. */
export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value
}
