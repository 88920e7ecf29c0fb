/** A number that was read, or BurntSushi/toml's complaint. */
export interface TomlNumber {
  /** A bigint for integers. */
  readonly value?: bigint | number
  readonly problem?: string
}

/** Reads an integer or float of TOML. */
export function readTomlNumber(text: string): TomlNumber {
  const isPrefixed = /^0[xob]/.test(text)
  if (!isPrefixed && /[.eE]|inf|nan/.test(text)) return readFloat(text)
  const digits = isPrefixed ? text.slice(2) : text.replace(/^[-+]/, '')
  if (/^_|__|_$/.test(digits) || digits === '')
    return { problem: `Invalid integer "${text}": underscores must be surrounded by digits` }
  if (!isPrefixed && /^0./.test(digits)) return { problem: `Invalid integer "${text}": cannot have leading zeroes` }
  const plain = digits.replaceAll('_', '')
  if (!isDigits(plain, text.slice(0, 2))) return { problem: `expected value but found "${text}" instead` }
  const magnitude = BigInt(isPrefixed ? text.slice(0, 2) + plain : plain)
  const value = text.startsWith('-') ? -magnitude : magnitude
  if (BigInt.asIntN(64, value) !== value) return { problem: `${text} is out of range for int64` }
  return { value }
}

function isDigits(digits: string, prefix: string): boolean {
  if (digits.length > 100) return false
  if (prefix === '0x') return /^[0-9a-fA-F]+$/.test(digits)
  if (prefix === '0o') return /^[0-7]+$/.test(digits)
  return prefix === '0b' ? /^[01]+$/.test(digits) : /^[0-9]+$/.test(digits)
}

function readFloat(text: string): TomlNumber {
  const special = /^([-+]?)(inf|nan)$/.exec(text)
  if (special !== null) {
    if (special[2] === 'nan') return { value: Number.NaN }
    return { value: special[1] === '-' ? -Infinity : Infinity }
  }
  const parts = text.split(/[.eE]/).filter((part) => part !== '')
  if (parts.some((part) => /^[-+]?_|__|_$/.test(part))) {
    return { problem: `Invalid float "${text}": underscores must be surrounded by digits` }
  }
  if (/^[-+]?0\d/.test(parts[0] ?? '')) return { problem: `Invalid float "${text}": cannot have leading zeroes` }
  if (/\.(?!\d)/.test(text)) return { problem: `Invalid float "${text}": '.' must be followed by one or more digits` }
  const plain = text.replaceAll('_', '')
  if (!/^[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(plain)) return { problem: `Invalid float value: "${text}"` }
  const value = Number(plain)
  return Number.isFinite(value) ? { value } : { problem: `${text} is out of range for float64` }
}

const date = /^(\d{4})-(\d\d)-(\d\d)$/
const time = /^(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?$/
const zone = /(?:Z|[-+]\d\d:\d\d)$/

/** True if the text is a date, a time or both, with numbers that exist. */
export function isTomlDatetime(text: string): boolean {
  const [first = '', second] = text.toUpperCase().split(/[T ]/)
  if (second === undefined) return isDate(first) || isTime(first)
  return isDate(first) && isTime(second.replace(zone, ''))
}

function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = date.exec(text) ?? []
  if (year === '' || Number(month) < 1 || Number(month) > 12) return false
  const isLeap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0)
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1] ?? 0
  return Number(day) >= 1 && Number(day) <= days
}

function isTime(text: string): boolean {
  const [, hour = '', minute = '', second = '00'] = time.exec(text) ?? []
  return hour !== '' && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60
}
