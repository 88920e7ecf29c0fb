import { listField, textField } from '../../kube/json-field.ts'

/** A condition of an object, as Kubernetes has it. */
export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  /** One word in camel case, for programs. */
  readonly reason: string
  /** For people. */
  readonly message: string
}

/** A condition as it stands in a status. */
export interface StatedCondition extends Condition {
  readonly lastTransitionTime: string
  readonly observedGeneration: number
}

/** A server takes no longer message. */
const LONGEST_MESSAGE = 32_768

/**
 * The conditions to be stated, in their order: each keeps the time at which its status last changed. What is not
 * given is no longer stated.
 * @param stored those that the object has
 */
export function stateConditions(
  conditions: readonly Condition[],
  stored: readonly unknown[],
  { generation, now }: { readonly generation: number; readonly now: number },
): readonly StatedCondition[] {
  return conditions.map(({ type, status, reason, message }) => {
    const before = stored.find((condition) => textField(condition, 'type') === type)
    const since = textField(before, 'status') === status ? textField(before, 'lastTransitionTime') : undefined
    return {
      type,
      status,
      reason,
      message: message.slice(0, LONGEST_MESSAGE),
      lastTransitionTime: since ?? formatTime(now),
      observedGeneration: generation,
    }
  })
}

/** The stated condition of a type; undefined where there is none. */
export function findCondition(
  status: unknown,
  type: string,
): { readonly status: string; readonly reason: string; readonly lastTransitionTime: string } | undefined {
  const found = listField(status, 'conditions').find((condition) => textField(condition, 'type') === type)
  const state = textField(found, 'status')
  if (state === undefined) return undefined
  const [reason = '', lastTransitionTime = ''] = ['reason', 'lastTransitionTime'].map((field) =>
    textField(found, field),
  )
  return { status: state, reason, lastTransitionTime }
}

/** A time as conditions have it, to the second. */
function formatTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`
}
