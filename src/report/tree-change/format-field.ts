import { formatGoJson } from '../../codec/json/go-json.ts'
import { formatChangePath } from '../../model/change-path.ts'
import type { ChangeStep, FieldChange } from '../../model/tree-change.ts'
import type { Value } from '../../model/value.ts'
import { plural } from '../plural.ts'
import { lineHunks } from './line-hunks.ts'
import type { Detail } from './name-clusters.ts'

/** Characters of a value on a line in a short list. */
const LONGEST = 72
/** Lines of a text that differ, and of what stands around them. */
const [SHORT, WHOLE] = [
  { most: 6, context: 1 },
  { most: Infinity, context: 3 },
]

/** A change of a field, and how many others of its object change from one value to another in the same way. */
export interface AlikeFields {
  readonly field: FieldChange
  readonly others: number
}

/** The changes of an object; one image of many containers is one. */
export function foldAlike(fields: readonly FieldChange[]): readonly AlikeFields[] {
  const alike = new Map<string, { readonly field: FieldChange; others: number }>()
  for (const [index, field] of fields.entries()) {
    const { path, before, after } = field
    const isValue = typeof before === 'string' && typeof after === 'string' && !(before + after).includes('\n')
    const key = isValue ? JSON.stringify([path.map(placeOf), before, after]) : String(index)
    const same = alike.get(key)
    if (same === undefined) alike.set(key, { field, others: 0 })
    else same.others++
  }
  return [...alike.values()]
}

/** The changes of an object, the lines of each; in a short list those that are alike are counted with the first. */
export function formatFields(fields: readonly FieldChange[], detail: Detail): readonly (readonly string[])[] {
  if (detail === 'all') return fields.map((field) => [...formatField(field, detail), ...originLines(field)])
  return foldAlike(fields).map(({ field, others }) => {
    const lines = formatField(field, detail)
    return others === 0 ? lines : lines.map((line) => `${line}, and ${plural(others, 'more field')} alike`)
  })
}

/** A step, whichever item of a list it is. */
function placeOf(step: ChangeStep): string {
  if (typeof step === 'string') return step
  return typeof step === 'number' ? '[]' : `[${step.key}]`
}

/** Stands for a secret. */
const MASK = '********'

/** The text for secrets that differ. */
export const HIDDEN = 'changed (hidden)'

/** A change of a field, for any form. */
export type DescribedField = { readonly name: string } & (
  | { readonly what: 'reordered' }
  /** The value that differs is a secret. */
  | { readonly what: 'hidden' }
  /** An item of a set comes or goes, or a field does. */
  | { readonly what: 'item' | 'field'; readonly sign: '+' | '-'; readonly value: Value }
  | { readonly what: 'value'; readonly before: Value; readonly after: Value }
  /** `isHidden`: lines with secrets differ, too. */
  | { readonly what: 'lines'; readonly before: string; readonly after: string; readonly isHidden: boolean }
)

/** Tells the kinds of change apart. */
export function describeField({ path, before, after, isReordered, isHidden }: FieldChange): DescribedField {
  const name = formatChangePath(path)
  if (isReordered === true) return { what: 'reordered', name }
  const sign = after === undefined ? '-' : '+'
  const value = after ?? before ?? null
  if (isMember(path.at(-1)) && value === MASK) return { what: 'hidden', name: formatChangePath(path.slice(0, -1)) }
  if (isMember(path.at(-1))) return { what: 'item', name: formatChangePath(path.slice(0, -1)), sign, value }
  if (typeof before === 'string' && typeof after === 'string' && before !== after && (before + after).includes('\n'))
    return { what: 'lines', name, before, after, isHidden: isHidden === true }
  if (before === undefined || after === undefined) return { what: 'field', name, sign, value }
  if (isHidden === true) return { what: 'hidden', name }
  return { what: 'value', name, before, after }
}

/** A change of a field, for people: `spec.replicas: 2 -> 3`; of a text with lines those that differ, below it. */
export function formatField(field: FieldChange, detail: Detail): readonly string[] {
  const described = describeField(field)
  const { name } = described
  switch (described.what) {
    case 'reordered':
      return [`${name}: in another order`]
    case 'hidden':
      return [`${name}: ${HIDDEN}`]
    case 'item':
    case 'field':
      return [`${name}: ${described.sign} ${shortValue(described.value, detail)}`]
    case 'lines':
      return [
        `${name}:`,
        ...formatLines(described, detail),
        ...(described.isHidden ? [`  lines with secrets: ${HIDDEN}`] : []),
      ]
    case 'value': {
      const [before, after] = differingParts(
        valueText(described.before),
        valueText(described.after),
        longestFor(detail),
      )
      return [`${name}: ${before} -> ${after}`]
    }
  }
}

function longestFor(detail: Detail): number {
  return detail === 'all' ? Infinity : LONGEST
}

/** Two values, each cut to so many characters where it is long: what differs is among them. */
export function differingParts(before: string, after: string, longest: number): readonly [string, string] {
  if (before.length <= longest && after.length <= longest) return [before, after]
  const shorter = Math.min(before.length, after.length)
  let same = 0
  while (same < shorter && before[same] === after[same]) same++
  // what begins alike is cut in front, but for some characters
  const start = same <= longest / 2 ? 0 : same - Math.floor(longest / 4)
  const part = (text: string): string =>
    `${start > 0 ? '…' : ''}${text.slice(start, start + longest)}${text.length > start + longest ? '…' : ''}`
  return [part(before), part(after)]
}

function isMember(step: ChangeStep | undefined): boolean {
  return typeof step === 'object' && step.key === ''
}

/** A value on one line, cut where it is long. */
export function shortValue(value: Value, detail: Detail): string {
  return cut(valueText(value), detail)
}

/** A value on one line. */
export function valueText(value: Value): string {
  const isPlain = typeof value === 'string' && /^[^\s"'{}[\],#&*!|>%@`][^\n"]*$/.test(value)
  return typeof value === 'string' && isPlain ? value : formatGoJson(value, { escapeHtml: false })
}

/** The lines that only one of two texts has, whatever their order. */
export function lineChanges({ before, after }: { readonly before: string; readonly after: string }): {
  readonly removed: readonly string[]
  readonly added: readonly string[]
} {
  const [old, now] = [before.split('\n'), after.split('\n')]
  return { removed: withoutCommon(old, now), added: withoutCommon(now, old) }
}

/** True if two texts have the same lines. */
export function isReordering(texts: { readonly before: string; readonly after: string }): boolean {
  const { removed, added } = lineChanges(texts)
  return removed.length + added.length === 0
}

function formatLines(texts: { readonly before: string; readonly after: string }, detail: Detail): readonly string[] {
  if (isReordering(texts)) return ['  the same lines in another order']
  const { lines, more } = lineHunks(texts, detail === 'all' ? WHOLE : SHORT)
  return [
    ...lines.map(({ sign, line }) => (sign === 'gap' ? '  …' : `  ${sign} ${cut(line, detail)}`.trimEnd())),
    ...(more > 0 ? [`  … ${String(more)} more lines`] : []),
  ]
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

/** Where a value comes from, the nearest first. */
function originLines({ origin = [] }: FieldChange): readonly string[] {
  const places = origin.map(({ file, line, column }) => `${file}:${String(line)}:${String(column)}`)
  return places.length === 0 ? [] : [`  from ${places.join(', ')}`]
}
