import { itemsAt } from '../model/field.ts'
import type { ChangeRisk } from '../model/tree-change.ts'
import { GoInt, type Value } from '../model/value.ts'
import { isOn } from './unit-effects.ts'
import { textOf } from './values-at.ts'

/** Judges a field by its old and new value, null where it is absent. */
export type Judge = (before: Value, after: Value) => boolean

/** Fields of some kinds, and what a change of them does. */
export interface FieldRow {
  /** Group and kind. */
  readonly of: RegExp
  /** `*` stands for each item of a list, by its name, or each key of a map. */
  readonly paths: readonly string[]
  readonly risk: ChangeRisk
  /** When; default: whenever it changes. */
  readonly when?: Judge
  /** Instead of the field and what it was and is. */
  readonly text?: string
  /** Only where keys that stand for `*` look like this. */
  readonly key?: RegExp
  /** Also of an object that was not there before. */
  readonly alsoNew?: true
}

/** True for a switch that is off. */
export const isOff = (value: Value): boolean => value === false || value === 'false'
const isSet = (value: Value): boolean => value !== null && !isOff(value) && value !== ''
/** It had a value. */
export const wasSet: Judge = (before) => isSet(before)
/** A switch is put on. */
export const becomesOn: Judge = (before, after) => isOn(after) && !isOn(before)
/** A switch that is on by default is off no more. */
export const offNoMore: Judge = (before, after) => isOff(before) && !isOff(after)
/** It had a value, and has none. */
export const goes: Judge = (before, after) => isSet(before) && !isSet(after)
/** It had none, and has one. */
export const comes: Judge = (before, after) => isSet(after) && !isSet(before)
/** It has a value now. */
export const becomesSet: Judge = (_, after) => isSet(after)
/** It gets one of these words. */
export const becomes =
  (...words: readonly string[]): Judge =>
  (_, after) =>
    typeof after === 'string' && words.includes(after)
/** The number that a text begins with. */
const numberOf = (value: Value): number | undefined => {
  const text = value instanceof GoInt ? String(value.value) : String(typeof value === 'object' ? '' : value)
  return /^\d{1,9}/.test(text) ? Number.parseInt(text, 10) : undefined
}
const UNITS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 0.001 }
/** A time in seconds, as a number or as Go writes it. */
export const secondsOf = (value: Value): number =>
  typeof value === 'string'
    ? [...value.matchAll(/(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(h|ms|m|s)/g)].reduce(
        (sum, [, count = '', unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0),
        0,
      )
    : (numberOf(value) ?? 0)
/** 0 and nothing wait for ever. */
export const waitsLess: Judge = (before, after) => {
  const [old, now] = [secondsOf(before), secondsOf(after)]
  return now !== 0 && (old === 0 || now < old)
}
const DAY = 24 * 3600
/** A time that is longer than before, and a day or more. */
export const takesDays: Judge = (before, after) => secondsOf(after) >= DAY && secondsOf(after) > secondsOf(before)
/** Fewer than three of what were more. */
export const losesMajority: Judge = (before, after) => {
  const [old, now] = [numberOf(before), numberOf(after)]
  return old !== undefined && now !== undefined && now > 0 && now < old && now < 3
}
/** Down to nothing. */
export const becomesZero: Judge = (before, after) => numberOf(after) === 0 && numberOf(before) !== 0
const holds =
  (pattern: RegExp, judge: (had: number, has: number) => boolean): Judge =>
  (before, after) => {
    const count = (value: Value): number => itemsOf(value).filter((item) => pattern.test(textOf(item))).length
    return judge(count(before), count(after))
  }
/** A list has more items that look like this. */
export const gains = (pattern: RegExp): Judge => holds(pattern, (had, has) => has > had)
/** A list lacks an item that it had. */
export const losesItems: Judge = (before, after) => {
  const now = new Set(itemsOf(after).map(textOf))
  return itemsOf(before).some((item) => !now.has(textOf(item)))
}
/** Of a list of those who may: another one may, or all. */
export const letsMore: Judge = (before, after) => {
  const [old, now] = [new Set(itemsOf(before).map(textOf)), itemsOf(after).map(textOf)]
  return old.size > 0 && (now.length === 0 || now.some((item) => !old.has(item)))
}
/** Of a list without which nobody may: another one may. */
export const gainsItems: Judge = (before, after) => losesItems(after, before)
/** Another value. */
export const differs: Judge = (before, after) => textOf(before) !== textOf(after)
/** How many there are changes, and there are some. */
export const isRescaled: Judge = (before, after) => {
  const [old, now] = [numberOf(before), numberOf(after)]
  return old !== undefined && now !== undefined && now > 0 && old !== now
}
/** Judges the lists below one field of each item as one list. */
export const inEach =
  (field: string, judge: Judge): Judge =>
  (before, after) => {
    const all = (value: Value): Value => itemsOf(value).flatMap((item) => itemsAt(item, field))
    return judge(all(before), all(after))
  }

/** How strict a guard is by the value of a field, null where it is not there. */
export type Grade = (value: Value) => number

/** By words, the weakest first; what is none of them is the weakest. */
export const byWord =
  (unset: string, ...words: readonly string[]): Grade =>
  (value) =>
    Math.max(words.indexOf(typeof value === 'string' && value !== '' ? value : unset), 0)
/** Of a list of actions: with one of these words it refuses. */
export const byAction =
  (unset: string, word: string): Grade =>
  (value) =>
    (Array.isArray(value) && value.length > 0 ? value : [unset]).includes(word) ? 1 : 0
/** Of a switch: on is the stricter, and the default. */
export const bySwitch: Grade = (value) => (isOff(value) ? 0 : 1)

/** A field by which a guard is stricter or weaker. */
export interface GradedField {
  readonly of: RegExp
  readonly paths: readonly string[]
  readonly grade: Grade
}

/** The effects of a change in either direction. */
export function gradedRows({ of, paths, grade }: GradedField): readonly FieldRow[] {
  return [
    { of, paths, risk: 'lowers-guard', when: (before, after) => grade(after) < grade(before) },
    { of, paths, risk: 'refuses-more', when: (before, after) => grade(after) > grade(before) },
  ]
}

function itemsOf(value: Value): readonly Value[] {
  return Array.isArray(value) ? value : []
}
