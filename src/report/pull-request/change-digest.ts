import { formatHex } from '../../codec/bytes/hex.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { formatGoJson } from '../../codec/json/go-json.ts'
import type { Crypto } from '../../model/ports.ts'
import type { FieldChange, ObjectChange, TreeChange } from '../../model/tree-change.ts'
import { dict, type Value } from '../../model/value.ts'

/**
 * A digest of what a change makes of each object: its text says of a new object only that it is there, of a secret only
 * that it differs, and nothing of what does not fit. What others change meanwhile is no part of it.
 * @returns hexadecimal digits
 */
export function digestChange({ changes }: Pick<TreeChange, 'changes'>, { hash }: Pick<Crypto, 'hash'>): string {
  const digestText = (text: string): string => formatHex(hash('sha256', encodeUtf8(text)))
  // equal files of many clusters share one object
  const known = new Map<unknown, string>()
  const digestObject = (object: Value): string => {
    const digest = known.get(object) ?? digestText(formatGoJson(object))
    known.set(object, digest)
    return digest
  }
  const lines = changes.map(({ change, before, after, fields }: ObjectChange) => {
    const isWhole = change === 'added' || fields.some(({ isHidden }) => isHidden === true)
    const shown = isWhole && after !== undefined ? digestObject(after.object) : fields.map(fieldValue)
    return digestText(formatGoJson([change, before?.path ?? null, after?.path ?? null, shown]))
  })
  return digestText(lines.join('\n'))
}

function fieldValue({ path, before, after, isReordered }: FieldChange): Value {
  const steps = path.map((step) => (typeof step === 'object' ? [step.key, step.value] : String(step)))
  const states = [before, after].map((state) => (state === undefined ? dict() : [state]))
  return [steps, ...states, isReordered === true]
}
