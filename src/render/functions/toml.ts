import { TomlFormatError, formatToml } from '../../codec/toml-format.ts'
import { TomlError, parseToml } from '../../codec/toml-parse.ts'
import { Dict, GoObject, type ObjectKind, type Value } from '../../model/value.ts'
import { quoteGo } from '../engine/format.ts'
import { FunctionError, type FunctionDef } from '../engine/function.ts'
import { refuseToken } from '../engine/token-refused.ts'
import { anyArgument, textArgument } from './arguments.ts'
import { isTypedNil } from './typed-nil.ts'

/** A date or time of a TOML document: Go's time.Time, which here can only be printed. */
class TomlTime extends GoObject {
  readonly goType = 'time.Time'
  readonly kind: ObjectKind = 'struct'
  readonly #text: string

  /** @param text as in the document, with `T` and `Z` in upper case */
  constructor(text: string) {
    super()
    this.#text = text
  }

  override field(): Value | undefined {
    return undefined
  }

  override toText(): string {
    const { date, time, zone, name } = this.#parts()
    return `${date} ${time} ${zone === 'Z' ? '+0000' : zone.replace(':', '')} ${name}`
  }

  /** RFC 3339, as Go's encoders write it. */
  override toValue(): Value {
    const { date, time, zone } = this.#parts()
    return `${date}T${time}${zone}`
  }

  /** What is missing is what Go's parser assumes: the first day of year 0, midnight, UTC. */
  #parts(): { readonly date: string; readonly time: string; readonly zone: string; readonly name: string } {
    const [, date, time, zone] =
      /^(\d{4}-\d\d-\d\d)?T?(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z|[-+]\d\d:\d\d)?$/.exec(this.#text) ?? []
    const local = time === undefined ? 'date-local' : date === undefined ? 'time-local' : 'datetime-local'
    return {
      date: date ?? '0000-01-01',
      time: withSeconds(time ?? '00:00:00'),
      zone: zone === undefined || zone === '+00:00' ? 'Z' : zone,
      name: zone === undefined ? local : zone === 'Z' || zone === '+00:00' ? 'UTC' : zone.replace(':', ''),
    }
  }
}

/** Go writes nanoseconds without trailing zeros. */
function withSeconds(time: string): string {
  const full = time.length === 5 ? `${time}:00` : time
  return full.includes('.') ? full.slice(0, 18).replace(/\.?0+$/, '') : full
}

function toToml(args: readonly Value[]): Value {
  const value = anyArgument(args, 0)
  if (value === null) throw new FunctionError('reflect: call of reflect.Value.Type on zero Value')
  try {
    return formatToml(value, (item) => item === null || isTypedNil(item))
  } catch (error) {
    if (error instanceof TomlFormatError) return error.message
    throw error
  }
}

function fromToml(args: readonly Value[]): Value {
  const text = textArgument(args, 0)
  try {
    return parseToml(text, { datetime: (datetime) => new TomlTime(datetime) })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    refuseToken(text, 'cannot parse text whose syntax depends on a value that is only known later')
    const key = error.lastKey === '' ? '' : ` (last key ${quoteGo(error.lastKey)})`
    const map = new Dict()
    map.set('Error', `toml: line ${error.line}${key}: ${error.detail}`)
    return map
  }
}

/** Helm's TOML functions (pkg/engine/funcs.go over BurntSushi/toml). */
export const tomlFunctions: readonly FunctionDef[] = [
  { name: 'toToml', params: ['any'], tokens: 'pass', call: toToml },
  { name: 'fromToml', params: ['string'], tokens: 'pass', call: fromToml },
]
