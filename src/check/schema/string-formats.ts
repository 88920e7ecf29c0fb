import { withoutSpaces } from '../../model/quantity.ts'
import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { isCidr } from '../../codec/text/cidr.ts'
import { isIpv6Address } from '../../codec/text/ipv6-address.ts'
import { isDate, isTime } from '../../codec/text/rfc3339.ts'
import { isCardNumber, isIsbn10, isIsbn13 } from './check-digits.ts'
import { isRequestUri } from './request-uri.ts'

/** A format of text: what it takes, and what it is, for people. */
export interface TextFormat {
  readonly allows: (text: string) => boolean
  readonly says: string
}

const time: TextFormat = { allows: isTime, says: 'a time such as 2026-01-31T12:00:00Z' }
const ipv4: TextFormat = { allows: isLooseIpv4, says: 'an IPv4 address' }

/** Formats that an API server checks, by name without dashes (k8s.io/apiextensions-apiserver, `formats.go`). */
export const textFormats: ReadonlyMap<string, TextFormat> = new Map([
  ['datetime', time],
  ['date', { allows: isDate, says: 'a date such as 2026-01-31' }],
  ['byte', { allows: (text) => decodeBase64(text) !== undefined, says: 'base64' }],
  ['ipv4', ipv4],
  ['ipv6', { allows: isIpv6Address, says: 'an IPv6 address' }],
  ['cidr', { allows: isCidr, says: 'an address and a prefix length such as 10.0.0.0/16' }],
  ['duration', { allows: isLooseDuration, says: 'a duration such as 1h30m or 2 days' }],
  // all that net/mail reads has it
  ['email', { allows: (text) => text.includes('@'), says: 'an address of mail' }],
  ['hostname', { allows: isHostname, says: 'the name of a host' }],
  [
    'hexcolor',
    { allows: (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text), says: 'a color such as #00ff00' },
  ],
  [
    'uri',
    {
      allows: isRequestUri,
      says: 'a URI such as https://example.com/a',
    },
  ],
  ['uuid', { allows: (text) => /^[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(text), says: 'a UUID' }],
  ...[3, 4, 5].map((version): [string, TextFormat] => [
    `uuid${String(version)}`,
    { allows: (text) => isUuidOf(version, text), says: `a UUID of version ${String(version)}` },
  ]),
  [
    'mac',
    {
      allows: (text) =>
        /^[0-9a-f]{2}(?:([-:])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}(?:(?:\1[0-9a-f]{2}){2}|(?:\1[0-9a-f]{2}){14})?$/i.test(
          text,
        ) || /^[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}(?:\.[0-9a-f]{4}|(?:\.[0-9a-f]{4}){7})?$/i.test(text),
      says: 'a MAC address',
    },
  ],
])

/** Formats that servers check, or read in another way, in objects of custom kinds alone. */
export const customFormats: ReadonlyMap<string, TextFormat> = new Map([
  [
    'byte',
    {
      allows: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text),
      says: 'base64 in one line, not empty',
    },
  ],
  ['isbn', { allows: (text) => isIsbn10(text) || isIsbn13(text), says: 'an ISBN' }],
  ['isbn10', { allows: isIsbn10, says: 'an ISBN of 10 digits' }],
  ['isbn13', { allows: isIsbn13, says: 'an ISBN of 13 digits' }],
  ['creditcard', { allows: isCardNumber, says: 'the number of a credit card' }],
  ['ssn', { allows: (text) => /^[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}$/.test(text), says: 'a number such as 123-45-6789' }],
  ['rgbcolor', { allows: isRgb, says: 'a color such as rgb(0, 255, 0)' }],
])

function isRgb(text: string): boolean {
  const [, ...parts] = /^rgb\(\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*\)$/.exec(text) ?? []
  return parts.length === 3 && parts.every((part) => Number(part) <= 255 && String(Number(part)) === part)
}

/** A quantity of a resource, as k8s.io/apimachinery/pkg/api/resource reads it. */
export const quantityFormat: TextFormat = {
  allows: (text) =>
    /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$/.test(withoutSpaces(text)),
  says: 'a quantity such as 500m or 1.5Gi',
}

/** As servers read it in custom resources: numbers may begin with zeros, and IPv6 may hold it. */
function isLooseIpv4(text: string): boolean {
  const parts = text.replace(/^::ffff:/i, '').split('.')
  return parts.length === 4 && parts.every((part) => /^[0-9]{1,9}$/.test(part) && Number(part) <= 255)
}

/** True for four numbers below 256 with dots, none with a leading zero. */
export function isIpv4Address(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255)
}

function isUuidOf(version: number, text: string): boolean {
  const variant = version === 3 ? '[0-9a-f]' : '[89ab]'
  const pattern = `^[0-9a-f]{8}-?[0-9a-f]{4}-?${String(version)}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`
  return new RegExp(pattern, 'i').test(text)
}

/** A host as k8s.io/kube-openapi reads it: one part, or several of which the last has letters alone. */
function isHostname(text: string): boolean {
  const part = String.raw`[a-zA-Z0-9\p{S}\p{L}]`
  const inner = String.raw`[-a-zA-Z0-9\p{S}\p{L}]`
  const one = `${part}(?:-?${part}{0,62})?`
  const several = String.raw`(?:${part}(?:${inner}{0,61}${part})?\.)+[a-zA-Z\p{L}]{2,63}`
  return text.length <= 255 && new RegExp(`^(?:${one}|${several})$`, 'u').test(text)
}

/** Units of durations; whatever begins with a long one is meant, too. */
const SHORT_UNITS = /^(?:ns|us|\u00b5s|ms|s|m|h|hr|d|w|wk)$/
const LONG_UNITS = /^(?:nano|micro|milli|sec|min|hour|day|week)/

/** As k8s.io/kube-openapi reads it: one of Go, or a text with a number and a unit, such as `2 days`. */
function isLooseDuration(text: string): boolean {
  if (isDuration(text)) return true
  return [...text.matchAll(/[0-9]+[\t\n\f\r ]*([A-Za-z\u00b5]+)/g)].some(([, unit = '']) => {
    const lower = unit.toLowerCase()
    return SHORT_UNITS.test(lower) || LONG_UNITS.test(lower)
  })
}

/** A duration as Go's time.ParseDuration reads it. */
export function isDuration(text: string): boolean {
  return /^[+-]?(?:0|(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/.test(text)
}
