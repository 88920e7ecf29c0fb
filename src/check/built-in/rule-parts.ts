import { isIpv6Address } from '../../codec/text/ipv6-address.ts'
import { type PathStep } from '../../model/field.ts'
import {
  annotationKey,
  dnsLabel,
  dnsSubdomain,
  labelKey,
  labelValue,
  type NameRule,
} from '../../model/kubernetes-names.ts'
import { billionthsOf } from '../../model/quantity.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'
import type { FoundProblem, MinorSpan, ObjectRule, ValueRule } from '../schema/schema-node.ts'

/**
 * The rules of API servers for built-in kinds beyond their OpenAPI, by definition and field: k8s.io/kubernetes,
 * `pkg/apis/…/validation`. Ranges that `render` checks (`find-refused-fields.ts`) are not repeated.
 */
export interface BuiltInRules {
  /**
   * Required by the OpenAPI, and not by servers: a default fills it in, or nothing is a valid value. Those of the
   * OpenAPI were left out of valid objects one by one, for a server of 1.34 to judge.
   */
  readonly optional?: readonly string[]
  /** Defaults of keys of lists that the tables leave out, for they are empty. */
  readonly emptyKeys?: readonly string[]
  /** Required, though the OpenAPI does not say it. */
  readonly required?: readonly string[]
  readonly fields?: Readonly<Record<string, readonly ValueRule[]>>
  /** For the map as a whole. */
  readonly whole?: readonly ObjectRule[]
}

/** Rules by definition, a name without `io.k8s.`; each definition has one entry. */
export type RuleTable = readonly (readonly [definition: string, rules: BuiltInRules])[]

/** A rule for texts. */
export const ofText = (says: string, allows: (text: string) => boolean): ValueRule => ({
  allows: (value) => typeof value !== 'string' || allows(value),
  says,
})

/** A rule for integers. */
export const ofInteger = (says: string, allows: (value: bigint) => boolean): ValueRule => ({
  allows: (value) => !(value instanceof GoInt) || allows(value.value),
  says,
})

/** A rule for lists of texts: each of them keeps it. */
export function eachItem({ allows, says }: ValueRule): ValueRule {
  return {
    allows: (value) => !Array.isArray(value) || value.every((item) => item !== null && allows(item)),
    says: `a list of which each is ${says}`,
  }
}

/** A name, never empty. */
export const named = ({ allows, says }: NameRule): ValueRule => ofText(says, allows)
/** A name, or an empty text, which means none. */
export const maybeNamed = ({ allows, says }: NameRule): ValueRule => ofText(says, (text) => text === '' || allows(text))
/** One of some words. */
export const oneOf = (...words: readonly string[]): ValueRule =>
  ofText(`one of ${words.join(', ')}`, (text) => words.includes(text))
/** One of some words, or an empty text, for which there is a default. */
export const maybeOneOf = (...words: readonly string[]): ValueRule => ({
  ...oneOf(...words),
  allows: (value) => value === '' || typeof value !== 'string' || words.includes(value),
})
/** An integer in a range, both ends included. */
export const range = (least: number, most: number): ValueRule =>
  ofInteger(`${String(least)} to ${String(most)}`, (value) => value >= BigInt(least) && value <= BigInt(most))
/** A list with so many items at most. */
export const atMost = (most: number): ValueRule => ({
  allows: (value) => !Array.isArray(value) || value.length <= most,
  says: `a list of ${String(most)} items at most`,
})

/** The rules in the minors that have them. */
export function since(first: number, ...rules: readonly ValueRule[]): readonly ValueRule[] {
  return rules.map((rule) => ({ ...rule, minors: { first } }))
}

/** A rule for a map as a whole. */
export function whole(find: ObjectRule['find'], minors?: MinorSpan): ObjectRule {
  return minors === undefined ? { find } : { find, minors }
}

/** The same rules for some fields. */
export function each(
  names: readonly string[],
  ...rules: readonly ValueRule[]
): Readonly<Record<string, readonly ValueRule[]>> {
  return Object.fromEntries(names.map((name) => [name, rules]))
}

