import { compareBytes } from '../../codec/text/text-order.ts'
import { Dict, GoBytes, GoInt, GoObject, elementType, goInt, type Value } from '../../model/value.ts'
import { refusedCall } from './call-function.ts'
import { ofValue, integer, say } from './error-text.ts'
import { templateError, type Frame, type Raw } from './execution.ts'
import { formatValue } from './format.ts'
import { holdsToken } from './token-refused.ts'

/** The rounds of a `range`. */
export interface Rounds {
  readonly length: number
  readonly element: (index: number) => Value
  /** The value of the first of two variables. */
  readonly key: (index: number) => Raw
  /** True if elements are of interface type; decides the words of an error. */
  readonly isBoxed: boolean
}

const none: Rounds = { length: 0, element: () => null, key: () => undefined, isBoxed: false }

/**
 * Returns the rounds of a `range` (exec.go, walkRange): lists in order, maps by the bytes of their keys, integers from
 * 0.
 * @throws TemplateError for what cannot be ranged over
 */
export function roundsOf(frame: Frame, value: Raw, hasKey: boolean): Rounds {
  if (Array.isArray(value)) return listRounds(value)
  if (value instanceof Dict) return mapRounds(value)
  if (value === null || value === undefined) return none
  if (value instanceof GoInt) {
    if (hasKey)
      throw templateError(frame, say`can't use ${integer(value.value)} to iterate over more than one variable`)
    return intRounds(value)
  }
  if (value instanceof GoBytes) return bytesRounds(value)
  if (value instanceof GoObject && (value.kind === 'slice' || value.kind === 'map')) {
    const inner = value.toValue()
    if (Array.isArray(inner)) return listRounds(inner)
    if (inner instanceof Dict) return mapRounds(inner)
  }
  if (typeof value === 'string' && holdsToken(value))
    throw refusedCall(frame, {
      name: 'range',
      args: [value],
      problem: say`cannot go over a value that is only known later`,
    })
  throw templateError(frame, say`range can't iterate over ${ofValue(value, formatValue(value))}`)
}

function listRounds(list: readonly Value[]): Rounds {
  const isBoxed = elementType(list) === 'interface {}'
  return { length: list.length, element: (index) => list[index] ?? null, key: goInt, isBoxed }
}

/** A snapshot: Go too sorts before it iterates. */
function mapRounds(map: Dict): Rounds {
  const entries = [...map].sort(([a], [b]) => compareBytes(a, b))
  return {
    length: entries.length,
    element: (index) => entries[index]?.[1] ?? null,
    key: (index) => entries[index]?.[0],
    isBoxed: map.elementType === 'interface {}',
  }
}

function intRounds({ value, kind }: GoInt): Rounds {
  const element = (index: number): Value => (kind === 'int' ? goInt(index) : new GoInt(BigInt(index), kind))
  return { ...none, length: value > 0n ? Number(value) : 0, element }
}

function bytesRounds({ bytes }: GoBytes): Rounds {
  const element = (index: number): Value => new GoInt(BigInt(bytes[index] ?? 0), 'uint8')
  return { length: bytes.length, element, key: goInt, isBoxed: false }
}
