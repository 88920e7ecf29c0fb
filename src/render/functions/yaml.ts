import { formatGoJson, JsonError, parseGoJson, type IsNumber } from '../../codec/json/go-json.ts'
import { formatGoYaml, formatGoYamlV3 } from '../../codec/go-yaml/go-yaml-format.ts'
import { YamlError } from '../../codec/go-yaml/go-yaml-error.ts'
import { parseGoYaml } from '../../codec/go-yaml/go-yaml-parse.ts'
import { holdsParameter } from '../../model/token.ts'
import { Dict, type Value } from '../../model/value.ts'
import { FunctionError, type CallContext, type FunctionDef } from '../engine/function.ts'
import { holdsToken, TokenRefusedError } from '../engine/token-refused.ts'
import { anyArgument, textArgument } from './arguments.ts'
import { isNumberToken } from './token-integer.ts'
import { nilDict, nilList, prepareEncoding } from './go/typed-nil.ts'
import { inGo } from '../engine/error-text.ts'

/** The result for a value that cannot be encoded: Helm's functions give "", the `must` forms fail. */
type OnFailure = 'empty' | 'fail'

/** An encoder of a value without typed nils; throws JsonError and YamlError in Go's words. */
type Encoder = (value: Value, isNumber: IsNumber) => string

function encodeJson(value: Value, isNumber: IsNumber): string {
  return formatGoJson(value, { isNumber })
}

function encodePrettyJson(value: Value, isNumber: IsNumber): string {
  return formatGoJson(value, { indent: '  ', isNumber })
}

function encodeRawJson(value: Value, isNumber: IsNumber): string {
  return formatGoJson(value, { escapeHtml: false, isNumber })
}

function encodeYaml(value: Value): string {
  return formatGoYaml(value).slice(0, -1)
}

function encodeYamlPretty(value: Value): string {
  return formatGoYamlV3(value).slice(0, -1)
}

interface EncoderOptions {
  readonly encode: Encoder
  readonly onFailure: OnFailure
  /** The output for Go's nil slices and maps: null in JSON; go-yaml v3 writes them empty. */
  readonly typedNils?: 'keep'
  /** True if long lines are broken at spaces. */
  readonly folds?: boolean
}

/**
 * Where a line is folded depends on how long a parameter is.
 * @throws TokenRefusedError
 */
function refuseFolding(value: Value, context: CallContext): void {
  if (!context.tokens.hasParameters) return
  if (typeof value === 'string' && value.includes(' ') && holdsParameter(value, context.tokens))
    throw new TokenRefusedError('cannot fold a line whose length is only known later')
  if (Array.isArray(value) || value instanceof Dict) for (const item of value.values()) refuseFolding(item, context)
}

function encoder(name: string, { encode, onFailure, typedNils, folds }: EncoderOptions): FunctionDef {
  return {
    name,
    params: ['any'],
    tokens: 'pass',
    call(args, context) {
      try {
        const value = anyArgument(args, 0)
        const prepared = prepareEncoding(value, context.charge)
        if (folds === true) refuseFolding(prepared, context)
        return encode(typedNils === 'keep' ? value : prepared, (text) => isNumberToken(text, context))
      } catch (error) {
        if (!(error instanceof JsonError || error instanceof YamlError)) throw error
        if (onFailure === 'empty') return ''
        throw new FunctionError(inGo(error.message, 'the value cannot be encoded'), { cause: error })
      }
    },
  }
}

/** The result of a decoder: the value, or the message of Go's error. */
type Decoded = { readonly value: Value } | { readonly problem: string }

function decodeJson(text: string, isNumber: IsNumber): Decoded {
  try {
    return { value: parseGoJson(text, isNumber) }
  } catch (error) {
    if (error instanceof JsonError) return { problem: error.message }
    throw error
  }
}

function decodeYaml(text: string): Decoded {
  try {
    return { value: parseGoYaml(text) }
  } catch (error) {
    if (error instanceof YamlError) return { problem: error.message }
    throw error
  }
}

/**
 * Text that does not parse might do so with the values behind its tokens, and so might text that gives another type
 * than `isWanted`.
 * @throws TokenRefusedError
 */
function decode(
  args: readonly Value[],
  context: CallContext,
  { decoder, isWanted }: Pick<Format, 'decoder'> & { readonly isWanted: (value: Value) => boolean },
): Decoded {
  const text = textArgument(args, 0)
  context.charge(text.length)
  const decoded = decoder(text, (token) => isNumberToken(token, context))
  if (('problem' in decoded || !isWanted(decoded.value)) && holdsToken(text)) {
    throw new TokenRefusedError('cannot parse text whose syntax depends on a value that is only known later')
  }
  if ('value' in decoded && holdsParameter(text, context.tokens)) refuseParameterKeys(decoded.value, context)
  return decoded
}

/**
 * Refuses parameters as keys: look-ups in a map, and the order of its entries, depend on them.
 * @throws TokenRefusedError
 */