/** One problem. */
export function problem(says: string, ...path: readonly PathStep[]): readonly FoundProblem[] {
  return [{ path, says }]
}

/** No problem. */
export const none: readonly FoundProblem[] = []

/** A field that is set: null sets none. */
export function given(map: Dict, name: string): Value | undefined {
  return map.get(name) ?? undefined
}

/** True for a field that is set. */
export function isGiven(map: Dict, name: string): boolean {
  return given(map, name) !== undefined
}

/** True for what is no value, an empty text, an empty list or an empty map. */
export function isEmpty(value: Value | undefined): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) && value.length === 0) ||
    (value instanceof Dict && value.size === 0)
  )
}

/** The integer at a field; undefined where there is none, or something else. */
export function integerOf(value: Value | undefined): bigint | undefined {
  if (value instanceof GoInt) return value.value
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : undefined
}

/** A count of Kubernetes: an integer, or a share such as `25%`. */
export function countOf(value: Value | undefined): { readonly amount: number; readonly isShare: boolean } | undefined {
  const amount = integerOf(value)
  if (amount !== undefined) return { amount: Number(amount), isShare: false }
  if (typeof value !== 'string' || !/^[0-9]+%$/.test(value)) return undefined
  return { amount: Number(value.slice(0, -1)), isShare: true }
}

/**
 * Places of maps in a list of which a text field says the same as in one before; `keyOf` gives '' for those that do not
 * count.
 */
export function repeated(
  items: readonly Value[],
  keyOf: (item: Dict) => string,
): readonly { readonly index: number; readonly key: string }[] {
  const seen = new Set<string>()
  return items.flatMap((item, index) => {
    const key = item instanceof Dict ? keyOf(item) : ''
    if (key === '') return []
    if (seen.has(key)) return [{ index, key }]
    seen.add(key)
    return []
  })
}

/** Exactly one of some fields has to be set. */
export function oneOfFields(...names: readonly string[]): ObjectRule {
  return whole((value) => {
    const [first, second] = names.filter((name) => isGiven(value, name))
    if (first === undefined) return problem(`a map with one of ${names.join(', ')}`)
    return second === undefined ? none : problem(`left out beside ${first}`, second)
  })
}

/** An IPv4 address as older code of Kubernetes reads it: numbers may begin with zeros. */
function isSloppyIpv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^[0-9]{1,20}$/.test(part) && Number(part) <= 255)
}

/** True for an IP address, read as older code of Kubernetes does. */
export function isIpAddress(text: string): boolean {
  return isSloppyIpv4(text) || (isIpv6Address(text) && !text.includes('%'))
}

/** The rule for an IP address. */
export const ipAddress: ValueRule = ofText('an IP address', isIpAddress)

/** The parts of `10.0.0.0/16`; undefined for what is no network. */
export function networkOf(
  text: string,
): { readonly address: string; readonly bits: number; readonly isIpv6: boolean } | undefined {
  const [, address = '', length = ''] = /^([^/]*)\/([0-9]{1,3})$/.exec(text) ?? []
  const isIpv6 = address.includes(':')
  if (length === '' || (length.length > 1 && length.startsWith('0'))) return undefined
  if (isIpv6 ? !isIpv6Address(address) || address.includes('%') : !isSloppyIpv4(address)) return undefined
  const bits = Number(length)
  return bits > (isIpv6 ? 128 : 32) ? undefined : { address, bits, isIpv6 }
}

/** A network such as 10.0.0.0/16. */
export const network: ValueRule = ofText('a network such as 10.0.0.0/16', (text) => networkOf(text) !== undefined)

