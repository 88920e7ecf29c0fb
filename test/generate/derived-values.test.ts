import { describe, expect, test } from 'vitest'
import { derivedFunctions, deriveValue } from '../../src/generate/derived-values.ts'
import { createTokenTable } from '../../src/model/token.ts'
import { goInt, type Value } from '../../src/model/value.ts'
import { chartFunctions } from '../../src/render/functions/registry.ts'
import { nodeCrypto } from '../../src/system/node-crypto.ts'
import { recordingContext } from '../render/functions/recording-context.ts'

function derive(name: string, ...args: readonly string[]): string {
  return deriveValue(name, args, nodeCrypto)
}

describe('known answers', () => {
  test.each([
    ['f', 'Zg==', 'MY======'],
    ['fo', 'Zm8=', 'MZXQ===='],
    ['foo', 'Zm9v', 'MZXW6==='],
    ['foob', 'Zm9vYg==', 'MZXW6YQ='],
    ['fooba', 'Zm9vYmE=', 'MZXW6YTB'],
    ['foobar', 'Zm9vYmFy', 'MZXW6YTBOI======'],
  ])('base64 and base32 of %j (RFC 4648, section 10)', (text, base64, base32) => {
    expect([derive('b64enc', text), derive('b32enc', text)]).toEqual([base64, base32])
  })

  test.each([
    ['sha1sum', 'abc', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['sha256sum', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'sha512sum',
      'abc',
      'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
    ],
    ['adler32sum', 'Wikipedia', '300286872'],
  ])('%s of %j', (name, text, want) => {
    expect(derive(name, text)).toBe(want)
  })

  test.each([
    ['1', '3', 'abcd', 'bc'],
    ['0', '4', 'abcd', 'abcd'],
    ['2', '2', 'abcd', ''],
    ['2', '4', 'aéb', '\udca9b'],
  ])('substr %s %s of %j counts bytes, as Go does', (from, to, text, want) => {
    expect(derive('substr', from, to, text)).toBe(want)
  })

  test.each([
    ['3', '1'],
    ['0', '5'],
    ['-1', '2'],
    ['', 'x'],
    ['0', '1.5'],
  ])('substr %j %j of four bytes is refused', (from, to) => {
    expect(() => derive('substr', from, to, 'abcd')).toThrow('substr goes beyond its text')
  })
})

/**
 * What a chart does with the text: the derived value that it asks for when the text is a token, and the answer when it
 * is not.
 */
function inChart(name: string, text: string): { readonly asked: string; readonly answer: Value } {
  const definition = chartFunctions.get(name)
  if (definition === undefined) throw new Error(`no function ${name}`)
  const further = name === 'substr' ? [goInt(1), goInt(3)] : []
  const tokens = createTokenTable()
  const recorded = recordingContext(tokens)
  const generate = { function: 'randAscii', arguments: ['12'], identity: '' }
  const token = tokens.add({ kind: 'generated', type: 'string', generate, part: 'value' })
  const result = definition.call([...further, token], recorded.context)
  const noted = typeof result === 'string' ? (tokens.get(result) ?? tokens.hashes.get(result)?.spec) : undefined
  if (noted?.kind !== 'derived') throw new Error(`${name} derives nothing`)
  expect(noted.input).toBe(token)
  return {
    asked: derive(noted.function, ...(noted.arguments ?? []), text),
    answer: definition.call([...further, text], recordingContext().context),
  }
}

describe('what a chart derives of a token is what it would have made of the text', () => {
  const names = [...derivedFunctions].filter((name) => name !== 'text' && name !== 'adler32sum')
  test.each(names.flatMap((name) => ['Hello wOrLd$', 'a-B_c d.e/fGh', '~!@#"<> AzZa'].map((text) => ({ name, text }))))(
    '$name of $text',
    ({ name, text }) => {
      const { asked, answer } = inChart(name, text)
      expect(asked).toBe(answer)
    },
  )
})

test('text is its argument', () => {
  expect(derive('text', 'a$b\n')).toBe('a$b\n')
})

test.each([
  ['lower', ['a', 'b'], 'lower takes one argument'],
  ['substr', ['a'], 'substr takes 3 arguments'],
  ['randAlpha', ['4'], 'randAlpha derives no value'],
] satisfies [string, string[], string][])('%s %j is refused', (name, args, want) => {
  expect(() => derive(name, ...args)).toThrow(want)
})
