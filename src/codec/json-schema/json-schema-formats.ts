import { compileRegexp, RegexpError } from '../text/regexp.ts'

/**
 * Checks of `format`, by name: those of santhosh-tekuri/jsonschema v6, which Helm uses. Names not listed are not
 * checked.
 */
export const schemaFormats: Readonly<Record<string, (text: string) => boolean>> = {
  regex: isRegexp,
  'json-pointer': isJsonPointer,
  'relative-json-pointer': isRelativeJsonPointer,
  uuid: (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
  duration: isDuration,
  period: isPeriod,
  ipv4: isIpv4,
  ipv6: isIpv6,
  hostname: isHostname,
  email: isEmail,
  date: isDate,
  time: isTime,
  'date-time': isDateTime,
  uri: (text) => /^[a-z][a-z0-9+.-]*:/i.test(text) && isUrl(text),
  iri: (text) => /^[a-z][a-z0-9+.-]*:/i.test(text) && isUrl(text),
  'uri-reference': (text) => !text.includes('\\') && isUrl(text),
  'iri-reference': (text) => !text.includes('\\') && isUrl(text),
  'uri-template': isUriTemplate,
  semver: isSemver,
}

function isRegexp(text: string): boolean {
  try {
    compileRegexp(text)
    return true
  } catch (error) {
    if (error instanceof RegexpError) return false
    throw error
  }
}

function isJsonPointer(text: string): boolean {
  return text === '' || (text.startsWith('/') && !/~(?![01])/.test(text))
}

function isRelativeJsonPointer(text: string): boolean {
  const digits = /^(?:0|[1-9][0-9]*)(?![0-9])/.exec(text)?.[0]
  if (digits === undefined) return false
  const rest = text.slice(digits.length)
  return rest === '#' || isJsonPointer(rest)
}

function isDuration(text: string): boolean {
  if (/^P[0-9]+W$/.test(text)) return true
  return /^P(?=[0-9T])(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+S)?)?$/.test(
    text,
  )
}

function isPeriod(text: string): boolean {
  const slash = text.indexOf('/')
  if (slash === -1) return false
  const start = text.slice(0, slash)
  const end = text.slice(slash + 1)
  if (start.startsWith('P')) return isDuration(start) && isDateTime(end)
  return isDateTime(start) && (end.startsWith('P') ? isDuration(end) : isDateTime(end))
}

function isIpv4(text: string): boolean {
  const groups = text.split('.')
  return groups.length === 4 && groups.every((group) => /^(?:0|[1-9][0-9]{0,2})$/.test(group) && Number(group) <= 255)
}

function isIpv6(text: string): boolean {
  const halves = text.split('::')
  if (!text.includes(':') || halves.length > 2) return false
  let count = 0
  for (const [index, half] of halves.entries()) {
    if (half === '') {
      if (halves.length === 1) return false
      continue
    }
    const groups = half.split(':')
    for (const [at, group] of groups.entries()) {
      const isLast = index === halves.length - 1 && at === groups.length - 1
      if (isLast && group.includes('.')) {
        if (!isIpv4(group)) return false
        count += 2
      } else if (/^[0-9a-f]{1,4}$/i.test(group)) count += 1
      else return false
    }
  }
  return halves.length === 2 ? count < 8 : count === 8
}

function isHostname(text: string): boolean {
  const name = text.endsWith('.') ? text.slice(0, -1) : text
  return (
    name.length <= 253 &&
    name.split('.').every((label) => /^(?!-)[a-z0-9-]{1,63}$/i.test(label) && !label.endsWith('-'))
  )
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at === -1 || text.length > 254 || at > 64) return false
  const local = text.slice(0, at)
  const domain = text.slice(at + 1)
  const isLocal =
    local.length > 1 && local.startsWith('"')
      ? !/[\\"]/.test(local.slice(1, -1))
      : !local.startsWith('.') &&
        !local.endsWith('.') &&
        !local.includes('..') &&
        /^[\w.!#$%&'*+\-/=?^`{|}~]*$/.test(local)
  if (!isLocal) return false
  if (!domain.startsWith('[') || !domain.endsWith(']')) return isHostname(domain)
  const address = domain.slice(1, -1)
  return address.startsWith('IPv6:') ? isIpv6(address.slice(5)) : isIpv4(address)
}

const monthDays: readonly number[] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isDate(text: string): boolean {
  const match = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text)
  if (match === null) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (day < 1 || day > (monthDays[month - 1] ?? 0)) return false
  return month !== 2 || day < 29 || (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0))
}

function isTime(text: string): boolean {
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:z|([+-])([0-9]{2}):([0-9]{2}))$/i.exec(text)
  if (match === null) return false
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const [offsetHour, offsetMinute] = [Number(match[5] ?? 0), Number(match[6] ?? 0)]
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false
  if (second < 60) return true
  const offset = (match[4] === '-' ? 1 : -1) * (offsetHour * 60 + offsetMinute)
  return (hour * 60 + minute + offset + 1440) % 1440 === 1439
}

function isDateTime(text: string): boolean {
  return /^t$/i.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11))
}

/**
 * Roughly what Go's url.Parse accepts: no control characters, whole percent escapes, a numeric port, brackets around
 * IPv6.
 */
function isUrl(text: string): boolean {
  if (/[\u0000-\u001f\u007f]/.test(text)) return false
  const [beforeQuery = ''] = text.split(/[?#]/, 1)
  if (/%(?![0-9a-f]{2})/i.test(beforeQuery)) return false
  const authority = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/]*)/i.exec(beforeQuery)?.[1]
  if (authority === undefined) return /^[a-z][a-z0-9+.-]*:/i.test(text) || !/^[^/]*:/.test(beforeQuery)
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const bracketed = /^\[([^\]]*)\](?::[0-9]*)?$/.exec(host)
  if (bracketed !== null) return isIpv6(bracketed[1] ?? '')
  return /^[^\s<>"{}|\\^`[\]:]*(?::[0-9]*)?$/.test(host)
}

function isUriTemplate(text: string): boolean {
  if (!isUrl(text)) return false
  const [path = ''] = text.split(/[?#]/, 1)
  return path.split('/').every((part) => /^[^{}]*(?:\{[^{}]*\}[^{}]*)*$/.test(part))
}

function isSemver(text: string): boolean {
  const number = '(?:0|[1-9][0-9]*)'
  const identifier = '(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)'
  const pattern = `^${number}\\.${number}\\.${number}(?:-${identifier}(?:\\.${identifier})*)?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`
  return compileRegexp(pattern).test(text)
}
