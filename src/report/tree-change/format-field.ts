import { formatGoJson } from '../../codec/json/go-json.ts'
import { formatChangePath } from '../../model/change-path.ts'
import type { ChangeStep, FieldChange } from '../../model/tree-change.ts'
import type { Value } from '../../model/value.ts'
import { plural } from '../plural.ts'
import type { Detail } from './name-clusters.ts'

/** Characters of a value on a line, and lines of a text, in a short list. */
const [LONGEST, LINES] = [72, 6]

/**
 * The changes of an object, the lines of each. In a short list those that change from one value to another in the same
 * way as the first are counted with it: one image of many containers.
 */
export function formatFields(fields: readonly FieldChange[], detail: Detail): readonly (readonly string[])[] {
  if (detail === 'all') return fields.map((field) => formatField(field, detail))
  const alike = new Map<string, { readonly lines: readonly string[]; count: number }>()
  for (const [index, field] of fields.entries()) {
    const { path, before, after } = field
    const isValue = typeof before === 'string' && typeof after === 'string' && !(before + after).includes('\n')
    const key = isValue ? JSON.stringify([path.map(placeOf), before, after]) : String(index)
    const same = alike.get(key)
    if (same === undefined) alike.set(key, { lines: formatField(field, detail), count: 0 })
    else same.count++
  }
  return [...alike.values()].map(({ lines, count }) =>
    count === 0 ? lines : lines.map((line) => `${line}, and ${plural(count, 'more field')} alike`),
  )
}

/** A step, whichever item of a list it is. */
function placeOf(step: ChangeStep): string {
  if (typeof step === 'string') return step
  return typeof step === 'number' ? '[]' : `[${step.key}]`
}

/** A change of a field, for people: `spec.replicas: 2 -> 3`; of a text with lines those that differ, below it. */
export function formatField({ path, before, after, isReordered }: FieldChange, detail: Detail): readonly string[] {
  const name = formatChangePath(path)
  if (isReordered === true) return [`${name}: in another order`]
  if (isMember(path.at(-1)))
    return [`${formatChangePath(path.slice(0, -1))}: ${signOf(after)} ${shortValue(after ?? before ?? null, detail)}`]
  if (typeof before === 'string' && typeof after === 'string' && (before + after).includes('\n'))
    return [`${name}:`, ...lineChanges(before, after, detail)]
  if (before === undefined) return [`${name}: + ${shortValue(after ?? null, detail)}`]
  if (after === undefined) return [`${name}: - ${shortValue(before, detail)}`]
  return [`${name}: ${shortValue(before, detail)} -> ${shortValue(after, detail)}`]
}

function isMember(step: ChangeStep | undefined): boolean {
  return typeof step === 'object' && step.key === ''
}

function signOf(after: Value | undefined): '+' | '-' {
  return after === undefined ? '-' : '+'
}

/** A value on one line, cut where it is long. */
export function shortValue(value: Value, detail: Detail): string {
  const isPlain = typeof value === 'string' && /^[^\s"'{}[\],#&*!|>%@`][^\n"]*$/.test(value)
  const text = typeof value === 'string' && isPlain ? value : formatGoJson(value, { escapeHtml: false })
  return detail === 'all' || text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`
}

/** The lines that only one of two texts has, in the order of the texts. */
function lineChanges(before: string, after: string, detail: Detail): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const removed = withoutCommon(old, now).map((line) => `  - ${cut(line, detail)}`)
  const added = withoutCommon(now, old).map((line) => `  + ${cut(line, detail)}`)
  if (removed.length + added.length === 0) return ['  the same lines in another order']
  const most = detail === 'all' ? Infinity : LINES
  const shown = [
    ...removed.slice(0, Math.max(most / 2, most - added.length)),
    ...added.slice(0, Math.max(most / 2, most - removed.length)),
  ]
  const more = removed.length + added.length - shown.length
  return more > 0 ? [...shown, `  … ${String(more)} more lines`] : shown
}

function withoutCommon(lines: readonly string[], others: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const line of others) counts.set(line, (counts.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const left = counts.get(line) ?? 0
    counts.set(line, left - 1)
    return left <= 0
  })
}

function cut(line: string, detail: Detail): string {
  return detail === 'all' || line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}…`
}
