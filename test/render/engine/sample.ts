import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { createTokenTable } from '../../../src/model/token.ts'
import {
  Dict,
  GoBytes,
  GoInt,
  GoObject,
  dict,
  elementType,
  goInt,
  goTypeOf,
  typedList,
  type GoMethod,
  type Value,
} from '../../../src/model/value.ts'
import { createEngine, type Engine, type EngineOptions } from '../../../src/render/engine/engine.ts'
import { formatPrint, formatValue } from '../../../src/render/engine/format.ts'
import { say, spoken } from '../../../src/render/engine/error-text.ts'
import { FunctionError, type FunctionDef, type FunctionTable } from '../../../src/render/engine/function.ts'
import { defaultLimits } from '../../../src/render/engine/limits.ts'

/** A map type with methods, as Helm's common.Values. */
class Values extends Dict {
  override goType = 'main.Values'

  override method(name: string): GoMethod | undefined {
    if (name === 'AsMap') return { params: [], call: () => dict(this) }
    if (name === 'Count') return { params: ['int'], call: ([n]) => goInt(BigInt(this.size) + intOf(n)) }
    return undefined
  }
}

class KubeVersion extends GoObject {
  readonly goType = 'main.KubeVersion'
  readonly kind = 'struct'
  field(name: string): Value | undefined {
    return name === 'Version' ? 'v1.35.0' : name === 'Major' ? '1' : undefined
  }
  toText(): string {
    return 'v1.35.0'
  }
}

class VersionSet extends GoObject {
  readonly goType = 'main.VersionSet'
  readonly kind = 'slice'
  field(): Value | undefined {
    return undefined
  }
  override method(name: string): GoMethod | undefined {
    return name === 'Has'
      ? { params: ['string'], call: ([version]) => version === 'v1' || version === 'apps/v1' }
      : undefined
  }
  toText(): string {
    return '[v1 apps/v1]'
  }
  override toValue(): Value {
    return typedList('string', ['v1', 'apps/v1'])
  }
}

/** A struct behind a pointer, as Helm's Capabilities. */
class Caps extends GoObject {
  readonly goType = '*main.Caps'
  readonly kind = 'ptr'
  private readonly fields = dict([
    ['KubeVersion', new KubeVersion()],
    ['APIVersions', new VersionSet()],
    ['Name', 'caps'],
    ['Anything', null],
  ])

  field(name: string): Value | undefined {
    return this.fields.get(name)
  }

  override method(name: string): GoMethod | undefined {
    return capsMethods.get(name)
  }

  toText(): string {
    return 'caps'
  }
}

const capsMethods: ReadonlyMap<string, GoMethod> = new Map<string, GoMethod>([
  ['Has', { params: ['string'], call: ([text]) => text === 'yes' }],
  ['Twice', { params: ['int'], call: ([n]) => goInt(2n * intOf(n)) }],
  [
    'Join',
    {
      params: ['string'],
      variadic: 'string',
      call: ([separator, ...parts]) => parts.map(textOf).join(textOf(separator)),
    },
  ],
  [
    'Fail',
    {
      params: ['string'],
      call: ([text]) => {
        throw new FunctionError(say`caps failed: ${spoken(textOf(text))}`)
      },
    },
  ],
  ['Hello', { params: [], call: () => 'hello' }],
  ['Map', { params: [], call: () => dict([['k', 'v']]) }],
])

function textOf(value: Value | undefined): string {
  return typeof value === 'string' ? value : formatValue(value ?? null)
}

function intOf(value: Value | undefined): bigint {
  return value instanceof GoInt ? value.value : 0n
}

function values(entries: readonly (readonly [string, Value])[]): Dict {
  const result = new Values()
  for (const [key, value] of entries) result.set(key, value)
  return result
}

function stringMap(entries: readonly (readonly [string, string])[]): Dict {
  const result = dict(entries)
  result.goType = 'map[string]string'
  return result
}

