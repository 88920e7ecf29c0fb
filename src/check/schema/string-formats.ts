import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { isCidr } from '../../codec/text/cidr.ts'
import { isIpv6Address } from '../../codec/text/ipv6-address.ts'
import { isRequestUri } from '../cel/functions/url-functions.ts'

/** A format of text: what it takes, and what it is, for people. */
export interface TextFormat {
  readonly allows: (text: string) => boolean
  readonly says: string
}

const time: TextFormat = { allows: isTime, says: 'a time such as 2026-01-31T12:00:00Z' }
const ipv4: TextFormat = { allows: isIpv4Address, says: 'an IPv4 address' }

/**
 * Formats that an API server checks, by name without dashes (k8s.io/apiextensions-apiserver, `formats.go`). Those that
 * are missing here, of postal and payment data, are not checked.
 */
export const textFormats: ReadonlyMap<string, TextFormat> = new Map([
  ['datetime', time],
  ['date', { allows: isDate, says: 'a date such as 2026-01-31' }],
  ['byte', { allows: (text) => decodeBase64(text) !== undefined, says: 'base64' }],
  ['ipv4', ipv4],
  ['ipv6', { allows: isIpv6Address, says: 'an IPv6 address' }],
  ['cidr', { allows: isCidr, says: 'an address and a prefix length such as 10.0.0.0/16' }],
  ['duration', { allows: isDuration, says: 'a duration such as 1h30m' }],
  ['uri', { allows: isRequestUri, says: 'a URI such as https://example.com/a' }],
  ['uuid', { allows: (text) => /^[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(text), says: 'a UUID' }],
  [
    'mac',
    { allows: (text) => /^[0-9a-f]{2}(?:([-:])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}$/i.test(text), says: 'a MAC address' },
  ],
])

/** A quantity of a resource, as k8s.io/apimachinery/pkg/api/resource reads it. */
export const quantityFormat: TextFormat = {
  allows: (text) => /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$/.test(text),
  says: 'a quantity such as 500m or 1.5Gi',
}

/** True for four numbers below 256 with dots, none with a leading zero. */
export function isIpv4Address(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255)
}

function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text) ?? []
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return year !== '' && Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days
}

function isTime(text: string): boolean {
  const clock = /^T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:Z|[+-]([0-9]{2}):([0-9]{2}))$/i.exec(text.slice(10))
  if (clock === null || !isDate(text.slice(0, 10))) return false
  const [hour = 24, minute = 60, second = 60] = clock.slice(1, 4).map(Number)
  return hour < 24 && minute < 60 && second < 60
}

/** A duration as Go's time.ParseDuration reads it. */
function isDuration(text: string): boolean {
  return /^[+-]?(?:0|(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/.test(text)
}
