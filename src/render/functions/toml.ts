import { JsonError } from '../../codec/json/go-json.ts'
import { TomlFormatError, formatToml } from '../../codec/toml/toml-format.ts'
import { TomlError, parseToml } from '../../codec/toml/toml-parse.ts'
import { Dict, type Value } from '../../model/value.ts'
import { quoteGo } from '../engine/format.ts'
import { FunctionError, type CallContext, type FunctionDef } from '../engine/function.ts'
import { refuseToken, TokenRefusedError } from '../engine/token-refused.ts'
import { anyArgument, textArgument } from './arguments.ts'
import { parseTime } from './go/go-time-parse.ts'
import { TimeObject } from './time-object.ts'
import { isNumberToken } from './token-integer.ts'
import { isTypedNil, prepareEncoding } from './go/typed-nil.ts'

/**
 * A date or time of a document as Go's time.Time. One without an offset has a zone that says so; this machine's offset,
 * which Go would take, is UTC here.
 */
function parseDatetime(text: string): TimeObject {
  const [, date, clock, offset] = /^(\d{4}-\d\d-\d\d)?T?([\d:.]+)?(Z|[-+]\d\d:\d\d)?$/.exec(text) ?? []
  const layouts = [
    date === undefined ? '' : '2006-01-02',
    date === undefined || clock === undefined ? '' : 'T',
    clock === undefined ? '' : clock.length === 5 ? '15:04' : '15:04:05.999999999',
    offset === undefined ? '' : 'Z07:00',
  ]
  const time = parseTime(layouts.join(''), text)
  if (offset !== undefined) return new TimeObject(time)
  const name = clock === undefined ? 'date-local' : date === undefined ? 'time-local' : 'datetime-local'
  return new TimeObject({ ...time, zone: { name, offset: 0 } })
}

function toToml(args: readonly Value[], context: CallContext): Value {
  const value = anyArgument(args, 0)
  if (value === null) throw new FunctionError('reflect: call of reflect.Value.Type on zero Value')
  try {
    prepareEncoding(value, context.charge)
    refuseNumbers(value, context)
    return formatToml(value, (item) => item === null || isTypedNil(item))
  } catch (error) {
    if (error instanceof TomlFormatError || error instanceof JsonError) return error.message
    throw error
  }
}

/** A number of values is a float, and TOML writes one otherwise than anything else does. @throws TokenRefusedError */
function refuseNumbers(value: Value, context: CallContext): void {
  if (context.tokens.specs.length === 0) return
  if (typeof value === 'string' && isNumberToken(value, context))
    throw new TokenRefusedError('cannot write a number that is only known later')
  if (Array.isArray(value) || value instanceof Dict) for (const item of value.values()) refuseNumbers(item, context)
}

function fromToml(args: readonly Value[]): Value {
  const text = textArgument(args, 0)
  try {
    return parseToml(text, { datetime: parseDatetime })
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