/** The data that the tables of templates are executed with; made anew for each row. */
export function sampleData(): Dict {
  return dict([
    ['s', 'abc'],
    ['empty', ''],
    ['uni', 'aé€😀'],
    ['f', 1.5],
    ['i3', 3],
    ['big', 1234567],
    ['zero', 0],
    ['neg', -2],
    ['t', true],
    ['no', false],
    ['nul', null],
    ['int', goInt(7)],
    ['i64', new GoInt(9n, 'int64')],
    ['u8', new GoInt(200n, 'uint8')],
    ['u64', new GoInt(5n, 'uint64')],
    ['int0', goInt(0)],
    ['neg1', goInt(-1)],
    ['l', ['a', 'b', 'c']],
    ['mixed', [1, 'two', null, true, dict([['k', 'v']]), [1]]],
    ['el', []],
    [
      'm',
      dict([
        ['b', 'B'],
        ['a', 'A'],
        ['c', null],
      ]),
    ],
    ['em', dict()],
    [
      'deep',
      dict([
        ['x', dict([['y', dict([['z', 'deep']])]])],
        ['list', [dict([['n', 'one']]), dict([['n', 'two']])]],
      ]),
    ],
    ['strs', typedList('string', ['p', 'q'])],
    ['ints', typedList('int', [goInt(4), goInt(5)])],
    ['bytes', new GoBytes(encodeUtf8('hi'))],
    ['sm', stringMap([['k', 'v']])],
    [
      'vals',
      values([
        ['k', 'v'],
        ['n', dict([['o', 'p']])],
      ]),
    ],
    ['caps', new Caps()],
    ['$dollar', 1],
    [
      'Values',
      dict([
        ['name', 'n'],
        [
          'image',
          dict([
            ['tag', '1.0'],
            ['repo', 'r'],
          ]),
        ],
        ['on', true],
        ['port', 8080],
        ['list', [3, 1, 2]],
      ]),
    ],
    ['html', '<a href="x">\'&\0</a>'],
    ['js', 'it\'s "q" \\ <b>&=\n\u0001é\u2028'],
    ['url', 'a b&c/d?é~'],
  ])
}

function define(name: string, definition: Omit<FunctionDef, 'name' | 'tokens'>): readonly [string, FunctionDef] {
  return [name, { name, tokens: 'pass', ...definition }]
}

/** Functions of every parameter type, for the tables. */
export const sampleFunctions: FunctionTable = new Map([
  define('str', { params: ['string'], call: ([text]) => `str:${textOf(text)}` }),
  define('num', { params: ['int'], call: ([n]) => goInt(intOf(n) + 1n) }),
  define('num64', { params: ['int64'], call: ([n]) => new GoInt(intOf(n) + 1n, 'int64') }),
  define('fl', { params: ['float64'], call: ([n]) => Number(n) + 0.5 }),
  define('yes', { params: ['bool'], call: ([flag = null]) => flag }),
  define('many', {
    params: ['string'],
    variadic: 'int',
    call: ([text = null, ...rest]) => formatPrint([text, typedList('int', rest)]),
  }),
  define('anyf', { params: ['any'], call: ([value = null]) => `${goTypeOf(value)}|${formatValue(value)}` }),
  define('anys', { params: [], variadic: 'any', call: (args) => `${args.length}:${formatValue([...args])}` }),
  define('two', {
    params: ['any', 'any'],
    call: ([a = null, b = null]) => `${formatValue(a)},${formatValue(b)}`,
  }),
  define('listf', { params: ['list'], call: ([list]) => goInt(Array.isArray(list) ? list.length : 0) }),
  define('strs', {
    params: ['strings'],
    call: ([list]) => goInt(Array.isArray(list) && elementType(list) === 'string' ? list.length : 0),
  }),
  define('mapf', { params: ['map'], call: ([map]) => goInt(map instanceof Dict ? map.size : 0) }),
  define('bytesf', { params: ['bytes'], call: ([bytes]) => goInt(bytes instanceof GoBytes ? bytes.bytes.length : 0) }),
  define('oops', {
    params: ['string'],
    call: ([text]) => {
      throw new FunctionError(say`oops: ${spoken(textOf(text))}`)
    },
  }),
  define('mkd', {
    params: [],
    variadic: 'any',
    call: (args) => {
      const result = dict()
      for (let at = 0; at + 1 < args.length; at += 2) result.set(textOf(args[at]), args[at + 1] ?? null)
      return result
    },
  }),
  define('mkl', { params: [], variadic: 'any', call: (args) => [...args] }),
  define('nilf', { params: [], call: () => null }),
  define('zero', { params: [], call: () => 'zero' }),
])

function unused(): never {
  throw new Error('the sample functions use no crypto but hashes')
}

/** Makes an engine with the sample functions; `overrides` replace any option. */
export function sampleEngine(overrides: Partial<EngineOptions> = {}): Engine {
  return createEngine({
    functions: sampleFunctions,
    lateBound: true,
    limits: defaultLimits,
    crypto: {
      hash: (_algorithm, bytes) => bytes.slice(0, 32),
      sha256Hex: unused,
      hashParts: unused,
      hmacSha256: unused,
      scrypt: unused,
      encryptAesCbc: unused,
      decryptAesCbc: unused,
      verify: unused,
      signerOf: unused,
    },
    tokens: createTokenTable(),
    generate: { seed: 'sample' },
    onFinding: () => undefined,
    ...overrides,
  })
}