/** A text that says something. */
export const notEmpty: ValueRule = ofText('text that is not empty', (text) => text !== '')
export const someItems: ValueRule = {
  allows: (value) => !Array.isArray(value) || value.length > 0,
  says: 'a list that is not empty',
}
/** 0 or more. */
export const notNegative: ValueRule = ofInteger('0 or more', (value) => value >= 0n)
export const positive: ValueRule = ofInteger('1 or more', (value) => value >= 1n)
export const port: ValueRule = range(1, 65_535)
/** 0 means that none is set. */
export const maybePort: ValueRule = range(0, 65_535)
export const userId: ValueRule = range(0, 2_147_483_647)
/** The permissions of a file. */
export const fileMode: ValueRule = ofInteger('0 to 0777 (511)', (value) => value >= 0n && value <= 0o777n)
/** IANA_SVC_NAME of k8s.io/apimachinery. */
export const portName: ValueRule = ofText(
  'the name of a port: a-z, 0-9 and -, with a letter, 15 characters at most',
  (text) => text.length <= 15 && /[a-z]/.test(text) && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text),
)
/** See {@link portName}; an empty text means none. */
export const maybePortName: ValueRule = ofText(portName.says, (text) => text === '' || portName.allows(text))
/** An integer, or a share. */
export const count: ValueRule = ofText('an integer or a percentage such as 25%', (text) => /^[0-9]+%$/.test(text))
/** A share of all. */
export const notAboveAll: ValueRule = ofText('100% or less', (text) => (countOf(text)?.amount ?? 0) <= 100)
/** A map of labels. */
export const labels: ValueRule = {
  allows: (value) =>
    !(value instanceof Dict) ||
    [...value].every(([key, text]) => labelKey.allows(key) && (typeof text !== 'string' || labelValue.allows(text))),
  says: `labels: their values ${labelValue.says}`,
}
/** A name with a domain, in any case. */
export const qualifiedName: ValueRule = ofText(annotationKey.says, annotationKey.allows)
/** A name with a domain such as example.com/name, in which upper case is told apart. */
export const strictQualifiedName: ValueRule = ofText(labelKey.says, labelKey.allows)
/** A domain, a slash, and a path. */
export const domainPath: ValueRule = ofText('a domain, a slash and a path, such as example.com/name', (text) => {
  const slash = text.indexOf('/')
  return (
    slash > 0 &&
    dnsSubdomain.allows(text.slice(0, slash)) &&
    /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(text.slice(slash + 1))
  )
})
/** A name that a path of a URL can hold. */
export const pathSegment: ValueRule = ofText('a name without / and %', (text) => /^(?!\.\.?$)[^/%]+$/.test(text))
/** The first part of a DNS name, which begins with a letter. */
export const letterLabel: NameRule = {
  allows: (text) => dnsLabel.allows(text) && /^[a-z]/.test(text),
  says: 'a-z, 0-9 and -, the first a letter, 63 characters at most',
}
/** True if `..` would lead out of the folder. */
export function hasBacksteps(text: string): boolean {
  return text.split('/').includes('..')
}
/** A path below a folder; empty means none. */
export const maybeRelativePath: ValueRule = ofText(
  'a path without .. that is not absolute',
  (text) => !text.startsWith('/') && !hasBacksteps(text),
)
/** A path of a file that a volume holds. */
export const filePath: ValueRule = ofText(
  'a path that is not absolute and has no ..',
  (text) => text !== '' && !text.startsWith('/') && !text.startsWith('..') && !hasBacksteps(text),
)
/** A quantity that is not below 0. */
export const notNegativeQuantity: ValueRule = {
  allows: (value) => (billionthsOf(value) ?? 0n) >= 0n,
  says: 'a quantity of 0 or more',
}
/** A quantity above 0. */
export const positiveQuantity: ValueRule = {
  allows: (value) => (billionthsOf(value) ?? 1n) > 0n,
  says: 'a quantity above 0',
}
/** A list of which no item stands twice. */
export const unequal: ValueRule = {
  allows: (value) => !Array.isArray(value) || new Set(value).size === value.length,
  says: 'a list without equal items',
}
/** How long a token may live: ten minutes, and what 32 bits hold. */
export const tokenSeconds: ValueRule = ofInteger('600 to 4294967296', (value) => value >= 600n && value <= 1n << 32n)
