import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { JsonError } from '../../../src/codec/json/go-json.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { Dict, GoInt, type Value } from '../../../src/model/value.ts'
import { parseKubeVersion } from '../../../src/render/chart/capabilities.ts'
import { compileGlob } from '../../../src/render/chart/glob.ts'
import { applySet, SetError } from '../../../src/render/chart/parse-set.ts'
import { splitManifests } from '../../../src/render/chart/split-manifests.ts'
import { parseHelmIgnore } from '../../../src/sources/chart/helm-ignore.ts'

/** Kind, arguments, and what Helm 4.1.4's own packages answered; `error` where it refused. */
type Row = readonly [kind: string, ...rest: unknown[]]

const rows: readonly Row[] = readFileSync(new URL('./helm-rules.rows.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

function plain(value: Value): unknown {
  if (value instanceof Dict) return Object.fromEntries([...value].map(([key, item]) => [key, plain(item)]))
  if (Array.isArray(value)) return value.map(plain)
  return value instanceof GoInt ? `${value.kind}:${value.value}` : value
}

function setAll(mode: string, expressions: readonly string[]): unknown {
  const values = new Dict()
  for (const expression of expressions) {
    if (mode === 'typed' || mode === 'string' || mode === 'json' || mode === 'literal')
      applySet(values, expression, mode)
  }
  return plain(values)
}

function answer(kind: string, args: readonly string[]): unknown {
  const [first = '', second = '', third] = args
  switch (kind) {
    case 'glob': {
      const matches = compileGlob(first)
      return matches === undefined ? 'error' : matches(second)
    }
    case 'set':
      return setAll(first, args.slice(1))
    case 'split':
      return splitManifests(first).map(({ text }) => text)
    case 'ignore':
      return parseHelmIgnore({ name: '.helmignore', text: first })(second, third === 'dir' ? 'directory' : 'file')
    default: {
      const { version, normalized, major, minor } = parseKubeVersion(first)
      return [version, normalized, major, minor]
    }
  }
}

function outcome(kind: string, args: readonly string[]): unknown {
  try {
    return answer(kind, args)
  } catch (error) {
    if (error instanceof SetError) return `error: ${error.message}`
    if (error instanceof StackmasonError || error instanceof JsonError) return 'error'
    throw error
  }
}

describe('small rules give what Helm gives', () => {
  test.each(rows.map((row) => [JSON.stringify(row), row] as const))('%s', (_, [kind, ...rest]) => {
    const want = rest.at(-1)
    const got = outcome(kind, rest.slice(0, -1).map(String))
    // The words of some refusals are ours.
    expect(want === 'error' ? String(got).slice(0, 5) : got).toEqual(want)
  })
})

describe('applySet', () => {
  const expressions = [
    { mode: 'typed', text: 'a[65537]=1', want: 'index of 65537 is greater than maximum supported index of 65536' },
    {
      mode: 'typed',
      text: `${'a.'.repeat(31)}b=1`,
      want: 'value name nested level is greater than maximum supported nested level of 30',
    },
    {
      mode: 'typed',
      text: 'a=1,a.b=2',
      want: 'unable to parse key: interface conversion: interface {} is int64, not map[string]interface {}',
    },
    {
      mode: 'string',
      text: 'a=1,a[0]=2',
      want: 'unable to parse key: interface conversion: interface {} is string, not []interface {}',
    },
  ] as const
  test.each(expressions)('$text is refused', ({ mode, text, want }) => {
    expect(() => applySet(new Dict(), text, mode)).toThrow(want)
  })

  test('__proto__ is an ordinary key', () => {
    const values = new Dict()
    applySet(values, '__proto__.polluted=1,constructor.prototype.x=2', 'typed')
    expect([...values.keys()]).toEqual(['__proto__', 'constructor'])
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})

describe('splitManifests', () => {
  test('says where documents start', () => {
    expect(splitManifests('\n\n---\na: 1\n\n---\n  b: 2\n')).toEqual([
      { text: 'a: 1', offset: 6 },
      { text: 'b: 2', offset: 18 },
    ])
  })

  test('a long run of blank lines takes no quadratic time', () => {
    expect(splitManifests(`a: 1${'\n'.repeat(2_000_000)}b: 2`)).toHaveLength(1)
  })
})