function refuseParameterKeys(value: Value, context: CallContext): void {
  if (!Array.isArray(value) && !(value instanceof Dict)) return
  if (value instanceof Dict && [...value.keys()].some((key) => holdsParameter(key, context.tokens)))
    throw new TokenRefusedError('cannot use a value that is only known later as a key')
  for (const item of value.values()) refuseParameterKeys(item, context)
}

function mismatch(value: Value, type: string): string {
  const kind = Array.isArray(value)
    ? 'array'
    : value instanceof Dict
      ? 'object'
      : value === true || value === false
        ? 'bool'
        : typeof value
  return `json: cannot unmarshal ${kind} into Go value of type ${type}`
}

/** How Helm reads a format: what an empty text and a wrong type give. */
interface Format {
  readonly decoder: (text: string, isNumber: IsNumber) => Decoded
  readonly nullMap: () => Value
  readonly nullList: () => Value
  readonly mismatchPrefix: string
}

const json: Format = { decoder: decodeJson, nullMap: nilDict, nullList: () => nilList(), mismatchPrefix: '' }
const yaml: Format = {
  decoder: decodeYaml,
  nullMap: () => new Dict(),
  nullList: () => [],
  mismatchPrefix: 'error unmarshaling JSON: while decoding JSON: ',
}

function mapDecoder(name: string, format: Format): FunctionDef {
  return {
    name,
    params: ['string'],
    tokens: 'pass',
    call(args, context) {
      const isWanted = (value: Value): boolean => value === null || value instanceof Dict
      const decoded = decode(args, context, { decoder: format.decoder, isWanted })
      if ('problem' in decoded) return errorMap(decoded.problem)
      if (decoded.value === null) return format.nullMap()
      if (decoded.value instanceof Dict) return decoded.value
      return errorMap(format.mismatchPrefix + mismatch(decoded.value, 'map[string]interface {}'))
    },
  }
}

function listDecoder(name: string, format: Format): FunctionDef {
  return {
    name,
    params: ['string'],
    tokens: 'pass',
    call(args, context) {
      const decoded = decode(args, context, {
        decoder: format.decoder,
        isWanted: (value) => value === null || Array.isArray(value),
      })
      if ('problem' in decoded) return [decoded.problem]
      if (decoded.value === null) return format.nullList()
      if (Array.isArray(decoded.value)) return decoded.value
      return [format.mismatchPrefix + mismatch(decoded.value, '[]interface {}')]
    },
  }
}

function errorMap(problem: string): Dict {
  const map = new Dict()
  map.set('Error', problem)
  return map
}

/** A text that is a token alone is no JSON of any type. */
const anyJson = { decoder: decodeJson, isWanted: () => true }

const mustFromJson: FunctionDef = {
  name: 'mustFromJson',
  params: ['string'],
  tokens: 'pass',
  call(args, context) {
    const decoded = decode(args, context, anyJson)
    if ('problem' in decoded) throw new FunctionError(inGo(decoded.problem, 'the text is not JSON'))
    return decoded.value
  },
}

/** The JSON functions of sprig that Helm leaves alone. */
const sprigJsonFunctions: readonly FunctionDef[] = [
  encoder('toJson', { encode: encodeJson, onFailure: 'empty' }),
  encoder('mustToJson', { encode: encodeJson, onFailure: 'fail' }),
  encoder('toPrettyJson', { encode: encodePrettyJson, onFailure: 'empty' }),
  encoder('mustToPrettyJson', { encode: encodePrettyJson, onFailure: 'fail' }),
  encoder('toRawJson', { encode: encodeRawJson, onFailure: 'fail' }),
  encoder('mustToRawJson', { encode: encodeRawJson, onFailure: 'fail' }),
  mustFromJson,
]

/** Helm's YAML and JSON functions (pkg/engine/funcs.go) and sprig's. */
export const yamlFunctions: readonly FunctionDef[] = [
  encoder('toYaml', { encode: encodeYaml, onFailure: 'empty', folds: true }),
  encoder('mustToYaml', { encode: encodeYaml, onFailure: 'fail', folds: true }),
  encoder('toYamlPretty', { encode: encodeYamlPretty, onFailure: 'empty', typedNils: 'keep' }),
  mapDecoder('fromYaml', yaml),
  listDecoder('fromYamlArray', yaml),
  mapDecoder('fromJson', json),
  listDecoder('fromJsonArray', json),
  ...sprigJsonFunctions,
]

/** slim-sprig's JSON functions: `fromJson` gives any value, and nil for text that does not parse. */
export const slimJsonFunctions: readonly FunctionDef[] = [
  ...sprigJsonFunctions,
  {
    name: 'fromJson',
    params: ['string'],
    tokens: 'pass',
    call(args, context) {
      const decoded = decode(args, context, anyJson)
      return 'problem' in decoded ? null : decoded.value
    },
  },
]
